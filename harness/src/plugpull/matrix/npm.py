"""Packages from the npm registry: servers that are published there, as built programs.

npm installs them, with its user's settings for registry, proxy and certificates, and checks the
integrity of what it fetches. They are kept in the state folder, one installation for each list of
packages, and every environment that needs them gets a link to it: such a server can be as large as
all packages of a framework together.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

from plugpull.matrix.files import FileLock, temporary_folder, write_json
from plugpull.matrix.uvrun import EnvironmentFailure, last_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from plugpull.matrix.environments import State

__all__ = ["MODULES", "is_npm_package", "npm_packages"]

#: The folder in which node looks for packages, and we too.
MODULES = "node_modules"

#: Seconds for everything, after which nobody waits any longer.
TIMEOUT = 600

_PACKAGE = re.compile(
    r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*@\d+\.\d+\.\d+[\w.+-]*"
)
#: What npm's codes mean. A report's line shows the first of its words only, which is the code.
_MEANT = {
    "E404": "there is no such package on npm's registry, or no such release of it",
    "ETARGET": "there is no such release of the package on npm's registry",
}
_CODE = re.compile(r"^npm (?:error|ERR!) code (\w+)$", re.MULTILINE)
_STAMP = "plugpull-npm.json"
_KEPT = (
    *("PATH", "HOME", "TMPDIR", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"),
)
# npm reads its settings from variables that begin so, in either case.
_SETTINGS = "npm_config_"
_OPTIONS = (
    # A package's own scripts are strangers' code, and what is wanted is in the package.
    *("--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--no-update-notifier"),
    *("--fetch-retries=1", "--fetch-timeout=60000", "--loglevel=error"),
)


def is_npm_package(text: str) -> bool:
    """Whether a text names one version of a package, as in ``@scope/name@1.2.3``."""
    return _PACKAGE.fullmatch(text) is not None


def npm_packages(names: Sequence[str], state: State) -> Path | None:
    """The folder with these packages, installed once and then used again.

    Args:
        names: Packages, each with its version. ``None`` comes back if there are none.
        state: Where installations are kept.

    Raises:
        EnvironmentFailure: npm is not there, failed, or took too long.
    """
    if not names:
        return None
    # What a package brings can depend on the system.
    system = [platform.system(), platform.machine()]
    asked = json.dumps([sorted(names), system])
    folder = state.npm / hashlib.sha256(asked.encode()).hexdigest()[:24]
    state.npm.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):
        if not (folder / _STAMP).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            with temporary_folder(state.npm) as scratch:
                making = scratch / "making"
                making.mkdir()
                _install(names, making)
                write_json(making / _STAMP, {"packages": list(names), "system": system})
                making.replace(folder)
    return folder / MODULES


def npm_environment(outer: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables npm is started with: its own settings, proxy and certificates; no keys."""
    source = os.environ if outer is None else outer
    return {
        name: value
        for name, value in source.items()
        if name in _KEPT or name.lower().startswith(_SETTINGS)
    }


def _install(names: Sequence[str], folder: Path) -> None:
    doing = f"installing {', '.join(names)} with npm"
    npm = shutil.which("npm")
    if npm is None:
        raise EnvironmentFailure(
            f"{doing} failed: npm was not found",
            step="npm",
            last_words="npm was not found: install Node.js, which brings it, or leave this "
            "framework out: nox -s matrix -- --only OTHERS",
        )
    try:
        done = subprocess.run(
            [npm, "install", *_OPTIONS, "--prefix", str(folder), *names],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=folder,
            env=npm_environment(),
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        words = f"npm did not finish within {TIMEOUT} s: is its registry within reach?"
        raise EnvironmentFailure(f"{doing} failed", step="npm", last_words=words) from error
    if done.returncode != 0:
        words = _meant(last_words(done.stderr)) or f"npm ended with {done.returncode}, in silence"
        raise EnvironmentFailure(f"{doing} failed", step="npm", last_words=words)


def _meant(words: str) -> str:
    """The last words of npm, with what its code means before them, and what to do."""
    code = _CODE.search(words)
    meaning = _MEANT.get(code[1]) if code else None
    if meaning is None:
        return words
    return f"{meaning}: correct `npm` in matrix.toml\n{words}"
