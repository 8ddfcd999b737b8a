"""A target: a framework as its manifest describes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from plugpull.guide import Guide
from plugpull.needs import Need
from plugpull.notes import Note
from plugpull.services.spec import ServiceSpec
from plugpull.specifiers import matches

__all__ = ["Manifest", "NotSupported", "Variant"]


@dataclass(frozen=True, slots=True)
class Variant:
    """One way of using the framework.

    Attributes:
        name: Its name in ids.
        label: What stands behind the version in a result's target; empty for nothing.
        environment: What tells the program which variant it is.
        program: The program of this variant, ``None`` for the target's.
        inspects: Whether that program has the verb ``inspect``, ``None`` for as the target's.
        scenarios: The scenarios it answers; empty for all that the target does.
        versions: The versions in which it exists.
        timing_dependent: Its verdicts may differ from run to run.
        expect: For a control: fault point to the verdict and outcome it must have.
    """

    name: str
    label: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    scenarios: tuple[str, ...] = ()
    versions: str = "*"
    timing_dependent: bool = False
    expect: Mapping[str, str] = field(default_factory=dict)
    program: Path | None = None
    inspects: bool | None = None


@dataclass(frozen=True, slots=True)
class NotSupported:
    """A scenario that the framework cannot be asked for, in the open.

    Attributes:
        scenario: The scenario.
        variant: One variant of it; ``None`` for all.
        kill_point: One fault point of it; ``None`` for all.
        versions: The versions for which this holds.
        reason: Why.
        link: Where that can be read.
        absent: ``module:attribute`` that is not there in those versions; a test asks for it.
    """

    scenario: str
    reason: str
    link: str
    variant: str | None = None
    versions: str = "*"
    absent: str | None = None
    kill_point: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """One target.

    Attributes:
        folder: Where it is.
        name: The framework's name as its users write it.
        title: The framework's name in prose.
        distribution: What is installed.
        module: What is imported to prove the version.
        program: The program with the verbs.
        companions: Further distributions that the program needs.
        preload: Modules that a fork server imports once.
        environment: Set for every process of this target.
        documentation: What the program follows: what it is about, and the link.
        variants: At least one.
        scenarios: Scenario to the versions that can answer it.
        not_supported: What it cannot be asked for.
        refusals: Patterns over a resume's standard error.
        notes: Notes on results.
        inspects: Whether the program has the verb ``inspect``.
        ignore: Glob patterns of files that are no part of a run's end state.
        worlds: The changes it can be resumed under, each with what a refusal has to name.
        service: The server that it needs, if it needs one.
        needs: What it needs of the machine.
        guide: What the results page says about it besides its verdicts.
    """

    folder: Path
    name: str
    title: str
    distribution: str
    module: str
    program: Path
    variants: tuple[Variant, ...]
    scenarios: Mapping[str, str]
    companions: tuple[str, ...] = ()
    preload: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    documentation: tuple[tuple[str, str], ...] = ()
    not_supported: tuple[NotSupported, ...] = ()
    refusals: tuple[re.Pattern[str], ...] = ()
    notes: tuple[Note, ...] = ()
    inspects: bool = True
    ignore: tuple[str, ...] = ()
    worlds: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    service: ServiceSpec | None = None
    needs: tuple[Need, ...] = ()
    guide: Guide | None = None

    def inspected(self, variant: Variant) -> bool:
        """Whether the variant's program has the verb ``inspect``."""
        return self.inspects if variant.inspects is None else variant.inspects

    def variants_for(self, scenario: str, version: str) -> tuple[Variant, ...]:
        """The variants that answer ``scenario`` in ``version`` of the framework."""
        if scenario not in self.scenarios or not matches(version, self.scenarios[scenario]):
            return ()
        return tuple(
            variant
            for variant in self.variants
            if (not variant.scenarios or scenario in variant.scenarios)
            and matches(version, variant.versions)
        )

    def not_supported_in(self, version: str) -> tuple[NotSupported, ...]:
        """What ``version`` of the framework cannot be asked for."""
        return tuple(gap for gap in self.not_supported if matches(version, gap.versions))

    def lacking(self, variant: str, version: str) -> frozenset[tuple[str, str]]:
        """Scenario and fault point, for each single fault point that a variant does not have."""
        return frozenset(
            (gap.scenario, gap.kill_point)
            for gap in self.not_supported_in(version)
            if gap.kill_point is not None and gap.variant in {None, variant}
        )
