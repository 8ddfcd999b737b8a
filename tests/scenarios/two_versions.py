"""Two environments with two versions of a made-up framework, without installing anything."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plugpull

__all__ = ["TARGETS", "Environment", "add_target", "environment"]

TARGETS = Path(__file__).parents[2] / "targets"
_SOURCE = Path(plugpull.__file__).resolve().parents[1]

AGENT = """
import json, os, sys
from pathlib import Path
import toyframework
from plugpull import record_effect

kind, verb = os.environ["TOY"], sys.argv[-1]
saved = Path(os.environ["PLUGPULL_WORKDIR"]) / "saved"
if verb == "inspect":
    found = {"history": [], "world": {"change": os.environ.get("PLUGPULL_WORLD")}}
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found))
    sys.exit()
if kind == "needs-a-companion":
    import toycompanion
if verb == "start":
    saved.write_text(toyframework.VERSION)
moved = saved.read_text() != toyframework.VERSION
if moved and kind == "refuses":
    sys.exit(f"RefusedError: saved by version {saved.read_text()}, and this is not it")
if not (moved and kind == "leaves-it-out"):
    record_effect("charge_card", key="order-42")
record_effect("finish_order", key="order-42")
"""


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment with plugpull and maybe the framework."""

    python: Path

    def plugpull(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run plugpull as a user does."""
        return subprocess.run(
            [str(self.python), "-m", "plugpull", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
        )


def environment(folder: Path, version: str | None, *, plugpull: bool = True) -> Environment:
    """Make an environment; ``None`` as version leaves the framework out."""
    venv.create(folder, symlinks=True)
    found = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    site = folder / "lib" / found / "site-packages"
    if plugpull:
        (site / "plugpull.pth").write_text(f"{_SOURCE}\n")
        _install(site, "plugpull", "0.1", editable=_SOURCE)
    if version is not None:
        (site / "toyframework.py").write_text(f"VERSION = {version!r}\n")
        _install(site, "toyframework", version, files=("toyframework.py",))
    return Environment(folder / "bin" / "python")


def add_target(folder: Path, kind: str, **changes: Any) -> Path:
    """Write a folder of targets with one target, and return it."""
    home = folder / "toy"
    home.mkdir(parents=True)
    (home / "agent.py").write_text(AGENT)
    manifest = {
        "name": "toy",
        "title": "Toy",
        "distribution": "toyframework",
        "import": "toyframework",
        "program": "agent.py",
        "scenarios": {"changed-world": {}, "kill-mid-tool": {}},
        "worlds": {"model-renamed": "model", "framework-changed": "version"},
        "variants": [{"name": "default", "env": {"TOY": kind}}],
        **changes,
    }
    (home / "target.json").write_text(json.dumps(manifest))
    return folder


def _install(
    site: Path,
    name: str,
    version: str,
    files: tuple[str, ...] = (),
    editable: Path | None = None,
) -> None:
    """What an installer would have left behind."""
    home = site / f"{name}-{version}.dist-info"
    home.mkdir()
    (home / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (home / "RECORD").write_text("".join(f"{file},,\n" for file in files))
    if editable is not None:
        source = {"url": editable.as_uri(), "dir_info": {"editable": True}}
        (home / "direct_url.json").write_text(json.dumps(source))
