"""What a process said on standard error, and what a traceback only quotes."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from plugpull.scenarios.refusals import find_refusal
from plugpull.stderr_tail import TRUNCATED, last_words

PLAIN = """\
warning: charge_card is old
Traceback (most recent call last):
  File "/targets/charge_card.py", line 1, in <module>
    charge_card(amount=1)
    ~~~~~~~~~~~^^^^^^^^^^
ValueError: this is no amount
"""

CHAINED = """\
Traceback (most recent call last):
  File "agent.py", line 1, in <module>
    raise KeyError("charge_card")
KeyError: 'charge_card'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "agent.py", line 3, in <module>
    run(tool_removed)
RuntimeError: sorry
During task with name 'tools'
"""

GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "agent.py", line 1, in <module>
  |     gather(quoted)
  | ExceptionGroup: two went wrong (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "agent.py", line 7, in inner
    |     charge(quoted)
    | ValueError: the tool is gone
    +---------------- 2 ----------------
    | TypeError: and so is the model
    +------------------------------------
"""

LONG = """\
Traceback (most recent call last):
  File "agent.py", line 1, in <module>
    validate(saved)
pydantic_core.ValidationError: 1 validation error for charge_card
cents
  Field required [type=missing]
    For further information visit a page
"""


@pytest.mark.parametrize(
    ("stderr", "pattern", "said"),
    [
        ("", "anything", None),
        (PLAIN, "this is no amount", "ValueError: this is no amount"),
        (PLAIN, "charge_card is", "warning: charge_card is old"),
        (PLAIN, "charge_card[.(]", None),
        (PLAIN, "^ValueError", "ValueError: this is no amount"),
        (CHAINED, "charge_card", "KeyError: 'charge_card'"),
        (CHAINED, "tool_removed", None),
        (CHAINED, "sorry", "RuntimeError: sorry"),
        (CHAINED, "tools", "During task with name 'tools'"),
        (CHAINED, "Error", "RuntimeError: sorry"),
        (GROUP, "quoted", None),
        (GROUP, "the tool is gone", "ValueError: the tool is gone"),
        (GROUP, "model", "TypeError: and so is the model"),
        (GROUP, "two went wrong", "ExceptionGroup: two went wrong (2 sub-exceptions)"),
        (LONG, r"cents\s+Field required", "cents Field required [type=missing]"),
        (LONG, "saved", None),
        (LONG, "Field", "Field required [type=missing]"),
    ],
)
def test_what_was_said(stderr: str, pattern: str, said: str | None) -> None:
    """Messages of every kind are heard; file names and lines of code are not."""
    assert find_refusal(re.compile(pattern), stderr) == said


def test_a_traceback_whose_head_was_cut_off(tmp_path: object) -> None:
    """Its rest is quoted code all the same, up to the message."""
    rest = PLAIN.partition("most recent call last):\n")[2]
    cut = f"{TRUNCATED}\n{rest}"
    assert find_refusal(re.compile("charge_card"), cut) is None
    assert find_refusal(re.compile("no amount"), cut) == "ValueError: this is no amount"


def test_the_tracebacks_of_this_python() -> None:
    """No line of code that it quotes is taken for a message, in a chain as well."""
    program = (
        "def inner(quoted):\n    raise KeyError('said first')\n"
        "try:\n    inner(quoted=1)\nexcept KeyError as error:\n"
        "    raise ValueError('said last') from error  # quoted\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", f"import traceback; exec(compile({program!r}, 'x.py', 'exec'))"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert find_refusal(re.compile("quoted"), ended.stderr) is None
    assert find_refusal(re.compile("said"), ended.stderr) == "ValueError: said last"
    assert find_refusal(re.compile("said first"), ended.stderr) == "KeyError: 'said first'"


def test_the_last_words_are_the_last_ones_that_say_something() -> None:
    """Python draws a rule under a group of errors, and a margin beside it."""
    group = "  | ConnectionError: no answer\n  +----------------\n\n"
    assert last_words(group) == "ConnectionError: no answer"
    assert last_words("gave up\n____\n\n") == "gave up"
    assert last_words("____\n\n") is None


def test_an_error_counts_for_more_than_a_note() -> None:
    """Notes come after the error that they are added to."""
    noted = "Traceback:\n  File x, line 1\npay.NoMoneyError: none left\nDuring task 'tools'\n"
    assert last_words(noted) == "pay.NoMoneyError: none left"
