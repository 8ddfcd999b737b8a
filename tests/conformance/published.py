"""What the tests here get from the package index: crashresume 0.1.0, and older pytests."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from plugpull.matrix.cells import Resolution
from plugpull.matrix.environments import State, harness_wheel, make_environment
from plugpull.matrix.files import FileLock
from plugpull.matrix.interpreters import Interpreter, find_interpreter, scrubbed
from plugpull.matrix.pins import resolve_pins
from plugpull.matrix.uvrun import find_uv

CHECKOUT = Path(__file__).resolve().parents[2]

#: The one file whose behaviour is promised; anything else under that name is refused.
RELEASE = (
    "crashresume==0.1.0 "
    "--hash=sha256:2ceb87c50e57018b2dcdda5d06e9e917294aeeee8072dce50dda6a802d5e62f4"
)

#: Uploads later than this are not seen, so that the environments never change.
AS_OF = "2026-08-15T00:00:00Z"


def download(folder: Path) -> Path:
    """Get the source release with pip, and unpack it. Without a network the test fails."""
    wanted = folder / "wanted.txt"
    wanted.write_text(RELEASE, encoding="utf-8")
    pip = [find_uv(), "tool", "run", "--python", sys.executable, "pip"]
    done = subprocess.run(
        [
            *(*pip, "download", "--no-deps", "--no-binary", "crashresume"),
            *("--require-hashes", "--dest", str(folder), "--requirement", str(wanted)),
        ],
        capture_output=True,
        text=True,
        env=scrubbed(os.environ),
        check=False,
    )
    if done.returncode != 0:
        words = (done.stdout + done.stderr).strip().splitlines()[-8:]
        pytest.fail(
            "crashresume 0.1.0 could not be downloaded, so it is not shown that our conform takes "
            "its place (is there a network?):\n" + "\n".join(words),
            pytrace=False,
        )
    with tarfile.open(folder / "crashresume-0.1.0.tar.gz") as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extractall(folder, filter="data")
        else:
            archive.extractall(folder)
    return folder / "crashresume-0.1.0"


class Environments:
    """Small environments with the harness as a built wheel, kept in ``.plugpull``."""

    def get(self, name: str, *requirements: str, python: str = "") -> Path:
        """The Python of an environment.

        Args:
            name: What it is called; the same name is always the same environment.
            requirements: What is installed beside the harness.
            python: ``major.minor``; the one that runs the tests if not given.
        """
        wanted = python or f"{sys.version_info[0]}.{sys.version_info[1]}"
        interpreter = find_interpreter(wanted)
        if not isinstance(interpreter, Interpreter):
            pytest.fail(f"{interpreter.reason}, and this has to be shown on it", pytrace=False)
        state = State(CHECKOUT / ".plugpull")
        folder = state.environments / f"tests-{name}-py{wanted}"
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_suffix(".lock")):
            pins = resolve_pins(Resolution(requirements, as_of=AS_OF), interpreter, state.locks)
            wheel = harness_wheel(CHECKOUT / "harness", state)
            return make_environment(folder, interpreter, pins, wheel, label=name)


def run_pytest(python: Path, folder: Path, *arguments: str, **variables: str) -> str:
    """Run pytest in an environment on the tests in a folder.

    Returns:
        What it printed, with its exit status in the last line.
    """
    kept = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [str(python), "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**kept, **variables},
        check=False,
    )
    return f"{done.stdout}{done.stderr}\nexit status {done.returncode}"
