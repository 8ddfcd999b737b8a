"""A repository of the OpenAI Agents SDK, made from a release's sdist, with two branches.

The release stores input that was added to a paused run twice if the store's answer to the write got
lost: the retry cannot know that the write went through (openai/openai-agents-python#4775). ``fix``
lets it find out. ``too-simple`` forgets the input before it is written: then it is never stored
twice, and lost for good if the write did not go through.
"""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

from plugpull.matrix.git import git
from plugpull.matrix.index import index_url
from pypi_simple import PyPISimple

__all__ = ["PROJECT", "VERSION", "commit", "fetch_sdist", "make_repository"]

PROJECT = "openai-agents"
VERSION = "0.22.2"

_PERSISTENCE = "src/agents/run_internal/session_persistence.py"
_STATE = "src/agents/run_state.py"

_WRITES = """\
    if session is not None and server_conversation_tracker is None:
        await save_result_to_session(
            session,
            [],
            admission_items,
"""
_FORGETS = """\
    if server_conversation_tracker is None:
        run_state.clear_pending_input()

    return admission_items
"""

#: Where each branch changes what: file, old text, new text.
BRANCHES = {
    "fix": [
        (
            _PERSISTENCE,
            _WRITES,
            """\
    stored: list[TResponseInputItem] = []
    if session is not None and server_conversation_tracker is None:
        stored = await _session_get_items(session, wrapper=wrapper)
    # An earlier attempt failed, but its items may be stored all the same: then they stand right
    # behind what was stored before that attempt.
    begin = run_state._pending_input_begins_at
    written = begin is not None and [
        strip_internal_input_item_metadata(ensure_input_item_format(item))
        for item in stored[begin : begin + len(pending_input)]
    ] == [strip_internal_input_item_metadata(item) for item in pending_input]
    if not written:
        run_state._pending_input_begins_at = len(stored)
    if session is not None and server_conversation_tracker is None and not written:
        await save_result_to_session(
            session,
            [],
            admission_items,
""",
        ),
        (
            _PERSISTENCE,
            _FORGETS,
            """\
    if server_conversation_tracker is None:
        run_state.clear_pending_input()
        run_state._pending_input_begins_at = None

    return admission_items
""",
        ),
        (
            _STATE,
            """\
        self._pending_input = []
        self._nested""",
            """\
        self._pending_input = []
        self._pending_input_begins_at = None
        self._nested""",
        ),
        (
            _STATE,
            """\
    _pending_input: list[TResponseInputItem] = field(default_factory=list)
""",
            """\
    _pending_input_begins_at: int | None = None
    \"\"\"How many items the Session held before the staged input was first written to it.\"\"\"

    _pending_input: list[TResponseInputItem] = field(default_factory=list)
""",
        ),
        (
            _STATE,
            """\
            "pending_input": self._serialize_input(self._pending_input),
""",
            """\
            "pending_input": self._serialize_input(self._pending_input),
            "pending_input_begins_at": self._pending_input_begins_at,
""",
        ),
        (
            _STATE,
            """\
    pending_input_raw = state_json.get("pending_input", [])
""",
            """\
    state._pending_input_begins_at = state_json.get("pending_input_begins_at")
    pending_input_raw = state_json.get("pending_input", [])
""",
        ),
    ],
    "too-simple": [
        (
            _PERSISTENCE,
            _WRITES,
            """\
    if server_conversation_tracker is None:
        run_state.clear_pending_input()
"""
            + _WRITES,
        ),
    ],
}


def make_repository(folder: Path) -> Path:
    """The repository, with the release on ``main`` and a branch for each of the two changes."""
    sdist = fetch_sdist(folder)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    top = folder / sdist.name.removesuffix(".tar.gz")
    git(["init", "--quiet", "--initial-branch", "main"], cwd=top, doing="init")
    commit(top, "As released")
    for branch, changes in BRANCHES.items():
        git(["checkout", "--quiet", "-b", branch, "main"], cwd=top, doing="branch")
        for name, old, new in changes:
            text = (top / name).read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{name} has changed: {old}"
            (top / name).write_text(text.replace(old, new), encoding="utf-8")
        commit(top, branch)
    git(["checkout", "--quiet", "main"], cwd=top, doing="checkout")
    return top


def fetch_sdist(folder: Path) -> Path:
    """The release's own sources, from the index that uv installs from."""
    with PyPISimple(index_url(os.environ)) as client:
        files = client.get_project_page(PROJECT).packages
        file = next(f for f in files if f.version == VERSION and f.package_type == "sdist")
        client.download_package(file, folder / file.filename)
    return folder / file.filename


def commit(top: Path, message: str) -> str:
    """Commit everything there is; the commit's name."""
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
    git(["add", "--all"], cwd=top, doing="add")
    git([*who, "commit", "--quiet", "-m", message], cwd=top, doing="commit")
    return git(["rev-parse", "HEAD"], cwd=top, doing="rev-parse").strip()
