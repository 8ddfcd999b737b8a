"""The sweep over a run of six calls, asked for in batches of three, two and one."""

from __future__ import annotations

from collections import Counter

import pytest
from plugpull.lab import Lab
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Settings
from plugpull.verdicts import Result
from sweeping import CALLS, SINGLE, at, batches, sweep

#: The number of the first call of each call's batch.
BATCH_BEGINS = [1, 1, 1, 4, 4, 6]


def everywhere(verdict: str) -> dict[tuple[str, str | None], str]:
    """The same verdict at all twelve single faults."""
    return {
        (point, f"{number}-{name}"): verdict
        for point in SINGLE
        for number, name in enumerate(CALLS, 1)
    }


def duplicated(result: Result) -> set[str]:
    """The effects that happened more than once; each has to have happened."""
    effects = result.evidence["effects"]
    assert set(effects) == set(CALLS)
    assert set(effects.values()) <= {1, 2}
    return {name for name, count in effects.items() if count == 2}


def repeated(point: str, number: int) -> set[str]:
    """What a resume repeats that runs the whole of a batch again, killed at call ``number``."""
    return set(CALLS[BATCH_BEGINS[number - 1] - 1 : number - (point == BEFORE_EFFECT)])


@pytest.fixture(scope="module")
def sound(lab: Lab) -> list[Result]:
    """A sound agent at each of its calls, once and twice."""
    return sweep(lab, batches(save="each", resume="pending", key="stable"))


def test_a_sound_agent_survives_all_twelve_faults(sound: list[Result]) -> None:
    """E13, E15: calls are counted over the run, whatever the batches; before and after each."""
    assert at(sound, *SINGLE) == everywhere("PASS held")


def test_it_survives_a_second_kill_as_well(sound: list[Result]) -> None:
    """Killed again at the first call of the resume: twelve more."""
    twice = at(sound, "before-effect-twice", "after-effect-twice")
    assert len(twice) == 12
    assert set(twice.values()) == {"PASS held"}
    for one in sound:
        if one.kill_point.endswith("-twice"):
            phases = Counter(call["phase"] for call in one.evidence["calls"])
            assert one.evidence["second_kill"]["agent_status"] == -9
            assert phases["start"] == one.evidence["killed_at"]["call"]
            # The call it died in, made again in each resume, and the rest.
            assert phases["resume"] == 8 - phases["start"]


def test_each_kill_lands_at_its_call(sound: list[Result]) -> None:
    """The provider's own list: the third call of the run is the third of its first batch."""
    for one in sound:
        number = one.evidence["killed_at"]["call"]
        started = [call for call in one.evidence["calls"] if call["phase"] == "start"]
        assert [call["effect"] for call in started] == CALLS[:number]
        recorded = [call["recorded"] for call in started]
        assert recorded == [True] * (number - 1) + [one.kill_point.startswith("after")]
        assert one.detail == f"call {number}: the end state is that of a run without a fault"
        assert one.timing_dependent is False


def test_without_a_key_only_the_call_without_an_answer_is_doubled(lab: Lab) -> None:
    """E12: results are stored one by one, so what remains is the window within a call."""
    subject = batches(save="each", resume="pending", key="none")
    results = sweep(lab, subject, points=SINGLE)
    assert len(results) == 12
    for one in results:
        number = one.evidence["killed_at"]["call"]
        if one.kill_point == BEFORE_EFFECT:
            assert one.verdict == "PASS"
        else:
            assert f"{one.verdict} {one.outcome}" == "FAIL duplicated"
            assert duplicated(one) == {CALLS[number - 1]}
            assert one.detail == (
                f"call {number}: effect duplicated: the provider saw 2 {CALLS[number - 1]} effects "
                "after resume (expected 1)"
            )


@pytest.mark.parametrize(("save", "resume"), [("each", "whole"), ("batch", "pending")])
def test_a_batch_that_runs_again_is_seen_at_exactly_the_right_calls(
    lab: Lab, save: str, resume: str
) -> None:
    """E24: a resume that runs whole batches again, or that has stored whole batches only."""
    subject = batches(save=save, resume=resume, key="none")
    results = sweep(lab, subject, points=SINGLE)
    assert len(results) == 12
    for one in results:
        again = repeated(one.kill_point, one.evidence["killed_at"]["call"])
        assert (one.verdict == "FAIL") is bool(again)
        assert duplicated(one) == again
    passed = [one.point_detail for one in results if one.verdict == "PASS"]
    assert passed == ["1-tea", "4-bread", "6-jam"]


def test_a_key_hides_it(lab: Lab) -> None:
    """What cannot be seen in effects and files is not claimed: keyed repeats converge."""
    subject = batches(save="batch", resume="whole", key="stable")
    results = sweep(lab, subject, points=[AFTER_EFFECT])
    assert [one.verdict for one in results] == ["PASS"] * 6


def test_calls_that_come_in_another_order_each_time(lab: Lab) -> None:
    """A call is found by its effect: the kill lands at the one that the result names."""
    subject = batches(save="each", resume="pending", key="stable", batch="shuffled")
    results = sweep(lab, subject, points=[BEFORE_EFFECT])
    assert {one.verdict for one in results} == {"PASS"}
    assert sorted({one.evidence["killed_at"]["effect"] for one in results}) == sorted(CALLS)
    for one in results:
        started = [call["effect"] for call in one.evidence["calls"] if call["phase"] == "start"]
        assert started[-1] == one.evidence["killed_at"]["effect"]
        assert one.point_detail == "{call}-{effect}".format(**one.evidence["killed_at"])


def test_calls_that_are_made_together(lab: Lab) -> None:
    """One call is held while its siblings go on: a sound agent passes, whatever they come to."""
    subject = batches(save="each", resume="pending", key="stable", batch="together")
    results = sweep(lab, subject, points=SINGLE)
    assert len(results) == 12
    assert {one.verdict for one in results} == {"PASS"}
    for one in results:
        if one.evidence["killed_at"]["effect"] == "jam":
            assert one.timing_dependent is False


def test_calls_that_are_made_together_without_a_key(lab: Lab) -> None:
    """The call that was recorded and not answered is doubled, whatever its siblings come to."""
    subject = batches(save="each", resume="pending", key="none", batch="together")
    for one in sweep(lab, subject, points=[AFTER_EFFECT]):
        assert f"{one.verdict} {one.outcome}" == "FAIL duplicated"
        assert one.evidence["killed_at"]["effect"] in duplicated(one)


def test_a_random_moment_is_survived_and_reported(lab: Lab) -> None:
    """A sound agent passes at any moment; each is in the evidence and in the sentence."""
    subject = batches(save="each", resume="pending", key="stable")
    results = sweep(lab, subject, Settings(points="k1", moments=3, seed=7))[-3:]
    assert [one.point_detail for one in results] == ["seed7-1", "seed7-2", "seed7-3"]
    for one in results:
        assert f"{one.verdict} {one.outcome}" == "PASS held"
        assert one.timing_dependent is True
        moment = one.evidence["moment"]
        assert one.detail.startswith(f"{moment:.6f} s after the first call: ")
