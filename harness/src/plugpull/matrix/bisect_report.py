"""What ``bisect`` says in the end, for people and as JSON."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.bisect_bench import CellBench, Setting, Trial
    from plugpull.matrix.bisect_rows import Candidate
    from plugpull.matrix.bisection import Change, Outcome
    from plugpull.matrix.causes import Cause, Difference

__all__ = ["Explained", "report_json", "report_lines"]

#: So many differing packages stand in the report; the JSON file has them all.
_NAMED = 12


@dataclass(frozen=True, slots=True)
class Explained:
    """A change with all that is known of it.

    Attributes:
        change: Where it is.
        others: What else differs between the two versions' environments.
        cause: What was found out about that.
    """

    change: Change
    others: tuple[Difference, ...]
    cause: Cause


def report_lines(
    setting: Setting, bench: CellBench, outcome: Outcome, explained: Sequence[Explained]
) -> list[str]:
    """The report."""
    lines = []
    for each in explained:
        lines += ["", *_change_lines(setting, bench, each)]
    lines.append("")
    row = bench.row
    if outcome.unchanged:
        lines.append(f"unchanged: {', '.join(outcome.unchanged)}")
    if outcome.chance:
        lines.append(f"different by no more than chance: {', '.join(outcome.chance)}")
    if outcome.one_sided:
        lines.append(f"not at both ends: {', '.join(outcome.one_sided)}")
    ran = [trial for trial in bench.tried.values() if not trial.measured.unusable]
    kept = sum(trial.kept for trial in ran)
    noun = "commits" if row[0].entry.reference else "releases"
    lines.append(
        f"{len(ran)} of {len(row)} {noun} tried"
        f"{f', {kept} of them measured earlier' if kept else ''}; "
        f"the results are in {setting.results / 'cells'}"
    )
    return lines


def report_json(
    setting: Setting, bench: CellBench, outcome: Outcome, explained: Sequence[Explained]
) -> dict[str, Any]:
    """The content of ``bisect.json``."""
    row = bench.row
    return {
        "bisect": 1,
        "framework": setting.framework.name,
        "followed": setting.follow.text,
        "python": setting.python.version,
        "from": row[outcome.low].name,
        "to": row[outcome.high].name,
        "changes": [_change_json(bench, each) for each in explained],
        "unchanged": list(outcome.unchanged),
        "by_chance": list(outcome.chance),
        "not_at_both_ends": list(outcome.one_sided),
        "row": [
            {**_named(candidate), **(_trial_json(bench.tried[at]) if at in bench.tried else {})}
            for at, candidate in enumerate(row)
        ],
    }


def _change_lines(setting: Setting, bench: CellBench, each: Explained) -> list[str]:
    change, row = each.change, bench.row
    new, old = row[change.at], row[change.before]
    name = setting.framework.name
    if change.between:
        lines = [f"{name} changed after {old.text} and not later than in {new.text}"]
        lines += [
            f"  in between: {row[at].text}: {bench.tried[at].measured.unusable or 'undecided'}"
            for at in change.between
        ]
    else:
        lines = [f"{name} {new.text} is the first that changed"]
    if new.about:
        lines.append(f"  {new.about}")
    for followed in change.followed:
        before = bench.tried[change.before].measured.tallies[followed]
        after = bench.tried[change.at].measured.tallies[followed]
        lines.append(f"  {followed}: {before.text} -> {after.text}")
        lines.append(f"      {after.detail if after.failed else before.detail}")
    lines.append(f"  before it: {old.text}")
    if each.others:
        lines.append(f"  what else differs between the two: {_differing(each.others)}")
    lines.append(f"  {each.cause.text}")
    lines += [f"  seen with: {_repeat(setting, candidate)}" for candidate in (old, new)]
    return lines


def _differing(others: tuple[Difference, ...]) -> str:
    shown = ", ".join(each.text for each in others[:_NAMED])
    more = len(others) - _NAMED
    return f"{shown}{f' and {more} more' if more > 0 else ''}"


def _repeat(setting: Setting, candidate: Candidate) -> str:
    """The command that shows one side again."""
    name = setting.framework.name
    follow = setting.follow
    version = candidate.name if candidate.entry.reference is None else f"git.{candidate.name}"
    asked = f"{name}=={candidate.name}"
    if candidate.entry.reference is not None:
        asked = f"{name}@{candidate.entry.text}"
    front = f"{name}-{version}/py{setting.python.python}"
    only = [part for scenario in follow.scenarios for part in ("--only", f"{front}/{scenario}")]
    return f"nox -s matrix -- {shlex.join(['--add', asked, *only])}"


def _change_json(bench: CellBench, each: Explained) -> dict[str, Any]:
    change, row = each.change, bench.row
    tried = bench.tried
    return {
        "before": _named(row[change.before]),
        "first": _named(row[change.at]),
        "between": [
            {**_named(row[at]), "why": tried[at].measured.unusable or "undecided"}
            for at in change.between
        ],
        "changed": {
            name: {
                side: {"verdict": tally.verdict, "failed": tally.failed, "runs": tally.runs}
                for side, tally in (
                    ("before", tried[change.before].measured.tallies[name]),
                    ("after", tried[change.at].measured.tallies[name]),
                )
            }
            for name in change.followed
        },
        "other_packages": {each.name: [each.before, each.after] for each in each.others},
        "cause": {
            "kind": each.cause.kind,
            "text": each.cause.text,
            "packages": [package.name for package in each.cause.packages],
        },
    }


def _trial_json(trial: Trial) -> dict[str, Any]:
    if trial.measured.unusable:
        return {"stepped_past": trial.measured.unusable}
    return {"verdicts": {name: tally.text for name, tally in trial.measured.tallies.items()}}


def _named(candidate: Candidate) -> dict[str, str]:
    fields = {"name": candidate.name, "date": candidate.date, "about": candidate.about}
    return {name: value for name, value in fields.items() if value}
