"""A check as a block of Markdown, to be pasted into a pull request."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from plugpull.matrix.chance import SURE
from plugpull.matrix.check_rows import COULD_NOT, LOOKS, TIMING, UNCHANGED
from plugpull.matrix.markdown import code, escaped
from plugpull.matrix.references import GIT

if TYPE_CHECKING:
    from plugpull.matrix.check_report import CheckReport, Line
    from plugpull.matrix.check_rows import Side

__all__ = ["check_markdown"]

#: What says more about the measurement than about what was measured.
_ASIDE = frozenset({"launcher", "limit", "reported", "unfaulted"})
#: Characters of one piece of evidence. Longer ones are in the JSON.
_LONGEST = 1200


def check_markdown(report: CheckReport) -> str:
    """The block: what was compared, the changed rows first, evidence, how to repeat it."""
    head = code(report.head)
    lines = [f"### plugpull: {escaped(report.framework)} {head} against {report.base}", ""]
    lines += [f"**{report.headline}.**", ""]
    changed = [line for line in report.lines if line.state != UNCHANGED]
    if changed:
        lines += [f"| | result | {report.base} | {head} |", "| --- | --- | --- | --- |"]
        lines += [_row(line) for line in changed]
        lines += [""]
    for one in report.unprepared:
        word = "not compared" if one.excused else f"**{COULD_NOT}**"
        lines.append(f"- {word}: {code(one.version)} on Python {one.python}: {escaped(one.reason)}")
    lines += [""] if report.unprepared else []
    lines += [*_compared(report), ""]
    for line in changed:
        lines += [*_evidence(line, report), ""]
    same = [line for line in report.lines if line.state == UNCHANGED]
    if same:
        lines += ["<details><summary>Unchanged</summary>", ""]
        lines += [f"- {code(f'py{line.pythons}/{line.name}')}: {line.base}" for line in same]
        lines += ["", "</details>", ""]
    lines += ["To repeat it, in a checkout of plugpull:", "", "```console"]
    return "\n".join([*lines, f"$ {report.command}", "```", ""])


def _row(line: Line) -> str:
    name = code(f"py{line.pythons}/{line.name}")
    reason = f"<br>{escaped(line.reason)}" if line.reason else ""
    return f"| **{line.state}** | {name}{reason} | {line.base} | {line.head} |"


def _compared(report: CheckReport) -> list[str]:
    """What exactly was under test."""
    origin = report.origin
    where = code(origin.where)
    checked = f"{where}, {code(origin.ref)} at {origin.identity}" if origin.kind == GIT else where
    if origin.head:
        checked += f", whose last commit is {origin.head}"
    lines = [
        f"- checked: {checked}" + (f", in {code(origin.subdirectory)}" * bool(origin.subdirectory)),
        f"- it says that its version is {origin.version}",
        f"- compared with: {report.base}, {escaped(report.why)}",
        f"- packages as of {report.as_of or 'now'}, the same for both",
    ]
    lines += [f"- {escaped(note)}" for note in report.notes]
    for python, found in report.packages.items():
        names = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in found.items())
        lines.append(f"- different as well, on Python {python}: {escaped(names)}")
    if any(row.varies for row in report.rows):
        lines.append(
            f"- shares of failed runs differ beyond chance at the level of {SURE:g} (Fisher's "
            f"exact test, {LOOKS} looks at most, each at a part of that level), or are called "
            f"{TIMING}; at most {report.most_runs} runs of each"
        )
    return lines


def _evidence(line: Line, report: CheckReport) -> list[str]:
    row = line.rows[-1]
    name = escape(f"py{row.python}/{row.name}")
    lines = [f"<details><summary>Evidence: <code>{name}</code></summary>", ""]
    for version, side in ((report.base, row.base), (report.head, row.head)):
        if side is not None:
            lines += [
                f"{code(version)}: {side.shown}. {escaped(str(side.raw.get('detail') or ''))}"
            ]
            lines += ["", "```json", _told(side), "```", ""]
    return [*lines, "</details>"]


def _told(side: Side) -> str:
    evidence = side.raw.get("evidence")
    facts: dict[str, Any] = evidence if isinstance(evidence, dict) else {}
    told = {name: value for name, value in facts.items() if len(json.dumps(value)) <= _LONGEST}
    return json.dumps(told, indent=1, ensure_ascii=False).replace("```", "'''")
