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
from settings import ANSWERS, CONFIG, workdir

# How often somebody answers the same question before they give up.
PATIENCE = 3


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


def decide(app: Any, go_on: Callable[[Any], None]) -> None:
    """Hand the run what the humans decided, one decision after the other.

    Nobody can answer what was not asked yet, so such a decision waits for its question. Who is
    asked the same again in the meantime says the same again.
    """
    decisions = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    if not decisions:
        go_on(None)
    said: dict[str, str] = {}
    patience = PATIENCE
    while decisions:
        asked = asked_before()
        ready = next((one for one in decisions if one["call"] in asked), None)
        if ready is not None:
            decisions.remove(ready)
            said[ready["call"]] = ready["decision"]
            call = ready["call"]
        else:
            again = [one for one in questions(app.get_state(CONFIG)) if one in said]
            patience -= 1
            if not again or not patience:
                print(f"nobody was asked about {decisions[0]['call']}", file=sys.stderr)
                return
            call = again[0]
        go_on(Command(resume={asked[call]: said[call]} if ANSWERS == "by-id" else said[call]))
