from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from planned import NOW, TOY, MemoryIndex, checkout, day, plan_for, release
from plugpull.errors import UsageError
from plugpull.matrix.expansion import cut_off, rfc3339
from plugpull.matrix.plan import Plan, read_plan
from plugpull.matrix.selection import Selection, result_selected

MATRIX = """
[matrix]
python = ["3.10", "3.11"]

[framework.toy]
versions = ["1.0.1", "2.0.0", "latest"]

[framework.other]
versions = ["latest"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with a small declaration."""
    return checkout(tmp_path, MATRIX)


def sessions(plan: Plan) -> list[str]:
    """The names of the plan's cells."""
    return [cell.session for cell in plan.cells]


def change(root: Path, text: str) -> None:
    """Add to the declaration."""
    path = root / "matrix.toml"
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def test_every_version_meets_every_python(root: Path) -> None:
    """Cells come in the order of the declaration, with names that a nox session can have."""
    assert sessions(plan_for(root)) == [
        "toy-1.0.1-py3.10",
        "toy-1.0.1-py3.11",
        "toy-2.0.0-py3.10",
        "toy-2.0.0-py3.11",
        "other-5.0-py3.10",
        "other-5.0-py3.11",
    ]


def test_a_cell_says_what_is_installed(root: Path) -> None:
    """The pin carries the distribution's name, the cell its users' name for the framework."""
    cell = plan_for(root).cell("toy-1.0.1-py3.10")
    assert (cell.framework, cell.distribution) == ("toy", "toy-slim")
    assert cell.resolution.requirements == ("toy-slim==1.0.1", "toy-store")
    assert (cell.repeat, cell.source, cell.asked) == (5, "index", "1.0.1")


def test_an_open_entry_joins_a_declared_version(root: Path) -> None:
    """There is one cell, judged as the exact version is, with a note about the open entry."""
    plan = plan_for(root)
    cell = plan.cell("toy-2.0.0-py3.11")
    assert cell.asked == "2.0.0, latest"
    assert "latest is 2.0.0" in cell.notes
    assert cell.resolution.as_of_asked == "release"


def test_old_releases_are_judged_with_what_their_users_had(root: Path) -> None:
    """Exact versions see what was there 48 hours after their last file; open ones see today."""
    plan = plan_for(root)
    exact = plan.cell("toy-1.0.1-py3.10").resolution
    assert (exact.as_of, exact.as_of_asked) == ("2026-01-12T08:00:01Z", "release")
    latest = plan.cell("other-5.0-py3.10").resolution
    assert (latest.as_of, latest.as_of_asked) == ("2026-11-30T00:00:00Z", "today")


def test_a_cut_off_is_a_moment_in_utc() -> None:
    """A date ends with its day; a release's moment is rounded up, so its files are before it."""
    known = release("1.0", "2026-01-10T08:00:00.500000")
    assert cut_off("2026-03-15", known, NOW) == day("2026-03-16")
    assert cut_off("today", known, NOW) == day("2026-11-30")
    assert cut_off("release", known, NOW) == day("2026-01-12T08:00:00.500000")
    assert cut_off("release", None, NOW) is None
    assert rfc3339(day("2026-01-12T08:00:00.000001")) == "2026-01-12T08:00:01Z"
    assert rfc3339(day("2026-01-12T08:00:00")) == "2026-01-12T08:00:00Z"


def test_the_nearest_as_of_holds(root: Path) -> None:
    """A range's as-of wins over the framework's, and that one over the matrix's."""
    change(
        root,
        """
        as-of = "2026-06-01"
        [[framework.other.when]]
        versions = ">=5"
        as-of = "release"
        """,
    )
    text = (root / "matrix.toml").read_text(encoding="utf-8")
    (root / "matrix.toml").write_text(
        text.replace("\n\n[framework.toy]", '\nas-of = "2026-04-01"\n\n[framework.toy]')
    )
    plan = plan_for(root)
    assert plan.cell("toy-1.0.1-py3.10").resolution.as_of == "2026-04-02T00:00:00Z"
    assert plan.cell("other-5.0-py3.10").resolution.as_of == "2026-01-03T00:00:00Z"


def test_a_date_decides_what_latest_was(root: Path) -> None:
    """With a date, an open entry means the newest release of that day."""
    text = MATRIX.replace('versions = ["1.0.1", "2.0.0", "latest"]', 'versions = ["latest"]')
    checkout(root, text.replace('["latest"]', '["latest"]\nas-of = "2026-02-15"', 1))
    assert sessions(plan_for(root))[:2] == ["toy-1.1.0-py3.10", "toy-1.1.0-py3.11"]


def test_ranges_add_requirements_and_constraints(root: Path) -> None:
    """What the framework and each fitting range ask for is added up; the last repeat holds."""
    checkout(
        root,
        """
        [matrix]
        python = ["3.11"]
        repeat = 3
        [framework.toy]
        versions = ["1.0.1", "2.0.0"]
        with = ["a"]
        constraints = ["b<2"]
        [[framework.toy.when]]
        versions = "<2"
        with = ["c"]
        constraints = ["d<1"]
        repeat = 8
        """,
    )
    plan = plan_for(root)
    old, new = plan.cells
    assert old.resolution.requirements == ("toy-slim==1.0.1", "toy-store", "a", "c")
    assert (old.resolution.constraints, old.repeat) == (("b<2", "d<1"), 8)
    assert new.resolution.requirements == ("toy-slim==2.0.0", "toy-store", "a")
    assert (new.resolution.constraints, new.repeat) == (("b<2",), 3)
    assert plan_for(root, "--repeat", "2").cells[0].repeat == 2


def test_an_unsupported_python_is_excluded_with_the_reason(root: Path) -> None:
    """The cell stays in the plan, so that the table can say why it is not run."""
    plan = plan_for(root)
    cell = plan.cell("toy-2.0.0-py3.10")
    assert cell.excluded == "needs >= 3.11"
    assert plan.not_run(cell) == "excluded (needs >= 3.11)"
    assert plan.not_run(plan.cell("toy-2.0.0-py3.11")) is None


def test_an_exclude_gives_its_reason(root: Path) -> None:
    """Only what the exclude names is left out, and its reason is shown."""
    change(root, '[[exclude]]\nframework = "toy"\nversions = "<2"\npython = "3.11"\nreason = "r"')
    plan = plan_for(root)
    assert [c.session for c in plan.cells if c.excluded == "r"] == ["toy-1.0.1-py3.11"]


def test_a_framework_that_is_off_is_shown_and_runs_when_it_is_asked_for(root: Path) -> None:
    """By its name, by a version that is added, or by everything; a glob asks for what there is."""
    text = MATRIX.replace("[framework.other]\n", '[framework.other]\noff = "it is slow"\n')
    (root / "matrix.toml").write_text(text, encoding="utf-8")

    def left_out(*posargs: str) -> set[str | None]:
        plan = plan_for(root, *posargs)
        return {cell.excluded for cell in plan.cells if cell.framework == "other"}

    off = {"off by default: it is slow; --only other"}
    assert left_out() == off
    assert left_out("--only", "*/py3.11") == off
    assert left_out("--only", "other") == {None}
    assert left_out("--only", "other-5.0/py3.11") == {None}
    assert left_out("--all") == {None}
    assert left_out("--add", "other==5.0") == {None}
    toys = [cell.excluded for cell in plan_for(root).cells if cell.framework == "toy"]
    assert not off.intersection(toys)


def test_an_exclude_that_matches_nothing_is_a_mistake(root: Path) -> None:
    """A misspelt condition must not switch itself off silently."""
    change(root, '[[exclude]]\nframework = "toy"\nversions = ">=3"\nreason = "r"')
    with pytest.raises(UsageError, match=r'number 1 versions: ">=3" matches no version of toy'):
        plan_for(root)
    assert sessions(plan_for(root, "--only", "other"))  # Not planned, so nobody knows.


def test_a_release_that_does_not_exist_is_a_row(root: Path) -> None:
    """One wrong version stops nothing: its cells are there, and uv is asked and says why."""
    checkout(root, MATRIX.replace('"1.0.1"', '"9.9.9"').replace('"2.0.0"', '">=7"'))
    plan = plan_for(root)
    wrong = plan.cell("toy-9.9.9-py3.10")
    assert wrong.notes == ("toy-slim has no release 9.9.9; the newest is 2.1.0rc1",)
    assert wrong.runs
    assert "no release of toy-slim fits '>=7'" in str(plan.cell("toy->=7-py3.10").impossible)
    assert plan.cell("toy-2.0.0-py3.11").runs


def test_a_yanked_version_is_marked(root: Path) -> None:
    """A declared yanked version runs and carries its reason; an open entry passes it over."""
    checkout(root, MATRIX.replace('"2.0.0", "latest"', '"1.1.1", "<2"'))
    plan = plan_for(root)
    assert plan.cell("toy-1.1.1-py3.10").yanked == "lost the data"
    newest = plan.cell("toy-1.1.0-py3.10")
    assert newest.yanked is None
    assert newest.notes == ("1.1.1 is yanked (lost the data) and was passed over by <2",)


def test_an_index_without_times_is_said_aloud(root: Path) -> None:
    """Where the index knows no upload times, nothing is cut off, and the cell says so."""
    bare = tuple(replace(one, first_upload=None, last_upload=None) for one in TOY)
    plan = plan_for(root, "--only", "toy", index=MemoryIndex(toy_slim=bare))
    cell = plan.cell("toy-1.0.1-py3.10")
    assert cell.resolution.as_of is None
    assert cell.notes == ("the index gives no upload times: resolved without a cut-off",)


def test_a_missing_python_is_a_cell_that_is_not_run(root: Path) -> None:
    """The cell is in the plan with its reason; it is nothing that waits to be run."""
    checkout(root, MATRIX.replace('"3.11"]', '"3.14"]'))
    plan = plan_for(root, "--only", "other").with_pending(lambda *_: True)
    cell = plan.cell("other-5.0-py3.14")
    assert plan.not_run(cell) == "not run: python3.14 not found"
    assert plan.pending == ("other-5.0-py3.10",)


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ("toy", ["toy-1.0.1-py3.10", "toy-1.0.1-py3.11", "toy-2.0.0-py3.10", "toy-2.0.0-py3.11"]),
        ("toy-1.0.1", ["toy-1.0.1-py3.10", "toy-1.0.1-py3.11"]),
        ("toy-1.0.1/py3.11", ["toy-1.0.1-py3.11"]),
        ("toy/py3.11", ["toy-1.0.1-py3.11", "toy-2.0.0-py3.11"]),
        ("toy-latest/py3.11", ["toy-2.0.0-py3.11"]),
        ("*/py3.11", ["toy-1.0.1-py3.11", "toy-2.0.0-py3.11", "other-5.0-py3.11"]),
        ("toy-1.*", ["toy-1.0.1-py3.10", "toy-1.0.1-py3.11"]),
        ("oth*/*10/lost-*", ["other-5.0-py3.10"]),
    ],
)
def test_only_selects_whole_parts(only: str, expected: list[str], root: Path) -> None:
    """A prefix ends where a part of the id ends; a glob is compared part by part."""
    assert sessions(plan_for(root, "--only", only)) == expected


@pytest.mark.parametrize(
    "only",
    [
        "to",
        "toy-1.0",
        "toy-1.0.1/py3.1",
        "toy/py3.11/kill",
        "toy/py3.11/kill-mid-tool/fast",
        "*/*/kill-mid-tool/write-lost",
        "toy-9*",
        "TOY",
        "nobody/py3.11",
    ],
)
def test_a_selector_that_matches_nothing_is_a_mistake(only: str, root: Path) -> None:
    """Nothing selected is a usage error, never a quiet success, even next to a good selector."""
    with pytest.raises(UsageError, match=f"--only {only.rstrip('/').replace('*', '.')}"):
        plan_for(root, "--only", only)
    with pytest.raises(UsageError):
        plan_for(root, "--only", "other", "--only", only)


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ("toi", 'did you mean "toy"?'),
        ("toy/py3.11/kill-mid-tol", 'did you mean "kill-mid-tool"?'),
        ("toy/py3.11/kill-mid-tool/sync+nokey", 'did you mean "sync+no-key"?'),
        ("toy/py3.11/kill-mid-tool/sync+no-key/afer-effect", 'did you mean "after-effect"?'),
        ("*/*/kill-mid-tool/afer-effect", 'did you mean "after-effect"?'),
        ("*/*/*/*/ack-losst", 'did you mean "ack-lost"?'),
        ("toy/*/lost-session-write/default/after-effect", "write-lost, ack-lost, outage"),
    ],
)
def test_the_nearest_name_is_shown(only: str, words: str, root: Path) -> None:
    """Of the part that there is not; fault points are the scenario's own."""
    with pytest.raises(UsageError) as caught:
        plan_for(root, "--only", only)
    assert f"--only {only}: nothing matches" in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("only", "scenarios", "variants"),
    [
        (["toy/py3.11/kill-mid-tool"], ("kill-mid-tool",), ()),
        (["toy/py3.11/kill-mid-tool/sync+no-key"], ("kill-mid-tool",), ("sync+no-key",)),
        (
            ["toy/py3.11/kill-mid-tool/sync+no-key/after-effect"],
            ("kill-mid-tool",),
            ("sync+no-key",),
        ),
        (["*/*/kill-mid-tool/*sync*"], ("kill-mid-tool",), ("sync+no-key", "async+no-key")),
        (["*/*/kill-mid-tool/after-effect"], ("kill-mid-tool",), ()),
        (["*/*/*/*/after-effect"], ("kill-mid-tool",), ()),
        (["*/*/*/ack-lost/second"], ("lost-session-write",), ()),
        (["*/*/*"], ("kill-mid-tool", "lost-session-write"), ()),
        (
            ["*/*/lost-session-write/default", "toy/*/kill-mid-tool/sync+no-key"],
            ("lost-session-write", "kill-mid-tool"),
            ("default", "sync+no-key"),
        ),
        (["*/*/kill-mid-tool/sync+no-key", "toy"], (), ()),
    ],
)
def test_a_deep_selector_selects_within_the_cell(
    only: list[str], scenarios: tuple[str, ...], variants: tuple[str, ...], root: Path
) -> None:
    """A selector that goes beyond the Python names scenarios and variants; several add up."""
    posargs = [part for one in only for part in ("--only", one)]
    plan = plan_for(root, *posargs)
    assert plan.selection(plan.cell("toy-1.0.1-py3.11")) == Selection(scenarios, variants)


def test_only_what_is_selected_is_looked_up(root: Path) -> None:
    """A selection costs what its cells cost: the index is not asked about other frameworks."""
    index = MemoryIndex(toy_slim=TOY)
    plan_for(root, "--only", "toy-1.0.1/py3.10", index=index)
    assert index.asked == ["toy-slim"]


def test_python_narrows_the_plan(root: Path) -> None:
    """Only the asked Pythons are planned; one that the matrix lacks is a mistake."""
    plan = plan_for(root, "--only", "toy", "--python", "3.11")
    assert sessions(plan) == ["toy-1.0.1-py3.11", "toy-2.0.0-py3.11"]
    assert list(plan.interpreters) == ["3.11"]
    with pytest.raises(UsageError, match=r"--python 3\.12: .* does not have it"):
        plan_for(root, "--python", "3.12")
    with pytest.raises(UsageError, match="nothing is selected"):
        plan_for(root, "--only", "toy/py3.10", "--python", "3.11")


def test_add_adds_a_release(root: Path) -> None:
    """The added cells are planned beside the declared ones, whatever --only says of those."""
    assert "toy-1.1.0-py3.10" in sessions(plan_for(root, "--add", "toy==1.1.0"))
    only = plan_for(root, "--only", "other", "--add", "toy==1.1.0", "--python", "3.10")
    assert sessions(only) == ["toy-1.1.0-py3.10", "other-5.0-py3.10"]
    by_distribution = plan_for(root, "--only", "toy-1.1.0", "--add", "toy-slim==1.1.0")
    assert sessions(by_distribution) == ["toy-1.1.0-py3.10", "toy-1.1.0-py3.11"]


def test_add_of_a_declared_version_changes_nothing(root: Path) -> None:
    """Adding what is there already is no mistake, and no second cell."""
    assert sessions(plan_for(root, "--add", "toy==1.0.1")) == sessions(plan_for(root))


def test_add_takes_a_target_that_the_matrix_lacks(root: Path) -> None:
    """A framework without a place in the declaration can be tried if it has a target."""
    checkout(root, MATRIX.partition("[framework.other]")[0])
    assert sessions(plan_for(root, "--add", "other==5.0"))[-1] == "other-5.0-py3.11"
    missing = plan_for(root, "--add", "other==6")
    assert missing.cells[-1].notes == ("other-slim has no release 6; the newest is 5.0",)


@pytest.mark.parametrize(
    ("add", "words"),
    [
        ("tyo==1.0", 'no such framework in .*did you mean "toy"'),
        ("../toy==1.0", "no such framework"),
        ("toy==x", "is neither a version"),
        ("toy@git+ftp://somewhere@main", "https, ssh, git, file and paths"),
    ],
)
def test_add_of_nonsense_is_a_mistake(add: str, words: str, root: Path) -> None:
    """An unknown framework or something that is no version is refused."""
    with pytest.raises(UsageError, match=f"(?s)--add .*{words}"):
        plan_for(root, "--add", add)


def test_what_is_up_to_date_is_not_pending(root: Path) -> None:
    """Only cells with an earlier result are asked about; without one, or with --fresh, all run."""
    plan = plan_for(root, "--only", "toy-1.0.1")
    result = plan.result_file(plan.cells[0])
    result.parent.mkdir(parents=True)
    result.write_text("{}", encoding="utf-8")
    asked: list[str] = []

    def up_to_date(_plan: Plan, cell: object, _root: Path) -> bool:
        asked.append(cell.session)  # type: ignore[attr-defined]
        return False

    assert plan.with_pending(up_to_date).pending == ("toy-1.0.1-py3.11",)
    assert asked == ["toy-1.0.1-py3.10"]
    fresh = plan_for(root, "--only", "toy-1.0.1", "--fresh").with_pending(up_to_date)
    assert sorted(fresh.pending) == ["toy-1.0.1-py3.10", "toy-1.0.1-py3.11"]
    assert plan.with_pending(lambda *_: True, {"toy-1.0.1-py3.11"}).pending == ("toy-1.0.1-py3.11",)


def test_the_longest_cells_start_first_and_the_others_in_turn(root: Path) -> None:
    """First those that run every scenario; then a cell of each framework, and again."""
    plan = plan_for(root).with_pending(lambda *_: True)
    default = [cell.session for cell in plan.cells if cell.default]
    first, rest = plan.pending[: len(default)], plan.pending[len(default) :]
    assert [*first] == default
    assert sorted(rest) == sorted(
        cell.session for cell in plan.cells if cell.session in plan.pending and not cell.default
    )
    others = [plan.cell(session) for session in rest]
    names = [cell.framework for cell in others]
    assert names[:2] == ["toy", "other"]
    for name in set(names):
        own = [cell for cell in others if cell.framework == name]
        assert own == [cell for cell in plan.cells if cell in own]


def test_a_plan_survives_its_file(root: Path) -> None:
    """What another process reads is what was planned, with missing Pythons and selections."""
    checkout(root, MATRIX.replace('"3.11"]', '"3.11", "3.14"]'))
    posargs = ["--only", "toy/*/kill-mid-tool", "--add", "other==5.0", "--timeout", "3"]
    plan = plan_for(root, *posargs).with_pending(lambda *_: True)
    path = root / "state" / "plan.json"
    plan.write(path)
    assert read_plan(path, root) == plan
    assert json.loads(path.read_text(encoding="utf-8"))["plan"] == 1
    assert [entry.name for entry in path.parent.iterdir()] == ["plan.json"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no plan"),
        ("{", "is damaged"),
        ("[]", "is damaged"),
        ('{"plan": 2}', "another version"),
        ('{"plan": 1}', "is damaged"),
    ],
)
def test_a_plan_that_cannot_be_read_is_named(
    content: str | None, words: str, tmp_path: Path
) -> None:
    """A missing, damaged or foreign plan is one clear error, with what to do."""
    path = tmp_path / "plan.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match=words) as raised:
        read_plan(path, tmp_path)
    assert "nox -s matrix" in str(raised.value)


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ("pydantic-ai", True),
        ("pydantic-ai-2.43.0", True),
        ("pydantic-ai-latest/py3.13", True),
        ("pydantic-ai/py3.13/kill-mid-tool/no-key/after-effect", True),
        ("*/*/*/after-effect", True),
        ("*/*/kill-mid-tool/*/after-effect", True),
        ("*/*/kill-mid-tool/before-effect", False),
        ("pydantic-ai/py3.13/kill-mid-tool/after-effect", False),
        ("pydantic", False),
        ("pydantic-ai-2.43", False),
        ("pydantic-ai-2.43.0/py3.13/kill-mid-tool/no-key/after-effect/detail", False),
    ],
)
def test_results_are_selected_like_cells(selector: str, selected: bool) -> None:
    """The same selectors hold for a whole id, down to the fault point."""
    result_id = "pydantic-ai-2.43.0/py3.13/kill-mid-tool/no-key/after-effect"
    known = {"framework": "pydantic-ai", "asked": "2.43.0, latest"}
    assert result_selected([selector], result_id, **known) is selected
    assert result_selected([], result_id)
