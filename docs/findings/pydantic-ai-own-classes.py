"""An application's own values come back from a stored history as plain JSON values.

python pydantic-ai-own-classes.py     needs pydantic-ai-slim
"""

from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum

from pydantic import BaseModel
from pydantic_ai import Agent, ModelMessagesTypeAdapter
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturn
from pydantic_ai.models.function import FunctionModel


@dataclass
class Parcel:
    grams: int


class Buyer(BaseModel):
    name: str


class Status(Enum):
    PLACED = "placed"


def values():
    when = datetime(2026, 3, 4, tzinfo=timezone.utc)
    return [Parcel(420), Buyer(name="Ada"), Status.PLACED, b"\x00\xff", when]


def model(messages, _info):
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("look_up", {})])
    return ModelResponse(parts=[TextPart("A parcel.")])


agent = Agent(FunctionModel(model))


@agent.tool_plain
def look_up():
    return ToolReturn(return_value=values(), metadata=values())


messages = agent.run_sync("What have I ordered?").all_messages()
stored = ModelMessagesTypeAdapter.dump_json(messages)
read = ModelMessagesTypeAdapter.validate_json(stored)
for name in ("content", "metadata"):
    both = (getattr(one[2].parts[0], name) for one in (messages, read))
    for before, after in zip(*both, strict=True):
        print(f"{name}: {before!r} -> {after!r}")
