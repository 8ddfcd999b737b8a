"""The durable agent, and the workflow it runs in.

* an agent with DBOS's durability, whose run the application puts into a workflow:
  https://pydantic.dev/docs/ai/capabilities/durable_execution/dbos/#durable-agent
* its forerunner, a wrapper whose run is a workflow by itself:
  https://pydantic.dev/docs/ai/capabilities/durable_execution/dbos/#wrapper-agent-path-deprecated
* a human who decides: https://docs.dbos.dev/ai/hitl
"""

from __future__ import annotations

from typing import Any

from dbos import DBOS, SetWorkflowID
from model import MODEL_OF_THE_SHOP, wish
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.durable_exec.dbos import DBOSAgent
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter
from pydantic_ai.tools import ToolDenied
from settings import APPROVAL, DURABLE, NESTED, ORDER, RETRY
from tools import close_order, effect, report, tools

try:
    from pydantic_ai.durable_exec.dbos import DBOSDurability
except ImportError:
    # Releases before 2.14 have the wrapper alone.
    DBOSDurability = None  # type: ignore[assignment, misc]

A_WEEK = 7 * 24 * 60 * 60
REJECTED = ToolDenied("A human has rejected this payment.")
MODEL_STEPS: Any = {"retries_allowed": RETRY == "model", "interval_seconds": 0.05}


def durable_agent() -> Any:
    """The agent, made durable in the way that the variant is about."""
    what: dict[str, Any] = {
        "name": "cashier",
        "tools": tools(),
        "output_type": [str, DeferredToolRequests],
    }
    if DURABLE == "wrapper":
        return DBOSAgent(Agent(MODEL_OF_THE_SHOP, **what), model_step_config=MODEL_STEPS)
    durability = DBOSDurability(model_step_config=MODEL_STEPS)
    return Agent(MODEL_OF_THE_SHOP, capabilities=[durability], **what)


SHOP = durable_agent()


async def turn(prompt: str, history: list[ModelMessage] | None = None) -> list[ModelMessage]:
    """One turn of the conversation, with every human decision that it needs."""
    result = await SHOP.run(prompt, message_history=history)
    while isinstance(result.output, DeferredToolRequests):
        decided = await ask(result.output)
        result = await SHOP.run(
            message_history=result.all_messages(), deferred_tool_results=decided
        )
    return list(result.all_messages())


async def ask(requests: DeferredToolRequests) -> DeferredToolResults:
    """Ask a human about each call, and wait as long as it takes."""
    waiting = {effect(wish(call)[1]): call.tool_call_id for call in requests.approvals}
    await DBOS.set_event_async("asked", waiting)
    results = DeferredToolResults()
    for name, call in list(waiting.items()):
        await DBOS.set_event_async("waiting", waiting)
        word = await DBOS.recv_async(call, timeout_seconds=A_WEEK)
        results.approvals[call] = True if word == "approve" else REJECTED
        waiting = {other: one for other, one in waiting.items() if other != name}
    await DBOS.set_event_async("waiting", {})
    return results


@DBOS.workflow()
async def take_order(request: str) -> Any:
    """Take the order to its end; gives the conversation, as JSON has it."""
    if APPROVAL.startswith("nested"):
        with SetWorkflowID(NESTED):
            messages = await work(request)
    else:
        messages = await work_here(request)
    await close_order()
    return messages


@DBOS.workflow()
async def work(request: str) -> Any:
    """The agent within: a workflow of its own."""
    return await work_here(request)


async def work_here(request: str) -> Any:
    """One turn, as JSON has it."""
    return ModelMessagesTypeAdapter.dump_python(await turn(request), mode="json")


@DBOS.workflow()
async def say(text: str) -> Any:
    """Answer something new from the user, when the order itself has come to its end."""
    order = await DBOS.retrieve_workflow_async(ORDER)
    history = ModelMessagesTypeAdapter.validate_python(await order.get_result())
    messages = await turn(text, history)
    await report("next_turn", f"{ORDER}-turn-2")
    return ModelMessagesTypeAdapter.dump_python(messages, mode="json")
