"""Two calls of one turn, one of them gated: is the other one's answer in the session afterwards?"""

import asyncio

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    InMemoryHistoryProvider,
    Message,
    tool,
)


@tool(approval_mode="never_require")
def notify_shop() -> str:
    """Needs no approval."""
    return "notified"


@tool(approval_mode="always_require")
def charge_card() -> str:
    """Needs one."""
    return "charged"


class Model(FunctionInvocationLayer, BaseChatClient):
    """Asks for both at once, then says thanks."""

    async def _inner_get_response(self, *, messages, **_):
        if any(one.result for message in messages for one in message.contents):
            return ChatResponse(messages=[Message("assistant", ["Thank you!"])])
        names = ("charge_card", "notify_shop")
        calls = [Content.from_function_call(f"id of {one}", one, arguments={}) for one in names]
        return ChatResponse(messages=[Message("assistant", calls)])


async def main() -> None:
    """Run until somebody has to approve, and approve."""
    agent = Agent(Model(), tools=[charge_card, notify_shop])
    session = agent.create_session()
    paused = await agent.run("Order 42, please.", session=session)
    answers = [one.to_function_approval_response(True) for one in paused.user_input_requests]
    await agent.run(Message("user", answers), session=session)
    stored = session.state[InMemoryHistoryProvider.DEFAULT_SOURCE_ID]["messages"]
    for message in stored:
        for one in message.contents:
            print(one.type, one.call_id or "", one.result or "")


asyncio.run(main())
