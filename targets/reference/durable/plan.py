"""A task's plan: a goal and its steps, read once, when the task is created.

A plan that a model wrote would be stored the same way. Whoever plans again after a crash may get
another plan, and then nobody can say what the steps already done were steps of.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from durable.errors import AgentError

__all__ = ["TOOLS", "Plan", "PlannedStep", "read_plan"]

# What each tool has to be given: the key, and what its value is.
_INPUTS: dict[str, tuple[str, type]] = {
    "fetch": ("path", str),
    "summarize": ("from", int),
    "write_artifact": ("from", int),
}

#: The tools that a plan may name.
TOOLS = tuple(_INPUTS)


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step.

    Attributes:
        tool: The tool's name.
        input: What the tool is given.
    """

    tool: str
    input: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a task is to do.

    Attributes:
        goal: In words, for people.
        steps: At least one; run in this order.
    """

    goal: str
    steps: tuple[PlannedStep, ...]


def read_plan(path: Path) -> Plan:
    """Read ``{"goal": TEXT, "steps": [{"tool": NAME, "input": {...}}, ...]}``.

    Raises:
        AgentError: It cannot be read, or not be run as it stands; the message names the place.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AgentError(f"the plan {path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise AgentError(f"the plan {path} is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise AgentError(f"the plan {path} has to be an object with goal and steps")
    goal, steps = data.get("goal"), data.get("steps")
    if not isinstance(goal, str) or not goal:
        raise AgentError(f"the plan {path}: goal has to be a text")
    if not isinstance(steps, list) or not steps:
        raise AgentError(f"the plan {path}: steps has to be a list with at least one step")
    return Plan(goal, tuple(_step(step, at, path) for at, step in enumerate(steps)))


def _step(data: Any, at: int, path: Path) -> PlannedStep:
    place = f"the plan {path}: steps[{at}]"
    tool = data.get("tool") if isinstance(data, dict) else None
    if not isinstance(tool, str) or tool not in _INPUTS:
        raise AgentError(f"{place}: there is no tool {tool!r}; there are {', '.join(TOOLS)}")
    key, kind = _INPUTS[tool]
    given = data.get("input")
    value = given.get(key) if isinstance(given, dict) else None
    # A bool is an int to Python, and no index to anybody.
    if not isinstance(value, kind) or isinstance(value, bool):
        raise AgentError(f"{place}: {tool} needs input.{key}, and it is {value!r}")
    if isinstance(value, int) and not 0 <= value < at:
        raise AgentError(f"{place}: input.{key} has to be the index of an earlier step")
    return PlannedStep(tool, given)
