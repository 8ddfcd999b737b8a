"""A finished @task runs again when a graph within a graph is resumed (langgraph#6050).

python langgraph-nested-task.py     needs langgraph
"""

from typing import TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import task
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

CONFIG = {"configurable": {"thread_id": "1"}}
reserved = []


class State(TypedDict):
    answer: str


@task
def reserve_stock():
    reserved.append("once")


def ask(_):
    reserve_stock().result()
    return {"answer": interrupt("Charge the card?")}


def around(node):
    graph = StateGraph(State)
    graph.add_node("inside", node)
    graph.add_edge(START, "inside")
    graph.add_edge("inside", END)
    return graph


for name, graph in {"flat": around(ask), "nested": around(around(ask).compile())}.items():
    reserved.clear()
    app = graph.compile(checkpointer=InMemorySaver())
    app.invoke({"answer": ""}, CONFIG)
    app.invoke(Command(resume="yes"), CONFIG)
    print(f"{name}: the task ran {len(reserved)} times")
