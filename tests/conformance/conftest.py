"""Fixtures: crashresume as its author published it, and environments with other pytests."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from published import Environments


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker of the tests that need the package index."""
    config.addinivalue_line(
        "markers", "environments: makes small environments of its own, from the package index"
    )


@pytest.fixture(scope="session")
def crashresume_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The unpacked source release of crashresume 0.1.0, its tests included."""
    from published import download  # brings in the planner's side, which few tests need

    return download(tmp_path_factory.mktemp("crashresume"))


@pytest.fixture
def crashresume(crashresume_source: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module crashresume itself, to be held against ours."""
    monkeypatch.syspath_prepend(str(crashresume_source / "src"))
    module = importlib.import_module("crashresume")
    assert Path(str(module.__file__)).is_relative_to(crashresume_source)
    yield module
    for name in [name for name in sys.modules if name.split(".")[0] == "crashresume"]:
        del sys.modules[name]


@pytest.fixture(scope="session")
def environments() -> Environments:
    """Environments with plugpull and a pytest; made once, and used again by the next run."""
    from published import Environments

    return Environments()
