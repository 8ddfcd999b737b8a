"""What the planning tests share: an index in memory, a checkout, and Pythons that are there."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timezone
from pathlib import Path

from plugpull.matrix.index import NoSuchProject, Release
from plugpull.matrix.interpreters import Interpreter, Missing
from plugpull.matrix.options import parse_options
from plugpull.matrix.plan import Plan
from plugpull.matrix.planning import make_plan

NOW = datetime(2026, 11, 29, 15, 30, tzinfo=timezone.utc)


def day(text: str) -> datetime:
    """A moment from ``2026-03-15`` or ``2026-03-15T12:00:00.5``."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


def release(
    version: str, uploaded: str = "2026-01-01", *, yanked: str | None = None, python: str = ">=3.9"
) -> Release:
    """A release whose files all came at one moment."""
    moment = day(uploaded)
    return Release(version, moment, moment, yanked, python)


#: Recorded from the real index, in the shape that this project keeps of it.
TOY = (
    release("1.0.0", "2026-01-01"),
    release("1.0.1", "2026-01-10T08:00:00.500000"),
    release("1.1.0", "2026-02-01"),
    release("1.1.1", "2026-02-10", yanked="lost the data"),
    release("2.0.0a1", "2026-02-20"),
    release("2.0.0", "2026-03-01", python=">=3.11"),
    release("2.0.1", "2026-03-05", yanked=""),
    release("2.1.0rc1", "2026-04-01", python=">=3.11"),
)


class MemoryIndex:
    """An index that knows a few projects, and remembers which it was asked for."""

    def __init__(self, **projects: tuple[Release, ...]) -> None:
        self.projects = {name.replace("_", "-"): releases for name, releases in projects.items()}
        self.asked: list[str] = []

    def releases(self, project: str) -> tuple[Release, ...]:
        """The project's releases."""
        self.asked.append(project)
        if project not in self.projects:
            raise NoSuchProject(f"no project {project!r}")
        return self.projects[project]


def checkout(root: Path, declaration: str) -> Path:
    """A folder with a declaration and the targets ``toy`` and ``other``."""
    for name in ("toy", "other"):
        folder = root / "targets" / name
        folder.mkdir(parents=True, exist_ok=True)
        manifest = {
            "name": name,
            "title": name.title(),
            "distribution": f"{name}-slim",
            "import": name,
            "program": "agent.py",
            "companions": [f"{name}-store"],
            "scenarios": {"kill-mid-tool": {}, "lost-session-write": {}},
            "variants": [
                {"name": "sync+no-key", "scenarios": ["kill-mid-tool"]},
                {"name": "async+no-key", "scenarios": ["kill-mid-tool"]},
                {"name": "default", "scenarios": ["lost-session-write"]},
            ],
        }
        (folder / "agent.py").touch()
        (folder / "target.json").write_text(json.dumps(manifest), encoding="utf-8")
    (root / "matrix.toml").write_text(declaration, encoding="utf-8")
    return root


def found(pythons: Iterable[str]) -> dict[str, Interpreter | Missing]:
    """Every Python but 3.14 is there, as its third patch release."""
    return {
        python: Missing(python)
        if python == "3.14"
        else Interpreter(python, f"/opt/python{python}", f"{python}.3", "PATH")
        for python in pythons
    }


def plan_for(root: Path, *posargs: str, index: MemoryIndex | None = None) -> Plan:
    """The plan of ``nox -s matrix -- POSARGS`` in a checkout."""
    known = index or MemoryIndex(toy_slim=TOY, other_slim=(release("5.0"),))
    options = parse_options(posargs, root=root)
    return make_plan(options, root=root, index=known, now=NOW, find=found)
