"""Verdicts: the comparison with the unfaulted run, repetitions, and exit statuses."""

from __future__ import annotations

import itertools

import pytest
from plugpull.lab import Limits
from plugpull.notes import Note, annotate
from plugpull.runner import Selection
from plugpull.subject import Subject
from plugpull.verdicts import Judgement, Result, combine, exit_code, judge_effects

OUTCOMES = {"PASS": "held", "FAIL": "duplicated", "ERROR": None}


def result(verdict: str, number: int = 0, **evidence: object) -> Result:
    """A result of which only the verdict matters."""
    return Result(
        scenario="kill-mid-tool",
        target="x",
        kill_point="after-effect",
        judgement=Judgement(verdict, OUTCOMES[verdict], f"sentence {number}"),
        evidence={"number": number, **evidence},
    )


# -- effects ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("effects", "outcome", "sentence"),
    [
        ({"charge": 1, "end": 1}, None, None),
        ({"end": 1, "charge": 1}, None, None),
        (
            {"charge": 0, "end": 1},
            "lost",
            "effect lost: the provider saw 0 charge effects after resume (expected 1)",
        ),
        (
            {"charge": 1},
            "lost",
            "effect lost: the provider saw 0 end effects after resume (expected 1)",
        ),
        (
            {"charge": 2, "end": 1},
            "duplicated",
            "effect duplicated: the provider saw 2 charge effects after resume (expected 1)",
        ),
        (
            {"charge": 1, "end": 3},
            "duplicated",
            "effect duplicated: the provider saw 3 end effects after resume (expected 1)",
        ),
        (
            {"charge": 1, "end": 1, "email": 1},
            "unexpected",
            (
                "unexpected effect: the provider saw email after resume, "
                "which the run without a fault never used"
            ),
        ),
        (
            {"charge": 1, "email": 1},
            "lost",
            "effect lost: the provider saw 0 end effects after resume (expected 1)",
        ),
    ],
)
def test_every_effect_of_the_unfaulted_run_is_wanted_once(
    effects: dict[str, int], outcome: str | None, sentence: str | None
) -> None:
    """P18, rule 1: 0 is lost, more than 1 is duplicated, another name is unexpected."""
    judgement = judge_effects(("charge", "end"), effects, when="after resume")
    if outcome is None:
        assert judgement is None
    else:
        assert judgement == Judgement("FAIL", outcome, str(sentence))


def test_an_unexpected_name_that_was_never_recorded_is_no_effect() -> None:
    """Before the effect, a held call under a name of its own had no effect at all."""
    assert judge_effects(("charge",), {"charge": 1, "charge-2": 0}, when="after resume") is None


# -- repetitions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        ("PASS", "PASS"),
        ("PASS PASS PASS", "PASS"),
        ("PASS FAIL PASS", "FAIL"),
        ("FAIL PASS", "FAIL"),
        ("PASS FAIL ERROR", "ERROR"),
        ("ERROR PASS", "ERROR"),
    ],
)
def test_repetitions_come_to_the_worst_of_them(seen: str, verdict: str) -> None:
    """Rule 8: ERROR before FAIL before PASS, with the counts and the first evidence of it."""
    verdicts = seen.split()
    found = combine(
        [result(one, number) for number, one in enumerate(verdicts)],
        declared_timing_dependent=False,
    )
    first = verdicts.index(verdict)
    assert found.verdict == verdict
    assert found.evidence["number"] == first
    assert found.runs == {one: verdicts.count(one) for one in set(verdicts)}
    assert found.timing_dependent is (len(set(verdicts)) > 1)
    suffix = (
        f" ({verdict} in {verdicts.count(verdict)} of {len(verdicts)} runs)"
        if len(set(verdicts)) > 1
        else ""
    )
    assert found.detail == f"sentence {first}{suffix}"
    assert found.to_json()["runs"] == {
        one: verdicts.count(one) for one in ("PASS", "FAIL", "ERROR")
    }


def test_what_is_declared_timing_dependent_stays_so() -> None:
    """Rule 8: five equal results prove nothing about the sixth."""
    found = combine([result("PASS")] * 5, declared_timing_dependent=True)
    assert found.timing_dependent is True
    assert found.detail == "sentence 0"
    assert found.runs == {"PASS": 5}


@pytest.mark.parametrize(
    ("repeat", "timing_repeat", "declared", "times"),
    [
        (None, 5, False, 1),
        (None, 5, True, 5),
        (None, 2, True, 2),
        (None, 2, False, 1),
        (3, 5, True, 3),
        (3, 5, False, 3),
    ],
)
def test_how_often_something_is_tried(
    repeat: int | None, timing_repeat: int, declared: bool, times: int
) -> None:
    """Rule 8: --repeat is for everything, --timing-repeat for what is declared."""
    selection = Selection(repeat=repeat, timing_repeat=timing_repeat)
    assert selection.repetitions(Subject("x", ("x",), timing_dependent=declared)) == times


# -- exit statuses ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdicts", "missing", "strict", "status"),
    [
        ("PASS", False, False, 0),
        ("PASS", False, True, 0),
        ("PASS FAIL", False, False, 0),
        ("PASS FAIL", False, True, 1),
        ("FAIL", False, True, 1),
        ("ERROR", False, False, 2),
        ("PASS ERROR", False, True, 2),
        ("FAIL ERROR", False, True, 2),
        ("FAIL ERROR", False, False, 2),
        ("PASS", True, False, 2),
        ("FAIL", True, True, 2),
        ("", False, False, 2),
        ("", True, True, 2),
    ],
)
def test_the_exit_status_is_what_the_results_come_to(
    verdicts: str, missing: bool, strict: bool, status: int
) -> None:
    """P34: 2 for any ERROR, anything missing, or nothing run; else 1 under --strict with a FAIL."""
    results = [result(one) for one in verdicts.split()]
    for order in itertools.permutations(results):
        assert exit_code(order, missing=missing, strict=strict) == status


# -- time limits -----------------------------------------------------------------------------------


def test_a_busy_machine_decides_no_verdict() -> None:
    """Rule 9: the larger of 60 s and ten times the unfaulted run; --timeout wins."""
    limits = Limits()
    assert limits.unfaulted == 300
    assert limits.faulted(0.1) == 60
    assert limits.faulted(6.0) == 60
    assert limits.faulted(12.5) == 125
    assert Limits(3.5).unfaulted == Limits(3.5).faulted(100) == 3.5


# -- notes -----------------------------------------------------------------------------------------

REPORTED = Note(
    {
        "scenario": "lost-session-write",
        "kill_point": "ack-lost",
        "verdict": "FAIL",
        "resume_returncode": 0,
        "lost_write_stored_at_least": 2,
    },
    "reported as",
    "https://example.org/4775",
)
EMPTY_INPUT = Note(
    {
        "verdict": "FAIL",
        "outcome": "crashed",
        "resume_returncode": "nonzero",
        "stderr_contains": "EmptyInputError",
        "variant_env": {"DURABILITY": "async"},
    },
    "documented:",
    "https://example.org/durability",
)
STAGED, OTHER = {"role": "user", "content": "é"}, {"content": "other", "role": "user"}


def lost_write(count: int, other: int = 1, **changes: object) -> dict[str, object]:
    """Evidence of a lost write 2 whose item is stored so often."""
    return {
        "resume_returncode": 0,
        "staged_writes": [2],
        "lost_write": 2,
        "writes": [
            {"phase": "start", "number": 1, "items": [OTHER]},
            {"phase": "start", "number": 2, "items": [STAGED]},
            {"phase": "resume", "number": 2, "items": [OTHER]},
        ],
        "items": {
            '{"content": "é", "role": "user"}': count,
            '{"content": "other", "role": "user"}': other,
        },
        **changes,
    }


@pytest.mark.parametrize(
    ("verdict", "point", "evidence", "applies"),
    [
        ("FAIL", "ack-lost", lost_write(2), True),
        ("FAIL", "ack-lost", lost_write(3), True),
        ("FAIL", "write-lost", lost_write(2), False),
        ("PASS", "ack-lost", lost_write(1), False),
        ("FAIL", "ack-lost", lost_write(0), False),
        ("FAIL", "ack-lost", lost_write(1, other=2), False),
        ("FAIL", "ack-lost", lost_write(2, resume_returncode=1), False),
        ("FAIL", "ack-lost", lost_write(2, resume_returncode=None), False),
        ("FAIL", "ack-lost", lost_write(2, staged_writes=[4]), False),
        ("ERROR", "ack-lost", {}, False),
        ("FAIL", "ack-lost", {"resume_returncode": 0}, False),
    ],
)
def test_the_note_on_a_duplicated_write_is_decided_by_evidence(
    verdict: str, point: str, evidence: dict[str, object], applies: bool
) -> None:
    """P67, P68: the fault point, the exit status, the lost write, and how often it is stored."""
    one = Result("lost-session-write", "x", point, Judgement(verdict, None, "words"), evidence)
    noted = annotate(one, (REPORTED,), {})
    expected = "words (reported as https://example.org/4775)" if applies else "words"
    assert noted.detail == expected
    assert (noted.verdict, noted.evidence) == (verdict, evidence)


@pytest.mark.parametrize(
    ("returncode", "stderr", "durability", "applies"),
    [
        (1, "x\nlanggraph.errors.EmptyInputError: y", "async", True),
        (-6, "EmptyInputError", "async", True),
        (1, "EmptyInputError", "sync", False),
        (1, "EmptyInputError", None, False),
        (1, "another error", "async", False),
        (1, None, "async", False),
        (0, "EmptyInputError", "async", False),
        (None, "EmptyInputError", "async", False),
    ],
)
def test_the_note_on_an_empty_checkpoint_needs_all_of_its_conditions(
    returncode: int | None, stderr: str | None, durability: str | None, applies: bool
) -> None:
    """P73: a crash, with these words, of the variant that saves in the background."""
    evidence = {"resume_returncode": returncode, **({"stderr": stderr} if stderr else {})}
    one = Result("kill-mid-tool", "x", "p", Judgement("FAIL", "crashed", "words"), evidence)
    environment = {"DURABILITY": durability} if durability else {}
    assert EMPTY_INPUT.applies(one, environment) is applies


def test_a_result_without_a_resume_has_no_note_about_one() -> None:
    """P49: what was not measured meets no condition, not even that of a crash."""
    one = Result("kill-mid-tool", "x", "p", Judgement("FAIL", "crashed", "words"), {})
    for wanted in ("nonzero", 0, None):
        assert not Note({"resume_returncode": wanted}, "t", "l").applies(one, {})


def test_several_notes_stand_in_their_order() -> None:
    """Each that applies, none that does not."""
    notes = (Note({}, "a", "1"), Note({"verdict": "PASS"}, "b", "2"), Note({}, "c", "3"))
    assert annotate(result("FAIL"), notes, {}).detail == "sentence 0 (a 1) (c 3)"
