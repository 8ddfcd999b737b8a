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
import shutil
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.cells import Origin
from plugpull.matrix.checkouts import Member, missing_package, needs_history
from plugpull.matrix.copies import repository_at
from plugpull.matrix.files import FileLock, temporary_folder
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.references import GIT, PATH, WHEEL
from plugpull.matrix.wheels import build_wheel, kept_wheel, read_wheel
from plugpull.matrix.whereabouts import Source, look_up, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from plugpull.matrix.cells import Wheel
    from plugpull.matrix.interpreters import Missing
    from plugpull.matrix.references import Reference
    from plugpull.matrix.repositories import Repository
    from plugpull.matrix.wheels import Built

__all__ = ["Source", "Sources"]


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

    def at_hand(
        self, source: Source, others: Iterable[Member]
    ) -> tuple[list[Member], list[Member]]:
        """Which other packages a checkout has, and which it lacks. A file has and lacks none."""
        found: tuple[list[Member], list[Member]] = [], []
        for other in others if source.reference.kind in {GIT, PATH} else ():
            if source.tree is not None:
                there = any(name.startswith(f"{other.folder}/") for name in source.tree.names)
            else:
                repository = self.repository(source.reference)
                there = repository.has_folder(source.origin.identity, other.folder)
            found[0 if there else 1].append(other)
        return found

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
        looked = look_up(reference, self.repository, before)
        origin = looked.origin
        built = self._build(looked, distribution, origin.subdirectory, self._builder())
        version = built.wheel.version
        label = {
            GIT: f"git.{origin.identity[:12]}",
            PATH: f"path.{plain(Path(reference.where).name)}",
        }.get(reference.kind, f"{reference.kind}.{version}")
        origin = replace(origin, version=version)
        return Source(reference, label, origin, built.requires_python, looked.notes, looked.tree)

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


def _take(file: Path, place: Path) -> Built:
    """Keep a wheel, so that the cell can be made again when the user's file is gone."""
    with FileLock(place.with_name(f"{place.name}.lock")), temporary_folder(place.parent) as copies:
        copy = copies / file.name
        shutil.copyfile(file, copy)
        read_wheel(copy)
        (place / "any").mkdir(parents=True, exist_ok=True)
        copy.replace(place / "any" / file.name)
    return read_wheel(place / "any" / file.name)
