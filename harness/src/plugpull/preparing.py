"""What is settled before the first run: a command, a launcher, saved states, what a variant is."""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from plugpull.errors import UsageError
from plugpull.lab import Lab
from plugpull.other_python import version_under
from plugpull.processes.environment import child_environment
from plugpull.processes.fork_launcher import ForkLauncher, ForkUnavailable
from plugpull.processes.launcher import SpawnLauncher
from plugpull.processes.strays import MARKER_VARIABLE
from plugpull.run_selection import Selection
from plugpull.saved_states import find_states
from plugpull.scenarios.base import Settings
from plugpull.scenarios.changed_world import ChangedWorld
from plugpull.scenarios.resume_after_upgrade import ResumeAfterUpgrade
from plugpull.subject import Subject
from plugpull.target import Manifest, Variant

__all__ = ["choose_launcher", "split_command", "subject_of", "with_other_python", "with_states"]


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


def choose_launcher(lab: Lab, manifest: Manifest, wanted: str) -> str:
    """Fork where that is possible; how it came out, for the record.

    Args:
        lab: Gets the launcher.
        manifest: The target.
        wanted: ``auto``, ``fork`` or ``spawn``.

    Raises:
        UsageError: Forks were asked for, and are not possible.
    """
    if wanted == "spawn":
        lab.use(SpawnLauncher(lab.guardian))
        return "spawn"
    environment = child_environment(
        {**manifest.environment, MARKER_VARIABLE: lab.marker}, lab.pass_env
    )
    try:
        launcher = ForkLauncher(manifest.preload, environment, lab.guardian, lab.limits.unfaulted)
    except ForkUnavailable as reason:
        if wanted == "fork":
            raise UsageError(
                f"{manifest.name} cannot be started by forking",
                why=str(reason),
                then="leave --launcher away, or say --launcher spawn",
            ) from reason
        lab.use(SpawnLauncher(lab.guardian))
        return f"spawn, because {reason}"
    lab.use(launcher, launcher.server_pids)
    return "fork"


def with_states(
    settings: Settings, chosen: Selection, manifest: Manifest, version: str
) -> Settings:
    """The settings with the states to go on with, and with the place where new ones belong.

    Args:
        settings: Those so far.
        chosen: What is to be run.
        manifest: The target.
        version: The framework's.

    Raises:
        UsageError: They cannot be used, or there is neither the one nor the other.
    """
    if ResumeAfterUpgrade.name not in {one.name for one in chosen.wanted_scenarios()}:
        return settings
    if bool(chosen.states) == (chosen.save_states is not None):
        raise UsageError(
            f"{ResumeAfterUpgrade.name} needs either --states DIR or --save-states DIR",
            why="one version saves its runs, and another one goes on with them",
            then="nox -s upgrade -- FRAMEWORK does both",
        )
    python = ".".join(platform.python_version_tuple()[:2])
    called = chosen.state_version or version
    place = chosen.save_states
    return replace(
        settings,
        framework=manifest.name,
        version=called,
        states=find_states(chosen.states, manifest.name),
        save_states=place and place / f"{manifest.name}-{called}-py{python}",
    )


def with_other_python(
    lab: Lab, settings: Settings, chosen: Selection, manifest: Manifest, version: str
) -> tuple[Settings, dict[str, Any]]:
    """The settings with the version to resume under, and the facts about its interpreter.

    Where there is no such interpreter, or nobody needs it, neither has anything new.

    Args:
        lab: Where it is asked.
        settings: Those so far.
        chosen: What is to be run.
        manifest: The target.
        version: The framework's, under our own interpreter.

    Raises:
        UsageError: The target cannot be resumed under it.
    """
    python = settings.resume_python
    asked = any(
        isinstance(scenario, ChangedWorld) and chosen.wanted_variants(manifest, scenario, version)
        for scenario in chosen.wanted_scenarios()
    )
    if python is None or not asked:
        return settings, {}
    found = version_under(lab, manifest, version, python)
    facts = {"other_python": {"executable": str(python), "version": found}}
    return replace(settings, resume_version=found), facts


def subject_of(
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
