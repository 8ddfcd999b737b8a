"""Fixtures of the tests that run real frameworks."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "rigs"))

from frameworks import PYTHON, Environments
from plugpull.matrix.interpreters import Interpreter, find_interpreter


@pytest.fixture(scope="session")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Environments:
    """Environments with real frameworks, under the Python that runs the tests."""
    interpreter = find_interpreter(PYTHON)
    assert isinstance(interpreter, Interpreter), interpreter
    return Environments(interpreter, tmp_path_factory)
