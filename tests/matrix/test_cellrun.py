"""One cell from start to finish, with every way to go wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from plugpull.matrix.cellrun import run_cell
from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.freshness import needs_run
from plugpull.matrix.interpreters import Missing
from toycell import PYTHON, Toy, make_toy, toy_cell

SOURCE = Path(__file__).parents[2] / "harness" / "src"
#: Seconds to wait for something that takes less than one.
PATIENCE = 30.0


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the toy harness is kept when it is built."""
    return tmp_path_factory.mktemp("wheels")


@pytest.fixture
def toy(tmp_path: Path, wheels: Path) -> Toy:
    """A checkout whose harness does as it is told."""
    return make_toy(tmp_path, wheels)


def _verdicts(toy: Toy, cell: Cell) -> dict[str, tuple[str, str]]:
    return {
        raw["variant"]: (raw["verdict"], raw["measured_at"]) for raw in toy.file(cell)["results"]
    }


class TestFinished:
    """A cell that runs leaves one whole file."""

    def test_file_holds_results_and_facts(self, toy: Toy) -> None:
        """The harness's report, and what only the planner knows."""
        cell = toy_cell(notes=("latest is 2.0.0",), yanked="a slip")
        plan = toy.plan(cell)

        outcome = run_cell(plan, cell, toy.root)

        assert outcome.skip_reason == ""
        assert outcome.summary == "2 PASS (2 measured in 1 s)"
        data = toy.file(cell)
        assert data["schema"] == 1
        assert [raw["variant"] for raw in data["results"]] == ["one", "two"]
        facts = data["cell"]
        assert facts["stage"] == "done"
        assert facts["id"] == cell.id == f"toy-2.0.0/py{PYTHON}"
        assert facts["lock"] == ["iniconfig==2.0.0"]
        assert facts["version"] == facts["version_asked"] == "2.0.0"
        assert facts["yanked"] == "a slip"
        assert facts["notes"] == ["latest is 2.0.0"]
        assert facts["as_of"] == cell.resolution.as_of
        assert Path(facts["interpreter"]).is_absolute()
        assert not list((toy.root / "results").rglob("*.tmp"))

    def test_harness_gets_an_allow_listed_environment(
        self, toy: Toy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """No key and none of the user's Python settings reach the cell."""
        for name in ("OPENAI_API_KEY", "PYTHONDONTWRITEBYTECODE", "PYENV_VERSION", "VIRTUAL_ENV"):
            monkeypatch.setenv(name, "x")
        cell = toy_cell()

        run_cell(toy.plan(cell), cell, toy.root)

        (call,) = toy.calls
        allowed = {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"}
        assert set(call["environ"]) <= allowed | {"LD_LIBRARY_PATH", "PWD", "SHLVL", "_"}

    def test_options_reach_the_harness(self, toy: Toy) -> None:
        """Time limit, repetitions and the folder for kept runs are the command line's."""
        cell = toy_cell(repeat=7)
        run_cell(toy.plan(cell, timeout=9.5, keep=True), cell, toy.root)

        argv = toy.calls[0]["argv"]
        for name, value in (
            ("--target", "toy"),
            ("--timing-repeat", "7"),
            ("--timeout", "9.5"),
            ("--keep", str(toy.root / "results" / "kept" / cell.session)),
        ):
            assert argv[argv.index(name) + 1] == value

    def test_unchanged_cell_is_not_run_again(self, toy: Toy) -> None:
        """Neither the plan nor the cell itself starts the harness a second time."""
        cell = toy_cell()
        plan = toy.plan(cell)
        run_cell(plan, cell, toy.root)
        before = toy.file(cell)

        assert not needs_run(plan, cell, toy.root)
        assert run_cell(plan, cell, toy.root).summary.startswith("2 PASS (kept from ")
        assert len(toy.calls) == 1
        assert toy.file(cell) == before

    @pytest.mark.parametrize(
        "behaviour", [{"verdicts": {"two": "ERROR"}}, {"timing": ["two"]}], ids=["error", "timing"]
    )
    def test_only_what_does_not_stand_runs_again(
        self, toy: Toy, behaviour: dict[str, object]
    ) -> None:
        """ERROR and timing-dependent results are measured again, the others keep their time."""
        cell = toy_cell()
        plan = toy.plan(cell)
        toy.tell(**behaviour)
        run_cell(plan, cell, toy.root)
        path = plan.result_file(cell)
        path.write_text(
            path.read_text(encoding="utf-8").replace(
                toy.file(cell)["results"][0]["measured_at"], "2026-01-01T00:00:00Z"
            ),
            encoding="utf-8",
        )
        assert needs_run(plan, cell, toy.root)
        toy.tell(verdicts={"one": "FAIL", "two": "FAIL"})

        run_cell(plan, cell, toy.root)

        found = _verdicts(toy, cell)
        assert found["one"] == ("PASS", "2026-01-01T00:00:00Z")
        assert found["two"][0] == "FAIL"
        assert found["two"][1] > "2026-01-01T00:00:00Z"
        assert "one" not in toy.calls[-1]["argv"]

    def test_fresh_runs_everything(self, toy: Toy) -> None:
        """``--fresh`` measures what stands, too."""
        cell = toy_cell()
        run_cell(toy.plan(cell), cell, toy.root)
        toy.tell(verdicts={"one": "FAIL"})
        plan = toy.plan(cell, fresh=True)

        assert needs_run(plan, cell, toy.root)
        run_cell(plan, cell, toy.root)

        assert {name: verdict for name, (verdict, _) in _verdicts(toy, cell).items()} == {
            "one": "FAIL",
            "two": "PASS",
        }


class TestFailed:
    """A cell without a verdict says why, and is no green tick."""

    def test_missing_interpreter(self, toy: Toy) -> None:
        """Nothing is written: an earlier file of that cell may be of use when it is back."""
        cell = toy_cell(python="3.99")
        plan = toy.plan(cell)
        plan.interpreters["3.99"] = Missing("3.99")

        outcome = run_cell(plan, cell, toy.root)

        assert outcome.skip_reason == "not run: python3.99 not found"
        assert not plan.result_file(cell).exists()

    def test_release_that_does_not_exist(self, toy: Toy) -> None:
        """The words of uv are in the file and, shortened, in the reason."""
        cell = toy_cell(resolution=Resolution(("langgraph==9.9.9",)))

        outcome = run_cell(toy.plan(cell), cell, toy.root)

        facts = toy.file(cell)["cell"]
        assert outcome.skip_reason == (
            "ERROR: resolving langgraph==9.9.9 failed: there is no version of langgraph==9.9.9"
        )
        assert (facts["stage"], facts["step"]) == ("install", "resolve")
        assert "no version of langgraph==9.9.9" in facts["error"]
        assert toy.file(cell)["results"] == []

    def test_failing_environment_hides_and_keeps_what_stood(
        self, toy: Toy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without a network the cell is an ERROR; with it, its results need no second run."""
        cell = toy_cell(resolution=Resolution(("iniconfig==2.0.0",)))
        run_cell(toy.plan(cell), cell, toy.root)
        with monkeypatch.context() as offline:
            offline.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
            offline.setenv("UV_HTTP_RETRIES", "0")
            # A plan made later: an open cut-off has to be resolved again.
            plan = replace(toy.plan(cell), created="2999-01-01T00:00:00Z")
            assert needs_run(plan, cell, toy.root)
            assert run_cell(plan, cell, toy.root).skip_reason.startswith("ERROR")
            assert toy.file(cell)["results"] == []

        plan = toy.plan(cell)
        assert needs_run(plan, cell, toy.root)
        run_cell(plan, cell, toy.root)

        assert len(toy.file(cell)["results"]) == 2
        assert len(toy.calls) == 1

    def test_harness_without_a_report(self, toy: Toy) -> None:
        """A harness that breaks is an ERROR with its own last words."""
        cell = toy_cell()
        toy.tell(die=3)

        outcome = run_cell(toy.plan(cell), cell, toy.root)

        facts = toy.file(cell)["cell"]
        assert outcome.skip_reason.startswith("ERROR: the harness ended with 3")
        assert facts["stage"] == "run"
        assert "before-effect" in facts["error"]

    def test_another_version_than_asked_for(self, toy: Toy) -> None:
        """What was imported has to be what the row says."""
        cell = toy_cell()
        toy.tell(version="1.9")

        outcome = run_cell(toy.plan(cell), cell, toy.root)

        assert outcome.skip_reason == "ERROR: toy 2.0.0 was asked for, 1.9 was imported"
        assert toy.file(cell)["results"] == []

    def test_nothing_but_errors_is_no_tick(self, toy: Toy) -> None:
        """A cell whose every result is ERROR ends as skipped."""
        cell = toy_cell()
        toy.tell(verdicts={"one": "ERROR", "two": "ERROR"})

        assert run_cell(toy.plan(cell), cell, toy.root).skip_reason == "ERROR: it is ERROR"


class TestStopped:
    """Being stopped leaves nothing running and nothing half-written."""

    @pytest.fixture
    def planner(self, toy: Toy) -> Iterator[subprocess.Popen[bytes]]:
        """A process that runs a cell, in a session of its own as under a terminal."""
        plan = toy.plan(toy_cell())
        plan.write(toy.root / "plan.json")
        script = (
            "from pathlib import Path; from plugpull.matrix.cellrun import run_cell;"
            "from plugpull.matrix.plan import read_plan;"
            f"root = Path({str(toy.root)!r}); plan = read_plan(root / 'plan.json', root);"
            "run_cell(plan, plan.cells[0], root)"
        )
        environ = {**os.environ, "PYTHONPATH": str(SOURCE)}
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            env=environ,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        yield process
        process.kill()
        process.wait()

    @pytest.mark.parametrize("behaviour", ["polite", "stubborn"])
    @pytest.mark.parametrize(
        ("number", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143)]
    )
    def test_signal(
        self, toy: Toy, number: int, code: int, behaviour: str, request: pytest.FixtureRequest
    ) -> None:
        """The harness is ended, even one that does not listen; the file says ``interrupted``."""
        toy.tell(hang=behaviour)
        planner = request.getfixturevalue("planner")
        pid = _pid(toy)

        planner.send_signal(number)

        assert planner.wait(PATIENCE) == code
        assert not _alive(pid)
        data = toy.file(toy_cell())
        assert data["results"] == []
        assert (data["cell"]["stage"], data["cell"]["error"]) == ("interrupted", "interrupted")
        assert not list((toy.root / "results").rglob("*.tmp"))

    def test_earlier_results_survive(self, toy: Toy, request: pytest.FixtureRequest) -> None:
        """What an earlier run found is not measured again after an interrupted one."""
        cell = toy_cell()
        toy.tell(timing=["two"])
        run_cell(toy.plan(cell), cell, toy.root)
        toy.tell(hang="polite")
        planner = request.getfixturevalue("planner")
        _pid(toy)
        planner.send_signal(signal.SIGTERM)
        planner.wait(PATIENCE)
        toy.tell()

        run_cell(toy.plan(cell), cell, toy.root)

        assert set(_verdicts(toy, cell)) == {"one", "two"}
        assert "one" not in toy.calls[-1]["argv"]

    def test_killed_planner_takes_the_harness_along(
        self, toy: Toy, request: pytest.FixtureRequest
    ) -> None:
        """SIGKILL leaves nothing running either, and the next run starts clean."""
        toy.tell(hang="stubborn")
        planner = request.getfixturevalue("planner")
        pid = _pid(toy)

        planner.kill()
        planner.wait()

        _until(lambda: not _alive(pid))
        toy.tell()
        cell = toy_cell()
        assert run_cell(toy.plan(cell), cell, toy.root).skip_reason == ""


def _pid(toy: Toy) -> int:
    """The harness's process id, once it hangs."""
    path = toy.root / "pid"
    _until(path.exists)
    return int(path.read_text(encoding="utf-8"))


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return Path("/proc").exists() is False and _signals(pid)
    return state != "Z"


def _signals(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _until(holds: object) -> None:
    assert callable(holds)
    limit = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_toy_speaks_the_contract(toy: Toy) -> None:
    """The stand-in's report is what the real reader takes."""
    cell = toy_cell()
    run_cell(toy.plan(cell), cell, toy.root)

    assert json.dumps(toy.file(cell))
