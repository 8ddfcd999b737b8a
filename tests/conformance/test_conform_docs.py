"""What docs/test-your-agent.md shows is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from published import Environments, run_pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "test-your-agent.md").read_text(encoding="utf-8")

FILES = dict(re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, flags=re.DOTALL))


def _console(command: str) -> str:
    """What the page says that a command prints."""
    found = re.search(rf"\$ {re.escape(command)}\n(.*?)```", PAGE, flags=re.DOTALL)
    assert found, command
    return found[1]


def _write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).write_text(FILES[name], encoding="utf-8")


def test_the_first_agent_passes_as_shown(tmp_path: Path) -> None:
    """Copied from the page, in pytest and on the command line."""
    _write(tmp_path, "my_agent.py", "test_my_agent.py")
    assert "1 passed" in run_pytest(Path(sys.executable), tmp_path)
    command = "plugpull conform my_agent:Orders order-1 order-2 order-3"
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        check=True,
    )
    assert done.stdout == _console(command)


def test_without_its_key_it_fails_as_shown(tmp_path: Path) -> None:
    """The page's own way to see a finding."""
    text, count = re.subn(r', key=f"charge-\{order\}"', "", FILES["my_agent.py"])
    assert count == 1
    (tmp_path / "my_agent.py").write_text(text, encoding="utf-8")
    command = "plugpull conform my_agent:Orders order-1"
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, _console(command))


@pytest.mark.environments
def test_the_agent_in_langgraph_passes_and_can_fail(
    environments: Environments, tmp_path: Path
) -> None:
    """A real graph with its real checkpointer; without the key it is found out."""
    python = environments.get(
        "docs-langgraph", "langgraph==1.2.11", "langgraph-checkpoint-sqlite", "pytest"
    )
    _write(tmp_path, "test_graph.py")
    said = run_pytest(python, tmp_path)
    assert "1 passed" in said, said
    text = FILES["test_graph.py"].replace(""", key=f"charge-{state['order']}\"""", "")
    assert text != FILES["test_graph.py"]
    (tmp_path / "test_graph.py").write_text(text, encoding="utf-8")
    said = run_pytest(python, tmp_path)
    assert "1 failed" in said
    assert "[effect_duplicated] crash after effect #1" in said


def test_the_way_to_each_kind_is_named() -> None:
    """Both pages know every kind, by its own heading and in the table of the rules."""
    explained = (DOCS / "findings-explained.md").read_text(encoding="utf-8")
    for kind in re.findall(r"`([a-z]+_[a-z_]+)`", PAGE[PAGE.index("## What the strict rules") :]):
        assert f"### {kind}\n" in explained
