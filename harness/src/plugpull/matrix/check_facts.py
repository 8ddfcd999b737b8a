"""What a reader of a check needs besides verdicts: other packages that differ, how to repeat it."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from plugpull.matrix.references import GIT, PATH

if TYPE_CHECKING:
    from plugpull.matrix.check_options import CheckOptions
    from plugpull.matrix.check_plan import CheckPlan
    from plugpull.matrix.results import CellFile

__all__ = ["command_to_repeat", "differing_packages"]


def differing_packages(
    base: CellFile, head: CellFile, ours: set[str]
) -> dict[str, tuple[str, str]]:
    """Packages that the two have in different versions, besides what is under test."""
    two = [_locked(file) for file in (base, head)]
    names = sorted({*two[0], *two[1]} - ours)
    pairs = {name: (two[0].get(name, "absent"), two[1].get(name, "absent")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _locked(file: CellFile) -> dict[str, str]:
    lines = file.cell.get("lock")
    found = {}
    for line in lines if isinstance(lines, list) else ():
        match = re.match(r"([A-Za-z0-9._-]+)(?:\[.*?\])?==([^\s;]+)", str(line))
        if match:
            found[match[1]] = match[2]
    return found


def command_to_repeat(asked: CheckPlan, options: CheckOptions) -> str:
    """The command that repeats this check, whatever its names lead to by then."""
    origin, reference = asked.head.origin, asked.head.reference
    words = ["nox", "-s", "check", "--", asked.framework.name]
    if reference.kind == GIT:
        words += ["--ref", origin.identity, "--repo", origin.where]
    else:
        words += ["--path" if reference.kind == PATH else "--wheel", origin.where]
    if reference.subdirectory:
        words += ["--subdirectory", reference.subdirectory]
    for member in options.members:
        words += ["--with", member]
    words += ["--base", options.base or asked.base]
    words += ["--as-of", options.matrix.as_of or asked.plan.created[:10]]
    for python in options.matrix.python:
        words += ["--python", python]
    for only in options.matrix.only:
        words += ["--only", only]
    words += ["--all"] if options.matrix.all else []
    return shlex.join(words)
