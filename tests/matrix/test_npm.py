"""Packages from npm: which, where they are kept, and what is said where they cannot be had.

A stand-in for npm says what npm would say; the real one brings a real server in tests/targets.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from plugpull.matrix import npm
from plugpull.matrix.environments import State
from plugpull.matrix.repro_script import script
from plugpull.matrix.reproduction import Reproduction
from plugpull.matrix.uvrun import EnvironmentFailure

SERVER = "@org/server@1.2.3"

STAND_IN = """#!{python}
import json, os, sys, time
from pathlib import Path
prefix = Path(sys.argv[sys.argv.index("--prefix") + 1])
packages = [word for word in sys.argv if "@" in word]
if packages == ["absent@1.0.0"]:
    sys.exit("npm error code E404\\nnpm error 404 Not Found - absent@1.0.0")
if packages == ["broken@1.0.0"]:
    sys.exit("npm error code EUNHEARD\\nnpm error of a kind that nobody knows")
if packages == ["slow@1.0.0"]:
    time.sleep(60)
called = Path(sys.argv[0]).with_name("called")
called.write_text(called.read_text() + "x" if called.exists() else "x")
(prefix / "node_modules").mkdir()
seen = {{"arguments": sys.argv[1:], "names": sorted(os.environ)}}
(prefix / "node_modules" / "seen.json").write_text(json.dumps(seen))
"""


@pytest.fixture
def state(tmp_path: Path) -> State:
    """An empty state folder."""
    return State(tmp_path / "state")


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only npm on PATH; beside it lies how often it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "npm"
    program.write_text(STAND_IN.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_no_packages_need_no_npm(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most frameworks never ask for it."""
    monkeypatch.setenv("PATH", "")
    assert npm.npm_packages((), state) is None


def test_they_are_installed_once(state: State, stand_in: Path) -> None:
    """Every environment with the same list gets the same folder."""
    first = npm.npm_packages((SERVER, "other@0.1.0"), state)
    again = npm.npm_packages(("other@0.1.0", SERVER), state)
    another = npm.npm_packages((SERVER,), state)
    assert first == again
    assert first != another
    assert stand_in.joinpath("called").read_text() == "xx"


def test_what_npm_is_told(state: State, stand_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packages, no scripts of theirs, its user's settings, and no keys."""
    assert stand_in.is_dir()
    monkeypatch.setenv("NPM_CONFIG_CACHE", "/somewhere")
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-user")
    folder = npm.npm_packages((SERVER,), state)
    assert folder is not None
    seen = json.loads((folder / "seen.json").read_text())
    assert seen["arguments"][0] == "install"
    assert seen["arguments"][-1] == SERVER
    assert "--ignore-scripts" in seen["arguments"]
    assert "NPM_CONFIG_CACHE" in seen["names"]
    assert "OPENAI_API_KEY" not in seen["names"]


def test_without_npm_the_remedy_is_named(state: State, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell is an ERROR row that says what to install."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EnvironmentFailure) as failure:
        npm.npm_packages((SERVER,), state)
    assert "install Node.js" in failure.value.last_words
    assert failure.value.stage == "install"


@pytest.mark.usefixtures("stand_in")
def test_a_package_that_is_not_there_is_said_in_npms_words(state: State) -> None:
    """And nothing is kept that would pass for an installation."""
    for _ in range(2):
        with pytest.raises(EnvironmentFailure, match=r"installing absent@1\.0\.0") as failure:
            npm.npm_packages(("absent@1.0.0",), state)
        meaning, *words = failure.value.last_words.splitlines()
        assert "no such package" in meaning
        assert meaning.endswith("correct `npm` in matrix.toml")
        assert words == ["npm error code E404", "npm error 404 Not Found - absent@1.0.0"]


@pytest.mark.usefixtures("stand_in")
def test_what_npm_says_stands_as_it_is_where_nobody_knows_better(state: State) -> None:
    """A guess would hide it."""
    with pytest.raises(EnvironmentFailure) as failure:
        npm.npm_packages(("broken@1.0.0",), state)
    assert failure.value.last_words.startswith("npm error code EUNHEARD\n")


@pytest.mark.usefixtures("stand_in")
def test_a_registry_that_does_not_answer_is_given_up(
    state: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for ever."""
    monkeypatch.setattr(npm, "TIMEOUT", 0.5)
    with pytest.raises(EnvironmentFailure) as failure:
        npm.npm_packages(("slow@1.0.0",), state)
    assert failure.value.last_words.startswith("npm did not finish within 0.5 s")


@pytest.mark.parametrize("text", ["name@1.0.0", SERVER, "name@1.0.0-rc.1", "a.b_c@10.20.30"])
def test_one_version_of_a_package(text: str) -> None:
    """What may be declared."""
    assert npm.is_npm_package(text)


@pytest.mark.parametrize("text", ["name", "name@1", "name@^1.0.0", "@org@1.0.0", "../x@1.0.0", ""])
def test_no_version_of_a_package(text: str) -> None:
    """A range would be another package tomorrow, and a path is none of npm's."""
    assert not npm.is_npm_package(text)


def test_a_report_that_stands_alone_brings_them() -> None:
    """Its script installs them where the target looks; without any it does not ask for npm."""
    plain = Reproduction(
        id="toy-1.0/py3.13/kill-mid-tool/default/after-effect",
        title="Toy",
        distribution="toy",
        target="toy",
        python="3.13",
        scenario="kill-mid-tool",
        variant="default",
        point="after-effect",
        repeat=5,
        raw={},
        cell={},
    )
    assert "npm" not in script(plain, "plugpull.whl", hashed=True)
    text = script(replace(plain, npm=(SERVER,)), "plugpull.whl", hashed=True)
    (line,) = [line for line in text.splitlines() if line.startswith("npm install")]
    assert "--ignore-scripts" in line
    assert line.endswith(f'--prefix "$venv" {SERVER}')
    subprocess.run(["sh", "-n"], input=text, text=True, check=True)
