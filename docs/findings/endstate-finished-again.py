"""A run that has ended is resumed: the model is asked for more, and its answer is stored as well.

python endstate-finished-again.py     needs endstate
"""

import tempfile
from pathlib import Path

from endstate.agent.loop import AgentLoop
from endstate.agent.session import Session, SessionStore
from endstate.agent.tools.base import ToolContext
from endstate.types import Message, Response

WORK = Path(tempfile.mkdtemp())
STORE = SessionStore(WORK / "sessions.sqlite3")


class Model:
    model = "shop-1"

    def complete(self, messages: list[Message], tools: list | None = None) -> Response:  # noqa: ARG002
        print(f"the model is asked; the newest message is of the {messages[-1].role}")
        return Response(message=Message(role="assistant", content="Your card was charged."))


def loop(session: Session) -> AgentLoop:
    return AgentLoop(Model(), tools=[], tool_context=ToolContext(WORK), session=session)


first = STORE.create(model="shop-1")
loop(first).run("Charge my card.")
first.close()  # as endstate's own command does at the end of a run

again = STORE.resume(first.id)  # whoever started the run has not heard of its end
loop(again).resume()
print([message.role for message in STORE.resume(first.id).messages])
