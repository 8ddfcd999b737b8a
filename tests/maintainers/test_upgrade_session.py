"""`nox -s upgrade` and `nox -s record-states`, from the command line to the files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from plugpull.errors import PlugpullError
from plugpull.matrix.upgrade import record_states, upgrade
from plugpull.matrix.upgrade_work import keep
from toy_checkout import HERE, Checkout, make_checkout, only_once

pytestmark = only_once

POINTS = ("killed-before-effect", "killed-after-effect", "paused")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout with two versions of a framework."""
    return make_checkout(tmp_path_factory.mktemp("checkout"))


def test_the_table_of_all_pairs(toy: Checkout) -> None:
    """An upgrade goes on, a downgrade is refused, and each version goes on with its own."""
    done = toy.nox("-s", "upgrade", "--", "toy")
    assert done.returncode == 0, done.stderr
    data = json.loads((toy.root / "results" / "upgrade" / "toy.json").read_text())
    found = {
        (one["saved_by"], one["resumed_by"], one["kill_point"]): one["outcome"]
        for one in data["results"]
    }
    older, newer = "wheel.1.0", "wheel.2.0"
    for point in POINTS:
        assert found[older, older, point] == found[newer, newer, point] == "held"
        assert found[older, newer, point] == "held"
        assert found[newer, older, point] == "refused"
    assert "3 PASS, 3 refused, 0 FAIL, 0 ERROR" in done.stdout
    assert "saved by version 2.0, which is newer than 1.0" in done.stdout
    page = (toy.root / "results" / "upgrade" / "toy.md").read_text()
    assert "| wheel.2.0 | refused | (PASS) |" in page


def test_recorded_states_need_no_old_version(toy: Checkout) -> None:
    """They are kept as files; another version goes on with them, and only that is installed."""
    done = toy.nox("-s", "record-states", "--", "toy", "--versions", str(toy.wheel("2.0")))
    assert done.returncode == 0, done.stderr
    kept = toy.root / "states" / f"toy-wheel.2.0-py{HERE}" / "key"
    assert sorted(path.name for path in kept.iterdir()) == sorted(POINTS)
    assert (toy.root / "states" / ".gitattributes").read_text() == "* -text\n"
    assert f"3 states of toy are in {toy.root / 'states'}" in done.stdout
    done = toy.nox(
        *("-s", "upgrade", "--", "toy", "--versions", str(toy.wheel("1.0"))),
        *("--states", "states"),
    )
    assert done.returncode == 0, done.stderr
    assert "recorded states, gone on with by another: 0 PASS, 3 refused" in done.stdout
    assert "wheel.2.0-py3.13: " not in done.stderr


def test_a_version_that_cannot_be_installed_is_shown(toy: Checkout, tmp_path: Path) -> None:
    """As ERROR, with the reason, wherever it would have a part; the exit code is 2."""
    broken = tmp_path / "toyframework-3.0-py3-none-any.whl"
    broken.write_bytes(toy.wheel("2.0").read_bytes().replace(b"Version: 2.0\n", b"Version: 9.9\n"))
    done = toy.nox(
        *("-s", "upgrade", "--", "toy", "--versions", str(toy.wheel("1.0")), str(broken)),
        *("--results", str(tmp_path / "results")),
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_recording_that_fails_keeps_what_was_recorded(toy: Checkout, tmp_path: Path) -> None:
    """An hour without an index costs nothing."""
    kept = tmp_path / "states" / f"toy-wheel.1.0-py{HERE}" / "key" / "paused"
    kept.mkdir(parents=True)
    (kept / "state.json").write_text("{}")
    arguments = ["toy", "--versions", str(toy.wheel("1.0")), "--states", str(tmp_path / "states")]
    code = record_states([*arguments, "--timeout", "0.000001"], root=toy.root, cwd=toy.root)
    assert code == 2
    assert (kept / "state.json").read_text() == "{}"
    assert record_states(arguments, root=toy.root, cwd=toy.root) == 0
    assert (kept / "state.json").read_text() != "{}"
    assert sorted(path.name for path in kept.parent.iterdir()) == sorted(POINTS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tay"], 'did you mean "toy"?'),
        (["toy", "--pairs", "1.0"], "these are no two versions"),
        (["toy", "--states", "nowhere"], "there is no folder"),
        (["toy", "--states", "targets"], "it holds no state"),
        (["toy", "--states", "states", "--pairs", "all"], "exclude each other"),
        (["toy", "--versions", "./wheels/none.whl"], "No such file"),
        (["toy", "--variant", "kye"], 'did you mean "key"?'),
        (["toy", "--timeout", "soon"], "nox -s upgrade -- --help lists the options"),
    ],
)
def test_bad_input(toy: Checkout, arguments: list[str], says: str) -> None:
    """One clear error, before anything runs."""
    with pytest.raises(PlugpullError) as caught:
        upgrade(arguments, root=toy.root, cwd=toy.root)
    assert says in str(caught.value)


def test_a_folder_for_states_that_is_none(toy: Checkout) -> None:
    """The option that names another one is the one that named this one."""
    with pytest.raises(PlugpullError, match=r"(?s)cannot be written to.*--states DIR"):
        record_states(["toy", "--states", "noxfile.py"], root=toy.root, cwd=toy.root)


def test_a_state_that_cannot_be_kept_leaves_no_half(tmp_path: Path) -> None:
    """One reason in words, and nothing beside the states that are whole."""
    state = tmp_path / "new" / "key" / "paused"
    state.mkdir(parents=True)
    os.mkfifo(state / "no-file")
    with pytest.raises(PlugpullError, match=r"paused cannot be written: [^\[]+named pipe"):
        keep(tmp_path / "new", tmp_path / "states")
    assert list((tmp_path / "states" / "key").iterdir()) == []


def test_an_error_is_a_sentence_and_exit_code_2(toy: Checkout) -> None:
    """Through nox as well, and without a traceback."""
    done = toy.nox("-s", "upgrade", "--", "tay")
    assert done.returncode == 2
    assert "plugpull: there is no framework tay" in done.stderr
    assert "Traceback" not in done.stderr
