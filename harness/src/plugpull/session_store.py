"""The agent's side of the Session store: a conversation's items, kept outside the process.

What a framework calls a session, memory or history back end is a thin adapter around
:class:`StoreClient`. The protocol is the provider's (see :mod:`plugpull.effects`), on the socket
named by ``PLUGPULL_STORE``: ``{"call": "add_items", "session": ID, "items": [...]}`` and so on.
"""

from __future__ import annotations

import os
from typing import Any

from plugpull.wire import call

__all__ = ["STORE_VARIABLE", "StoreClient"]

#: Environment variable that holds the path of the store's socket.
STORE_VARIABLE = "PLUGPULL_STORE"

Item = dict[str, Any]


class StoreClient:
    """One session in the store. Each method is one call, and a call that fails raises.

    Args:
        session: The session's id.
        path: The store's socket, by default what ``PLUGPULL_STORE`` says.

    Raises:
        KeyError: Outside plugpull, where ``PLUGPULL_STORE`` is not set.
    """

    def __init__(self, session: str, path: str | None = None) -> None:
        self.session = session
        self._path = os.environ[STORE_VARIABLE] if path is None else path

    def get_items(self, limit: int | None = None) -> list[Item]:
        """The newest ``limit`` items, oldest first; all of them without a limit."""
        items: list[Item] = self._call("get_items", limit=limit)["items"]
        return items

    def add_items(self, items: list[Item]) -> None:
        """Append items, all of them in one write."""
        self._call("add_items", items=items)

    def pop_item(self) -> Item | None:
        """Remove the newest item and return it, ``None`` when there is none."""
        item: Item | None = self._call("pop_item")["item"]
        return item

    def clear(self) -> None:
        """Remove every item."""
        self._call("clear")

    def _call(self, name: str, **fields: Any) -> dict[str, Any]:
        request = {"call": name, "session": self.session, "pid": os.getpid(), **fields}
        answer = call(self._path, request)
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer
