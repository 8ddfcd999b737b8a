"""The LangGraph target in the scenarios beyond a kill in a tool: anchors from public reports."""

from __future__ import annotations

import json
import re
import shlex
import sys
from typing import Any

import pytest
from frameworks import CHECKOUT, Environment, Environments, Run
from plugpull.manifest import read_manifest
from rigged_target import TARGETS

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

TARGET = TARGETS / "langgraph"

#: The two ways in which an approved run is asked here, one for each API.
APPROVING = ("sync+no-key+send+by-id", "functional+no-key+in-order")

ASK_TWICE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from langchain_core.messages import HumanMessage
from model import ShopModel
model = ShopModel(offered=("charge_card",))
said = [model.invoke([HumanMessage("Charge my card.")]) for _ in range(2)]
print(json.dumps([[one.content, one.tool_calls] for one in said]))
"""

STREAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from langchain_core.messages import HumanMessage
from model import ShopModel
model = ShopModel(offered=("charge_card",))
pieces = list(model.stream([HumanMessage("Charge my card.")]))
whole = pieces[0]
for piece in pieces[1:]:
    whole += piece
print(json.dumps([sum(bool(one.content) for one in pieces), whole.tool_calls]))
"""

REFUSED = """
import sys
sys.path.insert(0, sys.argv[1])
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from model import ShopModel
call = AIMessage("", tool_calls=[{"name": "charge_card", "args": {"payment": 0}, "id": "call_1"}])
answer = ToolMessage("charged", tool_call_id="call_1")
user = HumanMessage("Charge my card.")
for said in ([user, call, user], [user, call], [user, answer], [user, call, answer, answer],
             [user, call, user, answer]):
    try:
        ShopModel().invoke(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
ShopModel().invoke([user, call, answer])
print("refused")
"""


Verdicts = dict[tuple[str, str, str | None], str]


@pytest.fixture(scope="module")
def older(environments: Environments) -> Environment:
    """LangGraph 1.2.11."""
    return environments["langgraph-1.2.11"]


@pytest.fixture(scope="module")
def before(older: Environment) -> Run:
    """What 1.2.11 comes to."""
    return ask(
        older,
        ("resume-after-approval", "graceful-stop"),
        (*APPROVING, "sync+no-key", "exit+no-key", "functional+no-key"),
        ("after-step", "nested-after-step", "after-effect"),
    )


@pytest.fixture(scope="module")
def now(environments: Environments) -> Run:
    """What 1.2.24 comes to."""
    variants = (
        *("sync+no-key", "sync+no-key+send+by-id", "sync+strict"),
        *("sync+tool-call-id", "sync+tool-call-id+answer-calls"),
        *("sync+no-key+tool-retry", "sync+tool-call-id+tool-retry"),
        "sync+tool-call-id+errors-to-model",
        *("functional+no-key", "functional+no-key+in-order"),
    )
    points = (
        *("after-step", "nested-after-step"),
        *("writes-late/save:2", "save-late/save:2", "writes-late/save:-1"),
        *("checkpoints", "classes", "ack-lost"),
    )
    scenarios = (
        *("resume-after-approval", "kill-at-save", "store-roundtrip"),
        *("restart-next-turn", "provider-ack-lost"),
    )
    return ask(environments["langgraph-1.2.24"], scenarios, variants, (*points, "after-effect"))


def ask(
    environment: Environment,
    scenarios: tuple[str, ...],
    variants: tuple[str, ...],
    points: tuple[str, ...],
) -> Run:
    """Run some scenarios on some variants, at some fault points, each once."""
    asked = {"--scenario": scenarios, "--variant": variants, "--fault-point": points}
    chosen = [word for option, names in asked.items() for name in names for word in (option, name)]
    run = environment.plugpull(
        *("--target", "langgraph", "--targets", TARGETS, "--timing-repeat", "1", *chosen)
    )
    assert run.returncode == 0, run.lines
    return run


def verdicts(run: Run, scenario: str) -> Verdicts:
    """Verdict and outcome by variant, fault point and detail."""
    return {
        (variant, point, one["point_detail"]): f"{one['verdict']} {one['outcome']}"
        for (variant, point), results in run.results.items()
        for one in results
        if one["scenario"] == scenario
    }


def by_variant(run: Run, scenario: str) -> dict[str, str]:
    """The same where each variant has one result."""
    return {variant: word for (variant, _, _), word in verdicts(run, scenario).items()}


def said(environment: Environment, program: str) -> Any:
    """What a line of Python with the target's modules prints."""
    return json.loads(environment.says(program, str(TARGET)))


def test_the_model_never_says_the_same_twice(older: Environment) -> None:
    """Each call has a new id, new arguments and new wording, as a real model's would."""
    (first, (one,)), (second, (other,)) = said(older, ASK_TWICE)
    assert first != second
    assert one["id"] != other["id"]
    assert one["args"] != other["args"]
    assert (one["name"], one["args"]["amount"]) == (other["name"], other["args"]["amount"])


def test_the_model_streams_its_text_in_pieces(older: Environment) -> None:
    """At least two pieces come before the call, and the call is whole."""
    pieces, (call,) = said(older, STREAM)
    assert pieces >= 2
    assert call["args"]["payment"] == 0


def test_the_model_refuses_what_providers_refuse(older: Environment) -> None:
    """A call without its answer, an answer without its call, and either in the wrong place."""
    assert older.says(REFUSED, str(TARGET)) == "refused"


def test_a_finished_task_of_a_nested_graph(before: Run, now: Run) -> None:
    """langgraph#6050: it runs again up to 1.2.15, and only where graphs are nested."""
    for variant in APPROVING:
        for run, nested in ((before, "FAIL duplicated"), (now, "PASS held")):
            found = verdicts(run, "resume-after-approval")
            assert found[variant, "after-step", None] == "PASS held"
            assert found[variant, "nested-after-step", None] == nested


def test_the_order_of_writes_decides(now: Run) -> None:
    """langgraph#8039: the tool's own writes late, and its effect is there twice."""
    found = verdicts(now, "kill-at-save")
    assert found["sync+no-key", "writes-late", "save:2"] == "FAIL duplicated"
    assert found["sync+no-key", "save-late", "save:2"] == "PASS held"
    (late,) = (
        one for one in now.results["sync+no-key", "writes-late"] if one["point_detail"] == "save:2"
    )
    assert "issues/8039" in late["detail"]


def test_a_workflow_works_before_anything_is_saved(now: Run) -> None:
    """Killed at its first save the workflow is gone with its effect; the graph has done nothing."""
    found = verdicts(now, "kill-at-save")
    assert found["sync+no-key", "writes-late", "save:-1"] == "PASS held"
    assert found["functional+no-key+in-order", "writes-late", "save:-1"] == "FAIL crashed"
    effects = now.one("functional+no-key+in-order", "writes-late")["evidence"]["effects"]
    assert effects["charge_card"] == 1


def test_a_tuple_comes_back_as_a_list(now: Run) -> None:
    """Every checkpoint is there, and every class but the one with a tuple in it."""
    found = verdicts(now, "store-roundtrip")
    kept = {
        None: "PASS held",
        "dataclass": "FAIL diverged",
        "model": "PASS held",
        "enum": "PASS held",
        "bytes": "PASS held",
        "datetime": "PASS held",
    }
    strict = {**kept, "model": "FAIL diverged", "enum": "FAIL diverged"}
    for variant, expected in {
        "sync+no-key": kept,
        "functional+no-key+in-order": kept,
        "sync+strict": strict,
    }.items():
        assert {one[2]: word for one, word in found.items() if one[0] == variant} == expected


def test_a_new_message_after_a_crash(now: Run) -> None:
    """The graph minds the open call, the workflow forgets its turn; there are ways out."""
    assert by_variant(now, "restart-next-turn") == {
        "sync+tool-call-id": "FAIL crashed",
        "sync+tool-call-id+answer-calls": "PASS held",
        "functional+no-key": "FAIL state lost",
    }


def test_a_stop_in_good_order(before: Run) -> None:
    """SIGTERM lets the tool end and saves its answer, whatever the durability, from 1.2 on."""
    assert by_variant(before, "graceful-stop") == dict.fromkeys(
        ("sync+no-key", "exit+no-key", "functional+no-key"), "PASS held"
    )


def test_what_becomes_of_a_lost_answer(now: Run) -> None:
    """A retry charges twice unless a key stands by it; an error for the model gets a new key."""
    assert by_variant(now, "provider-ack-lost") == {
        "sync+no-key": "PASS surfaced",
        "sync+no-key+tool-retry": "FAIL duplicated",
        "sync+tool-call-id+tool-retry": "PASS held",
        "sync+tool-call-id+errors-to-model": "FAIL duplicated",
        "functional+no-key+in-order": "PASS surfaced",
    }


@pytest.mark.parametrize(
    "name",
    ["nested-task", "tuple", "answer-dropped", "functional-sync", "wrong-answer", "tool-removed"],
)
def test_the_scripts_of_findings_show_what_they_say(older: Environment, name: str) -> None:
    """Without plugpull, each prints what its page quotes."""
    script = CHECKOUT / "docs" / "findings" / f"langgraph-{name}.py"
    page = script.with_suffix(".md").read_text(encoding="utf-8")
    printed = older.script(script)
    assert printed
    for line in printed.splitlines():
        assert line in page


@pytest.mark.parametrize("name", ["async-durability", "kill-at-save"])
def test_the_scripts_about_chance_run(older: Environment, name: str) -> None:
    """What they print differs from run to run, and its shape does not."""
    script = CHECKOUT / "docs" / "findings" / f"langgraph-{name}.py"
    page = re.sub(r"\d+", "N", script.with_suffix(".md").read_text(encoding="utf-8"))
    printed = re.sub(r"\d+", "N", older.script(script)).splitlines()
    assert printed
    assert any(line in page for line in printed)


def commands() -> list[tuple[str, list[str]]]:
    """The commands of the pages, each with the lines that it prints there."""
    pages = sorted((CHECKOUT / "docs" / "findings").glob("langgraph-*.md"))
    blocks = [
        block
        for page in pages
        for block in re.findall(
            r"\$ (plugpull [^\n#]*)[^\n]*\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
        )
    ]
    return [(command, shown.splitlines()) for command, shown in blocks]


@pytest.mark.parametrize(("command", "shown"), commands(), ids=lambda given: str(given)[21:70])
def test_the_commands_of_findings_print_what_they_say(
    environments: Environments, command: str, shown: list[str]
) -> None:
    """The same fault points; the same verdicts too, where neither chance nor a release plays."""
    run = environments["langgraph-1.2.24"].plugpull(
        *shlex.split(command)[1:], "--targets", TARGETS, "--repeat", "1"
    )
    printed = {tuple(line.split()[1:3]): line.split()[0] for line in run.lines}
    for line in shown:
        verdict, scenario, point = line.split()[:3]
        assert (scenario, point) in printed
        by_chance = point == "natural" or scenario == "kill-mid-tool"
        if "langgraph 1.2.24" in line and not by_chance:
            assert printed[scenario, point] == verdict


def test_each_scenario_is_asked_of_both_apis() -> None:
    """A scenario that only one of the two APIs answers would say nothing about the other."""
    manifest = read_manifest(TARGET)
    for scenario in manifest.scenarios:
        if scenario in {"changed-world", "resume-after-upgrade"}:
            continue
        apis = {
            variant.environment.get("PLUGPULL_API", "graph")
            for variant in manifest.variants_for(scenario, "1.2.24")
        }
        assert apis == {"graph", "functional"}, scenario
