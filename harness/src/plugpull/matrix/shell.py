"""``nox -s shell``: a shell, or one command, in a cell's environment."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.interpreters import scrubbed
from plugpull.matrix.lookup import look_up
from plugpull.matrix.prepared import prepared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

__all__ = ["shell"]

_USAGE = "nox -s shell -- langgraph-1.2.11/py3.13 [-- python agent.py]"
_HELP = """\
Open a shell in a cell's environment, or run a command there.

The environment is made if it is not there. What stands behind the second -- runs in it, and its
exit code is the session's. nox -s list shows the cells."""


def shell(posargs: Sequence[str], *, root: Path, cwd: Path) -> int:
    """Prepare the cell's environment if need be, and start the user's shell or a command in it.

    Args:
        posargs: The cell, and behind another ``--`` a command. Without one ``$SHELL`` is started;
            where standard input is no terminal, it reads its commands from there.
        root: The checkout.
        cwd: The folder in which nox was started, and the command is.

    Returns:
        The exit code of the shell or the command.

    Raises:
        UsageError: There is no such cell.
        PlugpullError: Its environment cannot be made, or the command cannot be started.
    """
    words = list(posargs)
    before = words[: words.index("--")] if "--" in words else words
    command = words[len(before) + 1 :]
    if before in (["-h"], ["--help"]):
        print(f"usage: {_USAGE}\n\n{_HELP}")
        return 0
    if len(before) != 1 or before[0].startswith("-"):
        raise UsageError(f"one cell is needed: {_USAGE}", then="nox -s list shows the cells")
    found = look_up(before[0], root=root, cwd=cwd)
    with prepared(found.plan, found.cell) as ready:
        python = ready.python
    # The lock is given up: a shell may stay open for days, and a second one is no harm.
    if not command:
        command = [os.environ.get("SHELL") or "/bin/sh"]
        if sys.stdin.isatty():
            print(
                f"plugpull: {found.cell.id}: python is {python}; exit ends this shell",
                file=sys.stderr,
            )
    return _run(command, environment_of(python, found.cell.id), cwd)


def environment_of(
    python: Path, cell: str, outer: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The user's own environment, with the cell's put in front as activating it would do."""
    kept = scrubbed(os.environ if outer is None else outer)
    kept["PATH"] = os.pathsep.join([str(python.parent), kept.get("PATH", os.defpath)])
    kept["VIRTUAL_ENV"] = str(python.parents[1])
    kept["PLUGPULL_CELL"] = cell
    return kept


def _run(command: Sequence[str], environment: dict[str, str], cwd: Path) -> int:
    """Run in the foreground. Ctrl-C is the command's affair, and not ours."""
    sys.stdout.flush()
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.Popen(
            command,
            env=environment,
            cwd=cwd,
            # An ignored signal stays ignored in what we start.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - no threads here
        )
        code = done.wait()
    except OSError as error:
        raise PlugpullError(
            f"{command[0]} cannot be started: {error.strerror}",
            then="the command stands behind a second --, and is looked for in the cell first",
        ) from error
    finally:
        signal.signal(signal.SIGINT, before)
    return code if code >= 0 else 128 - code
