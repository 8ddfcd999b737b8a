"""Mutation proof: each way of breaking the checker turns a named test red."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from broken_checkers import MUTANTS, Mutant

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "harness" / "src" / "plugpull"
PLANTED = "strict::a_planted_defect_is_found_and_nothing_else"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, to be broken."""
    folder = tmp_path_factory.mktemp("mutants") / "plugpull"
    return Path(shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__")))


def _run(copy: Path, *tests: str) -> tuple[int, str]:
    """The exit status of pytest on tests that import the copy, and what it printed."""
    asked = [(PLANTED if test == "planted" else test).partition("::") for test in tests]
    files = {str(HERE / f"test_conform_{file}.py") for file, _, _ in asked}
    names = " or ".join(f"test_{name}" for _, _, name in asked)
    quiet = ["-x", "-q", "--no-header", "-p", "no:cacheprovider"]
    # Our own settings are not for a run of its own kind.
    plain = ["--rootdir", str(HERE), "-c", os.devnull]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *quiet, *plain, *sorted(files), "-k", names],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(copy.parent), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda one: one.name.replace(" ", "-"))
def test_a_broken_checker_is_noticed(mutant: Mutant, copy: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    file = copy / "conformance" / mutant.file
    sound = file.read_text(encoding="utf-8")
    assert sound.count(mutant.old) == 1, f"{mutant.file} has no such text any more"
    try:
        file.write_text(sound.replace(mutant.old, mutant.new), encoding="utf-8")
        status, said = _run(copy, mutant.test)
    finally:
        file.write_text(sound, encoding="utf-8")
    assert status == 1, said
    assert re.search(r"^E +(AssertionError|assert |Failed: )", said, re.MULTILINE), said


def test_the_tests_that_notice_are_green_on_the_sound_checker(copy: Path) -> None:
    """So that what turns them red is the mutant."""
    status, said = _run(copy, *sorted({mutant.test for mutant in MUTANTS}))
    assert status == 0, said
