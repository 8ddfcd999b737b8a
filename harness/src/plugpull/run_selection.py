"""What is to be run, and how often."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from plugpull.scenarios import SCENARIOS
from plugpull.scenarios.base import Case, Scenario, Settings
from plugpull.scenarios.resume_after_upgrade import ResumeAfterUpgrade
from plugpull.subject import Subject
from plugpull.target import Manifest, Variant

__all__ = ["TIMING_REPEAT", "Selection"]

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

    def wanted_scenarios(self) -> list[Scenario]:
        """The scenarios to run, in their order."""
        wanted = self.scenarios
        # Without states to go on with or a place to save them there is nothing to do.
        if not wanted and not self.states and self.save_states is None:
            wanted = tuple(name for name in SCENARIOS if name != ResumeAfterUpgrade.name)
        return [one for name, one in SCENARIOS.items() if not wanted or name in wanted]

    def wanted_variants(
        self, manifest: Manifest, scenario: Scenario, version: str
    ) -> list[Variant]:
        """The variants of a target that a scenario runs with."""
        return [
            variant
            for variant in manifest.variants_for(scenario.name, version)
            if not self.variants or variant.name in self.variants
        ]

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
