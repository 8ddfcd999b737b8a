"""Asking a human, in the program that talks to them.

What a run waits for is in its state, each question with an id. The program keeps the ids where the
human's answer will come in; with several questions open, an answer has to name its question:
https://docs.langchain.com/oss/python/langgraph/interrupts#handling-multiple-interrupts
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from langgraph.types import Command
from settings import ANSWERS, workdir


def questions(state: Any) -> dict[str, str]:
    """The open questions of a run: the call that they are about, and their ids."""
    asked = [one for task in state.tasks for one in task.interrupts]
    return {one.value["call"]: interrupt_id(one) for one in asked}


def interrupt_id(asked: Any) -> str:
    """The id of a question; it had another name before 0.6, and there was none before 0.4."""
    return str(getattr(asked, "id", None) or getattr(asked, "interrupt_id", "no id"))


def keep_questions(state: Any) -> None:
    """Keep what was asked beside what was asked before, as a mail to the human would."""
    kept = {**asked_before(), **questions(state)}
    if kept:
        (workdir() / "questions.json").write_text(json.dumps(kept), encoding="utf-8")


def asked_before() -> dict[str, str]:
    """What humans were asked so far."""
    path = workdir() / "questions.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else {}


def decide(go_on: Callable[[Any], None]) -> None:
    """Hand the run what the humans decided, one decision after the other.

    Nobody can answer what was not asked yet, so such a decision waits for its question.
    """
    decisions = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    if not decisions:
        go_on(None)
    while decisions:
        asked = asked_before()
        ready = [one for one in decisions if one["call"] in asked]
        if not ready:
            sys.exit(f"nobody was asked about {decisions[0]['call']}")
        decisions.remove(ready[0])
        given = ready[0]["decision"]
        go_on(Command(resume={asked[ready[0]["call"]]: given} if ANSWERS == "by-id" else given))
