"""The reference agent as a target of plugpull: the verbs, and where its tools call the provider.

Everything durable is in :mod:`durable`, which knows nothing of plugpull.

Usage: ``python adapter.py start | resume | inspect``. Set from outside:

``PLUGPULL_EFFECTS``
    ``report`` (the default): the run has two effects, the report's publication and the end.
    ``every-step``: each tool calls the provider, and so does each commit. The three places at which
    a crash can find a step then lie before the tool's effect, after it, and before that of the
    commit.
``AGENT_UNSAFE_EFFECTS``
    ``1``: the report is published without a key.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from announced import AnnouncedLog
from durable import journal, tasks
from durable.database import connect
from durable.errors import DONE_EXIT, REFUSED_EXIT, AgentError
from durable.loop import Agent, run_id
from durable.plan import Plan, PlannedStep
from durable.settings import Settings
from durable.stop import Stop
from plugpull import record_effect, store_write

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
EVERY_STEP = os.environ.get("PLUGPULL_EFFECTS") == "every-step"

DATABASE = WORK / "state.db"
NOTES = WORK / "notes.txt"
TEXT = "Card accepted\nParcel sent\n\nInvoice filed\nNothing else\n"
ORDER = "order-42"

PLAN = Plan(
    goal="Report on the notes",
    steps=(
        PlannedStep("fetch", {"path": str(NOTES)}),
        PlannedStep("summarize", {"from": 0}),
        PlannedStep("write_artifact", {"from": 1}),
    ),
)


def report(effect: str, key: str | None) -> None:
    """Call the provider for what counts as an effect in this variant."""
    if EVERY_STEP or effect == "publish_report":
        record_effect(effect, key=key)


def reached(point: str, step: int) -> None:
    """Tell the provider that a step is stored. What was not told before a crash is told after it.

    Its key makes telling it twice harmless.
    """
    if EVERY_STEP and point == "after_commit":
        record_effect(f"store_step_{step}", key=f"{ORDER}-{step}")


def create() -> None:
    """Store the task, unless it is there: a crash may have come before it was stored."""
    NOTES.write_text(TEXT, encoding="utf-8")
    with closing(connect(DATABASE, create=True)) as connection:
        if not tasks.exists(connection, ORDER):
            with store_write("save:task-created"):
                tasks.create(connection, ORDER, PLAN, run_id())


def load() -> tasks.Task:
    """The task as it is stored."""
    with closing(connect(DATABASE, create=False)) as connection:
        return tasks.load(connection, ORDER)


def work() -> int:
    """Go on with the task from wherever it is."""
    for step in load().steps:
        if step.status == "done":
            reached("after_commit", step.index)
    settings = Settings(
        artifacts=WORK / "artifacts",
        unsafe_effects=os.environ.get("AGENT_UNSAFE_EFFECTS") == "1",
    )
    stopping = Stop().listen().asked
    agent = Agent(DATABASE, settings, report, reached, stopping=stopping, log=AnnouncedLog)
    status = agent.run(ORDER)
    if status == DONE_EXIT:
        record_effect("finish_order", key=ORDER)
    return status


def transactions() -> int:
    """How many a new process can read of: each has its event in the journal.

    Beside it the first one of a run has an event for each step that it took back.
    """
    with closing(connect(DATABASE, create=False)) as connection:
        kinds = [entry["kind"] for entry in journal.entries(connection, ORDER)]
    return len(kinds) - kinds.count("step_recovered")


def inspect() -> dict[str, Any]:
    """What is stored: each step as a call, and its output as the answer."""
    task = load()
    history: list[dict[str, str | None]] = [{"kind": "user", "id": None}]
    for step in task.steps:
        key = f"{ORDER}-{step.index}"
        if step.attempts:
            history.append({"kind": "call", "id": key})
        if step.output is not None:
            history.append({"kind": "answer", "id": key})
    return {
        "history": history,
        "finished": task.status == "done",
        "output": task.outputs.get(1, {}).get("summary"),
        "checkpoints": transactions(),
    }


def main(verb: str) -> int:
    """Do what the verb says."""
    if verb == "inspect":
        found = json.dumps(inspect())
        Path(os.environ["PLUGPULL_REPORTED"]).write_text(found, encoding="utf-8")
        return DONE_EXIT
    try:
        create()
        return work()
    except AgentError as error:
        print(f"agent: {error}", file=sys.stderr)
        return error.exit_code
    except ConnectionError as error:
        print(f"agent: a service is gone: {error}", file=sys.stderr)
        return REFUSED_EXIT


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
