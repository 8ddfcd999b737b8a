"""The cells of an upgrade table: versions of one framework, and the Python of each pair."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from plugpull.errors import UsageError
from plugpull.matrix.declaration import read_declaration, undeclared
from plugpull.matrix.entries import parse_entry
from plugpull.matrix.expansion import expand, rfc3339
from plugpull.matrix.files import clear_abandoned
from plugpull.matrix.freshness import state_folder
from plugpull.matrix.interpreters import find_all
from plugpull.matrix.manifests import UPGRADE, answers
from plugpull.matrix.pairs import ALL, choose_pairs, named_versions
from plugpull.matrix.plan import Plan, now_utc
from plugpull.matrix.sources import Sources
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.declared import Declaration, Framework
    from plugpull.matrix.entries import Entry
    from plugpull.matrix.index import Index
    from plugpull.matrix.planning import Finder
    from plugpull.matrix.upgrade_options import UpgradeOptions

__all__ = ["Skipped", "UpgradePlan", "plan_upgrade"]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A pair that cannot be tried at all.

    Attributes:
        saves: The version that would save.
        goes_on: The version that would go on.
        reason: Why not.
    """

    saves: str
    goes_on: str
    reason: str


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What an upgrade table is made from.

    Attributes:
        framework: The framework's name.
        title: Its name in prose.
        plan: All cells of the versions.
        versions: The versions, the oldest first.
        pairs: The cell that saves and the cell that goes on, under one Python.
        alone: One cell a version, for what needs no pair: the newest Python it supports.
        skipped: What cannot be tried.
    """

    framework: str
    title: str
    plan: Plan
    versions: tuple[str, ...]
    pairs: tuple[tuple[Cell, Cell], ...]
    alone: tuple[Cell, ...]
    skipped: tuple[Skipped, ...]


def plan_upgrade(
    options: UpgradeOptions, *, root: Path, index: Index, find: Finder | None = None
) -> UpgradePlan:
    """Resolve versions, pairs and Pythons, once.

    Args:
        options: The posargs.
        root: The checkout.
        index: Where releases are looked up.
        find: Finds the interpreters. :func:`find_all` if not given.

    Raises:
        UsageError: The framework, a version, a pair or a Python cannot be meant.
        PlugpullError: The index cannot be asked.
    """
    targets = root / "targets"
    declaration = read_declaration(Path(options.matrix.matrix), targets)
    framework = _framework(options, declaration, targets)
    if not answers(targets, framework.target.name, UPGRADE):
        raise UsageError(
            f"{framework.name} cannot be asked what becomes of saved runs",
            why=f"its target declares no scenario {UPGRADE}",
            then="docs/add-a-target.md says what a target does for it",
        )
    _check_variants(options.variants, framework)
    pairs = options.pairs or framework.pairs or (ALL,)
    framework = _with_versions(framework, options, pairs)
    if options.versions or options.pairs:
        declaration = replace(declaration, excludes=())
    download = options.matrix.download_python
    found = find(framework.pythons) if find else find_all(framework.pythons, download=download)
    moment = now_utc()
    state = state_folder(root).root
    clear_abandoned(state)
    cells = expand(
        [framework],
        declaration,
        index,
        found,
        now=moment,
        as_of=options.matrix.as_of,
        sources=Sources(state, found),
    )
    if options.versions or options.pairs:
        # Whoever names a version wants to know at once that it leads nowhere.
        for cell in cells:
            if cell.impossible is not None:
                raise UsageError(f"{cell.asked}: {cell.impossible}")
    plan = Plan(
        cells=tuple(cells),
        options=options.matrix,
        created=rfc3339(moment.replace(microsecond=0)),
        results=Path(options.matrix.results),
        root=root,
        interpreters=dict(found),
    )
    versions = _ordered({cell.version for cell in cells})
    chosen = [] if options.states else choose_pairs(pairs, versions, _meaning(cells))
    return _paired(framework, plan, versions, chosen)


def _framework(options: UpgradeOptions, declaration: Declaration, targets: Path) -> Framework:
    known = {framework.name: framework for framework in declaration.frameworks}
    framework = known.get(options.framework)
    if framework is None:
        there = sorted(path.parent.name for path in targets.glob("*/target.json"))
        if options.framework not in there or options.framework == "control":
            raise UsageError(
                f"there is no framework {options.framework}",
                then=suggestion(options.framework, [*known, *there])
                or f"there are: {', '.join(known)}",
            )
        framework = undeclared(options.framework, declaration, targets)
    if options.python is not None and options.python not in framework.pythons:
        raise UsageError(
            f"--python {options.python}: {framework.name} is not declared for it",
            then=f"it is declared for: {', '.join(framework.pythons)}",
        )
    pythons = (options.python,) if options.python else framework.pythons
    return replace(framework, pythons=pythons)


def _check_variants(names: Iterable[str], framework: Framework) -> None:
    there = [name for name, asked in framework.target.variants if not asked or UPGRADE in asked]
    if unknown := [name for name in names if name not in there]:
        raise UsageError(
            f"--variant {unknown[0]}: {framework.name} has no such variant that saves runs",
            then=suggestion(unknown[0], there) or f"there are: {', '.join(there)}",
        )


def _with_versions(
    framework: Framework, options: UpgradeOptions, pairs: Sequence[str]
) -> Framework:
    """The framework in the versions that were asked for: listed, named by pairs, or declared."""

    def understood(text: str) -> bool:
        try:
            parse_entry(text, options.work_from)
        except ValueError:
            return False
        return True

    texts = options.versions or (options.pairs and named_versions(pairs, understood)) or ()
    if not texts:
        return framework
    declared = {entry.text: entry for entry in framework.entries}
    entries: list[Entry] = []
    for text in texts:
        try:
            entry = declared.get(text) or parse_entry(text, options.work_from)
        except ValueError as error:
            raise UsageError(f"{text}: {error}") from error
        if all(entry.meaning != there.meaning for there in entries):
            entries.append(entry)
    return replace(framework, entries=tuple(entries), default=())


def _meaning(cells: Iterable[Cell]) -> Callable[[str], Sequence[str]]:
    """What a name in a pair leads to: a version, or the entry that led to versions."""
    known: dict[str, dict[str, None]] = {}
    for cell in cells:
        for name in (cell.version, *cell.asked.split(", ")):
            known.setdefault(name, {})[cell.version] = None

    def meaning(name: str) -> Sequence[str]:
        return list(known.get(re.sub(r"\s*,\s*", ",", name.strip()), ()))

    return meaning


def _ordered(versions: Iterable[str]) -> tuple[str, ...]:
    """The oldest first; what is no release comes last."""

    def place(version: str) -> tuple[int, Version, str]:
        try:
            return 0, Version(version), version
        except InvalidVersion:
            return 1, Version("0"), version

    return tuple(sorted(versions, key=place))


def _paired(
    framework: Framework, plan: Plan, versions: tuple[str, ...], chosen: Sequence[tuple[str, str]]
) -> UpgradePlan:
    """Give each pair the newest Python that both versions can be run under."""
    newest = sorted(framework.pythons, key=lambda text: tuple(map(int, text.split("."))))[::-1]
    cells = {(cell.version, cell.python): cell for cell in plan.cells}
    pairs, skipped = [], []
    for saves, goes_on in chosen:
        for python in newest:
            two = cells[saves, python], cells[goes_on, python]
            if all(plan.not_run(cell) is None for cell in two):
                pairs.append(two)
                break
        else:
            two = cells[saves, newest[0]], cells[goes_on, newest[0]]
            why = {cell.id: plan.not_run(cell) for cell in two}
            reason = "; ".join(f"{name}: {said}" for name, said in why.items() if said)
            skipped.append(Skipped(saves, goes_on, reason or "no Python that both support"))
    alone = []
    for version in versions:
        able = [cells[version, py] for py in newest if plan.not_run(cells[version, py]) is None]
        if able:
            alone.append(able[0])
        elif not chosen:
            reason = plan.not_run(cells[version, newest[0]]) or ""
            skipped.append(Skipped(version, version, reason))
    return UpgradePlan(
        framework=framework.name,
        title=framework.target.title,
        plan=plan,
        versions=versions,
        pairs=tuple(pairs),
        alone=tuple(alone),
        skipped=tuple(skipped),
    )
