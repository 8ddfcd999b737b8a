"""Asking the server: to run something, what it keeps, and to hear what a human has decided.

* calls with an idempotency key, which start a run once and wait for it as often as one likes:
  https://docs.restate.dev/services/invocation/http#using-an-idempotency-key
* what is kept of a run: https://docs.restate.dev/services/introspection
* decisions: https://docs.restate.dev/develop/python/external-events#via-http-api
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
from settings import ADMIN, INGRESS, NESTED, decisions, run_name, setup

PAUSE = 0.05
KEYED = {"idempotency-key": run_name()}


async def ask(
    method: str, address: str, body: Any = None, headers: dict[str, str] | None = None
) -> Any:
    """One request, however long the answer takes.

    Raises:
        RuntimeError: The answer is an error; the text is the server's.
    """
    async with httpx.AsyncClient(timeout=None, trust_env=False) as client:  # noqa: S113 - may wait
        answer = await client.request(method, f"http://{address}", json=body, headers=headers)
    if answer.is_error:
        raise RuntimeError(f"{address.partition('/')[2]}: {answer.status_code} {answer.text}")
    return answer.json() if answer.content else None


async def register(port: int) -> None:
    """Tell the server where the handlers are served."""
    await ask("POST", f"{ADMIN}/deployments", {"uri": f"http://127.0.0.1:{port}", "force": True})


async def kept(service: str) -> dict[str, Any]:
    """The state of an object, as the server shows it to anybody who asks."""
    where = f"service_name = '{service}' and service_key = '{run_name()}'"
    query = {"query": f"select key, value_utf8 from state where {where}"}  # noqa: S608 - our own
    found = await ask("POST", f"{ADMIN}/query", query, {"accept": "application/json"})
    return {row["key"]: json.loads(row["value_utf8"]) for row in found["rows"]}


async def go_on(decided: frozenset[str] = frozenset()) -> None:
    """Wait until the run is over, or waits for somebody; start it if it has not been."""
    if not setup()["approval"]:
        print(await ask("POST", f"{INGRESS}/Order/{run_name()}/run", setup(), KEYED))
        return
    await ask("POST", f"{INGRESS}/Order/{run_name()}/run/send", setup(), KEYED)
    while not (await kept("Order")).get("closed"):
        waiting = (await kept("Desk" if NESTED else "Order")).get("waiting")
        if waiting and decided.isdisjoint(waiting):
            print("waits for a human:", *waiting)
            return
        await asyncio.sleep(PAUSE)
    print(await ask("POST", f"{INGRESS}/Order/{run_name()}/run", setup(), KEYED))


async def approve() -> None:
    """Hand on what was decided about whatever waits, one thing after the other, and go on."""
    waiting = (await kept("Desk" if NESTED else "Order")).get("waiting", {})
    for effect, word in decisions():
        if effect in waiting:
            await ask("POST", f"{INGRESS}/restate/awakeables/{waiting[effect]}/resolve", word)
    await go_on(frozenset(effect for effect, _ in decisions()))


async def say(text: str) -> None:
    """Something new from the user."""
    told = {"setup": setup(), "text": text}
    print(await ask("POST", f"{INGRESS}/Order/{run_name()}/say", told))
