"""git as it is called here: it asks nobody for anything, and runs no hooks.

git never asks for a name or a password here, and is told nothing by the variables that git itself
sets for hooks. What the user set up to reach a private repository (ssh keys, a credential helper)
works as ever.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GitFailure", "git"]

#: git's own, for its hooks: they would lead it to another repository.
_DROPPED = re.compile(
    r"GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR"
    r"|NAMESPACE|PREFIX|CEILING_DIRECTORIES|CONFIG_PARAMETERS|CONFIG_COUNT)"
)
_SETTINGS = ("core.hooksPath=/dev/null", "gc.auto=0", "core.fsmonitor=false", "maintenance.auto=0")


class GitFailure(PlugpullError):
    """git ended with an error.

    Attributes:
        words: What it said.
    """

    def __init__(self, what: str, words: str) -> None:
        super().__init__(what, why=words)
        self.words = words


def git(arguments: Sequence[str | Path], *, cwd: Path, doing: str) -> str:
    """Run git and return what it printed.

    Args:
        arguments: Without the executable.
        cwd: Where to run.
        doing: Names the work for people: ``"<doing> failed"``.

    Raises:
        PlugpullError: There is no git.
        GitFailure: It ended with an error.
    """
    command = ["git", *(part for setting in _SETTINGS for part in ("-c", setting))]
    try:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            cwd=cwd,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise
        raise PlugpullError(
            "git was not found: it fetches what a version under test is built from",
            then="install git, or give a folder without git, a wheel or an sdist",
        ) from error
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise GitFailure(f"{doing} failed", "\n".join(lines[-5:]) or f"exit {done.returncode}")
    return done.stdout


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not _DROPPED.match(name)}
    kept |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    kept |= {"GCM_INTERACTIVE": "never", "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
    kept.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        kept[name] = "true"  # Answers with nothing, where a window would open.
    return kept
