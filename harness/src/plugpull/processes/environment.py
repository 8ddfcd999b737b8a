"""The environment of an agent's process: what is on the list below, and nothing else.

An allow-list keeps the user's keys and tokens away from the code under test, and keeps settings
that change how Python runs (``PYTHONDONTWRITEBYTECODE``, ``PYENV_VERSION``, an outer virtual
environment) from changing what is measured.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping

__all__ = ["ALLOWED", "child_environment"]

#: Names that reach an agent. ``LC_`` stands for every variable that begins so.
ALLOWED = (
    "HOME",
    "LANG",
    "LANGUAGE",
    "LC_",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
)


def child_environment(
    extra: Mapping[str, str],
    pass_names: Iterable[str] = (),
    outer: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """The whole environment of a child.

    Args:
        extra: What plugpull itself tells the child; wins over everything else.
        pass_names: Further names to hand through (``--pass-env``).
        outer: The environment to choose from, by default this process's own.
    """
    source = os.environ if outer is None else outer
    passed = set(pass_names)
    kept = {
        name: value
        for name, value in source.items()
        if name in passed or any(_matches(name, allowed) for allowed in ALLOWED)
    }
    # A script has no other way to find the Python in which plugpull is installed.
    return {**kept, "PLUGPULL_PYTHON": sys.executable, **extra}


def _matches(name: str, allowed: str) -> bool:
    return name.startswith(allowed) if allowed.endswith("_") else name == allowed
