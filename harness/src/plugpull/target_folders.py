"""Where targets are: one folder each, with a manifest in it, and one with the controls."""

from __future__ import annotations

from pathlib import Path

from plugpull.errors import UsageError

__all__ = ["CONTROL", "MANIFEST", "find_targets"]

#: The manifest's file name in a target's folder.
MANIFEST = "target.json"

#: The folder of the controls, which are no framework and no row of any table.
CONTROL = "control"


def find_targets(given: Path | None) -> Path | None:
    """The folder of targets: the one that was given, or that of the checkout we stand in.

    Raises:
        UsageError: ``given`` is no such folder.
    """
    if given is not None:
        if not any(given.glob(f"*/{MANIFEST}")):
            raise UsageError(
                f"{given} holds no targets",
                why=f"a target is a folder with a {MANIFEST} in it; none is below {given}",
                then="name the folder that holds the targets: --targets DIR",
            )
        return given.resolve()
    for folder in (Path.cwd(), *Path.cwd().parents):
        if (folder / "matrix.toml").is_file() and any(folder.glob(f"targets/*/{MANIFEST}")):
            return folder / "targets"
    return None
