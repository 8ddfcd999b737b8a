"""Killed in a call beside a long-running one: after the approval it never runs.

python google-adk-sibling-never-runs.py     needs google-adk 2.2 or newer
"""

import asyncio
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path

from google.adk.agents import LlmAgent
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from google.adk.tools import LongRunningFunctionTool
from google.genai import types

warnings.simplefilter("ignore")
logging.disable()

DATABASE = str(Path(tempfile.mkdtemp()) / "sessions.sqlite")
DIES = False


def ask_for_approval() -> dict[str, str]:
    """Ask a person; they answer later."""
    return {"status": "pending"}


def charge_card() -> dict[str, str]:
    """Charge the card."""
    if DIES:
        os._exit(1)  # the process dies in the tool
    print("the card is charged")
    return {"status": "charged"}


class Model(BaseLlm):
    """Asks for both calls in one turn, and thanks whoever answered."""

    async def generate_content_async(self, llm_request, stream=False):  # noqa: ARG002
        parts = [part for content in llm_request.contents for part in content.parts]
        if any(part.function_response for part in parts):
            said = [types.Part(text="Thank you!")]
        else:
            said = [
                types.Part(function_call=types.FunctionCall(id="call_1", name="ask_for_approval")),
                types.Part(function_call=types.FunctionCall(id="call_2", name="charge_card")),
            ]
        yield LlmResponse(content=types.Content(role="model", parts=said))


def kinds(event) -> str:
    calls, answers = event.get_function_calls(), event.get_function_responses()
    named = [f"call {call.name}" for call in calls] + [f"answer {one.name}" for one in answers]
    return " + ".join(named) or ("text" if event.content else "end of the agent")


async def process(approved: bool = False, **given) -> None:
    tools = [LongRunningFunctionTool(ask_for_approval), charge_card]
    agent = LlmAgent(name="shop", model=Model(model="fake"), tools=tools)
    app = App(
        name="shop", root_agent=agent, resumability_config=ResumabilityConfig(is_resumable=True)
    )
    sessions = SqliteSessionService(DATABASE)
    place = {"user_id": "ada", "session_id": "order-42"}
    session = await sessions.get_session(app_name="shop", **place)
    if session is None:
        await sessions.create_session(app_name="shop", **place)
    else:
        given["invocation_id"] = session.events[-1].invocation_id
    if approved:
        answer = types.FunctionResponse(
            id="call_1", name="ask_for_approval", response={"status": "approved"}
        )
        given["new_message"] = types.Content(
            role="user", parts=[types.Part(function_response=answer)]
        )
    runner = Runner(app=app, session_service=sessions)
    async for _ in runner.run_async(**place, **given):
        pass
    session = await sessions.get_session(app_name="shop", **place)
    print([kinds(event) for event in session.events])


if not (child := os.fork()):
    DIES = True
    request = types.Content(role="user", parts=[types.Part(text="Charge my card.")])
    asyncio.run(process(new_message=request))
os.waitpid(child, 0)
for step in ("resume", "approval", "resume"):
    print(f"{step}:")
    sys.stdout.flush()
    asyncio.run(process(approved=step == "approval"))
