"""The same order with coroutines: an async workflow that calls its agent, an async child workflow.

* https://docs.dbos.dev/python/tutorials/workflow-tutorial#coroutine-async-workflows
* an agent that another one calls is a child workflow:
  https://docs.dbos.dev/python/tutorials/workflow-tutorial#running-async-steps-in-parallel
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import model
import newer_sqlite  # noqa: F401 - has to come before DBOS
from dbos import DBOS, SetWorkflowID
from plugpull import record_effect
from settings import ORDER, REQUEST, config, report
from stored import read_history
from tools import own_key

Message = dict[str, Any]


@DBOS.step()
async def ask_the_model(messages: list[Message]) -> Message:
    """Let the model say what comes next."""
    return await asyncio.to_thread(model.answer, messages, ["charge_card"])


@DBOS.step()
async def charge_the_card(call: Message) -> Message:
    """Charge the customer's card."""
    await asyncio.to_thread(record_effect, "charge_card", key=own_key())
    return {"role": "tool", "id": call["id"], "content": "charged"}


@DBOS.step()
async def close_the_order() -> None:
    """Tell the shop that the order is done. Safe to repeat, thanks to its key."""
    await asyncio.to_thread(record_effect, "finish_order", key=ORDER)


@DBOS.workflow()
async def agent(messages: list[Message]) -> list[Message]:
    """Ask and act, until the model asks for nothing more."""
    while True:
        said = await ask_the_model(messages)
        messages = [*messages, said]
        if not said["calls"]:
            return messages
        messages += [await charge_the_card(call) for call in said["calls"]]


@DBOS.workflow()
async def order(_: None, request: str) -> list[Message]:
    """Take the order to its end; gives the conversation."""
    messages = await agent([{"role": "user", "content": request}])
    await close_the_order()
    return messages


async def main(verb: str) -> None:
    """One verb. What was not done is under way as soon as DBOS is launched."""
    DBOS(config=config())
    DBOS.launch()
    if verb == "start":
        with SetWorkflowID(ORDER):
            await DBOS.start_workflow_async(order, None, REQUEST)
    handle: Any = await DBOS.retrieve_workflow_async(ORDER)
    print((await handle.get_result())[-1]["content"])
    await asyncio.to_thread(DBOS.destroy)


if __name__ == "__main__":
    if sys.argv[-1] == "inspect":
        report(read_history())
    else:
        asyncio.run(main(sys.argv[-1]))
