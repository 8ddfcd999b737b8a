"""Two processes go on with one run: both do the action, and the one that saves last crashes.

python burr-two-processes.py     needs apache-burr
"""

import logging
import sqlite3
import tempfile
from pathlib import Path

from burr.core import Application, ApplicationBuilder, State, action
from burr.core.persistence import SQLitePersister

DATABASE = str(Path(tempfile.mkdtemp()) / "order.sqlite")
logging.disable()


@action(reads=[], writes=["charged"])
def charge(state: State) -> State:
    print("charged")
    return state.update(charged=True)


@action(reads=[], writes=[])
def plan(state: State) -> State:
    return state


def build() -> Application:
    persister = SQLitePersister(DATABASE, "orders")
    persister.initialize()
    return (
        ApplicationBuilder()
        .with_actions(plan=plan, charge=charge)
        .with_transitions(("plan", "charge"))
        .initialize_from(
            persister, resume_at_next_action=True, default_state={}, default_entrypoint="plan"
        )
        .with_state_persister(persister)
        .with_identifiers(app_id="order-42", partition_key="orders")
        .build()
    )


build().run(halt_after=["plan"])
first, second = build(), build()  # two workers take the same job
for worker in (first, second):
    try:
        worker.run(halt_after=["charge"])
    except sqlite3.IntegrityError as error:
        print(f"IntegrityError: {error}")
