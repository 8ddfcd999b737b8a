"""What nox was asked for, as far as the matrix has to know."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Wanted", "named_sessions", "wanted"]


class Wanted(Protocol):
    """The part of nox's configuration that is looked at here."""

    sessions: Sequence[str] | None
    keywords: str | None
    tags: Sequence[str] | None
    pythons: Sequence[str] | None
    posargs: Sequence[str]
    list_sessions: bool
    usage: Sequence[str] | None
    invoked_from: str
    parallel_worker: bool


def wanted() -> Wanted | None:
    """The configuration of nox itself, found on the stack: a noxfile is not handed it.

    ``None`` if the noxfile is imported by something else than nox.
    """
    frame = sys._getframe()  # noqa: SLF001 - inspect.currentframe, without importing inspect
    while frame is not None:
        found = frame.f_locals.get("global_config")
        if hasattr(found, "invoked_from") and hasattr(found, "posargs"):
            return cast("Wanted", found)
        if frame.f_back is None:
            return None
        frame = frame.f_back
    return None


def named_sessions(wanted: Wanted) -> list[str] | None:
    """The sessions asked for by name; ``None`` if they are chosen by Python, tag or keyword."""
    if wanted.tags or wanted.keywords:
        return None
    if wanted.sessions is not None:
        return list(wanted.sessions)
    return None if wanted.pythons else ["matrix"]
