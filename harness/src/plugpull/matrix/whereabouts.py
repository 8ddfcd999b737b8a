"""What a reference leads to now: a commit, the state of a folder, a file."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.cells import Origin
from plugpull.matrix.references import GIT, PATH, Reference, shown
from plugpull.matrix.trees import Tree, look_at

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from plugpull.matrix.history import Commit
    from plugpull.matrix.repositories import Repository

__all__ = ["Source", "look_up", "plain"]

#: So many names of changed files stand in a note.
_NAMED = 5


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


def look_up(
    reference: Reference,
    repository: Callable[[Reference], Repository],
    before: datetime | None,
) -> Source:
    """What a reference leads to now, with nothing built yet.

    Args:
        reference: The reference.
        repository: Gives the repository that a reference is about.
        before: Commits that came later do not exist. ``None`` sees all.

    Raises:
        UsageError: It leads nowhere.
        PlugpullError: It cannot be reached.
    """
    if reference.kind == GIT:
        commit, notes = _commit(reference, repository(reference), before)
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
    reference: Reference, repository: Repository, before: datetime | None
) -> tuple[Commit, tuple[str, ...]]:
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


def _changes(tree: Tree) -> tuple[str, ...]:
    if not tree.changed:
        return ()
    names = ", ".join(tree.changed[:_NAMED])
    more = f" and {len(tree.changed) - _NAMED} more" if len(tree.changed) > _NAMED else ""
    return (f"with uncommitted changes: {names}{more}",)


def plain(name: str) -> str:
    """A folder's name as part of an id, which is a file's name too."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "here"
