"""The same order agent on Burr's asynchronous side, with the persister that belongs to it.

* https://burr.apache.org/concepts/sync-vs-async/
* https://burr.apache.org/concepts/streaming-actions/
* https://burr.apache.org/concepts/state-persistence/

Usage: ``python async_agent.py start | resume | next-turn | inspect``. ``PLUGPULL_EVENTS`` says what
a client is sent: each action's results as they come (``iterate``), or those of one action that the
run is taken to (``result``). All else: see agent.py.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agent import finish, open_shop
from burr.core import ApplicationContext, State, action
from burr.core.action import streaming_action
from burr.core.application import Application
from burr.integrations.persisters.b_aiosqlite import AsyncSQLitePersister
from graph import HALT, after, perform, shop
from model import answer, pieces
from plugpull import record_effect, store_write
from report import at_rest, inspect
from settings import NEXT, ORDER, QUESTION, REQUEST, STREAMED, workdir
from stores import TABLE, written
from streaming import stream
from tools import offered, open_calls, told

Inputs = dict[str, Any]


@streaming_action(reads=["messages"], writes=["messages", "next"])
async def decide(state: State) -> AsyncGenerator[tuple[dict[str, str], State | None], None]:
    """Ask the model, and stream its words."""
    asked = {"cashier": False, "offered": [*offered()]}
    said = await asyncio.to_thread(answer, state["messages"], **asked)
    for piece in pieces(said):
        yield {"piece": piece}, None
    yield {"piece": ""}, state.append(messages=said).update(next=after([said], {}))


@action(reads=["messages", "decisions"], writes=["messages", "decisions", "next"])
async def tools(state: State, __context: ApplicationContext) -> State:
    """Make the calls of the model's last message, one after the other."""
    answers = []
    for number, call in enumerate(open_calls(state["messages"])):
        asked = (call, state["decisions"], __context, number)
        answers.append(told(call, str(await asyncio.to_thread(perform, *asked))))
    return state.extend(messages=answers).update(decisions={}, next="decide")


class Announced(AsyncSQLitePersister):
    """Burr's asynchronous persister for SQLite; each write is announced by what is written."""

    async def save(  # noqa: PLR0917 - Burr's interface
        self,
        partition_key: str | None,
        app_id: str,
        sequence_id: int,
        position: str,
        state: State,
        status: Any,
        **kwargs: Any,
    ) -> None:
        """Save what an action has come to."""
        write = store_write(written(position, state, status))
        await asyncio.to_thread(write.__enter__)
        await super().save(partition_key, app_id, sequence_id, position, state, status, **kwargs)
        await asyncio.to_thread(write.__exit__, None, None, None)


@asynccontextmanager
async def open_async_shop() -> AsyncIterator[Application[Any]]:
    """The application where its saved state is."""
    file = str(workdir() / "shop.sqlite")
    async with Announced.from_values(db_path=file, table_name=TABLE) as persister:
        await persister.initialize()
        builder = shop(persister, decide=decide, tools=tools)
        yield await builder.with_state_persister(persister).abuild()


async def run(app: Application[Any], inputs: Inputs | None = None) -> None:
    """Run to where something is needed from outside."""
    if STREAMED:
        await stream(app, inputs)
    else:
        await app.arun(halt_before=HALT, inputs=inputs)


async def start(app: Application[Any]) -> None:
    """Begin with what the customer says."""
    await run(app, {"message": REQUEST})
    finish(app)


async def resume(app: Application[Any]) -> None:
    """Go on with what is stored; a run of which nothing was stored is begun."""
    if not app.state["messages"]:
        await start(app)
        return
    if not at_rest(app):
        await app.arun(halt_before=HALT)
    finish(app)


async def next_turn(app: Application[Any]) -> None:
    """Take a new message from the customer."""
    if NEXT == "resume":
        await resume(app)
    await app.arun(halt_before=HALT, inputs={"message": QUESTION})
    record_effect("next_turn", key=f"{ORDER}-turn-2")


async def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    verbs = {"start": start, "resume": resume, "next-turn": next_turn}
    if verb == "inspect":
        inspect(*open_shop())
    elif verb in verbs:
        async with open_async_shop() as app:
            await verbs[verb](app)
    else:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
