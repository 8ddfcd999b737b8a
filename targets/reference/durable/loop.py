"""The agent's loop: recover, then run each pending step, with a commit before it and after it.

Nothing else is durable. What happens between the two commits of a step may happen again, so there
are three places at which a crash can find a step, and they differ in what is known afterwards:

===============  =======================  ==================
died             the database says        the effect
===============  =======================  ==================
before_effect    running                  did not happen
after_effect     running                  happened
after_commit     done                     happened
===============  =======================  ==================

The first two look the same to the next process. It runs the step again, and the step's key is what
keeps the effect from happening twice.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from durable.database import connect
from durable.errors import DONE_EXIT, FAILED_EXIT, STOPPED_EXIT, AgentError, Unfinished
from durable.lock import task_lock
from durable.plan import TOOLS, PlannedStep
from durable.settings import Settings
from durable.tasks import Step, Task, TaskLog, load
from durable.tools import OtherTool, Report, Toolbox, unreported

__all__ = ["Agent", "never", "nowhere", "run_id"]


def nowhere(point: str, step: int) -> None:
    """Nobody wants to be told where the agent is."""
    del point, step


def never() -> bool:
    """Nobody asks for it."""
    return False


def run_id() -> str:
    """A new name for this process in the journal."""
    return uuid.uuid4().hex[:8]


@dataclass(frozen=True, slots=True)
class Agent:
    """One process that works on tasks.

    Attributes:
        database: Where they are stored.
        settings: What the environment says.
        report: Told of each effect of a tool, by the tool.
        reached: Told of each point that a step reaches, ``before_effect``, ``after_effect`` and
            ``after_commit``, with the step's index.
        stopping: Whether to stop before the next step.
        log: What changes the task; a subclass may stand around each of its transactions.
        others: Tools that an application brings along, by their names.
    """

    database: Path
    settings: Settings
    report: Report = unreported
    reached: Callable[[str, int], None] = nowhere
    stopping: Callable[[], bool] = never
    log: type[TaskLog] = TaskLog
    others: Mapping[str, OtherTool] = field(default_factory=dict)

    def run(self, task_id: str) -> int:
        """Work on a task for as long as that is possible; the exit status says how far it came.

        Raises:
            AgentError: There is no such task, it needs a tool that is not here, or the settings do
                not fit it.
            TaskLocked: Another process is running it.
        """
        with closing(connect(self.database, create=False)) as connection:
            # Asked before the lock, so that a misspelt name leaves no lock file behind.
            self._check(load(connection, task_id))
            with task_lock(self.database, task_id):
                # Asked again: another process may have finished it since.
                task = load(connection, task_id)
                if task.status == "done":
                    return DONE_EXIT
                if task.status == "failed":
                    return FAILED_EXIT
                log = self.log(connection, task_id, run_id())
                log.recover()
                return self._work(log)

    def reopen(self, task_id: str) -> None:
        """Have a task that failed tried again by the next run, because a person says so."""
        with self._held(task_id) as log:
            for step in load(log.connection, task_id).steps:
                if step.status == "failed":
                    log.reopen(step)

    def extend(self, task_id: str, steps: Sequence[PlannedStep]) -> None:
        """Give a task that is done more to do.

        Raises:
            AgentError: It is not done; what was begun comes first.
        """
        with self._held(task_id) as log:
            status = load(log.connection, task_id).status
            if status != "done":
                raise AgentError(f"task {task_id} is {status}, and takes more when it is done")
            log.extend(steps)

    @contextmanager
    def _held(self, task_id: str) -> Iterator[TaskLog]:
        with closing(connect(self.database, create=False)) as connection:
            load(connection, task_id)
            with task_lock(self.database, task_id):
                yield self.log(connection, task_id, run_id())

    def _work(self, log: TaskLog) -> int:
        toolbox = Toolbox(self.settings, self.report, self.others)
        while True:
            task = load(log.connection, log.task_id)
            step = task.next_step
            if step is None:
                log.complete()
                return DONE_EXIT
            if step.attempts >= self.settings.max_attempts:
                log.give_up(step)
                return FAILED_EXIT
            if self.stopping():
                return STOPPED_EXIT
            log.start(step)
            self._at("before_effect", step.index)
            self.settings.pause()
            key = f"{task.id}-{step.index}"
            try:
                output = toolbox[step.tool](step.input, task.outputs, key)
            except Unfinished as unfinished:
                log.wait(step)
                return unfinished.exit_code
            except Exception as error:  # noqa: BLE001 - whatever it is, the step is tried again
                log.retry(step, error)
                continue
            self._at("after_effect", step.index)
            log.finish(step, output)
            self._at("after_commit", step.index)

    def _at(self, point: str, step: int) -> None:
        if self.settings.crash is not None:
            self.settings.crash.reached(point, step)
        self.reached(point, step)

    def _check(self, task: Task) -> None:
        # A task may have been created by another version of this agent.
        tools = (*TOOLS, *self.others)
        if lacking := [step for step in task.steps if step.tool not in tools]:
            raise AgentError(
                f"step {lacking[0].index} of {task.id} needs the tool {lacking[0].tool!r}, which "
                f"this agent does not have; it has {', '.join(tools)}"
            )
        for step in task.steps:
            self._check_input(task, step)
        crash = self.settings.crash
        if crash is not None and crash.step >= len(task.steps):
            raise AgentError(
                f"AGENT_CRASH_AT names step {crash.step}, and {task.id} has "
                f"{len(task.steps)} steps, counted from 0"
            )

    def _check_input(self, task: Task, step: Step) -> None:
        other = self.others.get(step.tool)
        if other is not None and step.output is None and other.needs != set(step.input):
            raise AgentError(
                f"step {step.index} of {task.id} gives {step.tool} {', '.join(sorted(step.input))};"
                f" it takes {', '.join(sorted(other.needs))} now"
            )
