"""The text for an issue: what happens, what was expected, how to see it, and the evidence."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from plugpull.matrix.reproduction import Reproduction

__all__ = ["issue_text"]

#: Lines of what a process wrote that an issue can bear.
_LINES = 40


def issue_text(one: Reproduction, requirements: str) -> str:
    """Markdown, ready to be pasted.

    Args:
        one: The result that was run again.
        requirements: The pinned list.
    """
    parts = [
        f"# {_title(one)}",
        _happens(one),
        _expected(one),
        _steps(one),
        _versions(one, requirements),
        _evidence(one),
    ]
    return "\n\n".join(parts) + "\n"


def _title(one: Reproduction) -> str:
    version = one.cell.get("version", "")
    outcome = one.raw.get("outcome") or one.verdict
    return f"{one.title} {version}: {outcome} in {one.scenario}, {one.point} ({one.variant})"


def _happens(one: Reproduction) -> str:
    described = _described(one)
    lines = ["## What happens", ""]
    if described.get("does"):
        lines += [_sentence(described["does"]), ""]
    lines.append(f"At the fault point `{one.point}`: {one.raw['detail']}")
    runs = one.raw.get("runs") or {}
    total = sum(runs.values())
    if total > 1:
        counted = ", ".join(f"{count} {name}" for name, count in runs.items() if count)
        lines += ["", f"It was tried {total} times: {counted}. Timing plays a part in it."]
    return "\n".join(lines)


def _expected(one: Reproduction) -> str:
    expects = _described(one).get("expects")
    wanted = _names(one.raw["evidence"].get("unfaulted", {}).get("effects"))
    lines = ["## What is expected", ""]
    if expects:
        lines.append(_sentence(expects))
    if wanted:
        lines += ["", f"The same run without a fault has each of these once: {wanted}."]
    return "\n".join(lines)


def _steps(one: Reproduction) -> str:
    return f"""## Steps

The attached folder needs Python {one.python} and uv (or pip), and nothing else.

```console
$ sh reproduce.sh
```

It makes an environment from `requirements.txt` (pinned, with hashes), puts the test harness
beside it (a wheel in `wheels/`, standard library only), and runs `targets/{one.target}`. That is
a program as a user of {one.title} writes it: no model is called and no key is needed. Exit
status 1 says that the failure is there, 0 that it is not. A change can be tried at once:

```console
$ WITH=../my-clone sh reproduce.sh
```"""


def _versions(one: Reproduction, requirements: str) -> str:
    cell = one.cell
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", requirements, re.MULTILINE)
    rows = [
        (one.distribution, cell.get("version", "")),
        ("built from", _origin(cell.get("origin"))),
        ("Python", cell.get("python", "")),
        ("platform", cell.get("platform", "")),
        ("SQLite", cell.get("sqlite_version", "")),
        ("plugpull", cell.get("harness_version", "")),
    ]
    lines = ["## Versions", "", "| what | version |", "| --- | --- |"]
    lines += [f"| {name} | {version} |" for name, version in rows if version]
    lines += ["", "<details><summary>All packages</summary>", ""]
    lines += [f"- {name} {version}" for name, version in pinned]
    lines += ["", "</details>"]
    return "\n".join(lines)


def _origin(origin: Mapping[str, Any] | None) -> str:
    """Where a version comes from that is no release."""
    if not origin:
        return ""
    where = origin["where"] if origin["kind"] == "git" else f"a {origin['kind']}"
    words = [where, origin["ref"], f"`{origin['identity'][:12]}`"]
    if origin["changed"]:
        words.append(f"with {len(origin['changed'])} files changed since its last commit")
    return " ".join(word for word in words if word)


def _evidence(one: Reproduction) -> str:
    evidence: Mapping[str, Any] = one.raw["evidence"]
    lines = ["## Evidence", "", f"`{one.id}`, measured {one.cell.get('started', '')}.", ""]
    if effects := evidence.get("effects"):
        lines += ["What the payment service saw:", "", "| effect | times |", "| --- | --- |"]
        lines += [f"| {name} | {count} |" for name, count in effects.items()]
        lines.append("")
    calls = evidence.get("calls")
    if isinstance(calls, list) and calls:
        lines += list(_calls(calls))
    if "resume_returncode" in evidence:
        lines += [f"The resume ended with exit status {evidence['resume_returncode']}.", ""]
    stderr = str(evidence.get("stderr") or "").strip().splitlines()
    if stderr:
        lines += ["Its last words:", "", "```text", *stderr[-_LINES:], "```", ""]
    text = json.dumps(one.raw, indent=2, ensure_ascii=False)
    lines += ["<details><summary>Everything that was measured</summary>", ""]
    lines += ["```json", text.replace("```", "'''"), "```", "", "</details>"]
    return "\n".join(lines)


def _calls(calls: list[Any]) -> Iterator[str]:
    yield from ("Each call that reached it:", "")
    yield from (
        "| part of the run | effect | idempotency key | recorded |",
        "| --- | --- | --- | --- |",
    )
    for call in calls:
        key = call.get("key") or "none"
        recorded = "yes" if call.get("recorded") else "no"
        yield f"| {call.get('phase')} | {call.get('effect')} | {key} | {recorded} |"
    yield ""


def _described(one: Reproduction) -> dict[str, str]:
    found = one.cell.get("described", {}).get(one.scenario)
    return found if isinstance(found, dict) else {}


def _names(effects: Any) -> str:
    return ", ".join(f"`{name}`" for name in effects) if isinstance(effects, dict) else ""


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
