"""An action that is cancelled, or interrupted, is saved as completed, and never done.

python burr-cancelled-action.py     needs apache-burr and aiosqlite
"""

import asyncio
import tempfile
from pathlib import Path

from burr.core import Application, ApplicationBuilder, State, action
from burr.core.persistence import SQLitePersister
from burr.integrations.persisters.b_aiosqlite import AsyncSQLitePersister

DATABASE = str(Path(tempfile.mkdtemp()) / "order.sqlite")
STARTED = asyncio.Event()


@action(reads=[], writes=["charged"])
async def charge(state: State) -> State:
    STARTED.set()
    await asyncio.Event().wait()  # a slow service
    return state.update(charged=True)


@action(reads=[], writes=["charged"])
def interrupted_charge(state: State) -> State:  # noqa: ARG001
    raise KeyboardInterrupt


@action(reads=[], writes=[])
def ship(state: State) -> State:
    return state


def builder(persister, charge, app_id: str) -> ApplicationBuilder:
    return (
        ApplicationBuilder()
        .with_actions(charge=charge, ship=ship)
        .with_transitions(("charge", "ship"))
        .initialize_from(
            persister, resume_at_next_action=True, default_state={}, default_entrypoint="charge"
        )
        .with_state_persister(persister)
        .with_identifiers(app_id=app_id, partition_key="orders")
    )


def tell(how: str, saved, app: Application) -> None:
    print(f"{how}: {saved['position']} saved as {saved['status']},", end=" ")
    print(f"charged: {saved['state'].get('charged')}, next action: {app.get_next_action().name}")


async def cancelled() -> None:
    async with await AsyncSQLitePersister.from_values(DATABASE, "orders") as persister:
        await persister.initialize()
        app = await builder(persister, charge, "order-1").abuild()
        run = asyncio.create_task(app.arun(halt_after=["ship"]))
        await STARTED.wait()
        run.cancel()  # the client has gone, or the server shuts down
        await asyncio.gather(run, return_exceptions=True)
        again = await builder(persister, charge, "order-1").abuild()
        tell("cancelled", await persister.load("orders", "order-1"), again)


def interrupted() -> None:
    persister = SQLitePersister(DATABASE, "orders")
    persister.initialize()
    try:
        builder(persister, interrupted_charge, "order-2").build().run(halt_after=["ship"])
    except KeyboardInterrupt:
        again = builder(persister, interrupted_charge, "order-2").build()
        tell("interrupted", persister.load("orders", "order-2"), again)


asyncio.run(cancelled())
interrupted()
