"""A checkout in small: a toy target, and a harness of one module that does as it is told.

The environment around it is real: uv builds the toy harness and installs a small release. Only
what the harness says is made up, so that every way for a cell to go wrong can be brought about.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.interpreters import Interpreter, find_interpreter
from plugpull.matrix.options import MatrixOptions
from plugpull.matrix.plan import Plan

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"
AS_OF = "2026-08-15T00:00:00Z"
CREATED = "2026-11-29T12:00:00Z"

MAIN = '''
"""Writes what behaviour.json says, as the harness would."""
import json, os, signal, sys
from pathlib import Path

def values(name):
    return [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == name]

targets = Path(values("--targets")[0])
told = json.loads((targets / "behaviour.json").read_text())
with (targets.parent / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps({"argv": sys.argv[1:], "environ": dict(os.environ)}) + "\\n")
print("PASS  kill-mid-tool/one/before-effect", file=sys.stderr)
if told.get("hang"):
    if told["hang"] == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    here = targets.parent / "pid.tmp"
    here.write_text(str(os.getpid()))
    here.rename(targets.parent / "pid")
    signal.pause()
    signal.pause()
if told.get("die"):
    sys.exit(told["die"])
results = []
for scenario in values("--scenario"):
    for variant in values("--variant"):
        verdict = told["verdicts"].get(variant, "PASS")
        results.append({
            "scenario": scenario, "target": "toy 2.0.0", "kill_point": "before-effect",
            "verdict": verdict, "detail": f"it is {verdict}", "evidence": {},
            "variant": variant, "timing_dependent": variant in told.get("timing", []),
        })
cell = {"stage": "done", "version": told.get("version", "2.0.0"), "seconds": 1.25,
        "framework": "toy", "python": "%d.%d.%d" % sys.version_info[:3]}
Path(values("--report")[0]).write_text(json.dumps(
    {"schema": 1, "results": results, "cell": cell, "not_supported": []}))
'''


@dataclass(frozen=True)
class Toy:
    """The checkout, and what its harness is told."""

    root: Path

    def tell(self, **behaviour: Any) -> None:
        """Say what the harness does from now on."""
        told = {"verdicts": {}, **behaviour}
        (self.root / "targets" / "behaviour.json").write_text(json.dumps(told), encoding="utf-8")

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The harness's command lines and environments, so far."""
        path = self.root / "calls.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        return [json.loads(line) for line in lines]

    def file(self, cell: Cell) -> dict[str, Any]:
        """What the cell's result file says."""
        path = self.root / "results" / "cells" / f"{cell.session}.json"
        data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return data

    def plan(self, *cells: Cell, **options: Any) -> Plan:
        """A plan for these cells."""
        found = find_interpreter(PYTHON)
        assert isinstance(found, Interpreter)
        return Plan(
            cells=cells,
            options=replace(MatrixOptions(), **options),
            created=CREATED,
            results=self.root / "results",
            root=self.root,
            interpreters={PYTHON: found},
        )


def make_toy(root: Path, wheels: Path | None = None) -> Toy:
    """Lay out the checkout. ``wheels`` keeps the toy harness, built once for many checkouts."""
    if wheels is not None:
        (root / ".plugpull").mkdir(parents=True)
        (root / ".plugpull" / "wheels").symlink_to(wheels, target_is_directory=True)
    package = root / "harness" / "src" / "plugpull"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "__main__.py").write_text(MAIN, encoding="utf-8")
    (package / "matrix").mkdir()
    (package / "matrix" / "__init__.py").write_text("", encoding="utf-8")
    (root / "harness" / "README.md").write_text("# toy\n", encoding="utf-8")
    (root / "harness" / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "plugpull"\nversion = "0"\n'
        '[tool.hatch.build.targets.wheel]\npackages = ["src/plugpull"]\n',
        encoding="utf-8",
    )
    manifest = {
        "name": "toy",
        "distribution": "iniconfig",
        "scenarios": {"kill-mid-tool": {}},
        "variants": [
            {"name": "one", "scenarios": ["kill-mid-tool"]},
            {"name": "two", "scenarios": ["kill-mid-tool"]},
        ],
    }
    for name in ("toy", "control"):
        (root / "targets" / name).mkdir(parents=True)
        text = json.dumps({**manifest, "name": name})
        (root / "targets" / name / "target.json").write_text(text, encoding="utf-8")
    toy = Toy(root)
    toy.tell()
    return toy


def toy_cell(version: str = "2.0.0", **changes: Any) -> Cell:
    """A cell of the toy: iniconfig stands for the framework."""
    cell = Cell(
        framework="toy",
        distribution="iniconfig",
        version=version,
        python=PYTHON,
        target="toy",
        asked=version,
        resolution=Resolution((f"iniconfig=={version}",), as_of=AS_OF),
    )
    return replace(cell, **changes)
