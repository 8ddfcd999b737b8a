"""What a key of ``matrix.toml`` may hold: each value is checked where it stands, when it is read.

Every function takes the table that the key is in, and ends with one error that names the file, the
table and the key. Nothing here asks an index: what a range leads to is found out by the plan.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name

from plugpull.errors import UsageError
from plugpull.matrix.checkouts import CHECKOUT
from plugpull.matrix.entries import is_as_of
from plugpull.matrix.manifests import check_requirement
from plugpull.matrix.npm import is_npm_package
from plugpull.matrix.pairs import ALL, NEIGHBOURS, split_pair
from plugpull.matrix.references import parse_reference
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.entries import Entry
    from plugpull.matrix.references import Reference
    from plugpull.matrix.tables import Table

__all__ = [
    "as_of",
    "constraints",
    "default",
    "npm",
    "pairs",
    "pythons",
    "repository",
    "requirements",
    "specifier",
]

#: The oldest Python that the harness itself runs under.
OLDEST_PYTHON = (3, 10)

_PYTHON = re.compile(r"([0-9]+)\.([0-9]+)")
#: What the address of a requirement may begin with: what uv understands, and our own word.
_SCHEMES = ("checkout", "https", "http", "file", "git+https", "git+ssh", "git+http", "git+file")


def pythons(table: Table, within: tuple[str, ...] | None, name: str = "python") -> tuple[str, ...]:
    """A key's Pythons as ``major.minor``: some of ``within``, and all of them if none is said."""
    texts = table.texts(name)
    if texts is None and within is not None:
        return within
    if not texts:
        table.fail(name, "is missing or empty", f'for example {name} = ["3.12", "3.13"]')
    for at, text in enumerate(texts):
        key = f"{name}[{at}]"
        match = _PYTHON.fullmatch(text)
        if match is None:
            table.fail(key, f'"{text}" is no Python', 'write major.minor, for example "3.13"')
        if (int(match[1]), int(match[2])) < OLDEST_PYTHON:
            table.fail(key, f'"{text}" is too old: the harness itself needs Python 3.10')
        if within is not None and text not in within:
            table.fail(key, f'"{text}" is not among the Pythons of [matrix]', "add it there first")
    _refuse_twice(table, name, texts)
    return texts


def default(table: Table, versions: tuple[str, ...]) -> tuple[str, ...]:
    """``default``: some of the texts of ``versions``."""
    texts = table.texts("default") or ()
    for at, text in enumerate(texts):
        if text not in versions:
            table.fail(f"default[{at}]", f'"{text}" is not among versions', "add it there first")
    _refuse_twice(table, "default", texts)
    return texts


def pairs(table: Table, entries: Sequence[Entry]) -> tuple[str, ...]:
    """``pairs``: ``all``, ``neighbours``, or two of the declared versions with a colon between."""
    texts = table.texts("pairs") or ()
    known = [entry.text for entry in entries]
    names = {entry.label for entry in entries} | {entry.exact for entry in entries}

    def understood(text: str) -> bool:
        return re.sub(r"\s*,\s*", ",", text.strip()) in names

    for at, text in enumerate(texts):
        if text in {ALL, NEIGHBOURS}:
            continue
        key = f"pairs[{at}]"
        try:
            split_pair(text, understood)
        except UsageError as error:
            unknown = [half for half in map(str.strip, text.split(":")) if not understood(half)]
            if ":" in text and not unknown:
                table.fail(key, error.what.removeprefix("--pairs "), 'name two: "A:B"')
            near = suggestion(text, [ALL, NEIGHBOURS])
            near = near or next(filter(None, (suggestion(half, known) for half in unknown)), "")
            table.fail(
                key,
                f'"{text}" is neither two of its versions, as "A:B", nor "{ALL}" or "{NEIGHBOURS}"',
                near or f"its versions: {', '.join(known)}",
            )
    _refuse_twice(table, "pairs", texts)
    return texts


def repository(table: Table) -> Reference | None:
    """``repository``: where the source is, without a ref."""
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


def as_of(table: Table) -> str | None:
    """``as-of``: as of when packages are seen."""
    value = table.day("as-of")
    if value is not None and not is_as_of(value):
        table.fail("as-of", f'"{value}" is not "release", "today" or a date like "2026-03-15"')
    return value


def specifier(table: Table, key: str, *, needed: bool) -> str:
    """A range of versions; ``""`` if none is given and none is needed."""
    text = table.text(key)
    if text is None:
        if needed:
            table.fail(key, "is missing", 'for example versions = "<1.0"')
        return ""
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        table.fail(key, f'"{text}" is no specifier (PEP 440)', 'for example "<1.0" or "==1.2.3"')


def npm(table: Table) -> tuple[str, ...]:
    """``npm``: packages from there, each in one version."""
    texts = table.texts("npm") or ()
    for at, text in enumerate(texts):
        if not is_npm_package(text):
            table.fail(
                f"npm[{at}]",
                f'"{text}" is no version of a package',
                'for example "@org/name@1.2.3"',
            )
    _refuse_twice(table, "npm", [text.rpartition("@")[0] for text in texts])
    return texts


def requirements(table: Table, own: str) -> tuple[str, ...]:
    """``with``: what is installed beside a framework, whose own distribution is ``own``."""
    texts = table.texts("with") or ()
    for at, text in enumerate(texts):
        one = _requirement(table, f"with[{at}]", text)
        itself = canonicalize_name(one.name) == canonicalize_name(own)
        if itself and (one.url is not None or one.specifier):
            table.fail(
                f"with[{at}]",
                f'"{text}" is the framework itself, whose version is said by versions',
                "leave it out; what is another package of its checkout has another name",
            )
    _refuse_twice(table, "with", [_always_there(text) for text in texts])
    return texts


def constraints(table: Table) -> tuple[str, ...]:
    """``constraints``: ranges to stay within, should something need the package."""
    texts = table.texts("constraints") or ()
    for at, text in enumerate(texts):
        one = _requirement(table, f"constraints[{at}]", text)
        if one.url is not None and one.url.startswith(CHECKOUT):
            table.fail(
                f"constraints[{at}]",
                f'"{text}": a package of the same checkout is no range of releases',
                "it belongs into with",
            )
    return texts


def _requirement(table: Table, key: str, text: str) -> Requirement:
    check_requirement(text, f"{table.path}: {table.name} {key}")
    one = Requirement(text)
    if one.url is None:
        return one
    scheme, colon, place = one.url.partition(":")
    if not colon or scheme not in _SCHEMES:
        table.fail(
            key,
            f'"{text}": "{one.url}" is no address that is understood',
            suggestion(scheme, _SCHEMES)
            or f'another package of the same checkout is "{one.name} @ {CHECKOUT}FOLDER"',
        )
    folder = PurePosixPath(place)
    if scheme == CHECKOUT[:-1] and (not folder.parts or {"..", "/"} & set(folder.parts)):
        table.fail(
            key,
            f'"{text}": "{place}" is no folder below the top of a checkout',
            f'for example "{one.name} @ {CHECKOUT}libs/{one.name}"',
        )
    return one


def _always_there(text: str) -> str:
    """The package of a requirement, or the whole text where it depends on the environment."""
    one = Requirement(text)
    return text if one.marker else canonicalize_name(one.name)


def _refuse_twice(table: Table, key: str, texts: Sequence[str]) -> None:
    for at, text in enumerate(texts):
        if text in texts[:at]:
            table.fail(f"{key}[{at}]", f'"{text}" is there twice')
