"""A tuple comes back from a checkpoint as a list, also inside a dataclass.

python langgraph-tuple.py     needs langgraph
"""

from dataclasses import dataclass

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer


@dataclass(frozen=True)
class Parcel:
    places: tuple[str, ...]


serializer = JsonPlusSerializer()
parcel = Parcel(("shelf 7",))
found = serializer.loads_typed(serializer.dumps_typed(parcel))
print(f"{parcel} came back as {found}; equal: {found == parcel}")
