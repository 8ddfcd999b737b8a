"""A toy to be checked: a branch says itself how it fares, and a small harness reports that.

iniconfig stands for the framework: its release is the base, and branches of a repository made here
are what is checked. A branch's module holds ``FARES``: for each variant and fault point how many of
ten runs fail. The environments, the builds and the proof of what was imported are real.
"""

from __future__ import annotations

import json
from pathlib import Path

from branches import commit
from projects import make_project
from toycell import PYTHON, Toy, make_toy

__all__ = ["BASE", "branch", "make_check_toy"]

#: How the release fares.
BASE = {
    "one/before-effect": 0,
    "one/after-effect": 10,
    "two/before-effect": 0,
    "two/after-effect": 0,
}

MAIN = '''
"""Reports how the imported version says it fares."""
import hashlib, importlib.metadata, json, sys
from pathlib import Path
import iniconfig

def values(name):
    return [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == name]

targets = Path(values("--targets")[0])
told = json.loads((targets / "behaviour.json").read_text())
with (targets.parent / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps({"argv": sys.argv[1:], "environ": {}}) + "\\n")
fares = getattr(iniconfig, "FARES", told["base"])
results = []
for name, failing in fares.items():
    variant, point = name.split("/")
    if variant not in values("--variant"):
        continue
    timing = name in told["timing"]
    runs = int(values("--repeat")[0]) if values("--repeat") else 1
    runs = max(runs, int(values("--timing-repeat")[0])) if timing else runs
    failed = failing * runs // 10 if failing >= 0 else 0
    counts = {"PASS": runs - failed, "FAIL": failed, "ERROR": 0 if failing >= 0 else runs}
    verdict = "ERROR" if failing < 0 else "FAIL" if failed else "PASS"
    results.append({
        "scenario": "kill-mid-tool", "target": "toy", "kill_point": point, "verdict": verdict,
        "detail": f"{name} is {verdict}", "evidence": {"effects": {"charge": 1 + failed}},
        "variant": variant, "runs": counts, "timing_dependent": timing,
    })
file = Path(told.get("imported") or iniconfig.__file__)
cell = {"stage": "done", "version": importlib.metadata.version("iniconfig"), "seconds": 1.0,
        "imported": {"file": str(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}}
Path(values("--report")[0]).write_text(json.dumps(
    {"schema": 1, "results": results, "cell": cell, "not_supported": []}))
'''

MATRIX = f"""\
[matrix]
python = ["{PYTHON}"]

[framework.toy]
versions = ["2.0.0"]
"""


def make_check_toy(root: Path, wheels: Path) -> Toy:
    """The checkout of plugpull."""
    toy = make_toy(root, wheels)
    package = root / "harness" / "src" / "plugpull"
    (package / "__main__.py").write_text(MAIN, encoding="utf-8")
    (root / "matrix.toml").write_text(MATRIX, encoding="utf-8")
    toy.tell(base=BASE, timing=[])
    return toy


def branch(top: Path, fares: dict[str, int], version: str = "2.0.1") -> str:
    """Commit a version that fares like that; the commit's name."""
    code = f"FARES = {json.dumps(fares)}\n"
    return commit(make_project(top, "iniconfig", version, code), "another one")
