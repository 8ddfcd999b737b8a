"""Turns a shipped target into one whose program is a rig, so that the harness runs it as usual.

Standard library only: it is imported by tests, which have no framework, and by scripts that run
inside a cell.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
TARGETS = CHECKOUT / "targets"
RIGS = CHECKOUT / "tests" / "rigs"


def rigged_target(
    folder: Path,
    target: str,
    rig: str,
    variants: Mapping[str, Mapping[str, str]],
    *,
    timing_dependent: bool = False,
) -> Path:
    """Write a folder of targets that holds one target with another program, and the controls.

    Args:
        folder: Where to put it; made if it is not there.
        target: The shipped target whose manifest is taken.
        rig: File name of the program in ``tests/rigs``.
        variants: Name to environment; they take the place of the shipped ones.
        timing_dependent: What the variants declare.

    Returns:
        What ``plugpull --targets`` wants.
    """
    manifest = json.loads((TARGETS / target / "target.json").read_text(encoding="utf-8"))
    manifest["program"] = rig
    manifest["variants"] = [
        {"name": name, "env": dict(environment), "timing_dependent": timing_dependent}
        for name, environment in variants.items()
    ]
    manifest["not_supported"] = []
    home = folder / target
    home.mkdir(parents=True, exist_ok=True)
    (home / "target.json").write_text(json.dumps(manifest), encoding="utf-8")
    program = home / rig
    program.unlink(missing_ok=True)
    program.symlink_to(RIGS / rig)
    shutil.copytree(TARGETS / "control", folder / "control", dirs_exist_ok=True)
    return folder
