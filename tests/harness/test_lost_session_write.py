"""lost-session-write: recoveries and what they come to, and every cause of ERROR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from plugpull.lab import Lab
from plugpull.scenarios import session_writes
from plugpull.scenarios.base import Settings
from plugpull.scenarios.lost_session_write import LostSessionWrite
from plugpull.session_store import StoreClient
from plugpull.store import ACK_LOST, OUTAGE, WRITE_LOST, Fault, SessionStore
from plugpull.subject import Subject
from plugpull.verdicts import Result
from support import HANGS_AFTER, run_all, session

SCENARIO = LostSessionWrite()


def results(lab: Lab, subject: Subject, writes: str = "staged") -> list[Result]:
    """All results of one toy."""
    return run_all(lab, SCENARIO, subject, writes)


def words(found: list[Result]) -> list[str]:
    """Fault point, verdict and outcome of each."""
    return [f"{one.kill_point} {one.verdict} {one.outcome}" for one in found]


def at(lab: Lab, subject: Subject, point: str) -> Result:
    """One fault point of the first staged write."""
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    case = next(case for case in unfaulted.cases if case.kill_point == point)
    return SCENARIO.try_case(lab, subject, unfaulted, case)


# -- verdicts --------------------------------------------------------------------------------------


def test_a_recovery_that_looks_passes_and_one_that_does_not_stores_twice(lab: Lab) -> None:
    """P55, P56, P63, P64: the two fault points differ in what the store kept."""
    looks = results(lab, session("looks-first"))
    assert words(looks) == ["write-lost PASS held", "ack-lost PASS held", "outage PASS held"]
    assert {one.detail for one in looks} == {"write 2: all 3 Session items stored exactly once"}
    lost, kept, gone = results(lab, session("writes-again"))
    assert words([lost, kept]) == ["write-lost PASS held", "ack-lost FAIL duplicated"]
    assert words([gone]) == ["outage PASS held"]
    assert kept.detail == (
        "write 2: the staged input duplicated: stored 2 times after resume (expected 1)"
    )
    assert [write["outcome"] for write in lost.evidence["writes"]] == [
        "stored",
        WRITE_LOST,
        "stored",
        "stored",
    ]
    assert [write["outcome"] for write in kept.evidence["writes"]][1] == ACK_LOST
    assert [write["outcome"] for write in gone.evidence["writes"]][1] == OUTAGE


def test_the_evidence_is_complete(lab: Lab) -> None:
    """P51, P58: the writes with what the caller said it is, and the count of each item."""
    result = at(lab, session("writes-again"), ACK_LOST)
    evidence = result.evidence
    assert evidence["staged_writes"] == [2]
    assert evidence["lost_write"] == 2
    assert evidence["start_code"] == 1
    assert "ConnectionError" in evidence["start_stderr"]
    assert evidence["resume_returncode"] == 0
    assert "stderr" not in evidence
    assert evidence["effects"] == {"finish_order": 1}
    assert [(one["phase"], one["number"]) for one in evidence["writes"]] == [
        ("start", 1),
        ("start", 2),
        ("resume", 1),
        ("resume", 2),
    ]
    assert set(evidence["writes"][0]) == {
        "phase",
        "number",
        "call",
        "session",
        "pid",
        "items",
        "outcome",
    }
    assert sorted(evidence["items"].values()) == [1, 1, 2]
    assert result.point_detail is None


def test_each_run_has_a_token_of_its_own(lab: Lab) -> None:
    """P57: nothing of an earlier run can be taken for the staged input."""
    found = results(lab, session("looks-first"))
    staged = {one.evidence["writes"][1]["items"][0]["content"] for one in found}
    assert len(staged) == 3


def test_each_staged_write_is_lost_in_turn(lab: Lab) -> None:
    """P59: two staged writes and three fault points are six results, each with a name."""
    found = results(lab, session("two-staged-writes"))
    assert (
        words(found)
        == [
            "write-lost PASS held",
            "ack-lost PASS held",
            "outage PASS held",
        ]
        * 2
    )
    assert [one.point_detail for one in found] == ["staged-input"] * 3 + ["staged-input-2"] * 3
    assert [one.detail.split(":")[0] for one in found] == ["write 1"] * 3 + ["write 3"] * 3
    assert all(one.evidence["staged_writes"] == [1, 3] for one in found)


def test_every_write_can_be_lost(lab: Lab) -> None:
    """``--writes all``: each write is named by what it holds, not by its number."""
    found = results(lab, session("looks-first"), writes="all")
    assert [one.point_detail for one in found] == [
        name for name in ("user", "staged-input", "reasoning") for _ in range(3)
    ]
    assert {one.verdict for one in found} == {"PASS"}


def test_names_of_writes_are_plain_whatever_the_items_are(lab: Lab) -> None:
    """A name stands in an id and in a file name: no slash, no control character, not endless."""
    unfaulted = SCENARIO.unfaulted(lab, session("strange-items"), Settings("all"))
    names = [case.point_detail or "" for case in unfaulted.cases[::3]]
    assert names == ["list", "a-b-c-" + "x" * 34, "item", "staged-input"]


def test_an_item_that_differs_from_run_to_run_is_no_error(lab: Lab) -> None:
    """P66: only the staged input is compared with the first run."""
    found = results(lab, session("random-item"))
    assert words(found) == ["write-lost PASS held", "ack-lost PASS held", "outage PASS held"]


def test_a_staged_input_that_resume_forgets_is_lost(lab: Lab) -> None:
    """P64: 0 times; where the store had kept it, nothing is missing."""
    lost, kept, gone = results(lab, session("resume-loses-it"))
    assert words([lost, kept]) == ["write-lost FAIL lost", "ack-lost PASS held"]
    assert words([gone]) == ["outage FAIL lost"]
    assert lost.detail == (
        "write 1: the staged input lost: stored 0 times after resume (expected 1)"
    )


def test_a_resume_that_does_nothing_is_a_fail(lab: Lab) -> None:
    """Rule 1: with every written item in the store, the last effect is what is missing."""
    result = at(lab, session("resume-does-nothing"), ACK_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "lost")
    assert "0 finish_order effects" in result.detail


def test_effects_are_judged_too(lab: Lab) -> None:
    """A history that is right does not excuse a second charge."""
    result = at(lab, session("charges-twice"), ACK_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "duplicated")
    assert "2 charge_card effects after resume" in result.detail
    assert set(result.evidence["items"].values()) == {1}


def test_a_resume_that_crashes_is_a_fail(lab: Lab) -> None:
    """P64: with its exit status and standard error."""
    result = at(lab, session("resume-crashes"), WRITE_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "crashed")
    assert result.detail == "write 2: run could not be resumed after the lost write"
    assert result.evidence["resume_returncode"] == 7
    assert result.evidence["stderr"] == "NOISE\n"


def test_a_resume_that_hangs_is_a_fail(impatient_lab: Lab) -> None:
    """P54, P64: no exit status, and what it had said."""
    result = at(impatient_lab, session("resume-hangs"), WRITE_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "hung")
    assert result.detail == f"write 2: resume hung: still running after {HANGS_AFTER:g} s"
    assert result.evidence["resume_returncode"] is None
    assert result.evidence["stderr"] == "HALF\n"


def test_a_resume_that_refuses_is_shown_as_that(lab: Lab) -> None:
    """Rule 4: FAIL with the outcome refused."""
    subject = session("resume-refuses", refusals=(re.compile("^RefusedError"),))
    result = at(lab, subject, ACK_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "refused")


def test_a_history_that_a_resume_spoils_is_a_fail(lab: Lab) -> None:
    """The store has every item once, and cannot know that one is a call without an answer."""
    result = at(lab, session("spoils-its-history", inspects=True), WRITE_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "unpaired")
    assert result.detail == (
        "write 2: stored history broken after resume: the call call_1 has 0 answers (expected 1)"
    )


def test_what_a_target_reports_is_marked_and_decides_nothing(lab: Lab) -> None:
    """P60, rule 2: a subject that inspects and lies gets the verdict that the store gives."""
    result = at(lab, session("inspects", inspects=True), ACK_LOST)
    assert (result.verdict, result.outcome) == ("FAIL", "duplicated")
    assert result.evidence["reported"] == {"history": [], "finished": True, "verdict": "PASS"}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("swallows", ["write-lost FAIL lost", "ack-lost PASS held", "outage FAIL lost"]),
        ("retries", ["write-lost PASS held", "ack-lost FAIL duplicated"]),
    ],
)
def test_another_write_that_fails_unnoticed_is_judged(
    lab: Lab, kind: str, expected: list[str]
) -> None:
    """Rule 5: without the staged input, a start that goes on has no resume and is judged."""
    found = results(lab, session(kind), writes="all")[: len(expected)]
    assert words(found) == expected
    for result in found:
        assert result.evidence["start_code"] == 0
        assert "resume_returncode" not in result.evidence
        if result.verdict == "FAIL":
            assert "at the end (expected 1)" in result.detail


# -- what cannot be judged -------------------------------------------------------------------------


def assert_errors(found: list[Result], detail: str) -> None:
    """One ERROR at each fault point, with this sentence."""
    assert words(found) == [f"{point} ERROR None" for point in SCENARIO.fault_points]
    assert {one.detail for one in found} == {detail}
    assert not any("resume_returncode" in one.evidence for one in found)


UNUSABLE = {
    "first-run-exits-5": "the run without a fault failed: start exited 5 before its tool",
    "nothing-staged": "no Session write of the run without a fault carried the staged input",
    "stores-twice-by-itself": "the run without a fault stored an item 2 times by itself: ",
    "same-item-twice": "the run without a fault stored an item 2 times by itself: ",
    "removes-an-item": "the run without a fault removed an item by itself: ",
    "malformed-write": "the store refused a call: add_items needs ",
}


@pytest.mark.parametrize("kind", list(UNUSABLE))
def test_a_first_run_that_is_unusable_makes_every_result_an_error(lab: Lab, kind: str) -> None:
    """P52, P65: with the writes of that run and its standard error."""
    found = results(lab, session(kind))
    assert [one.detail.startswith(UNUSABLE[kind]) for one in found] == [True] * 3
    assert_errors(found, found[0].detail)
    assert all("baseline_writes" in one.evidence for one in found)
    if kind == "first-run-exits-5":
        assert all(one.evidence["stderr"] == "NOISE\n" for one in found)
        assert [len(one.evidence["baseline_writes"]) for one in found] == [1] * 3


def test_a_first_run_that_does_not_end_is_an_error(impatient_lab: Lab) -> None:
    """P65: it hangs after it wrote the staged input."""
    found = results(impatient_lab, session("first-run-hangs"))
    assert found[0].detail.startswith(f"the run without a fault did not end within {HANGS_AFTER:g}")
    assert_errors(found, found[0].detail)


ANOTHER_WAY = {
    "next-start-writes-less": "start made 0 Session writes and never reached this one",
    "lies-about-the-write": "start made 0 Session writes and never reached this one",
    "next-start-writes-something-else": "the lost write does not carry the staged input",
    "next-start-stages-more": (
        "start did not follow the run without a fault: up to the lost write, the staged "
        "input was not in the writes [2]"
    ),
}


@pytest.mark.parametrize("kind", list(ANOTHER_WAY))
def test_a_faulted_start_that_goes_another_way_is_an_error(
    lab: Lab, tmp_path: Path, kind: str
) -> None:
    """P60, P65: the store's log decides, never what the target says."""
    subject = session(kind, tmp_path / "count")
    result = at(lab, subject, WRITE_LOST)
    assert (result.verdict, result.outcome) == ("ERROR", None)
    assert result.detail.partition(": ")[2] == ANOTHER_WAY[kind]
    assert "resume_returncode" not in result.evidence
    assert "items" not in result.evidence
    if kind == "lies-about-the-write":
        assert "failed without an answer" in result.evidence["stderr"]


def test_another_write_is_known_by_what_it_holds(lab: Lab, tmp_path: Path) -> None:
    """``--writes all``: a write of another kind under that number is not the one to lose."""
    found = results(lab, session("next-start-writes-another-kind", tmp_path / "count"), "all")[:2]
    assert words(found) == ["write-lost ERROR None", "ack-lost ERROR None"]
    assert found[0].detail == (
        "write 1: the lost write is reasoning, and in the run without a fault it was user"
    )


@pytest.mark.parametrize("kind", ["swallows", "retries"])
def test_a_start_that_exits_0_although_the_staged_write_failed_is_an_error(
    lab: Lab, kind: str
) -> None:
    """P65, P70: something below retries or swallows the failure."""
    *found, gone = results(lab, session(kind))
    assert words(found) == ["write-lost ERROR None", "ack-lost ERROR None"]
    assert {one.detail for one in found} == {
        "write 2: start exited 0 although the write failed: something below retries it"
    }
    # What retries once does not outlast an outage.
    assert (gone.verdict == "ERROR") == (kind == "swallows")


def test_a_start_that_goes_on_writing_is_an_error(lab: Lab) -> None:
    """P65: it failed, but not on the lost write."""
    *found, _outage = results(lab, session("goes-on-writing"))
    assert words(found) == ["write-lost ERROR None", "ack-lost ERROR None"]
    assert {one.detail for one in found} == {
        "write 1: start kept writing to the Session after the lost write"
    }


def test_an_outage_lasts_until_the_process_has_ended(lab: Lab) -> None:
    """Every write from the lost one on, and reading too; the next process finds the store again."""
    *_, gone = results(lab, session("goes-on-writing"))
    started = [one["outcome"] for one in gone.evidence["writes"] if one["phase"] == "start"]
    resumed = [one["outcome"] for one in gone.evidence["writes"] if one["phase"] == "resume"]
    assert len(started) > 1
    assert set(started) == {OUTAGE}
    assert set(resumed) == {"stored"}


def test_a_store_that_is_out_cannot_be_read_either(tmp_path: Path) -> None:
    """A database that has gone takes its reads along."""
    store = SessionStore(tmp_path / "store", Fault(1, OUTAGE))
    try:
        client = StoreClient("conversation", str(store.path))
        assert client.get_items() == []
        with pytest.raises(ConnectionError):
            client.add_items([{"role": "user"}])
        with pytest.raises(ConnectionError):
            client.get_items()
        store.next_phase("resume")
        assert client.get_items() == []
    finally:
        store.close()


@pytest.mark.parametrize("trouble_from", [0, 1])
def test_a_store_that_cannot_start_is_an_error(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, trouble_from: int
) -> None:
    """P65: in the first run, and in a faulted one."""
    made: list[object] = []

    def store(*arguments: object) -> SessionStore:
        made.append(arguments)
        if len(made) > trouble_from:
            raise OSError(24, "Too many open files")
        return SessionStore(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(session_writes, "SessionStore", store)
    found = results(lab, session("looks-first"))
    assert {one.verdict for one in found} == {"ERROR"}
    assert all("the Session store could not start: " in one.detail for one in found)


@pytest.mark.parametrize("command", ["/no/such/program", __file__])
def test_a_program_that_cannot_be_started_is_an_error(lab: Lab, command: str) -> None:
    """P32e: with the system's reason."""
    found = results(lab, Subject(target="x", argv=(command,)))
    assert_errors(found, found[0].detail)
    assert found[0].detail.startswith(f"the agent could not be started: {command}: ")
