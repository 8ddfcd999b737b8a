"""get_state() shows a tool's answer, and the next message drops it.

python langgraph-answer-dropped.py     needs langgraph

A client reads a stream until the tool has answered, and goes away. The answer is saved, as a
pending write, and get_state() shows it. Then the user sends a new message.
"""

import asyncio

from langchain_core.messages import AIMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

CONFIG = {"configurable": {"thread_id": "1"}}


def types(messages):
    return [message.type for message in messages]


async def model(state):
    if len(state["messages"]) > 1:
        print("the model is asked with:", types(state["messages"]))
        return {"messages": [AIMessage("Thank you!")]}
    call = {"name": "charge", "args": {}, "id": "call_1"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


async def tools(_):
    return {"messages": [ToolMessage("charged", tool_call_id="call_1")]}


def wants_tools(state):
    return "tools" if state["messages"][-1].tool_calls else END


async def main():
    graph = StateGraph(MessagesState)
    graph.add_node("model", model)
    graph.add_node("tools", tools)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", wants_tools, ["tools", END])
    graph.add_edge("tools", "model")
    app = graph.compile(checkpointer=InMemorySaver())

    first = {"messages": ["Charge my card."]}
    stream = app.astream(first, CONFIG, stream_mode="messages", durability="sync")
    async for message, _ in stream:
        if isinstance(message, ToolMessage):
            break
    await stream.aclose()

    state = await app.aget_state(CONFIG)
    print("get_state() shows:      ", types(state.values["messages"]))
    await app.ainvoke({"messages": ["Is my order on its way?"]}, CONFIG, durability="sync")


asyncio.run(main())
