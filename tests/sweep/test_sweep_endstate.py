"""The end state: what is part of it, what is not, its hash, and how a difference is told."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from plugpull.differences import compare_outputs, compare_trees
from plugpull.endstate import ALWAYS_IGNORED, EMPTY, Entry, snapshot, tree_hash

NOBODY = 65534


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text("print(1)\n")
    (tmp_path / "README").write_text("read me\n")
    return tmp_path


def hash_of(root: Path, *ignore: str) -> str:
    """The hash of a folder."""
    return tree_hash(snapshot(root, ignore))


# -- what counts -----------------------------------------------------------------------------------


def change_content(root: Path) -> None:
    """Other words."""
    (root / "README").write_text("read it\n")


def rename(root: Path) -> None:
    """Another name."""
    (root / "README").rename(root / "README.md")


def move(root: Path) -> None:
    """Another folder."""
    (root / "README").rename(root / "src" / "README")


def add_file(root: Path) -> None:
    """A file without content."""
    (root / "empty").touch()


def add_folder(root: Path) -> None:
    """A folder without content."""
    (root / "empty").mkdir()


def make_executable(root: Path) -> None:
    """Its owner may run it."""
    (root / "src" / "a.py").chmod(0o744)


def make_link(root: Path) -> None:
    """A link to a file with other content."""
    (root / "README").unlink()
    (root / "README").symlink_to("src/a.py")


def make_pipe(root: Path) -> None:
    """Something that is not even a file."""
    (root / "README").unlink()
    os.mkfifo(root / "README")


@pytest.mark.parametrize(
    "change",
    [
        *(change_content, rename, move, add_file, add_folder),
        *(make_executable, make_link, make_pipe),
    ],
)
def test_what_is_part_of_the_end_state(root: Path, change: Callable[[Path], None]) -> None:
    """E14: contents, relative names, empty folders, the executable bit, kinds."""
    before = hash_of(root)
    change(root)
    assert hash_of(root) != before


def test_times_owners_and_other_bits_are_no_part_of_it(root: Path) -> None:
    """E14: neither is the number of an inode."""
    before = hash_of(root)
    os.utime(root / "README", (1, 1))
    copy = root / "copy"
    copy.write_bytes((root / "README").read_bytes())
    copy.replace(root / "README")
    (root / "README").chmod(0o640)
    if os.geteuid() == 0:
        os.chown(root / "README", NOBODY, NOBODY)
    assert hash_of(root) == before


def test_the_place_of_the_tree_is_no_part_of_it(tmp_path: Path) -> None:
    """E14: names are relative."""
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "file").write_text("x")
    assert hash_of(tmp_path / "one") == hash_of(tmp_path / "two")


def test_links_are_read_and_not_followed(tmp_path: Path) -> None:
    """E14: what counts is their text; one that leads nowhere, or in a circle, is no trouble."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").touch()
    (tmp_path / "folder").symlink_to("real")
    assert list(snapshot(tmp_path)) == ["folder", "real/file"]
    (tmp_path / "loop").symlink_to(".")
    (tmp_path / "nowhere").symlink_to("/no/such/place")
    found = snapshot(tmp_path)
    kinds = {path: entry.kind for path, entry in found.items() if entry.kind == "link"}
    assert list(kinds) == ["folder", "loop", "nowhere"]
    (tmp_path / "nowhere").unlink()
    (tmp_path / "nowhere").symlink_to("/no/other/place")
    assert snapshot(tmp_path) != found


@pytest.mark.parametrize("name", ALWAYS_IGNORED)
@pytest.mark.parametrize("folder", [True, False])
def test_what_tools_leave_is_left_out(root: Path, name: str, folder: bool) -> None:
    """E14: as folders and as files, at any depth."""
    before = hash_of(root)
    for place in (root / name, root / "src" / name):
        if folder:
            place.mkdir()
            (place / "inside").touch()
        else:
            place.touch()
    assert hash_of(root) == before


@pytest.mark.parametrize("pattern", ["*.db", "data/run.db", "data/*", "data", "data/", "run.*"])
def test_what_the_user_leaves_out(root: Path, pattern: str) -> None:
    """By name or by path. A folder of which all is left out is there, as an empty one."""
    (root / "data").mkdir()
    empty = hash_of(root, pattern)
    (root / "data" / "run.db").touch()
    assert hash_of(root, pattern) == empty
    assert hash_of(root) != hash_of(root, pattern)


@pytest.mark.parametrize("name", ["README", "nothing"])
def test_only_a_folder_has_an_end_state(root: Path, name: str) -> None:
    """E14."""
    with pytest.raises(NotADirectoryError):
        snapshot(root / name)


# -- the hash --------------------------------------------------------------------------------------


def test_the_order_in_which_a_folder_is_read_plays_no_part(tmp_path: Path) -> None:
    """E24: no file system that happens to sort is needed to see an unsorted walk."""
    for name in reversed("abcdefghij"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x").touch()
    found = snapshot(tmp_path)
    assert list(found) == [f"{name}/x" for name in "abcdefghij"]
    backwards = dict(reversed(found.items()))
    assert tree_hash(backwards) == tree_hash(found)


def test_two_trees_never_run_together(tmp_path: Path) -> None:
    """E24: without lengths, the empty folders a and b are the empty folder afolderb."""
    for name in ("one/a", "one/b", "two/afolderb"):
        (tmp_path / name).mkdir(parents=True)
    assert hash_of(tmp_path / "one") != hash_of(tmp_path / "two")


def test_the_parts_of_an_entry_never_run_together() -> None:
    """A name that ends as a kind begins is a name."""
    assert tree_hash({"a": Entry("file", "b")}) != tree_hash({"af": Entry("ile", "b")})
    assert tree_hash({"a": Entry("file", "b")}) != tree_hash({"a": Entry("fileb", "")})


def test_the_hash_stays_as_it_is(tmp_path: Path) -> None:
    """Results are compared over years."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("run")
    (tmp_path / "run").write_text("#!/bin/sh\n")
    (tmp_path / "run").chmod(0o755)
    assert hash_of(tmp_path) == ("590d554ed896386649f7f88e4d00ffe399b369395e8be598d5d110eaa0a9c36c")


# -- strange trees ---------------------------------------------------------------------------------


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """It is hashed by its bytes."""
    name = os.fsdecode(b"na\xefve")
    try:
        (tmp_path / name).touch()
    except OSError:
        pytest.skip("this file system has names of text only")
    found = snapshot(tmp_path)
    assert list(found) == [name]
    assert tree_hash(found)


def test_sockets_and_pipes_are_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading one would wait for ever."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
    assert snapshot(tmp_path) == {"pipe": Entry("pipe"), "socket": Entry("socket")}


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """As somebody who may not read everything, if we may."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_may_not_be_read_is_there_all_the_same(tmp_path: Path) -> None:
    """A file and a folder; neither is a reason to stop."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == os.geteuid() and folder.parent != folder:
            folder.chmod(folder.stat().st_mode | 0o055)
    (tmp_path / "file").touch(mode=0)
    (tmp_path / "folder").mkdir(mode=0)
    with without_privileges():
        found = snapshot(tmp_path)
    (tmp_path / "folder").chmod(0o700)
    assert found == {"file": Entry("unreadable file"), "folder": Entry("unreadable folder")}


def test_folders_nested_deeper_than_python_nests_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As far as paths go, and no further."""
    monkeypatch.chdir(tmp_path)
    for _ in range(1100):
        Path("d").mkdir()
        os.chdir("d")
    Path("end").touch()
    (path,) = snapshot(tmp_path)
    assert path == "d/" * 1100 + "end"
    # Not every Python's shutil.rmtree gets as deep.
    os.chdir(tmp_path)
    subprocess.run(["rm", "-r", "d"], check=True)


def test_a_large_file_is_read_in_blocks(tmp_path: Path) -> None:
    """Its last byte counts, and its size is told."""
    file = tmp_path / "large"
    with file.open("wb") as stream:
        stream.truncate(5 * 1024 * 1024)
    before = snapshot(tmp_path)["large"]
    with file.open("r+b") as stream:
        stream.seek(-1, os.SEEK_END)
        stream.write(b"x")
    after = snapshot(tmp_path)["large"]
    assert before != after
    assert after.size == 5 * 1024 * 1024
    assert after.text is None


def test_a_file_that_grows_has_an_end(tmp_path: Path) -> None:
    """It is read as far as it went when it was opened."""
    stop = threading.Event()

    def grow() -> None:
        with (tmp_path / "log").open("ab", buffering=0) as stream:
            while not stop.is_set():
                stream.write(b"x" * 65536)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        found = snapshot(tmp_path)
    finally:
        stop.set()
        writer.join()
    assert found.get("log", Entry("file")).kind == "file"


# -- how a difference is told ----------------------------------------------------------------------


def told(old: str | bytes, new: str | bytes, folder: Path) -> list[str]:
    """What is said about a file whose content was ``old`` and is ``new``."""
    trees = []
    for content in (old, new):
        (folder / "f").write_bytes(content if isinstance(content, bytes) else content.encode())
        trees.append(snapshot(folder))
    return [one.text for one in compare_trees(*trees)]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("a\nb\n", "a\nc\n", 'differs: f, line 2: "c" instead of "b"'),
        ("a\nb\n", "a\nb\nc\n", 'differs: f, line 3: "c" instead of ""'),
        ("a\nb", "a\nb\nc", 'differs: f goes on with line 3: "c"'),
        ("a\nb\nc", "a\nb", 'differs: f ends before line 3, which was "c"'),
        ("same", "same more", 'differs: f, line 1: "same more" instead of "same"'),
        (b"\xff\x00", b"\xff\x01\x02", "differs: f (3 bytes instead of 2)"),
        (b"\xff\x00", b"\xff\x01", "differs: f (2 other bytes)"),
        ("a", "", "missing: all of f, which is empty"),
    ],
)
def test_a_difference_is_told_in_one_line(
    tmp_path: Path, old: str | bytes, new: str | bytes, text: str
) -> None:
    """The first line that differs, where it is text."""
    assert told(old, new, tmp_path) == [text]


def test_a_difference_far_into_a_long_line_is_in_what_is_shown(tmp_path: Path) -> None:
    """JSON has one line; a line is cut, and not before the place in question."""
    (line,) = told("x" * 500 + "old" + "y" * 500, "x" * 500 + "new" + "y" * 500, tmp_path)
    assert "xnewy" in line
    assert "xoldy" in line
    assert len(line) < 200


def test_what_is_compared_by_name_has_to_be_there_and_hold_something() -> None:
    """Of the same kind, and not empty unless it was; a gap that is only a loss says so."""
    full, other, empty = Entry("file", "1"), Entry("file", "2"), Entry("file", EMPTY)
    assert compare_trees({"f": full}, {"f": other}, ["f"]) == []
    assert compare_trees({"f": empty}, {"f": empty}, ["f"]) == []
    assert compare_trees({"f": empty}, {"f": full}, ["f"]) == []
    for found, loss in [({}, True), ({"f": empty}, True), ({"f": Entry("program", "1")}, False)]:
        differing = compare_trees({"f": full}, found, ["f"])
        assert [one.loss for one in differing] == [loss]
    unexpected = compare_trees({}, {"f": full}, ["f"])
    assert [(one.text, one.loss) for one in unexpected] == [("unexpected: f", False)]


@pytest.mark.parametrize(
    ("old", "new", "texts", "loss"),
    [
        ({"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}, [], False),
        (1, True, ["differs: output is true instead of 1"], False),
        ("x", None, ['missing: output, which was "x"'], True),
        (None, "x", ['differs: output is "x" instead of null'], False),
        ({"a": 1}, {}, ["missing: output.a, which was 1"], True),
        ({}, {"a": 1}, ["unexpected: output.a, which is 1"], False),
        ({"a": [1, 2]}, {"a": [1, 3]}, ["differs: output.a[1] is 3 instead of 2"], False),
        ([1, 2], [1], ["missing: output[1], which was 2"], True),
        ({"a": {"b": 1}}, {"a": 2}, ['differs: output.a is 2 instead of {"b": 1}'], False),
    ],
)
def test_outputs_are_compared_by_place(
    old: object, new: object, texts: list[str], loss: bool
) -> None:
    """As JSON has them, to which 1 and true are two things."""
    differing = compare_outputs(old, new)
    assert [one.text for one in differing] == texts
    assert all(one.loss is loss for one in differing)
