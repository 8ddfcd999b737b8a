"""What the steps hand each other, and what a stream shows.

A call that the model makes is an event, and the fields of an event are saved with it: a step that
has to run again is given the same ones.
"""

from __future__ import annotations

from settings import WORLD
from workflows.events import Event, HumanResponseEvent, InputRequiredEvent, StartEvent


class Message(StartEvent):
    """Something that the user says: a run answers it."""

    text: str


class Ask(Event):
    """It is the model's turn."""


class Call(Event):
    """A tool is to run.

    Attributes:
        id: The call's, as the model has made it up.
        name: The tool's.
        key: The payment's, made before the model was asked.
        memo: What the model adds.
        amount: How much, in dollars.
        cents: How much, in the shop's next release, where it takes the place of ``amount``.
    """

    id: str
    name: str
    key: str
    memo: str
    if WORLD == "tool-schema-changed":
        cents: int
    else:
        amount: int


class Question(Event):
    """A human is to be asked about a call."""

    call: Call


class Approval(InputRequiredEvent):
    """The question, as it reaches the human."""

    id: str
    name: str


class Decision(HumanResponseEvent):
    """What the human says to it."""

    id: str
    approved: bool


class Answer(Event):
    """What a tool says to the model."""

    id: str
    content: str


class Said(Event):
    """The model has said its last word."""

    text: str


class Piece(Event):
    """A piece of text for whoever reads the stream; ``last`` once the tools have answered."""

    text: str
    last: bool
