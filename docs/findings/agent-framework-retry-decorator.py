"""The retry of Agent Framework's sample, as a class decorator: the model fails once after a tool.

https://github.com/microsoft/agent-framework/blob/main/python/samples/02-agents/auto_retry.py
"""

import asyncio

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    chat_middleware,
    tool,
)

charged = []


@tool(approval_mode="never_require")
def charge_card() -> str:
    """Charge."""
    charged.append("once")
    return "charged"


class Model(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """Asks for the charge, and fails the first time that it is told of one."""

    failed = False

    async def _inner_get_response(self, *, messages, **_):
        if not any(one.result for message in messages for one in message.contents):
            call = Content.from_function_call("id", "charge_card", arguments={})
            return ChatResponse(messages=[Message("assistant", [call])])
        if not self.failed:
            self.failed = True
            raise ConnectionError
        return ChatResponse(messages=[Message("assistant", ["Thank you!"])])


class RetryingModel(Model):
    """What the class decorator of the sample makes: retries around ``get_response``."""

    def get_response(self, *args, **kwargs):
        ask = super().get_response

        async def twice():
            try:
                return await ask(*args, **kwargs)
            except ConnectionError:
                return await ask(*args, **kwargs)

        return twice()


@chat_middleware
async def retry(_context, call_next):
    """What the middleware of the sample does."""
    try:
        await call_next()
    except ConnectionError:
        await call_next()


for name, client, middleware in (
    ("middleware", Model(), [retry]),
    ("decorator", RetryingModel(), []),
):
    charged.clear()
    agent = Agent(client, tools=[charge_card], middleware=middleware)
    answer = asyncio.run(agent.run("Charge my card."))
    print(f"{name}: {answer.text!r}, charged {len(charged)} times")
