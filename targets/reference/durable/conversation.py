"""A conversation as a task: each answer of the model is a step, and so is each call it asks for.

::

    answer(message) ──▶ call ──▶ call ──▶ answer ──▶ …

Nobody knows beforehand what the model will ask for. So the step ``answer`` returns, with what the
model said, the steps that come of it, and both are stored in one transaction. Before it the model
may be asked again, and say something else: nothing has come of the first wording. After it the
calls are steps as any others, each with a key that stays the same, and the model is not asked
again about what it has decided.

What was said is nowhere else than in the outputs of the steps. So there is no history that could
hold a call without its answer: the model is asked when the steps of its calls are done.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from durable.approval import ASK, rejected
from durable.plan import PlannedStep
from durable.tasks import Task
from durable.tools import OtherTool

__all__ = ["Message", "Model", "answering", "calling", "history", "message"]

Json = dict[str, Any]

Message = dict[str, Any]
"""``{"role": "user" | "assistant" | "tool", "text": ...}``.

The model's may have ``calls``, each with an ``id``, a ``tool`` and its ``input``; a tool's has the
``id`` of the call that it answers.
"""

Model = Callable[[list[Message]], Message]
"""Says what comes next in a conversation."""

_ANSWER = "answer"


def message(text: str) -> PlannedStep:
    """The step that a user's message is: the model is to answer it."""
    return PlannedStep(_ANSWER, {"message": text})


def answering(model: Model, gated: Collection[str] = ()) -> Mapping[str, OtherTool]:
    """The tool with which the model is asked, under its name.

    Args:
        model: It.
        gated: The tools that it may call when a person has said yes.
    """

    def answer(given: Json, outputs: Mapping[int, Json], key: str) -> Json:
        del key
        heard = given["message"]
        before = [said for index in sorted(outputs) for said in _said(outputs[index])]
        said = model(before + _heard(heard))
        calls = said.get("calls", [])
        asks = [_ask_about(call) for call in calls if call["tool"] in gated]
        again = {"tool": _ANSWER, "input": {"message": None}}
        steps = [*asks, *(_make(call) for call in calls), again] if calls else []
        return {"heard": heard, "said": said, "then": steps}

    return {_ANSWER: OtherTool(frozenset({"message"}), answer)}


def calling(tool: Callable[..., str]) -> OtherTool:
    """A function that the model may call, as a tool.

    Args:
        tool: Takes the step's key, and by name what the model gives it; returns what the model is
            told.
    """
    _, *names = inspect.signature(tool).parameters

    def call(given: Json, outputs: Mapping[int, Json], key: str) -> Json:
        if rejected(outputs, given["call"]):
            text = "A person has said no to this."
        else:
            text = tool(key, **{name: given[name] for name in names})
        return {"said": {"role": "tool", "id": given["call"], "text": text}}

    return OtherTool(frozenset({"call", *names}), call)


def history(task: Task) -> Iterator[Message]:
    """What was said so far. A message that has no answer yet is there as well."""
    for step in task.steps:
        if step.output is not None:
            yield from _said(step.output)
        elif step.tool == _ANSWER:
            yield from _heard(step.input["message"])


def _heard(text: str | None) -> list[Message]:
    """What the user said, if the model is not asked because of its own calls."""
    return [] if text is None else [{"role": "user", "text": text}]


def _said(output: Json) -> list[Message]:
    """What a step adds to the conversation; a person's decision adds nothing."""
    return [*_heard(output.get("heard")), output["said"]] if "said" in output else []


def _ask_about(call: Json) -> Json:
    about = {"call": call["id"], "tool": call["tool"], "input": call["input"]}
    return {"tool": ASK, "input": about}


def _make(call: Json) -> Json:
    return {"tool": call["tool"], "input": {**call["input"], "call": call["id"]}}
