"""The LangGraph target on real LangGraph: anchors, and the rig that takes the timing out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from frameworks import CHECKOUT, NOTHING, Environment, Environments, Run, watch
from plugpull.manifest import read_manifest
from plugpull.notes import annotate
from plugpull.verdicts import FAIL, Judgement, Result
from rigged_target import TARGETS, rigged_target

IDEMPOTENCY = (
    "(documented: make the tool idempotent, see "
    "https://docs.langchain.com/oss/python/langgraph/functional-api#idempotency)"
)
CHECKPOINTERS = "https://docs.langchain.com/oss/python/langgraph/checkpointers"

KEYS = {"no-key": "none", "tool-call-id": "tool-call-id", "ledger-first": "ledger-first"}

#: Where it is not waited for what the tool runs from: a checkpoint, or the result of a task.
BY_CHANCE = {
    "async+no-key",
    "async+tool-call-id",
    "functional+no-key",
    "functional+tool-call-id",
}

#: What each kind of tool comes to when the checkpoint it runs from is saved.
EXPECTED = {
    "no-key": ("PASS", "FAIL"),
    "tool-call-id": ("PASS", "PASS"),
    "ledger-first": ("FAIL", "PASS"),
}


@pytest.fixture(scope="module")
def langgraph(environments: Environments) -> Environment:
    """LangGraph 1.2.11."""
    return environments["langgraph-1.2.11"]


@pytest.fixture(scope="module")
def shipped(langgraph: Environment) -> Run:
    """The shipped target, each fault point once."""
    return langgraph.plugpull(
        *("--target", "langgraph", "--targets", TARGETS, "--timing-repeat", "1"),
        *("--scenario", "kill-mid-tool"),
    )


@pytest.fixture(scope="module")
def rigged(langgraph: Environment, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The target under the rig: each kind of tool with its saves in hand."""
    variants = {
        f"{durability}+{tool}": {
            "PLUGPULL_DURABILITY": durability,
            "PLUGPULL_KEY": key,
            "PLUGPULL_RIG_SAVE": "first",
            # Without it the saves usually win the race, and a rig that fails to wait is not caught.
            "PLUGPULL_RIG_SAVE_DELAY": "0.1",
        }
        for durability in ("async", "sync")
        for tool, key in KEYS.items()
    }
    variants["nothing-saved"] = {
        "PLUGPULL_DURABILITY": "async",
        "PLUGPULL_KEY": "none",
        "PLUGPULL_RIG_SAVE": "never",
    }
    variants["saved-in-memory"] = {
        "PLUGPULL_DURABILITY": "sync",
        "PLUGPULL_KEY": "none",
        "PLUGPULL_RIG_SAVE": "memory",
    }
    targets = rigged_target(
        tmp_path_factory.mktemp("rigged"), "langgraph", "langgraph_saves.py", variants
    )
    return langgraph.plugpull(
        *("--target", "langgraph", "--targets", targets, "--scenario", "kill-mid-tool"),
    )


@pytest.mark.parametrize("durability", ["async", "sync"])
@pytest.mark.parametrize("tool", KEYS)
def test_each_kind_of_tool_gets_its_verdicts(rigged: Run, tool: str, durability: str) -> None:
    """With the tool's checkpoint saved, both durabilities give the verdicts of a toy framework."""
    assert rigged.verdicts(f"{durability}+{tool}") == EXPECTED[tool]


def test_the_wrong_verdicts_say_how_often(rigged: Run) -> None:
    """No key charges twice; the ledger-first tool, killed before its effect, never charges."""
    charged = {
        name: rigged.one(*name)["evidence"]["effects"].get("charge_card", 0)
        for name in rigged.results
        if name[0].startswith("sync")
    }
    assert charged == {
        ("sync+no-key", "before-effect"): 1,
        ("sync+no-key", "after-effect"): 2,
        ("sync+tool-call-id", "before-effect"): 1,
        ("sync+tool-call-id", "after-effect"): 1,
        ("sync+ledger-first", "before-effect"): 0,
        ("sync+ledger-first", "after-effect"): 1,
    }


def test_a_kill_before_any_save_is_a_fail_with_its_note(rigged: Run) -> None:
    """Nothing saved: resume crashes and charges nothing, and the docs that say so are linked."""
    for point, charged in {"before-effect": 0, "after-effect": 1}.items():
        result = rigged.one("nothing-saved", point)
        assert (result["verdict"], result["outcome"]) == ("FAIL", "crashed")
        assert result["detail"].startswith("run could not be resumed after the kill (documented: ")
        assert result["detail"].endswith(f" {CHECKPOINTERS})")
        assert "langgraph.errors.EmptyInputError" in result["evidence"]["stderr"]
        assert result["evidence"]["effects"] == {"charge_card": charged}


def test_checkpoints_in_memory_do_not_survive(rigged: Run) -> None:
    """With another checkpointer in place the target fails: its PASS is the checkpointer's doing."""
    assert rigged.verdicts("saved-in-memory") == ("FAIL", "FAIL")
    result = rigged.one("saved-in-memory", "before-effect")
    assert result["outcome"] == "crashed"
    # Under sync the docs promise a save, so the note about async must not excuse this.
    assert "documented" not in result["detail"]


def test_slow_saves_lose_the_run_and_the_script_counts_it(langgraph: Environment) -> None:
    """Saves 0.2 s late under async: FAIL every time; with the tool waiting for them, PASS."""
    counts = {}
    for save in ("", "first"):
        printed = langgraph.script(
            CHECKOUT / "tests" / "measure_langgraph_rig.py",
            *("no-key", "async", "3", "--save-delay", "0.2"),
            *(("--save", save) if save else ()),
        )
        counts[save] = re.findall(r"(\S+-effect) +PASS (\d) +FAIL (\d)", printed)
    assert counts == {
        "": [("before-effect", "0", "3"), ("after-effect", "0", "3")],
        "first": [("before-effect", "3", "0"), ("after-effect", "0", "3")],
    }


def test_the_shipped_target_under_sync(shipped: Run) -> None:
    """Four lines that depend on nothing but the release, as they are printed."""
    lines = [line for line in shipped.lines if "1.2.11 durability=sync" in line]
    once = "the provider saw exactly 1 charge_card effect"
    twice = (
        "effect duplicated: the provider saw 2 charge_card effects after resume (expected 1) "
        f"{IDEMPOTENCY}"
    )
    sync, keyed = "langgraph 1.2.11 durability=sync", "durability=sync key=tool-call-id"
    assert [re.split(r" {2,}", line) for line in lines] == [
        ["PASS", "kill-mid-tool", "before-effect", sync, once],
        ["FAIL", "kill-mid-tool", "after-effect", sync, twice],
        ["PASS", "kill-mid-tool", "before-effect", f"langgraph 1.2.11 {keyed}", once],
        ["PASS", "kill-mid-tool", "after-effect", f"langgraph 1.2.11 {keyed}", once],
    ]


def test_the_shipped_target_under_async(shipped: Run) -> None:
    """Without a key the charge is doubled or the run is lost: which of them, timing decides."""
    result = shipped.one("async+no-key", "after-effect")
    assert result["verdict"] == "FAIL"
    assert result["detail"].endswith((IDEMPOTENCY, f" {CHECKPOINTERS})"))
    assert result["target"] == "langgraph 1.2.11 durability=async (default)"
    assert all(
        result["timing_dependent"] == (name in BY_CHANCE)
        for (name, _), results in shipped.results.items()
        for result in results
    )


def test_no_shipped_result_is_an_error(shipped: Run) -> None:
    """Every fault point of every variant was reached."""
    assert len(shipped.results) == 14
    assert shipped.returncode == 0
    assert shipped.cell["version"] == "1.2.11"


def test_the_stored_history_is_whole(shipped: Run) -> None:
    """After resume, inspect finds one question, one call, its answer and the end of the run."""
    reported = shipped.one("sync+no-key", "after-effect")["evidence"]["reported"]
    assert [entry["kind"] for entry in reported["history"]] == ["user", "call", "answer", "message"]
    assert reported["history"][1]["id"] == reported["history"][2]["id"]
    assert reported["finished"] is True


def test_the_framework_is_imported_once(shipped: Run) -> None:
    """The modules to preload start no thread, so runs are forks of a warm process."""
    if shipped.cell["platform"].startswith("Linux"):
        assert shipped.cell["launcher"] == "fork"


def test_no_connection_and_no_key(langgraph: Environment, tmp_path: Path) -> None:
    """No process of a run uses the network, and the user's keys do not reach it."""
    run, seen = watch(langgraph, "langgraph", "kill-mid-tool", tmp_path, PLUGPULL_DURABILITY="sync")
    assert run.verdicts("watched") == ("PASS", "FAIL")
    assert seen == NOTHING


def made_up(evidence: dict[str, object]) -> Result:
    """A failed result with hand-made evidence."""
    return Result(
        scenario="kill-mid-tool",
        target="langgraph",
        kill_point="before-effect",
        judgement=Judgement(FAIL, "crashed", "run could not be resumed after the kill"),
        evidence=evidence,
    )


CRASHED = "Traceback ...\nlanggraph.errors.EmptyInputError: Received no input for __start__"


@pytest.mark.parametrize(
    ("evidence", "durability", "noted"),
    [
        ({"resume_returncode": 1, "stderr": CRASHED}, "async", True),
        ({"resume_returncode": 1, "stderr": CRASHED}, "sync", False),
        ({"resume_returncode": 1, "stderr": "ValueError: something else"}, "async", False),
        ({"resume_returncode": 0, "stderr": CRASHED}, "async", False),
        ({"resume_returncode": None, "stderr": CRASHED}, "async", False),
        ({"stderr": CRASHED}, "async", False),
    ],
)
def test_when_the_note_about_saving_applies(
    evidence: dict[str, object], durability: str, noted: bool
) -> None:
    """Only for a crash with that very error, and only where the docs name the risk: async."""
    notes = read_manifest(TARGETS / "langgraph").notes
    detail = annotate(made_up(evidence), notes, {"PLUGPULL_DURABILITY": durability}).detail
    assert (CHECKPOINTERS in detail) is noted


def test_the_shipped_target_does_not_wait() -> None:
    """The program is what a user would write: nothing in it waits for a save."""
    source = (TARGETS / "langgraph" / "agent.py").read_text(encoding="utf-8")
    imported = {
        alias.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert imported.isdisjoint({"time", "threading"})
