"""Running a target: controls, the proof of the version, and what its cell's file says."""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from plugpull.errors import PlugpullError
from plugpull.facts import environment_facts, find_installed
from plugpull.lab import Lab
from plugpull.manifest import read_manifest
from plugpull.runner import Report, Runner, Selection
from plugpull.verdicts import Result
from support import HERE, TARGETS, command_line

AGENT = """
import os, sys
from pathlib import Path
from plugpull import record_effect
from plugpull.session_store import StoreClient
if "PLUGPULL_STORE" in os.environ:
    store = StoreClient("s")
    item = {"role": "user", "content": os.environ["PLUGPULL_STAGED_INPUT"]}
    if item not in store.get_items():
        store.add_items([item])
else:
    record_effect("charge_card", key="order-42")
record_effect("finish_order", key="order-42")
"""


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    """A folder with one target, which passes everything."""
    folder = tmp_path / "targets"
    folder.mkdir()
    add(folder)
    return folder


@pytest.fixture
def controlled(targets: Path) -> Path:
    """The same with the controls of the checkout beside it."""
    shutil.copytree(TARGETS / "control", targets / "control")
    return targets


def add(folder: Path, **changes: Any) -> None:
    """Write the target ``toy``, with changes to its manifest."""
    (folder / "toy").mkdir(exist_ok=True)
    (folder / "toy" / "agent.py").write_text(AGENT)
    manifest = {
        "name": "toy",
        "title": "Toy",
        "distribution": "plugpull",
        "import": "plugpull",
        "program": "agent.py",
        "inspect": False,
        "scenarios": {"kill-mid-tool": {}, "lost-session-write": {}},
        "variants": [{"name": "default"}],
        **changes,
    }
    (folder / "toy" / "target.json").write_text(json.dumps(manifest))


def change_control(folder: Path, variant: str, **changes: Any) -> None:
    """Change what is said about one control."""
    path = folder / "control" / "target.json"
    data = json.loads(path.read_text())
    (entry,) = [one for one in data["variants"] if one["name"] == variant]
    entry.update(changes)
    path.write_text(json.dumps(data))


def run(lab: Lab, targets: Path, progress: list[Result] | None = None, **selected: Any) -> Report:
    """Everything of the target ``toy``."""
    selection = Selection(**selected)
    told: list[Result] = [] if progress is None else progress
    return Runner(lab, selection, told.append).run_target(targets, "toy")


def words(report: Report) -> list[str]:
    """Scenario, fault point and verdict of each result."""
    return [f"{one.scenario} {one.kill_point} {one.verdict}" for one in report.results]


BOTH = ("kill-mid-tool", "lost-session-write")
ALL_PASS = [
    "kill-mid-tool before-effect PASS",
    "kill-mid-tool after-effect PASS",
    "lost-session-write write-lost PASS",
    "lost-session-write ack-lost PASS",
    "lost-session-write outage PASS",
]


# -- controls --------------------------------------------------------------------------------------


def test_controls_run_with_every_cell_and_are_no_row(lab: Lab, controlled: Path) -> None:
    """Rule 10: they are in the cell's file with what was expected and found, and in no result."""
    told: list[Result] = []
    report = run(lab, controlled, told, scenarios=BOTH)
    assert words(report) == ALL_PASS
    assert report.results == told
    controls = report.cell["controls"]
    assert len(controls) == 2 * 4 + 3 * (3 + 3)
    assert all(one["expected"] == one["found"] for one in controls)
    assert {one.target for one in report.results} == {f"toy {version('plugpull')}"}
    assert report.cell["stage"] == "done"


@pytest.mark.parametrize(
    ("variant", "changes", "sentence"),
    [
        (
            "ledger-first",
            {"expect": {"before-effect": "PASS held", "after-effect": "PASS held"}},
            "the control ledger-first at before-effect has to be PASS held and was FAIL lost: ",
        ),
        (
            "stable-key",
            {"expect": {"before-effect": "PASS held"}},
            "the control stable-key at after-effect has to be declared in its manifest and was ",
        ),
        (
            "no-key",
            {"env": {"PLUGPULL_CONTROL": "nonsense"}},
            "the control no-key at before-effect has to be PASS held and was ERROR: the run with",
        ),
    ],
)
def test_a_control_that_deviates_takes_its_scenario_with_it(
    lab: Lab, controlled: Path, variant: str, changes: dict[str, Any], sentence: str
) -> None:
    """Rule 10: every result of that scenario is an ERROR that says why; the other one stands."""
    change_control(controlled, variant, **changes)
    report = run(lab, controlled, scenarios=BOTH)
    assert words(report) == [
        "kill-mid-tool before-effect ERROR",
        "kill-mid-tool after-effect ERROR",
        *ALL_PASS[2:],
    ]
    for result in report.results[:2]:
        assert result.detail.startswith(f"this scenario cannot be trusted here: {sentence}")
        assert result.evidence == {"stage": "controls"}


def test_a_session_control_that_deviates_spares_the_other_scenario(
    lab: Lab, controlled: Path
) -> None:
    """The other way round, by the worst of several writes."""
    expect = {"write-lost": "PASS held", "ack-lost": "PASS held", "outage": "PASS held"}
    change_control(controlled, "writes-again", expect=expect)
    report = run(lab, controlled, scenarios=BOTH)
    assert [line.split()[-1] for line in words(report)] == ["PASS"] * 2 + ["ERROR"] * 3
    assert "writes-again at ack-lost has to be PASS held and was FAIL duplicated" in (
        report.results[2].detail
    )


# -- the framework ---------------------------------------------------------------------------------


def test_a_framework_that_is_not_installed_is_missing(lab: Lab, targets: Path) -> None:
    """P32d, P41: no result, and the command that installs it."""
    add(targets, distribution="no-such-framework", companions=['and-this; python_version > "3"'])
    report = run(lab, targets)
    assert report.results == []
    assert report.missing == (
        "toy is not installed in this environment: python -m pip install no-such-framework "
        "'and-this; python_version > \"3\"'"
    )
    ended = command_line("--targets", targets, "--target", "toy")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "toy is not installed" in ended.stderr


def test_a_framework_that_cannot_be_imported_is_an_error_at_every_point(
    lab: Lab, targets: Path, tmp_path: Path
) -> None:
    """What is broken is shown with the end of its traceback, as stage import."""
    add(targets, **{"import": "plugpull.no_such_module"})
    report = run(lab, targets, scenarios=BOTH)
    assert [line.replace("ERROR", "PASS") for line in words(report)] == ALL_PASS
    for result in report.results:
        assert result.verdict == "ERROR"
        assert result.detail.startswith("the framework cannot be imported: ModuleNotFoundError: ")
        assert result.evidence["stage"] == "import"
        assert "Traceback" in result.evidence["stderr"]
    assert report.cell["stage"] == "import"
    assert report.cell["controls"] == []
    file = tmp_path / "report.json"
    ended = command_line("--targets", targets, "--target", "toy", "--report", file)
    assert ended.returncode == 2
    assert len(json.loads(file.read_text())["results"]) >= 4


def test_a_module_that_shadows_the_framework_is_found_out(lab: Lab, targets: Path) -> None:
    """The version is that of what an agent imports, not of what was installed."""
    add(targets, distribution="pytest", **{"import": "pytest"})
    report = run(lab, targets, scenarios=("kill-mid-tool",))
    assert {one.verdict for one in report.results} == {"PASS"}
    assert report.cell["version"] == version("pytest")
    imported = report.cell["imported"]
    assert hashlib.sha256(Path(imported["file"]).read_bytes()).hexdigest() == imported["sha256"]
    (targets / "toy" / "pytest.py").write_text("__version__ = '99'")
    report = run(lab, targets, scenarios=("kill-mid-tool",))
    assert {one.verdict for one in report.results} == {"ERROR"}
    assert f"pytest was imported from {targets / 'toy' / 'pytest.py'}, which is no file of" in (
        report.results[0].detail
    )


def test_a_module_without_a_file_is_no_framework(lab: Lab, targets: Path) -> None:
    """A folder of that name can be imported, and is nothing."""
    add(targets, **{"import": "hollow"})
    (targets / "toy" / "hollow").mkdir()
    manifest = read_manifest(targets / "toy")
    installed = find_installed(lab, manifest)
    assert installed is not None
    assert "hollow was imported and has no file" in str(installed.problem)


def test_our_own_modules_shadow_no_framework(lab: Lab, targets: Path) -> None:
    """The probe lies beside modules called wire and store; a framework may have such names too."""
    add(targets, **{"import": "wire"})
    installed = find_installed(lab, read_manifest(targets / "toy"))
    assert installed is not None
    assert "No module named 'wire'" in str(installed.problem)


def test_a_version_that_is_none_is_a_sentence(
    lab: Lab, targets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broken installation ends with 2 and no traceback."""
    monkeypatch.setattr("importlib.metadata.version", lambda _: "unknown")
    with pytest.raises(PlugpullError, match="says that its version is 'unknown'"):
        run(lab, targets)


# -- what is run and written -----------------------------------------------------------------------


def test_variants_are_chosen_by_version_and_name(lab: Lab, targets: Path) -> None:
    """P43: the label stands behind the version; a declared timing dependence repeats."""
    add(
        targets,
        env={"A": "1"},
        variants=[
            {"name": "old", "versions": "<0.0.1"},
            {"name": "plain"},
            {"name": "fast", "label": "mode=fast", "timing_dependent": True, "env": {"B": "2"}},
        ],
    )
    report = run(lab, targets, scenarios=("kill-mid-tool",), variants=("old", "fast"))
    assert {one.target for one in report.results} == {f"toy {version('plugpull')} mode=fast"}
    assert {one.variant for one in report.results} == {"fast"}
    assert all(one.runs == {"PASS": 5} for one in report.results)
    assert all(one.timing_dependent for one in report.results)
    report = run(
        lab, targets, scenarios=("kill-mid-tool",), variants=("fast", "plain"), timing_repeat=2
    )
    assert [sum(one.runs.values()) for one in report.results] == [1, 1, 2, 2]


def test_what_is_not_supported_is_in_the_cell(lab: Lab, targets: Path) -> None:
    """With its reason and link, for this version and the scenarios that were selected."""
    gap = {"scenario": "lost-session-write", "reason": "none", "link": "https://example.org"}
    add(
        targets,
        scenarios={"kill-mid-tool": {}},
        not_supported=[
            gap,
            {**gap, "versions": ">=1", "reason": "another"},
            {**gap, "variant": "default", "reason": "third"},
        ],
    )
    report = run(lab, targets, scenarios=BOTH)
    assert [one["reason"] for one in report.not_supported] == ["none", "third"]
    assert report.not_supported[0] == {**gap, "variant": None, "kill_point": None}
    assert run(lab, targets, scenarios=("kill-mid-tool",)).not_supported == []
    assert len(report.results) == 2


def test_where_nothing_answers_nothing_was_run(targets: Path) -> None:
    """P34: exit 2, and a sentence instead of silence."""
    ended = command_line("--targets", targets, "--target", "toy", "--variant", "none")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "nothing was run" in ended.stderr


def test_the_cell_says_where_it_was_measured(lab: Lab, targets: Path) -> None:
    """Python, platform, SQLite and every distribution, and how agents were started."""
    facts = environment_facts()
    assert facts["python"] == platform.python_version()
    assert facts["packages"]["pytest"] == version("pytest")
    assert facts["executable"] == sys.executable
    report = run(lab, targets, scenarios=("kill-mid-tool",))
    assert facts.items() <= report.cell.items()
    assert report.cell["launcher"].startswith("fork" if sys.platform == "linux" else "spawn")
    assert report.cell["framework"] == "toy"
    assert report.cell["started"].endswith("Z")
    assert report.cell["seconds"] > 0


def test_a_target_never_writes_on_our_output(targets: Path) -> None:
    """Rule 14: by either launcher, standard output holds one document and nothing else."""
    program = targets / "toy" / "agent.py"
    program.write_text(
        'import os\nprint("mine", flush=True)\nos.write(2, b"mine")\nos.system("echo mine")' + AGENT
    )
    for launcher in ("auto", "spawn"):
        arguments = ("--targets", targets, "--target", "toy", "--launcher", launcher, "--json")
        ended = command_line(*arguments, "--scenario", "kill-mid-tool")
        assert "mine" not in ended.stderr
        assert len(json.loads(ended.stdout)["results"]) == 2


def test_results_without_controls_are_announced(targets: Path) -> None:
    """A folder of targets without controls is taken, and said to have none."""
    arguments = ("--target", "toy", "--scenario", "kill-mid-tool", "--targets", targets)
    assert "stand without controls" in command_line(*arguments).stderr
    shutil.copytree(TARGETS / "control", targets / "control")
    assert command_line(*arguments).stderr == ""


def test_no_control_is_among_the_targets() -> None:
    """They are not run by default, and no table has a row for them."""
    from plugpull.cli import _names

    assert "control" not in _names(TARGETS)
    assert HERE.name not in _names(TARGETS)
