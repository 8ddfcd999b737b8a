"""One ToolNode, two tools that ask: the answer to one may release the other (langgraph#6533).

python langgraph-wrong-answer.py     needs langgraph

Both payments ask a human. At first the second one is slower to ask, so the human is asked about the
first one, and approves it. When the run goes on, the first one is slower.
"""

import time

from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

CONFIG = {"configurable": {"thread_id": "1"}}
slow = [2]


@tool
def charge(payment: int) -> str:
    """Charge the card."""
    time.sleep(0.5 if payment in slow else 0)
    answer = interrupt(f"Make payment {payment}?")
    print(f"payment {payment} is told: {answer}")
    return "charged"


def model(_):
    calls = [{"name": "charge", "args": {"payment": n}, "id": f"call_{n}"} for n in (1, 2)]
    return {"messages": [AIMessage("", tool_calls=calls)]}


graph = StateGraph(MessagesState)
graph.add_node("model", model)
graph.add_node("tools", ToolNode([charge]))
graph.add_edge(START, "model")
graph.add_edge("model", "tools")
graph.add_edge("tools", END)
app = graph.compile(checkpointer=InMemorySaver())

(question,) = app.invoke({"messages": ["Charge my card twice."]}, CONFIG)["__interrupt__"]
print(f"the human is asked: {question.value}")
slow[:] = [1]
app.invoke(Command(resume={question.id: "yes, make payment 1"}), CONFIG)
