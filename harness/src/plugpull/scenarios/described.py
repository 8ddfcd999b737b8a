"""What a scenario does and expects, in its module's own words, for a report that stands alone."""

from __future__ import annotations

import sys

from plugpull.scenarios.base import Scenario

__all__ = ["describe"]

_EXPECTS = "What should be true"


def describe(scenario: Scenario) -> dict[str, str]:
    """``does`` and ``expects``, each a text in one paragraph; empty where docstrings are stripped.

    A scenario's module begins with its name and what it does, and has one paragraph on what should
    be true. Nothing is written down twice, so nothing can differ.
    """
    text = sys.modules[type(scenario).__module__].__doc__ or ""
    paragraphs = [" ".join(part.split()).replace("``", "`") for part in text.split("\n\n")]
    does = paragraphs[0].removeprefix(f"{scenario.name}: ")
    expects = next((part for part in paragraphs if part.startswith(_EXPECTS)), "")
    return {"does": does, "expects": expects.partition(": ")[2]}
