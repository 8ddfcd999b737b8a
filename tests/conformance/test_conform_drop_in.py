"""Ours in the place of crashresume 0.1.0: its own test-suite, and subjects by the hundred."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import plugpull
import pytest
from madeup_subjects import Plan
from published import Environments, download, run_pytest

SHIM = {
    "__init__.py": "from plugpull import *\nfrom plugpull import __version__\n",
    "core.py": "from plugpull.conformance import *\n",
    "pytest_plugin.py": "from plugpull.pytest_plugin import conform\n",
}


@pytest.mark.environments
@pytest.mark.parametrize("python", ["3.10", "3.13"])
def test_its_published_suite_is_green_against_ours(
    crashresume_source: Path, environments: Environments, tmp_path: Path, python: str
) -> None:
    """Code written for crashresume runs with nothing changed but the import."""
    package = tmp_path / "crashresume"
    package.mkdir()
    for name, text in SHIM.items():
        (package / name).write_text(text, encoding="utf-8")
    interpreter = environments.get("drop-in", "pytest", python=python)
    said = run_pytest(
        interpreter,
        crashresume_source / "tests",
        *("-p", "pytester", "-v"),
        PYTHONPATH=str(tmp_path),
    )
    assert "exit status 0" in said, said
    assert "13 passed" in said, said
    # It was ours that ran, and the original is nowhere near.
    done = run_pytest(interpreter, tmp_path, "--version", "--version", PYTHONPATH=str(tmp_path))
    assert "crashresume" not in done
    assert "plugpull" in done


@pytest.mark.parametrize(
    "cut_off",
    [
        {"UV_OFFLINE": "1", "UV_CACHE_DIR": "empty"},
        {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""},
    ],
    ids=["no-pip", "no-crashresume"],
)
def test_without_a_network_the_download_fails_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut_off: dict[str, str]
) -> None:
    """A suite that could not be had is not one that was passed or skipped."""
    for name, value in cut_off.items():
        monkeypatch.setenv(name, str(tmp_path) if value == "empty" else value)
    with pytest.raises(pytest.fail.Exception, match=r"could not be downloaded.*is there a network"):
        download(tmp_path)


def _outcome(conform: Callable[..., Any], plan: Plan, run_id: str) -> Any:
    try:
        report = conform(plan.factory(), iter(plan.inputs), run_id)
    except Exception as error:  # noqa: BLE001 - whatever it is, both have to raise it
        return type(error).__name__, str(error)
    findings = [(one.kind, one.crash_after, one.detail) for one in report.findings]
    return report.crash_points, findings, report.passed, bool(report), str(report)


@pytest.mark.environments
def test_random_subjects_get_the_same_report_from_both(crashresume: ModuleType) -> None:
    """Crash points, findings, their texts, and what escapes are the same, for 1500 subjects."""
    kinds: set[str] = set()
    for seed in range(1500):
        plan = Plan.drawn(seed)
        theirs = _outcome(crashresume.conform, plan, f"run{seed}")
        ours = _outcome(plugpull.conform, plan, f"run{seed}")
        assert ours == theirs, f"subject {seed}"
        kinds.update(one[0] for one in theirs[1] if isinstance(one, tuple))
    # Every kind there is was among them, so none of the rules went untested.
    assert kinds == {
        *("effect_replayed", "effect_lost", "state_lost", "resume_diverged", "resume_crashed")
    }


@pytest.mark.environments
def test_every_public_name_is_there_and_takes_the_same(crashresume: ModuleType) -> None:
    """Names, and the fields of effects, logs, findings and reports."""
    assert set(crashresume.__all__) <= set(plugpull.__all__)
    for package in (crashresume, plugpull):
        effect = package.Effect("charge", {"eur": 3}, "k", 7)
        assert repr(effect) == "Effect(kind='charge', payload={'eur': 3}, key='k', seq=7)"
        assert vars(package.Effect("charge")) == {
            "kind": "charge",
            "payload": None,
            "key": None,
            "seq": 0,
        }
        log = package.EffectLog()
        context = package.Context("r", log, crash_at=2)
        assert context.effect("a", "p", "k").seq == 0
        for number in (1, 2):
            with pytest.raises(package.InjectedCrash, match=f"#{number + 1} "):
                context.effect("b")
        assert log.keys() == ["k"]
        assert context.effects is log
        log.effects.clear()
        assert [one.seq for one in log.effects] == [0, 1, 2]
        assert issubclass(package.InjectedCrash, RuntimeError)
        finding = package.Finding("state_lost", 2, "gone")
        assert (finding.kind, finding.crash_after, finding.detail) == ("state_lost", 2, "gone")
        with pytest.raises(AttributeError):
            finding.kind = "other"
        report = package.ConformanceReport(3, [finding])
        assert not report
        assert not report.passed
        assert str(report) == (
            "conformance: 3 crash point(s) tested, 1 finding(s)\n"
            "  [state_lost] crash after effect #2: gone"
        )
        passed = package.ConformanceReport()
        assert passed
        assert str(passed) == "conformance: 0 crash point(s) tested, 0 finding(s) — PASS"


def test_a_crash_point_and_its_resume_share_a_run_id() -> None:
    """C03, C04: ``run_id`` without a crash, then ``run_id-k`` twice for each effect."""
    ids = []

    class Subject:
        def __init__(self, ctx: plugpull.Context) -> None:
            ids.append(ctx.run_id)
            self._ctx = ctx

        def step(self, item: str) -> None:
            self._ctx.effect("e")

    plugpull.conform(Subject, (item for item in "ab"), run_id="zed")
    assert ids == ["zed", "zed-1", "zed-1", "zed-2", "zed-2"]


def test_a_report_in_full() -> None:
    """C09 to C12 at once: replays, an empty key that is none, a loss, a state that differs."""
    stores: dict[str, dict[str, int]] = {}

    class Subject:
        def __init__(self, ctx: plugpull.Context) -> None:
            self._ctx = ctx
            self.store = stores.setdefault(ctx.run_id, {"starts": 0})
            self.store["starts"] += 1

        def step(self, item: str) -> None:
            self._ctx.effect("charge", key="a")
            self._ctx.effect("note", key="")
            if self.store["starts"] == 1:
                self._ctx.effect("mail", key="m")

    starts = "final state {'store': {'starts': 2}} != baseline {'store': {'starts': 1}}"
    findings = [
        line
        for point in (1, 2, 3)
        for line in (
            f"  [effect_replayed] crash after effect #{point}: key 'a' issued more than once",
            f"  [effect_lost] crash after effect #{point}: key 'm' never re-issued after resume",
            f"  [resume_diverged] crash after effect #{point}: {starts}",
        )
        if not (point == 3 and "effect_lost" in line)
    ]
    head = "conformance: 3 crash point(s) tested, 8 finding(s)"
    assert str(plugpull.conform(Subject, ["x"])).splitlines() == [head, *findings]
