"""Killed in a tool and resumed: the model is asked again, with a call that has no answer.

python google-adk-asked-before-tool.py     needs google-adk 1.22 or newer
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
from google.genai import types

warnings.simplefilter("ignore")
logging.disable()

DATABASE = str(Path(tempfile.mkdtemp()) / "sessions.sqlite")


def charge_card() -> dict[str, str]:
    """Charge the card."""
    if DIES:
        os._exit(1)  # the process dies in the tool
    print("the card is charged")
    return {"status": "charged"}


TOOLS = [charge_card]
DIES = False


class Model(BaseLlm):
    """Asks for the charge, then says thanks."""

    async def generate_content_async(self, llm_request, stream=False):  # noqa: ARG002
        parts = [part for content in llm_request.contents for part in content.parts]
        print("the model was given:", [next(iter(p.model_dump(exclude_none=True))) for p in parts])
        sys.stdout.flush()
        if any(part.function_call for part in parts):
            said = types.Part(text="Thank you!")
        else:
            said = types.Part(function_call=types.FunctionCall(name="charge_card"))
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


if not (child := os.fork()):
    DIES = True
    asyncio.run(process(new_message=says("Charge my card.")))
os.waitpid(child, 0)
print("resume:")
asyncio.run(process())
