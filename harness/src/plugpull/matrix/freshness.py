"""Which results still stand: a cell's key, and what has to run again in a cell.

The key has everything that decides a verdict. Results under another key are no results of this
matrix. Under the right key all stand but ERROR, which says nothing about the framework, and the
timing-dependent ones, which may come out otherwise the next time.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.guide import GUIDE
from plugpull.matrix.environments import State
from plugpull.matrix.files import tree_hash
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.manifests import read_target
from plugpull.matrix.pins import kept_pins, parse_moment, resolve_pins
from plugpull.matrix.results import BadFile, read_cell_file
from plugpull.matrix.selection import EVERYWHERE, OLDER
from plugpull.matrix.uvrun import EnvironmentFailure
from plugpull.target_folders import MANIFEST

if TYPE_CHECKING:
    from datetime import datetime

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.manifests import TargetFacts
    from plugpull.matrix.pins import PinnedList
    from plugpull.matrix.plan import Plan
    from plugpull.matrix.results import CellFile

__all__ = ["DONE", "CellKey", "Pair", "cell_key", "due", "known_key", "needs_run", "state_folder"]

#: The stage of a cell that ran to its end.
DONE = "done"

Pair = tuple[str, str]
"""A scenario and a variant: the smallest thing the harness runs."""


@dataclass(frozen=True, slots=True)
class CellKey:
    """What decides a cell's verdicts, each part as a hash or a short text.

    Attributes:
        pins: The pinned list with its hashes. ``""`` where nobody has resolved it here.
        interpreter: Full version and path. ``""`` where it is not to be found here.
        core: The harness's source, without the planner's side.
        target: The framework's target and the controls.
        options: Those that change what a run does.
        asked: What the resolver was asked, without a cut-off that moves every day.
    """

    pins: str
    interpreter: str
    core: str
    target: str
    options: str
    asked: str

    @property
    def value(self) -> str:
        """The key: one hash over all parts."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, str]:
        """One key per part."""
        return asdict(self)

    def differences(self, file: CellFile) -> list[str]:
        """In which parts a file's key differs, in words. Parts unknown here are not compared."""
        parts = file.cell.get("key_parts")
        recorded = parts if isinstance(parts, dict) else {}
        words = {
            "pins": "the packages",
            "interpreter": "the interpreter",
            "core": "the harness",
            "target": "the target",
            "options": "the options",
            "asked": "the declaration",
        }
        return [
            words[name]
            for name, value in self.to_json().items()
            if value and recorded.get(name) != value
        ]


def state_folder(root: Path) -> State:
    """Where the checkout keeps what can be made again."""
    return State(root / ".plugpull")


def cell_key(plan: Plan, cell: Cell, interpreter: Interpreter, pins: PinnedList) -> CellKey:
    """The key of a cell whose environment is known."""
    return _key(plan, cell, interpreter, pins.digest)


def known_key(plan: Plan, cell: Cell, file: CellFile) -> CellKey:
    """The key as far as it is known here without asking an index.

    Results may come from other machines, where the same Python lies elsewhere and gets other
    packages: then neither is compared.
    """
    interpreter = plan.interpreter(cell)
    elsewhere = not Path(file.text("interpreter")).is_file()
    if elsewhere or not isinstance(interpreter, Interpreter):
        return _key(plan, cell, None, "")
    locks = state_folder(plan.root).locks
    pins = kept_pins(cell.resolution, interpreter, locks, since=_planned(plan))
    return _key(plan, cell, interpreter, pins.digest if pins else "")


def source_key(plan: Plan, target: str) -> CellKey:
    """The parts that can be known of a cell which the plan does not have."""
    core = _core_hash(plan.root, plan.created)
    return CellKey("", "", core, _target_hash(plan.root / "targets", target, plan.created), "", "")


def needs_run(plan: Plan, cell: Cell, root: Path) -> bool:
    """Whether a cell has something to run. Asks an index only if its earlier file may stand.

    Args:
        plan: The plan.
        cell: One of its cells.
        root: The checkout.
    """
    if plan.options.fresh:
        return True
    try:
        read = read_cell_file(plan.result_file(cell))
    except BadFile:
        return True
    file = read.standing
    if read.error or file is None or due(plan, cell, file, root):
        return True
    interpreter = plan.interpreter(cell)
    # The cheap parts first: resolving costs a second.
    if not isinstance(interpreter, Interpreter) or _key(plan, cell, interpreter, "").differences(
        file
    ):
        return True
    try:
        pins = pins_of(plan, cell, interpreter)
    except EnvironmentFailure:
        return True
    return cell_key(plan, cell, interpreter, pins).value != file.text("key")


def pins_of(plan: Plan, cell: Cell, interpreter: Interpreter) -> PinnedList:
    """The pinned list of a cell, resolved at most once per plan.

    Raises:
        EnvironmentFailure: There is none.
    """
    locks = state_folder(plan.root).locks
    return resolve_pins(cell.resolution, interpreter, locks, since=_planned(plan))


def due(plan: Plan, cell: Cell, file: CellFile | None, root: Path) -> list[Pair]:
    """The selected pairs that must run, given an earlier file whose key is right (or none)."""
    wanted = selected_pairs(plan, cell, root)
    if file is None or plan.options.fresh:
        return wanted
    asked = {tuple(pair) for pair in file.cell.get("asked_pairs") or () if isinstance(pair, list)}
    bad = {
        pair_of(raw)
        for raw in file.raw
        if raw["verdict"] == "ERROR"
        or raw.get("timing_dependent")
        # Whoever asks to keep the work folders of a FAIL wants to have them.
        or (plan.options.keep and raw["verdict"] == "FAIL")
    }
    if file.text("stage") != DONE:
        # It was not finished: a pair without a result was perhaps never reached.
        asked &= {pair_of(raw) for raw in file.raw}
    return [pair for pair in wanted if pair not in asked or pair in bad]


def pair_of(raw: dict[str, Any]) -> Pair:
    """The scenario and the variant of a result."""
    return str(raw["scenario"]), str(raw.get("variant") or "default")


def selected_pairs(plan: Plan, cell: Cell, root: Path) -> list[Pair]:
    """Every scenario and variant that the plan selects in a cell, as the target declares them."""
    facts = read_target(root / "targets", cell.target)
    selection = plan.selection(cell)
    everything = plan.options.all or cell.default or bool(selection.scenarios)
    base = EVERYWHERE if plan.options.selects or _is_of_default(plan, cell) else OLDER
    return [
        pair
        for pair in _declared(facts)
        if (everything or pair[0] in base)
        and (not selection.scenarios or pair[0] in selection.scenarios)
        and (not selection.variants or pair[1] in selection.variants)
    ]


def _is_of_default(plan: Plan, cell: Cell) -> bool:
    """Whether the declaration's ``default`` names the version of a cell."""
    version = (cell.framework, cell.version)
    return any(one.default and (one.framework, one.version) == version for one in plan.cells)


def _declared(facts: TargetFacts) -> list[Pair]:
    variants = facts.variants or (("default", facts.scenarios),)
    return [
        (scenario, variant)
        for scenario in facts.scenarios
        for variant, scenarios in variants
        if scenario in (scenarios or facts.scenarios)
    ]


def _key(plan: Plan, cell: Cell, interpreter: Interpreter | None, pins: str) -> CellKey:
    targets = plan.root / "targets"
    options = {"timeout": plan.options.timeout}
    resolution = cell.resolution
    asked = [list(resolution.requirements), list(resolution.constraints), resolution.as_of_asked]
    asked += [list(resolution.npm)] * bool(resolution.npm)
    return CellKey(
        pins=pins,
        interpreter=f"{interpreter.version} {interpreter.path}" if interpreter else "",
        core=_core_hash(plan.root, plan.created),
        target=_target_hash(targets, cell.target, plan.created),
        options=_hash(options),
        asked=_hash(asked),
    )


def _hash(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _planned(plan: Plan) -> datetime | None:
    return parse_moment(plan.created)


@lru_cache(maxsize=8)
def _core_hash(root: Path, _plan: str) -> str:
    package = root / "harness" / "src" / "plugpull"
    return tree_hash([package], without=[package / "matrix"])


@lru_cache(maxsize=64)
def _target_hash(targets: Path, name: str, _plan: str) -> str:
    manifest = targets / name / MANIFEST
    rest = tree_hash([targets / name, targets / "control"], without=[manifest])
    return _hash([rest, _deciding(manifest)])


def _deciding(manifest: Path) -> object:
    """A manifest without its guide, which is read by people and decides nothing."""
    try:
        data = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return tree_hash([manifest])
    if isinstance(data, dict):
        data.pop(GUIDE, None)
    return data
