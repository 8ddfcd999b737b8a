"""Results as the matrix knows them: schema 1, read strictly where it matters and leniently beyond.

Unknown fields are kept and passed on. An unknown schema is refused: its fields may mean anything.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from plugpull.matrix.files import read_object

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "SCHEMA",
    "VERDICTS",
    "BadFile",
    "CellFile",
    "Result",
    "failed_of",
    "read_cell_file",
    "read_schema",
]

SCHEMA = 1
VERDICTS = ("PASS", "FAIL", "ERROR")
#: Every result has these, and they are texts.
_TEXTS = ("scenario", "target", "kill_point", "verdict", "detail")


class BadFile(Exception):
    """A file that cannot be used.

    Attributes:
        kind: ``missing``, ``damaged`` or ``foreign schema``.
        what: What is wrong with it.
    """

    def __init__(self, kind: str, what: str) -> None:
        super().__init__(f"{kind}: {what}")
        self.kind = kind
        self.what = what


@dataclass(frozen=True, slots=True)
class Result:
    """One verdict: a cell, a scenario, a variant, a fault point.

    Attributes:
        cell: The id of the cell, for example ``langgraph-1.2.11/py3.13``.
        framework: The name its users know it by.
        version: The version under test.
        python: ``major.minor``.
        variant: The target's way of running.
        measured_at: When the run ended (UTC, ISO 8601).
        raw: The result as the core wrote it.
        selected: Whether this run asked for it. If not, it was measured earlier.
        expected: What the expectations say: ``expected`` or ``unexpected`` for a FAIL, ``stale``
            for a PASS that was expected to fail; ``""`` where they have nothing to say.
    """

    cell: str
    framework: str
    version: str
    python: str
    variant: str
    measured_at: str
    raw: dict[str, Any]
    selected: bool = True
    expected: str = ""

    @property
    def id(self) -> str:
        """``CELL/SCENARIO/VARIANT/POINT[/DETAIL]``."""
        return f"{self.cell}/{self.scenario}/{self.variant}/{self.point}"

    @property
    def point(self) -> str:
        """``POINT[/DETAIL]``."""
        detail = self.point_detail
        return f"{self.kill_point}/{detail}" if detail else self.kill_point

    @property
    def scenario(self) -> str:
        """What was done to the run."""
        return str(self.raw["scenario"])

    @property
    def kill_point(self) -> str:
        """Where the fault landed."""
        return str(self.raw["kill_point"])

    @property
    def point_detail(self) -> str:
        """Which one of several faults at the same point, or ``""``."""
        return str(self.raw.get("point_detail") or "")

    @property
    def verdict(self) -> str:
        """``PASS``, ``FAIL`` or ``ERROR``."""
        return str(self.raw["verdict"])

    @property
    def detail(self) -> str:
        """The verdict's reason, for people."""
        return str(self.raw["detail"])

    @property
    def outcome(self) -> str:
        """What happened, in a word: ``duplicated``, ``lost``, ... ``""`` if nothing is known."""
        return str(self.raw.get("outcome") or "")

    @property
    def timing_dependent(self) -> bool:
        """Whether another run may well give another verdict."""
        return bool(self.raw.get("timing_dependent"))

    @property
    def runs(self) -> Counter[str]:
        """How often each verdict came out. One run of one verdict, if the file does not say."""
        counted = self.raw.get("runs")
        if isinstance(counted, dict) and any(counted.values()):
            return Counter({verdict: int(counted.get(verdict) or 0) for verdict in VERDICTS})
        return Counter({self.verdict: 1})

    @property
    def most(self) -> int:
        """The largest number of times the provider or the store has one and the same thing."""
        evidence = self.raw.get("evidence")
        found = [0]
        for name in ("effects", "items"):
            counts = evidence.get(name) if isinstance(evidence, dict) else None
            if isinstance(counts, dict):
                found += [count for count in counts.values() if isinstance(count, int)]
        return max(found)

    def to_json(self) -> dict[str, Any]:
        """The core's result and what places it in the matrix."""
        return {
            "id": self.id,
            "framework": self.framework,
            "version": self.version,
            "python": self.python,
            **self.raw,
            "variant": self.variant,
            "measured_at": self.measured_at,
            "selected": self.selected,
            **({"expected": self.expected} if self.expected else {}),
        }


@dataclass(frozen=True, slots=True)
class CellFile:
    """What one file under ``results/cells`` says.

    Attributes:
        cell: The block about the environment and how far it came.
        raw: The results as the core wrote them.
        not_supported: What this release declares it cannot do.
        earlier: What the file said before the cell failed: nothing to show, but to be used again.
    """

    cell: dict[str, Any]
    raw: tuple[dict[str, Any], ...] = ()
    not_supported: tuple[dict[str, Any], ...] = ()
    earlier: CellFile | None = None

    @property
    def error(self) -> str:
        """Why the cell could not be made or finished, ``""`` if it ran."""
        return self.text("error")

    @property
    def standing(self) -> CellFile | None:
        """The newest results that a run finished with."""
        return self.earlier if self.error else self

    def text(self, name: str) -> str:
        """A field of the cell's block as a text, ``""`` if there is none."""
        value = self.cell.get(name)
        return value if isinstance(value, str) else ""

    def results(self, *, framework: str, version: str, python: str) -> list[Result]:
        """The results, placed in the matrix."""
        identity = f"{framework}-{version}/py{python}"
        measured = self.text("measured_at")
        return [
            Result(
                cell=identity,
                framework=framework,
                version=version,
                python=python,
                variant=str(raw.get("variant") or "default"),
                measured_at=str(raw.get("measured_at") or measured),
                raw=raw,
            )
            for raw in self.raw
        ]

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "results": list(self.raw),
            "cell": self.cell,
            "not_supported": list(self.not_supported),
        }
        if self.earlier is not None:
            data["earlier"] = self.earlier.to_json()
        return data


def failed_of(runs: Counter[str]) -> tuple[int, int]:
    """How many runs failed, and how many there were that say something about the framework."""
    return runs["FAIL"], runs["FAIL"] + runs["PASS"]


def read_schema(path: Path) -> dict[str, Any]:
    """A file of results, its schema checked and its results well-formed.

    Raises:
        BadFile: It is not there, is damaged, or speaks another schema.
    """
    try:
        data = read_object(path)
    except FileNotFoundError as error:
        raise BadFile("missing", "there is no such file") from error
    except OSError as error:
        raise BadFile("damaged", error.strerror or str(error)) from error
    except ValueError as error:
        raise BadFile("damaged", str(error)) from error
    _check(data)
    return data


def read_cell_file(path: Path) -> CellFile:
    """One cell's file.

    Raises:
        BadFile: As for :func:`read_schema`, or the file is about no cell.
    """
    data = read_schema(path)
    try:
        earlier = _cell_file(data.get("earlier"))
    except BadFile:
        earlier = None
    return replace(_cell_file(data), earlier=earlier)


def _cell_file(data: object) -> CellFile:
    _check(data)
    checked: dict[str, Any] = data if isinstance(data, dict) else {}
    cell = checked.get("cell")
    if not isinstance(cell, dict):
        raise BadFile("damaged", "cell is not an object")
    declared = checked.get("not_supported", [])
    if not isinstance(declared, list) or not all(isinstance(each, dict) for each in declared):
        raise BadFile("damaged", "not_supported is not a list of objects")
    return CellFile(cell, tuple(checked["results"]), tuple(declared))


def _check(data: object) -> None:
    if not isinstance(data, dict):
        raise BadFile("damaged", "it is not an object")
    schema = data.get("schema")
    if schema is None:
        raise BadFile("damaged", "it says no schema")
    if schema != SCHEMA or isinstance(schema, bool):
        raise BadFile("foreign schema", f"schema {schema!r}, and this plugpull reads {SCHEMA}")
    results = data.get("results")
    if not isinstance(results, list):
        raise BadFile("damaged", "results is not a list")
    for number, result in enumerate(results):
        _check_result(result, f"results[{number}]")


def _check_result(result: object, place: str) -> None:
    if not isinstance(result, dict):
        raise BadFile("damaged", f"{place} is not an object")
    for name in _TEXTS:
        if not isinstance(result.get(name), str):
            raise BadFile("damaged", f"{place}.{name} is not a text")
    if result["verdict"] not in VERDICTS:
        raise BadFile("damaged", f"{place}.verdict is {result['verdict']!r}")
    if not isinstance(result.get("evidence"), dict):
        raise BadFile("damaged", f"{place}.evidence is not an object")
