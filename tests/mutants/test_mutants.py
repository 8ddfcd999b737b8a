"""Mutation proof: each way of breaking the harness turns at least one named test red.

A mutant is applied to a copy of the package, which the tests of a process of its own import. The
agents they start keep the package that is installed: what is broken is the detector.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree  # noqa: ICN001

import pytest
from mutants import MUTANTS, Mutant

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "harness" / "src" / "plugpull"
TESTS = ROOT / "tests" / "harness"


def mutated(mutant: Mutant) -> str:
    """The file's text with the change."""
    text = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1, f"{mutant.file} has no such text any more: {mutant.old!r}"
    return text.replace(mutant.old, mutant.new)


class Workshop:
    """A copy of the core to break, and a process that runs tests on it."""

    def __init__(self, folder: Path) -> None:
        self.copy = folder / "plugpull"
        self.output = folder / "output"
        # The planner's side plays no part. No compiled files: a change that is made within one
        # second and leaves the length as it was would not be seen.
        left_out = shutil.ignore_patterns("matrix", "conformance", "__pycache__")
        shutil.copytree(PACKAGE, self.copy, ignore=left_out)
        self._zygote = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("zygote.py"))],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def status(self, mutant: Mutant, report: Path) -> int:
        """Exit status of pytest on the mutant's tests."""
        assert self._zygote.stdin is not None
        assert self._zygote.stdout is not None
        request = {
            "path": str(self.copy.parent),
            "tests": [str(TESTS / test) for test in mutant.tests],
            "report": str(report),
            "output": str(self.output),
        }
        self._zygote.stdin.write(json.dumps(request) + "\n")
        self._zygote.stdin.flush()
        return int(self._zygote.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._zygote.communicate(timeout=60)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """One for all mutants."""
    workshop = Workshop(tmp_path_factory.mktemp("mutants"))
    yield workshop
    workshop.close()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.file}: {mutant.name}")
def test_a_broken_harness_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """At least one of the named tests fails, by an assertion and not by accident."""
    broken, report = mutated(mutant), tmp_path / "report.xml"
    file = workshop.copy / mutant.file
    sound = file.read_text(encoding="utf-8")
    try:
        file.write_text(broken, encoding="utf-8")
        status = workshop.status(mutant, report)
    finally:
        file.write_text(sound, encoding="utf-8")
        for compiled in file.parent.glob(f"__pycache__/{file.stem}.*"):
            compiled.unlink()
    assert status == 1, f"the mutant survives:\n{workshop.output.read_text()}"
    messages = [failure.get("message", "") for failure in ElementTree.parse(report).iter("failure")]
    by_assertion = ("AssertionError", "assert ", "Failed: DID NOT RAISE")
    assert any(message.startswith(by_assertion) for message in messages), messages


def test_every_mutant_has_a_name_of_its_own() -> None:
    """The table can be talked about."""
    names = [(mutant.file, mutant.name) for mutant in MUTANTS]
    assert len(set(names)) == len(names)
