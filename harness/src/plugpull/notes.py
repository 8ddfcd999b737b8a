"""Notes: what a target's manifest adds to a result, and when.

A note is data: a condition over the evidence, a text and a link. Conditions look at what was
measured and never at a sentence, so rewording a sentence cannot silence a note.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plugpull.store import canonical
from plugpull.verdicts import Result

__all__ = ["CONDITIONS", "Note", "annotate", "wrong_value"]

Evidence = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Note:
    """One note.

    Attributes:
        when: Condition name to wanted value; all have to hold. The names are :data:`CONDITIONS`.
        text: What it says.
        link: Where that stands.
    """

    when: Mapping[str, Any]
    text: str
    link: str

    def applies(self, result: Result, environment: Mapping[str, str]) -> bool:
        """Whether every condition holds for ``result``, of a variant with ``environment``."""
        return all(
            CONDITIONS[name](wanted, result, environment) for name, wanted in self.when.items()
        )


def annotate(result: Result, notes: tuple[Note, ...], environment: Mapping[str, str]) -> Result:
    """The result with the notes that apply to it behind its sentence."""
    detail = result.detail
    for note in notes:
        if note.applies(result, environment):
            detail += f" ({note.text} {note.link})"
    return result if detail == result.detail else result.with_detail(detail)


def _returncode(wanted: Any, result: Result, _: Mapping[str, str]) -> bool:
    """``"nonzero"`` is a crash; a hang has no status and is neither."""
    if "resume_returncode" not in result.evidence:
        return False
    returncode = result.evidence["resume_returncode"]
    if wanted == "nonzero":
        return returncode is not None and returncode != 0
    return bool(returncode == wanted)


def _environment(wanted: Any, _: Result, environment: Mapping[str, str]) -> bool:
    return all(environment.get(name) == value for name, value in wanted.items())


def _lost_write_stored(wanted: Any, result: Result, _: Mapping[str, str]) -> bool:
    """An item of the faulted write, which carried the staged input, is stored at least so often."""
    evidence = result.evidence
    number = evidence.get("lost_write")
    return number in evidence.get("staged_writes", ()) and any(
        evidence.get("items", {}).get(canonical(item), 0) >= wanted
        for write in evidence.get("writes", ())
        if write["phase"] == "start" and write["number"] == number
        for item in write["items"]
    )


#: What a manifest may ask, by name: takes the wanted value, the result, the variant's environment.
CONDITIONS: Mapping[str, Callable[[Any, Result, Mapping[str, str]], bool]] = {
    "scenario": lambda wanted, result, _: bool(result.scenario == wanted),
    "kill_point": lambda wanted, result, _: bool(result.kill_point == wanted),
    "verdict": lambda wanted, result, _: bool(result.verdict == wanted),
    "outcome": lambda wanted, result, _: bool(result.outcome == wanted),
    "resume_returncode": _returncode,
    "stderr_contains": lambda wanted, result, _: wanted in result.evidence.get("stderr", ""),
    "variant_env": _environment,
    "lost_write_stored_at_least": _lost_write_stored,
}


def wrong_value(name: str, wanted: Any) -> str | None:
    """Why a manifest cannot want ``wanted`` of the condition ``name``; ``None`` if it can."""
    if name == "resume_returncode":
        right = wanted == "nonzero" or type(wanted) is int
        return None if right else f'it has to be a number or "nonzero", not {wanted!r}'
    if name == "lost_write_stored_at_least":
        return None if type(wanted) is int else f"it has to be a number, not {wanted!r}"
    if name == "variant_env":
        right = isinstance(wanted, dict) and all(isinstance(one, str) for one in wanted.values())
        return None if right else f"it has to be an object of texts, not {wanted!r}"
    return None if isinstance(wanted, str) else f"it has to be a text, not {wanted!r}"
