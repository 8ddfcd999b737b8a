"""The fixtures of the tests of servers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from serving import notes, service

if TYPE_CHECKING:
    from plugpull.lab import Lab

__all__ = ["notes", "service"]


@pytest.fixture
def lab() -> Iterator[Lab]:
    """A lab with the limits that a user gets."""
    from plugpull.lab import Lab

    with Lab() as lab:
        yield lab
