"""Versions that are no releases: a commit of a git repository, a folder, a wheel, an sdist.

``git+URL@REF`` (a branch, a tag, a commit, ``refs/pull/7/head``; without ``@REF`` the repository's
own default), a path that begins with ``/``, ``./``, ``../`` or ``~/``, and any path that ends like
a wheel or an sdist. A package below the top of a checkout is named as pip does it:
``#subdirectory=libs/core``.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qsl, unquote

__all__ = ["GIT", "PATH", "SDIST", "WHEEL", "Reference", "anchored", "parse_reference", "shown"]

GIT, PATH, WHEEL, SDIST = "git", "path", "wheel", "sdist"

_ARCHIVES = {".whl": WHEEL, ".tar.gz": SDIST, ".zip": SDIST}
_PATH_STARTS = ("/", "./", "../", "~/", "file:")
#: What may stand before a colon in an address. ``git@host:owner/name`` has none of them.
_SCHEMES = re.compile(r"(?:https?|ssh|git|file)://")
_SUBDIRECTORY = "subdirectory"


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a version under test is.

    Attributes:
        kind: :data:`GIT`, :data:`PATH`, :data:`WHEEL` or :data:`SDIST`.
        where: The repository's address, or an absolute path.
        ref: What git looks up; ``HEAD`` is the repository's own default. ``""`` if it is no git.
        subdirectory: The package's folder below the top of the checkout. ``""`` for the top.
    """

    kind: str
    where: str
    ref: str = ""
    subdirectory: str = ""

    def __str__(self) -> str:
        inner = f"#{_SUBDIRECTORY}={self.subdirectory}" if self.subdirectory else ""
        if self.kind == GIT:
            return f"git+{shown(self.where)}@{self.ref}{inner}"
        return f"{self.where}{inner}"

    def at(self, ref: str) -> Reference:
        """The same package in another commit."""
        return replace(self, ref=ref)

    @property
    def local(self) -> bool:
        """Whether everything it needs is on this machine."""
        return _SCHEMES.match(self.where) is None and not _is_scp(self.where)

    @property
    def missing(self) -> Path | None:
        """The place that would have to be on this machine and is not; ``None`` if nothing is."""
        inner = self.subdirectory if self.kind == PATH else ""
        places = (Path(self.where), Path(self.where, inner)) if self.local else ()
        return next((place for place in places if not place.exists()), None)


def parse_reference(text: str, base: Path) -> Reference | None:
    """Read a reference; ``None`` if the text is something else, for example a version.

    Args:
        text: As it stands in a declaration or on a command line.
        base: The folder in which relative paths start.

    Raises:
        ValueError: It begins like a reference, and is none.
    """
    main, hashed, fragment = text.strip().partition("#")
    archive = next((kind for end, kind in _ARCHIVES.items() if main.lower().endswith(end)), None)
    if not main.startswith(("git+", *_PATH_STARTS)) and archive is None and main not in {".", ".."}:
        return None
    subdirectory = _subdirectory(fragment) if hashed else ""
    if main.startswith("git+"):
        address, ref = _split_ref(main.removeprefix("git+"))
        return Reference(GIT, _anchored_address(address, base), ref, subdirectory)
    path = str(_path(main, base))
    if archive is None:
        return Reference(PATH, path, "", subdirectory)
    if subdirectory and archive == WHEEL:
        message = f'"{text}": a wheel has no subdirectory'
        raise ValueError(message)
    return Reference(archive, path, "", subdirectory)


def anchored(text: str, base: Path) -> str:
    """The same reference for readers who stand in another folder. Other texts are left alone."""
    try:
        found = parse_reference(text, base)
    except ValueError:
        return text  # Whoever reads it reports it, with its place.
    if found is None or not found.local:
        return text
    return str(found)


def shown(address: str) -> str:
    """An address without the password that it may hold."""
    scheme, separator, rest = address.partition("://")
    if not separator:
        return address
    host, slash, path = rest.partition("/")
    user, at, machine = host.rpartition("@")
    if at and (":" in user or scheme.startswith("http")):
        host = machine
    return f"{scheme}://{host}{slash}{path}"


def _split_ref(text: str) -> tuple[str, str]:
    """The address and what stands behind its last ``@``, if that is no part of the address."""
    scheme = _SCHEMES.match(text)
    # git@host:name and https://user@host/name have an @ of their own, before the path begins.
    begin = text.find("/", scheme.end() if scheme else 0)
    if scheme is None and _is_scp(text):
        begin = text.find(":")
    at = text.find("@", max(begin, 0))
    if at < 0:
        address, ref = text, "HEAD"
    else:
        address, ref = text[:at], text[at + 1 :]
    if not address or not ref:
        message = f'"git+{text}" has no {"reference behind @" if address else "address"}'
        raise ValueError(message)
    if ref.startswith("-") or address.startswith("-") or re.search(r"[\s:~^?*\[\\]|\.\.", ref):
        message = f'"{ref}" is no name of a branch, tag, commit or other ref'
        raise ValueError(message)
    return address, ref


def _is_scp(address: str) -> bool:
    """Whether it reads ``git@host:owner/name``."""
    return re.match(r"[^/@\s]+@[^/:\s]+:", address) is not None


def _anchored_address(address: str, base: Path) -> str:
    if address.startswith("file://"):
        return str(_path(address, base))
    if _SCHEMES.match(address) or _is_scp(address):
        return address
    if "::" in address or re.match(r"[a-z0-9+.-]+://", address):
        message = f'"git+{address}": https, ssh, git, file and paths are understood'
        raise ValueError(message)
    return str(_path(address, base))


def _path(text: str, base: Path) -> Path:
    if text.startswith("file:"):
        text = unquote(re.sub(r"^file:(?://(?:localhost)?(?=/))?", "", text))
    # Not resolved: a link has the name that the user gave it.
    return Path(os.path.normpath(base / Path(text).expanduser())).absolute()


def _subdirectory(fragment: str) -> str:
    found = dict(parse_qsl(fragment, keep_blank_values=True))
    subdirectory = found.pop(_SUBDIRECTORY, "")
    if found or not subdirectory:
        message = f'"#{fragment}" is not understood; write #{_SUBDIRECTORY}=FOLDER'
        raise ValueError(message)
    folder = PurePosixPath(subdirectory.strip("/"))
    if ".." in folder.parts or not folder.parts:
        message = f'"{subdirectory}" is no folder below the top of a checkout'
        raise ValueError(message)
    return str(folder)
