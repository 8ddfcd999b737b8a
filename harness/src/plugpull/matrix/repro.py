"""``nox -s repro``: one result, run again, as a folder that shows it without this checkout.

The folder holds the pinned list, the harness, the target, one script, the evidence, and a text for
an issue. The script needs a Python of the right version, uv (or pip), and an index.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.lookup import Looked, look_up, near
from plugpull.matrix.manifests import UPGRADE, read_target
from plugpull.matrix.prepared import Prepared, prepared
from plugpull.matrix.repro_folder import check_place, write_folder
from plugpull.matrix.reproduction import Reproduction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.results import CellFile

__all__ = ["repro"]

#: What an id has behind its cell, at least: scenario, variant, fault point.
_PARTS = 3


class _Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are ours to report."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"options after --: {message}", then="nox -s repro -- --help lists them")


def repro(posargs: Sequence[str], *, root: Path, cwd: Path) -> int:
    """Run a result again and write its folder; the exit code.

    Args:
        posargs: The result's id, and options.
        root: The checkout.
        cwd: The folder in which nox was started.

    Raises:
        UsageError: There is no such result.
        PlugpullError: It cannot be run, or it is ERROR: then nothing is written.
    """
    given = _parser().parse_args(list(posargs))
    shared = []
    for name in ("matrix", "results", "timeout"):
        value = getattr(given, name)
        shared += [f"--{name}", value] if value is not None else []
    shared += ["--download-python"] if given.download_python else []
    found = look_up(given.id, root=root, shared=shared, cwd=cwd)
    _check_names(given.id, found, root)
    name = re.sub(r"[^A-Za-z0-9.+-]+", "-", _id(found))
    place = found.plan.results / "repro" / name
    if given.out:
        place = cwd / Path(given.out).expanduser()
    check_place(place)
    with prepared(found.plan, found.cell) as ready:
        one = _run_again(found, ready, given.repeat)
        write_folder(place, one, ready, root)
    _say(one, place, found)
    return 0


def _run_again(found: Looked, ready: Prepared, repeat: int | None) -> Reproduction:
    scenario, variant, *point = found.rest
    cell = found.cell
    again = repeat or cell.repeat
    words = ["--scenario", scenario, "--variant", variant, "--fault-point", "/".join(point)]
    words += ["--timing-repeat", str(again)]
    if repeat is not None:
        words += ["--repeat", str(repeat)]
    if found.plan.options.timeout is not None:
        words += ["--timeout", str(found.plan.options.timeout)]
    file = ready.core(words)
    raw = _only(file, found)
    if raw["verdict"] == "ERROR":
        stderr = raw["evidence"].get("stderr") or ""
        raise PlugpullError(
            f"{_id(found)} is ERROR, so there is nothing to report: {raw['detail']}",
            why="\n".join(str(stderr).splitlines()[-20:]),
            then="nox -s shell opens a shell in this environment",
        )
    facts = read_target(ready.plan.root / "targets", cell.target)
    return Reproduction(
        id=_id(found),
        title=facts.title,
        distribution=cell.distribution,
        target=cell.target,
        python=cell.python,
        scenario=scenario,
        variant=variant,
        point="/".join(point),
        repeat=again,
        npm=cell.resolution.npm,
        raw=raw,
        cell={
            **file.cell,
            "id": cell.id,
            "as_of": cell.resolution.as_of,
            "lock": ready.pins.lines,
            "interpreter": ready.interpreter.path,
            "origin": asdict(cell.origin) if cell.origin else None,
        },
    )


def _only(file: CellFile, found: Looked) -> dict[str, Any]:
    if len(file.raw) == 1:
        return file.raw[0]
    point = "/".join(found.rest[2:])
    if not file.raw:
        measured = found.measured.raw if found.measured else ()
        known = ["/".join(_id_parts(raw)[2:]) for raw in measured]
        raise UsageError(
            f"{_id(found)}: nothing was run, so there is no fault point {point} there",
            then=near(point, known) or "nox -s matrix shows the ids",
        )
    details = ", ".join(str(raw.get("point_detail")) for raw in file.raw)
    raise UsageError(
        f"{_id(found)} is about {len(file.raw)} results",
        then=f"say which one, behind another slash: {details}",
    )


def _check_names(text: str, found: Looked, root: Path) -> None:
    """Scenario and variant are there, before anything is made.

    Raises:
        UsageError: They are not; near ones are named.
    """
    if len(found.rest) < _PARTS:
        front = f"{found.cell.id}/"
        ids = (
            [front + "/".join(_id_parts(raw)) for raw in found.measured.raw]
            if (found.measured)
            else []
        )
        raise UsageError(
            f"{text} is a cell or a part of one, and one result is needed",
            why="an id has a scenario, a variant and a fault point behind the cell",
            then=near(text, ids) or (f"for example {ids[0]}" if ids else "nox -s matrix shows ids"),
        )
    scenario, variant = found.rest[:2]
    facts = read_target(root / "targets", found.cell.target)
    if scenario == UPGRADE:
        saved = found.rest[-1].removeprefix("from-")
        raise UsageError(
            f"{text} is about two versions, and a folder holds one environment",
            then=f"nox -s upgrade -- {found.cell.framework} --pairs "
            f"{saved}:{found.cell.version} --python {found.cell.python}",
        )
    known = [
        f"{name}/{one}"
        for name in facts.scenarios
        for one, scenarios in facts.variants or (("default", ()),)
        if not scenarios or name in scenarios
    ]
    if f"{scenario}/{variant}" not in known:
        raise UsageError(
            f"{text}: {found.cell.framework} has no {scenario}/{variant}",
            then=near(f"{scenario}/{variant}", known) or f"it has: {', '.join(known)}",
        )


def _id(found: Looked) -> str:
    return "/".join([found.cell.id, *found.rest])


def _id_parts(raw: dict[str, Any]) -> list[str]:
    parts = [raw["scenario"], raw.get("variant"), raw["kill_point"], raw.get("point_detail")]
    return [str(part) for part in parts if part]


def _say(one: Reproduction, place: Path, found: Looked) -> None:
    print(f"{one.verdict}  {one.id}")
    print(f"      {one.raw['detail']}")
    if found.measured is not None:
        before = [
            raw["verdict"] for raw in found.measured.raw if _id_parts(raw) == list(found.rest)
        ]
        if before and before[0] != one.verdict:
            print(f"      it was {before[0]} when it was measured last")
    print(f"\nwritten to {place}")
    print(f"      sh {place / 'reproduce.sh'}   shows it in an environment of its own")
    print(f"      {place / 'ISSUE.md'}   is a text for an issue")
    if one.verdict == "PASS":
        print("      this result passes: there is nothing to report", file=sys.stderr)


def _parser() -> _Parser:
    parser = _Parser(
        prog="nox -s repro --",
        description="Run one result again, and write a folder that shows it without this checkout.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "id",
        metavar="ID",
        help="for example langgraph-1.2.11/py3.13/kill-mid-tool/sync+no-key/after-effect",
    )
    parser.add_argument("--out", metavar="DIR", help="the folder (default: below results/repro)")
    parser.add_argument("--repeat", type=_count, metavar="N", help="try the fault point N times")
    parser.add_argument("--matrix", metavar="FILE", help="another matrix.toml")
    parser.add_argument("--results", metavar="DIR", help="another folder of results")
    parser.add_argument("--timeout", metavar="SECONDS", help="limit for one agent process")
    parser.add_argument(
        "--download-python", action="store_true", help="let uv fetch a Python that is not there"
    )
    return parser


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
