from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from plugpull.matrix.cells import Cell, Origin, Wheel
from plugpull.matrix.interpreters import Interpreter, find_interpreter
from plugpull.matrix.proven import not_proven
from plugpull.matrix.results import CellFile
from plugpull.matrix.uvrun import run_uv
from plugpull.matrix.wheels import build_wheel
from projects import make_project
from toycell import toy_cell

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Wheel]:
    """An environment with a wheel in it that was built here."""
    folder = tmp_path_factory.mktemp("proven")
    python = find_interpreter(PYTHON)
    assert isinstance(python, Interpreter)
    top = make_project(folder / "toy", "iniconfig", "2.0.0")
    wheel = build_wheel(top, folder / "builds", python, what="it").wheel
    environment = folder / "env"
    make = ["venv", "--python", python.path, "--no-project", environment]
    run_uv(make, step="x", doing="x", cwd=folder)
    install = ["pip", "install", "--python", environment / "bin" / "python", wheel.path]
    run_uv(install, step="x", doing="x", cwd=folder)
    return environment, wheel


def cell_of(wheel: Wheel) -> Cell:
    """A cell whose version was built here, and has a release's number."""
    origin = Origin("git", "/somewhere", "0" * 40, version="2.0.0")
    cell = toy_cell("git.000000000000", source="git", origin=origin)
    return replace(cell, resolution=replace(cell.resolution, wheels=(wheel,)))


def measured(file: Path | None, version: str = "2.0.0", digest: str = "") -> CellFile:
    """What the harness says that it imported."""
    facts: dict[str, object] = {"version": version, "stage": "done"}
    if file is not None:
        digest = digest or hashlib.sha256(file.read_bytes()).hexdigest()
        facts["imported"] = {"file": str(file), "sha256": digest}
    return CellFile(facts)


def module(environment: Path) -> Path:
    """The installed module."""
    [file] = environment.glob("lib/python*/site-packages/iniconfig.py")
    return file


def test_the_file_of_the_wheel_is_the_proof(installed: tuple[Path, Wheel]) -> None:
    """Installed from that very wheel, and the imported file has what the wheel has."""
    environment, wheel = installed
    assert not_proven(cell_of(wheel), environment, measured(module(environment))) == ""


def test_a_version_number_alone_is_none(installed: tuple[Path, Wheel], tmp_path: Path) -> None:
    """A release of the same number, another file, other content, or nothing said: no proof."""
    environment, wheel = installed
    cell, file = cell_of(wheel), module(environment)
    assert "does not say which file" in not_proven(cell, environment, measured(None))
    assert "is no file of" in not_proven(cell, environment, measured(Path(__file__)))
    changed = measured(file, digest="0" * 64)
    assert "is not the file that" in not_proven(cell, environment, changed)
    assert "2.0.1 was imported" in not_proven(cell, environment, measured(file, "2.0.1"))
    other = replace(wheel, path=str(tmp_path / Path(wheel.path).name))
    assert "was installed from file:" in not_proven(cell_of(other), environment, measured(file))


def test_what_came_from_an_index_is_found_out(
    installed: tuple[Path, Wheel], tmp_path: Path
) -> None:
    """An installer notes where a file came from, and notes nothing for an index (PEP 610)."""
    environment, wheel = installed
    [note] = environment.glob("lib/python*/site-packages/*.dist-info/direct_url.json")
    text = note.read_text(encoding="utf-8")
    assert json.loads(text)["url"] == Path(wheel.path).as_uri()
    note.rename(tmp_path / "aside")
    try:
        words = not_proven(cell_of(wheel), environment, measured(module(environment)))
    finally:
        (tmp_path / "aside").rename(note)
    assert words == "iniconfig was installed from an index"


def test_a_release_is_proven_by_its_number(tmp_path: Path) -> None:
    """As ever; and a framework that could not be imported proves nothing either way."""
    assert not_proven(toy_cell(), tmp_path, measured(None)) == ""
    assert "was asked for" in not_proven(toy_cell(), tmp_path, measured(None, "1.9"))
    assert not_proven(toy_cell(), tmp_path, CellFile({"stage": "import"})) == ""
