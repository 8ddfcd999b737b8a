"""The pinned list of a cell: every distribution with its version and hashes, resolved by uv.

The list is the record of what was judged, and part of the cell's key. It is kept under
``.plugpull/locks``. A resolution whose cut-off lies in the past cannot change any more, so its list
is used again; an open one is resolved anew, once per plan.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from plugpull.matrix.files import FileLock, temporary_folder, write_whole
from plugpull.matrix.uvrun import run_uv

if TYPE_CHECKING:
    from plugpull.matrix.cells import Resolution
    from plugpull.matrix.interpreters import Interpreter

__all__ = ["PinnedList", "kept_pins", "resolve_pins"]

_COMPILED = "# compiled "


@dataclass(frozen=True, slots=True)
class PinnedList:
    """What uv chose.

    Attributes:
        path: The requirements file, with hashes.
        text: Its requirement lines, without comments.
        compiled: When uv chose (UTC).
    """

    path: Path
    text: str
    compiled: datetime

    @property
    def digest(self) -> str:
        """A hash over names, versions and hashes: two equal lists install the same files."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def lines(self) -> list[str]:
        """``name==version`` of every distribution, without hashes."""
        return [
            re.sub(r"\s*\\$", "", line).strip()
            for line in self.text.splitlines()
            if line.strip() and not line[0].isspace()
        ]


def kept_pins(
    resolution: Resolution,
    interpreter: Interpreter,
    locks: Path,
    *,
    since: datetime | None = None,
    any_age: bool = False,
) -> PinnedList | None:
    """The list resolved earlier, if it still stands.

    Args:
        resolution: What was asked.
        interpreter: The cell's. Another patch release may get other wheels.
        locks: The folder of lists.
        since: An open resolution's list stands if it was made at or after this moment.
        any_age: Take an open resolution's list however old it is.
    """
    path = locks / f"{_name(resolution, interpreter)}.txt"
    pins = _read(path)
    if pins is None or any_age or not is_open(resolution):
        return pins
    return pins if since is not None and pins.compiled >= since else None


def resolve_pins(
    resolution: Resolution,
    interpreter: Interpreter,
    locks: Path,
    *,
    since: datetime | None = None,
) -> PinnedList:
    """The pinned list for a resolution: the kept one if it stands, else a new one from uv.

    Raises:
        EnvironmentFailure: uv finds no solution, or no index.
    """
    locks.mkdir(parents=True, exist_ok=True)
    name = _name(resolution, interpreter)
    with FileLock(locks / f"{name}.lock"):
        kept = kept_pins(resolution, interpreter, locks, since=since)
        if kept is not None:
            return kept
        started = datetime.now(timezone.utc)
        text = _compile(resolution, interpreter, locks)
        path = locks / f"{name}.txt"
        header = f"{_COMPILED}{started.isoformat()} for Python {interpreter.version}\n"
        write_whole(path, header + text)
        return PinnedList(path, text, started)


def is_open(resolution: Resolution, now: datetime | None = None) -> bool:
    """Whether releases still to come could change the result."""
    if resolution.as_of is None:
        return True
    cut_off = parse_moment(resolution.as_of)
    return cut_off is None or cut_off >= (now or datetime.now(timezone.utc))


def parse_moment(text: object) -> datetime | None:
    """An RFC 3339 timestamp as a moment in UTC. ``None`` if it is none."""
    if not isinstance(text, str):
        return None
    try:
        # Python 3.10 does not read the Z.
        moment = datetime.fromisoformat(re.sub(r"[zZ]$", "+00:00", text))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc)


def _name(resolution: Resolution, interpreter: Interpreter) -> str:
    asked: dict[str, object] = {
        "requirements": resolution.requirements,
        "constraints": resolution.constraints,
        # An open cut-off moves every day; the question it asks stays the same one.
        "as_of": None if is_open(resolution) else resolution.as_of,
        "python": interpreter.version,
        "path": str(interpreter.path),
    }
    if resolution.wheels:
        asked["wheels"] = [[wheel.path, wheel.sha256] for wheel in resolution.wheels]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:24]


def _compile(resolution: Resolution, interpreter: Interpreter, locks: Path) -> str:
    if not resolution.requirements:
        return ""  # What comes with the harness needs nothing else.
    with temporary_folder(locks) as folder:
        asked = folder / "asked.in"
        asked.write_text("\n".join(_asked(resolution)) + "\n", encoding="utf-8")
        constraints = folder / "constraints.txt"
        constraints.write_text("\n".join(resolution.constraints) + "\n", encoding="utf-8")
        arguments: list[str | Path] = ["pip", "compile", asked, "--constraints", constraints]
        arguments += ["--python", interpreter.path, "--generate-hashes"]
        arguments += ["--no-header", "--no-annotate"]
        if resolution.as_of is not None:
            arguments += ["--exclude-newer", resolution.as_of]
        doing = f"resolving {', '.join(resolution.requirements)}"
        return run_uv(arguments, step="resolve", doing=doing, cwd=locks)


def _asked(resolution: Resolution) -> list[str]:
    """The requirements as uv reads them: a wheel of ours is named by its file."""
    ours = {wheel.name: Path(wheel.path).resolve().as_uri() for wheel in resolution.wheels}
    lines = []
    for text in resolution.requirements:
        name, at, _ = text.partition(" @ ")
        wheel = ours.get(canonicalize_name(name.partition("[")[0])) if at else None
        lines.append(f"{name} @ {wheel}" if wheel else text)
    return lines


def _read(path: Path) -> PinnedList | None:
    try:
        head, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    compiled = parse_moment(head.removeprefix(_COMPILED).split(" ", 1)[0])
    if not head.startswith(_COMPILED) or compiled is None:
        return None
    return PinnedList(path, text, compiled)
