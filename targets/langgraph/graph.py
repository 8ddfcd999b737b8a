"""The agent in the graph API: a node that asks the model, a ``ToolNode``, and an edge back.

https://docs.langchain.com/oss/python/langgraph/workflows-agents#agents

Where a human is asked by an agent within the agent, the loop is a graph of its own, which is a node
of the outer one: https://docs.langchain.com/oss/python/langgraph/use-subgraphs
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from kept import Buyer, Parcel, Status
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import RetryPolicy, Send
from model import ShopModel
from plugpull import record_effect
from settings import DISPATCH, NESTED, ORDER, RETRY, TOOL_ERRORS
from tools import tools


class OrderState(MessagesState):
    """The conversation, whether the order was closed, and what the shop knows of it."""

    closed: bool
    parcel: Parcel
    buyer: Buyer
    status: Status
    seal: bytes
    placed: datetime


def model() -> ShopModel:
    """The model, which may ask for the tools that there are."""
    return ShopModel(offered=tuple(one.name for one in tools()))


def ask_model(state: OrderState) -> dict[str, Any]:
    """Let the model say what comes next."""
    return {"messages": [model().invoke(state["messages"])]}


async def ask_model_async(state: OrderState, config: RunnableConfig) -> dict[str, Any]:
    """The same beside other work; before Python 3.11 the config has to be handed on."""
    return {"messages": [await model().ainvoke(state["messages"], config)]}


def close_order(state: OrderState) -> dict[str, Any]:  # noqa: ARG001
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    record_effect("finish_order", key=ORDER)
    return {"closed": True}


def wants_tools(state: OrderState) -> str | list[Send]:
    """Run the tools that the model asked for, all in one node or each in a task of its own."""
    last = state["messages"][-1]
    if not isinstance(last, AIMessage) or not last.tool_calls:
        return "done"
    if DISPATCH == "send":
        return [Send("tools", [{**call, "type": "tool_call"}]) for call in last.tool_calls]
    return "tools"


def build(checkpointer: Any, *, in_loop: bool = False) -> Any:
    """Compile the graph on a checkpointer; ``in_loop`` for one that is run by asyncio."""
    node = ask_model_async if in_loop else ask_model
    graph = StateGraph(OrderState)
    graph.add_node("close", close_order)
    if NESTED:
        desk = StateGraph(OrderState)
        add_loop(desk, node, done=END)
        graph.add_node("desk", desk.compile())
        graph.add_edge(START, "desk")
        graph.add_edge("desk", "close")
    else:
        add_loop(graph, node, done="close")
    graph.add_edge("close", END)
    return graph.compile(checkpointer=checkpointer)


def add_loop(graph: StateGraph, node: Any, *, done: str) -> None:
    """Model, tools, and back, until the model asks for nothing more."""
    # A failing payment must end the run; with True it is text for the model, as any answer is.
    tool_node = ToolNode(tools(), handle_tool_errors=TOOL_ERRORS == "to-model")
    graph.add_node("model", node, **retried("model"))
    graph.add_node("tools", tool_node, **retried("tool"))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", wants_tools, {"tools": "tools", "done": done})
    graph.add_edge("tools", "model")


def retried(what: str) -> dict[str, Any]:
    """LangGraph's own retries of a node, where they were asked for.

    https://docs.langchain.com/oss/python/langgraph/fault-tolerance#retries
    """
    if what != RETRY:
        return {}
    return {"retry_policy": RetryPolicy(max_attempts=3, initial_interval=0.1, jitter=False)}
