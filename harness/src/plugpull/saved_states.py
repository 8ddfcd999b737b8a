"""States of runs, kept as folders: what a run had saved when it was killed or paused.

A state is a folder with ``state.json`` and ``work/``. ``work/`` is the run's work folder as it was,
byte for byte; ``state.json`` says who wrote it, what the provider had seen by then, and what the
run has to come to. So one version of a framework can be asked to go on with what another one has
saved, today or in a year, and without the other one being installed.

A state is always restored to a new path, because the old one belonged to a folder for temporary
files and may be taken. Whether that matters is asked when a state is made: its own version has to
go on with it at another path. ``holds_its_path`` says whether the old path stands in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plugpull._version import __version__
from plugpull.endstate import snapshot
from plugpull.errors import UsageError
from plugpull.provider_calls import Call
from plugpull.subject import Subject

__all__ = [
    "STATE",
    "WORK",
    "Origin",
    "SavedState",
    "find_states",
    "program_of",
    "read_state",
]

#: A state's description, and the folder with its files.
STATE = "state.json"
WORK = "work"
#: Rises when an older reader could no longer go on with a state.
FORMAT = 1

_TEXTS = ("framework", "version", "python", "variant", "point", "harness_version", "recorded")


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a state, and what the run has to come to.

    Attributes:
        framework: The target's name.
        version: The framework's version, as proven by the imported package.
        python: Full version of the interpreter.
        variant: The target's variant.
        point: Where the run was: a fault point of resume-after-upgrade.
        recorded: When (RFC 3339, UTC).
        expected: The effects of a run without a fault, each wanted exactly once.
        stored: How many entries of each kind the history of such a run holds; empty where the
            target has no ``inspect``.
        program: A hash of the target's programs, which may have changed since.
        harness_version: The harness that saved it.
    """

    framework: str
    version: str
    python: str
    variant: str
    point: str
    recorded: str
    expected: tuple[str, ...]
    stored: Mapping[str, int]
    program: str
    harness_version: str = __version__


@dataclass(frozen=True, slots=True)
class SavedState:
    """One state in its folder.

    Attributes:
        folder: Where it is.
        origin: Who wrote it.
        calls: What the provider had seen.
        files: What lies in ``work/``: kind and digest by path.
        holds_its_path: Whether the path of its work folder stands in it.
        same_version: What its own version came to when it went on with it: ``verdict``,
            ``outcome`` and ``detail``. Empty until that was tried.
    """

    folder: Path
    origin: Origin
    calls: tuple[Call, ...]
    files: Mapping[str, Mapping[str, str]]
    holds_its_path: bool
    same_version: Mapping[str, Any] = field(default_factory=dict)

    @property
    def work(self) -> Path:
        """The work folder as it was saved."""
        return self.folder / WORK

    @property
    def minor(self) -> str:
        """``major.minor`` of the Python it was saved under."""
        return ".".join(self.origin.python.split(".")[:2])

    def to_json(self) -> dict[str, Any]:
        """What stands in its ``state.json``."""
        origin = {name: getattr(self.origin, name) for name in (*_TEXTS, "program")}
        return {
            "state": FORMAT,
            **origin,
            "expected": list(self.origin.expected),
            "stored": dict(self.origin.stored),
            "calls": [
                {"effect": one.effect, "key": one.key, "recorded": one.recorded}
                for one in self.calls
            ],
            "holds_its_path": self.holds_its_path,
            "same_version": dict(self.same_version),
            "files": {path: dict(entry) for path, entry in self.files.items()},
        }


def find_states(places: Sequence[Path], framework: str) -> tuple[SavedState, ...]:
    """The states of a framework in some folders, at whatever depth, each checked.

    Raises:
        UsageError: A folder is not there or holds none of them, or one is damaged.
    """
    found: list[SavedState] = []
    for place in places:
        if not place.is_dir():
            raise UsageError(
                f"there is no folder {place}", then="nox -s record-states writes one with states"
            )
        paths = sorted(path for path in place.rglob(STATE) if WORK not in _between(path, place))
        states = [_read(path) for path in paths]
        fitting = [state for state in states if state.origin.framework == framework]
        if not fitting:
            others = sorted({state.origin.framework for state in states})
            raise UsageError(
                f"{place} holds no saved state of {framework}",
                why=f"it has states of {', '.join(others)}" if others else "it holds no state",
                then="nox -s record-states writes them",
            )
        found += fitting
    for state in found:
        _check_whole(state)
    return tuple(found)


def read_state(folder: Path) -> SavedState:
    """The state in a folder.

    Raises:
        UsageError: There is none.
    """
    return _read(folder / STATE)


def program_of(subject: Subject) -> str:
    """A hash over the programs of a target; its manifest is left out, which only describes it.

    Empty for a user's own command.
    """
    if subject.program is None:
        return ""
    folder = subject.program.parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        digest.update(f"{name}\0{path.stat().st_size}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _between(path: Path, place: Path) -> tuple[str, ...]:
    return path.relative_to(place).parent.parts


def _read(path: Path) -> SavedState:
    then = "record it again: nox -s record-states"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if data["state"] == FORMAT:
            return _state(path.parent, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", then=then) from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UsageError(f"{path} is no saved state: {error!r}", then=then) from error
    raise UsageError(
        f"{path} is of format {data['state']!r}, and this plugpull reads {FORMAT}", then=then
    )


def _state(folder: Path, data: dict[str, Any]) -> SavedState:
    if not all(isinstance(data[name], str) and data[name] for name in _TEXTS):
        raise ValueError(f"{', '.join(_TEXTS)} have to be texts")
    return SavedState(
        folder=folder,
        origin=Origin(
            **{name: data[name] for name in _TEXTS},
            program=str(data["program"]),
            expected=tuple(data["expected"]),
            stored={str(kind): int(count) for kind, count in data["stored"].items()},
        ),
        calls=tuple(
            Call(one["effect"], one["key"], None, "saved", bool(one["recorded"]))
            for one in data["calls"]
        ),
        files={
            str(name): {"kind": str(entry["kind"]), "digest": str(entry.get("digest", ""))}
            for name, entry in data["files"].items()
        },
        holds_its_path=bool(data["holds_its_path"]),
        same_version=dict(data["same_version"]),
    )


def _check_whole(state: SavedState) -> None:
    """What lies in ``work/`` is what was saved.

    Raises:
        UsageError: It is not.
    """
    found = snapshot(state.work, always=()) if state.work.is_dir() else {}
    for path, entry in state.files.items():
        if entry["kind"] == "folder":
            continue  # Version control keeps no empty folder; it is made again.
        there = found.get(path)
        if there is None or (entry["digest"] and there.digest != entry["digest"]):
            how = "is not there" if there is None else "is not as it was saved"
            raise UsageError(
                f"{state.work / path} {how}",
                why="a state is only worth something byte for byte; git may have changed line "
                "ends, or ignored a file",
                then="bring it back (git checkout), or record it again: nox -s record-states",
            )
    if extra := sorted(
        path for path, entry in found.items() if path not in state.files and entry.kind != "folder"
    ):
        raise UsageError(
            f"{state.work / extra[0]} is no part of the state that was saved",
            then="remove it, or record the state again: nox -s record-states",
        )
