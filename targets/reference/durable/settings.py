"""What the environment may say about a run."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from durable.errors import AgentError

__all__ = ["POINTS", "Crash", "Settings"]

#: Where a step may be interrupted: before its tool is called; after it returned and before that is
#: stored; after it is stored.
POINTS = ("before_effect", "after_effect", "after_commit")

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True)
class Crash:
    """The moment at which the process kills itself.

    Attributes:
        point: One of :data:`POINTS`.
        step: The step's index.
    """

    point: str
    step: int

    def reached(self, point: str, step: int) -> None:
        """Die here, if this is the moment.

        SIGKILL runs no handler, no ``finally`` and no flush: nothing of Python is left to be kind.
        """
        if (point, step) == (self.point, self.step):
            os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run.

    Attributes:
        artifacts: The folder that artifacts are published in (``AGENT_ARTIFACTS``).
        max_attempts: How often a step may be started, crashes included (``AGENT_MAX_ATTEMPTS``).
        step_delay: Seconds to wait inside each step (``AGENT_STEP_DELAY``).
        crash: Where to die (``AGENT_CRASH_AT``, as ``POINT:STEP``); ``None`` for nowhere.
        unsafe_effects: Publish in a way that a repetition shows (``AGENT_UNSAFE_EFFECTS=1``).
        model: A model of a local Ollama server that summarizes (``AGENT_LLM=ollama``, and
            ``OLLAMA_MODEL``); ``None`` for the summarizer that needs none.
        model_url: That server (``OLLAMA_URL``).
    """

    artifacts: Path = Path("artifacts")
    max_attempts: int = 3
    step_delay: float = 0.0
    crash: Crash | None = None
    unsafe_effects: bool = False
    model: str | None = None
    model_url: str = "http://127.0.0.1:11434"

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Settings:
        """Read the variables.

        Raises:
            AgentError: One of them says something that cannot be meant. A hook with a misspelt
                name would otherwise never fire, and look like a crash that was survived.
        """
        usual = cls()
        engine = environment.get("AGENT_LLM", "")
        if engine not in {"", "stub", "ollama"}:
            raise AgentError(f"AGENT_LLM is {engine!r}; it may be stub or ollama")
        return cls(
            artifacts=Path(environment.get("AGENT_ARTIFACTS") or usual.artifacts),
            max_attempts=_number(environment, "AGENT_MAX_ATTEMPTS", usual.max_attempts, least=1),
            step_delay=_number(environment, "AGENT_STEP_DELAY", usual.step_delay, least=0.0),
            crash=_crash(environment.get("AGENT_CRASH_AT", "")),
            unsafe_effects=environment.get("AGENT_UNSAFE_EFFECTS") == "1",
            model=environment.get("OLLAMA_MODEL", "llama3.2") if engine == "ollama" else None,
            model_url=environment.get("OLLAMA_URL") or usual.model_url,
        )

    def pause(self) -> None:
        """Give whoever wants to kill this process the time to do so."""
        if self.step_delay:
            time.sleep(self.step_delay)


def _crash(text: str) -> Crash | None:
    if not text:
        return None
    point, _, step = text.partition(":")
    if point not in POINTS or not step.isdecimal():
        raise AgentError(
            f"AGENT_CRASH_AT is {text!r}; it has to be {', '.join(POINTS[:-1])} or {POINTS[-1]}, "
            "a colon and the number of a step"
        )
    return Crash(point, int(step))


def _number(
    environment: Mapping[str, str], name: str, default: _Number, *, least: _Number
) -> _Number:
    text = environment.get(name, "")
    if not text:
        return default
    try:
        number = type(default)(text)
    except ValueError:
        number = least - 1
    # Written this way round, "nan" is refused as well.
    if not number >= least:
        raise AgentError(f"{name} is {text!r}; it has to be a number from {least} on")
    return number
