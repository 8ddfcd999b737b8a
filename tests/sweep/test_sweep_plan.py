"""What a sweep tries, how it is asked for, and what the provider does for it."""

from __future__ import annotations

import contextlib
import socket
import time
from pathlib import Path

import pytest
from plugpull.controls import run_controls
from plugpull.lab import Lab
from plugpull.manifest import read_manifest
from plugpull.options import parser, settings
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT, Provider
from plugpull.scenarios.base import Case, NotUsable, Settings
from plugpull.scenarios.kill_sweep import KillSweep
from plugpull.scenarios.sweep_plan import call_place, choose_calls, sweep_cases
from plugpull.wire import call

TARGETS = Path(__file__).parents[2] / "targets"
CALLS = ["a", "b", "c"]


def names(cases: list[Case]) -> list[str]:
    """The fault points with their details."""
    return [f"{case.kill_point}/{case.point_detail}" for case in cases]


# -- choosing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("points", "chosen"),
    [
        ("all", [1, 2, 3, 4, 5, 6]),
        ("k1", [1]),
        ("k6", [6]),
        ("k7", []),
        ("6", [1, 2, 3, 4, 5, 6]),
        ("99", [1, 2, 3, 4, 5, 6]),
    ],
)
def test_which_calls_are_killed(points: str, chosen: list[int]) -> None:
    """All, one, none, or as many as there are."""
    assert choose_calls(points, 6, 0) == chosen


def test_a_sample_is_the_same_on_every_python_and_every_day() -> None:
    """The seed alone decides."""
    assert choose_calls("4", 100, 0) == [18, 24, 34, 73]
    assert choose_calls("4", 100, 1) == [2, 14, 24, 77]


def test_a_sample_has_no_call_twice() -> None:
    """As many as were asked for, in order."""
    chosen = choose_calls("50", 100, 3)
    assert len(set(chosen)) == 50
    assert chosen == sorted(chosen)


def test_every_call_at_every_point() -> None:
    """The single kills first, call by call; then the double ones; then the moments."""
    assert names(sweep_cases(["a", "b"], 1.0, Settings(moments=1, seed=5))) == [
        *("before-effect/1-a", "after-effect/1-a", "before-effect/2-b", "after-effect/2-b"),
        *("before-effect-twice/1-a", "after-effect-twice/1-a"),
        *("before-effect-twice/2-b", "after-effect-twice/2-b"),
        "random-moment/seed5-1",
    ]


def test_moments_are_drawn_from_the_run_and_by_the_seed() -> None:
    """Within its length, the same for one seed, others for another."""
    first, again, other = (
        [case.seconds for case in sweep_cases(CALLS, span, Settings(seed=seed))[-3:]]
        for span, seed in ((2.0, 0), (4.0, 0), (2.0, 1))
    )
    assert all(0 <= moment < 2.0 for moment in first)
    assert len(set(first)) == 3
    assert again == pytest.approx([2 * moment for moment in first], abs=1e-5)
    assert other != first


def test_a_moment_that_is_asked_for_is_the_only_case() -> None:
    """And stands in its name to the last digit."""
    (case,) = sweep_cases(CALLS, 1.0, Settings(moment=0.012345678))
    assert (case.kill_point, case.point_detail) == ("random-moment", "0.012345678s")
    assert case.seconds == 0.012345678


def test_a_call_that_is_not_there() -> None:
    """The sentence says how many there are."""
    with pytest.raises(NotUsable, match="makes 1 call, so there is none to kill at k2"):
        sweep_cases(["a"], 1.0, Settings(points="k2"))


def test_a_call_has_a_place_whatever_the_order() -> None:
    """Its effect, and which one of those it is."""
    places = [call_place(["a", "b", "a"], number) for number in (1, 2, 3)]
    assert [(one.effect, one.number) for one in places] == [("a", 1), ("b", 1), ("a", 2)]


# -- options ---------------------------------------------------------------------------------------


def test_what_is_asked_for_by_default() -> None:
    """All calls and three moments, nothing left out."""
    found = settings(parser().parse_args([]))
    assert (found.points, found.seed, found.moments) == ("all", 0, 3)
    assert (found.moment, found.ignore) == (None, ())


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("--points all", "points", "all"),
        ("--points 12", "points", "12"),
        ("--points k3", "points", "k3"),
        ("--seed -4", "seed", -4),
        ("--moments 0", "moments", 0),
        ("--moment 0", "moment", 0.0),
        ("--moment 0.0", "moment", 0.0),
        ("--moment 0.25", "moment", 0.25),
        ("--moment 1e-06", "moment", 1e-06),
        ("--ignore *.db --ignore logs", "ignore", ("*.db", "logs")),
    ],
)
def test_options(words: str, field: str, value: object) -> None:
    """Each reaches the scenario as it was meant."""
    assert getattr(settings(parser().parse_args(words.split())), field) == value


@pytest.mark.parametrize(
    "words",
    [
        *(
            "--points 0",
            "--points k0",
            "--points -1",
            "--points some",
            "--points k",
            "--points 1.5",
        ),
        *("--moments -1", "--moments x", "--moment -1", "--moment x", "--moment inf", "--seed x"),
        *("--moment nan", "--points"),
    ],
)
def test_options_that_mean_nothing(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are named, and nothing runs."""
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words.split())
    assert ended.value.code == 2
    assert words.split(maxsplit=1)[0] in capsys.readouterr().err


def test_controls_are_tried_at_every_point_whatever_is_selected(lab: Lab) -> None:
    """A user who replays one call or one moment leaves out no control."""
    chosen = Settings(points="k7", moments=0, moment=9.0, ignore=("*",), seed=3)
    found = run_controls(lab, read_manifest(TARGETS / "control"), KillSweep(), chosen)
    assert {(one.variant, one.kill_point): one.found for one in found} == {
        (variant, point): verdict
        for variant, verdict in [
            ("keeps-its-place", "PASS held"),
            ("starts-over", "FAIL duplicated"),
            ("signs-again", "FAIL diverged"),
        ]
        for point in KillSweep.fault_points
    }
    assert not any(one.deviates for one in found)


# -- the provider ----------------------------------------------------------------------------------


def send(provider: Provider, effect: str) -> socket.socket:
    """Make a call without reading its answer."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(provider.path))
    connection.sendall(f'{{"effect": "{effect}", "key": null}}\n'.encode())
    return connection


def wait_for(condition: object) -> None:
    """Wait until something is so; it has to become so."""
    end = time.monotonic() + 60
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.005)


def test_a_call_is_held_by_its_effect(tmp_path: Path) -> None:
    """The second call for b; all others are answered, before it and after it."""
    provider = Provider(tmp_path / "p")
    try:
        provider.hold_next(BEFORE_EFFECT, 2, "b")
        with contextlib.ExitStack() as connections:
            for effect in ("b", "a", "a", "b"):
                before = len(provider.calls)
                connections.enter_context(send(provider, effect))
                wait_for(lambda: len(provider.calls) > before)  # noqa: B023 - called at once
            held = provider.wait_held(60, lambda: True)
            assert held is not None
            assert held.effect == "b"
            assert provider.effects == {"b": 1, "a": 2}
            assert call(str(provider.path), {"effect": "c", "key": None}) == {"ok": True}
    finally:
        provider.close()


def test_without_an_effect_every_call_counts(tmp_path: Path) -> None:
    """As the other scenarios have it."""
    provider = Provider(tmp_path / "p")
    try:
        provider.hold_next(AFTER_EFFECT, 2)
        assert call(str(provider.path), {"effect": "a", "key": None}) == {"ok": True}
        with send(provider, "b"):
            held = provider.wait_held(60, lambda: True)
            assert held is not None
            assert held.effect == "b"
    finally:
        provider.close()


def test_calls_that_are_open_side_by_side_are_seen(tmp_path: Path) -> None:
    """While answers are kept back; closing ends that."""
    provider = Provider(tmp_path / "p")
    provider.linger = 600
    with send(provider, "a"), send(provider, "b"):
        wait_for(lambda: provider.side_by_side == {"a", "b"})
        provider.close()


def test_calls_that_follow_each_other_are_not(tmp_path: Path) -> None:
    """An agent that waits for its answer has one call open at a time."""
    provider = Provider(tmp_path / "p")
    try:
        provider.linger = 0.01
        assert provider.first_call is None
        for effect in CALLS:
            assert call(str(provider.path), {"effect": effect, "key": None}) == {"ok": True}
        assert provider.side_by_side == frozenset()
        assert provider.first_call is not None
    finally:
        provider.close()
