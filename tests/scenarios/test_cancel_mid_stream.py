"""cancel-mid-stream: what each way of losing a client comes to, and every cause of ERROR."""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_off import HANGS_AFTER, results, talk, the_error, words
from plugpull.lab import Lab
from plugpull.scenarios import cancel_mid_stream
from plugpull.scenarios.cancel_mid_stream import CancelMidStream
from plugpull.verdicts import Result

POINTS = ["first-answer", "in-tool", "in-tool-recorded", "last-answer"]

IN_TOOL_ALONE = frozenset(("cancel-mid-stream", point) for point in POINTS if point != "in-tool")

#: In the first answer, in the tool before and after the effect, and in the last answer.
COMES_TO = {
    "keeps-it": ("PASS held",) * 4,
    "drops-turn": ("FAIL state lost",) * 4,
    "drops-call": ("PASS held", *("FAIL state lost",) * 3),
    "charges-again": ("PASS held",) * 4,
    "charges-again+keyless": ("PASS held", *("FAIL duplicated",) * 3),
    "charges-twice": ("FAIL duplicated",) * 4,
    "says-nothing": ("FAIL lost",) * 4,
    "apologizes": ("FAIL unexpected",) * 4,
    "repeats-user": ("FAIL duplicated",) * 4,
    "leaves-open+sends-open": ("PASS held", "FAIL crashed", "FAIL crashed", "PASS held"),
    "leaves-open+trusts": ("PASS held", "FAIL unpaired", "FAIL unpaired", "PASS held"),
}


def run(lab: Lab, flags: str, folder: Path, **fields: object) -> list[Result]:
    """One result for each fault point: the client goes away in one way only."""
    return results(lab, CancelMidStream(), talk(flags, folder, **fields), one_detail=True)


def run_all(lab: Lab, flags: str, folder: Path) -> dict[tuple[str, str | None], Result]:
    """Every way of going away, by fault point and detail."""
    found = results(lab, CancelMidStream(), talk(flags, folder))
    return {(one.kill_point, one.point_detail): one for one in found}


@pytest.mark.parametrize("flags", COMES_TO)
def test_what_each_way_of_going_on_comes_to(lab: Lab, tmp_path: Path, flags: str) -> None:
    """Nothing doubled; what the user said and what happened is known to the next turn."""
    found = run(lab, flags, tmp_path)
    assert [one.kill_point for one in found] == POINTS
    assert words(found) == list(COMES_TO[flags]), [one.detail for one in found]


SAID = {
    ("first-answer", "close"): "the stream is closed",
    ("first-answer", "cancel"): "the client said cancel",
    ("first-answer", "disconnect"): "the connection is lost",
    ("in-tool", "cancel"): "the client said cancel",
    ("in-tool", "close"): "the client said close",
    ("in-tool-recorded", "close"): "the client said close",
    ("in-tool-recorded", "cancel"): "the client said cancel",
    ("in-tool-recorded", "disconnect"): "the connection is lost",
    ("last-answer", "disconnect"): "the connection is lost",
    ("last-answer", "close"): "the stream is closed",
    ("last-answer", "cancel"): "the client said cancel",
}


def test_each_detail_goes_away_in_its_own_way(lab: Lab, tmp_path: Path) -> None:
    """And at its own place: so much text had been sent, so many effects had happened."""
    found = run_all(lab, "keeps-it", tmp_path)
    assert {place: one.evidence.get("stderr", "").strip() for place, one in found.items()} == SAID
    assert set(words(list(found.values()))) == {"PASS held"}
    for (point, detail), result in found.items():
        faults = result.evidence["faults"]
        sent = [one["point"] for one in faults if one["point"].startswith("chunk:")]
        first, last = ["chunk:first-answer"], ["chunk:last-answer"]
        assert (
            sent
            == {
                "first-answer": first * 2,
                "in-tool": first * 3,
                "in-tool-recorded": first * 3 + last * (detail == "disconnect"),
                "last-answer": first * 3 + last * 2,
            }[point]
        )
        charged = {} if point == "first-answer" else {"charge_card": 1}
        assert result.evidence["effects"] == {**charged, "next_turn": 1}
        fault = result.evidence["fault"]
        assert fault["caller_group"] == fault["agent_pid"]
        assert (result.evidence["start_returncode"], fault["caller_pid"]) == (0, faults[0]["pid"])


def test_a_held_call_is_answered_late(lab: Lab, tmp_path: Path) -> None:
    """Before the effect it is recorded first: the provider is slow and not broken."""
    before, after = run(lab, "keeps-it", tmp_path)[1:3]
    for result in (before, after):
        started = [one for one in result.evidence["calls"] if one["phase"] == "start"]
        assert [(one["effect"], one["recorded"]) for one in started] == [("charge_card", True)]


def test_the_call_of_what_happened_is_looked_for(lab: Lab, tmp_path: Path) -> None:
    """The user's card was charged, and the next turn's model would not know."""
    last = run(lab, "drops-call", tmp_path)[3]
    assert last.detail == (
        "disconnect: state lost: charge_card happened, and the history after the next turn has no "
        "call of it"
    )


def test_a_stream_that_hangs_without_its_client_is_a_fail(
    impatient_lab: Lab, tmp_path: Path
) -> None:
    """And there is no next turn."""
    lacking = frozenset(("cancel-mid-stream", point) for point in POINTS[1:])
    (result,) = run(impatient_lab, "hangs-off", tmp_path, lacking=lacking)
    assert words([result]) == ["FAIL hung"]
    assert result.detail.endswith(f"still running after {HANGS_AFTER:g} s")
    assert "next_turn_returncode" not in result.evidence


def test_more_text_for_nobody_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """Who ignores its client was not cut off, so nothing was learned."""
    for place, result in run_all(lab, "ignores-its-client", tmp_path).items():
        assert words([result]) == ["ERROR"], place
        assert "pieces of text were sent to a client that was there for" in result.detail
        assert "next_turn_returncode" not in result.evidence


def test_a_watcher_that_hears_nothing_is_an_error(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody was told that the client has gone."""
    monkeypatch.setattr(cancel_mid_stream, "_COMES_WITHIN", 0.2)
    (result,) = run(lab, "deaf", tmp_path, lacking=IN_TOOL_ALONE)
    assert words([result]) == ["ERROR"]
    assert result.detail == "cancel: whoever watches the client never heard of it"


ERRORS = {
    "one-piece": "did not come to the fault point chunk:first-answer nor to chunk:last-answer",
    "never-calls": "its tool never called the provider",
    "never-goes-on": "without a fault the next turn ended with 3",
    "starts-unpaired+trusts": "the history without a fault is broken",
}


@pytest.mark.parametrize("flags", ERRORS)
def test_what_cannot_be_judged(lab: Lab, tmp_path: Path, flags: str) -> None:
    """Too little text, or turns that do not work without a fault."""
    assert ERRORS[flags] in the_error(run(lab, flags, tmp_path))


def test_an_agent_that_ends_before_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """Each fault point says where it never came."""
    first, before, after, last = run(lab, "next-start-gives-up", tmp_path)
    assert first.detail == (
        "close: the agent exited (status 1) before it came to the fault point chunk:first-answer "
        "2 times"
    )
    sentence = "the agent exited (status 1) before its tool called the provider"
    assert (before.detail, after.detail) == (f"cancel: {sentence}", f"close: {sentence}")
    assert last.detail.startswith("disconnect: the agent exited (status 1) before it came to")


def test_a_call_from_outside_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """Whoever stands there is not who has the client."""
    (result,) = run(lab, "next-start-calls-from-outside", tmp_path, lacking=IN_TOOL_ALONE)
    assert words([result]) == ["ERROR"]
    assert "not land where it was meant to: the call came from pid" in result.detail


def test_a_client_that_nobody_watches_is_an_error(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not be told that the client has gone."""
    monkeypatch.setattr(cancel_mid_stream, "_COMES_WITHIN", 0.2)
    (result,) = run(lab, "no-watcher", tmp_path, lacking=IN_TOOL_ALONE)
    assert words([result]) == ["ERROR"]
    assert result.detail == (
        "cancel: the agent never came to the fault point client: nobody watches it"
    )
