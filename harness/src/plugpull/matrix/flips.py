"""Which versions differ: verdicts of one run that are not the same for all versions of a framework.

Only versions under the same Python are compared, and only results that do not depend on timing:
those may differ from run to run of one version. Where the Pythons disagree about the versions, the
version is not what decides, and nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from plugpull.matrix.model import pythons_label, version_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugpull.matrix.results import Result

__all__ = ["Flip", "flips"]

#: Scenario, variant, fault point, and which one of several faults there.
_Place = tuple[str, str, str, str]
#: Version and verdict, the oldest version first.
_Course = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Flip:
    """A verdict that differs between versions.

    Attributes:
        scenario, variant, kill_point: Where.
        details: Which of several faults at that point; empty for one that has no details.
        pythons: Under which Pythons, for example ``3.10-3.13``.
        course: Versions and their verdict, for example ``PASS on 1.0; FAIL lost from 1.2 on``.
    """

    scenario: str
    variant: str
    kill_point: str
    details: tuple[str, ...]
    pythons: str
    course: str


def flips(results: Iterable[Result]) -> list[Flip]:
    """Where the versions of one framework differ, in the order of the results."""
    seen: dict[_Place, dict[str, dict[str, Result]]] = {}
    for result in results:
        place = (result.scenario, result.variant, result.kill_point, result.point_detail)
        seen.setdefault(place, {}).setdefault(result.python, {})[result.version] = result
    found: dict[tuple[str, str, str, str, _Course], list[str]] = {}
    for place, by_python in seen.items():
        courses = {python: _course(versions) for python, versions in by_python.items()}
        compared = {python: course for python, course in courses.items() if len(course) > 1}
        course = _agreed(list(compared.values()))
        if _differs(course):
            key = (*place[:3], pythons_label(list(compared)), course)
            found.setdefault(key, []).append(place[3])
    return [
        Flip(scenario, variant, point, tuple(filter(None, details)), pythons, _told(course))
        for (scenario, variant, point, pythons, course), details in found.items()
    ]


def _course(versions: Mapping[str, Result]) -> _Course:
    return tuple(
        (version, _verdict(versions[version]))
        for version in sorted(versions, key=version_order)
        if versions[version].verdict != "ERROR" and not versions[version].timing_dependent
    )


def _differs(course: _Course) -> bool:
    return len({verdict.partition(" ")[0] for _, verdict in course}) > 1


def _verdict(result: Result) -> str:
    if result.verdict != "FAIL" or not result.outcome:
        return result.verdict
    return f"FAIL {result.outcome}"


def _agreed(courses: list[_Course]) -> _Course:
    """What all Pythons show, as far as each can run the versions; nothing if they disagree.

    What only some of them show is no matter of the version.
    """
    longest = max(courses, key=len, default=())
    return longest if all(set(course) <= set(longest) for course in courses) else ()


def _told(course: _Course) -> str:
    parts = [
        (verdict, [version for version, _ in group])
        for verdict, group in groupby(course, key=lambda step: step[1])
    ]
    if len(parts) > 1 and len(parts[-1][1]) > 1:
        (verdict, versions), parts = parts[-1], parts[:-1]
        last = [f"{verdict} from {versions[0]} on"]
    else:
        last = []
    told = [f"{verdict} on {', '.join(versions)}" for verdict, versions in parts]
    return "; ".join([*told, *last])
