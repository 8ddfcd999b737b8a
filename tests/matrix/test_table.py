"""The table, letter by letter."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from madeup import put_together, raw_result, row
from plugpull.matrix.compare import Change, Comparison
from plugpull.matrix.model import pythons_label
from plugpull.matrix.records import ERROR, EXCLUDED, NOT_RUN, CellRecord, Collected, Problem
from plugpull.matrix.results import Result
from plugpull.matrix.table import (
    headline,
    headline_lines,
    print_table,
    section_lines,
    table_lines,
)
from rich.console import Console

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
Rows = list[tuple[CellRecord, list[Result]]]


def _four(framework: str, version: str, *raw: dict[str, Any], **record: Any) -> Rows:
    return [row(framework, version, python, *raw, **record) for python in PYTHONS]


def _pair(variant: str, after: dict[str, Any] | None = None, **more: Any) -> list[dict[str, Any]]:
    second = {"verdict": "FAIL", "times": 2} if after is None else after
    return [raw_result(variant, **more), raw_result(variant, "after-effect", **second)]


def _tables(collected: Collected, width: int = 100) -> str:
    """The part between the headline and what is said beneath."""
    return "\n".join(line.plain for line in section_lines(collected, width)).rstrip("\n")


def _printed(collected: Collected, **console: Any) -> str:
    out = io.StringIO()
    print_table(collected, Console(file=out, **{"width": 100, **console}))
    return out.getvalue()


def _golden(text: str) -> str:
    return dedent(text).strip("\n")


class TestRows:
    """Framework and version downwards; Pythons in one row where they agree."""

    def test_agreeing_pythons_share_a_row(self) -> None:
        """One row per version, whatever the number of Pythons."""
        collected = put_together(
            *_four("langgraph", "1.0.10", *_pair("sync+no-key")),
            *_four("langgraph", "1.2.11", *_pair("sync+no-key")),
        )

        assert _tables(collected) == _golden("""
            kill-mid-tool

                                            sync+no-key
                                            before-effect  after-effect
              ───────────────────────────   ───────────────────────────
              langgraph 1.0.10  3.10-3.13   PASS           FAIL(2)
              langgraph 1.2.11  3.10-3.13   PASS           FAIL(2)
        """)

    def test_disagreeing_pythons_are_split(self) -> None:
        """Pythons that differ in a single place have rows of their own."""
        rows = _four("toy", "1.0", *_pair("a"))
        rows[1] = row("toy", "1.0", "3.11", *_pair("a", after={}))
        rows[3] = row("toy", "1.0", "3.13", *_pair("a", verdict="FAIL", outcome="lost"))

        assert _tables(put_together(*rows)).splitlines()[5:] == [
            "  toy 1.0  3.10, 3.12   PASS           FAIL(2)",
            "  toy 1.0  3.11         PASS           PASS",
            "  toy 1.0  3.13         FAIL lost      FAIL(2)",
        ]

    def test_versions_stand_in_their_order(self) -> None:
        """1.10 comes after 1.9, and what is no release comes last."""
        rows = [
            row("toy", version, "3.13", raw_result())
            for version in ("git.0123456789ab", "1.10", "1.9", "2.0rc1")
        ]

        lines = _tables(put_together(*rows)).splitlines()

        assert [line.split()[1] for line in lines[-4:]] == [
            "1.9",
            "1.10",
            "2.0rc1",
            "git.0123456789ab",
        ]

    def test_cells_without_results_say_so_in_their_row(self) -> None:
        """A cell that has nothing to show is never left out and never looks green."""
        rows = [
            *_four("toy", "1.0", *_pair("a")),
            *_four("toy", "9.9", state=ERROR, reason="there is no version of toy==9.9"),
            row("toy", "2.0", "3.10", state=EXCLUDED, reason="needs >=3.11"),
            row("toy", "2.0", "3.11", state=NOT_RUN, reason="python3.11 not found"),
            row("toy", "2.0", "3.12", *_pair("a")),
        ]

        assert _tables(put_together(*rows)).splitlines()[5:] == [
            "  toy 1.0  3.10-3.13   PASS           FAIL(2)",
            "  toy 2.0  3.10        excluded (needs >=3.11)",
            "  toy 2.0  3.11        not run: python3.11 not found",
            "  toy 2.0  3.12        PASS           FAIL(2)",
            "  toy 9.9  3.10-3.13   ERROR: there is no version of toy==9.9",
        ]

    def test_framework_without_any_result(self) -> None:
        """It has a table of its own kind."""
        rows = _four("toy", "9.9", state=ERROR, reason="there is no version of toy==9.9")

        assert _tables(put_together(*rows)) == _golden("""
            without any result

              toy 9.9  3.10-3.13   ERROR: there is no version of toy==9.9
        """)

    def test_yanked_and_earlier_rows_are_marked(self) -> None:
        """Neither is shown as an ordinary one; the reason is given beneath."""
        collected = put_together(
            *_four("toy", "1.0", *_pair("a"), yanked="a slip"),
            *_four("toy", "1.1", *_pair("a"), selected=False, measured_at="2026-11-20T10:00:00Z"),
            *_four("toy", "1.2", *_pair("a")),
        )

        assert _tables(collected).splitlines()[5:] == [
            "  toy 1.0  3.10-3.13   PASS           FAIL(2)        yanked",
            "  toy 1.1  3.10-3.13   PASS           FAIL(2)        measured 2026-11-20",
            "  toy 1.2  3.10-3.13   PASS           FAIL(2)",
        ]
        assert "  toy 1.0: yanked: a slip" in _printed(collected)


class TestMarks:
    """What a place says."""

    @pytest.mark.parametrize(
        ("result", "text"),
        [
            ({}, "PASS"),
            ({"verdict": "FAIL", "times": 2}, "FAIL(2)"),
            ({"verdict": "FAIL", "times": 3}, "FAIL(3)"),
            ({"verdict": "FAIL", "times": 0, "outcome": "lost"}, "FAIL lost"),
            ({"verdict": "FAIL", "outcome": "crashed"}, "FAIL crashed"),
            ({"verdict": "FAIL", "outcome": "refused"}, "FAIL refused"),
            ({"verdict": "FAIL", "outcome": None}, "FAIL"),
            ({"verdict": "ERROR"}, "ERROR"),
            ({"verdict": "ERROR", "runs": (1, 5)}, "ERROR"),
            ({"verdict": "FAIL", "runs": (3, 5)}, "FAIL 3/5"),
            ({"runs": (0, 5)}, "PASS"),
        ],
    )
    def test_text(self, result: dict[str, Any], text: str) -> None:
        """Verdict, and in the fewest words what happened."""
        collected = put_together(row("toy", "1.0", "3.13", raw_result("a", **result)))

        assert _tables(collected).splitlines()[-1] == f"  toy 1.0  3.13   {text}"

    def test_stored_items_count_like_effects(self) -> None:
        """A store's counts are found where a provider's are not."""
        raw = raw_result("a", verdict="FAIL", evidence={"items": {'{"x": 1}': 2, "b": 1}})

        assert "FAIL(2)" in _tables(put_together(row("toy", "1.0", "3.13", raw)))

    def test_counts_of_agreeing_pythons_are_added_up(self) -> None:
        """Chance decides about counts, so they split no row."""
        rows = [
            row("toy", "1.0", python, raw_result("a", verdict="FAIL", runs=(failed, 5)))
            for python, failed in zip(PYTHONS, (1, 2, 5, 3), strict=True)
        ]

        assert _tables(put_together(*rows)).splitlines()[-1] == "  toy 1.0  3.10-3.13   FAIL 11/20"

    def test_not_supported_and_not_there(self) -> None:
        """What a release cannot do is said once per variant; what is not there is a dash."""
        declared = {"scenario": "kill-mid-tool", "variant": "b", "reason": "no API", "link": ""}
        collected = put_together(
            *_four("toy", "1.0", *_pair("a"), not_supported=(declared,)),
            *_four("toy", "2.0", *_pair("b")),
        )

        assert _tables(collected) == _golden("""
            kill-mid-tool

                                   a                             b
                                   before-effect  after-effect   before-effect  after-effect
              ──────────────────   ───────────────────────────   ───────────────────────────
              toy 1.0  3.10-3.13   PASS           FAIL(2)        not supported
              toy 2.0  3.10-3.13   -                             PASS           FAIL(2)
        """)
        assert "toy / kill-mid-tool / b: no API" in _printed(collected)


class TestColumns:
    """Scenario, variant and fault point across."""

    def test_frameworks_with_equal_columns_share_a_table(self) -> None:
        """They can be compared at a glance; others have a table of their own."""
        collected = put_together(
            *_four("one", "1.0", *_pair("no-key")),
            *_four("two", "2.0", *_pair("no-key")),
            *_four("three", "3.0", *_pair("history+no-key")),
        )

        assert _tables(collected) == _golden("""
            kill-mid-tool

                                   no-key
                                   before-effect  after-effect
              ──────────────────   ───────────────────────────
              one 1.0  3.10-3.13   PASS           FAIL(2)

              two 2.0  3.10-3.13   PASS           FAIL(2)

                                     history+no-key
                                     before-effect  after-effect
              ────────────────────   ───────────────────────────
              three 3.0  3.10-3.13   PASS           FAIL(2)
        """)

    def test_several_results_of_one_point_share_a_place(self) -> None:
        """One column says at how many it failed; the only variant is not named."""
        raw = [
            raw_result("default", point, verdict, scenario="kill-sweep", point_detail=detail)
            for point, detail, verdict in (
                ("before-effect", "1-charge", "PASS"),
                ("before-effect", "2-finish", "PASS"),
                ("after-effect", "1-charge", "FAIL"),
                ("after-effect", "2-finish", "PASS"),
            )
        ]

        assert _tables(put_together(*_four("toy", "1.0", *raw))) == _golden("""
            kill-sweep

                                   before-effect  after-effect
              ──────────────────   ───────────────────────────
              toy 1.0  3.10-3.13   PASS           FAIL at 4/8
        """)

    def test_the_worst_of_several_results_shows(self) -> None:
        """An ERROR among them is no FAIL, and never a PASS."""
        raw = [
            raw_result("default", "after-effect", verdict, scenario="kill-sweep", point_detail=at)
            for at, verdict in (("1", "FAIL"), ("2", "ERROR"), ("3", "PASS"))
        ]

        assert _tables(put_together(row("toy", "1.0", "3.13", *raw))) == _golden("""
            kill-sweep

                              after-effect
              ─────────────   ────────────
              toy 1.0  3.13   ERROR
        """)

    def test_heads_are_broken_before_tables_are(self) -> None:
        """A window a little too narrow gets heads in two lines."""
        raw = [each for variant in ("aa", "bb", "cc") for each in _pair(variant)]

        assert _tables(put_together(*_four("toy", "1.0", *raw)), 80) == _golden("""
            kill-mid-tool

                                   aa                 bb                 cc
                                   before-  after-    before-  after-    before-  after-
                                   effect   effect    effect   effect    effect   effect
              ──────────────────   ────────────────   ────────────────   ────────────────
              toy 1.0  3.10-3.13   PASS     FAIL(2)   PASS     FAIL(2)   PASS     FAIL(2)
        """)

    def test_variants_are_dealt_out_where_the_window_is_narrow(self) -> None:
        """Tables under each other; a cell without results says so once."""
        raw = [each for variant in ("aa", "bb") for each in _pair(variant)]
        collected = put_together(
            *_four("toy", "1.0", *raw), *_four("toy", "2.0", state=ERROR, reason="no")
        )

        assert _tables(collected, 56) == _golden("""
            kill-mid-tool

                                   aa
                                   before-effect  after-effect
              ──────────────────   ───────────────────────────
              toy 1.0  3.10-3.13   PASS           FAIL(2)
              toy 2.0  3.10-3.13   ERROR: no

                                   bb
                                   before-effect  after-effect
              ──────────────────   ───────────────────────────
              toy 1.0  3.10-3.13   PASS           FAIL(2)
        """)

    @pytest.mark.parametrize("width", [80, 100, 120, 200])
    def test_no_line_is_too_long(self, width: int) -> None:
        """Whatever the window, nothing wraps but what cannot be broken."""
        raw = [each for v in ("async+no-key", "sync+no-key", "x") for each in _pair(v)]
        collected = put_together(
            *_four("langgraph", "1.2.11", *raw),
            *_four("langgraph", "9.9.9", state=ERROR, reason="word " * 60, words="word " * 90),
        )

        lines = [line.plain for line in table_lines(collected, width)]
        ids = [line for line in lines if "/kill-mid-tool/" in line]
        assert max(len(line) for line in lines if line not in ids) <= width

    @pytest.mark.parametrize("width", [40, 60, 80, 120])
    def test_a_headline_with_everything_in_it_is_not_too_long(self, width: int) -> None:
        """It goes on in the next line, and no count is broken; nor is what it comes to too long."""
        raw = [
            raw_result(f"variant-{number}", verdict=verdict, scenario="kill-mid-tool")
            for number in range(120)
            for verdict in ("PASS", "FAIL", "ERROR")
        ]
        collected = put_together(
            row("toy", "1.0", "3.10", *raw),
            row("toy", "2.0", "3.10", state=NOT_RUN, reason="python3.10 not found"),
            row("toy", "3.0", "3.10", state=EXCLUDED, reason="needs >=3.12"),
            row("toy", "0.9", "3.10", raw_result(), selected=False),
            problems=(Problem("cells/x.json", "damaged", "why"),),
        )
        lines = [line.plain for line in headline_lines(collected, width)]
        whole = headline(collected).plain
        assert len(whole) > 100
        assert " ".join(line.strip() for line in lines) == whole
        assert max(map(len, lines)) <= width
        closing = [line.plain for line in table_lines(collected, width)][-len(lines) - 2 :]
        assert max(map(len, closing)) <= width


class TestBeneath:
    """Headline, reasons, and what it all comes to."""

    def test_headline_counts_everything(self) -> None:
        """PASS, FAIL, ERROR and not run stand in it, zero or not."""
        collected = put_together(
            *_four("toy", "1.0", *_pair("a")),
            *_four("toy", "2.0", state=ERROR, reason="no"),
            row("toy", "3.0", "3.10", state=NOT_RUN, reason="python3.10 not found"),
            row("toy", "3.0", "3.11", state=EXCLUDED, reason="needs >=3.12"),
            problems=(Problem("cells/x.json", "damaged", "why"),),
        )

        first, *_, before_last, last = _printed(collected).splitlines()

        expected = (
            "plugpull  4 of 9 cells ran: 4 PASS, 4 FAIL, 4 ERROR, 1 not run, 1 excluded, "
            "1 file left out"
        )
        assert first == before_last == expected
        assert last == "exit code 2: 4 ERROR, 1 cell not run"

    def test_every_distinct_reason_once_with_its_ids(self) -> None:
        """``py*`` stands for all Pythons of a version: such an id can be given to ``--only``."""
        fail: dict[str, Any] = {
            "verdict": "FAIL",
            "times": 2,
            "detail": "twice (see https://x.example/a-b)",
        }
        rows = [
            *_four("toy", "1.0", *_pair("a", after=fail)),
            row("toy", "2.0", "3.12", raw_result("a", "after-effect", **fail)),
            row("toy", "2.0", "3.13", raw_result("a", "after-effect")),
        ]

        text = _printed(put_together(*rows))

        assert (
            _golden("""
            FAIL
              twice (see https://x.example/a-b)
                  toy-1.0/py*/kill-mid-tool/a/after-effect
                  toy-2.0/py3.12/kill-mid-tool/a/after-effect
        """)
            in text
        )
        assert text.count("twice") == 1

    def test_counts_behind_ids(self) -> None:
        """A timing-dependent FAIL says how often, added up, and once."""
        rows = [
            row(
                "toy",
                "1.0",
                python,
                raw_result(
                    "a", verdict="FAIL", runs=(n, 5), detail=f"gone (FAIL in {n} of 5 runs)"
                ),
            )
            for n, python in enumerate(PYTHONS, 1)
        ]

        text = _printed(put_together(*rows))

        assert "  gone\n      toy-1.0/py*/kill-mid-tool/a/before-effect  (10 of 20 runs)\n" in text

    def test_error_shows_last_words(self) -> None:
        """The words of uv and an agent's standard error stand beneath, marked as theirs."""
        stderr = "\n".join(f"line {n}" for n in range(9))
        collected = put_together(
            *_four(
                "toy", "9.9", state=ERROR, reason="gist", words="error: x\n  cause: y", step="sync"
            ),
            row(
                "toy", "1.0", "3.13", raw_result("a", verdict="ERROR", evidence={"stderr": stderr})
            ),
        )

        text = _printed(collected)

        assert "  sync: gist\n      toy-9.9/py*\n      | error: x\n      |   cause: y\n" in text
        assert "| line 8" in text
        assert "| line 2" not in text

    def test_files_left_out_are_named(self) -> None:
        """Each with what is wrong."""
        collected = put_together(
            problems=(Problem("cells/x.json", "stale", "the harness changed"),)
        )

        assert "files left out\n  cells/x.json: stale: the harness changed\n" in _printed(collected)

    def test_comparison(self) -> None:
        """What changed, what is new and what is gone."""
        comparison = Comparison(
            baseline="b.json",
            same=3,
            changed=(Change("toy-1.0/py3.13/s/v/p", "PASS", "FAIL", "twice"),),
            appeared=("toy-1.0/py3.13/s/v/new",),
            gone=("toy-1.0/py3.13/s/v/gone",),
        )
        collected = put_together(row("toy", "1.0", "3.13", raw_result()), comparison=comparison)

        assert _golden("""
            compared with b.json: 3 as before, 1 changed
              broke: PASS -> FAIL: twice
                  toy-1.0/py3.13/s/v/p

            new
              1 that only this run has
                  toy-1.0/py3.13/s/v/new

            gone
              1 that only the earlier run has
                  toy-1.0/py3.13/s/v/gone
        """) in _printed(collected)


class TestTerminal:
    """Colour and letters as the terminal can show them."""

    COLLECTED = put_together(*_four("toy", "1.0", *_pair("a")))

    def test_colour_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A verdict's colour is seen before its word is read."""
        monkeypatch.delenv("NO_COLOR", raising=False)
        monkeypatch.setenv("TERM", "xterm-256color")

        text = _printed(self.COLLECTED, force_terminal=True)

        assert "\x1b[32mPASS\x1b[0m" in text
        assert "\x1b[1;31mFAIL(2)\x1b[0m" in text

    def test_no_color(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """``NO_COLOR`` is obeyed: no colour codes are left."""
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")

        text = _printed(self.COLLECTED, force_terminal=True)

        assert "\x1b[32m" not in text
        assert ";31m" not in text

    def test_markup_is_text(self) -> None:
        """What looks like a style in somebody's words is printed as it is."""
        raw = raw_result("a", verdict="FAIL", detail="[bold]x[/bold] :smile: [/nothing]")

        assert "[bold]x[/bold] :smile: [/nothing]" in _printed(
            put_together(row("toy", "1.0", "3.13", raw))
        )

    @pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
    def test_pipe(self, tmp_path: Path, encoding: str) -> None:
        """In a pipe there are no codes, and an old locale hides nothing."""
        script = (
            "from madeup import *; from plugpull.matrix.table import *;"
            "raw = raw_result('a', verdict='FAIL', detail='caf\\u00e9 \\u2570');"
            "print_table(put_together(row('toy', '1.0', '3.13', raw)), matrix_console())"
        )
        path = os.pathsep.join(entry for entry in sys.path if entry)
        environ = {"PYTHONPATH": path, "PYTHONIOENCODING": encoding, "PATH": os.defpath}

        done = subprocess.run(
            [sys.executable, "-c", script],
            env=environ,
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )

        text = done.stdout.decode(encoding)
        assert "\x1b" not in text
        assert ("caf? ?" if encoding == "ascii" else "caf\u00e9 \u2570") in text
        assert ("-----" in text) == (encoding == "ascii")


@pytest.mark.parametrize(
    ("pythons", "label"),
    [
        (["3.13"], "3.13"),
        (["3.12", "3.13"], "3.12-3.13"),
        (["3.9", "3.10", "3.11"], "3.9-3.11"),
        (["3.13", "3.10", "3.11"], "3.10-3.11, 3.13"),
        (["3.10", "3.12"], "3.10, 3.12"),
    ],
)
def test_pythons_label(pythons: list[str], label: str) -> None:
    """A range is a range of minor versions that follow each other."""
    assert pythons_label(pythons) == label


class TestReasons:
    """What is said beneath the table stays readable, however much of it there is."""

    def test_names_drawn_by_lot_are_one_reason(self) -> None:
        """The id of a call differs in every run, and the finding is the same."""
        call = "the call call_{} has 0 answers (expected 1)"
        collected = put_together(
            row(
                "langgraph",
                "1.2.11",
                "3.13",
                raw_result("a", verdict="FAIL", detail=call.format("0" * 32)),
                raw_result("b", verdict="FAIL", detail=call.format("f" * 32)),
            )
        )

        assert _printed(collected).count("the call call_… has 0 answers (expected 1)") == 1

    def test_many_ids_are_counted(self) -> None:
        """The first of them stand there, the rest is in the files."""
        results = [
            raw_result(f"variant-{number:02}", verdict="FAIL", detail="lost")
            for number in range(20)
        ]
        printed = _printed(put_together(row("langgraph", "1.2.11", "3.13", *results)))

        assert printed.count("langgraph-1.2.11/py3.13/kill-mid-tool/variant-") == 7
        assert "and 13 more, all of them in matrix.md" in printed
