"""The environment of an agent: a list of names, and what plugpull itself says."""

from __future__ import annotations

import sys

from plugpull.processes.environment import child_environment

OUTER = {
    "PATH": "/bin",
    "HOME": "/home/x",
    "LC_ALL": "C",
    "LC_": "odd",
    "LCALL": "no",
    "PATHS": "no",
    "OPENAI_API_KEY": "sk-1",
    "PYTHONPATH": "/x",
    "PLUGPULL_PYTHON": "/another/python",
}


def test_only_what_is_on_the_list_reaches_an_agent() -> None:
    """Rule 14: whole names, and what begins with LC_."""
    assert child_environment({}, (), OUTER) == {
        "PATH": "/bin",
        "HOME": "/home/x",
        "LC_ALL": "C",
        "LC_": "odd",
        "PLUGPULL_PYTHON": sys.executable,
    }


def test_what_is_passed_reaches_it_and_what_plugpull_says_wins() -> None:
    """``--pass-env NAME`` is by name; one that is not set is not made up."""
    found = child_environment({"PATH": "/ours"}, ("PYTHONPATH", "MISSING", "HOME"), OUTER)
    assert found["PYTHONPATH"] == "/x"
    assert found["PATH"] == "/ours"
    assert "MISSING" not in found
    assert "OPENAI_API_KEY" not in found
