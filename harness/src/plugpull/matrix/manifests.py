"""What planning needs of a target's manifest: what is installed, and what can be selected.

Here it is only read. It is checked strictly before the first session, and again in the cell.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement

from plugpull.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["HARNESS", "UPGRADE", "TargetFacts", "answers", "check_requirement", "read_target"]

#: The distribution of a target that comes with the harness, which every cell has.
HARNESS = "plugpull"

#: The scenario that takes two cells, so that no cell has it by itself: ``nox -s upgrade``.
UPGRADE = "resume-after-upgrade"

_DISTRIBUTION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """What the plan needs to know of a target's manifest.

    Attributes:
        name: The folder's name.
        title: The framework's name as its authors write it.
        distribution: What is installed.
        companions: What is installed beside it, as requirements.
        scenarios: The scenarios it answers in a cell of its own.
        variants: Each variant's name and the scenarios it is for.
        answered: For each scenario the range of versions that can be asked it.
    """

    name: str
    title: str
    distribution: str
    companions: tuple[str, ...]
    scenarios: tuple[str, ...]
    variants: tuple[tuple[str, tuple[str, ...]], ...]
    answered: tuple[str, ...] = ()


def read_target(targets: Path, name: str) -> TargetFacts:
    """What a target's manifest says about installing it. The harness checks the rest.

    Raises:
        UsageError: The manifest cannot be read, or lacks what is needed here.
    """
    path = targets / name / "target.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"{path} must hold a JSON object")
    distribution = data.get("distribution")
    if not isinstance(distribution, str) or _DISTRIBUTION.fullmatch(distribution) is None:
        raise UsageError(f"{path}: `distribution` must name what is installed")
    companions = data.get("companions", [])
    if not isinstance(companions, list):
        raise UsageError(f"{path}: `companions` must be a list of requirements")
    for companion in companions:
        check_requirement(companion, f"{path}: `companions`")
    title = data.get("title")
    return TargetFacts(
        name=name,
        title=title if isinstance(title, str) else name,
        distribution=distribution,
        companions=tuple(companions),
        scenarios=tuple(one for one in _object(data.get("scenarios")) if one != UPGRADE),
        variants=tuple(_variant(item) for item in _list(data.get("variants"))),
        answered=tuple(_range(item) for item in _object(data.get("scenarios")).values()),
    )


def answers(targets: Path, name: str, scenario: str) -> bool:
    """Whether a target declares a scenario, be it one that no cell has by itself."""
    try:
        data = json.loads((targets / name / "target.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return scenario in _object(_object(data).get("scenarios"))


def check_requirement(text: object, place: str) -> None:
    """Refuse what pip and uv would not understand.

    Raises:
        UsageError: The text is no requirement. ``place`` says where it stands.
    """
    try:
        Requirement(text if isinstance(text, str) else "")
    except InvalidRequirement as error:
        raise UsageError(
            f"{place}: {text!r} is no requirement (PEP 508)", then='for example "name>=1.0,<2"'
        ) from error


def _variant(item: object) -> tuple[str, tuple[str, ...]]:
    data = _object(item)
    return str(data.get("name", "default")), tuple(map(str, _list(data.get("scenarios"))))


def _range(item: object) -> str:
    text = str(_object(item).get("versions", "*")).strip()
    return "" if text == "*" else text


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []
