"""The folder of a report that stands alone: what is in it, and writing it whole."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.files import write_json, write_whole
from plugpull.matrix.repro_script import script
from plugpull.matrix.repro_text import issue_text

if TYPE_CHECKING:
    from plugpull.matrix.prepared import Prepared
    from plugpull.matrix.reproduction import Reproduction

__all__ = ["check_place", "write_folder"]

#: In the folder: says that the folder is ours and may be replaced.
_EVIDENCE = "evidence.json"


def check_place(place: Path) -> None:
    """Find out before anything runs whether a folder may be written there.

    Raises:
        UsageError: Something else is there.
    """
    ours = (place / _EVIDENCE).is_file() or (place.is_dir() and not any(place.iterdir()))
    if place.exists() and not ours:
        raise UsageError(
            f"{place} is there, and is no folder of an earlier repro",
            then="name another one: --out DIR",
        )


def write_folder(place: Path, one: Reproduction, ready: Prepared, root: Path) -> None:
    """Write the folder whole or not at all; an earlier one in its place is replaced."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".repro-") as name:
            half = Path(name) / "folder"
            half.mkdir()
            _fill(half, one, ready, root)
            if place.exists():
                shutil.rmtree(place)
            half.replace(place)
    except OSError as error:
        raise PlugpullError(
            f"{place} cannot be written: {error.strerror or error}",
            then="make room there, or name another folder: --out DIR",
        ) from error


def _fill(folder: Path, one: Reproduction, ready: Prepared, root: Path) -> None:
    wheels = folder / "wheels"
    wheels.mkdir()
    shutil.copy(ready.wheel, wheels)
    requirements = ready.pins.text
    for built in ready.cell.resolution.wheels:
        path = Path(built.path).resolve()
        shutil.copy(path, wheels)
        line = re.compile(rf"^\S+ @ {re.escape(path.as_uri())}", re.MULTILINE)
        requirements = line.sub(f"./wheels/{path.name}", requirements)
    write_whole(folder / "requirements.txt", requirements)
    for name in (one.target, "control"):
        source = root / "targets" / name
        if source.is_dir():
            left_out = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
            shutil.copytree(source, folder / "targets" / name, ignore=left_out)
    write_json(folder / _EVIDENCE, {"schema": 1, "results": [one.raw], "cell": one.cell})
    write_whole(folder / "ISSUE.md", issue_text(one, requirements))
    program = folder / "reproduce.sh"
    write_whole(program, script(one, ready.wheel.name, hashed="--hash" in requirements))
    program.chmod(0o755)
