from __future__ import annotations

import contextlib
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from planned import checkout

CHECKOUT = Path(__file__).parents[2]
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
#: Nobody answers there: whoever asks has an error within a moment.
NO_NETWORK = {"UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple"}
#: Seconds in which everything that was started must be gone.
GONE_WITHIN = 20.0

MATRIX = f"""
[matrix]
python = ["{HERE}"]

[framework.toy]
versions = ["1.0", "1.1", "latest"]
"""


class _Index(http.server.BaseHTTPRequestHandler):
    """Tells the planner of toy-slim 1.0 and 1.1. uv is kept waiting until the test is over."""

    over = threading.Event()

    def do_GET(self) -> None:
        if "uv/" in self.headers.get("User-Agent", ""):
            self.over.wait()
            return
        files = [
            {
                "filename": f"toy_slim-{version}-py3-none-any.whl",
                "url": "x.whl",
                "hashes": {},
                "upload-time": "2026-01-01T00:00:00Z",
            }
            for version in ("1.0", "1.1")
        ]
        page = {"meta": {"api-version": "1.1"}, "name": "toy-slim", "files": files}
        self.send_response(200 if self.path == "/simple/toy-slim/" else 404)
        self.send_header("Content-Type", "application/vnd.pypi.simple.v1+json")
        self.end_headers()
        self.wfile.write(json.dumps(page).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def index() -> Iterator[dict[str, str]]:
    """The variables that lead to an index of our own."""
    handler = type("Index", (_Index,), {"over": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield {"UV_DEFAULT_INDEX": f"http://127.0.0.1:{server.server_port}/simple"}
    handler.over.set()  # type: ignore[attr-defined]
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with our noxfile and harness, and with targets of its own."""
    checkout(tmp_path, MATRIX)
    shutil.copy(CHECKOUT / "noxfile.py", tmp_path)
    (tmp_path / "harness").symlink_to(CHECKOUT / "harness")
    return tmp_path


def environment(**variables: str) -> dict[str, str]:
    """The environment of a user's shell, without what this run of nox or pytest put there."""
    drop = re.compile(r"NOX|PLUGPULL_|UV_|PIP_INDEX|CI$|COLUMNS|FORCE_COLOR|PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not drop.match(name)}
    return {**kept, "NOX_SCRIPT_MODE": "none", "UV_NO_CACHE": "1", **variables}


def nox(root: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run nox in a checkout."""
    return subprocess.run(
        [sys.executable, "-m", "nox", *arguments],
        cwd=root,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_header_asks_for_what_the_package_declares() -> None:
    """The script header of the noxfile equals the extra `matrix`, and nox itself."""

    def quoted(text: str) -> set[str]:
        lines = [line.strip(" #,") for line in text.splitlines()]
        return {line[1:-1] for line in lines if line.startswith('"')}

    noxfile = (CHECKOUT / "noxfile.py").read_text(encoding="utf-8")
    project = (CHECKOUT / "harness" / "pyproject.toml").read_text(encoding="utf-8")
    header = quoted(noxfile.partition("# dependencies = [")[2].partition("# ]")[0])
    extra = quoted(project.partition("\nmatrix = [")[2].partition("\n]")[0])
    assert header == {*extra, "nox>=2026.10"}
    assert len(header) > 3


def test_listing_needs_no_network(root: Path) -> None:
    """`nox -l` shows what there is, open entries by their own name, without asking anybody."""
    done = nox(root, "-l", **NO_NETWORK)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert f"- toy-1.0-py{HERE} [toy,py{HERE}] -> toy 1.0 on Python {HERE}" in lines
    assert f"- toy-latest-py{HERE} [toy,py{HERE},latest] -> toy latest on Python {HERE}" in lines
    order = [line.split()[1] for line in lines if line.startswith(("* ", "- "))]
    assert order[:7] == ["matrix", "list", "collect", "record", "docs", "tests", "lint"]
    assert "bisect" in order
    assert [line.split()[1] for line in lines if line.startswith("* ")] == ["matrix"]
    assert not (root / ".plugpull").exists()


def test_every_session_says_what_it_does() -> None:
    """The list of our own checkout reads like a table of contents: a sentence for each session."""
    done = nox(CHECKOUT, "-l", **NO_NETWORK)
    assert done.returncode == 0, done.stderr
    listed = [line for line in done.stdout.splitlines() if line.startswith(("* ", "- "))]
    assert len(listed) > 40
    assert all(" -> " in line for line in listed)


@pytest.mark.parametrize(
    ("arguments", "marked"),
    [
        (["-p", HERE], {f"toy-{v}-py{HERE}" for v in ("1.0", "1.1", "latest")}),
        (["-t", "toy"], {f"toy-{v}-py{HERE}" for v in ("1.0", "1.1", "latest")}),
        (["-k", "toy and latest"], {f"toy-latest-py{HERE}"}),
    ],
)
def test_python_tag_and_keyword_choose_cells(
    arguments: list[str], marked: set[str], root: Path
) -> None:
    """Nox's own ways of choosing find the cells' sessions, and only those."""
    done = nox(root, "-l", *arguments, **NO_NETWORK)
    lines = done.stdout.splitlines()
    assert {line.split()[1] for line in lines if line.startswith("* ")} == marked


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-s", "matrix", "--", "--only", "toi"], "--only toi: nothing matches"),
        (["-s", "matrix", "--", "--python", "3.98"], "--python 3.98"),
        (["-s", "matrix", "--", "--speed", "9"], "unrecognized arguments: --speed 9"),
        (["-s", "matrix", "--", "--matrix", "no.toml"], "no.toml cannot be read"),
        (["-s", "matrix", "-p", HERE], f"nox -s matrix -- --python {HERE}"),
        (["-s", f"toy-1.2-py{HERE}"], f"there is no session toy-1.2-py{HERE}"),
        (["-s", "matirx"], 'did you mean "matrix"?'),
    ],
)
def test_a_mistake_ends_nox_before_any_session(
    arguments: list[str], words: str, root: Path, index: dict[str, str]
) -> None:
    """What is known to be wrong before the first session is one clear error with exit code 2."""
    done = nox(root, *arguments, **index)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "session" not in done.stdout.lower()
    assert not (root / "results").exists()


def test_a_mistake_in_the_declaration_ends_nox(root: Path) -> None:
    """A number where a version belongs is refused before anything is looked up or installed."""
    (root / "matrix.toml").write_text(MATRIX.replace(f'"{HERE}"', HERE), encoding="utf-8")
    for arguments in (["-l"], ["-s", "matrix"], ["-s", "list"]):
        done = nox(root, *arguments, **NO_NETWORK)
        assert done.returncode == 2
        assert f'write "{HERE}" with quotes' in done.stderr
        assert "[matrix] python[0]" in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"kill-mid-tool": {}', '"kill-mid-tol": {}', "there is no scenario 'kill-mid-tol'"),
        ('"program":', '"programme":', "unknown key 'programme'"),
        ('"agent.py"', '"agnt.py"', "agnt.py is not there"),
    ],
)
def test_a_mistake_in_a_manifest_ends_nox_before_any_session(
    old: str, new: str, words: str, root: Path, index: dict[str, str]
) -> None:
    """No environment is made for a target that cannot run: the file and the key are named."""
    manifest = root / "targets" / "toy" / "target.json"
    text = manifest.read_text(encoding="utf-8")
    assert text.count(old) == 1
    manifest.write_text(text.replace(old, new), encoding="utf-8")
    done = nox(root, "-s", "matrix", **index)
    assert done.returncode == 2
    assert f"{manifest}: " in done.stderr
    assert words in done.stderr
    assert "docs/add-a-target.md" in done.stderr
    assert "session" not in done.stdout.lower()
    assert not (root / ".plugpull" / "envs").exists()


def test_no_network_is_one_clear_error(root: Path) -> None:
    """Where the index cannot be asked, the error names it and says what to look at."""
    done = nox(root, "-s", "matrix", **NO_NETWORK)
    assert done.returncode == 2
    assert "cannot be looked up at http://127.0.0.1:9/simple" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("content", "wrong"), [(None, "no such file"), ('{"schema": 9}', "schema 9")]
)
def test_a_baseline_that_cannot_be_read_stops_everything(
    root: Path, content: str | None, wrong: str
) -> None:
    """Known before any session: exit code 2, one sentence, and nothing was asked or run."""
    if content is not None:
        (root / "baseline.json").write_text(content, encoding="utf-8")
    done = nox(root, "-s", "matrix", "--", "--compare", "baseline.json", **NO_NETWORK)
    assert done.returncode == 2
    assert "--compare: " in done.stderr
    assert wrong in done.stderr
    assert "Traceback" not in done.stderr
    assert not (root / "results").exists()


@pytest.mark.parametrize(
    ("posargs", "words"),
    [
        ("toy kill-mid-tool --from 0.9", "no such release\n  next: next to it are: 1.0"),
        ("toy kill-mid-tool --from 1.1 --to 1.0", "--from 1.1 is newer than --to 1.0"),
        ("toy kill-mid-tool", "the following arguments are required: --from"),
        ("toy kill-tool-mid --from 1.0", 'did you mean "kill-mid-tool"?'),
        ("toy kill-mid-tool --path nowhere --from v1", "there is no"),
    ],
)
def test_a_search_that_cannot_begin_is_one_clear_error(
    posargs: str, words: str, root: Path, index: dict[str, str]
) -> None:
    """`nox -s bisect` ends with 2, says why in one sentence, and leaves nothing behind."""
    done = nox(root, "-s", "bisect", "--", *posargs.split(), **index)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert not (root / "results").exists()


def test_a_search_without_network_is_one_clear_error(root: Path) -> None:
    """As for the matrix."""
    done = nox(root, "-s", "bisect", "--", "toy", "kill-mid-tool", "--from", "1.0", **NO_NETWORK)
    assert done.returncode == 2
    assert "cannot be looked up at http://127.0.0.1:9/simple" in done.stderr
    assert "Traceback" not in done.stderr


def test_there_is_no_baseline_of_nothing(root: Path, index: dict[str, str]) -> None:
    """`nox -s record` without a run says what to do, with exit code 2."""
    done = nox(root, "-s", "record", **index)
    assert done.returncode == 2, done.stderr
    assert "no baseline was recorded" in done.stderr
    assert "nox -s matrix" in done.stderr
    assert not (root / "baseline.json").exists()


def test_a_mistake_in_the_expectations_ends_nox(root: Path, index: dict[str, str]) -> None:
    """An entry about a variant that is not there is refused before anything runs."""
    entry = {
        "framework": "toy",
        "versions": "*",
        "scenario": "kill-mid-tool",
        "variant": "sync+nokey",
        "fault-point": "after-effect",
        "kind": "expected failure",
        "verdict": "FAIL",
        "reason": "documented",
        "link": "https://example.org",
    }
    lines = ["[[expect]]", *(f'{key} = "{value}"' for key, value in entry.items())]
    (root / "expectations.toml").write_text("\n".join(lines), encoding="utf-8")
    done = nox(root, "-s", "matrix", **index)
    assert done.returncode == 2
    assert "expectations.toml: [[expect]] number 1 matches nothing" in done.stderr
    assert 'did you mean "sync+no-key"?' in done.stderr
    assert not (root / "results").exists()
    assert nox(root, "-l", **NO_NETWORK).returncode == 0


def test_results_that_cannot_be_written_stop_everything(root: Path, index: dict[str, str]) -> None:
    """Found out before any cell runs, and not after the last one."""
    (root / "taken").touch()
    done = nox(root, "-s", "matrix", "--", "--results", "taken/results", **index)
    assert done.returncode == 2
    assert "taken/results cannot be written to" in done.stderr
    assert "Traceback" not in done.stderr


def test_list_shows_every_cell_and_why(root: Path, index: dict[str, str]) -> None:
    """`nox -s list` resolves, and prints scheduled and other cells alike."""
    text = MATRIX.replace('"1.0"', '"9.9"').replace(f'["{HERE}"]', f'["{HERE}", "3.98"]')
    (root / "matrix.toml").write_text(text, encoding="utf-8")
    done = nox(root, "-s", "list", **index)
    assert done.returncode == 0, done.stderr
    assert re.search(rf"toy-1.1-py{HERE} +scheduled .*latest is 1.1", done.stdout)
    assert re.search(r"toy-1.1-py3.98 +not run .*python3.98 not found", done.stdout)
    assert re.search(rf"toy-9.9-py{HERE} +scheduled .*no release 9.9; the newest", done.stdout)


@pytest.mark.parametrize("ci", [{}, {"CI": "1"}, {"CI": "true"}])
def test_a_missing_python_is_shown_and_is_never_green(
    ci: dict[str, str], root: Path, index: dict[str, str]
) -> None:
    """The table shows the cell as not run, and the exit code is 2, whatever CI says."""
    text = MATRIX.replace(f'["{HERE}"]', '["3.98"]')
    (root / "matrix.toml").write_text(text, encoding="utf-8")
    done = nox(root, "-s", "matrix", **index, **ci)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "python3.98 not found" in done.stdout
    matrix = json.loads((root / "results" / "matrix.json").read_text(encoding="utf-8"))
    assert "python3.98 not found" in json.dumps(matrix)
    again = nox(root, "-s", "collect", **NO_NETWORK, **ci)
    assert again.returncode == 2
    assert "python3.98 not found" in again.stdout


def test_a_cell_that_cannot_run_is_no_session(root: Path, index: dict[str, str]) -> None:
    """Asking for it by name is an error with its reason, not a session that does nothing."""
    text = MATRIX.replace(f'["{HERE}"]', f'["{HERE}", "3.98"]').replace('"1.0"', '">=7"')
    (root / "matrix.toml").write_text(text, encoding="utf-8")
    missing = nox(root, "-s", "toy-latest-py3.98", **index)
    assert (missing.returncode, "python3.98 not found" in missing.stderr) == (2, True)
    wrong = nox(root, "-s", f"toy->=7-py{HERE}", **index)
    assert (wrong.returncode, "no release of toy-slim fits" in wrong.stderr) == (2, True)


def _table() -> dict[int, tuple[int, str]]:
    """Every process: its parent and its command line."""
    out = subprocess.run(
        ["ps", "-A", "-o", "pid=,ppid=,state=,args="], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.split(None, 3) for line in out.splitlines()]
    return {int(r[0]): (int(r[1]), r[3]) for r in rows if len(r) == 4 and r[2][0] != "Z"}


def _tree(root_pid: int) -> dict[int, str]:
    """A process and all that descend from it, with their command lines."""
    table = _table()
    tree = {root_pid} & table.keys()
    while True:
        more = {pid for pid, (parent, _) in table.items() if parent in tree} - tree
        if not more:
            return {pid: table[pid][1] for pid in tree}
        tree |= more


@contextlib.contextmanager
def running_matrix(root: Path, index: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """`nox -s matrix` with two cells, both of them waiting for uv, in a group of its own."""
    process = subprocess.Popen(
        [sys.executable, "-m", "nox", "-s", "matrix", "-j", "2"],
        cwd=root,
        env=environment(**index),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 60
        while sum("pip compile" in args for args in _tree(process.pid).values()) < 2:
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize(
    ("number", "to_group", "code"),
    [
        (signal.SIGINT, True, 130),
        (signal.SIGINT, False, 130),
        (signal.SIGTERM, False, 143),
        (signal.SIGHUP, False, 129),
        (signal.SIGKILL, False, -9),
    ],
)
def test_nothing_outlives_the_run(
    number: signal.Signals, to_group: bool, code: int, root: Path, index: dict[str, str]
) -> None:
    """However nox is ended, its cells and their uv end with it, and every file is whole."""
    with running_matrix(root, index) as process:
        before = _tree(process.pid)
        assert len(before) >= 5  # nox, two sessions, two uv
        (os.killpg if to_group else os.kill)(process.pid, number)
        process.wait(GONE_WITHIN)
        assert process.returncode == code
        deadline = time.monotonic() + GONE_WITHIN
        while left := before.keys() & _table().keys():
            table = _table()
            assert time.monotonic() < deadline, [table.get(pid) for pid in left]
            time.sleep(0.05)
    if number != signal.SIGKILL:
        assert not list(root.glob(".plugpull/plans/*"))
    for path in root.glob("results/cells/*"):
        assert json.loads(path.read_text(encoding="utf-8"))["cell"]["stage"] == "interrupted"
