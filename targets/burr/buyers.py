"""A pydantic model of the application's, in a module of its own: not every run needs pydantic."""

from __future__ import annotations

from pydantic import BaseModel


class Buyer(BaseModel):
    """Who gets the parcel."""

    name: str
    since: int
