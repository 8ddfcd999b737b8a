"""The collector: what belongs to the plan, what is left out, and what it all comes to."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from madeup import CREATED, MEASURED, put_together, raw_result, row
from plugpull.errors import UsageError
from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.collect import collect, collect_and_report
from plugpull.matrix.compare import Change, Comparison
from plugpull.matrix.filing import write_failure
from plugpull.matrix.freshness import cell_key
from plugpull.matrix.interpreters import Interpreter, Missing
from plugpull.matrix.options import MatrixOptions
from plugpull.matrix.pins import PinnedList, parse_moment
from plugpull.matrix.plan import Plan
from plugpull.matrix.records import ERROR, EXCLUDED, NOT_RUN, RAN, Collected
from plugpull.matrix.selection import Selection
from rich.console import Console


def _cell(version: str = "1.2.11", python: str = "3.13", **more: Any) -> Cell:
    return Cell(
        framework="langgraph",
        distribution="langgraph",
        version=version,
        python=python,
        target="langgraph",
        asked=version,
        resolution=Resolution((f"langgraph=={version}",), as_of="2026-08-15T00:00:00Z"),
        **more,
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with a harness and a target to be hashed."""
    (tmp_path / "harness" / "src" / "plugpull").mkdir(parents=True)
    (tmp_path / "harness" / "src" / "plugpull" / "core.py").write_text("1\n", encoding="utf-8")
    for name in ("langgraph", "control"):
        (tmp_path / "targets" / name).mkdir(parents=True)
        (tmp_path / "targets" / name / "agent.py").write_text("1\n", encoding="utf-8")
    return tmp_path


def _plan(root: Path, *cells: Cell, **options: Any) -> Plan:
    pythons = {cell.python for cell in cells}
    return Plan(
        cells=cells,
        options=MatrixOptions(**options),
        created=CREATED,
        results=root / "results",
        root=root,
        interpreters={p: Interpreter(p, f"/opt/python{p}", f"{p}.0", "PATH") for p in pythons},
    )


def _put(plan: Plan, cell: Cell, *raw: dict[str, Any], **facts: Any) -> Path:
    """The file that the cell's session would leave."""
    interpreter = plan.interpreter(cell)
    assert isinstance(interpreter, Interpreter)
    moment = parse_moment(CREATED)
    assert moment is not None
    key = cell_key(plan, cell, interpreter, PinnedList(Path("x"), "langgraph==1.2.11\n", moment))
    block = {
        "framework": cell.framework,
        "version": cell.version,
        "version_planned": cell.version,
        "python_asked": cell.python,
        "target": cell.target,
        "interpreter": interpreter.path,
        "key": key.value,
        "key_parts": key.to_json(),
        "stage": "done",
        "requirements": list(cell.resolution.requirements),
        "constraints": [],
        "measured_at": MEASURED,
        **facts,
    }
    not_supported = block.pop("not_supported", [])
    path = plan.result_file(cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"schema": 1, "results": list(raw), "cell": block, "not_supported": not_supported}
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


GOOD = (raw_result(), raw_result(point="after-effect", verdict="FAIL", times=2))


class TestOwnCells:
    """The cells of this run's plan."""

    def test_results_are_placed_in_the_matrix(self, root: Path) -> None:
        """Every result says which cell it is of, and when it was measured."""
        cell = _cell()
        plan = _plan(root, cell)
        _put(plan, cell, *GOOD)

        collected = collect(plan)

        assert [record.state for record in collected.cells] == [RAN]
        first = collected.to_json()["results"][0]
        assert first["id"] == "langgraph-1.2.11/py3.13/kill-mid-tool/sync+no-key/before-effect"
        assert (first["framework"], first["version"], first["python"]) == (
            "langgraph",
            "1.2.11",
            "3.13",
        )
        assert (first["variant"], first["measured_at"]) == ("sync+no-key", MEASURED)
        assert collected.exit_code == 0

    def test_detail_of_a_point_is_part_of_the_id(self, root: Path) -> None:
        """Several results of one fault point have ids of their own."""
        cell = _cell()
        plan = _plan(root, cell)
        _put(plan, cell, *(raw_result(point_detail=name) for name in ("user", "answer")))

        assert [result.id.rpartition("/")[2] for result in collect(plan).results] == [
            "user",
            "answer",
        ]

    @pytest.mark.parametrize(
        ("content", "kind", "what"),
        [
            (None, "missing", "no such file"),
            ("", "damaged", "Expecting value"),
            ("[]", "damaged", "object"),
            ('{"results": []}', "damaged", "no schema"),
            ('{"schema": 2, "results": []}', "foreign schema", "schema 2"),
            ('{"schema": true, "results": []}', "foreign schema", "schema True"),
            ('{"schema": 1}', "damaged", "results is not a list"),
            ('{"schema": 1, "results": [3]}', "damaged", "results[0]"),
            ('{"schema": 1, "results": [], "cell": 1}', "damaged", "cell"),
            (
                json.dumps({"schema": 1, "cell": {}, "results": [raw_result(verdict="OK")]}),
                "damaged",
                "results[0].verdict is 'OK'",
            ),
            (
                json.dumps({"schema": 1, "cell": {}, "results": [{**raw_result(), "detail": 1}]}),
                "damaged",
                "results[0].detail",
            ),
            ("\udcff", "damaged", "utf-8"),
        ],
    )
    def test_bad_file_is_named_and_the_rest_is_shown(
        self, root: Path, content: str | None, kind: str, what: str
    ) -> None:
        """One bad file costs one cell, says what is wrong, and makes the exit code 2."""
        good, bad = _cell(), _cell(python="3.10")
        plan = _plan(root, good, bad)
        _put(plan, good, *GOOD)
        if content is not None:
            plan.result_file(bad).write_bytes(content.encode("utf-8", "surrogateescape"))

        collected = collect(plan)

        (problem,) = collected.problems
        assert (problem.file, problem.kind) == ("cells/langgraph-1.2.11-py3.10.json", kind)
        assert what in problem.what
        assert [record.state for record in collected.cells] == [RAN, NOT_RUN]
        assert len(collected.selected) == 2
        assert collected.exit_code == 2

    @pytest.mark.parametrize(
        ("path", "what"),
        [
            ("harness/src/plugpull/core.py", "the harness"),
            ("targets/langgraph/agent.py", "the target"),
            ("targets/control/agent.py", "the target"),
        ],
    )
    def test_stale_file_is_left_out(self, root: Path, path: str, what: str) -> None:
        """Results of another harness or target are no results of this matrix."""
        cell = _cell()
        plan = _plan(root, cell)
        _put(plan, cell, *GOOD)
        (root / path).write_text("2\n", encoding="utf-8")
        later = replace(plan, created="2026-11-29T13:00:00Z")

        collected = collect(later)

        assert collected.problems[0].kind == "stale"
        assert what in collected.problems[0].what
        assert collected.results == ()
        assert collected.exit_code == 2

    def test_error_cell_carries_last_words(self, root: Path) -> None:
        """The row says the gist; the JSON has all of what uv said."""
        words = (
            "error: No solution found when resolving dependencies\n"
            "  cause: Because there is no version of langgraph==9.9.9 and you require "
            "langgraph==9.9.9, we can conclude that your requirements are unsatisfiable."
        )
        cell = _cell("9.9.9")
        plan = _plan(root, cell)
        _put(plan, cell, stage="install", step="resolve", error=words)

        (record,) = collect(plan).cells

        assert (record.state, record.step) == (ERROR, "resolve")
        assert record.reason == "there is no version of langgraph==9.9.9"
        assert record.words == words
        assert record.to_json()["stage"] == "install"
        assert collect(plan).exit_code == 2

    def test_error_of_another_declaration_is_stale(self, root: Path) -> None:
        """A conflict that is not declared any more explains nothing."""
        cell = _cell()
        plan = _plan(root, cell)
        _put(plan, cell, error="conflict", requirements=["langgraph==1.2.11", "other"])

        assert collect(plan).problems[0].what == "the declaration changed since it was measured"

    @pytest.mark.parametrize(
        ("words", "gist"),
        [
            (
                "error: Failed to build `numpy==1.21.0`\n  cause: x",
                "Failed to build `numpy==1.21.0`",
            ),
            (
                "  \u00d7 No solution found:\n  \u2570\u2500\u25b6 Because a depends on b",
                "Because a depends on b",
            ),
            ("interrupted", "interrupted"),
        ],
    )
    def test_gist(self, root: Path, words: str, gist: str) -> None:
        """The line that says most is the one in the row."""
        cell = _cell()
        plan = _plan(root, cell)
        _put(plan, cell, error=words)

        assert collect(plan).cells[0].reason == gist

    def test_cells_that_do_not_run(self, root: Path) -> None:
        """Excluded, impossible and without an interpreter: each is shown as what it is."""
        cells = [
            _cell(),
            _cell(python="3.10", excluded="needs >=3.11"),
            _cell("9.9.9", impossible="langgraph has no release 9.9.9"),
            _cell(python="3.11"),
        ]
        plan = _plan(root, *cells)
        plan.interpreters["3.11"] = Missing("3.11")
        _put(plan, cells[0], *GOOD)

        collected = collect(plan)

        assert [(record.state, record.reason) for record in collected.cells] == [
            (RAN, ""),
            (EXCLUDED, "needs >=3.11"),
            (ERROR, "langgraph has no release 9.9.9"),
            (NOT_RUN, "python3.11 not found"),
        ]
        counts = collected.counts
        assert (counts.errors, counts.not_run, counts.excluded) == (1, 1, 1)
        assert (counts.ran, counts.cells) == (1, 3)
        assert collected.problems == ()

    def test_part_of_a_cell(self, root: Path) -> None:
        """With a narrow ``--only`` the cell's other results stay, and do not count."""
        cell = _cell()
        plan = _plan(
            root, cell, only=("langgraph-1.2.11/py3.13/kill-mid-tool/sync+no-key/after-effect",)
        )
        plan.selections[cell.session] = Selection(("kill-mid-tool",), ("sync+no-key",))
        _put(plan, cell, *GOOD)

        collected = collect(plan)

        assert [result.selected for result in collected.results] == [False, True]
        assert (collected.counts.passed, collected.counts.failed) == (0, 1)
        assert collected.counts.earlier == 1

    def test_results_of_another_interpreter_are_stale(self, root: Path) -> None:
        """On this machine a file has to be of the interpreter that is found now."""
        cell = _cell()
        plan = _plan(root, cell)
        here = root / "python3.13"
        here.write_text("", encoding="utf-8")
        plan.interpreters["3.13"] = Interpreter("3.13", str(here), "3.13.0", "PATH")
        _put(plan, cell, *GOOD)
        plan.interpreters["3.13"] = Interpreter("3.13", str(here), "3.13.1", "PATH")

        assert collect(plan).problems[0].what == "the interpreter changed since it was measured"


class TestEarlierCells:
    """Cells that this run did not ask for."""

    def test_they_stay_and_do_not_count(self, root: Path) -> None:
        """They are marked, and neither the headline nor the exit code is about them."""
        now, earlier = _cell(), _cell("1.0.10")
        _put(_plan(root, earlier), earlier, raw_result(verdict="ERROR"))
        plan = _plan(root, now)
        _put(plan, now, *GOOD)

        collected = collect(plan)

        assert [(record.version, record.selected) for record in collected.cells] == [
            ("1.2.11", True),
            ("1.0.10", False),
        ]
        assert collected.counts.errors == 0
        assert collected.counts.earlier == 1
        assert collected.exit_code == 0
        assert [each["selected"] for each in collected.to_json()["results"]] == [True, True, False]

    def test_one_that_never_ran_is_not_spoken_of(self, root: Path) -> None:
        """A version that was mistyped once is not in every table from then on."""
        now, mistyped = _cell(), _cell("9.9.9")
        write_failure(_plan(root, mistyped), mistyped, "install", "no such version", step="resolve")
        plan = _plan(root, now)
        _put(plan, now, *GOOD)

        collected = collect(plan)

        assert collected.problems == ()
        assert [record.version for record in collected.cells] == ["1.2.11"]

    def test_stale_and_damaged_ones_are_named_only(self, root: Path) -> None:
        """A leftover that cannot be used is no reason to fail."""
        now, earlier = _cell(), _cell("1.0.10")
        _put(_plan(root, earlier), earlier, *GOOD, key_parts={"core": "another"})
        plan = _plan(root, now)
        _put(plan, now, *GOOD)
        (plan.results / "cells" / "notes.json").write_text("{", encoding="utf-8")
        (plan.results / "cells" / "other.json").write_text(
            '{"schema": 1, "results": [], "cell": {}}', encoding="utf-8"
        )

        collected = collect(plan)

        assert [(each.file, each.kind) for each in collected.problems] == [
            ("cells/langgraph-1.0.10-py3.13.json", "stale"),
            ("cells/notes.json", "damaged"),
            ("cells/other.json", "damaged"),
        ]
        assert len(collected.results) == 2
        assert collected.exit_code == 0


class TestReports:
    """What is written and returned."""

    def test_files_and_exit_code(self, root: Path) -> None:
        """The table, both files, and the number that nox is given agree."""
        cell = _cell()
        plan = _plan(root, cell, strict=True)
        _put(plan, cell, *GOOD)
        console = Console(width=100, record=True, file=(root / "out").open("w", encoding="utf-8"))

        code = collect_and_report(plan, console=console)

        console.file.close()
        data = json.loads((plan.results / "matrix.json").read_text(encoding="utf-8"))
        assert code == data["exit_code"] == 1
        assert data["schema"] == 1
        assert data["counts"] | {"PASS": 1, "FAIL": 1, "ERROR": 0, "not_run": 0} == data["counts"]
        assert data["cells"][0]["cell"]["stage"] == "done"
        assert "**1 FAIL**" in (plan.results / "matrix.md").read_text(encoding="utf-8")
        assert "exit code 1: 1 FAIL, and --strict was given" in console.export_text()

    def test_comparison_with_an_earlier_run(self, root: Path) -> None:
        """A matrix.json of ours is what ``--compare`` takes."""
        cell = _cell()
        plan = _plan(root, cell)
        _put(plan, cell, *GOOD)
        with (root / "out").open("w", encoding="utf-8") as out:
            collect_and_report(plan, console=Console(file=out))
        baseline = root / "baseline.json"
        (plan.results / "matrix.json").rename(baseline)
        later = _plan(root, cell, compare=str(baseline))
        _put(later, cell, GOOD[0], raw_result(point="after-effect"))

        collected = collect(later)

        assert collected.comparison is not None
        assert [change.word for change in collected.comparison.changed] == ["fixed"]
        assert collected.exit_code == 1

    def test_bad_baseline_is_a_usage_error(self, root: Path) -> None:
        """It is said before anything else."""
        with pytest.raises(UsageError, match="--compare"):
            collect(_plan(root, _cell(), compare=str(root / "nothing.json")))


PASSED = row("a", "1", "3.13", raw_result())
FAILED = row("b", "1", "3.13", raw_result(verdict="FAIL"))
ERRORED = row("c", "1", "3.13", raw_result(verdict="ERROR"))
BROKEN = row("d", "1", "3.13", state=ERROR, reason="no")
LACKING = row(
    "e", "1", "3.13", state=NOT_RUN, reason="python3.13 not found", missing_interpreter=True
)
ABSENT = row("f", "1", "3.13", state=NOT_RUN, reason="it left no result file")
OUT = row("g", "1", "3.13", state=EXCLUDED, reason="no")
EARLIER = row("h", "1", "3.13", raw_result(verdict="ERROR"), selected=False)
SAME = Comparison("b.json", 1, (), ("new",), ("gone",))
CHANGED = Comparison("b.json", 1, (Change("x", "PASS", "FAIL", ""),), (), ())


@pytest.mark.parametrize(
    ("collected", "code"),
    [
        (put_together(PASSED), 0),
        (put_together(PASSED, FAILED), 0),
        (put_together(PASSED, FAILED, strict=True), 1),
        (put_together(PASSED, strict=True), 0),
        (put_together(PASSED, ERRORED), 2),
        (put_together(FAILED, ERRORED, strict=True), 2),
        (put_together(PASSED, BROKEN), 2),
        (put_together(PASSED, ABSENT), 2),
        (put_together(PASSED, ABSENT, skip_missing_interpreters=True), 2),
        (put_together(PASSED, LACKING), 2),
        (put_together(PASSED, LACKING, skip_missing_interpreters=True), 0),
        (put_together(FAILED, LACKING, skip_missing_interpreters=True, strict=True), 1),
        (put_together(LACKING, skip_missing_interpreters=True), 2),
        (put_together(PASSED, OUT), 0),
        (put_together(OUT), 2),
        (put_together(), 2),
        (put_together(PASSED, EARLIER), 0),
        (put_together(EARLIER), 2),
        (put_together(FAILED, comparison=SAME), 0),
        (put_together(FAILED, comparison=SAME, strict=True), 0),
        (put_together(FAILED, comparison=CHANGED), 1),
        (put_together(ERRORED, comparison=CHANGED), 2),
    ],
)
def test_exit_codes(collected: Collected, code: int) -> None:
    """2 for whatever could not be judged or is missing, 1 for a finding that counts, else 0."""
    assert collected.exit_code == code
