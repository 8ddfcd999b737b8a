"""Who the answer streams to, and who may go away.

A turn belongs to the conversation, not to the connection over which somebody watches it. When the
client has gone nothing more is sent; what was begun is done and stored, and the client finds it
when it comes back.
"""

from __future__ import annotations

import os
import threading

from durable.conversation import Message
from plugpull import fault

__all__ = ["Client"]

#: Whether anybody watches.
_STREAMED = os.environ.get("PLUGPULL_STREAM") == "1"


class Client:
    """One connection."""

    def __init__(self) -> None:
        self._gone = threading.Event()
        if _STREAMED:
            # It hangs up at any time, and nobody has to be sending to it then.
            threading.Thread(target=self._watch, daemon=True).start()
        else:
            self._gone.set()

    def take(self, said: Message, *, last: bool) -> Message:
        """Send what the model says, in pieces, for as long as there is somebody; then return it."""
        middle = len(said["text"]) // 2
        for piece in (said["text"][:middle], said["text"][middle:]):
            self._send(piece, last=last)
        return said

    def _send(self, piece: str, *, last: bool) -> None:
        if not piece or self._gone.is_set():
            return
        try:
            word = fault("chunk:last-answer" if last else "chunk:first-answer")
        except ConnectionError:
            self._gone.set()
            return
        if word == "close":
            self._gone.set()

    def _watch(self) -> None:
        if fault("client") != "go-on":
            self._gone.set()
