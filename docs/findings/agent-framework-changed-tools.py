"""A workflow is restored with an agent that has lost its tool: does anybody say so?"""

import asyncio
import tempfile

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FileCheckpointStorage,
    FunctionInvocationLayer,
    Message,
    WorkflowBuilder,
    tool,
)

charged = []


@tool(approval_mode="never_require")
def charge_card() -> str:
    """Charge."""
    charged.append("once")
    return "charged"


class Model(FunctionInvocationLayer, BaseChatClient):
    """Asks for the charge if it has the tool, and else makes its excuses."""

    async def _inner_get_response(self, *, messages, options, **_):
        if any(one.result for message in messages for one in message.contents):
            said = ["Your card was charged."]
        elif options.get("tools"):
            said = [Content.from_function_call("id", "charge_card", arguments={})]
        else:
            said = ["Sorry, I cannot charge your card."]
        return ChatResponse(messages=[Message("assistant", said)])


def build(storage, tools):
    """One agent as a workflow."""
    agent = Agent(Model(), name="clerk", tools=tools)
    return WorkflowBuilder(name="shop", start_executor=agent, checkpoint_storage=storage).build()


async def main() -> None:
    """Run, and restore what a crash in the tool would have left: the checkpoint of the input."""
    with tempfile.TemporaryDirectory() as folder:
        storage = FileCheckpointStorage(folder)
        await build(storage, [charge_card]).run("Charge my card.")
        saved = await storage.list_checkpoints(workflow_name="shop")
        first = min(saved, key=lambda checkpoint: checkpoint.timestamp)
        charged.clear()
        result = await build(storage, []).run(checkpoint_id=first.checkpoint_id)
        print("restored:", result.get_outputs()[0].text, result.get_final_state().value)
        print("charged", len(charged), "times")


asyncio.run(main())
