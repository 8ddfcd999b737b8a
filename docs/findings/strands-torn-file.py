"""The process dies while a session file is being written: can the session be opened again?

python strands-torn-file.py     needs strands-agents 1.0.0 or newer
"""

import json
import os
import tempfile

from strands import Agent
from strands.session.file_session_manager import FileSessionManager
from strands.types.exceptions import SessionException

FOLDER = tempfile.mkdtemp()


def restored():
    session = FileSessionManager(session_id="order-42", storage_dir=FOLDER)
    return session, Agent(session_manager=session, agent_id="shop", callback_handler=None)


if child := os.fork():
    os.waitpid(child, 0)
    try:
        session, agent = restored()
        print("the session is there, with the state", agent.state.get())
    except SessionException as error:
        print("SessionException:", str(error).replace(FOLDER, "..."))
else:
    session, agent = restored()
    agent.state.set("order", 42)
    json.dump = lambda *_, **__: os._exit(1)  # the file is open, and the process dies
    session.sync_agent(agent)
