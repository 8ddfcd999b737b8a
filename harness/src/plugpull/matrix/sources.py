"""Versions under test that are no releases: found once per plan, and built to wheels.

:class:`Sources` answers two questions. :meth:`Sources.find` says what a reference leads to now (a
commit, a tree, a file), and builds the framework from it; the answer's ``label`` is the version in
ids: ``git.`` and 12 digits of the commit, ``path.`` and the folder's name, ``wheel.`` or ``sdist.``
and the version inside. :meth:`Sources.wheels` gives the wheels for one Python: the framework's, and
those of other packages of the same checkout. Everything is kept under ``.plugpull/sources``, by
commit or content, so that the same state of a source is never built twice.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import sys
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.cells import Origin
from plugpull.matrix.checkouts import missing_package, needs_history
from plugpull.matrix.files import FileLock, temporary_folder
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.references import GIT, PATH, WHEEL, shown
from plugpull.matrix.repositories import Repository, repository_at
from plugpull.matrix.trees import look_at
from plugpull.matrix.wheels import build_wheel, kept_wheel, read_wheel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from plugpull.matrix.cells import Wheel
    from plugpull.matrix.history import Commit
    from plugpull.matrix.interpreters import Missing
    from plugpull.matrix.references import Reference
    from plugpull.matrix.trees import Tree
    from plugpull.matrix.wheels import Built

__all__ = ["CHECKOUT", "Member", "Source", "Sources", "members"]

#: ``with = ["langgraph-checkpoint @ checkout:libs/checkpoint"]``: from the checkout under test.
CHECKOUT = "checkout:"
#: So many names of changed files stand in a note.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Member:
    """Another package of the checkout under test.

    Attributes:
        name: The distribution, perhaps with extras, as it was written.
        folder: Its folder below the top.
    """

    name: str
    folder: str


@dataclass(frozen=True, slots=True)
class Source:
    """What a reference led to.

    Attributes:
        reference: The reference.
        label: The version, as it stands in ids.
        origin: The same for the record.
        requires_python: The Pythons that the package is meant for. ``None`` means any.
        notes: Remarks for people: what has not been committed, and the like.
        tree: For a path: its files.
    """

    reference: Reference
    label: str
    origin: Origin
    requires_python: str | None = None
    notes: tuple[str, ...] = ()
    tree: Tree | None = None

    def requirement(self, name: str, folder: str | None = None) -> str:
        """What the cell asks for, the same on every machine: content, and not a place."""
        subdirectory = self.origin.subdirectory if folder is None else folder
        inner = f"#subdirectory={subdirectory}" if subdirectory else ""
        return f"{name} @ {self.origin.kind}:{self.origin.identity}{inner}"


class Sources:
    """The sources of one plan.

    Args:
        state: The folder for all that can be made again.
        pythons: What was found for each Python. The newest builds.
        quiet: Do not say what is built.
    """

    def __init__(
        self, state: Path, pythons: Mapping[str, Interpreter | Missing], *, quiet: bool = False
    ) -> None:
        self._folder = state / "sources"
        self._pythons = [found for found in pythons.values() if isinstance(found, Interpreter)]
        self._quiet = quiet
        self._found: dict[tuple[Reference, str], Source] = {}

    def repository(self, reference: Reference) -> Repository:
        """The repository that a reference leads to."""
        return repository_at(reference.where, self._folder / "git")

    def find(
        self, reference: Reference, distribution: str, *, before: datetime | None = None
    ) -> Source:
        """What a reference leads to now, built.

        Args:
            reference: The reference.
            distribution: The package it must hold.
            before: Commits that came later do not exist. ``None`` sees all.

        Raises:
            UsageError: It leads nowhere, or to another package.
            PlugpullError: It cannot be reached, or cannot be built.
        """
        known = (reference, distribution)
        if known not in self._found:
            self._found[known] = self._find(reference, distribution, before)
        return self._found[known]

    def wheels(
        self, source: Source, distribution: str, others: Iterable[Member], python: Interpreter
    ) -> tuple[Wheel, ...]:
        """The wheels of a source for one Python, the framework's first.

        Raises:
            UsageError: A member is not in the checkout.
            PlugpullError: One cannot be built.
        """
        found = [self._build(source, distribution, source.origin.subdirectory, python)]
        for other in others:
            name = other.name.partition("[")[0]
            found.append(self._build(source, name, other.folder, python))
        return tuple(built.wheel for built in found)

    def _find(self, reference: Reference, distribution: str, before: datetime | None) -> Source:
        looked = self._look(reference, before)
        origin = looked.origin
        built = self._build(looked, distribution, origin.subdirectory, self._builder())
        version = built.wheel.version
        label = {
            GIT: f"git.{origin.identity[:12]}",
            PATH: f"path.{_plain(Path(reference.where).name)}",
        }.get(reference.kind, f"{reference.kind}.{version}")
        origin = replace(origin, version=version)
        return Source(reference, label, origin, built.requires_python, looked.notes, looked.tree)

    def _look(self, reference: Reference, before: datetime | None) -> Source:
        """What a reference leads to, with nothing built yet."""
        if reference.kind == GIT:
            commit, notes = self._commit(reference, before)
            origin = Origin(
                GIT,
                shown(reference.where),
                commit.sha,
                reference.ref,
                reference.subdirectory,
                committed=commit.moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            )
            return Source(reference, "", origin, notes=notes)
        if reference.kind == PATH:
            tree = look_at(Path(reference.where))
            inside = "/".join(part for part in (tree.inside, reference.subdirectory) if part)
            origin = Origin(
                PATH,
                reference.where,
                tree.digest,
                subdirectory=inside,
                head=tree.head,
                changed=tree.changed,
            )
            return Source(reference, "", origin, notes=_changes(tree), tree=tree)
        try:
            digest = hashlib.sha256(Path(reference.where).read_bytes()).hexdigest()
        except OSError as error:
            reason = error.strerror or error
            raise UsageError(f"{reference.where} cannot be read: {reason}") from error
        return Source(reference, "", Origin(reference.kind, reference.where, digest))

    def _commit(
        self, reference: Reference, before: datetime | None
    ) -> tuple[Commit, tuple[str, ...]]:
        repository = self.repository(reference)
        commit = repository.commit(reference.ref)
        if before is None or commit.moment < before:
            return commit, ()
        came = f"{reference.ref} is of {commit.moment:%Y-%m-%d}, after the cut-off"
        if commit.sha.startswith(reference.ref) or repository.is_tag(reference.ref):
            raise UsageError(f"{came} {before:%Y-%m-%d %H:%M} UTC", then="name a later as-of")
        repository.fetch_history()
        older = repository.newest_before(commit.sha, before)
        if older is None:
            raise UsageError(f"{came}, and so is everything before it in {reference}")
        return older, (f"{came}: {older.sha[:12]} was there then",)

    def _build(self, source: Source, distribution: str, folder: str, python: Interpreter) -> Built:
        reference, origin = source.reference, source.origin
        what = f"{distribution} from {replace(reference, subdirectory=folder)}"
        place = self._place(origin, folder)
        built = kept_wheel(place, python)
        if built is None and reference.kind == WHEEL:
            built = _take(Path(reference.where), place)
        if built is None:
            self._say(f"building {what}, which runs its code")
            with self._tree(source, distribution, folder) as tree:
                built = build_wheel(tree, place, python, what=what)
        if built.wheel.name != canonicalize_name(distribution):
            raise UsageError(
                f"{reference} holds {built.wheel.name}, not {distribution}",
                then=self._elsewhere(source, distribution),
            )
        return built

    @contextmanager
    def _tree(self, source: Source, distribution: str, folder: str) -> Iterator[Path]:
        """What a wheel is built from."""
        parent = self._folder / "trees"
        if source.tree is not None:
            with source.tree.copied(parent) as top:
                self._check_package(source, distribution, folder, top)
                yield top / folder
        elif source.reference.kind == GIT:
            repository = self.repository(source.reference)
            sha = source.origin.identity
            if needs_history(lambda name: repository.text_at(sha, name), folder):
                repository.fetch_history()
            with repository.files(sha, parent) as top:
                self._check_package(source, distribution, folder, top)
                yield top / folder
        else:
            yield Path(source.reference.where)

    def _check_package(self, source: Source, distribution: str, folder: str, top: Path) -> None:
        if not any((top / folder / name).is_file() for name in ("pyproject.toml", "setup.py")):
            where = f"in its folder {folder}" if folder else "at its top"
            raise UsageError(
                f"{source.reference} has no package {where}: no pyproject.toml, no setup.py",
                then=missing_package(distribution, top),
            )

    def _elsewhere(self, source: Source, distribution: str) -> str:
        if source.reference.kind not in {GIT, PATH}:
            return f"give a file of {distribution}"
        parent = self._folder / "trees"
        if source.tree is not None:
            with source.tree.copied(parent) as top:
                return missing_package(distribution, top)
        with self.repository(source.reference).files(source.origin.identity, parent) as top:
            return missing_package(distribution, top)

    def _place(self, origin: Origin, folder: str) -> Path:
        key = json.dumps([origin.kind, origin.identity, folder])
        return self._folder / "builds" / hashlib.sha256(key.encode()).hexdigest()[:24]

    def _builder(self) -> Interpreter:
        """The newest Python there is."""
        if not self._pythons:
            raise PlugpullError(
                "there is no Python to build it with", then="install one that the matrix declares"
            )
        return max(self._pythons, key=lambda one: [int(part) for part in one.python.split(".")])

    def _say(self, line: str) -> None:
        if not self._quiet:
            print(f"plugpull: {line}", file=sys.stderr, flush=True)


def members(requirements: Iterable[str]) -> tuple[list[str], list[Member]]:
    """Requirements on an index, and packages of the checkout under test, told apart."""
    plain: list[str] = []
    found: list[Member] = []
    for text in requirements:
        name, _, place = (part.strip() for part in text.partition("@"))
        if place.startswith(CHECKOUT):
            found.append(Member(name, place.removeprefix(CHECKOUT).strip("/")))
        else:
            plain.append(text)
    return plain, found


def _take(file: Path, place: Path) -> Built:
    """Keep a wheel, so that the cell can be made again when the user's file is gone."""
    with FileLock(place.with_name(f"{place.name}.lock")), temporary_folder(place.parent) as copies:
        copy = copies / file.name
        shutil.copyfile(file, copy)
        read_wheel(copy)
        (place / "any").mkdir(parents=True, exist_ok=True)
        copy.replace(place / "any" / file.name)
    return read_wheel(place / "any" / file.name)


def _changes(tree: Tree) -> tuple[str, ...]:
    if not tree.changed:
        return ()
    names = ", ".join(tree.changed[:_NAMED])
    more = f" and {len(tree.changed) - _NAMED} more" if len(tree.changed) > _NAMED else ""
    return (f"with uncommitted changes: {names}{more}",)


def _plain(name: str) -> str:
    """A folder's name as part of an id, which is a file's name too."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "here"
