"""Ids beneath the table: several Pythons in one line, with counts where verdicts vary."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugpull.matrix.records import Collected
    from plugpull.matrix.results import Result

__all__ = ["Ids", "written"]


class Ids:
    """Writes ids of several Pythons as one where all Pythons of the version have it."""

    def __init__(self, collected: Collected) -> None:
        self._pythons: dict[str, set[str]] = {}
        for result in collected.results:
            self._add(result.framework, result.version, _tail(result), result.python)
        for cell in collected.cells:
            self._add(cell.framework, cell.version, "", cell.python)

    def _add(self, framework: str, version: str, tail: str, python: str) -> None:
        self._pythons.setdefault(f"{framework}-{version}{tail}", set()).add(python)

    def of(self, placed: Iterable[tuple[str, str, str, str]]) -> dict[str, list[int]]:
        """Ids by framework, version, tail and Python; each with the places it stands for."""
        together: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
        for at, (framework, version, tail, python) in enumerate(placed):
            together.setdefault((framework, version, tail), []).append((python, at))
        found: dict[str, list[int]] = {}
        for (framework, version, tail), pythons in together.items():
            name = f"{framework}-{version}"
            everywhere = self._pythons[f"{name}{tail}"]
            if len(pythons) > 1 and {python for python, _ in pythons} == everywhere:
                found[f"{name}/py*{tail}"] = [at for _, at in pythons]
            else:
                for python, at in pythons:
                    found[f"{name}/py{python}{tail}"] = [at]
        return found


def _tail(result: Result) -> str:
    return result.id.removeprefix(result.cell)


def written(results: list[Result], ids: Ids) -> list[str]:
    """The ids of some results, each with its counts where it depends on timing."""
    places = ids.of((each.framework, each.version, _tail(each), each.python) for each in results)
    return [identity + _runs([results[at] for at in where]) for identity, where in places.items()]


def _runs(results: list[Result]) -> str:
    if not any(result.timing_dependent for result in results):
        return ""
    runs = sum((result.runs for result in results), Counter[str]())
    return f"  ({runs[results[0].verdict]} of {runs.total()} runs)"
