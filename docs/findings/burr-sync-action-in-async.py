"""A synchronous action in an asynchronous run: saved as completed, without what it has done.

python burr-sync-action-in-async.py     needs apache-burr and aiosqlite
"""

import asyncio
import tempfile
from pathlib import Path

from burr.core import ApplicationBuilder, State, action
from burr.integrations.persisters.b_aiosqlite import AsyncSQLitePersister

DATABASE = str(Path(tempfile.mkdtemp()) / "chat.sqlite")


@action(reads=["chat"], writes=["chat"])
def human(state: State, said: str) -> State:
    return state.append(chat=said)


@action(reads=["chat"], writes=["chat"])
async def async_human(state: State, said: str) -> State:
    return state.append(chat=said)


async def main() -> None:
    for listen in (human, async_human):
        async with await AsyncSQLitePersister.from_values(DATABASE, "chats") as persister:
            await persister.initialize()
            app = await (
                ApplicationBuilder()
                .with_actions(listen=listen)
                .initialize_from(
                    persister,
                    resume_at_next_action=True,
                    default_state={"chat": []},
                    default_entrypoint="listen",
                )
                .with_state_persister(persister)
                .with_identifiers(app_id=listen.__name__, partition_key="chats")
                .abuild()
            )
            await app.arun(halt_after=["listen"], inputs={"said": "Charge my card."})
            saved = await persister.load("chats", listen.__name__)
        print(f"{listen.__name__}: {saved['status']}, in memory {app.state['chat']},", end=" ")
        print("saved", saved["state"]["chat"])


asyncio.run(main())
