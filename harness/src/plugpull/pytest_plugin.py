"""The pytest plugin: a fixture ``conform`` that fails the test with the report.

Registered by installing plugpull. It is imported by every run of pytest beside it, so it imports
nothing but pytest until the fixture is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plugpull.conformance import ConformanceReport, Context

__all__ = ["conform"]

_MARKER = "plugpull"
_SETTINGS = ("strict", "uncatchable")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--plugpull-strict`` and the setting ``plugpull_strict``."""
    parser.getgroup("plugpull").addoption(
        "--plugpull-strict",
        action="store_true",
        help="the fixture conform uses the strict rules wherever a test says nothing else",
    )
    parser.addini(
        "plugpull_strict",
        "the fixture conform uses the strict rules wherever a test says nothing else",
        type="bool",
        default=False,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker."""
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(strict=..., uncatchable=...): how the fixture conform checks in this test, "
        "class or module",
    )


@pytest.fixture
def conform(request: pytest.FixtureRequest) -> Callable[..., ConformanceReport]:
    """``conform(factory, inputs)``: fail the test unless the subject survives every crash.

    Takes the arguments of :func:`plugpull.conform` and returns its report. What a call does not
    say about ``strict`` and ``uncatchable`` comes from the nearest ``plugpull`` marker, then from
    ``--plugpull-strict``, then from the setting ``plugpull_strict``.
    """
    settings = _settings(request)

    def check(
        factory: Callable[[Context], Any],
        inputs: Iterable[Any],
        run_id: str = "run",
        *,
        strict: bool | None = None,
        uncatchable: bool | None = None,
    ) -> ConformanceReport:
        __tracebackhide__ = True
        from plugpull.conformance import conform as run  # noqa: PLC0415 - see above

        report = run(
            factory,
            inputs,
            run_id,
            strict=settings["strict"] if strict is None else strict,
            uncatchable=settings["uncatchable"] if uncatchable is None else uncatchable,
        )
        if not report.passed:
            raise AssertionError(str(report))
        return report

    return check


def _settings(request: pytest.FixtureRequest) -> dict[str, bool]:
    config = request.config
    try:
        strict = bool(config.getoption("plugpull_strict") or config.getini("plugpull_strict"))
    except ValueError:
        # A conftest imports the fixture, and the plugin itself was not loaded.
        strict = False
    settings = {"strict": strict, "uncatchable": False}
    marker = request.node.get_closest_marker(_MARKER)
    if marker is not None:
        unknown = [name for name in marker.kwargs if name not in _SETTINGS]
        if unknown or marker.args:
            named = ", ".join(f"{name}=..." for name in _SETTINGS)
            raise pytest.UsageError(f"the marker {_MARKER} takes {named} and nothing else")
        settings.update(marker.kwargs)
    return settings
