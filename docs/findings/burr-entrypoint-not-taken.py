"""resume_at_next_action=False goes on at the next action all the same; a new message is dropped.

python burr-entrypoint-not-taken.py     needs apache-burr
"""

import tempfile
from pathlib import Path

from burr.core import Application, ApplicationBuilder, State, action
from burr.core.persistence import SQLitePersister

DATABASE = str(Path(tempfile.mkdtemp()) / "chat.sqlite")


@action(reads=["chat"], writes=["chat"])
def human(state: State, said: str) -> State:
    return state.append(chat=said)


@action(reads=["chat"], writes=["chat"])
def answer(state: State) -> State:
    return state.append(chat=f"an answer to: {state['chat'][-1]}")


def build() -> Application:
    persister = SQLitePersister(DATABASE, "chats")
    persister.initialize()
    return (
        ApplicationBuilder()
        .with_actions(human, answer)
        .with_transitions(("human", "answer"), ("answer", "human"))
        .initialize_from(
            persister,
            resume_at_next_action=False,
            default_state={"chat": []},
            default_entrypoint="human",
        )
        .with_state_persister(persister)
        .with_identifiers(app_id="chat-1")
        .build()
    )


build().run(halt_after=["human"], inputs={"said": "Charge my card."})  # and the process dies

app = build()
print("default_entrypoint: human; next action:", app.get_next_action().name)
app.run(halt_after=["answer"], inputs={"said": "When does it arrive?"})
print("stored:", app.state["chat"])
