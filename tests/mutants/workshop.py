"""The workshop of mutation proof: a copy of the core to break, and a process that runs tests on it.

A mutant is applied to a copy of the package, which the tests of a process of its own import. The
agents they start keep the package that is installed: what is broken is the detector.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree  # noqa: ICN001

__all__ = ["Mutant", "Workshop", "check_noticed", "mutants", "mutated", "named"]

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "harness" / "src" / "plugpull"
TESTS = ROOT / "tests" / "harness"

_BY_ASSERTION = ("AssertionError", "assert ", "Failed: DID NOT RAISE")


class Mutant(NamedTuple):
    """One change to one file.

    Attributes:
        name: What is broken.
        file: The file, below harness/src/plugpull.
        old: Text that is in it exactly once.
        new: What stands there instead.
        tests: Tests below tests/harness, of which at least one has to fail by an assertion.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


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


def mutants(
    folder: Path, file: str, tests: str, *entries: tuple[str, str, str, str]
) -> list[Mutant]:
    """Mutants of one file; a test is named without the beginning that all share.

    Args:
        folder: Where the tests are.
        file: The file below the package.
        tests: The file with the tests.
        entries: What is broken, the text, what stands there instead, and the test, which is in
            another file if it says so.
    """
    return [
        Mutant(name, file, old, new, (str(folder / test),))
        for name, old, new, short in entries
        for test in [short if "::" in short else f"{tests}::test_{short}"]
    ]


def named(mutant: Mutant) -> str:
    """How a mutant is called among the tests."""
    return f"{mutant.file}: {mutant.name}"


def check_noticed(mutant: Mutant, workshop: Workshop, report: Path) -> None:
    """Make the mutant, run its tests, and put everything back.

    Raises:
        AssertionError: None of them fails, or one does by accident and not by an assertion.
    """
    broken = mutated(mutant)
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
    assert any(message.startswith(_BY_ASSERTION) for message in messages), messages
