"""The command line of the agent."""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NoReturn

from durable import journal, tasks
from durable.database import connect
from durable.errors import DONE_EXIT, REFUSED_EXIT, AgentError
from durable.loop import Agent, run_id
from durable.plan import read_plan
from durable.settings import Settings
from durable.stop import Stop

__all__ = ["main"]

_EPILOG = """\
exit status: 0 done; 1 the request cannot be met (no such task, for example); 2 the task failed;
3 another process is running it; 4 it was asked to stop (SIGTERM), and did so between two steps.
A run that was killed, or stopped, goes on with the next run.
"""

# A task's name becomes part of two file names.
_TASK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line asks for, and return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return _do(options)
    except AgentError as error:
        print(f"agent: {error}", file=sys.stderr)
        return error.exit_code
    except sqlite3.Error as error:
        print(f"agent: the database {options.db} cannot be used: {error}", file=sys.stderr)
        return REFUSED_EXIT
    except BrokenPipeError:
        # Whoever read it has read enough (export | head). The interpreter flushes once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE_EXIT
    except KeyboardInterrupt:
        print(f"agent: interrupted; go on with: run {options.task_id}", file=sys.stderr)
        return 130


def _do(options: argparse.Namespace) -> int:
    if options.verb == "create":
        # Before the database is opened: a mistake in the plan leaves no empty one behind.
        plan = read_plan(options.plan)
        with closing(connect(options.db, create=True)) as connection:
            tasks.create(connection, options.task_id, plan, run_id())
        return DONE_EXIT
    if not options.db.exists():
        raise AgentError(f"unknown task {options.task_id}: there is no database {options.db}")
    if options.verb == "retry":
        Agent(options.db, Settings()).reopen(options.task_id)
        return DONE_EXIT
    if options.verb == "run":
        settings = Settings.from_environment(os.environ)
        return Agent(options.db, settings, stopping=Stop().listen().asked).run(options.task_id)
    with closing(connect(options.db, create=False)) as connection:
        task = tasks.load(connection, options.task_id)
        if options.verb == "status":
            _print_status(task)
        else:
            for entry in journal.entries(connection, options.task_id):
                print(json.dumps(entry, ensure_ascii=False))
        sys.stdout.flush()
    return DONE_EXIT


def _print_status(task: tasks.Task) -> None:
    steps = [
        {"idx": step.index, "tool": step.tool, "status": step.status, "attempts": step.attempts}
        for step in task.steps
    ]
    found = {"task": task.id, "goal": task.goal, "status": task.status, "steps": steps}
    print(json.dumps(found, indent=2, ensure_ascii=False))


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        # argparse's own 2 would read as "the task failed".
        self.print_usage(sys.stderr)
        self.exit(REFUSED_EXIT, f"{self.prog}: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="agent.py",
        description="A small agent that survives being killed at any moment.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--db", type=Path, default=Path("state.db"), help="the database (default: %(default)s)"
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    create = verbs.add_parser("create", help="store a new task with its plan")
    create.add_argument("task_id", type=_task_id, metavar="ID", help="the new task's name")
    create.add_argument("plan", type=Path, metavar="PLAN", help="the plan, a JSON file")
    for verb, what in (
        ("run", "begin a task, or go on with it after a crash"),
        ("retry", "have a task that failed tried again by the next run"),
        ("status", "print the task and its steps as JSON"),
        ("export", "print the task's journal, one JSON object a line"),
    ):
        verbs.add_parser(verb, help=what).add_argument("task_id", metavar="ID", help="the task")
    return parser


def _task_id(text: str) -> str:
    if _TASK_ID.fullmatch(text) is None:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name for a task: letters and digits, and . _ - between them"
        )
    return text
