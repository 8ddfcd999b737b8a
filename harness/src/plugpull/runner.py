"""Runs targets and agents: every variant, every scenario, every fault point, as often as asked."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plugpull.controls import Control, run_controls
from plugpull.facts import environment_facts, find_installed, now
from plugpull.ground import Ground, Obstacle, ground_for
from plugpull.lab import Lab
from plugpull.manifest import read_manifest
from plugpull.needs import in_use
from plugpull.notes import annotate
from plugpull.preparing import (
    choose_launcher,
    split_command,
    subject_of,
    with_other_python,
    with_states,
)
from plugpull.processes.launcher import SpawnLauncher
from plugpull.run_selection import Selection
from plugpull.scenarios import BEYOND_AGENTS, SCENARIOS
from plugpull.scenarios.base import Case, NotUsable, Scenario, Unfaulted
from plugpull.scenarios.described import describe
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.subject import Subject
from plugpull.target import Manifest, Variant
from plugpull.target_folders import CONTROL
from plugpull.verdicts import ERROR, Judgement, Result, combine

__all__ = ["Report", "Runner", "Selection"]


@dataclass(slots=True)
class Report:
    """What one target or agent came to.

    Attributes:
        results: One per variant, scenario, fault point and detail.
        not_supported: What the target cannot be asked for.
        cell: Facts about the environment; empty for a user's agent.
        missing: The framework is not installed.
    """

    results: list[Result] = field(default_factory=list)
    not_supported: list[dict[str, Any]] = field(default_factory=list)
    cell: dict[str, Any] = field(default_factory=dict)
    missing: str | None = None


class Runner:
    """Runs what is asked in one lab.

    Args:
        lab: Where runs happen.
        selection: What to run.
        progress: Told about each result as soon as there is one.
    """

    def __init__(
        self, lab: Lab, selection: Selection, progress: Callable[[Result], None] = lambda _: None
    ) -> None:
        self._lab = lab
        self._selection = selection
        self._settings = selection.settings
        self._progress = progress
        self._ground = Ground()

    def run_agent(self, command: str) -> Report:
        """A user's own agent: kill-mid-tool, unless other scenarios are selected.

        Raises:
            UsageError: The command is empty or its quotes do not match.
        """
        subject = Subject(target=command, argv=split_command(command), lacking=BEYOND_AGENTS)
        self._lab.use(SpawnLauncher(self._lab.guardian))
        wanted = self._selection.scenarios or (KillMidTool.name,)
        return Report(
            [
                result
                for name, scenario in SCENARIOS.items()
                if name in wanted
                for result in self._run_scenario(scenario, subject)
            ]
        )

    def run_target(self, targets: Path, name: str) -> Report:
        """Everything selected of one target, after the controls.

        Raises:
            UsageError: There is no such target, or its manifest is wrong.
        """
        manifest = read_manifest(targets / name)
        begun = time.monotonic()
        report = Report(cell={"started": now(), "stage": "import", **environment_facts()})
        report.cell["launcher"] = choose_launcher(self._lab, manifest, self._selection.launcher)
        installed = find_installed(self._lab, manifest)
        if installed is None:
            needed = shlex.join([manifest.distribution, *manifest.companions])
            report.missing = (
                f"{manifest.name} is not installed in this environment: "
                f"python -m pip install {needed}"
            )
            return report
        report.cell |= {
            "framework": manifest.name,
            "distribution": manifest.distribution,
            "version": installed.version,
            **installed.imported,
            **in_use(manifest.needs, installed.version),
        }
        report.not_supported = [
            {
                "scenario": gap.scenario,
                "variant": gap.variant,
                "kill_point": gap.kill_point,
                "reason": gap.reason,
                "link": gap.link,
            }
            for gap in manifest.not_supported_in(installed.version)
            if not self._selection.scenarios or gap.scenario in self._selection.scenarios
        ]
        if installed.problem is None:
            self._settings, other = with_other_python(
                self._lab, self._settings, self._selection, manifest, installed.version
            )
            report.cell |= other
        self._settings = with_states(self._settings, self._selection, manifest, installed.version)
        asked = [
            (scenario, variants)
            for scenario in self._selection.wanted_scenarios()
            if (variants := self._selection.wanted_variants(manifest, scenario, installed.version))
        ]
        with ground_for(manifest, installed, needed=bool(asked)) as self._ground:
            report.cell |= self._ground.facts
            self._lab.beside = self._ground.pids
            self._run_asked(asked, manifest, targets / CONTROL, report)
        report.cell["seconds"] = round(time.monotonic() - begun, 3)
        return report

    def _run_asked(
        self,
        asked: Sequence[tuple[Scenario, Sequence[Variant]]],
        manifest: Manifest,
        control: Path,
        report: Report,
    ) -> None:
        controls: list[Control] = []
        obstacle = self._ground.obstacle
        for scenario, variants in asked:
            subjects = [
                subject_of(manifest, variant, report.cell["version"], self._ground.variables)
                for variant in variants
            ]
            if obstacle is not None:
                report.cell["stage"] = obstacle.stage
                report.results += self._errors(scenario, subjects, obstacle)
                continue
            report.cell["stage"] = "controls"
            found = (
                run_controls(self._lab, read_manifest(control), scenario, self._settings)
                if control.is_dir()
                else []
            )
            controls += found
            report.cell["stage"] = "run"
            report.cell.setdefault("described", {})[scenario.name] = describe(scenario)
            deviation = next((str(one) for one in found if one.deviates), None)
            for subject in subjects:
                if deviation is not None:
                    report.results += self._distrusted(scenario, subject, deviation)
                else:
                    report.results += self._run_scenario(scenario, subject)
        if obstacle is None:
            report.cell["stage"] = "done"
        report.cell["controls"] = [one.to_json() for one in controls]

    def _run_scenario(self, scenario: Scenario, subject: Subject) -> Iterator[Result]:
        lab, settings = self._lab, self._settings
        try:
            unfaulted = scenario.unfaulted(lab, subject, settings)
        except NotUsable as reason:
            problem = self._ground.gone() or reason
            for result in _errors(scenario, subject, problem.detail, problem.evidence):
                self._progress(result)
                yield result
            return
        for case in unfaulted.cases:
            if not subject.has(scenario.name, case.kill_point) or not self._selection.has(case):
                continue
            repetitions = [
                self._try(scenario, subject, unfaulted, case)
                for _ in range(self._selection.repetitions(subject, by_chance=case.by_chance))
            ]
            by_chance = subject.timing_dependent or case.by_chance
            result = combine(repetitions, declared_timing_dependent=by_chance)
            self._progress(result)
            yield result

    def _try(
        self, scenario: Scenario, subject: Subject, unfaulted: Unfaulted, case: Case
    ) -> Result:
        result = scenario.try_case(self._lab, subject, unfaulted, case)
        if gone := self._ground.gone():
            # Whatever the run came to, the framework is not to blame.
            judgement = Judgement(ERROR, None, gone.detail)
            evidence = {**result.evidence, **gone.evidence}
            return replace(result, judgement=judgement, evidence=evidence)
        return annotate(result, subject.notes, subject.environment)

    def _errors(
        self, scenario: Scenario, subjects: Sequence[Subject], obstacle: Obstacle
    ) -> Iterator[Result]:
        evidence = {"stage": obstacle.stage, "stderr": obstacle.words}
        for subject in subjects:
            for result in _errors(scenario, subject, obstacle.detail, evidence):
                self._progress(result)
                yield result

    def _distrusted(self, scenario: Scenario, subject: Subject, why: str) -> Iterator[Result]:
        for result in _errors(
            scenario,
            subject,
            f"this scenario cannot be trusted here: {why}",
            {"stage": "controls"},
        ):
            self._progress(result)
            yield result


def _errors(scenario: Scenario, subject: Subject, detail: str, evidence: Any) -> Iterator[Result]:
    """One ERROR per fault point."""
    for point in scenario.fault_points:
        if not subject.has(scenario.name, point):
            continue
        yield Result(
            scenario=scenario.name,
            target=subject.target,
            kill_point=point,
            judgement=Judgement(ERROR, None, detail),
            evidence=evidence,
            variant=subject.variant,
            runs={ERROR: 1},
            timing_dependent=subject.timing_dependent,
        )
