"""The folders in which runs happen: one that cannot be made, and how all are removed."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from plugpull.errors import PlugpullError

__all__ = ["not_made", "remove", "special_files"]


def remove(folder: Path) -> None:
    """Remove a folder, and what an agent left in it: folders under lock, or nested too deep."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        # These two go as deep as there are folders; shutil, until 3.13, as deep as calls nest.
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, str(folder)], capture_output=True, check=False)


def special_files(folder: str, names: list[str]) -> list[str]:
    """Sockets, pipes and devices: they hold nothing that could be copied."""
    found = [Path(folder) / name for name in names]
    return [
        path.name for path in found if not (path.is_symlink() or path.is_file() or path.is_dir())
    ]


@contextlib.contextmanager
def not_made(place: object) -> Iterator[None]:
    """Say in one sentence where a folder for runs cannot be made, and what to do.

    Raises:
        PlugpullError: It cannot.
    """
    try:
        yield
    except OSError as error:
        raise PlugpullError(
            f"a run cannot be set up in {place}: {error.strerror or error}",
            then="make room there, or name another place: TMPDIR",
        ) from error
