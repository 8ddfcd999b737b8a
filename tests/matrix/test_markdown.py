"""The table as GitHub Markdown."""

from __future__ import annotations

from textwrap import dedent

import pytest
from madeup import put_together, raw_result, row
from plugpull.matrix.markdown import markdown
from plugpull.matrix.records import ERROR, EXCLUDED

PYTHONS = ("3.12", "3.13")


def test_page() -> None:
    """Headline, a table per scenario, and every reason once: the terminal's model."""
    rows = [
        *(
            row(
                "toy",
                "1.0",
                python,
                raw_result("no-key"),
                raw_result("no-key", "after-effect", "FAIL", times=2, detail="twice"),
                yanked="a slip",
            )
            for python in PYTHONS
        ),
        row("toy", "2.0", "3.12", state=EXCLUDED, reason="needs >=3.13"),
        row("toy", "2.0", "3.13", state=ERROR, reason="gist", words="error: x", step="sync"),
    ]

    assert markdown(put_together(*rows)) == dedent("""\
        # plugpull: compatibility table

        2 of 3 cells ran: **2 PASS**, **2 FAIL**, **1 ERROR**, **0 not run**, 1 excluded.

        Planned 2026-11-29T12:00:00Z. Exit code 2: 1 ERROR.

        ## kill-mid-tool

        | framework | Python | no-key<br>before-effect | no-key<br>after-effect |  |
        | --- | --- | --- | --- | --- |
        | toy 1.0 | 3.12-3.13 | PASS | **FAIL(2)** | yanked |
        | toy 2.0 | 3.12 | excluded (needs &gt;=3.13) |  |  |
        | toy 2.0 | 3.13 | **ERROR: gist** |  |  |

        ## notes

        - toy 1.0: yanked: a slip

        ## FAIL

        - twice
          - `toy-1.0/py*/kill-mid-tool/no-key/after-effect`

        ## ERROR

        - sync: gist
          - `toy-2.0/py3.13`

          ```text
          error: x
          ```
        """)


@pytest.mark.parametrize(
    ("detail", "written"),
    [
        ("a | b", "a \\| b"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("__init__ *x* `y`", "\\_\\_init\\_\\_ \\*x\\* \\`y\\`"),
        ("see https://docs.example/a_b#c_d", "see https://docs.example/a_b#c_d"),
        ("[x](javascript:y)", "\\[x\\](javascript:y)"),
        ("two\nlines", "two lines"),
    ],
)
def test_words_of_others_mean_nothing_to_markdown(detail: str, written: str) -> None:
    """Only links are more than text."""
    raw = raw_result(verdict="FAIL", detail=detail)

    assert f"- {written}\n" in markdown(put_together(row("toy", "1.0", "3.13", raw)))


def test_backticks_in_last_words_do_not_end_the_block() -> None:
    """Names are quoted in backticks by uv."""
    words = "error: Failed to build `numpy`\n````\n# not a title"
    text = markdown(put_together(row("toy", "1.0", "3.13", state=ERROR, reason="x", words=words)))

    assert (
        "\n  `````text\n  error: Failed to build `numpy`\n  ````\n  # not a title\n  `````" in text
    )
