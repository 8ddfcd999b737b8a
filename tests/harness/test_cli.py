"""The command: what it accepts, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import plugpull
import pytest
from plugpull import cli
from support import TARGETS, command_line, tool


@pytest.fixture
def run(
    tmp_path: Path,
    in_process: Callable[..., int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., tuple[int, str, str]]:
    """Run the command in an empty folder: status, standard output, standard error."""
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)

    def call(*arguments: object) -> tuple[int, str, str]:
        try:
            status = in_process(*arguments)
        except SystemExit as ended:
            status = int(ended.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def results(output: str) -> list[dict[str, object]]:
    """The results of a JSON document."""
    data = json.loads(output)
    assert set(data) == {"schema", "results"}
    return list(data["results"])


# -- asked for wrongly -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "there is nothing to run here\n  why: "),
        (["--agent", ""], "--agent needs a command and got an empty one"),
        (["--agent", "   "], "--agent needs a command and got an empty one"),
        (["--agent", "a 'b"], "cannot be split into words: No closing quotation"),
        (["--agent", "true", "--agent", 'a "b'], "cannot be split into words"),
        (["--target", "langgraph"], "there are no targets here, so not langgraph either"),
        (["--targets", "/nowhere"], "/nowhere holds no targets"),
        (["--targets", str(TARGETS), "--target", "nope"], "there is no target 'nope' in"),
        (["--targets", str(TARGETS), "--target", ""], "there is no target '' in"),
        (
            ["--agent", "true", "--scenario", "lost-session-write"],
            "--agent cannot be asked for lost-session-write, only for",
        ),
        (["--agent", "true", "--agent", "true", "--report", "r"], "exactly one --target"),
        (["--agent", "true", "--report", "/proc/r"], "/proc/r cannot be written: "),
        (["--agent", "true", "--report", "/dev/null/r"], "/dev/null/r cannot be written: "),
        (["--agent", "true", "--report", "."], ". cannot be written: it is a folder"),
        (["--scenario", "nope"], "invalid choice: 'nope'"),
        (["--repeat", "0"], "'0' is not a whole number of at least 1"),
        (["--repeat", "-1"], "not a whole number"),
        (["--timing-repeat", "x"], "'x' is not a whole number"),
        (["--timeout", "0"], "'0' is not a number of seconds above 0"),
        (["--timeout", "nan"], "'nan' is not a number of seconds"),
        (["--timeout", "1e10"], "'1e10' is not a number of seconds above 0 and up to 31536000"),
        (["--timeout", "inf"], "'inf' is not a number of seconds"),
        (["--timeout", "soon"], "'soon' is not a number of seconds"),
        (["--writes", "some"], "invalid choice: 'some'"),
        (["--colour"], "unrecognized arguments: --colour"),
        (["agent.py"], "unrecognized arguments: agent.py"),
    ],
)
def test_what_cannot_be_meant_ends_with_2_before_anything_runs(
    run: Callable[..., tuple[int, str, str]],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    """P40: a sentence on standard error, an empty standard output, and no scratch folder."""
    monkeypatch.setattr(cli, "Lab", lambda **_: pytest.fail("something was run"))
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert "Traceback" not in err
    assert list(Path.cwd().iterdir()) == []


def test_where_there_is_nothing_to_run_it_says_what_to_do(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    """A newcomer's first command names the next one."""
    _, _, err = run()
    assert 'plugpull --agent "python agent.py"' in err
    assert "--targets DIR" in err


def test_windows_gets_one_sentence(
    run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 2, whatever was asked for."""
    monkeypatch.setattr(sys, "platform", "win32")
    status, out, err = run("--agent", "true")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "plugpull needs Linux or macOS" in err


def test_version_and_help(run: Callable[..., tuple[int, str, str]]) -> None:
    """P02, P37, P86: the version is below 0.1; the options are there, none of those left out."""
    status, out, _ = run("--version")
    assert (status, out) == (0, f"plugpull {plugpull.__version__}\n")
    assert plugpull.__version__.startswith("0.0.")
    status, out, _ = run("--help")
    assert status == 0
    for option in ("--json", "--strict", "--target", "--agent", "--timeout", "--repeat"):
        assert option in out
    for option in ("--start", "--resume", "--framework", "--shell"):
        assert option not in out


def test_the_command_and_the_module_are_the_same() -> None:
    """``plugpull`` beside ``python -m plugpull``."""
    command = Path(sys.executable).with_name("plugpull")
    if not command.exists():
        pytest.skip("the command is not installed beside this Python")
    ended = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    assert ended.stdout == command_line("--version").stdout


# -- agents ----------------------------------------------------------------------------------------


def test_agents_and_targets_run_in_the_order_given(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    """P37, P39, P82, P83: each repeatable; COMMAND as given; the same fields; no link."""
    first, second = tool("no-key"), "  ".join(tool("stable-key").split())
    status, out, err = run(
        *("--targets", TARGETS, "--variant", "no-key"),
        *("--agent", first, "--target", "control", "--agent", second),
        *("--scenario", "kill-mid-tool", "--json"),
    )
    assert (status, err) == (0, "")
    found = results(out)
    assert [(one["target"], one["verdict"]) for one in found] == [
        (first, "PASS"),
        (first, "FAIL"),
        (f"control {plugpull.__version__}", "PASS"),
        (f"control {plugpull.__version__}", "FAIL"),
        (second, "PASS"),
        (second, "PASS"),
    ]
    assert [set(one) for one in found] == [set(found[0])] * 6
    assert "http" not in out


def test_an_agent_without_a_target_runs_no_target(
    run: Callable[..., tuple[int, str, str]],
) -> None:
    """P39: although there are some."""
    _, out, _ = run("--targets", TARGETS, "--agent", tool("stable-key"), "--json")
    assert {one["target"] for one in results(out)} == {tool("stable-key")}


def test_no_shell_runs_the_command(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """P79, P81: split as a shell would, the verb comes last, each run has a new folder."""
    seen = tmp_path / "seen"
    words = ["$HOME", ";", "|", "a b", "*"]
    quoted = f"'$HOME' ';' '|' 'a b' '*' {seen}"
    status, out, _ = run("--agent", f"{tool('shows-itself')} {quoted}", "--json")
    assert status == 0
    assert [one["verdict"] for one in results(out)] == ["PASS", "FAIL"]
    lines = [json.loads(line) for line in seen.read_text().splitlines()]
    kind = ["shows-itself", *words, str(seen)]
    assert [line["argv"] for line in lines] == [
        [*kind, verb] for verb in ("start", "start", "resume", "start", "resume")
    ]
    assert [line["files"] for line in lines] == [[], [], ["checkpoint"], [], ["checkpoint"]]
    folders = [line["work"] for line in lines]
    assert folders[1] == folders[2] != folders[3] == folders[4]
    assert len(set(folders)) == 3
    assert {line["directory"] for line in lines} == {str(Path.cwd())}
    assert not any(Path(folder).exists() for folder in folders)


def test_an_agent_gets_an_environment_from_a_list(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule 14: seen from inside the agent, no key, nothing that changes Python, what is passed."""
    secret = {
        "OPENAI_API_KEY": "sk-1",
        "ANTHROPIC_API_KEY": "sk-2",
        "GITHUB_TOKEN": "t",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYENV_VERSION": "2.7",
        "VIRTUAL_ENV": "/nowhere",
        "PLUGPULL_STORE": "/nowhere",
        "LCD": "1",
    }
    passed = {"MY_SETTING": "1", "LC_TIME": "C", "TZ": "UTC", "UNSET_ELSEWHERE": ""}
    for name, value in {**secret, **passed}.items():
        monkeypatch.setenv(name, value)
    names = ("--pass-env", "MY_SETTING", "--pass-env", "UNSET_ELSEWHERE", "--pass-env", "MISSING")
    seen = tmp_path / "seen"
    run("--agent", tool("shows-itself", seen), *names)
    for line in seen.read_text().splitlines():
        environment = json.loads(line)["environment"]
        assert not set(secret) & set(environment)
        assert {name: environment[name] for name in passed} == passed
        assert environment["PLUGPULL_PYTHON"] == sys.executable
        assert "MISSING" not in environment
        assert environment["PATH"] == os.environ["PATH"]


# -- output ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "status", "noise"),
    [("noisy", 0, []), ("exits-early", 2, [1, 3]), ("resume-crashes", 0, [1, 3])],
)
def test_text_shows_standard_error_where_it_says_why(
    run: Callable[..., tuple[int, str, str]], kind: str, status: int, noise: list[int]
) -> None:
    """P45: never for PASS, nor for a FAIL whose resume exited 0; its output is never ours."""
    ended, out, err = run("--agent", tool(kind))
    lines = out.splitlines()
    assert (ended, err) == (status, "")
    assert [number for number, line in enumerate(lines) if "NOISE" in line] == noise
    assert all(lines[number] == "    | NOISE" for number in noise)
    assert len(lines) == 2 + len(noise)


@pytest.mark.parametrize(
    ("kind", "strict", "status"),
    [("no-key", False, 0), ("no-key", True, 1), ("stable-key", True, 0), ("never-calls", True, 2)],
)
def test_the_exit_status_of_a_run(
    run: Callable[..., tuple[int, str, str]], kind: str, strict: bool, status: int
) -> None:
    """P34: a FAIL is news and no failure of ours, unless --strict says so."""
    assert run("--agent", tool(kind), *(["--strict"] if strict else []))[0] == status


def test_repetitions_are_counted(run: Callable[..., tuple[int, str, str]]) -> None:
    """Rule 8: --repeat N tries each fault point N times and shows one result."""
    _, out, _ = run("--agent", tool("no-key"), "--repeat", "2", "--json")
    assert [one["runs"] for one in results(out)] == [
        {"PASS": 2, "FAIL": 0, "ERROR": 0},
        {"PASS": 0, "FAIL": 2, "ERROR": 0},
    ]


def test_progress_is_on_standard_error(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """One line a result as it comes; the report and standard output are as without it."""
    report = tmp_path / "report.json"
    _, out, err = run("--agent", tool("no-key"), "--progress", "--json", "--report", report)
    assert err.splitlines() == [
        "PASS  kill-mid-tool/default/before-effect",
        "FAIL  kill-mid-tool/default/after-effect",
    ]
    written = json.loads(report.read_text())
    assert written["results"] == results(out)
    assert set(written) == {"schema", "results", "cell", "not_supported"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "report.json"]


def test_a_report_that_fails_in_the_end_hides_no_result(
    run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The disk filled up meanwhile: everything is printed, and the status is 2."""
    monkeypatch.setattr(cli, "check_writable", lambda _: None)
    status, out, err = run("--agent", tool("stable-key"), "--report", tmp_path)
    assert status == 2
    assert [line[:4] for line in out.splitlines()] == ["PASS", "PASS"]
    assert "cannot be written" in err


def test_every_run_that_did_not_pass_is_kept(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """--keep: work folder and output, one folder a run, nothing of one over another's."""
    kept = tmp_path / "kept"
    agents = ["--agent", tool("no-key"), "--agent", tool("resume-does-nothing")]
    status, _, _ = run(*agents, "--keep", kept)
    assert status == 0
    names = sorted(path.name for path in kept.iterdir())
    assert names == [
        "kill-mid-tool-default-after-effect",
        "kill-mid-tool-default-after-effect-2",
        "kill-mid-tool-default-before-effect",
    ]
    for name in names:
        assert {path.name for path in (kept / name).iterdir()} == {"work", "ours"}
        assert (kept / name / "ours" / "resume.out").is_file()
    run(*agents, "--keep", kept)
    assert sorted(path.name for path in kept.iterdir()) == names


@pytest.mark.parametrize("kind", ["leaves-a-fifo", "leaves-a-locked-folder"])
def test_what_an_agent_leaves_can_be_kept_and_removed(
    run: Callable[..., tuple[int, str, str]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    """A pipe, or a folder that nobody may write to."""
    # Short, or the lab would go elsewhere: a socket's path has little room.
    scratch = Path(tempfile.mkdtemp(dir="/tmp"))
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    status, out, err = run("--agent", tool(kind), "--keep", tmp_path / "kept")
    assert (status, err) == (0, "")
    assert [line[:4] for line in out.splitlines()] == ["PASS", "FAIL"]
    assert (tmp_path / "kept").is_dir()
    scratch.rmdir()


def test_a_place_that_cannot_keep_is_a_sentence(
    run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """What finished is printed, and no traceback."""
    (tmp_path / "file").touch()
    status, out, err = run("--agent", tool("no-key"), "--keep", tmp_path / "file")
    assert status == 2
    assert out.startswith("PASS ")
    assert "cannot be written: " in err
    assert "--keep DIR" in err


def test_a_temporary_folder_that_is_full_or_missing_is_a_sentence(tmp_path: Path) -> None:
    """Also one whose path is too long for a socket is no trouble."""
    long = tmp_path / ("long" * 30)
    long.mkdir()
    ended = command_line("--agent", tool("stable-key"), environment={"TMPDIR": str(long)})
    assert (ended.returncode, ended.stderr) == (0, "")
    assert list(long.iterdir()) == []


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_what_an_agent_says_is_printed_in_any_encoding(encoding: str) -> None:
    """A name with a line end, an escape, half a character and an accent is one line of text."""
    environment = {"PYTHONIOENCODING": encoding}
    ended = command_line("--agent", tool("strange-name"), environment=environment)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert len(ended.stdout.splitlines()) == 2
    assert r"charge\nPASS   \x1b[31mforged\ud800" in ended.stdout
    ended = command_line("--agent", tool("strange-name"), "--json", environment=environment)
    (first, _) = results(ended.stdout)
    assert "charge\nPASS   \x1b[31mforged\ud800é" in first["evidence"]["effects"]  # type: ignore[index]


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    """``plugpull | head -0``."""
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes, "wb") as closed:
        ended = subprocess.run(
            [sys.executable, "-m", "plugpull", "--agent", tool("stable-key")],
            stdout=closed,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize(
    ("shell", "status", "words"),
    [
        ("{plugpull} >&-", 0, ""),
        ("{plugpull} --json >&-", 0, ""),
        ("{plugpull} <&- | cat", 0, ""),
        (
            "{plugpull} >/dev/full",
            2,
            "standard output cannot be written: No space left on device",
        ),
        ("mkdir gone && cd gone && rmdir ../gone && {plugpull}", 2, "started in cannot be used"),
    ],
)
def test_a_shell_may_start_it_in_any_state(
    tmp_path: Path, shell: str, status: int, words: str
) -> None:
    """Closed or full output, closed input, a folder that has gone: a sentence, no traceback."""
    plugpull_command = f"{sys.executable} -m plugpull --agent '{tool('stable-key')}'"
    if "/dev/full" in shell and not Path("/dev/full").exists():
        pytest.skip("/dev/full is Linux's")
    ended = subprocess.run(
        ["sh", "-c", shell.format(plugpull=plugpull_command)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == status
    assert words in ended.stderr
    assert len(ended.stderr.splitlines()) == (2 if words else 0)
