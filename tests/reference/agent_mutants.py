"""The reference agent's guards, each with the change that takes it away and the checks that see it.

A check that is not listed must stay green: a guard whose loss turns everything red would say
nothing about what it guards.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from agent_bench import REFERENCE

Edit = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A copy of the agent that lacks one thing.

    Attributes:
        name: What it lacks.
        file: The module that is changed.
        edits: Text that is there exactly once, and what stands in its place.
        red: The checks that must fail; no other may.
    """

    name: str
    file: str
    edits: tuple[Edit, ...]
    red: frozenset[str]

    def make(self, folder: Path) -> Path:
        """Copy the agent, with the change, and return the copy's folder."""
        copy = folder / "agent"
        shutil.copytree(REFERENCE, copy)  # with what is compiled already
        module = copy / "durable" / self.file
        source = module.read_text(encoding="utf-8")
        for text, replacement in self.edits:
            assert source.count(text) == 1, f"{self.name}: {text!r} is not there exactly once"
            source = source.replace(text, replacement)
        module.write_text(source, encoding="utf-8")
        return copy


def crashes(points: str, steps: str = "02") -> set[str]:
    """Names of crash checks: ``b``efore and ``a``fter the effect, after the ``c``ommit."""
    names = {"b": "before_effect", "a": "after_effect", "c": "after_commit"}
    return {f"crash[{names[point]}:{step}]" for point in points for step in steps}


def split(before: str, event: str) -> tuple[Edit, ...]:
    """A second transaction for the event."""
    again = f"\n        with transaction(self.connection):\n            {event}"
    return ((f"{before}\n            {event}", before + again),)


def more(text: str, *, before: str = "", after: str = "") -> Edit:
    """Something added to a place."""
    return text, before + text + after


def point(name: str) -> str:
    """The line where the loop says that it has reached a point."""
    return f'            self._at("{name}", step.index)\n'


def mutant(name: str, file: str, *edits: Edit, red: set[str]) -> Mutant:
    """One row of the table."""
    return Mutant(name, file, edits, frozenset(red))


MUTANTS: tuple[Mutant, ...] = (
    # -- state and event in one transaction
    mutant(
        "creation in two transactions",
        "tasks.py",
        more(
            '        journal.append(connection, task_id, run_id, "task_created"',
            before="    with transaction(connection):\n",
        ),
        red={"creation"},
    ),
    mutant(
        "start in two transactions",
        "tasks.py",
        *split('self._set_task("running")', 'self._append("step_started"'),
        red={"one transaction", "one transaction in failure"},
    ),
    mutant(
        "finish in two transactions",
        "tasks.py",
        *split(
            "(json.dumps(output, sort_keys=True), self.task_id, step.index),\n            )",
            'self._append("step_finished"',
        ),
        red={"one transaction"},
    ),
    mutant(
        "recovery and run_started in two transactions",
        "tasks.py",
        *split(
            'self._append("step_recovered", index)', 'self._append("run_started", recovered=left)'
        ),
        red={"one transaction"},
    ),
    mutant(
        "failure in two transactions",
        "tasks.py",
        *split('self._set_task("failed")', 'self._append("task_failed"'),
        red={"one transaction in failure"},
    ),
    mutant(
        "end in two transactions",
        "tasks.py",
        *split('self._set_task("done")', 'self._append("task_done")'),
        red={"one transaction"},
    ),
    # -- recovery
    mutant(
        "recovery missing",
        "tasks.py",
        ("AND status = 'running' ORDER BY idx", "AND status = 'nothing' ORDER BY idx"),
        red={
            *crashes("ba"),
            "outside kill",
            "second runner",
            "negative control",
            "crashes count",
            "mended tool",
            "one transaction",
            "whole or absent",
        },
    ),
    mutant(
        "recovery not in the journal",
        "tasks.py",
        ('self._append("step_recovered", index)', "pass"),
        red={
            *crashes("ba"),
            "outside kill",
            "second runner",
            "crashes count",
            "mended tool",
            "one transaction",
            "whole or absent",
        },
    ),
    mutant(
        "starts over instead of going on",
        "tasks.py",
        ("AND status = 'running' ORDER BY idx", "AND status != 'pending' ORDER BY idx"),
        red={
            *(crashes("bac") - crashes("ba", "0")),
            "outside kill",
            "plan is fixed",
            "one transaction",
            "whole or absent",
        },
    ),
    mutant(
        "plans again on restart",
        "loop.py",
        more(
            "                log.recover()\n",
            after="""\
                import json
                plan = json.loads(Path('plan.json').read_text())
                connection.execute('UPDATE tasks SET goal = ?', (plan['goal'],))
                connection.execute('DELETE FROM steps WHERE idx >= ?', (len(plan['steps']),))
""",
        ),
        red={"plan is fixed"},
    ),
    # -- attempts
    mutant(
        "attempts not counted",
        "tasks.py",
        ("attempts = attempts + 1", "attempts = attempts"),
        red={
            "baseline",
            *crashes("bac"),
            "crashes count",
            "failing tool",
            "one transaction",
            "one transaction in failure",
            "finished stays",
        },
    ),
    mutant(
        "a crash costs no attempt",
        "tasks.py",
        more(
            'self._append("step_recovered", index)',
            after="""
                lost = "UPDATE steps SET attempts = attempts - 1 WHERE idx = ?"
                self.connection.execute(lost, (index,))""",
        ),
        red={*crashes("ba"), "crashes count", "one transaction"},
    ),
    # -- the places to crash at
    mutant(
        "before_effect behind the effect",
        "loop.py",
        (point("before_effect"), ""),
        more(point("after_effect"), before=point("before_effect")),
        red={"crash[before_effect:2]", "mended tool"},
    ),
    mutant(
        "after_effect before the effect",
        "loop.py",
        (point("after_effect"), ""),
        more(point("before_effect"), after=point("after_effect")),
        red={"crash[after_effect:2]", "negative control"},
    ),
    mutant(
        "after_commit before the commit",
        "loop.py",
        (point("after_commit"), ""),
        more("            log.finish(step, output)\n", before=point("after_commit")),
        red={*crashes("c"), "outside kill"},
    ),
    # -- effects
    mutant(
        "key not stable",
        "loop.py",
        (
            'key = f"{task.id}-{step.index}"',
            'key = f"{task.id}-{step.index}" + f"-{step.attempts}" * (step.attempts > 0)',
        ),
        red={*crashes("ba", "2"), "one transaction", "whole or absent"},
    ),
    mutant(
        "written under its own name",
        "artifacts.py",
        (
            'draft = folder / f".{key}.{os.getpid()}.tmp"',
            "if artifact.exists():\n        return artifact, True\n    draft = artifact",
        ),
        ("        os.link(draft, artifact)\n", ""),
        ("        draft.unlink()\n", "        pass\n"),
        red={"whole or absent", "synced first"},
    ),
    mutant(
        "renamed instead of linked",
        "artifacts.py",
        ("os.link(draft, artifact)", "draft.rename(artifact)"),
        ("draft.unlink()", "draft.unlink(missing_ok=True)"),
        red={"crash[after_effect:2]", "synced first"},
    ),
    mutant(
        "not synced",
        "artifacts.py",
        ("        os.fsync(stream.fileno())\n", ""),
        red={"synced first"},
    ),
    mutant(
        "folder not synced",
        "artifacts.py",
        ("        _sync_folder(folder)\n", "        pass\n"),
        red={"synced first"},
    ),
    mutant(
        "negative control that is safe",
        "tools.py",
        ("if self._settings.unsafe_effects:", "if False:"),
        red={"negative control"},
    ),
    # -- tools that raise, and ends
    mutant(
        "a tool's exception escapes",
        "loop.py",
        ("except Exception as error:", "except ZeroDivisionError as error:"),
        red={"failing tool", "one transaction in failure", "finished stays"},
    ),
    mutant(
        "a tool's exception not in the journal",
        "tasks.py",
        ('self._append("step_error", step.index, error=repr(error))', "pass"),
        red={"failing tool", "one transaction in failure"},
    ),
    mutant(
        "a done task is run again",
        "loop.py",
        ('if task.status == "done":', "if False:"),
        red={"finished stays"},
    ),
    mutant(
        "a failed task is run again",
        "loop.py",
        ('if task.status == "failed":', "if False:"),
        red={"finished stays"},
    ),
    # -- the rest
    mutant(
        "no lock",
        "lock.py",
        ("fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)", "pass"),
        red={"second runner"},
    ),
    mutant(
        "a journal that can be changed",
        "database.py",
        ("BEFORE UPDATE ON events", "BEFORE UPDATE OF seq ON events"),
        red={"append-only"},
    ),
)
