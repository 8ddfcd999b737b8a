"""The second time that a parallel action runs, it gives back what it came to the first time.

python burr-parallel-again.py     needs apache-burr and pydantic
"""

import tempfile
from pathlib import Path

from burr.core import ApplicationBuilder, State, action
from burr.core.parallelism import MapStates
from burr.core.persistence import SQLitePersister

DATABASE = str(Path(tempfile.mkdtemp()) / "order.sqlite")


@action(reads=["call"], writes=["answer"])
def one_call(state: State) -> State:
    print("called:", state["call"])
    return state.update(answer=f"done: {state['call']}")


class Tools(MapStates):
    def action(self, _state, _inputs):
        return one_call

    def states(self, state, _context, _inputs):
        for call in state["calls"]:
            yield state.update(call=call)

    def reduce(self, state, states):
        return state.update(answers=[one["answer"] for one in states])

    @property
    def reads(self):
        return ["calls"]

    @property
    def writes(self):
        return ["answers"]


@action(reads=[], writes=["calls"])
def model(state: State, calls: list) -> State:
    return state.update(calls=calls)


# Applications in parallel are built in this thread, and run in others.
persister = SQLitePersister(DATABASE, "orders", connect_kwargs={"check_same_thread": False})
persister.initialize()
app = (
    ApplicationBuilder()
    .with_actions(model=model, tools=Tools())
    .with_transitions(("model", "tools"), ("tools", "model"))
    .initialize_from(
        persister, resume_at_next_action=True, default_state={}, default_entrypoint="model"
    )
    .with_state_persister(persister)
    .with_identifiers(app_id="order-42", partition_key="orders")
    .build()
)
for turn in (["reserve_stock"], ["charge_card"]):
    _, _, state = app.run(halt_after=["tools"], inputs={"calls": turn})
    print("asked for", turn, "- told", state["answers"])
