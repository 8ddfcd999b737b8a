"""The OpenAI Agents SDK target on the real SDK: which Session writes it survives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from frameworks import Environment, Environments, Run, watch
from plugpull.manifest import read_manifest
from plugpull.notes import annotate
from plugpull.store import canonical
from plugpull.verdicts import FAIL, Judgement, Result
from rigged_target import TARGETS

NOTE = (
    "(reported as openai/openai-agents-python#4775; the docs promise the opposite: "
    '"the SDK preserves one durable InputItem occurrence", '
    "https://openai.github.io/openai-agents-python/results/)"
)


@pytest.fixture(scope="module")
def sdk(environments: Environments) -> Environment:
    """openai-agents 0.22.2."""
    return environments["openai-agents-0.22.2"]


@pytest.fixture(scope="module")
def shipped(sdk: Environment) -> Run:
    """The shipped target, losing the write with the staged input."""
    return sdk.plugpull(
        *("--target", "openai-agents", "--targets", TARGETS, "--scenario", "lost-session-write"),
        *("--variant", "no-key", "--variant", "tool-call-id"),
    )


@pytest.fixture(scope="module")
def every_write(sdk: Environment) -> Run:
    """The shipped target, losing each write in turn."""
    return sdk.plugpull(
        *("--target", "openai-agents", "--targets", TARGETS),
        *("--scenario", "lost-session-write", "--variant", "no-key", "--writes", "all"),
    )


def test_the_shipped_target_as_it_is_printed(shipped: Run) -> None:
    """A lost write is made again; one that was kept is made again too, against the docs."""
    whole = "write 4: all 5 Session items stored exactly once"
    double = (
        "write 4: the staged input duplicated: stored 2 times after resume (expected 1) " + NOTE
    )
    plain, keyed = "openai-agents 0.22.2", "openai-agents 0.22.2 key=tool-call-id"
    assert [re.split(r" {2,}", line) for line in shipped.lines] == [
        ["PASS", "lost-session-write", "write-lost", plain, whole],
        ["FAIL", "lost-session-write", "ack-lost", plain, double],
        ["PASS", "lost-session-write", "outage", plain, whole],
        ["PASS", "lost-session-write", "write-lost", keyed, whole],
        ["FAIL", "lost-session-write", "ack-lost", keyed, double],
        ["PASS", "lost-session-write", "outage", keyed, whole],
    ]
    assert shipped.returncode == 0


def test_the_staged_input_is_in_one_write(shipped: Run) -> None:
    """Five writes: question, call, output, staged input, answer. Start fails at the fourth."""
    evidence = shipped.one("no-key", "write-lost")["evidence"]
    assert evidence["staged_writes"] == [4]
    assert evidence["lost_write"] == 4
    assert evidence["start_code"] == 1
    assert evidence["resume_returncode"] == 0
    assert "the call was closed without an answer" in evidence["start_stderr"]


def test_the_stored_history_is_whole(shipped: Run) -> None:
    """After a lost write, inspect finds every item once, and the call with its answer."""
    reported = shipped.one("no-key", "write-lost")["evidence"]["reported"]
    kinds = [entry["kind"] for entry in reported["history"]]
    assert kinds == ["user", "call", "answer", "user", "message"]
    assert reported["history"][1]["id"] == reported["history"][2]["id"]
    assert reported["finished"] is True


def test_every_write_can_be_lost(every_write: Run) -> None:
    """All five writes at each fault point give a verdict; the last one cannot be made up for."""
    assert [len(results) for results in every_write.results.values()] == [5, 5, 5]
    assert "ERROR" not in every_write.verdicts("no-key")
    final = every_write.results["no-key", "write-lost"][4]
    assert (final["verdict"], final["outcome"]) == ("FAIL", "refused")


def test_the_framework_is_imported_once(shipped: Run) -> None:
    """The modules to preload start no thread, so runs are forks of a warm process."""
    if shipped.cell["platform"].startswith("Linux"):
        assert shipped.cell["launcher"] == "fork"


def test_no_connection_and_no_key(sdk: Environment, tmp_path: Path) -> None:
    """No process of a run uses the network, and the user's keys do not reach it."""
    run, seen = watch(sdk, "openai-agents", "lost-session-write", tmp_path)
    assert run.verdicts("watched") == ("PASS", "FAIL", "PASS")
    assert set(seen.pop("process")) == {""}
    assert seen == {"network": [], "secret": []}


ITEM = {"content": "STAGED", "role": "user"}


def made_up(point: str, returncode: int | None, stored: int) -> Result:
    """A failed result with hand-made evidence."""
    return Result(
        scenario="lost-session-write",
        target="openai-agents",
        kill_point=point,
        judgement=Judgement(FAIL, "duplicated", "write 4: whatever it says"),
        evidence={
            "staged_writes": [4],
            "lost_write": 4,
            "writes": [{"phase": "start", "number": 4, "items": [ITEM]}],
            "items": {canonical(ITEM): stored},
            "resume_returncode": returncode,
        },
    )


@pytest.mark.parametrize(
    ("point", "returncode", "stored", "noted"),
    [
        ("ack-lost", 0, 2, True),
        ("ack-lost", 0, 3, True),
        ("ack-lost", 0, 1, False),
        ("ack-lost", 0, 0, False),
        ("ack-lost", 1, 2, False),
        ("ack-lost", None, 2, False),
        ("write-lost", 0, 2, False),
    ],
)
def test_when_the_note_about_the_report_applies(
    point: str, returncode: int | None, stored: int, noted: bool
) -> None:
    """Only where the report is about: the answer was lost, the run went on, the item is doubled."""
    notes = read_manifest(TARGETS / "openai-agents").notes
    detail = annotate(made_up(point, returncode, stored), notes, {}).detail
    assert detail == "write 4: whatever it says" + (f" {NOTE}" if noted else "")
