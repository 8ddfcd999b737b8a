"""An order on Restate: an endpoint that serves the agent, and a client that asks for it.

* serving handlers: https://docs.restate.dev/develop/python/serving
* what becomes of a run whose endpoint has died: https://docs.restate.dev/guides/error-handling
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import traceback
from collections.abc import Awaitable
from typing import Any, NoReturn

import client
from hypercorn.asyncio import serve
from hypercorn.config import Config
from order import app
from plugpull.services.ports import free_ports
from settings import GRACE, MODEL, NEXT_REQUEST, WORLD, report, workdir
from tools import TOOLS

KINDS = {"user": "user", "assistant": "message", "tool": "answer"}


def endpoint() -> tuple[str, int]:
    """Where the handlers are served, as hypercorn is told it; and the port.

    It is the same in every process of a run, and several may serve it at once, as behind a load
    balancer. Whoever asks before anybody serves waits.
    """
    chosen = workdir() / "port"
    if not chosen.exists():
        chosen.write_text(str(*free_ports(1)), encoding="utf-8")
    ours = socket.socket()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    port = int(chosen.read_text(encoding="utf-8"))
    ours.bind(("127.0.0.1", port))
    ours.listen()
    return f"fd://{ours.detach()}", port


async def work(place: str, doing: Awaitable[None]) -> None:
    """Do something while the handlers are served; SIGTERM stops serving in good order."""
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    config = Config()
    config.bind = [place]
    config.graceful_timeout = GRACE
    serving = asyncio.ensure_future(serve(app, config, shutdown_trigger=stopped.wait))  # type: ignore[arg-type]
    task = asyncio.ensure_future(doing)
    await asyncio.wait({serving, task}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        leave("stopped; the run goes on as soon as somebody serves it")
    error = task.exception()
    leave("".join(traceback.format_exception(error)) if error else "")


def leave(error: str = "") -> NoReturn:
    """End the process as it is: a handler that waits for a human would be waited for."""
    sys.stderr.write(f"{error}\n" if error else "")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(1 if error else 0)


async def started(port: int) -> None:
    """A run from its beginning."""
    await client.register(port)
    await client.go_on()


async def read_history() -> dict[str, Any]:
    """The conversation that the server keeps, and whether the order was closed."""
    kept = await client.kept("Order")
    entries: list[dict[str, str]] = []
    for one in kept.get("messages", ()):
        entry = {"kind": KINDS[one["role"]], **({"id": one["id"]} if "id" in one else {})}
        entries.append(entry)
        entries += [{"kind": "call", "id": call["id"]} for call in one.get("calls", ())]
    finished = bool(kept.get("closed"))
    tools = {name: sorted(tool.__annotations__) for name, tool in TOOLS.items()}
    return {
        "history": entries,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in entries], "finished": finished},
        "world": {"world": WORLD, "model": MODEL, "tools": tools},
    }


async def main(verb: str) -> None:
    """One verb."""
    if verb == "inspect":
        report(await read_history())
        return
    place, port = endpoint()
    doing = {
        "start": lambda: started(port),
        "approve": client.approve,
        "next-turn": lambda: client.say(NEXT_REQUEST),
    }
    await work(place, doing.get(verb, client.go_on)())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
