"""Where the Pythons are: on PATH, among uv's and among pyenv's, proven by running them.

A name on PATH proves nothing: pyenv puts a ``python3.10`` there that refuses unless that version
is chosen. So every candidate is started once, and only what it says about itself counts.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.matrix.uvrun import find_uv

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Interpreter", "Missing", "find_all", "find_interpreter", "scrubbed"]

#: Seconds an interpreter gets to say who it is. A working one needs less than one.
ANSWER_LIMIT = 30.0

#: What a candidate is asked. A virtual environment answers with the Python it was made from:
#: the environment may be gone tomorrow, and the result should name the real interpreter.
QUESTION = """
import json, os, platform, sys
path = sys.executable
if sys.prefix != sys.base_prefix:
    name = "python%d.%d" % sys.version_info[:2]
    base = os.path.join(sys.base_exec_prefix, "bin", name)
    path = base if os.path.exists(base) else os.path.realpath(path)
print(json.dumps([path, platform.python_version(), platform.python_implementation()]))
"""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python that was started and said what it is.

    Attributes:
        python: ``major.minor``, as it was asked for.
        path: The absolute path of the real executable, never of a shim.
        version: Its full version, for example ``3.10.13``.
        found: Where it was found: ``PATH``, ``uv``, ``pyenv``, ``system`` or ``this process``.
    """

    python: str
    path: str
    version: str
    found: str

    def to_json(self) -> dict[str, Any]:
        """A JSON object with one key per attribute."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Missing:
    """A Python that is nowhere to be found.

    Attributes:
        python: ``major.minor``, as it was asked for.
        tried: What was started in vain, one text a candidate, saying how it failed.
    """

    python: str
    tried: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """What the table shows: ``python3.10 not found``."""
        return f"python{self.python} not found"

    def to_json(self) -> dict[str, Any]:
        """A JSON object with one key per attribute."""
        return {"python": self.python, "tried": list(self.tried)}


def find_all(
    pythons: Iterable[str], *, environ: Mapping[str, str] | None = None, download: bool = False
) -> dict[str, Interpreter | Missing]:
    """Look for several Pythons at once.

    Args:
        pythons: ``major.minor`` versions.
        environ: The environment to look in. The process's own if not given.
        download: Whether uv may fetch a Python that is not there.
    """
    wanted = list(dict.fromkeys(pythons))
    if not wanted:
        return {}

    def find(python: str) -> Interpreter | Missing:
        return find_interpreter(python, environ=environ, download=download)

    with ThreadPoolExecutor(max_workers=len(wanted)) as pool:
        return dict(zip(wanted, pool.map(find, wanted), strict=True))


def find_interpreter(
    python: str, *, environ: Mapping[str, str] | None = None, download: bool = False
) -> Interpreter | Missing:
    """The first interpreter of that version that really starts.

    Args:
        python: ``major.minor``.
        environ: The environment to look in. The process's own if not given.
        download: Whether uv may fetch the Python if it is not there.
    """
    env = dict(os.environ if environ is None else environ)
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    tried: list[str] = []
    for path, found in _candidates(python, env):
        answer = _ask(python, path, found, env)
        if isinstance(answer, Interpreter):
            return answer
        tried.append(answer)
    if here == python:
        answer = _ask(python, Path(sys.executable), "this process", env)
        if isinstance(answer, Interpreter):
            return answer
        tried.append(answer)
    if download:
        return _download(python, env, tried)
    return Missing(python, tuple(tried))


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without anything that would make a Python pose as another one."""
    poison = {"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_VERSION", "__PYVENV_LAUNCHER__"}
    return {
        name: value
        for name, value in environ.items()
        if name not in poison and not name.startswith("PYTHON")
    }


def _candidates(python: str, env: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Every executable file that may be this Python, the likeliest first, none twice."""
    seen: set[Path] = set()
    for path, found in _places(python, env):
        if path not in seen and path.is_file() and os.access(path, os.X_OK):
            seen.add(path)
            yield path, found


def _places(python: str, env: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    name = f"python{python}"
    on_path = [Path(folder) for folder in env.get("PATH", "").split(os.pathsep) if folder]
    for folder in on_path:
        # A relative folder on PATH means another place in every process: no place at all.
        if folder.is_absolute():
            yield folder / name, "PATH"
    home = Path(env.get("HOME") or Path.home())
    data = Path(env.get("XDG_DATA_HOME") or home / ".local" / "share")
    uv = Path(env.get("UV_PYTHON_INSTALL_DIR") or data / "uv" / "python")
    for folder in _newest_first(uv, f"cpython-{python}"):
        yield folder / "bin" / name, "uv"
    pyenv = Path(env.get("PYENV_ROOT") or home / ".pyenv")
    for folder in _newest_first(pyenv / "versions", python):
        yield folder / "bin" / name, "pyenv"
    for system in ("/usr/local/bin", "/usr/bin", "/opt/homebrew/bin"):
        yield Path(system) / name, "system"
    framework = Path("/Library/Frameworks/Python.framework/Versions")
    yield framework / python / "bin" / name, "system"
    for folder in on_path:
        if folder.is_absolute():
            yield folder / "python3", "PATH"


def _newest_first(folder: Path, prefix: str) -> list[Path]:
    """The version folders of one minor, the newest patch first; others' names are left alone."""
    pattern = re.compile(re.escape(prefix) + r"(?:\.(\d+))?(?![\d.]).*")
    try:
        found = [(pattern.fullmatch(entry.name), entry) for entry in folder.iterdir()]
    except OSError:
        return []
    dated = [(int(match[1] or 0), entry) for match, entry in found if match is not None]
    return [entry for _, entry in sorted(dated, key=lambda pair: (-pair[0], pair[1].name))]


def _ask(python: str, path: Path, found: str, env: Mapping[str, str]) -> Interpreter | str:
    """Start the candidate and let it say who it is. A text says why it will not do."""
    try:
        done = subprocess.run(
            [str(path), "-I", "-c", QUESTION],
            env=scrubbed(env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=ANSWER_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{path}: said nothing for {ANSWER_LIMIT:.0f} s"
    except OSError as error:
        return f"{path}: {error.strerror}"
    if done.returncode != 0:
        words = done.stderr.strip().splitlines()
        said = words[0] if words else "it said nothing"
        return f"{path}: refuses with exit code {done.returncode}: {said}"
    return _judge(python, path, found, done.stdout)


def _judge(python: str, path: Path, found: str, answer: str) -> Interpreter | str:
    """Whether the answer is that of the Python that was asked for. A text says what it is."""
    try:
        real, version, implementation = json.loads(answer)
    except ValueError:
        return f"{path}: answers {answer[:60]!r}"
    if version.split(".")[:2] != python.split("."):
        return f"{path}: is Python {version}"
    if implementation != "CPython":
        return f"{path}: is {implementation}"
    if not Path(real).is_absolute():
        return f"{path}: names itself {real!r}"
    return Interpreter(python, real, version, found)


def _download(python: str, env: Mapping[str, str], tried: list[str]) -> Interpreter | Missing:
    """Let uv fetch the Python, because the user asked for it, then look once more."""
    done = subprocess.run(
        [find_uv(), "python", "install", "--no-bin", python],
        env=scrubbed(env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return find_interpreter(python, environ=env)
    words = [line.strip() for line in done.stderr.strip().splitlines()]
    return Missing(python, (*tried, f"uv python install {python}: {' '.join(words[-2:])}"))
