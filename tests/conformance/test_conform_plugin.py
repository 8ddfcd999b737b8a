"""The pytest plugin, in real runs of real pytests."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from published import Environments, run_pytest

#: The three majors that are out there. xdist comes along in a version each of them takes.
PYTESTS = {
    "pytest7": ("pytest>=7.4,<8", "pytest-xdist>=3.5"),
    "pytest8": ("pytest>=8,<9", "pytest-xdist>=3.5"),
    "pytest9": ("pytest>=9,<10", "pytest-xdist>=3.5"),
}

TESTS = '''
import pytest

STORES = {}


class Agent:
    """Charges with a stable key: good by the strict rules, and by them only."""

    def __init__(self, ctx):
        self.ctx = ctx
        self.done = STORES.setdefault((self.__class__.__name__, ctx.run_id), [])

    def step(self, item):
        if item not in self.done:
            self.ctx.effect("charge", key=item)
            self.done.append(item)


class Fresh(Agent):
    pass


class Catching(Agent):
    def step(self, item):
        try:
            super().step(item)
        except Exception:
            pass


def test_says_nothing(conform):
    report = conform(Agent, ["a", "b"])
    assert report.crash_points == 4


@pytest.mark.plugpull(strict=True)
def test_is_marked(conform):
    assert conform(Fresh, ["a", "b"], run_id="marked").crash_points == 4


def test_calls_strictly(conform):
    assert conform(Fresh, ["a", "b"], run_id="called", strict=True).crash_points == 4


@pytest.mark.plugpull(strict=False)
def test_is_marked_lenient(conform):
    with pytest.raises(AssertionError, match="key 'a' issued more than once"):
        conform(Fresh, ["a", "b"], run_id="lenient")


@pytest.mark.plugpull(strict=True, uncatchable=True)
class TestMarkedClass:
    def test_inherits(self, conform):
        conform(Catching, ["a"])

    def test_call_beats_marker(self, conform):
        with pytest.raises(AssertionError, match="crash_swallowed"):
            conform(Catching, ["a"], run_id="beaten", uncatchable=False)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with tests that use the fixture."""
    (tmp_path / "test_agent.py").write_text(TESTS, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n", encoding="utf-8"
    )
    return tmp_path


@pytest.mark.environments
def test_it_works_on_each_pytest_and_under_xdist(environments: Environments, folder: Path) -> None:
    """Registered by being installed; options, setting, marker and call each have their say."""
    for name, requirements in PYTESTS.items():
        python = environments.get(name, *requirements)
        said = run_pytest(python, folder, "-rf")
        # Without the option only the first test's subject fails, with the report as its message.
        assert "1 failed, 5 passed" in said, said
        assert "FAILED test_agent.py::test_says_nothing" in said
        assert "conformance: 2 crash point(s) tested, 2 finding(s)" in said
        for more in (["--plugpull-strict"], ["-o", "plugpull_strict=true"]):
            assert "6 passed" in run_pytest(python, folder, *more)
        parallel = run_pytest(python, folder, "-n2", "--plugpull-strict")
        assert "6 passed" in parallel, parallel
        assert "2 workers" in parallel
        assert f"pytest-{name[-1]}." in said, said


@pytest.mark.environments
def test_a_marker_with_a_typo_is_an_error(environments: Environments, folder: Path) -> None:
    """``stict=True`` must not quietly mean the lenient rules."""
    (folder / "test_agent.py").write_text(
        "import pytest\n\n@pytest.mark.plugpull(stict=True)\ndef test(conform):\n    pass\n",
        encoding="utf-8",
    )
    said = run_pytest(environments.get("pytest9", *PYTESTS["pytest9"]), folder)
    assert "1 error" in said
    assert "the marker plugpull takes strict=..., uncatchable=... and nothing else" in said


def test_the_fixture_works_without_the_plugin(tmp_path: Path) -> None:
    """Imported by a conftest, in a run that does not load what is installed."""
    (tmp_path / "conftest.py").write_text(
        "from plugpull.pytest_plugin import conform\n", encoding="utf-8"
    )
    (tmp_path / "test_it.py").write_text(
        "def test_it(conform):\n"
        "    class Subject:\n"
        "        def step(self, item): pass\n"
        "    assert conform(lambda ctx: Subject(), 'ab').passed\n",
        encoding="utf-8",
    )
    said = run_pytest(Path(sys.executable), tmp_path, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    assert "1 passed" in said, said


def _modules(code: str) -> set[str]:
    question = f"import sys, json\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", question], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_loading_the_plugin_loads_nothing_else() -> None:
    """Every pytest beside plugpull pays for the import, so it costs next to nothing."""
    more = _modules("import pytest\nimport plugpull.pytest_plugin") - _modules("import pytest")
    assert more <= {"plugpull", "plugpull._version", "plugpull.pytest_plugin"}


def test_importing_the_package_stays_light() -> None:
    """Every agent under test imports it: neither pytest nor the checker may come along."""
    more = _modules("import plugpull") - _modules("import importlib, typing")
    assert more == {"__future__", "plugpull", "plugpull._version"}
    assert "plugpull.conformance.check" in _modules("from plugpull import conform")
