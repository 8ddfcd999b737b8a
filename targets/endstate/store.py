"""Where the conversation is saved: endstate's own sessions, in an SQLite file.

The loop writes through the two methods of its session that save: ``append`` for a message, and
``checkpoint_last`` for the results after the first in a batch, which rewrite the message with the
one before them. Here each announces what it writes, so that it can be lost or killed in.

* https://alvarodiez20.github.io/endstate/concepts/durability/#append-and-checkpoint-are-one-operation
* https://alvarodiez20.github.io/endstate/reference/api/#sessions
"""

from __future__ import annotations

from endstate.agent.session import Session, SessionStore
from endstate.types import Message
from plugpull import store_write
from settings import MODEL, workdir


class OrderSession(Session):
    """A session in which each write can be watched."""

    def append(self, message: Message) -> None:
        """Save a message that was just made."""
        with store_write(f"save:{written(message)}"):
            super().append(message)

    def checkpoint_last(self) -> None:
        """Save the last message again, with one more result."""
        with store_write(f"save:{written(self.messages[-1])}"):
            super().checkpoint_last()


def written(message: Message) -> str:
    """What a message is, in words that are the same in every run."""
    if message.tool_results:
        return f"answers-{len(message.tool_results)}" if message.tool_results[1:] else "answer"
    if message.tool_calls:
        return "call"
    return "message" if message.role == "assistant" else message.role


def new_session() -> OrderSession:
    """A session for a run that begins."""
    return watched(open_store().create(model=MODEL))


def newest_session() -> OrderSession:
    """The session that was begun last, with what it holds."""
    store = open_store()
    return watched(store.resume(store.list_sessions()[0]))


def watched(session: Session) -> OrderSession:
    """The same session, with its writes announced."""
    same = OrderSession(session.id, session.store, session.model)
    same.messages = session.messages
    return same


def open_store() -> SessionStore:
    """The store, in the file that outlives this process."""
    return SessionStore(workdir() / "sessions.sqlite3")
