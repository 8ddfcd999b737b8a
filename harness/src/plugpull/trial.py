"""One fresh run of a subject: its folders, its provider, and the processes that share them."""

from __future__ import annotations

import json
import shutil
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from plugpull.errors import PlugpullError
from plugpull.limits import Limits
from plugpull.processes.environment import child_environment
from plugpull.processes.launcher import LOST, AgentProcess, CannotStart, Command, kill_group
from plugpull.processes.strays import MARKER_VARIABLE, Stray, kill_strays
from plugpull.processes.threads import has_work
from plugpull.provider import Provider
from plugpull.run_folders import not_made, remove, special_files
from plugpull.stderr_tail import tail
from plugpull.subject import Subject

if TYPE_CHECKING:
    from plugpull.lab import Lab

__all__ = ["Ended", "Trial"]

#: Environment variable with the trial's name, the same in each of its processes.
TRIAL_VARIABLE = "PLUGPULL_TRIAL"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended.

    Attributes:
        returncode: Exit status, negative for a signal; ``None`` when it was still running at the
            limit and was killed.
        seconds: Wall time.
        stderr: The end of what it wrote to standard error.
    """

    returncode: int | None
    seconds: float
    stderr: str


class Trial:
    """One fresh run: an empty work folder, a provider, and the processes that share them.

    Args:
        lab: Where it happens.
        subject: What is run.
        folder: A folder of the trial's own; made here.
        variables: Environment for each process, on top of the subject's.
    """

    def __init__(
        self, lab: Lab, subject: Subject, folder: Path, variables: Mapping[str, str]
    ) -> None:
        self.lab = lab
        self.subject = subject
        self.folder = folder
        # Two folders: an agent that deletes everything it can see in its own must not take the
        # provider's socket along.
        self.work = folder / "work"
        self.private = folder / "ours"
        with not_made(folder):
            self.work.mkdir(parents=True)
            self.private.mkdir()
            self.provider = Provider(self.private / "provider")
        self.variables = dict(variables)
        #: What tells this run from every other, for whoever keeps its state beside others'.
        self.name = uuid.uuid4().hex
        #: Interpreter for the processes after the fault, where it is not our own.
        self.python_after: Path | None = None
        self.strays: list[Stray] = []
        self._processes: list[AgentProcess] = []
        self._groups: set[int] = set()
        self._reported = self.private / "reported.json"

    def __enter__(self) -> Trial:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def launch(self, verb: str, *, generation: int = 0) -> AgentProcess:
        """Start the subject with ``verb``.

        Raises:
            CannotStart: With the system's reason.
        """
        try:
            # The agent owns its work folder, so it may have removed the folder itself.
            self.work.mkdir(exist_ok=True)
        except OSError as error:
            raise CannotStart(f"its work folder cannot be made: {error.strerror}") from error
        environment = child_environment(
            {
                **self.subject.environment,
                **self.variables,
                MARKER_VARIABLE: self.lab.marker,
                TRIAL_VARIABLE: self.name,
                "PLUGPULL_PROVIDER": str(self.provider.path),
                "PLUGPULL_WORKDIR": str(self.work),
                "PLUGPULL_REPORTED": str(self._reported),
            },
            self.lab.pass_env,
        )
        argv, program = self.subject.argv, self.subject.program
        if self.python_after is not None and generation > 0:
            argv, program = (str(self.python_after), *argv[1:]), None
        command = Command(
            argv=(*argv, verb),
            environment=environment,
            directory=self.folder if self.subject.program else Path.cwd(),
            output=self.private / f"{verb}.out",
            errors=self.private / f"{verb}.err",
            program=program,
            generation=generation,
        )
        process = self.lab.launcher.launch(command)
        self._processes.append(process)
        self._groups.add(process.pid)
        return process

    @property
    def groups(self) -> frozenset[int]:
        """The process groups of everything that was started here."""
        return frozenset(self._groups)

    def stderr(self, verb: str) -> str:
        """The end of what the process with ``verb`` wrote to standard error."""
        return tail(self.private / f"{verb}.err")

    def run(self, verb: str, limit: float, *, generation: int = 0) -> Ended:
        """Start the subject with ``verb`` and wait for it to end, at most ``limit`` seconds.

        Raises:
            CannotStart: With the system's reason.
        """
        begun = time.monotonic()
        process = self.launch(verb, generation=generation)
        returncode = process.wait(limit)
        self.end(process)
        if returncode == LOST:
            msg = "the server that forked it has gone, so nobody knows how it ended"
            raise CannotStart(msg)
        return Ended(returncode, time.monotonic() - begun, self.stderr(verb))

    def end(self, process: AgentProcess) -> None:
        """Kill what is left of the process's group."""
        kill_group(process.pid)
        process.wait(Limits.LEAST)
        self.lab.guardian.forget(process.pid)
        if process in self._processes:
            self._processes.remove(process)

    def busy(self) -> bool:
        """Whether a thread of the trial's processes runs, or would if it had a processor.

        A server that keeps the run's state counts too: what it was told is not kept yet.

        Their children are not asked, and only Linux answers; elsewhere nobody is busy.
        """
        pids = [*(process.pid for process in self._processes), *self.lab.beside]
        return any(map(has_work, pids))

    def inspect(self, limit: float) -> dict[str, Any] | None:
        """What a fresh process reads back through the framework; ``None`` for a subject without.

        This is what the target reports, so it is marked as such and proves nothing by itself.
        """
        if not self.subject.inspects:
            return None
        try:
            # Whatever start or resume left there is no answer of this process.
            self._reported.unlink(missing_ok=True)
            ended = self.run("inspect", limit, generation=1)
        except CannotStart as error:
            return {"error": f"inspect could not be started: {error}"}
        if ended.returncode != 0:
            return {"error": f"inspect ended with {ended.returncode}", "stderr": ended.stderr}
        try:
            return self.reported()
        except (OSError, ValueError) as error:
            return {"error": f"inspect left no readable report: {error}"}

    def reported(self) -> dict[str, Any]:
        """What a process wrote to the file for reports.

        Raises:
            OSError: There is no such file.
            ValueError: It is not a JSON object.
        """
        report = json.loads(self._reported.read_text(encoding="utf-8"))
        if not isinstance(report, dict):
            raise ValueError(  # noqa: TRY004 - the file's content is at fault, not our caller
                f"expected a JSON object, not {type(report).__name__}"
            )
        return report

    def sweep(self) -> list[dict[str, Any]]:
        """End every process that left its group; what they were, for the evidence."""
        for process in list(self._processes):
            self.end(process)
        # What is still dying in a group that was killed has not left it.
        self.strays += [
            stray
            for stray in kill_strays(self.lab.marker, self.lab.spare)
            if stray.group not in self._groups
        ]
        return [{"pid": stray.pid, "command": stray.command} for stray in self.strays]

    def keep(self, name: str) -> None:
        """Copy the trial's folders to where the user asked for them (``--keep``).

        Raises:
            PlugpullError: They cannot be written there.
        """
        if self.lab.keep is None:
            return
        kept = self.lab.keep / self.lab.name_to_keep(name)
        shutil.rmtree(kept, ignore_errors=True)
        try:
            shutil.copytree(self.folder, kept, ignore=special_files, symlinks=True)
        except (OSError, RecursionError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise PlugpullError(
                f"{kept} cannot be written: {reason or error}",
                then="name another folder: --keep DIR",
            ) from error

    def close(self) -> None:
        """End every process and remove the folders."""
        self.sweep()
        self.provider.close()
        remove(self.folder)
