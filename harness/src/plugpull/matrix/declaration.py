"""``matrix.toml``: which frameworks, in which versions, under which Pythons.

A mistake is one clear error that names the file, the table and the key, and nothing runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from plugpull.errors import UsageError
from plugpull.matrix.declared import Declaration, Exclude, Framework, Rule
from plugpull.matrix.entries import Entry, is_as_of, parse_entry
from plugpull.matrix.leftout import read_left_out
from plugpull.matrix.manifests import HARNESS, check_requirement, read_target
from plugpull.matrix.npm import is_npm_package
from plugpull.matrix.references import parse_reference
from plugpull.matrix.tables import Table, read_toml, suggestion

if TYPE_CHECKING:
    from pathlib import Path

    from plugpull.matrix.manifests import TargetFacts
    from plugpull.matrix.references import Reference

__all__ = ["read_declaration", "undeclared"]

#: How often a timing-dependent variant runs if nothing else is said.
REPEAT = 5
#: The oldest Python that the harness itself runs under.
OLDEST_PYTHON = (3, 10)

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_PYTHON = re.compile(r"([0-9]+)\.([0-9]+)")


def read_declaration(path: Path, targets: Path) -> Declaration:
    """Read and check a declaration.

    Args:
        path: The TOML file.
        targets: The folder with one folder for each target.

    Raises:
        UsageError: The file, or a manifest that it needs, has a mistake.
    """
    document = read_toml(path)
    matrix = document.table("matrix")
    if matrix is None:
        document.fail("[matrix]", "is missing", 'begin with: [matrix] and python = ["3.10"]')
    pythons = _pythons(matrix, None)
    rule = Rule("", as_of=_as_of(matrix), repeat=matrix.count("repeat") or REPEAT)
    matrix.finish()
    section = document.table("framework")
    if section is None or not section.names():
        document.fail("[framework.NAME]", "is missing: no framework is declared")
    frameworks = tuple(_framework(section, name, pythons, targets) for name in section.names())
    excludes = tuple(
        _exclude(table, {framework.name: framework for framework in frameworks})
        for table in document.tables("exclude")
    )
    declared = [name for each in frameworks for name in (each.name, each.target.title)]
    left_out = read_left_out(document.tables("left-out"), declared)
    document.finish()
    return Declaration(path, pythons, frameworks, excludes, rule, left_out)


def undeclared(
    name: str, declaration: Declaration, targets: Path, option: str = "--add"
) -> Framework:
    """A framework that has a target and no place in the declaration.

    Args:
        name: Its name.
        declaration: Where it has no place.
        targets: The folder with one folder for each target.
        option: What asked for it, for an error.

    Raises:
        UsageError: There is no such target either.
    """
    known = [framework.name for framework in declaration.frameworks]
    if _NAME.fullmatch(name) is None or not (targets / name / "target.json").is_file():
        raise UsageError(
            f"{option} {name}: no such framework in {declaration.path}, nor a target of that name",
            then=suggestion(name, known) or f"known: {', '.join(known)}",
        )
    return Framework(name, read_target(targets, name), (), declaration.pythons, ())


def _framework(section: Table, name: str, pythons: tuple[str, ...], targets: Path) -> Framework:
    table = section.table(name)
    if table is None or _NAME.fullmatch(name) is None:
        section.fail(name, "a framework's name has letters, digits, and . _ - between them")
    texts = table.texts("versions")
    if not texts:
        table.fail("versions", "is missing or empty", 'for example versions = ["1.0.0", "latest"]')
    target = table.text("target") or name
    if _NAME.fullmatch(target) is None or not (targets / target / "target.json").is_file():
        there = sorted(path.parent.name for path in targets.glob("*/target.json"))
        table.fail(
            "target",
            f"{targets / target} is not there, or has no target.json",
            suggestion(target, there) or f"targets: {', '.join(there) or 'none'}",
        )
    own = _rule(table, "")
    rules = [_range_rule(inner) for inner in table.tables("when")]
    facts = read_target(targets, target)
    framework = Framework(
        name,
        facts,
        _entries(table, texts, facts),
        _pythons(table, pythons),
        (own, *rules),
        _default(table, texts),
        table.texts("pairs") or (),
        _repository(table),
        table.text("off") or "",
    )
    table.finish()
    return framework


def _entries(table: Table, texts: tuple[str, ...], target: TargetFacts) -> tuple[Entry, ...]:
    entries: list[Entry] = []
    for at, text in enumerate(texts):
        key = f"versions[{at}]"
        try:
            entry = parse_entry(text, table.path.parent)
        except ValueError as error:
            table.fail(key, str(error))
        if entry.harness != (target.distribution == HARNESS):
            table.fail(
                key,
                f'"{text}" does not go with {target.name}, which installs {target.distribution}',
                '"harness" is the one version of a target that comes with the harness',
            )
        for earlier in entries:
            if earlier.meaning == entry.meaning:
                table.fail(key, f'"{text}" says the same as "{earlier.text}" before it')
        entries.append(entry)
    return tuple(entries)


def _default(table: Table, versions: tuple[str, ...]) -> tuple[str, ...]:
    texts = table.texts("default") or ()
    for at, text in enumerate(texts):
        if text not in versions:
            table.fail(f"default[{at}]", f'"{text}" is not among versions', "add it there first")
    return texts


def _repository(table: Table) -> Reference | None:
    text = table.text("repository")
    if text is None:
        return None
    try:
        found = parse_reference(f"git+{text}", table.path.parent)
    except ValueError as error:
        table.fail("repository", str(error))
    if found is not None and found.ref != "HEAD":
        table.fail("repository", f'"{text}" names a ref, which is for whoever asks to say')
    return found


def _rule(table: Table, versions: str) -> Rule:
    return Rule(
        versions,
        _requirements(table, "with"),
        _requirements(table, "constraints"),
        _as_of(table),
        table.count("repeat"),
        _npm(table),
    )


def _range_rule(table: Table) -> Rule:
    rule = _rule(table, _specifier(table, "versions", needed=True))
    if rule == Rule(rule.versions):
        table.fail("", "adjusts nothing", "give it with, constraints, as-of, repeat or npm")
    table.finish()
    return rule


def _exclude(table: Table, frameworks: dict[str, Framework]) -> Exclude:
    name = table.text("framework")
    if name is None:
        table.fail("framework", "is missing")
    if name not in frameworks:
        known = suggestion(name, frameworks) or f"declared: {', '.join(frameworks)}"
        table.fail("framework", f"there is no [framework.{name}]", known)
    python = table.text("python")
    if python is not None and python not in frameworks[name].pythons:
        there = ", ".join(frameworks[name].pythons)
        table.fail("python", f'matches nothing: {name} has no cell for "{python}"', f"has: {there}")
    versions = _specifier(table, "versions", needed=False)
    reason = table.text("reason")
    if reason is None:
        table.fail("reason", "is missing: whoever reads the table wants to know why")
    table.finish()
    return Exclude(f"{table.path}: {table.name}", name, versions, python, reason)


def _pythons(table: Table, within: tuple[str, ...] | None) -> tuple[str, ...]:
    texts = table.texts("python")
    if texts is None and within is not None:
        return within
    if not texts:
        table.fail("python", "is missing or empty", 'for example python = ["3.12", "3.13"]')
    for at, text in enumerate(texts):
        key = f"python[{at}]"
        match = _PYTHON.fullmatch(text)
        if match is None:
            table.fail(key, f'"{text}" is no Python', 'write major.minor, for example "3.13"')
        if (int(match[1]), int(match[2])) < OLDEST_PYTHON:
            table.fail(key, f'"{text}" is too old: the harness itself needs Python 3.10')
        if text in texts[:at]:
            table.fail(key, f'"{text}" is there twice')
        if within is not None and text not in within:
            table.fail(key, f'"{text}" is not among the Pythons of [matrix]', "add it there first")
    return texts


def _as_of(table: Table) -> str | None:
    value = table.day("as-of")
    if value is not None and not is_as_of(value):
        table.fail("as-of", f'"{value}" is not "release", "today" or a date like "2026-03-15"')
    return value


def _specifier(table: Table, key: str, *, needed: bool) -> str:
    text = table.text(key)
    if text is None:
        if needed:
            table.fail(key, "is missing", 'for example versions = "<1.0"')
        return ""
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        table.fail(key, f'"{text}" is no specifier (PEP 440)', 'for example "<1.0" or "==1.2.3"')


def _npm(table: Table) -> tuple[str, ...]:
    texts = table.texts("npm") or ()
    for at, text in enumerate(texts):
        if not is_npm_package(text):
            table.fail(
                f"npm[{at}]",
                f'"{text}" is no version of a package',
                'for example "@org/name@1.2.3"',
            )
    return texts


def _requirements(table: Table, key: str) -> tuple[str, ...]:
    texts = table.texts(key) or ()
    for at, text in enumerate(texts):
        check_requirement(text, f"{table.path}: {table.name} {key}[{at}]")
    return texts
