"""What docs/reference-agent.md has its reader type, typed; what it says is printed, compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from agent_bench import REFERENCE

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference-agent.md"


def alike(text: str) -> str:
    """Times and processes by their order; they are other ones each time."""
    names: dict[str, str] = {}

    def name(match: re.Match[str]) -> str:
        return f'"run": "{names.setdefault(match[1], f"process {len(names)}")}"'

    return re.sub(r'"run": "(\w{8})"', name, re.sub(r'"ts": [0-9.]+', '"ts": 0', text))


def test_the_page_by_hand(tmp_path: Path) -> None:
    """In one shell, from the top to the bottom, in a folder with the checkout's targets."""
    (tmp_path / "targets").symlink_to(REFERENCE.parent)
    blocks = re.findall(r"```(sh|text)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = "".join(code for kind, code in blocks if kind == "sh")
    printed = "".join(text for kind, text in blocks if kind == "text")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=tmp_path,
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert alike(done.stdout) == alike(printed)
    assert "Traceback" not in done.stderr


def test_every_setting_is_on_the_page() -> None:
    """A variable that the agent reads and nobody can find is no setting."""
    sources = "".join(path.read_text("utf-8") for path in (REFERENCE / "durable").glob("*.py"))
    named = set(re.findall(r"\b(?:AGENT|OLLAMA)_[A-Z_]+\b", sources))
    page = PAGE.read_text(encoding="utf-8")
    assert {name for name in named if f"`{name}`" not in page} == set()
