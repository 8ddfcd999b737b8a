"""Wheels of versions under test: built once per state of their source, and read."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from plugpull.errors import UsageError
from plugpull.matrix.cells import Wheel
from plugpull.matrix.files import FileLock, temporary_folder
from plugpull.matrix.uvrun import EnvironmentFailure, run_uv

if TYPE_CHECKING:
    from plugpull.matrix.interpreters import Interpreter

__all__ = ["Built", "build_wheel", "kept_wheel", "read_wheel"]


@dataclass(frozen=True, slots=True)
class Built:
    """A wheel, and what its metadata says to a planner.

    Attributes:
        wheel: The wheel.
        requires_python: The Pythons it is meant for, as a specifier. ``None`` means any.
    """

    wheel: Wheel
    requires_python: str | None

    @property
    def pure(self) -> bool:
        """Whether one wheel does for every Python."""
        return Path(self.wheel.path).name.endswith("-none-any.whl")


def kept_wheel(folder: Path, interpreter: Interpreter) -> Built | None:
    """The wheel that an earlier build left, if it fits this Python."""
    for place in (folder / "any", folder / f"py{interpreter.python}"):
        found = sorted(place.glob("*.whl"))
        if found:
            return read_wheel(found[0])
    return None


def build_wheel(source: Path, folder: Path, interpreter: Interpreter, *, what: str) -> Built:
    """Build a wheel from a folder or an sdist, or take the one that was built before.

    Args:
        source: The folder with the package's build instructions, or the archive.
        folder: Where this state of the source keeps its wheels.
        interpreter: The Python that builds it.
        what: Names the source for people.

    Raises:
        EnvironmentFailure: It cannot be built.
        UsageError: What was built has no name or version that could be understood.
    """
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        kept = kept_wheel(folder, interpreter)
        if kept is not None:
            return kept
        with temporary_folder(folder.parent) as out:
            run_uv(
                ["build", "--wheel", "--python", interpreter.path, "--out-dir", out, source],
                step="build",
                doing=f"building {what}",
                cwd=out,
                # Two builds of the same source are the same file.
                variables={"SOURCE_DATE_EPOCH": "1577836800"},
                verbose=True,
            )
            made = next(iter(sorted(out.glob("*.whl"))), None)
            if made is None:
                words = "the build ended well and left no wheel"
                raise EnvironmentFailure(f"building {what} failed", step="build", last_words=words)
            built = read_wheel(made)
            place = folder / ("any" if built.pure else f"py{interpreter.python}")
            place.mkdir(parents=True, exist_ok=True)
            made.replace(place / made.name)
        return read_wheel(place / made.name)


def read_wheel(path: Path) -> Built:
    """What a wheel says about itself.

    Raises:
        UsageError: It is not there, or is no wheel.
    """
    try:
        content = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
            # One at the top; packages may carry others' metadata along further below.
            text = archive.read(next(name for name in names if name.count("/") == 1))
    except (OSError, zipfile.BadZipFile, KeyError, StopIteration) as error:
        missing = isinstance(error, FileNotFoundError)
        reason = (
            "there is no such file" if missing else f"it is no wheel ({error or 'no metadata'})"
        )
        raise UsageError(f"{path}: {reason}", then="build one: uv build --wheel") from error
    metadata = HeaderParser().parsestr(text.decode("utf-8", "replace"))
    name, version = str(metadata["Name"] or ""), str(metadata["Version"] or "")
    try:
        version = str(Version(version))
    except InvalidVersion as error:
        raise UsageError(
            f"{path}: {name or 'it'} has the version {version!r}, which is none"
        ) from (error)
    digest = hashlib.sha256(content).hexdigest()
    wanted = metadata["Requires-Python"]
    return Built(Wheel(canonicalize_name(name), version, str(path), digest), wanted)
