"""What stands beneath the table: every distinct reason once, with the ids it is the reason for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugpull.matrix.expected import EXPECTED
from plugpull.matrix.idlines import Ids, written
from plugpull.matrix.model import pythons_label
from plugpull.matrix.records import ERROR, NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.compare import Change
    from plugpull.matrix.records import CellRecord, Collected
    from plugpull.matrix.results import Result

__all__ = ["Block", "Entry", "explain"]

#: How often it came out that way stands behind each id, added up over the Pythons.
_COUNTED = re.compile(r" \([A-Z]+ in \d+ of \d+ runs\)$")

# A name that was drawn by lot, as the ids of calls are: the same finding has another one each time.
_DRAWN = re.compile(r"[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# The line of a traceback that names the error: notes may follow it.
_RAISED = re.compile(r"[A-Za-z_][\w.]*: ")
#: So much of the error that a process crashed with stands beneath a FAIL.
ERROR_CHARACTERS = 300
#: Lines of an agent's standard error that stand beneath an ERROR.
STDERR_LINES = 6
#: Lines of uv's last words there. The cell's file has more of them.
WORDS_LINES = 15


@dataclass(frozen=True, slots=True)
class Entry:
    """One reason.

    Attributes:
        text: The reason, one line. It may end in a link.
        ids: What it is the reason for. ``py*`` stands for all Pythons of that version.
        words: What a program said, line by line.
    """

    text: str
    ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """Reasons of one kind.

    Attributes:
        title: What they are the reasons for.
        kind: ``PASS``, ``FAIL``, ``expected``, ``ERROR``, or ``""``.
        entries: Never empty.
    """

    title: str
    kind: str
    entries: tuple[Entry, ...]


def explain(collected: Collected) -> tuple[Block, ...]:
    """Everything that is said beneath the table, the most urgent last, where eyes are."""
    ids = Ids(collected)
    blocks = [
        Block("notes", "", tuple(_notes(collected.cells))),
        Block("not supported", "", tuple(_not_supported(collected.cells))),
        *_expected(collected, ids),
        Block("FAIL", "FAIL", tuple(_results(collected, "FAIL", ids))),
        *_not_as_expected(collected, ids),
        Block("not run", "ERROR", tuple(_cells(collected.cells, NOT_RUN, ids))),
        Block("ERROR", "ERROR", tuple(_errors(collected, ids))),
        Block("files left out", "ERROR", tuple(_problems(collected))),
        *_comparison(collected),
    ]
    return tuple(block for block in blocks if block.entries)


def _results(collected: Collected, verdict: str, ids: Ids) -> list[Entry]:
    by_reason: dict[tuple[str, str], list[Result]] = {}
    for result in collected.results:
        if result.verdict == verdict and result.expected != EXPECTED:
            detail = _DRAWN.sub("…", _COUNTED.sub("", result.detail))
            by_reason.setdefault((detail, _crashed_with(result)), []).append(result)
    entries = []
    for (detail, error), results in by_reason.items():
        lines = tuple(written(results, ids))
        words = _stderr(results[0]) if verdict == "ERROR" else tuple(filter(None, [error]))
        entries.append(Entry(detail, lines, words))
    return entries


def _crashed_with(result: Result) -> str:
    """The error that a process ended with, where the reason does not say it; else ``""``."""
    if result.verdict != "FAIL" or result.outcome != "crashed":
        return ""
    said = _stderr(result)
    error = next((line for line in reversed(said) if _RAISED.match(line)), "".join(said[-1:]))
    error = _DRAWN.sub("…", error)
    known = error.partition(": ")[2] or error
    return "" if known and known in result.detail else error[:ERROR_CHARACTERS]


def _expected(collected: Collected, ids: Ids) -> list[Block]:
    """FAILs that are expected, each with the entry's reason instead of the harness's own."""
    if collected.judged is None:
        return []
    entries = [
        Entry(each.entry.text, _lines(collected, each.ids, ids)) for each in collected.judged.met
    ]
    return [Block(f"* expected ({collected.judged.path.name})", EXPECTED, tuple(entries))]


def _not_as_expected(collected: Collected, ids: Ids) -> list[Block]:
    judged = collected.judged
    if judged is None:
        return []
    stale = [
        Entry(
            f"{each.entry.place}: expected to fail, and passes: {each.entry.text}",
            _lines(collected, each.ids, ids),
        )
        for each in judged.stale
    ]
    unmatched = [Entry(f"{entry.place}: {what}") for entry, what in judged.unmatched]
    return [
        Block("stale expectations", "FAIL", tuple(stale)),
        Block("expectations that match nothing", "ERROR", tuple(unmatched)),
    ]


def _lines(collected: Collected, wanted: Sequence[str], ids: Ids) -> tuple[str, ...]:
    results = [result for result in collected.results if result.id in wanted]
    return tuple(written(results, ids))


def _stderr(result: Result) -> tuple[str, ...]:
    evidence = result.raw["evidence"]
    reported = evidence.get("reported")
    # Where nothing else was said, `inspect` may have: what it says stands beside what it reports.
    asked = reported.get("stderr") if isinstance(reported, dict) else None
    said = evidence.get("stderr") or asked
    lines = said.splitlines() if isinstance(said, str) else []
    return tuple(line for line in lines if line.strip())[-STDERR_LINES:]


def _errors(collected: Collected, ids: Ids) -> list[Entry]:
    cells = _cells(collected.cells, ERROR, ids)
    return [*cells, *_results(collected, "ERROR", ids)]


def _cells(cells: Sequence[CellRecord], state: str, ids: Ids) -> list[Entry]:
    by_reason: dict[tuple[str, str], list[CellRecord]] = {}
    for cell in cells:
        if cell.state == state:
            by_reason.setdefault((cell.reason, cell.step), []).append(cell)
    entries = []
    for (reason, step), together in by_reason.items():
        # Names of temporary folders differ in their words; once is enough.
        words = together[0].words
        text = f"{step}: {reason}" if step and step != reason else reason
        places = ids.of((cell.framework, cell.version, "", cell.python) for cell in together)
        lines = tuple(words.splitlines()[-WORDS_LINES:]) if words.strip() != reason else ()
        entries.append(Entry(text, tuple(places), lines))
    return entries


def _not_supported(cells: Sequence[CellRecord]) -> list[Entry]:
    found: dict[str, dict[str, dict[str, None]]] = {}
    for cell in cells:
        for declared in cell.not_supported:
            what = [cell.framework, str(declared.get("scenario"))]
            if declared.get("variant"):
                what.append(str(declared["variant"]))
            if declared.get("kill_point"):
                what.append(str(declared["kill_point"]))
            text = f"{' / '.join(what)}: {declared.get('reason', '')}"
            if declared.get("link"):
                text += f" {declared['link']}"
            found.setdefault(text, {}).setdefault(cell.framework, {})[cell.version] = None
    every: dict[str, set[str]] = {}
    for cell in cells:
        every.setdefault(cell.framework, set()).add(cell.version)
    entries = []
    for text, frameworks in found.items():
        ((framework, versions),) = frameworks.items()
        ran = {
            cell.version
            for cell in cells
            if cell.framework == framework and cell.facts and not cell.words
        }
        every_one = set(versions) >= ran
        entries.append(Entry(text, () if every_one else (", ".join(versions),)))
    return entries


def _notes(cells: Sequence[CellRecord]) -> list[Entry]:
    found: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        name = f"{cell.framework} {cell.version}"
        said = [f"yanked: {cell.yanked or 'no reason given'}"] if cell.yanked is not None else []
        for note in [*said, *cell.notes]:
            found.setdefault((name, note), []).append(cell.python)
    pythons: dict[str, set[str]] = {}
    for cell in cells:
        pythons.setdefault(f"{cell.framework} {cell.version}", set()).add(cell.python)
    return [
        Entry(
            f"{name}: {note}"
            if set(where) == pythons[name]
            else f"{name} on {pythons_label(where)}: {note}"
        )
        for (name, note), where in found.items()
    ]


def _problems(collected: Collected) -> list[Entry]:
    return [Entry(f"{each.file}: {each.kind}: {each.what}") for each in collected.problems]


def _comparison(collected: Collected) -> list[Block]:
    comparison = collected.comparison
    if comparison is None:
        return []
    changed = [_change(change) for change in comparison.changed]
    title = f"compared with {comparison.baseline}: {comparison.same} as before"
    kind = "FAIL" if changed else "PASS"
    blocks = [
        Block(f"{title}, {len(changed)} changed", kind, tuple(changed or [Entry("no change")]))
    ]
    by_chance = tuple(_change(change) for change in comparison.by_chance)
    blocks.append(Block("changed, by no more than chance", "", by_chance))
    for word, identities in (("new", comparison.appeared), ("gone", comparison.gone)):
        if identities:
            text = (
                f"{len(identities)} that only {'this' if word == 'new' else 'the earlier'} run has"
            )
            blocks.append(Block(word, "", (Entry(text, identities),)))
    return blocks


def _change(change: Change) -> Entry:
    timing = " (timing-dependent)" if change.timing_dependent else ""
    text = f"{change.word}: {change.before} -> {change.after}{timing}: {change.detail}"
    return Entry(text, (change.id,))
