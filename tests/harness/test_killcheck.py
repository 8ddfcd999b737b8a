"""The kill check: four facts of the kernel, each with an agent of its own that lacks it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from plugpull import killcheck
from plugpull.killcheck import Kill, pull_the_plug
from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import AgentProcess
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.provider_calls import HeldCall
from support import agent as command
from support import alive, eventually, kill_at, reaped, run_agent, tool


def held(trial: Trial) -> tuple[AgentProcess, HeldCall]:
    """The agent and its call, which the provider holds."""
    trial.provider.hold_next(BEFORE_EFFECT)
    process = trial.launch("start")
    call = trial.provider.wait_held(60, lambda: True)
    assert call is not None
    return process, call


def killed(lab: Lab, kind: str, until: Callable[[AgentProcess, HeldCall], bool]) -> Kill:
    """The kill of a toy, once something has become true of it."""
    with lab.trial(command(tool(kind))) as trial:
        process, call = held(trial)
        assert eventually(lambda: until(process, call))
        return pull_the_plug(process, call)


def test_a_kill_inside_the_call_is_proven(lab: Lab) -> None:
    """The evidence of a good kill is complete and holds kernel facts only."""
    kill = killed(lab, "no-key", lambda *_: True)
    assert kill.problem is None
    assert set(kill.evidence) == {
        "agent_pid",
        "caller_pid",
        "caller_group",
        "agent_status",
        "closed_after",
    }
    assert kill.evidence["caller_pid"] == kill.evidence["caller_group"]
    assert kill.evidence["agent_status"] == -signal.SIGKILL
    assert 0 <= kill.evidence["closed_after"] < killcheck.CLOSES_WITHIN


@pytest.mark.parametrize("kind", ["calls-and-exits", "calls-after-it-ended"])
def test_an_agent_that_ended_before_the_kill_proves_nothing(lab: Lab, kind: str) -> None:
    """P22: it calls from a thread and exits, or a child of its group calls after its end."""
    kill = killed(lab, kind, lambda process, _: process.poll() is not None)
    assert kill.problem == "the agent had ended (status 0) before the kill"
    assert kill.evidence["agent_status"] == 0


def test_a_call_that_was_closed_before_the_kill_proves_nothing(lab: Lab) -> None:
    """P22: the agent lives and nobody waits for the answer any more."""
    kill = killed(lab, "hangs-up", lambda _, call: not call.connection.is_open())
    assert kill.problem == "the call had been closed before the kill"


def test_an_agent_whose_child_calls_after_its_end_is_an_error(lab: Lab) -> None:
    """P22: at whichever moment the agent's end is noticed, nothing is judged."""
    report = run_agent(lab, tool("calls-after-it-ended"))
    assert [one.verdict for one in report.results] == ["ERROR", "ERROR"]


def test_a_caller_outside_the_group_is_an_error(lab: Lab) -> None:
    """P23, P36: a tool that runs in a session of its own is never judged, at either point."""
    report = run_agent(lab, tool("child-in-own-session"))
    for result in report.results:
        assert result.verdict == "ERROR"
        kill = result.evidence["kill"]
        assert f"in process group {kill['caller_pid']}, outside the agent's group" in result.detail
        assert kill["caller_group"] == kill["caller_pid"] != kill["agent_pid"]
        assert "resume_returncode" not in result.evidence
        assert [one["pid"] for one in result.evidence["left_group"]] == [kill["caller_pid"]]
        assert not alive(kill["caller_pid"])


def test_a_caller_that_has_gone_is_an_error(lab: Lab) -> None:
    """P23: no process, no process group, although its socket is still open somewhere."""
    with lab.trial(command(tool("caller-hands-over"))) as trial:
        process, call = held(trial)
        assert eventually(lambda: reaped(call.pid or 0))
        assert "had ended before the kill" in str(pull_the_plug(process, call).problem)


def test_an_agent_that_ends_itself_with_137_is_an_error(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P24: 137 is what a shell prints for SIGKILL; only the kernel's -9 counts."""
    monkeypatch.setattr(killcheck, "kill_group", lambda pid: os.killpg(pid, signal.SIGTERM))
    result = kill_at(lab, command(tool("exits-137-on-sigterm")), BEFORE_EFFECT)
    assert result.verdict == "ERROR"
    assert "ended with status 137, not by SIGKILL" in result.detail


def test_a_call_that_outlives_the_agent_is_an_error(lab: Lab) -> None:
    """P25: every other fact is right, and a process outside the group holds the call."""
    result = kill_at(lab, command(tool("child-keeps-the-call-open")), AFTER_EFFECT)
    assert result.verdict == "ERROR"
    assert "the call was still open 1 s after" in result.detail
    assert result.evidence["kill"]["agent_status"] == -signal.SIGKILL
    assert "closed_after" not in result.evidence["kill"]
    assert len(result.evidence["left_group"]) == 1


def test_a_platform_without_peer_pids_gives_errors(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P26: without the kernel's word on who called there is no verdict."""
    monkeypatch.setattr("plugpull.wire.peer_pid", lambda _: None)
    for result in run_agent(lab, tool("no-key")).results:
        assert result.verdict == "ERROR"
        assert "does not tell which process" in result.detail
        assert result.evidence["kill"]["caller_pid"] is None


def test_what_a_target_writes_proves_nothing(verdicts: Callable[[str], list[str]]) -> None:
    """P27: claims of being done, or of no effect, change nothing."""
    assert verdicts(tool("done-marker")) == verdicts(tool("no-key"))


def test_a_worker_outside_that_gives_up_is_an_error(verdicts: Callable[[str], list[str]]) -> None:
    """P27: its call closes by itself, as one does whose caller was killed."""
    assert verdicts(tool("worker-gives-up")) == ["ERROR None"] * 2


def test_the_kill_leaves_no_time_for_last_words(lab: Lab, tmp_path: Path) -> None:
    """P28: neither a SIGTERM handler nor an exit handler runs in a killed start."""
    words = tmp_path / "words"
    report = run_agent(lab, tool("last-words", words))
    assert [one.verdict for one in report.results] == ["PASS", "FAIL"]
    # The run without a fault ended by itself, the two others were killed.
    assert [path.name for path in tmp_path.iterdir() if "start" not in path.name] == ["words.1"]


def test_a_wrapper_does_not_survive_the_kill(lab: Lab) -> None:
    """P28: a shell around the agent dies with it, and so does what the shell started."""
    script = f'{tool("no-key")} "$0"; exit $?'
    report = run_agent(lab, f"sh -c '{script}'")
    assert [one.verdict for one in report.results] == ["PASS", "FAIL"]
    for result in report.results:
        kill = result.evidence["kill"]
        assert kill["caller_pid"] != kill["agent_pid"] == kill["caller_group"]
        assert not any(alive(kill[who]) for who in ("caller_pid", "agent_pid"))


def test_a_child_in_the_group_may_call(verdicts: Callable[[str], list[str]]) -> None:
    """P29: a tool in a forked child that stays in the group is judged."""
    assert verdicts(tool("forked-child")) == ["PASS held", "FAIL duplicated"]


@pytest.mark.parametrize("kind", ["sends-ahead", "half-closes"])
def test_how_a_client_uses_its_connection_changes_nothing(
    verdicts: Callable[[str], list[str]], kind: str
) -> None:
    """A second request under way, or a closed sending half, is a call that is still open."""
    if kind == "half-closes" and sys.platform != "linux":
        pytest.skip("only Linux tells a half-closed socket from a closed one")
    assert verdicts(tool(kind)) == ["PASS held", "FAIL duplicated"]
