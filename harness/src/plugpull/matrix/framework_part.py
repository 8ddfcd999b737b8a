"""The part of the results page that is about frameworks: what each is, and a section for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plugpull.manifest import read_manifest
from plugpull.matrix.findings import find_findings
from plugpull.matrix.kinds import CHECKPOINTING, DURABLE, NOT_MEASURED, kinds
from plugpull.matrix.markdown import code, escaped
from plugpull.matrix.portraits import Portrait, portrait_lines

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugpull.matrix.declared import Declaration
    from plugpull.matrix.kinds import Kind
    from plugpull.matrix.leftout import LeftOut
    from plugpull.matrix.records import Collected

__all__ = ["RULE", "framework_part", "portraits"]

#: What decides, for whoever reads the table.
RULE = (
    f"After a crash, {CHECKPOINTING} goes back to the last save and does again whatever was done "
    f"since; {DURABLE} keeps the result of each finished step and gives it back. Which of the two "
    "a framework is stands here as it was measured, in `batch-kill` and `kill-sweep`, and not as "
    "it is called. An effect is finished when its call had its answer before the process died: in "
    "`batch-kill` the provider saw that, in `kill-sweep` the agent had gone on to another call. "
    f"Where a finished effect was called again after any of the kills, that way of using the "
    f"framework is {CHECKPOINTING}, even if a key kept the second call from having an effect. "
    "Where none was, at any place in both scenarios, and every run came to its end, it is "
    f"{DURABLE}. A framework is {DURABLE} if one way of using it is: take that one, with a key, "
    "since the call that was under way in the crash may be made again by both. A way that was not "
    "asked for both scenarios may be either; the framework's section names it."
)

_COLUMNS = f"| framework | kind | {DURABLE} with | {CHECKPOINTING} with | shown by |"


def framework_part(
    collected: Collected, sections: Sequence[Portrait], left_out: Sequence[LeftOut]
) -> list[str]:
    """The lines between the page's headline and its tables.

    Args:
        collected: The run.
        sections: The frameworks that get a section, in order.
        left_out: Those that are not tried.
    """
    found = kinds(collected)
    by_name = {kind.framework: kind for kind in found}
    lines: list[str] = []
    if found:
        lines += ["## Checkpointing or durable execution", "", RULE, ""]
        lines += [_COLUMNS, "| --- | --- | --- | --- | --- |"]
        linked = {section.name for section in sections}
        lines += [_row(kind, linked=kind.framework in linked) for kind in found]
        lines.append("")
    if sections:
        lines += ["## The frameworks", "", _ABOUT, ""]
    for section in sections:
        lines += portrait_lines(section, by_name.get(section.name), collected)
    if left_out:
        lines += ["## Frameworks left out", ""]
        lines += [
            f"- **{escaped(each.name)}**: {escaped(each.reason)}: {each.link}" for each in left_out
        ]
        lines.append("")
    return lines


_ABOUT = (
    "How each one saves, what its documentation promises, what the newest version that ran in full "
    "did, and what to do about it. A fault point that is not named says PASS. What its words mean "
    "[stands here](findings-explained.md#in-the-table), what is done to a run in "
    "[the scenarios](scenarios.md). Versions are compared under the same Python; results that "
    "depend on timing, and what only some of the Pythons show, are not."
)


def portraits(
    declaration: Declaration, targets: Path, findings: Path, names: Sequence[str]
) -> list[Portrait]:
    """What the manifests say of the frameworks that have a guide.

    Args:
        declaration: Which framework has which target.
        targets: The folder of the targets.
        findings: The folder of the findings' pages.
        names: The frameworks of the run.

    Raises:
        UsageError: A manifest has a mistake.
    """
    pages = find_findings(findings, [each.name for each in declaration.frameworks])
    found = []
    for framework in declaration.frameworks:
        if framework.name not in names:
            continue
        manifest = read_manifest(targets / framework.target.name)
        if manifest.guide is not None:
            found.append(
                Portrait(
                    framework.name,
                    manifest.title,
                    manifest.guide,
                    manifest.notes,
                    pages[framework.name],
                )
            )
    return found


def _row(kind: Kind, *, linked: bool) -> str:
    name = f"{kind.framework} {kind.version}".rstrip()
    who = f"[{escaped(name)}](#{kind.framework})" if linked else escaped(name)
    durable, checkpointing = kind.of(DURABLE), kind.of(CHECKPOINTING)
    unknown = kind.kind == NOT_MEASURED
    shown = kind.reason if unknown else (durable or checkpointing)[0].shown_by
    cells = (
        who,
        kind.kind if unknown else f"**{kind.kind}**",
        ", ".join(code(way.variant) for way in durable),
        ", ".join(code(way.variant) for way in checkpointing),
        escaped(shown),
    )
    return f"| {' | '.join(cells)} |"
