"""A checkout with a made-up framework in two versions, as wheels: nothing is fetched for it.

Version 1.0 charges without a key and 2.0 with one, so a kill after the effect fails under 1.0 and
passes under 2.0. A run that 2.0 has saved is refused by 1.0, with a message that names the version.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

__all__ = ["HERE", "Checkout", "make_checkout", "only_once"]

CHECKOUT = Path(__file__).parents[2]
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"

only_once = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="what is started is the same on every Python"
)

FRAMEWORK = """
VERSION = {version!r}
KEY = {key!r}


class SavedElsewhere(Exception):
    pass


def check(saved):
    if saved > VERSION:
        raise SavedElsewhere(f"saved by version {{saved}}, which is newer than {{VERSION}}")
"""

AGENT = """
import json, os, sys
from pathlib import Path
import toyframework
from plugpull import record_effect

verb, saved = sys.argv[-1], Path(os.environ["PLUGPULL_WORKDIR"]) / "saved"
if verb == "inspect":
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": []}))
    sys.exit()
if verb == "start":
    saved.write_text(toyframework.VERSION)
    if "PLUGPULL_APPROVAL" in os.environ:
        sys.exit()
toyframework.check(saved.read_text())
keyed = toyframework.KEY or os.environ["KEYED"] == "yes"
record_effect("charge_card", key="order-42" if keyed else None)
record_effect("finish_order", key="order-42")
"""

MANIFEST = {
    "name": "toy",
    "title": "Toy Framework",
    "distribution": "toyframework",
    "import": "toyframework",
    "program": "agent.py",
    "scenarios": {"kill-mid-tool": {}, "resume-after-upgrade": {}},
    "worlds": {"framework-changed": "saved by version"},
    "variants": [
        {"name": "no-key", "scenarios": ["kill-mid-tool"], "env": {"KEYED": "no"}},
        {"name": "key", "scenarios": ["resume-after-upgrade"], "env": {"KEYED": "yes"}},
    ],
}

MATRIX = f"""
[matrix]
python = ["{HERE}"]

[framework.toy]
versions = [
  "./wheels/toyframework-1.0-py3-none-any.whl",
  "./wheels/toyframework-2.0-py3-none-any.whl",
]
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    """The checkout."""

    root: Path

    def nox(
        self, *arguments: str, stdin: str | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run nox in it, as a user's shell would."""
        drop = re.compile(r"NOX|PLUGPULL_|VIRTUAL_ENV|COLUMNS|FORCE_COLOR|PYTHONPATH")
        kept = {name: value for name, value in os.environ.items() if not drop.match(name)}
        return subprocess.run(
            [sys.executable, "-m", "nox", *arguments],
            cwd=self.root,
            env={**kept, "NOX_SCRIPT_MODE": "none", **variables},
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def wheel(self, version: str) -> Path:
        """The framework's wheel."""
        return self.root / "wheels" / f"toyframework-{version}-py3-none-any.whl"


def make_checkout(root: Path) -> Checkout:
    """Lay it out: our noxfile and harness, and a target of its own."""
    shutil.copy(CHECKOUT / "noxfile.py", root)
    (root / "harness").symlink_to(CHECKOUT / "harness")
    (root / ".plugpull").mkdir()
    # The harness is built once for all checkouts.
    (CHECKOUT / ".plugpull" / "wheels").mkdir(parents=True, exist_ok=True)
    (root / ".plugpull" / "wheels").symlink_to(CHECKOUT / ".plugpull" / "wheels")
    target = root / "targets" / "toy"
    target.mkdir(parents=True)
    (target / "agent.py").write_text(AGENT)
    (target / "target.json").write_text(json.dumps(MANIFEST))
    (root / "matrix.toml").write_text(MATRIX)
    for version, key in (("1.0", ""), ("2.0", "order-42")):
        _build(root / "wheels", version, FRAMEWORK.format(version=version, key=key))
    return Checkout(root)


def _build(folder: Path, version: str, text: str) -> None:
    """A wheel of one module."""
    folder.mkdir(exist_ok=True)
    info = f"toyframework-{version}.dist-info"
    files = {
        "toyframework.py": text,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: toyframework\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {
        name: base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest())
        .rstrip(b"=")
        .decode()
        for name, content in files.items()
    }
    record = [f"{name},sha256={digests[name]},{len(files[name])}" for name in files]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,"]) + "\n"
    with zipfile.ZipFile(folder / f"toyframework-{version}-py3-none-any.whl", "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
