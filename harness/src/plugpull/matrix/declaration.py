"""``matrix.toml``: which frameworks, in which versions, under which Pythons.

A mistake is one clear error that names the file, the table and the key, and nothing runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix import fields
from plugpull.matrix.declared import Declaration, Exclude, Framework, Rule
from plugpull.matrix.entries import Entry, parse_entry
from plugpull.matrix.leftout import read_left_out
from plugpull.matrix.manifests import HARNESS, read_target
from plugpull.matrix.tables import Table, read_toml, suggestion

if TYPE_CHECKING:
    from pathlib import Path

    from plugpull.matrix.manifests import TargetFacts

__all__ = ["read_declaration", "undeclared"]

#: How often a timing-dependent variant runs if nothing else is said.
REPEAT = 5

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


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
    pythons = fields.pythons(matrix, None)
    older = fields.pythons(matrix, pythons, "older-python")
    rule = Rule("", as_of=fields.as_of(matrix), repeat=matrix.count("repeat") or REPEAT)
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
    return Declaration(path, pythons, frameworks, excludes, rule, left_out, older)


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
    facts = read_target(targets, target)
    own = _rule(table, "", facts.distribution)
    rules = [_range_rule(inner, facts.distribution) for inner in table.tables("when")]
    entries = _entries(table, texts, facts)
    framework = Framework(
        name,
        facts,
        entries,
        fields.pythons(table, pythons),
        (own, *rules),
        fields.default(table, texts),
        fields.pairs(table, entries),
        fields.repository(table),
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


def _rule(table: Table, versions: str, own: str) -> Rule:
    return Rule(
        versions,
        fields.requirements(table, own),
        fields.constraints(table),
        fields.as_of(table),
        table.count("repeat"),
        fields.npm(table),
    )


def _range_rule(table: Table, own: str) -> Rule:
    rule = _rule(table, fields.specifier(table, "versions", needed=True), own)
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
    versions = fields.specifier(table, "versions", needed=False)
    reason = table.text("reason")
    if reason is None:
        table.fail("reason", "is missing: whoever reads the table wants to know why")
    table.finish()
    return Exclude(f"{table.path}: {table.name}", name, versions, python, reason)
