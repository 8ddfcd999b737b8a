"""``@persist`` on a method saves a state that the next run does not load.

python crewai-unloaded-state.py > /dev/null     needs crewai, which fills standard output
"""

import os
import sys
import tempfile

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()

from crewai.flow.flow import Flow, start
from crewai.flow.persistence import SQLiteFlowPersistence, persist

STORE = SQLiteFlowPersistence(f"{FOLDER}/flow.sqlite")


class Chat(Flow):
    @persist(STORE)
    @start()
    def hear(self):
        self.state["heard"] = self.state.get("heard", 0) + 1


for how, more in (("@persist alone", {}), ("told of the store", {"persistence": STORE})):
    for _ in range(2):
        Chat(**more).kickoff(inputs={"id": how})
    print(f"{how}: {STORE.load_state(how)['heard']} of 2 heard", file=sys.stderr)
