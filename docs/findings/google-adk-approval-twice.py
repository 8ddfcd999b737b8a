"""The answer to a long-running call comes twice: the card is charged twice, under two call ids.

python google-adk-approval-twice.py     needs google-adk 1.22 or newer
"""

import asyncio
import itertools
import logging
import tempfile
import warnings
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools import LongRunningFunctionTool, ToolContext
from google.genai import types

warnings.simplefilter("ignore")
logging.disable()

DATABASE = str(Path(tempfile.mkdtemp()) / "sessions.sqlite")


def ask_for_approval() -> dict[str, str]:
    """Ask a person; they answer later."""
    return {"status": "pending"}


def charge_card(tool_context: ToolContext) -> dict[str, str]:
    """Charge the card."""
    print("the card is charged, key", tool_context.function_call_id)
    return {"status": "charged"}


TOOLS = [LongRunningFunctionTool(ask_for_approval), charge_card]
COUNT = itertools.count(1)


class Model(BaseLlm):
    """Asks for approval, charges when it is there, then says thanks."""

    async def generate_content_async(self, llm_request, stream=False):  # noqa: ARG002
        parts = [part for content in llm_request.contents for part in content.parts]
        answers = [part.function_response for part in parts if part.function_response]
        told = {answer.name: answer.response["status"] for answer in answers}
        print("the model has answers of:", list(told))
        call = None
        if not told:
            call = types.FunctionCall(id="call_0", name="ask_for_approval")
        elif told["ask_for_approval"] == "approved" and "charge_card" not in told:
            call = types.FunctionCall(id=f"call_{next(COUNT)}", name="charge_card")
        said = types.Part(function_call=call) if call else types.Part(text="Thank you!")
        yield LlmResponse(content=types.Content(role="model", parts=[said]))


def kinds(event) -> str:
    calls, answers = event.get_function_calls(), event.get_function_responses()
    named = [f"call {call.name}" for call in calls] + [f"answer {one.name}" for one in answers]
    return " + ".join(named) or (f"text of {event.author}" if event.content else "end of agent")


async def process(**given) -> None:
    agent = LlmAgent(name="shop", model=Model(model="fake"), tools=TOOLS)
    app = App(
        name="shop", root_agent=agent, resumability_config=ResumabilityConfig(is_resumable=True)
    )
    sessions = SqliteSessionService(DATABASE)
    place = {"user_id": "ada", "session_id": "order-42"}
    session = await sessions.get_session(app_name="shop", **place)
    if session is None:
        await sessions.create_session(app_name="shop", **place)
    elif not given:
        given["invocation_id"] = session.events[-1].invocation_id
    runner = Runner(app=app, session_service=sessions)
    async for _ in runner.run_async(**place, **given):
        pass
    session = await sessions.get_session(app_name="shop", **place)
    print("stored:", [kinds(event) for event in session.events])


def says(text: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=text)])


def approval() -> types.Content:
    answer = types.FunctionResponse(
        id="call_0", name="ask_for_approval", response={"status": "approved"}
    )
    return types.Content(role="user", parts=[types.Part(function_response=answer)])


asyncio.run(process(new_message=says("Charge my card.")))
for _ in range(2):
    print("approval:")
    asyncio.run(process(new_message=approval()))
