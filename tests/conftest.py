"""What holds for the whole suite."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from workshop import Workshop

# The workshop in which mutants are made.
sys.path.append(str(Path(__file__).parent / "mutants"))

#: Mutants ask whether the tests notice a broken rule. That is a property of the tests, the same on
#: every Python, and asking takes as long as all the tests together.
MUTANTS_RUN_ON = (3, 13)

#: Real frameworks in environments of their own are tried on the oldest and the newest Python: to
#: make the environments takes longer than to run them, and the matrix asks every Python.
FRAMEWORKS_RUN_ON = ((3, 10), (3, 13))


def pytest_configure() -> None:
    """Let signals end what the tests start, also where nohup or a shell's & had them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_IGN:
            ending = signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL
            signal.signal(number, ending)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run mutants on one Python, and frameworks on two; they say so everywhere else."""
    here = sys.version_info[:2]
    if here != MUTANTS_RUN_ON:
        elsewhere = pytest.mark.skip(reason="mutants run on Python 3.13")
        for item in items:
            if "mutants" in item.path.stem:
                item.add_marker(elsewhere)
    if here not in FRAMEWORKS_RUN_ON:
        elsewhere = pytest.mark.skip(reason="frameworks are tried on Python 3.10 and 3.13")
        for item in items:
            if item.path.parent.name == "targets":
                item.add_marker(elsewhere)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    """One for all mutants of a table."""
    from workshop import Workshop

    workshop = Workshop(tmp_path_factory.mktemp("mutants"))
    yield workshop
    workshop.close()
