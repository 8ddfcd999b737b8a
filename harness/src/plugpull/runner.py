"""Runs targets and agents: every variant, every scenario, every fault point, as often as asked."""

from __future__ import annotations

import platform
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plugpull.controls import Control, run_controls
from plugpull.errors import UsageError
from plugpull.facts import environment_facts, find_installed, now
from plugpull.ground import Ground, Obstacle, ground_for
from plugpull.lab import Lab
from plugpull.manifest import CONTROL, read_manifest
from plugpull.needs import in_use
from plugpull.notes import annotate
from plugpull.other_python import version_under
from plugpull.processes.environment import child_environment
from plugpull.processes.fork_launcher import ForkLauncher, ForkUnavailable
from plugpull.processes.launcher import SpawnLauncher
from plugpull.processes.strays import MARKER_VARIABLE
from plugpull.saved_states import find_states
from plugpull.scenarios import BEYOND_AGENTS, SCENARIOS
from plugpull.scenarios.base import Case, NotUsable, Scenario, Settings, Unfaulted
from plugpull.scenarios.changed_world import ChangedWorld
from plugpull.scenarios.described import describe
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.scenarios.resume_after_upgrade import ResumeAfterUpgrade
from plugpull.subject import Subject
from plugpull.target import Manifest, Variant
from plugpull.verdicts import ERROR, Judgement, Result, combine

__all__ = ["TIMING_REPEAT", "Report", "Runner", "Selection", "split_command"]

#: How often a variant runs that its target declares as timing-dependent.
TIMING_REPEAT = 5


@dataclass(frozen=True, slots=True)
class Selection:
    """What to run, and how often.

    Attributes:
        scenarios: Names; empty for all.
        variants: Names; empty for all.
        repeat: Repetitions of everything; ``None`` for one, or ``timing_repeat`` where a variant
            is declared timing-dependent.
        timing_repeat: Repetitions of such a variant.
        settings: Settings of the scenarios.
        launcher: ``auto``, ``fork`` or ``spawn``.
        points: Fault points, each with a detail behind a slash or without; empty for all.
        states: Folders with saved states to go on with.
        save_states: The folder below which states are saved.
        state_version: What the version is called in saved states; ``None`` for its number.
    """

    scenarios: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    repeat: int | None = None
    timing_repeat: int = TIMING_REPEAT
    settings: Settings = field(default_factory=Settings)
    launcher: str = "auto"
    points: tuple[str, ...] = ()
    states: tuple[Path, ...] = ()
    save_states: Path | None = None
    state_version: str | None = None

    def has(self, case: Case) -> bool:
        """Whether this is to be tried."""
        names = {case.kill_point, f"{case.kill_point}/{case.point_detail}"}
        return not self.points or not names.isdisjoint(self.points)

    def repetitions(self, subject: Subject, *, by_chance: bool = False) -> int:
        """How often a fault point of ``subject`` is tried.

        Args:
            subject: The variant.
            by_chance: The fault point leaves the order of things to chance.
        """
        if self.repeat is not None:
            return self.repeat
        return self.timing_repeat if subject.timing_dependent or by_chance else 1


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
        report.cell["launcher"] = self._choose_launcher(manifest)
        installed = find_installed(self._lab, manifest)
        if installed is None:
            needed = " ".join([manifest.distribution, *manifest.companions])
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
            report.cell |= self._look_at_other_python(manifest, installed.version)
        self._look_at_states(manifest, installed.version)
        asked = [
            (scenario, variants)
            for scenario in self._scenarios()
            if (variants := self._variants(manifest, scenario, installed.version))
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
                _subject(manifest, variant, report.cell["version"], self._ground.variables)
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

    def _scenarios(self) -> list[Scenario]:
        chosen = self._selection
        wanted = chosen.scenarios
        # Without states to go on with or a place to save them there is nothing to do.
        if not wanted and not chosen.states and chosen.save_states is None:
            wanted = tuple(name for name in SCENARIOS if name != ResumeAfterUpgrade.name)
        return [one for name, one in SCENARIOS.items() if not wanted or name in wanted]

    def _variants(self, manifest: Manifest, scenario: Scenario, version: str) -> list[Variant]:
        wanted = self._selection.variants
        return [
            variant
            for variant in manifest.variants_for(scenario.name, version)
            if not wanted or variant.name in wanted
        ]

    def _look_at_other_python(self, manifest: Manifest, version: str) -> dict[str, Any]:
        """Facts about the interpreter to resume under, where there is one and it is needed.

        Raises:
            UsageError: The target cannot be resumed under it.
        """
        python = self._selection.settings.resume_python
        asked = any(
            isinstance(scenario, ChangedWorld) and self._variants(manifest, scenario, version)
            for scenario in self._scenarios()
        )
        if python is None or not asked:
            return {}
        found = version_under(self._lab, manifest, version, python)
        self._settings = replace(self._selection.settings, resume_version=found)
        return {"other_python": {"executable": str(python), "version": found}}

    def _look_at_states(self, manifest: Manifest, version: str) -> None:
        """Read the states to go on with, and say where new ones belong.

        Raises:
            UsageError: They cannot be used, or there is neither the one nor the other.
        """
        chosen = self._selection
        if ResumeAfterUpgrade.name not in {one.name for one in self._scenarios()}:
            return
        if bool(chosen.states) == (chosen.save_states is not None):
            raise UsageError(
                f"{ResumeAfterUpgrade.name} needs either --states DIR or --save-states DIR",
                why="one version saves its runs, and another one goes on with them",
                then="nox -s upgrade -- FRAMEWORK does both",
            )
        python = ".".join(platform.python_version_tuple()[:2])
        called = chosen.state_version or version
        place = chosen.save_states
        self._settings = replace(
            self._settings,
            framework=manifest.name,
            version=called,
            states=find_states(chosen.states, manifest.name),
            save_states=place and place / f"{manifest.name}-{called}-py{python}",
        )

    def _choose_launcher(self, manifest: Manifest) -> str:
        """Fork where that is possible; how it came out, for the record."""
        if self._selection.launcher == "spawn":
            self._lab.use(SpawnLauncher(self._lab.guardian))
            return "spawn"
        environment = child_environment(
            {**manifest.environment, MARKER_VARIABLE: self._lab.marker}, self._lab.pass_env
        )
        try:
            launcher = ForkLauncher(
                manifest.preload, environment, self._lab.guardian, self._lab.limits.unfaulted
            )
        except ForkUnavailable as reason:
            if self._selection.launcher == "fork":
                raise UsageError(
                    f"{manifest.name} cannot be started by forking",
                    why=str(reason),
                    then="leave --launcher away, or say --launcher spawn",
                ) from reason
            self._lab.use(SpawnLauncher(self._lab.guardian))
            return f"spawn, because {reason}"
        self._lab.use(launcher, launcher.server_pids)
        return "fork"

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


def split_command(command: str) -> tuple[str, ...]:
    """A user's command as a POSIX shell would split it; no shell runs it.

    Raises:
        UsageError: It is empty or its quotes do not match.
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise UsageError(
            f"--agent {command!r} cannot be split into words: {error}",
            then="close every quote; no shell runs the command",
        ) from error
    if not words:
        raise UsageError(
            "--agent needs a command and got an empty one",
            then='for example --agent "python agent.py"',
        )
    return words


def _subject(
    manifest: Manifest, variant: Variant, version: str, variables: Mapping[str, str]
) -> Subject:
    """A variant as a subject; ``variables`` say where the target's server is."""
    label = f" {variant.label}" if variant.label else ""
    return Subject.for_program(
        variant.program or manifest.program,
        target=f"{manifest.name} {version}{label}",
        variant=variant.name,
        environment={**manifest.environment, **variant.environment, **variables},
        timing_dependent=variant.timing_dependent,
        inspects=manifest.inspected(variant),
        refusals=manifest.refusals,
        notes=manifest.notes,
        ignore=manifest.ignore,
        worlds=manifest.worlds,
        lacking=manifest.lacking(variant.name, version),
    )


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
