"""What is printed and written: text, schema-1 JSON, and files that are whole or not there."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from plugpull.errors import PlugpullError, UsageError
from plugpull.report import check_writable, document, json_text, text_lines, write_whole
from plugpull.stderr_tail import LONGEST, TRUNCATED, tail
from plugpull.verdicts import Judgement, Result

ASYNC = "langgraph 1.2.11 durability=async (default)"
SYNC = "langgraph 1.2.11 durability=sync"
OPENAI = "openai-agents 0.22.2"
ONCE = "the provider saw exactly 1 charge_card effect"
TWICE = "effect duplicated: the provider saw 2 charge_card effects after resume (expected 1)"
DOCUMENTED = (
    " (documented: make the tool idempotent, see "
    "https://docs.langchain.com/oss/python/langgraph/functional-api#idempotency)"
)
REPORTED = (
    " (reported as openai/openai-agents-python#4775; the docs promise the opposite: "
    '"the SDK preserves one durable InputItem occurrence", '
    "https://openai.github.io/openai-agents-python/results/)"
)


def result(  # noqa: PLR0917
    verdict: str,
    scenario: str,
    point: str,
    target: str,
    detail: str,
    outcome: str | None = None,
    **evidence: object,
) -> Result:
    """One result."""
    return Result(scenario, target, point, Judgement(verdict, outcome, detail), evidence)


def kill(verdict: str, point: str, target: str, detail: str, **more: object) -> Result:
    """One result of kill-mid-tool."""
    return result(verdict, "kill-mid-tool", point, target, detail, **more)  # type: ignore[arg-type]


BUILT_IN = [
    kill("PASS", "before-effect", ASYNC, ONCE),
    kill("FAIL", "after-effect", ASYNC, TWICE + DOCUMENTED),
    kill("PASS", "before-effect", SYNC, ONCE),
    kill("FAIL", "after-effect", SYNC, TWICE + DOCUMENTED),
    result(
        "PASS",
        "lost-session-write",
        "write-lost",
        OPENAI,
        "write 4: all 5 Session items stored exactly once",
    ),
    result(
        "FAIL",
        "lost-session-write",
        "ack-lost",
        OPENAI,
        "write 4: the staged input duplicated: stored 2 times after resume (expected 1)" + REPORTED,
    ),
]
NO_KEY = "python examples/langgraph_agent/agent.py no-key"
WITH_ID = "python examples/langgraph_agent/agent.py tool-call-id"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (
            BUILT_IN,
            f"""\
PASS   kill-mid-tool       before-effect  {ASYNC}  {ONCE}
FAIL   kill-mid-tool       after-effect   {ASYNC}  {TWICE}{DOCUMENTED}
PASS   kill-mid-tool       before-effect  {SYNC}             {ONCE}
FAIL   kill-mid-tool       after-effect   {SYNC}             {TWICE}{DOCUMENTED}
PASS   lost-session-write  write-lost     {OPENAI}                         \
write 4: all 5 Session items stored exactly once
FAIL   lost-session-write  ack-lost       {OPENAI}                         \
write 4: the staged input duplicated: stored 2 times after resume (expected 1){REPORTED}""",
        ),
        (
            [
                kill("PASS", "before-effect", NO_KEY, ONCE),
                kill("FAIL", "after-effect", NO_KEY, TWICE),
            ],
            f"""\
PASS   kill-mid-tool  before-effect  {NO_KEY}  {ONCE}
FAIL   kill-mid-tool  after-effect   {NO_KEY}  {TWICE}""",
        ),
        (
            [
                kill("PASS", "before-effect", WITH_ID, ONCE),
                kill("PASS", "after-effect", WITH_ID, ONCE),
            ],
            f"""\
PASS   kill-mid-tool  before-effect  {WITH_ID}  {ONCE}
PASS   kill-mid-tool  after-effect   {WITH_ID}  {ONCE}""",
        ),
    ],
)
def test_the_three_examples_are_printed_byte_for_byte(results: list[Result], expected: str) -> None:
    """P42, P43, P44: one line a result, columns as wide as this output needs."""
    assert "\n".join(text_lines(results)) == expected


def test_nothing_is_printed_as_nothing() -> None:
    """No results, no lines."""
    assert text_lines([]) == []


@pytest.mark.parametrize(
    ("verdict", "outcome", "shown"),
    [
        ("ERROR", None, True),
        ("FAIL", "crashed", True),
        ("FAIL", "hung", True),
        ("FAIL", "refused", True),
        ("FAIL", "duplicated", False),
        ("FAIL", "lost", False),
        ("FAIL", "unexpected", False),
        ("PASS", "held", False),
    ],
)
def test_standard_error_is_shown_where_it_says_why(
    verdict: str, outcome: str | None, shown: bool
) -> None:
    """P45: under an ERROR, and under a FAIL whose resume did not exit 0."""
    one = kill(verdict, "after-effect", "x", "words", outcome=outcome, stderr="a\nb\n")
    lines = text_lines([one])
    assert lines[0] == f"{verdict.ljust(5)}  kill-mid-tool  after-effect  x  words"
    assert lines[1:] == (["    | a", "    | b"] if shown else [])


def test_an_agent_cannot_forge_a_line() -> None:
    """Names of effects, commands and standard error end no line and steer no terminal."""
    forged = "x\nPASS   kill-mid-tool\r\x1b[2J\u2028\x85\ud800é\t"
    one = kill("ERROR", "p", f"python {forged}", f"saw {forged}", stderr="red \x1b[31m\a\n")
    first, second = text_lines([one])
    plain = r"x\nPASS   kill-mid-tool\r\x1b[2J\u2028\x85\ud800é" + "\t"
    assert first == f"ERROR  kill-mid-tool  p  python {plain}  saw {plain}"
    assert second == r"    | red \x1b[31m\x07"


# -- JSON ------------------------------------------------------------------------------------------


def test_the_document_has_two_keys_and_a_result_those_of_the_schema() -> None:
    """P46, P47, P48: and ours beside them."""
    data = document(BUILT_IN)
    assert set(data) == {"schema", "results"}
    assert data["schema"] == 1
    for entry in data["results"]:
        assert set(entry) == {
            "scenario",
            "target",
            "kill_point",
            "verdict",
            "detail",
            "evidence",
            "outcome",
            "runs",
            "timing_dependent",
            "variant",
            "point_detail",
        }
        assert set(entry["runs"]) == {"PASS", "FAIL", "ERROR"}
        assert entry["variant"] == "default"
        assert entry["point_detail"] is None
    assert {entry["kill_point"] for entry in data["results"]} == {
        "before-effect",
        "after-effect",
        "write-lost",
        "ack-lost",
    }


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_json_survives_every_encoding_and_half_a_character(encoding: str) -> None:
    """P01: what comes out can be read again, whatever an agent sent."""
    data = {"é": "😀", "half": "\ud83d", "line": "\u2028"}
    assert json.loads(json_text(data, encoding).encode(encoding)) == data
    assert "é" in json_text({"x": "é"}, "utf-8")


# -- files -----------------------------------------------------------------------------------------


def test_a_file_is_written_whole_and_nothing_else(tmp_path: Path) -> None:
    """Readable by whom the user's umask lets, in a folder that is made for it."""
    path = tmp_path / "new" / "report.json"
    before = os.umask(0o027)
    try:
        write_whole(path, {"half": "\ud83d", "é": 1})
    finally:
        os.umask(before)
    assert json.loads(path.read_text(encoding="utf-8")) == {"half": "\ud83d", "é": 1}
    assert path.read_text(encoding="utf-8").endswith("}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(path.parent.iterdir()) == [path]


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    """Whole or not at all: neither half a file nor a forgotten one beside it."""
    path = tmp_path / "report.json"
    write_whole(path, {"old": True})
    with pytest.raises(TypeError):
        write_whole(path, {"new": object()})
    assert json.loads(path.read_text()) == {"old": True}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", [lambda path: write_whole(path, {}), check_writable])
def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path, write) -> None:
    """The path, the system's reason, and what to do."""
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file" / "x", Path("/proc/report.json")):
        with pytest.raises(PlugpullError, match="cannot be written: ") as caught:
            write(path)
        assert str(path) in str(caught.value)
        assert "next: make room, or name another place" in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_finding_out_leaves_nothing_behind(tmp_path: Path) -> None:
    """No empty report that somebody could take for a result; an old one stays."""
    path = tmp_path / "report.json"
    check_writable(path)
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    check_writable(path)
    assert path.read_text() == "old"


def test_an_error_for_people_says_what_why_and_what_next() -> None:
    """Each part on a line of its own, and none that has nothing to say."""
    assert str(UsageError("a")) == "a"
    assert str(UsageError("a", why="b", then="c")) == "a\n  why: b\n  next: c"
    assert UsageError("a").exit_code == 2


# -- the end of standard error ---------------------------------------------------------------------


def cut(tmp_path: Path, content: bytes) -> str:
    """The tail of a file with this content."""
    path = tmp_path / "err"
    path.write_bytes(content)
    return tail(path)


@pytest.mark.parametrize("content", ["", "x", "a\nb\n", "line\n" * 60, "x" * 4000, "é" * 4000])
def test_what_is_short_enough_is_whole(tmp_path: Path, content: str) -> None:
    """P53: up to 60 lines and 4000 characters nothing is cut or marked."""
    assert cut(tmp_path, content.encode()) == content


@pytest.mark.parametrize(
    "content",
    [
        "".join(f"line {number}\n" for number in range(10_000)),
        "x" * 1_000_000,
        "y" * 999_999 + "\n",
        "é" * 500_000,
        "😀" * 250_000,
        "a" + "😀" * 250_000,
        "ab" + "€" * 4001,
        "line\n" * 61,
        "x" * 4001,
        ("z" * 300 + "\n") * 60,
    ],
)
def test_what_is_too_long_loses_its_front(tmp_path: Path, content: str) -> None:
    """P53: the end is kept, at most 60 lines and 4000 characters with the mark."""
    text = cut(tmp_path, content.encode())
    mark, _, kept = text.partition("\n")
    assert mark == TRUNCATED
    assert len(text) <= LONGEST
    assert len(kept.splitlines()) <= 60
    assert content.endswith(kept)
    assert len(kept) > 3900 or len(kept.splitlines()) == 60


def test_bytes_that_are_no_text_are_shown_as_such(tmp_path: Path) -> None:
    """A broken encoding hides nothing else."""
    assert cut(tmp_path, b"a\xff\xfeb\n") == "a��b\n"


def test_no_file_is_no_text(tmp_path: Path) -> None:
    """An agent may have removed it."""
    assert tail(tmp_path / "missing") == ""
