"""The key of a cell, and what has to run again."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.freshness import (
    CellKey,
    cell_key,
    due,
    known_key,
    needs_run,
    selected_pairs,
    source_key,
)
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.pins import PinnedList, parse_moment
from plugpull.matrix.plan import Plan
from plugpull.matrix.results import CellFile
from plugpull.matrix.selection import Selection
from toycell import PYTHON, Toy, make_toy, toy_cell

_PLANS = count()
ONE, TWO = ("kill-mid-tool", "one"), ("kill-mid-tool", "two")
BASE = ["kill-mid-tool"]
BOTH = [*BASE, "lost-session-write"]


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    """A checkout in small."""
    return make_toy(tmp_path)


def _pins(text: str = "iniconfig==2.0.0 \\\n    --hash=sha256:aa\n") -> PinnedList:
    moment = parse_moment("2026-11-29T12:00:00Z")
    assert moment is not None
    return PinnedList(Path("list.txt"), text, moment)


def _key(toy: Toy, cell: Cell, *, pins: PinnedList | None = None, **options: Any) -> CellKey:
    # Hashes of the source are taken once per plan; each call here is a plan of its own.
    plan = replace(toy.plan(cell, **options), created=f"2026-11-29T12:00:00.{next(_PLANS):06}Z")
    interpreter = plan.interpreter(cell)
    assert isinstance(interpreter, Interpreter)
    return cell_key(plan, cell, interpreter, pins or _pins())


def _raw(variant: str, verdict: str = "PASS", **more: Any) -> dict[str, Any]:
    return {
        "scenario": "kill-mid-tool",
        "target": "toy 2.0.0",
        "kill_point": "before-effect",
        "verdict": verdict,
        "detail": "",
        "evidence": {},
        "variant": variant,
        **more,
    }


def _file(*raw: dict[str, Any], **cell: Any) -> CellFile:
    facts = {"stage": "done", "asked_pairs": [list(ONE), list(TWO)], **cell}
    return CellFile(facts, raw)


def _write(plan: Plan, cell: Cell, file: CellFile) -> None:
    path = plan.result_file(cell)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(file.to_json()), encoding="utf-8")


class TestKey:
    """Two keys are equal if nothing that decides a verdict differs."""

    def test_same_cell_has_the_same_key(self, toy: Toy) -> None:
        """The key does not depend on when or in what order it is asked for."""
        assert _key(toy, toy_cell()).value == _key(toy, toy_cell()).value

    @pytest.mark.parametrize(
        ("path", "part"),
        [
            ("harness/src/plugpull/__main__.py", "core"),
            ("targets/toy/agent.py", "target"),
            ("targets/control/target.json", "target"),
        ],
    )
    def test_source_is_part_of_the_key(self, toy: Toy, path: str, part: str) -> None:
        """A changed harness, target or control makes every result an old one."""
        before = _key(toy, toy_cell())
        with (toy.root / path).open("a", encoding="utf-8") as file:
            file.write("\n")
        after = _key(toy, toy_cell())

        assert before.value != after.value
        changed = {name for name, v in after.to_json().items() if before.to_json()[name] != v}
        assert changed == {part}

    @pytest.mark.parametrize(
        "path",
        ["harness/src/plugpull/matrix/__init__.py", "harness/src/plugpull/a.pyc", "targets/b.json"],
    )
    def test_planner_and_leftovers_are_not(self, toy: Toy, path: str) -> None:
        """The planner's side, bytecode and other targets decide no verdict here."""
        before = _key(toy, toy_cell())
        (toy.root / path).write_text("1", encoding="utf-8")

        assert _key(toy, toy_cell()).value == before.value

    def test_a_manifest_counts_without_its_guide(self, toy: Toy) -> None:
        """What people read beside the verdicts decides none; all else in it does."""
        manifest = toy.root / "targets" / "toy" / "target.json"
        said = json.loads(manifest.read_text(encoding="utf-8"))
        keys = []
        for more in ({}, {"guide": {"saves": "often"}}, {"ignore": ["*.db"]}):
            manifest.write_text(json.dumps(said | more), encoding="utf-8")
            keys.append(_key(toy, toy_cell()).value)

        assert keys[0] == keys[1] != keys[2]

    def test_hashes_are_part_of_the_key(self, toy: Toy) -> None:
        """Other files under the same versions are other packages."""
        other = _pins("iniconfig==2.0.0 \\\n    --hash=sha256:bb\n")

        assert _key(toy, toy_cell(), pins=other).value != _key(toy, toy_cell()).value

    def test_time_limit_is_part_of_the_key(self, toy: Toy) -> None:
        """A run under another limit is another run; how often it is repeated is in its counts."""
        plain = _key(toy, toy_cell())

        assert _key(toy, toy_cell(), timeout=5.0).value != plain.value
        assert _key(toy, toy_cell(), repeat=9).value == plain.value

    def test_moving_cut_off_is_not(self, toy: Toy) -> None:
        """The same packages resolved on another day keep their results."""
        keys = [
            _key(toy, toy_cell(resolution=Resolution(("x",), as_of=as_of, as_of_asked="today")))
            for as_of in ("2026-11-29T23:59:59Z", "2026-11-30T23:59:59Z")
        ]

        assert keys[0].value == keys[1].value

    def test_interpreter_is_part_of_the_key(self, toy: Toy) -> None:
        """Another patch release, or another build of the same, is another cell."""
        cell = toy_cell()
        plan = toy.plan(cell)
        here = plan.interpreter(cell)
        assert isinstance(here, Interpreter)
        others = [replace(here, version="3.99.1"), replace(here, path="/opt/python")]

        keys = {cell_key(plan, cell, each, _pins()).value for each in [here, *others]}

        assert len(keys) == 3

    def test_differences_are_named(self, toy: Toy) -> None:
        """A reader learns what made a file stale. What is unknown here is not compared."""
        key = _key(toy, toy_cell())
        parts = {**key.to_json(), "core": "another", "interpreter": "another"}
        file = CellFile({"key_parts": parts})

        assert key.differences(file) == ["the interpreter", "the harness"]
        assert replace(key, interpreter="").differences(file) == ["the harness"]
        assert replace(key, interpreter="").differences(CellFile({})) == [
            "the packages",
            "the harness",
            "the target",
            "the options",
            "the declaration",
        ]

    def test_results_of_another_machine(self, toy: Toy) -> None:
        """Where the file's interpreter is not here, neither it nor the packages are compared."""
        cell = toy_cell()
        plan = toy.plan(cell)
        file = CellFile({"interpreter": "/on/another/machine/python3"})

        key = known_key(plan, cell, file)

        assert (key.interpreter, key.pins) == ("", "")
        assert key.core == source_key(plan, "toy").core != ""


class TestDue:
    """What runs, given a file whose key is right."""

    @pytest.mark.parametrize(
        ("file", "expected"),
        [
            (None, [ONE, TWO]),
            (_file(_raw("one"), _raw("two", "FAIL")), []),
            (_file(_raw("one"), _raw("two", "ERROR")), [TWO]),
            (_file(_raw("one"), _raw("two", timing_dependent=True)), [TWO]),
            # Asked for and without a result: this release has no such variant.
            (_file(_raw("one")), []),
            (_file(_raw("one"), asked_pairs=[list(ONE)]), [TWO]),
            # Not finished: the second was perhaps never reached.
            (_file(_raw("one"), stage="run"), [TWO]),
        ],
        ids=["no file", "good", "error", "timing", "not there", "not asked", "not finished"],
    )
    def test_pairs(self, toy: Toy, file: CellFile | None, expected: list[object]) -> None:
        """Only what does not stand is due."""
        cell = toy_cell()

        assert due(toy.plan(cell), cell, file, toy.root) == expected

    def test_fresh(self, toy: Toy) -> None:
        """``--fresh`` makes everything due."""
        cell = toy_cell()
        file = _file(_raw("one"), _raw("two"))

        assert due(toy.plan(cell, fresh=True), cell, file, toy.root) == [ONE, TWO]

    def test_keep(self, toy: Toy) -> None:
        """``--keep`` wants the folders of every FAIL, so these run again."""
        cell = toy_cell()
        file = _file(_raw("one"), _raw("two", "FAIL"))

        assert due(toy.plan(cell, keep=True), cell, file, toy.root) == [TWO]

    def test_only_the_selected(self, toy: Toy) -> None:
        """What ``--only`` leaves out is not due, whatever it is."""
        cell = toy_cell()
        plan = toy.plan(cell)
        plan.selections[cell.session] = Selection(("kill-mid-tool",), ("two",))

        assert selected_pairs(plan, cell, toy.root) == [TWO]
        assert due(plan, cell, _file(_raw("one", "ERROR"), _raw("two")), toy.root) == []

    @pytest.mark.parametrize(
        ("default", "options", "expected"),
        [
            ((False, True), {}, BOTH),
            ((False, False), {}, BASE),
            ((False, False), {"only": ("toy",)}, BOTH),
            ((False, False), {"all": True}, BOTH),
        ],
    )
    def test_what_older_versions_are_asked(
        self, toy: Toy, default: tuple[bool, bool], options: dict[str, Any], expected: list[str]
    ) -> None:
        """Of the whole matrix one scenario, like no other Python of a version that is named."""
        manifest = toy.root / "targets" / "toy" / "target.json"
        facts = json.loads(manifest.read_text(encoding="utf-8"))
        facts["scenarios"] = {name: {} for name in BOTH}
        facts["variants"] = [{"name": "one", "scenarios": BOTH}]
        manifest.write_text(json.dumps(facts), encoding="utf-8")
        cell, newer = (replace(toy_cell(), default=one) for one in default)
        plan = replace(toy.plan(cell, **options), cells=(cell, newer))

        assert [scenario for scenario, _ in selected_pairs(plan, cell, toy.root)] == expected


class TestNeedsRun:
    """What the parent finds out before any session."""

    def test_no_file_is_answered_without_resolving(self, toy: Toy) -> None:
        """A first run does not resolve in the parent: the cells do that in parallel."""
        cell = toy_cell()

        assert needs_run(toy.plan(cell), cell, toy.root)
        assert not (toy.root / ".plugpull").exists()

    def test_damaged_file_is_run_again(self, toy: Toy) -> None:
        """A file that cannot be read is no result."""
        cell = toy_cell()
        plan = toy.plan(cell)
        plan.result_file(cell).parent.mkdir(parents=True)
        plan.result_file(cell).write_text("{", encoding="utf-8")

        assert needs_run(plan, cell, toy.root)

    def test_failed_cell_is_run_again(self, toy: Toy) -> None:
        """What could not be made is tried anew, without resolving here."""
        cell = toy_cell()
        plan = toy.plan(cell)
        _write(plan, cell, CellFile({"stage": "install", "error": "no network"}))

        assert needs_run(plan, cell, toy.root)
        assert not (toy.root / ".plugpull").exists()

    def test_another_interpreter_is_seen_without_resolving(self, toy: Toy) -> None:
        """The parts that cost nothing are compared first."""
        cell = toy_cell()
        plan = toy.plan(cell)
        interpreter = plan.interpreter(cell)
        assert isinstance(interpreter, Interpreter)
        key = cell_key(plan, cell, replace(interpreter, version="3.0.0"), _pins())
        _write(plan, cell, _file(_raw("one"), key=key.value, key_parts=key.to_json()))

        assert needs_run(plan, cell, toy.root)
        assert not (toy.root / ".plugpull").exists()

    def test_release_that_has_gone_is_run_again(self, toy: Toy) -> None:
        """If resolving fails, the cell's own session says why."""
        cell = toy_cell(resolution=Resolution(("langgraph==9.9.9",)))
        plan = toy.plan(cell)
        interpreter = plan.interpreter(cell)
        assert isinstance(interpreter, Interpreter)
        key = cell_key(plan, cell, interpreter, _pins())
        _write(plan, cell, _file(_raw("one"), key=key.value, key_parts=key.to_json()))

        assert needs_run(plan, cell, toy.root)

    def test_python_of_the_cell(self) -> None:
        """The toy's Python is the one that runs the tests."""
        assert toy_cell().id == f"toy-2.0.0/py{PYTHON}"
