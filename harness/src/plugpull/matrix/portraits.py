"""A section for each framework: how it saves, what it promises, what was measured, what to do.

The guide in a target's manifest says the first two and the last; everything measured is read off
the run's records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugpull.matrix.findings import finding_link
from plugpull.matrix.flips import flips
from plugpull.matrix.kinds import CHECKPOINTING, DURABLE, NOT_MEASURED
from plugpull.matrix.markdown import code, escaped, prose
from plugpull.matrix.measured import measured, newest
from plugpull.matrix.model import version_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.guide import Guide
    from plugpull.matrix.findings import Finding
    from plugpull.matrix.flips import Flip
    from plugpull.matrix.kinds import Kind, Way
    from plugpull.matrix.measured import Line
    from plugpull.matrix.records import Collected
    from plugpull.matrix.results import Result
    from plugpull.notes import Note

__all__ = ["Portrait", "portrait_lines"]

#: What a version is not measured with, in a section without any result.
_NOTHING = "Not measured in this run"


@dataclass(frozen=True, slots=True)
class Portrait:
    """What a section is made of, besides the results.

    Attributes:
        name: The framework's name in the table.
        title: Its name in prose.
        guide: What its manifest says, if it says anything.
        notes: The manifest's notes.
        findings: The pages about it.
    """

    name: str
    title: str
    guide: Guide | None
    notes: Sequence[Note]
    findings: Sequence[Finding]


def portrait_lines(portrait: Portrait, kind: Kind | None, collected: Collected) -> list[str]:
    """The section as Markdown."""
    version = newest(portrait.name, collected)
    guide = portrait.guide
    lines = [f"### {portrait.name}", ""]
    if kind is not None:
        lines += [f"{escaped(portrait.title)} is {_kind(kind)}", ""]
    if guide is not None:
        lines += [f"**How it saves.** {prose(guide.saves)}", ""]
        lines += ["**What it promises.**", ""]
        lines += [f"- {prose(each.says)}: {each.link}" for each in guide.promises]
        lines.append("")
    lines += _measured(portrait, version, kind, collected)
    if portrait.findings:
        lines += ["**Findings.**", "", *(f"- {finding_link(each)}" for each in portrait.findings)]
        lines.append("")
    if guide is not None:
        lines += [f"**What to do.** {prose(guide.advice)}", ""]
    return lines


def _kind(kind: Kind) -> str:
    if kind.kind == NOT_MEASURED:
        return f"**{NOT_MEASURED}** as checkpointing or durable execution: {escaped(kind.reason)}."
    durable, checkpointing = kind.of(DURABLE), kind.of(CHECKPOINTING)
    told = [f"**{DURABLE}** with {_ways(durable)}"] if durable else []
    if checkpointing:
        first = checkpointing[0]
        strength = CHECKPOINTING if durable else f"**{CHECKPOINTING}**"
        told.append(
            f"{strength} with {_ways(checkpointing)}: "
            f"with {code(first.variant)} {escaped(first.shown_by)}"
        )
    return f"{'; '.join(told)}.{_open(kind.of(NOT_MEASURED))}"


def _open(ways: Sequence[Way]) -> str:
    """The ways of which nobody knows yet: silence would count them among the others."""
    reasons: dict[str, list[Way]] = {}
    for way in ways:
        reasons.setdefault(way.shown_by, []).append(way)
    told = [f"{_ways(alike)} ({escaped(reason)})" for reason, alike in reasons.items()]
    return f" Neither is shown of {'; '.join(told)}." if told else ""


def _ways(ways: Iterable[Way]) -> str:
    return ", ".join(code(way.variant) for way in ways)


def _measured(
    portrait: Portrait, version: str, kind: Kind | None, collected: Collected
) -> list[str]:
    if not version:
        reason = kind.reason if kind is not None else ""
        return [f"**What we measured.** {_NOTHING}: {escaped(reason)}.", ""]
    found = measured(portrait.name, version, collected, portrait.notes)
    lines = [f"**What we measured**, {escaped(version)}:", "", *map(_line, found), ""]
    noted: dict[tuple[str, str], list[str]] = {}
    for line in found:
        for note in line.notes:
            noted.setdefault(note, []).append(line.scenario)
    if noted:
        lines += ["**Documented or reported.**", ""]
        lines += [
            f"- {escaped(text)} {link} ({', '.join(map(code, scenarios))})"
            for (text, link), scenarios in noted.items()
        ]
        lines.append("")
    return [*lines, *_flips(portrait.name, collected)]


def _flips(framework: str, collected: Collected) -> list[str]:
    own = [result for result in collected.results if result.framework == framework]
    versions = dict.fromkeys(result.version for result in own)
    if len(versions) == 1:
        return []
    compared, scenarios = _compared(own)
    if not compared:
        return ["**Where versions differ.** Not measured: no two were asked the same.", ""]
    asked = f"Asked of more than one: {', '.join(map(code, scenarios))}."
    if found := flips(own):
        told = [f"**Where versions differ.** {asked}", "", *(f"- {_flip(flip)}" for flip in found)]
    else:
        same = f"Nowhere: {escaped(', '.join(compared))} have the same verdicts, timing aside."
        told = [f"**Where versions differ.** {same} {asked}"]
    return [*told, ""]


def _compared(results: Iterable[Result]) -> tuple[list[str], list[str]]:
    """The versions that can be compared with another one, and the scenarios in which they can."""
    asked: dict[tuple[str, str, str], set[str]] = {}
    for result in results:
        place = (result.scenario, result.variant, result.python)
        asked.setdefault(place, set()).add(result.version)
    several = {place: versions for place, versions in asked.items() if len(versions) > 1}
    versions = sorted(set().union(*several.values()), key=version_order)
    return versions, list(dict.fromkeys(scenario for scenario, _, _ in several))


def _line(line: Line) -> str:
    told = [_part(part.variants, part.marks) for part in line.parts]
    told += [_gap(gap.places, gap.reason, gap.link) for gap in line.gaps]
    pythons = f" ({line.pythons})" if line.pythons else ""
    return f"- {code(line.scenario)}{pythons}: {'; '.join(told) or 'nothing was measured'}"


def _part(variants: Sequence[str], marks: Sequence[tuple[str, Sequence[str]]]) -> str:
    who = ", ".join(code(variant) for variant in variants)
    if not marks:
        return f"PASS: {who}" if who else "PASS"
    what = ", ".join(
        f"**{escaped(text)}**" + (f" at {', '.join(map(code, points))}" if points else "")
        for text, points in marks
    )
    return f"{who}: {what}" if who else what


def _gap(places: Sequence[tuple[str, str]], reason: str, link: str) -> str:
    return f"{_where(places)} not supported, {escaped(reason)} {link}".strip()


def _where(places: Sequence[tuple[str, str]]) -> str:
    """Fault points with the variants whose gap they are; fault points of the same ones together."""
    by_point: dict[str, list[str]] = {}
    for point, variant in places:
        by_point.setdefault(point, []).append(variant)
    alike: dict[tuple[str, ...], list[str]] = {}
    for point, variants in by_point.items():
        alike.setdefault(() if "" in variants else tuple(variants), []).append(point)
    return " and ".join(
        " of ".join(
            ", ".join(map(code, filter(None, part))) for part in (points, variants) if any(part)
        )
        for variants, points in alike.items()
    )


def _flip(flip: Flip) -> str:
    place = " / ".join(map(code, (flip.scenario, flip.variant, flip.kill_point)))
    details = f" ({', '.join(map(code, flip.details))})" if flip.details else ""
    return f"{place}{details}: {escaped(flip.course)} (Python {flip.pythons})"
