"""Saved states: kept byte for byte, found again, and refused when they are not what was saved."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from plugpull.errors import PlugpullError, UsageError
from plugpull.provider_calls import Call
from plugpull.saved_states import Origin, SavedState, find_states, read_state
from plugpull.state_files import keep_state, restore, save_state

ORIGIN = Origin(
    framework="toy",
    version="1.0",
    python="3.13.0",
    variant="sync+no-key",
    point="paused",
    recorded="2026-11-29T12:00:00Z",
    expected=("charge_card", "finish_order"),
    stored={"user": 1},
    program="abc",
)
CALLS = (Call("charge_card", "order-42", 7, "start", recorded=True),)


def work_folder(folder: Path) -> Path:
    """What an agent may leave behind: a program, a link, an empty folder, and a hidden one."""
    work = folder / "work"
    (work / "empty" / "inside").mkdir(parents=True)
    (work / ".git").mkdir()
    (work / ".git" / "HEAD").write_text("ref: main\r\n")
    (work / "state.bin").write_bytes(bytes(range(256)))
    (work / "run.sh").write_text("#!/bin/sh\n")
    (work / "run.sh").chmod(0o755)
    (work / "newest").symlink_to("state.bin")
    return work


@pytest.fixture
def state(tmp_path: Path) -> SavedState:
    """A state where it stays, below a folder of states."""
    save_state(tmp_path / "half", work_folder(tmp_path), ORIGIN, CALLS)
    place = tmp_path / "states" / "toy-1.0-py3.13" / "sync+no-key" / "paused"
    keep_state(read_state(tmp_path / "half"), place, {"verdict": "PASS", "outcome": "held"})
    return read_state(place)


def test_a_state_is_read_as_it_was_written(state: SavedState, tmp_path: Path) -> None:
    """Who wrote it, what the provider had seen, and what its own version came to."""
    (found,) = find_states([tmp_path / "states"], "toy")
    assert found == state
    assert found.origin == ORIGIN
    assert [(one.effect, one.key, one.recorded) for one in found.calls] == [
        ("charge_card", "order-42", True)
    ]
    assert found.calls[0].phase == "saved"
    assert found.same_version == {"verdict": "PASS", "outcome": "held"}
    assert found.minor == "3.13"


def test_it_is_restored_byte_for_byte(state: SavedState, tmp_path: Path) -> None:
    """Also after version control has dropped empty folders and the right to execute."""
    shutil.rmtree(state.work / "empty")
    (state.work / "run.sh").chmod(0o600)
    (found,) = find_states([tmp_path / "states"], "toy")
    new = tmp_path / "new"
    new.mkdir()
    restore(found, new)
    assert (new / "state.bin").read_bytes() == bytes(range(256))
    assert (new / ".git" / "HEAD").read_bytes() == b"ref: main\r\n"
    assert (new / "empty" / "inside").is_dir()
    assert (new / "newest").readlink() == Path("state.bin")
    assert (new / "run.sh").stat().st_mode & 0o100


def test_an_earlier_state_in_its_place_is_replaced(state: SavedState, tmp_path: Path) -> None:
    """Nothing of it is left, and nothing beside it."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "only").touch()
    save_state(tmp_path / "second", tmp_path / "other", ORIGIN, ())
    keep_state(read_state(tmp_path / "second"), state.folder, {})
    assert sorted(path.name for path in state.folder.parent.iterdir()) == ["paused"]
    assert [path.name for path in state.work.iterdir()] == ["only"]


def test_the_old_path_in_a_state_is_seen(tmp_path: Path) -> None:
    """In a file or in a link; a state is restored to another path."""
    for name in ("neither", "file", "link"):
        work = tmp_path / name / "work"
        work.mkdir(parents=True)
        if name == "file":
            (work / "config").write_text(f"store = {work}/db")
        if name == "link":
            (work / "newest").symlink_to(work / "config")
        save_state(tmp_path / name / "state", work, ORIGIN, ())
        assert read_state(tmp_path / name / "state").holds_its_path == (name != "neither")


def test_what_cannot_be_kept_is_refused(tmp_path: Path) -> None:
    """A socket holds nothing that another process could go on with."""
    work = tmp_path / "w"
    work.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(work / "s"))
        with pytest.raises(PlugpullError, match="s in its work folder is a socket"):
            save_state(tmp_path / "state", work, ORIGIN, ())
    assert not (tmp_path / "state").exists()


def change(name: str) -> Callable[[SavedState], None]:
    """One way of damaging a state."""

    def described(state: SavedState, /, **fields: object) -> None:
        path = state.folder / "state.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    return {
        "a byte": lambda state: (state.work / "state.bin").write_bytes(b"other"),
        "a line end": lambda state: (state.work / ".git" / "HEAD").write_text("ref: main\n"),
        "a file less": lambda state: (state.work / "state.bin").unlink(),
        "a file more": lambda state: (state.work / "more").touch(),
        "another format": lambda state: described(state, state=2),
        "no JSON": lambda state: (state.folder / "state.json").write_text("{"),
        "no version": lambda state: described(state, version=""),
        "calls that are none": lambda state: described(state, calls=[1]),
    }[name]  # type: ignore[return-value]


SAYS = {
    "a byte": "state.bin is not as it was saved",
    "a line end": "HEAD is not as it was saved",
    "a file less": "state.bin is not there",
    "a file more": "more is no part of the state",
    "another format": "is of format 2, and this plugpull reads 1",
    "no JSON": "is no saved state",
    "no version": "have to be texts",
    "calls that are none": "is no saved state",
}


@pytest.mark.parametrize("damage", SAYS)
def test_a_damaged_state_is_an_error(state: SavedState, tmp_path: Path, damage: str) -> None:
    """It is named before anything runs, and so is what to do."""
    change(damage)(state)
    with pytest.raises(UsageError, match=SAYS[damage]) as caught:
        find_states([tmp_path / "states"], "toy")
    assert "record" in caught.value.then
    assert str(state.folder) in caught.value.what


def test_folders_without_states(state: SavedState, tmp_path: Path) -> None:
    """One that is not there, one that is empty, and one with another framework's."""
    (tmp_path / "empty").mkdir()
    for place, framework, says in (
        ("nowhere", "toy", "there is no folder"),
        ("empty", "toy", "it holds no state"),
        ("states", "other", "it has states of toy"),
    ):
        with pytest.raises(UsageError) as caught:
            find_states([tmp_path / place], framework)
        assert says in str(caught.value)
    assert state.folder.is_dir()
