"""Where runs happen: scratch folders, the launcher, and one trial at a time."""

from __future__ import annotations

import contextlib
import os
import tempfile
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

from plugpull.limits import Limits
from plugpull.processes.guardian import Guardian
from plugpull.processes.launcher import Launcher, SpawnLauncher
from plugpull.processes.strays import kill_strays
from plugpull.run_folders import not_made, remove
from plugpull.subject import Subject
from plugpull.trial import Ended, Trial

__all__ = ["Ended", "Lab", "Limits", "Trial"]

# A socket's path has room for about 100 bytes, and a long TMPDIR uses them up.
_LONGEST_SCRATCH = 60


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


def _scratch_folder() -> Path:
    """A folder for sockets and work folders, with a path short enough for a socket."""
    with not_made("the folder for temporary files"):
        folder = Path(tempfile.mkdtemp(prefix="plugpull-"))
        if len(os.fsencode(folder)) <= _LONGEST_SCRATCH:
            return folder
        with contextlib.suppress(OSError):
            folder.rmdir()
        return Path(tempfile.mkdtemp(prefix="plugpull-", dir="/tmp"))
