"""kill-mid-tool: what each kind of tool comes to, and every cause of FAIL and of ERROR."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from plugpull.lab import Lab
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from support import HANGS_AFTER, kill_at, run_agent, tool
from support import agent as command

KILL = {"agent_pid", "caller_pid", "caller_group", "agent_status", "closed_after"}


# -- verdicts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        ("no-key", "PASS held", "FAIL duplicated"),
        ("stable-key", "PASS held", "PASS held"),
        ("fresh-key", "PASS held", "FAIL duplicated"),
        ("ledger-first", "FAIL lost", "PASS held"),
        ("two-names-one-key", "PASS held", "PASS held"),
        ("drops-the-email", "FAIL lost", "FAIL lost"),
    ],
)
def test_what_each_kind_of_tool_gets(
    verdicts: Callable[[str], list[str]], kind: str, before: str, after: str
) -> None:
    """P12, P17, P19: two results, before first; the four kinds of tool; keys under two names."""
    assert verdicts(tool(kind)) == [before, after]


def test_before_the_effect_nothing_is_recorded_and_after_it_one(lab: Lab) -> None:
    """P15, P16, P50: the held call stands in the evidence as not recorded, or as recorded."""
    before, after = run_agent(lab, tool("no-key")).results
    assert [one["recorded"] for one in before.evidence["calls"]] == [False, True, True]
    assert [one["recorded"] for one in after.evidence["calls"]] == [True, True, True]
    assert before.evidence["effects"] == {"charge_card": 1, "finish_order": 1}
    assert after.evidence["effects"] == {"charge_card": 2, "finish_order": 1}
    for result in (before, after):
        phases = [one["phase"] for one in result.evidence["calls"]]
        assert phases == ["start", "resume", "resume"]
        assert set(result.evidence["kill"]) == KILL
        assert result.evidence["resume_returncode"] == 0
        assert "stderr" not in result.evidence
        assert "left_group" not in result.evidence
        assert result.evidence["limit"] >= 60
        assert result.evidence["unfaulted"]["effects"] == {"charge_card": 1, "finish_order": 1}
        assert result.runs == {result.verdict: 1}
    assert before.detail == "the provider saw exactly 1 charge_card effect"
    assert after.detail == (
        "effect duplicated: the provider saw 2 charge_card effects after resume (expected 1)"
    )


def test_the_effect_that_is_wrong_is_named(lab: Lab) -> None:
    """P18: of two names only the second is doubled, and the sentence says which."""
    result = kill_at(lab, command(tool("doubles-the-second")), BEFORE_EFFECT)
    assert (result.verdict, result.outcome) == ("FAIL", "duplicated")
    assert "2 email effects" in result.detail


def test_a_resume_that_does_nothing_loses_the_last_effect(lab: Lab) -> None:
    """Rule 1: exit status 0 is no proof; at after-effect the charge is there and the end is not."""
    before, after = run_agent(lab, tool("resume-does-nothing")).results
    assert (before.verdict, before.outcome) == ("FAIL", "lost")
    assert (after.verdict, after.outcome) == ("FAIL", "lost")
    assert after.evidence["resume_returncode"] == 0
    assert after.detail == (
        "effect lost: the provider saw 0 finish_order effects after resume (expected 1)"
    )


def test_an_effect_that_the_run_never_had_is_a_fail(lab: Lab) -> None:
    """Rule 1: the unfaulted run is the expectation, for what is too much as well."""
    result = kill_at(lab, command(tool("resume-has-another-effect")), AFTER_EFFECT)
    assert (result.verdict, result.outcome) == ("FAIL", "unexpected")
    assert "send_apology" in result.detail


def test_a_resume_that_crashes_is_a_fail(lab: Lab) -> None:
    """P31: with its exit status and the end of its standard error."""
    result = kill_at(lab, command(tool("resume-crashes")), BEFORE_EFFECT)
    assert (result.verdict, result.outcome) == ("FAIL", "crashed")
    assert result.detail == "run could not be resumed after the kill"
    assert result.evidence["resume_returncode"] == 7
    assert result.evidence["stderr"] == "NOISE\n"


def test_a_resume_that_hangs_is_a_fail(impatient_lab: Lab) -> None:
    """P31, P54: no exit status, and what it had said before the limit."""
    result = kill_at(impatient_lab, command(tool("resume-hangs")), BEFORE_EFFECT)
    assert (result.verdict, result.outcome) == ("FAIL", "hung")
    assert result.detail == f"resume hung: still running after {HANGS_AFTER:g} s"
    assert result.evidence["resume_returncode"] is None
    assert result.evidence["stderr"] == "HALF\n"
    assert result.evidence["limit"] == HANGS_AFTER


@pytest.mark.parametrize(
    ("kind", "pattern", "outcome"),
    [
        ("resume-refuses", "^RefusedError", "refused"),
        ("resume-refuses", "^OtherError", "crashed"),
        ("resume-charges-and-refuses", "^RefusedError", "crashed"),
        ("resume-crashes", "^RefusedError", "crashed"),
    ],
)
def test_a_refusal_is_declared_and_has_no_effect(
    lab: Lab, kind: str, pattern: str, outcome: str
) -> None:
    """Rule 4: FAIL here, shown as what it is; a resume that did something did not refuse."""
    subject = command(tool(kind), refusals=(re.compile(pattern),))
    result = kill_at(lab, subject, AFTER_EFFECT)
    assert (result.verdict, result.outcome) == ("FAIL", outcome)
    if outcome == "refused":
        assert result.detail.endswith("refused after the kill: RefusedError: this run is over")


# -- what cannot be judged -------------------------------------------------------------------------


def errors(lab: Lab, kind: str, *more: object) -> str:
    """The detail of an agent that gives an ERROR at both points, for the same reason."""
    results = run_agent(lab, tool(kind, *more)).results
    assert [(one.verdict, one.outcome) for one in results] == [("ERROR", None)] * 2
    assert [one.kill_point for one in results] == [BEFORE_EFFECT, AFTER_EFFECT]
    assert results[0].detail == results[1].detail
    for result in results:
        assert not {"kill", "resume_returncode"} & set(result.evidence)
    return results[0].detail


def test_an_agent_that_exits_before_its_call_is_an_error(lab: Lab) -> None:
    """P32a, P49: nothing that was not measured is in the evidence."""
    assert errors(lab, "exits-early") == (
        "the run without a fault failed: start exited 3 before its tool called the provider"
    )
    (result, _) = run_agent(lab, tool("exits-early")).results
    assert result.evidence["stderr"] == "NOISE\n"
    assert result.evidence["stage"] == "unfaulted"


def test_a_faulted_start_that_exits_before_its_call_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """P32a: also when the run without a fault was good."""
    results = run_agent(lab, tool("next-start-exits", tmp_path / "count")).results
    for result in results:
        assert result.verdict == "ERROR"
        assert result.detail == "the agent exited (status 4) before its tool called the provider"
        assert not {"kill", "resume_returncode"} & set(result.evidence)
        assert result.evidence["stderr"] == "NOISE\n"
        assert result.evidence["effects"] == {}


def test_an_agent_that_never_calls_is_an_error(lab: Lab) -> None:
    """P84: it ends well and its tool reported nothing; the sentence says what to do."""
    assert "record_effect" in errors(lab, "never-calls")


def test_an_agent_that_hangs_is_an_error(impatient_lab: Lab) -> None:
    """P32b, P84: no call before the limit."""
    detail = errors(impatient_lab, "hangs-without-a-call")
    assert detail == (
        f"the run without a fault did not end within {HANGS_AFTER:g} s, "
        "and its tool never called the provider"
    )


def test_a_faulted_start_that_hangs_is_an_error(impatient_lab: Lab, tmp_path: Path) -> None:
    """P32b, P54: with what it had said."""
    result = kill_at(
        impatient_lab, command(tool("next-start-hangs", tmp_path / "count")), AFTER_EFFECT
    )
    assert result.verdict == "ERROR"
    assert result.detail == f"the tool did not call the provider within {HANGS_AFTER:g} s"
    assert result.evidence["stderr"] == "HALF\n"


def test_two_effects_under_one_name_cannot_be_judged(lab: Lab) -> None:
    """X10: a run that charges two orders under one name is told to use one name per order."""
    detail = errors(lab, "two-orders-under-one-name")
    assert "2 charge_card effects" in detail
    assert "one name per order" in detail


def test_a_call_that_is_not_of_the_protocol_is_an_error(lab: Lab) -> None:
    """An agent in another language hears what was expected, and so does its author."""
    assert errors(lab, "malformed-call").startswith(
        "the provider refused a call: expected one line"
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [("/no/such/program", "No such file or directory"), (__file__, "Permission denied")],
)
def test_a_command_that_cannot_be_started_is_an_error(lab: Lab, words: str, reason: str) -> None:
    """P32e, P84: not found, not executable."""
    for result in run_agent(lab, words).results:
        assert result.verdict == "ERROR"
        assert result.detail == f"the agent could not be started: {words}: {reason}"
        assert "kill" not in result.evidence


def test_a_resume_that_cannot_be_started_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """P32e: the command vanishes between start and resume."""
    script = tmp_path / "agent"
    script.write_text(
        f"#!/bin/sh\n[ -e {tmp_path}/started ] && rm {script}\n"
        f'touch {tmp_path}/started\nexec {tool("no-key")} "$1"\n'
    )
    script.chmod(0o755)
    result = kill_at(lab, command(str(script)), BEFORE_EFFECT)
    assert result.verdict == "ERROR"
    assert result.detail == (f"resume could not be started: {script}: No such file or directory")
    assert "kill" in result.evidence
    assert "resume_returncode" not in result.evidence


# -- what an agent does to its surroundings --------------------------------------------------------


def test_an_agent_may_delete_its_folder(verdicts: Callable[[str], list[str]]) -> None:
    """P81: nothing of ours lies there, so the verdicts are unchanged."""
    assert verdicts(tool("deletes-its-folder")) == ["PASS held", "FAIL duplicated"]


@pytest.mark.parametrize("kind", ["puts-a-file-there", "deletes-what-is-ours"])
def test_an_agent_that_destroys_more_is_an_error(lab: Lab, kind: str) -> None:
    """Whatever it does to the folders of a run, the run ends in a result and no traceback."""
    for result in run_agent(lab, tool(kind)).results:
        assert result.verdict == "ERROR"
        assert "resume could not be started" in result.detail


def test_children_in_the_group_have_not_left_it(lab: Lab) -> None:
    """They are killed with their group, and no evidence says that they were elsewhere."""
    for result in run_agent(lab, tool("children-in-the-group")).results:
        assert "left_group" not in result.evidence


def test_a_long_standard_error_is_cut_in_the_evidence(lab: Lab) -> None:
    """P53: the last lines, marked at the front."""
    stderr = kill_at(lab, command(tool("ten-thousand-lines")), BEFORE_EFFECT).evidence["stderr"]
    assert stderr.startswith("...(truncated)\nline 9940\n")
    assert stderr.endswith("line 9999\n")
