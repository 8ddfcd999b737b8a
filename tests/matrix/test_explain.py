"""What stands beneath the table: each reason once, and what a process crashed with."""

from __future__ import annotations

from typing import Any

from madeup import put_together, raw_result, row
from plugpull.matrix.explain import ERROR_CHARACTERS, Entry, explain


def crashed(variant: str, stderr: str, **more: Any) -> dict[str, Any]:
    """A resume that ended with an error."""
    told = {"detail": "run could not be resumed", "outcome": "crashed", **more}
    return raw_result(variant, verdict="FAIL", evidence={"stderr": stderr}, **told)


def fails(*raw: dict[str, Any]) -> tuple[Entry, ...]:
    """What is said of one cell's FAILs."""
    (block,) = explain(put_together(row("toy", "1.0", "3.13", *raw)))
    assert block.kind == "FAIL"
    return block.entries


def ids(*variants: str) -> tuple[str, ...]:
    """Where it happened."""
    return tuple(f"toy-1.0/py3.13/kill-mid-tool/{each}/before-effect" for each in variants)


def test_a_crash_says_with_which_error() -> None:
    """The traceback's line, whatever notes follow it; each error is a reason of its own."""
    trace = "Traceback:\n  File x\ntoy.Gone: nothing is stored under {}\nwhile in step 3\n"
    first, second = "0123456789abcdef0", "fedcba98765432100"
    assert fails(
        crashed("a", trace.format(first)),
        crashed("b", trace.format(second)),
        crashed("c", "what is resume?\n"),
    ) == (
        Entry("run could not be resumed", ids("a", "b"), ("toy.Gone: nothing is stored under …",)),
        Entry("run could not be resumed", ids("c"), ("what is resume?",)),
    )


def test_an_error_that_the_reason_names_is_not_said_twice() -> None:
    """Nor is what a process said that did not crash; an endless line is cut."""
    (named,) = fails(crashed("a", "ValueError: 400: x\n", detail="failed: ValueError: 400: x"))
    assert named.words == ()
    (lost,) = fails(crashed("a", "ValueError: y\n", outcome="lost"))
    assert lost.words == ()
    (long,) = fails(crashed("a", f"ValueError: {'y' * 999}\n"))
    assert [len(line) for line in long.words] == [ERROR_CHARACTERS]
    (silent,) = fails(crashed("a", ""))
    assert silent.words == ()


def test_what_inspect_said_is_shown_where_nothing_else_was_said() -> None:
    """A program without that verb would be an ERROR without a reason."""
    reported = {"error": "inspect ended with 1", "stderr": "what is inspect?\n"}
    raw = raw_result(verdict="ERROR", detail="cannot be read", evidence={"reported": reported})
    (block,) = explain(put_together(row("toy", "1.0", "3.13", raw)))
    assert [entry.words for entry in block.entries] == [("what is inspect?",)]
