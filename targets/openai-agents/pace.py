"""How fast a streamed answer comes, as its reader and the fake model agree on it."""

from __future__ import annotations

import asyncio


class Pace:
    """How fast a streamed answer comes: the next piece when the client has the one before."""

    def __init__(self) -> None:
        self._taken = asyncio.Event()
        self._gone = False

    def taken(self) -> None:
        """The client has the newest piece."""
        self._taken.set()

    def gone(self) -> None:
        """Nobody reads any more; the provider sends the rest as fast as it can."""
        self._gone = True
        self._taken.set()

    async def next_piece(self) -> None:
        """Wait until the next piece is due."""
        await self._taken.wait()
        if not self._gone:
            self._taken.clear()
