"""Calls of uv: which executable, under which environment variables, and what it said at the end."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["EnvironmentFailure", "find_uv", "gist", "last_words", "run_uv", "uv_environment"]

#: How many of uv's closing lines are kept. A failed build prints its backend's traceback there.
LAST_LINES = 40
#: A single line can be a megabyte of JSON; a table of results is no place for it.
LAST_CHARACTERS = 6000

#: What uv needs of the user's shell: where things are, how the network is reached, and, for a
#: release that has to be built, which compiler to use.
_KEPT = frozenset(
    [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "NETRC",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "SSL_CLIENT_CERT",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
        "CC",
        "CXX",
        "CFLAGS",
        "CXXFLAGS",
        "CPPFLAGS",
        "LDFLAGS",
        "LD_LIBRARY_PATH",
        "LIBRARY_PATH",
        "C_INCLUDE_PATH",
        "PKG_CONFIG_PATH",
        "SDKROOT",
        "MACOSX_DEPLOYMENT_TARGET",
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
    ]
)
_KEPT_PREFIXES = ("LC_", "XDG_", "UV_", "GIT_")
#: Settings that change *which* packages are chosen or where they go. The cell says that.
_DROPPED = frozenset(
    [
        # git sets them for its hooks, and a build that asks git for the version would be misled.
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_WORK_TREE",
        "UV_BREAK_SYSTEM_PACKAGES",
        "UV_BUILD_CONSTRAINT",
        "UV_COMPILE_BYTECODE",
        "UV_CONSTRAINT",
        "UV_EXCLUDE",
        "UV_EXCLUDE_NEWER",
        "UV_FORK_STRATEGY",
        "UV_NO_VERIFY_HASHES",
        "UV_OVERRIDE",
        "UV_PRERELEASE",
        "UV_PROJECT",
        "UV_PROJECT_ENVIRONMENT",
        "UV_PYTHON",
        "UV_PYTHON_PREFERENCE",
        "UV_REQUIRE_HASHES",
        "UV_RESOLUTION",
        "UV_SYSTEM_PYTHON",
        "UV_TORCH_BACKEND",
        "UV_VENV_CLEAR",
        "UV_VENV_SEED",
        "UV_WORKING_DIRECTORY",
        "UV_WORKING_DIR",
    ]
)


#: What uv draws before its words.
_LEAD = re.compile(r"^[\s\u00d7\u2500-\u257f\u25b6]*(?:error:|cause:)?\s*")
#: uv says the same thing twice when what you ask for is not there.
_ABSENT = re.compile(r"Because (there is no version of \S+) and you require")


class EnvironmentFailure(PlugpullError):
    """An environment could not be made. The cell is an ERROR row, and says why in uv's own words.

    Attributes:
        stage: How far the cell came. Always ``install`` here.
        step: The part that failed: ``resolve``, ``venv``, ``sync``, ``wheel`` or ``build``.
        last_words: The end of what uv wrote.
    """

    stage = "install"

    def __init__(self, what: str, *, step: str, last_words: str) -> None:
        super().__init__(what, why=last_words)
        self.step = step
        self.last_words = last_words


def find_uv() -> str:
    """The absolute path of uv: the one installed beside the planner, else the one on ``PATH``.

    Raises:
        PlugpullError: There is none.
    """
    try:
        from uv import find_uv_bin  # noqa: PLC0415 - optional: uv may come from PATH instead

        return str(Path(find_uv_bin()).resolve())
    except (ImportError, FileNotFoundError):
        pass
    found = shutil.which("uv")
    if found is None:
        raise PlugpullError(
            "uv was not found: it makes the environments of the cells",
            then="python -m pip install uv",
        )
    return str(Path(found).resolve())


def uv_environment(outer: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables uv is started with.

    uv may build a source release, which runs strangers' code, so this is an allow-list too: index,
    proxy, certificates and compiler pass, keys and an outer virtual environment do not.
    """
    source = os.environ if outer is None else outer
    kept = {
        name: value
        for name, value in source.items()
        if (name in _KEPT or name.startswith(_KEPT_PREFIXES)) and name not in _DROPPED
    }
    # An interpreter is always given by path. Were it missing, uv must say so, not download one.
    kept["UV_PYTHON_DOWNLOADS"] = "never"
    kept["UV_NO_PROGRESS"] = "1"
    kept["NO_COLOR"] = "1"
    return kept


def run_uv(
    arguments: Sequence[str | Path],
    *,
    step: str,
    doing: str,
    cwd: Path,
    stdin: str = "",
    variables: Mapping[str, str] | None = None,
    verbose: bool = False,
) -> str:
    """Run uv and return what it printed.

    Args:
        arguments: Without the executable.
        step: Names the part of the work, for :class:`EnvironmentFailure`.
        doing: Says the same to people: ``"<doing> failed"``.
        cwd: Where to run. uv reads the configuration of the project it stands in.
        stdin: Text to feed.
        variables: Environment variables besides the usual ones.
        verbose: Let it say more, for a failure: what a build prints is left out otherwise.

    Raises:
        EnvironmentFailure: uv ended with an error.
    """
    command = [find_uv(), *([] if verbose else ["--quiet"]), *map(str, arguments)]
    done = subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        errors="replace",
        cwd=cwd,
        env={**uv_environment(), **(variables or {})},
        check=False,
    )
    if done.returncode != 0:
        words = last_words(done.stderr) or f"uv ended with {done.returncode} and said nothing"
        raise EnvironmentFailure(f"{doing} failed", step=step, last_words=words)
    return done.stdout


def last_words(text: str) -> str:
    """The end of a program's output, short enough to be printed in a report."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    kept = "\n".join(lines[-LAST_LINES:])
    return kept if len(kept) <= LAST_CHARACTERS else f"...(truncated){kept[-LAST_CHARACTERS:]}"


def gist(words: str) -> str:
    """The line of somebody's last words that says most."""
    lines = [_LEAD.sub("", line).strip() for line in words.splitlines()]
    lines = [line for line in lines if line]
    if len(lines) > 1 and lines[0].startswith("No solution found"):
        absent = _ABSENT.match(lines[1])
        return absent[1] if absent else lines[1]
    return next(iter(lines), "")
