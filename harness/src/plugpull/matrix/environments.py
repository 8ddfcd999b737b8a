"""A cell's environment: the pinned list and the harness, in a folder of its own, made by uv.

uv synchronises the folder with the list every time, so an environment that is used again holds
exactly what the list says: nothing more, and nothing in another version.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.matrix.files import FileLock, temporary_folder, tree_hash, write_json, write_whole
from plugpull.matrix.npm import MODULES
from plugpull.matrix.uvrun import EnvironmentFailure, run_uv

if TYPE_CHECKING:
    from plugpull.matrix.interpreters import Interpreter
    from plugpull.matrix.pins import PinnedList

__all__ = ["EnvironmentFailure", "State", "harness_wheel", "make_environment"]

#: Written into an environment when uv has made it. Without it the folder is not trusted.
_STAMP = "plugpull-environment.json"


@dataclass(frozen=True, slots=True)
class State:
    """The folder of everything that can be made again (``.plugpull`` in the checkout)."""

    root: Path

    @property
    def locks(self) -> Path:
        """Pinned lists."""
        return self.root / "locks"

    @property
    def wheels(self) -> Path:
        """The harness, built, one folder per state of its source."""
        return self.root / "wheels"

    @property
    def npm(self) -> Path:
        """Packages from npm, one folder per list of them."""
        return self.root / "npm"

    @property
    def environments(self) -> Path:
        """One folder per cell."""
        return self.root / "envs"


def harness_wheel(harness: Path, state: State) -> Path:
    """The harness as a wheel, built once per state of its source.

    Args:
        harness: The folder with the harness's ``pyproject.toml``.
        state: Where built wheels are kept.

    Raises:
        EnvironmentFailure: The build failed, for example because its backend could not be had.
    """
    source = tree_hash(
        [harness / "src", harness / "pyproject.toml", harness / "README.md"],
    )
    folder = state.wheels / source[:24]
    with FileLock(state.wheels / f"{source[:24]}.lock"):
        wheels = sorted(folder.glob("*.whl"))
        if wheels:
            return wheels[0]
        with temporary_folder(state.wheels) as building:
            run_uv(
                ["build", "--wheel", "--out-dir", building, harness],
                step="wheel",
                doing="building the harness",
                cwd=state.wheels,
            )
            built = next(iter(sorted(building.glob("*.whl"))), None)
            if built is None:
                raise EnvironmentFailure(
                    "building the harness made no wheel", step="wheel", last_words=str(harness)
                )
            folder.mkdir(parents=True, exist_ok=True)
            built.replace(folder / built.name)
        return folder / built.name


def make_environment(
    folder: Path,
    interpreter: Interpreter,
    pins: PinnedList,
    wheel: Path,
    *,
    label: str,
    node_modules: Path | None = None,
) -> Path:
    """Make an environment, or set an earlier one right, and return its Python.

    Args:
        folder: The environment's. Whatever stands there and is not ours is replaced.
        interpreter: The Python it is made from.
        pins: What it holds.
        wheel: The harness, held beside it. It has no dependencies.
        label: What people call it, for an error.
        node_modules: Packages from npm, to which it gets a link; ``None`` for none.

    Raises:
        EnvironmentFailure: uv could not make it. Nothing of it is left then.
    """
    try:
        python = _make(folder, interpreter, pins, wheel, label)
    except EnvironmentFailure:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    link = folder / MODULES
    link.unlink(missing_ok=True)
    if node_modules is not None:
        link.symlink_to(node_modules)
    return python


def _make(
    folder: Path, interpreter: Interpreter, pins: PinnedList, wheel: Path, label: str
) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    python = folder / "bin" / "python"
    stamp = folder / _STAMP
    made_from = {"interpreter": str(interpreter.path), "version": interpreter.version}
    if _stamped(stamp) != made_from or not python.exists():
        run_uv(
            ["venv", "--clear", "--no-project", "--python", interpreter.path, folder],
            step="venv",
            doing=f"making the environment of {label}",
            cwd=folder.parent,
        )
    # uv may be killed half-way through a package. Only a folder it has left by itself is trusted.
    stamp.unlink(missing_ok=True)
    wanted = folder / "plugpull-requirements.txt"
    write_whole(wanted, f"{pins.text}\nplugpull @ {wheel.resolve().as_uri()}\n")
    run_uv(
        ["pip", "sync", "--python", python, wanted],
        step="sync",
        doing=f"installing {label}",
        cwd=folder.parent,
    )
    write_json(stamp, made_from)
    return python


def _stamped(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
