"""The agent in the functional API: the same loop, written as a function.

https://docs.langchain.com/oss/python/langgraph/functional-api

The result of each task is saved when it is there; on resume the workflow runs again from its
beginning, and a task that is done gives its result without running:
https://docs.langchain.com/oss/python/langgraph/durable-execution
"""

from __future__ import annotations

from typing import Any

from graph import model, retried
from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage
from langgraph.func import entrypoint, task
from plugpull import record_effect
from settings import APPROVAL, NESTED, ORDER
from tools import REJECTED, approved, tools


@task(**retried("model"))
def call_model(messages: list[BaseMessage]) -> BaseMessage:
    """Let the model say what comes next."""
    return model().invoke(messages)


@task(**retried("tool"))
def call_tool(call: ToolCall) -> ToolMessage:
    """Do what the model asked for."""
    known = {one.name: one for one in tools()}
    answer: ToolMessage = known[call["name"]].invoke({**call, "type": "tool_call"})
    return answer


@task()
def close_order() -> None:
    """Tell the shop that the order is done. Safe to repeat, thanks to its key."""
    record_effect("finish_order", key=ORDER)


def answer_calls(calls: list[ToolCall]) -> list[BaseMessage]:
    """Run the calls of one turn side by side, those that need a human after they were approved.

    https://docs.langchain.com/oss/python/langgraph/use-functional-api#review-tool-calls
    """
    gated = [call for call in calls if APPROVAL and call["name"] == "charge_card"]
    running = {call["id"]: call_tool(call) for call in calls if call not in gated}
    answers: dict[str | None, BaseMessage] = {}
    for call in gated:
        if approved(call["args"]["payment"]):
            running[call["id"]] = call_tool(call)
        else:
            answers[call["id"]] = ToolMessage(REJECTED, tool_call_id=str(call["id"]))
    answers |= {identity: future.result() for identity, future in running.items()}
    return [answers[call["id"]] for call in calls]


def converse(messages: list[BaseMessage]) -> list[BaseMessage]:
    """Model, tools, and back, until the model asks for nothing more."""
    said = [*messages, call_model(messages).result()]
    while isinstance(said[-1], AIMessage) and said[-1].tool_calls:
        said += answer_calls(said[-1].tool_calls)
        said.append(call_model(said).result())
    return said


def build(checkpointer: Any, *, in_loop: bool = False) -> Any:
    """The workflow on a checkpointer.

    It is the same for asyncio: a workflow of plain functions may be streamed as well, and before
    Python 3.11 one of coroutines could not call its tasks.
    """
    del in_loop

    @entrypoint()
    def desk(messages: list[BaseMessage]) -> list[BaseMessage]:
        return converse(messages)

    @entrypoint(checkpointer=checkpointer)
    def order(request: dict[str, Any], *, previous: Any = None) -> dict[str, Any]:
        before = previous["messages"] if previous else []
        given = [*before, *request["messages"]]
        said = desk.invoke(given) if NESTED else converse(given)
        close_order().result()
        return {**request, "messages": said, "closed": True}

    return order
