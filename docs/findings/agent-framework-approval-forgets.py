"""A tool that has run is forgotten when the next one of the same run waits for an approval."""

import asyncio

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)


@tool(approval_mode="never_require")
def reserve_stock() -> str:
    """Needs no approval."""
    return "reserved"


@tool(approval_mode="always_require")
def charge_card() -> str:
    """Needs one."""
    return "charged"


class Model(FunctionInvocationLayer, BaseChatClient):
    """Asks for the stock, then for the card, then says thanks."""

    async def _inner_get_response(self, *, messages, **_):
        kinds = [
            one.name or one.result or one.type for message in messages for one in message.contents
        ]
        print("the model is asked with", kinds)
        wanted = [name for name in ("reserve_stock", "charge_card") if name not in kinds]
        if not wanted:
            return ChatResponse(messages=[Message("assistant", ["Thank you!"])])
        call = Content.from_function_call(f"id of {wanted[0]}", wanted[0], arguments={})
        return ChatResponse(messages=[Message("assistant", [call])])


async def main() -> None:
    """Run until somebody has to approve, and approve."""
    agent = Agent(Model(), tools=[reserve_stock, charge_card])
    session = agent.create_session()
    paused = await agent.run("Order 42, please.", session=session)
    answers = [one.to_function_approval_response(True) for one in paused.user_input_requests]
    print("approved")
    await agent.run(Message("user", answers), session=session)


asyncio.run(main())
