"""The controls: subjects whose verdicts are known, run with every cell.

A detector that cannot go red proves nothing. Each scenario has subjects in ``targets/control/``
that must pass and subjects that must fail, at each of its fault points. If one of them comes out
differently, no result of that scenario in this cell is believed.
"""

from __future__ import annotations

from dataclasses import dataclass

from plugpull.lab import Lab
from plugpull.scenarios.base import NotUsable, Scenario, Settings
from plugpull.subject import Subject
from plugpull.target import Manifest

__all__ = ["Control", "run_controls"]


@dataclass(frozen=True, slots=True)
class Control:
    """What one control came to at one fault point.

    Attributes:
        scenario: The scenario.
        variant: The control's name.
        kill_point: The fault point.
        expected: Verdict and outcome it has to have, ``FAIL duplicated``.
        found: Verdict and outcome it had.
        detail: What was seen.
    """

    scenario: str
    variant: str
    kill_point: str
    expected: str
    found: str
    detail: str

    @property
    def deviates(self) -> bool:
        """Whether it came out differently."""
        return self.expected != self.found

    def to_json(self) -> dict[str, str]:
        """The control as a cell's file has it."""
        return {
            "scenario": self.scenario,
            "variant": self.variant,
            "kill_point": self.kill_point,
            "expected": self.expected,
            "found": self.found,
            "detail": self.detail,
        }

    def __str__(self) -> str:
        return (
            f"the control {self.variant} at {self.kill_point} has to be {self.expected} "
            f"and was {self.found}: {self.detail}"
        )


def run_controls(
    lab: Lab, manifest: Manifest, scenario: Scenario, settings: Settings
) -> list[Control]:
    """Run every control of ``scenario``; the launcher is the one that the targets use.

    What a user chose to leave out of a sweep is not left out here.
    """
    settings = settings.for_controls()
    found: list[Control] = []
    for variant in manifest.variants:
        if scenario.name not in variant.scenarios:
            continue
        subject = Subject.for_program(
            variant.program or manifest.program,
            target=f"control {variant.name}",
            variant=variant.name,
            environment=variant.environment,
            inspects=manifest.inspected(variant),
            worlds=manifest.worlds,
            refusals=manifest.refusals,
        )
        seen: dict[str, list[tuple[str, str]]] = {}
        try:
            unfaulted = scenario.unfaulted(lab, subject, settings)
            for case in unfaulted.cases:
                result = scenario.try_case(lab, subject, unfaulted, case)
                words = f"{result.verdict} {result.outcome or ''}".strip()
                seen.setdefault(case.kill_point, []).append((words, result.detail))
        except NotUsable as problem:
            seen = {point: [("ERROR", problem.detail)] for point in scenario.fault_points}
        # Some fault points are tried only if the user asked for them.
        for point in dict.fromkeys((*scenario.fault_points, *seen)):
            # A control of which nothing is expected proves nothing.
            expected = variant.expect.get(point, "declared in its manifest")
            tried = seen.get(point) or [("nothing", "this fault point was never tried")]
            # With several cases under one fault point the worst one counts: ERROR, FAIL, PASS.
            words, detail = min(tried)
            found.append(Control(scenario.name, variant.name, point, expected, words, detail))
    return found
