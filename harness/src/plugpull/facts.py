"""Facts about the environment in which results were measured."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
import sqlite3
import sys
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from plugpull import probe
from plugpull._version import __version__
from plugpull.errors import PlugpullError
from plugpull.lab import Lab
from plugpull.processes.launcher import CannotStart
from plugpull.specifiers import is_version
from plugpull.subject import Subject
from plugpull.target import Manifest

__all__ = ["Installed", "environment_facts", "find_installed", "now"]


@dataclass(frozen=True, slots=True)
class Installed:
    """The framework in this environment.

    Attributes:
        version: The version of the imported package; what the metadata says if it cannot be
            imported.
        problem: Why it cannot be imported, with the end of the traceback; ``None`` if it can.
        file: The file that was imported, for whoever knows what it should hold.
    """

    version: str
    problem: str | None
    file: Path | None = None

    @property
    def imported(self) -> dict[str, Any]:
        """The imported file and its hash, for the cell's block; nothing if there is none."""
        if self.file is None:
            return {}
        digest = hashlib.sha256(self.file.read_bytes()).hexdigest()
        return {"imported": {"file": str(self.file), "sha256": digest}}


def find_installed(lab: Lab, manifest: Manifest) -> Installed | None:
    """Import the framework in a process of its own and ask for its version.

    Returns:
        ``None`` when the distribution is not installed at all.

    Raises:
        PlugpullError: What is installed has no version that could be understood.
    """
    try:
        promised = importlib.metadata.version(manifest.distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    if not is_version(promised):
        raise PlugpullError(
            f"{manifest.distribution} says that its version is {promised!r}, which is no version",
            then="install it again; targets are chosen by version",
        )
    program = Path(probe.__file__)
    subject = Subject(
        target=manifest.name,
        argv=(
            sys.executable,
            str(program),
            manifest.distribution,
            str(manifest.program.parent),
        ),
        environment=manifest.environment,
        program=program,
        inspects=True,
    )
    with lab.trial(subject) as trial:
        try:
            ended = trial.run(manifest.module, lab.limits.unfaulted)
        except CannotStart as reason:
            return Installed(promised, f"importing it could not be tried: {reason}")
        if ended.returncode is None:
            problem = f"importing it did not end within {lab.limits.unfaulted:g} s"
            return Installed(promised, problem)
        if ended.returncode != 0:
            problem = ended.stderr or f"importing it ended with {ended.returncode}"
            return Installed(promised, problem)
        found = trial.reported()
        return Installed(str(found["version"]), None, Path(found["file"]))


def environment_facts() -> dict[str, Any]:
    """Python, platform and every installed distribution."""
    packages = {
        found.metadata["Name"]: found.version
        for found in importlib.metadata.distributions()
        if found.metadata["Name"]
    }
    return {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "executable": sys.executable,
        "platform": platform.platform(),
        "sqlite_version": sqlite3.sqlite_version,
        "harness_version": __version__,
        "packages": dict(sorted(packages.items(), key=lambda item: item[0].lower())),
    }


def now() -> str:
    """This moment in UTC, to the second, as RFC 3339 writes it."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
