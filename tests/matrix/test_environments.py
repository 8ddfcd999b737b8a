"""Environments made by the real uv, from the real index: nothing here is a stand-in."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from plugpull.matrix import environments, pins, uvrun
from plugpull.matrix.cells import Resolution
from plugpull.matrix.environments import State
from plugpull.matrix.interpreters import Interpreter, find_interpreter
from plugpull.matrix.uvrun import EnvironmentFailure

HARNESS = Path(__file__).parents[2] / "harness"
#: A small release without dependencies, and the one after it.
SMALL, OTHER = "iniconfig==2.0.0", "iniconfig==2.1.0"
PAST = "2026-08-15T00:00:00Z"


@pytest.fixture(scope="session")
def here() -> Interpreter:
    """The interpreter that runs the tests."""
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    found = find_interpreter(minor)
    assert isinstance(found, Interpreter)
    return found


@pytest.fixture
def state(tmp_path: Path) -> State:
    """An empty state folder."""
    return State(tmp_path / ".plugpull")


def _resolve(
    state: State, here: Interpreter, *asked: str, as_of: str | None = PAST
) -> pins.PinnedList:
    return pins.resolve_pins(Resolution(asked, as_of=as_of), here, state.locks)


def _make(state: State, here: Interpreter, pinned: pins.PinnedList, name: str = "one") -> Path:
    wheel = environments.harness_wheel(HARNESS, state)
    folder = state.environments / name
    return environments.make_environment(folder, here, pinned, wheel, label=name)


def _installed(python: Path) -> dict[str, str]:
    question = (
        "import json; from importlib.metadata import distributions as d;"
        "print(json.dumps({x.metadata['Name']: x.version for x in d()}))"
    )
    done = subprocess.run([python, "-I", "-c", question], capture_output=True, check=True)
    answer: dict[str, str] = json.loads(done.stdout)
    return answer


def _interpreter(python: str) -> Interpreter:
    found = find_interpreter(python)
    if not isinstance(found, Interpreter):
        pytest.skip(f"python{python} is not on this machine")
    return found


class TestPins:
    """What uv chose, and when its choice is used again."""

    def test_list_has_every_distribution_with_hashes(self, state: State, here: Interpreter) -> None:
        """Dependencies are pinned too, and hashes are part of the digest but not of the lines."""
        pinned = _resolve(state, here, "langgraph==1.2.3")

        assert "langgraph==1.2.3" in pinned.lines
        assert any(line.startswith("langgraph-checkpoint==") for line in pinned.lines)
        assert pinned.text.count("--hash=sha256:") >= len(pinned.lines)
        assert not any("--hash" in line or "\\" in line for line in pinned.lines)

    def test_cut_off_decides_about_dependencies(self, state: State, here: Interpreter) -> None:
        """An old release gets the dependencies its users had."""
        old = _resolve(state, here, "langgraph==1.0.10", as_of="2026-03-15T00:00:00Z")
        today = _resolve(state, here, "langgraph==1.0.10", as_of=None)

        assert "langgraph-prebuilt==1.0.8" in old.lines
        assert old.digest != today.digest

    def test_constraints_do_not_ask_for_the_package(self, state: State, here: Interpreter) -> None:
        """A constraint limits a version and installs nothing by itself."""
        resolution = Resolution(
            ("iniconfig",), constraints=("iniconfig<2.1", "numpy<2"), as_of=PAST
        )

        pinned = pins.resolve_pins(resolution, here, state.locks)

        assert pinned.lines == ["iniconfig==2.0.0"]

    def test_closed_list_is_used_again(self, state: State, here: Interpreter) -> None:
        """A cut-off in the past is resolved once in the life of the state folder."""
        first = _resolve(state, here, SMALL)
        again = _resolve(state, here, SMALL)

        assert again == first

    @pytest.mark.parametrize("as_of", [None, "2999-01-01T00:00:00Z"])
    def test_open_list_is_resolved_anew(
        self, state: State, here: Interpreter, as_of: str | None
    ) -> None:
        """Without a cut-off, or with one to come, yesterday's choice does not stand."""
        first = _resolve(state, here, SMALL, as_of=as_of)
        again = _resolve(state, here, SMALL, as_of=as_of)

        assert again.compiled > first.compiled
        assert again.digest == first.digest

    def test_open_list_stands_within_one_plan(self, state: State, here: Interpreter) -> None:
        """The planner resolves, and the cell's own process takes that list."""
        resolution = Resolution((SMALL,))
        planned = datetime.now(timezone.utc)
        first = pins.resolve_pins(resolution, here, state.locks, since=planned)

        assert pins.resolve_pins(resolution, here, state.locks, since=planned) == first
        later = planned + timedelta(days=1)
        assert pins.kept_pins(resolution, here, state.locks, since=later) is None
        assert pins.kept_pins(resolution, here, state.locks, any_age=True) == first

    @pytest.mark.parametrize("damage", ["", "iniconfig==2.0.0\n", "# compiled yesterday for you\n"])
    def test_damaged_list_is_resolved_anew(
        self, state: State, here: Interpreter, damage: str
    ) -> None:
        """A list whose age cannot be read is no list."""
        first = _resolve(state, here, SMALL)
        first.path.write_text(damage, encoding="utf-8")

        assert _resolve(state, here, SMALL).text == first.text


class TestFailures:
    """Whatever keeps an environment from being made ends in uv's own words."""

    @pytest.mark.parametrize(
        ("asked", "words"),
        [
            (("langgraph==9.9.9",), "no version of langgraph==9.9.9"),
            (("openai-agents==0.23.0",), "no version of openai-agents==0.23.0"),
            (
                (
                    "langgraph==1.0.10",
                    "langgraph-checkpoint-sqlite==3.1.2",
                    "langgraph-checkpoint==2.1.2",
                ),
                "depends on langgraph-checkpoint>=",
            ),
        ],
    )
    def test_no_solution(
        self, state: State, here: Interpreter, asked: tuple[str, ...], words: str
    ) -> None:
        """A release that does not exist, one never published, a conflict of companions (B05)."""
        with pytest.raises(EnvironmentFailure) as caught:
            _resolve(state, here, *asked, as_of=None)

        assert caught.value.stage == "install"
        assert caught.value.step == "resolve"
        assert words in caught.value.last_words

    def test_failing_build(self, state: State) -> None:
        """A source release that does not build says so with the backend's traceback (B05)."""
        python = _interpreter("3.12")
        pinned = _resolve(state, python, "numpy==1.21.0", as_of=None)

        with pytest.raises(EnvironmentFailure) as caught:
            _make(state, python, pinned)

        assert caught.value.step == "sync"
        assert "numpy==1.21.0" in caught.value.last_words
        assert "distutils" in caught.value.last_words

    def test_no_network(
        self, state: State, here: Interpreter, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An index that cannot be reached is an environment that cannot be made, not a crash."""
        monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
        monkeypatch.setenv("UV_HTTP_RETRIES", "0")

        with pytest.raises(EnvironmentFailure) as caught:
            _resolve(state, here, SMALL, as_of=None)

        assert "127.0.0.1:9" in caught.value.last_words


class TestEnvironment:
    """A folder holds what the list says, whatever was in it before."""

    def test_holds_the_list_and_the_harness(self, state: State, here: Interpreter) -> None:
        """Nothing but the pinned list and the harness is installed."""
        python = _make(state, here, _resolve(state, here, SMALL))

        installed = _installed(python)
        assert installed.pop("plugpull")
        assert installed == {"iniconfig": "2.0.0"}

    def test_yanked_release_installs(self, state: State, here: Interpreter) -> None:
        """A pinned yanked release is installed like any other (B07)."""
        pinned = _resolve(state, here, "langgraph==1.2.3", as_of="2026-08-15T00:00:00Z")

        assert _installed(_make(state, here, pinned))["langgraph"] == "1.2.3"

    def test_another_list_replaces_what_was_there(self, state: State, here: Interpreter) -> None:
        """A reused folder keeps neither another version nor a package that nobody asked for."""
        _make(state, here, _resolve(state, here, OTHER, "pluggy"))
        python = _make(state, here, _resolve(state, here, SMALL))

        assert set(_installed(python).items()) >= {("iniconfig", "2.0.0")}
        assert "pluggy" not in _installed(python)

    def test_tampered_environment_is_set_right(self, state: State, here: Interpreter) -> None:
        """What somebody installs by hand does not survive until the next run."""
        pinned = _resolve(state, here, SMALL)
        python = _make(state, here, pinned)
        uvrun.run_uv(
            ["pip", "install", "--python", python, OTHER, "pluggy"],
            step="sync",
            doing="tampering",
            cwd=state.root,
        )

        assert sorted(_installed(_make(state, here, pinned))) == ["iniconfig", "plugpull"]
        assert _installed(python)["iniconfig"] == "2.0.0"

    def test_right_environment_is_left_alone(self, state: State, here: Interpreter) -> None:
        """Files that Python compiled stay: importing a framework anew costs seconds."""
        pinned = _resolve(state, here, SMALL)
        python = _make(state, here, pinned)
        # Only a compiled file is the environment's own; all others are links into uv's cache.
        subprocess.run([str(python), "-c", "import iniconfig"], check=True, env={})
        (compiled,) = python.parents[1].rglob("iniconfig/__pycache__/__init__.*.pyc")
        before = compiled.stat()

        _make(state, here, pinned)

        assert compiled.stat() == before

    def test_environment_of_another_python_is_made_anew(self, state: State) -> None:
        """The folder's Python is the one asked for, whatever it was."""
        older, newer = _interpreter("3.11"), _interpreter("3.12")
        _make(state, older, _resolve(state, older, SMALL))
        python = _make(state, newer, _resolve(state, newer, SMALL))

        said = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout
        assert said.strip() == f"Python {newer.version}"

    def test_unfinished_environment_is_made_anew(self, state: State, here: Interpreter) -> None:
        """A folder that uv did not leave by itself is not trusted."""
        pinned = _resolve(state, here, SMALL)
        python = _make(state, here, pinned)
        folder = python.parents[1]
        (folder / "half").write_text("left by a killed uv", encoding="utf-8")
        (folder / "plugpull-environment.json").unlink()

        _make(state, here, pinned)

        assert not (folder / "half").exists()


class TestWheel:
    """The harness is built once per state of its source."""

    def test_parallel_cells_share_one_wheel(self, state: State) -> None:
        """Cells that start together neither build twice nor see half a wheel."""
        found: list[Path] = []
        builders = [
            threading.Thread(
                target=lambda: found.append(environments.harness_wheel(HARNESS, state))
            )
            for _ in range(4)
        ]
        for builder in builders:
            builder.start()
        for builder in builders:
            builder.join()

        assert len(found) == len(builders)
        assert len(set(found)) == 1
        assert [path.name for path in state.wheels.rglob("*.whl")] == [found[0].name]

    def test_changed_source_is_another_wheel(self, state: State, tmp_path: Path) -> None:
        """A changed harness is never judged with the old one's wheel."""
        copy = tmp_path / "harness"
        (copy / "src" / "plugpull").mkdir(parents=True)
        (copy / "README.md").write_text("# copy\n", encoding="utf-8")
        (copy / "pyproject.toml").write_bytes((HARNESS / "pyproject.toml").read_bytes())
        (copy / "src" / "plugpull" / "__init__.py").write_text("", encoding="utf-8")
        (copy / "src" / "plugpull" / "_version.py").write_text("__version__ = '1'\n", "utf-8")
        first = environments.harness_wheel(copy, state)
        (copy / "src" / "plugpull" / "__init__.py").write_text("A = 1\n", encoding="utf-8")

        assert environments.harness_wheel(copy, state) != first


class TestVariables:
    """What uv is told about the user's shell."""

    def test_index_proxy_and_certificates_pass(self) -> None:
        """A company's index works as it does for the user."""
        outer = {
            "UV_DEFAULT_INDEX": "https://index.example/simple",
            "UV_INDEX_INTERNAL_PASSWORD": "for the index",
            "HTTPS_PROXY": "http://proxy.example",
            "SSL_CERT_FILE": "/certificates.pem",
            "PATH": "/bin",
        }

        assert outer.items() <= uvrun.uv_environment(outer).items()

    def test_keys_and_outer_environments_do_not(self) -> None:
        """A build script sees no key; an outer environment does not draw uv away."""
        outer = dict.fromkeys(
            (
                "OPENAI_API_KEY",
                "VIRTUAL_ENV",
                "PYTHONDONTWRITEBYTECODE",
                "PYTHONPATH",
                "PYENV_VERSION",
                "UV_EXCLUDE_NEWER",
                "UV_PYTHON",
            ),
            "x",
        )

        assert outer.keys().isdisjoint(uvrun.uv_environment(outer))


def test_packages_from_npm_are_linked(state: State, here: Interpreter, tmp_path: Path) -> None:
    """An environment has a link to those that its cell wants now, and to no others."""
    pinned = _resolve(state, here, "iniconfig==2.0.0")
    wheel = environments.harness_wheel(HARNESS, state)
    folder = state.environments / "one"
    for wanted in (tmp_path / "first", tmp_path / "second", None):
        environments.make_environment(folder, here, pinned, wheel, label="one", node_modules=wanted)
        link = folder / "node_modules"
        assert (link.readlink() if link.is_symlink() else None) == wanted
