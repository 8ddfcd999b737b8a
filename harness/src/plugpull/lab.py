"""Where runs happen: scratch folders, the launcher, time limits, and one trial at a time."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from plugpull.errors import PlugpullError
from plugpull.processes.environment import child_environment
from plugpull.processes.guardian import Guardian
from plugpull.processes.launcher import (
    LOST,
    AgentProcess,
    CannotStart,
    Command,
    Launcher,
    SpawnLauncher,
    kill_group,
)
from plugpull.processes.strays import MARKER_VARIABLE, Stray, kill_strays
from plugpull.processes.threads import has_work
from plugpull.provider import Provider
from plugpull.stderr_tail import tail
from plugpull.subject import Subject

__all__ = ["Ended", "Lab", "Limits", "Trial"]

#: Environment variable with the trial's name, the same in each of its processes.
TRIAL_VARIABLE = "PLUGPULL_TRIAL"

# A socket's path has room for about 100 bytes, and a long TMPDIR uses them up.
_LONGEST_SCRATCH = 60


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a process may take, in seconds, before it counts as hanging.

    Attributes:
        timeout: What the user asked for (``--timeout``); ``None`` for the rules below.
    """

    timeout: float | None = None

    #: Without a fault nothing is known yet about how long a run takes.
    UNFAULTED = 300.0
    #: A faulted run gets at least this, and ten times as long as the run without a fault took,
    #: so that a busy machine decides no verdict.
    LEAST = 60.0
    FACTOR = 10

    @property
    def unfaulted(self) -> float:
        """For the run without a fault."""
        return self.UNFAULTED if self.timeout is None else self.timeout

    def faulted(self, unfaulted_seconds: float) -> float:
        """For each process of a faulted run."""
        if self.timeout is not None:
            return self.timeout
        return max(self.LEAST, self.FACTOR * unfaulted_seconds)


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


@dataclass(slots=True)
class Lab:
    """What all trials share.

    Use it as a context manager; leaving it ends every process and removes every folder.

    Attributes:
        limits: Time limits.
        pass_env: Names of the user's environment to hand through to agents.
        keep: Folder in which the work folder and the output of a failing trial are kept.
    """

    limits: Limits = field(default_factory=Limits)
    pass_env: tuple[str, ...] = ()
    keep: Path | None = None
    marker: str = field(default_factory=lambda: uuid.uuid4().hex)
    scratch: Path = field(init=False)
    guardian: Guardian = field(init=False)
    launcher: Launcher = field(init=False)
    spare: frozenset[int] = frozenset()
    #: Servers that the runs have to do with: while one of them works, a run does not stand still.
    beside: frozenset[int] = frozenset()
    _trials: int = 0
    _kept: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.scratch = _scratch_folder()
        self.guardian = Guardian(self.marker)
        self.guardian.own_folder(self.scratch)
        self.launcher = SpawnLauncher(self.guardian)

    def __enter__(self) -> Lab:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End everything and remove every trace."""
        self.launcher.close()
        kill_strays(self.marker)
        remove(self.scratch)
        self.guardian.dismiss()

    def use(self, launcher: Launcher, spare: frozenset[int] = frozenset()) -> None:
        """Start agents with this launcher from here on; ``spare`` are its own processes."""
        self.launcher.close()
        self.launcher = launcher
        self.spare = spare

    def name_to_keep(self, name: str) -> str:
        """The name itself, and with a number from its second use on: nothing is kept twice."""
        self._kept[name] += 1
        return name if self._kept[name] == 1 else f"{name}-{self._kept[name]}"

    def trial(self, subject: Subject, variables: Mapping[str, str] | None = None) -> Trial:
        """A fresh run of ``subject``; ``variables`` reach each of its processes."""
        self._trials += 1
        return Trial(self, subject, self.scratch / str(self._trials), variables or {})


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
        with _not_made(folder):
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
            shutil.copytree(self.folder, kept, ignore=_special_files, symlinks=True)
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


def remove(folder: Path) -> None:
    """Remove a folder, and what an agent left in it: folders under lock, or nested too deep."""
    with contextlib.suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)
    if folder.exists():
        # These two go as deep as there are folders; shutil, until 3.13, as deep as calls nest.
        for command in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
            subprocess.run([*command, str(folder)], capture_output=True, check=False)


def _special_files(folder: str, names: list[str]) -> list[str]:
    """Sockets, pipes and devices: they hold nothing that could be copied."""
    found = [Path(folder) / name for name in names]
    return [
        path.name for path in found if not (path.is_symlink() or path.is_file() or path.is_dir())
    ]


@contextlib.contextmanager
def _not_made(place: object) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PlugpullError(
            f"a run cannot be set up in {place}: {error.strerror or error}",
            then="make room there, or name another place: TMPDIR",
        ) from error


def _scratch_folder() -> Path:
    """A folder for sockets and work folders, with a path short enough for a socket."""
    with _not_made("the folder for temporary files"):
        folder = Path(tempfile.mkdtemp(prefix="plugpull-"))
        if len(os.fsencode(folder)) <= _LONGEST_SCRATCH:
            return folder
        with contextlib.suppress(OSError):
            folder.rmdir()
        return Path(tempfile.mkdtemp(prefix="plugpull-", dir="/tmp"))
