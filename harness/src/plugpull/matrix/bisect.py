"""``nox -s bisect``: which release, or which commit, changed a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.bisect_bench import CellBench, Setting
from plugpull.matrix.bisect_options import parse_bisect_options
from plugpull.matrix.bisect_report import Explained, report_json, report_lines
from plugpull.matrix.bisect_rows import commits_between, releases_between
from plugpull.matrix.bisection import search
from plugpull.matrix.causes import Cause, differences, find_cause
from plugpull.matrix.declaration import read_declaration, undeclared
from plugpull.matrix.files import clear_abandoned, write_json
from plugpull.matrix.following import follow, split_id
from plugpull.matrix.freshness import state_folder
from plugpull.matrix.handover import check_writable
from plugpull.matrix.index import OnlineIndex
from plugpull.matrix.interpreters import Interpreter, find_all
from plugpull.matrix.manifests import HARNESS
from plugpull.matrix.plan import now_utc
from plugpull.matrix.references import GIT, Reference, parse_reference
from plugpull.matrix.results import BadFile, read_cell_file
from plugpull.matrix.sources import Sources
from plugpull.matrix.versions import supports

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from plugpull.matrix.bisect_options import BisectOptions
    from plugpull.matrix.bisect_rows import Candidate
    from plugpull.matrix.bisection import Change
    from plugpull.matrix.declared import Declaration, Framework
    from plugpull.matrix.index import Index, Release

__all__ = ["SEVERAL_EXIT", "bisect", "run_bisection"]

#: The change is in one of several versions that could not be told apart.
SEVERAL_EXIT = 1


def bisect(posargs: Sequence[str], *, root: Path, cwd: Path) -> int:
    """Read the posargs, search, and print what was found.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout.
        cwd: The folder in which nox was started.

    Returns:
        The exit code: 0 if every change was found, :data:`SEVERAL_EXIT` if one could not be
        narrowed down to one version.

    Raises:
        PlugpullError: There is nothing to search, or nothing to be found.
    """
    options = parse_bisect_options(posargs, root=root, cwd=cwd)
    return run_bisection(options, root=root, index=_Remembering(OnlineIndex()), say=_say)


def run_bisection(
    options: BisectOptions, *, root: Path, index: Index, say: Callable[[str], None]
) -> int:
    """See :func:`bisect`.

    Args:
        options: The posargs.
        root: The checkout.
        index: Asked for releases.
        say: Called with every line of the report.
    """
    targets = root / "targets"
    declaration = read_declaration(Path(options.matrix.matrix), targets)
    framework, python, what = _asked(options, declaration, targets)
    followed = follow(what, framework.target, _known_points(options, framework))
    pythons = (python,) if python else declaration.pythons
    found = find_all(pythons, download=options.matrix.download_python)
    there = [each for each in found.values() if isinstance(each, Interpreter)]
    clear_abandoned(state_folder(root).root)
    sources = Sources(state_folder(root).root, {each.python: each for each in there})
    row, ends, notes = _row(options, framework, index, sources)
    interpreter = _interpreter(pythons, there, ends)
    check_writable(Path(options.matrix.results))
    setting = Setting(
        root=root,
        options=options.matrix,
        declaration=declaration,
        framework=framework,
        python=interpreter,
        follow=followed,
        index=index,
        sources=sources,
        now=now_utc(),
    )
    say(
        f"plugpull bisect: {followed.text} on {framework.name}, {row[0].text} to {row[-1].text}, "
        f"{len(row)} {'commits' if options.path else 'releases'}, Python {interpreter.python}"
    )
    for note in notes:
        say(f"  {note}")
    bench = CellBench(setting, row, say=say)
    outcome = search(len(row), bench)
    explained = [_explained(bench, change) for change in outcome.changes]
    for line in report_lines(setting, bench, outcome, explained):
        say(line)
    write_json(setting.results / "bisect.json", report_json(setting, bench, outcome, explained))
    return SEVERAL_EXIT if any(change.between for change in outcome.changes) else 0


class _Remembering:
    """An index that is asked once for each project."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[str, tuple[Release, ...]] = {}

    def releases(self, project: str) -> tuple[Release, ...]:
        if project not in self._known:
            self._known[project] = self._index.releases(project)
        return self._known[project]


def _asked(
    options: BisectOptions, declaration: Declaration, targets: Path
) -> tuple[Framework, str, str]:
    """The framework, the Python if one is named, and what to follow."""
    frameworks = {framework.name: framework for framework in declaration.frameworks}
    given = options.framework.strip("/")
    name, python, rest = split_id(given, frameworks)
    if not name:
        name, _, rest = given.partition("/")
    framework = frameworks.get(name) or undeclared(name, declaration, targets, "bisect")
    if framework.target.distribution == HARNESS:
        raise UsageError(f"{name} comes with the harness: it has no releases of its own")
    if rest and options.what:
        raise UsageError(
            f"{options.framework} and {options.what} both say what to follow", then="give one"
        )
    return framework, options.python or python, options.what or rest


def _known_points(options: BisectOptions, framework: Framework) -> set[str]:
    """The fault points that earlier results of a framework have, and their details."""
    points: set[str] = set()
    for path in (Path(options.matrix.results) / "cells").glob(f"{framework.name}-*.json"):
        try:
            file = read_cell_file(path).standing
        except BadFile:
            continue
        for raw in file.raw if file else ():
            points.update({str(raw["kill_point"]), str(raw.get("point_detail") or "")} - {""})
    return points


def _row(
    options: BisectOptions, framework: Framework, index: Index, sources: Sources
) -> tuple[list[Candidate], list[Release], list[str]]:
    """The row, its two ends if they are releases, and what is left out of it."""
    distribution = framework.target.distribution
    if options.path is None:
        releases = index.releases(distribution)
        row, notes = releases_between(
            releases, options.start, options.end, project=distribution, pre=options.pre
        )
        by_version = {release.version: release for release in releases}
        return row, [by_version[row[0].name], by_version[row[-1].name]], notes
    parsed = parse_reference(options.path, options.cwd)
    if parsed is None or parsed.kind not in {"path", GIT}:
        raise UsageError(f"--path {options.path}: a clone is needed, not a file")
    reference = Reference(GIT, parsed.where, "HEAD", parsed.subdirectory)
    repository = sources.repository(reference)
    return commits_between(repository, reference, options.start, options.end or "HEAD"), [], []


def _interpreter(
    pythons: Sequence[str], there: Sequence[Interpreter], ends: Sequence[Release]
) -> Interpreter:
    """The newest Python that is there and that both ends can run under."""
    fitting = [
        each
        for each in there
        if not any(supports(release, each.python, each.version) for release in ends)
    ]
    if fitting:
        return max(fitting, key=lambda each: [int(part) for part in each.python.split(".")])
    if not there:
        raise PlugpullError(
            f"no Python to run it under: none of {', '.join(pythons)} was found",
            then="install one of them, or add --download-python",
        )
    reasons = [
        f"{release.version} {reason}"
        for release in ends
        if (reason := supports(release, there[-1].python, there[-1].version))
    ]
    raise UsageError(
        f"no Python fits both ends of the range: {'; '.join(reasons)}",
        then="choose another range, or another --python",
    )


def _explained(bench: CellBench, change: Change) -> Explained:
    older, newer = bench.tried[change.before], bench.tried[change.at]
    own = bench.setting.framework.target.distribution
    others = differences(older.lock, newer.lock, own)
    if change.between:
        text = "which one it was was not tried: there are versions in between"
        return Explained(change, others, Cause("unknown", text))
    if others:
        bench.say(f"  trying {bench.row[change.at].name} with what was there before ...")
    return Explained(change, others, find_cause(bench, older, newer, change.followed, others))


def _say(line: str) -> None:
    print(line, flush=True)
