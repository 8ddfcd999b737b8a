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
from plugpull.matrix.markdown import code, escaped
from plugpull.matrix.measured import measured, newest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.guide import Guide
    from plugpull.matrix.findings import Finding
    from plugpull.matrix.flips import Flip
    from plugpull.matrix.kinds import Kind, Way
    from plugpull.matrix.measured import Line
    from plugpull.matrix.records import Collected
    from plugpull.notes import Note

__all__ = ["Portrait", "portrait_lines", "prose"]

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


def prose(text: str) -> str:
    """A guide's sentence: what stands between backticks is code, all else is text."""
    parts = text.split("`")
    return "".join(code(part) if at % 2 else _escaped_within(part) for at, part in enumerate(parts))


def _escaped_within(part: str) -> str:
    """Escaped, with the blanks at its ends, which part it from the code beside it."""
    inner = escaped(part) if part.strip() else ""
    before, after = " " * part.startswith(" "), " " * part.endswith(" ")
    return f"{before}{inner}{after}" if inner else part


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
    return f"{'; '.join(told)}."


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
    if found := flips(own):
        return ["**Where versions differ.**", "", *(f"- {_flip(flip)}" for flip in found), ""]
    same = f"Nowhere: {escaped(', '.join(versions))} have the same verdicts, timing aside."
    return [f"**Where versions differ.** {same}", ""]


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


def _gap(places: Sequence[str], reason: str, link: str) -> str:
    who = f"{', '.join(map(code, places))} " if places else ""
    return f"{who}not supported, {escaped(reason)} {link}".rstrip()


def _flip(flip: Flip) -> str:
    place = " / ".join(map(code, (flip.scenario, flip.variant, flip.kill_point)))
    details = f" ({', '.join(map(code, flip.details))})" if flip.details else ""
    return f"{place}{details}: {escaped(flip.course)} (Python {flip.pythons})"
