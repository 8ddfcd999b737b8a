"""Runs without a fault, and what they come to: what every swept run is compared with."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plugpull.differences import Difference, compare_outputs, compare_trees
from plugpull.endstate import EMPTY, Entry, snapshot
from plugpull.lab import Lab, Trial
from plugpull.scenarios.base import NotUsable, run_unfaulted
from plugpull.scenarios.history import find_break, read_history
from plugpull.subject import Subject

__all__ = ["CleanRun", "EndState", "end_state", "run_clean", "run_once_more"]

# The second run's answers are kept back so long, to see which calls are made side by side: in
# seconds, for each answer and for all of them together. Only a mark depends on it, no verdict.
_LINGER = 0.05
_LINGER_IN_ALL = 2.0


@dataclass(frozen=True, slots=True)
class EndState:
    """What a run comes to.

    Attributes:
        tree: What it left in its work folder.
        output: The final output that ``inspect`` reports, ``None`` where it reports none.
        unread: Why ``inspect`` could report nothing, ``None`` if it could.
        unpaired: What is wrong with the history that it reports, if it reports one.
    """

    tree: Mapping[str, Entry]
    output: Any
    unread: str | None = None
    unpaired: str | None = None


@dataclass(frozen=True, slots=True)
class CleanRun:
    """What a run without a fault is.

    Attributes:
        effects: Distinct effects per name.
        calls: The effect of each call, in the order in which they came.
        seconds: Wall time of the run.
        span: Seconds from its first call to its end.
        side_by_side: Effects whose calls were seen to be open at one time.
        end_state: What it comes to.
        by_name: Files whose contents differ from run to run.
        ignore: Glob patterns of files that are left out.
    """

    effects: Mapping[str, int]
    calls: Sequence[str]
    seconds: float
    span: float
    side_by_side: frozenset[str]
    end_state: EndState
    by_name: frozenset[str]
    ignore: tuple[str, ...]

    def differences(self, found: EndState) -> list[Difference]:
        """What is not as it was to be."""
        differing = compare_trees(self.end_state.tree, found.tree, self.by_name)
        if found.unread:
            return [*differing, Difference(f"missing: the stored run; {found.unread}", loss=True)]
        return differing + compare_outputs(self.end_state.output, found.output)

    def and_also(self, other: EndState) -> CleanRun:
        """The same, with what another run without a fault has shown to differ from run to run.

        Raises:
            NotUsable: They differ in more than the contents of files.
        """
        by_name = _differ_in_content(self.end_state, other)
        tree = {
            # A file that may be empty is expected to be.
            path: other.tree[path] if path in by_name and other.tree[path].digest == EMPTY else mine
            for path, mine in self.end_state.tree.items()
        }
        return replace(
            self,
            end_state=EndState(tree, self.end_state.output),
            by_name=self.by_name | by_name,
        )


def run_clean(lab: Lab, subject: Subject, ignore: tuple[str, ...]) -> CleanRun:
    """Run twice without a fault.

    Raises:
        NotUsable: A run failed, made no call, or the two did not come to the same.
    """
    limit = lab.limits.unfaulted
    with lab.trial(subject) as trial:
        ended, effects = run_unfaulted(trial, limit)
        finished = time.monotonic()
        calls = [call.effect for call in trial.provider.calls]
        begun = trial.provider.first_call
        if not calls or begun is None:
            raise NotUsable(
                "the agent exited (code 0) and its tool never called the provider: "
                "report the effect with record_effect where the tool calls the service",
                {"stage": "unfaulted", "effects": {}, "calls": []},
            )
        first = _readable(end_state(trial, limit, ignore))
    with lab.trial(subject) as trial:
        trial.provider.linger = min(_LINGER, _LINGER_IN_ALL / len(calls))
        run_unfaulted(trial, limit)
        again = [call.effect for call in trial.provider.calls]
        side_by_side = trial.provider.side_by_side
        second = _readable(end_state(trial, limit, ignore))
    _same_calls(calls, again)
    return CleanRun(
        effects=effects,
        calls=calls,
        seconds=ended.seconds,
        span=finished - begun,
        side_by_side=side_by_side,
        end_state=first,
        by_name=frozenset(),
        ignore=ignore,
    ).and_also(second)


def run_once_more(lab: Lab, subject: Subject, clean: CleanRun) -> CleanRun:
    """The same, after a further run without a fault.

    The two first runs may have left the same by chance, within one second say. What a later one
    leaves otherwise is nothing that a fault could be blamed for.

    Raises:
        NotUsable: That run failed, or does not come to the same as the ones before.
    """
    limit = lab.limits.unfaulted
    with lab.trial(subject) as trial:
        run_unfaulted(trial, limit)
        return clean.and_also(_readable(end_state(trial, limit, clean.ignore)))


def end_state(trial: Trial, limit: float, ignore: tuple[str, ...]) -> EndState:
    """What a run comes to that has ended. What it left running is ended first."""
    trial.sweep()
    root = trial.work
    if root.is_dir() and not root.is_symlink():
        tree = snapshot(root, ignore)
    else:
        # An agent may remove its folder, or put something in its place.
        tree = {".": Entry("something else")} if root.exists() or root.is_symlink() else {}
    reported = trial.inspect(limit)
    if reported is None:
        return EndState(tree, None)
    if "error" in reported:
        return EndState(tree, None, unread=str(reported["error"]))
    return EndState(tree, reported.get("output"), unpaired=_unpaired(reported))


def _unpaired(reported: Mapping[str, Any]) -> str | None:
    """What is wrong with a reported history; an agent need not report any."""
    if "history" not in reported:
        return None
    try:
        return find_break(read_history(reported))
    except ValueError as problem:
        return str(problem)


def _readable(state: EndState) -> EndState:
    if state.unread:
        raise NotUsable(
            f"a run without a fault cannot be read back: {state.unread}", {"stage": "unfaulted"}
        )
    if state.unpaired:
        raise NotUsable(
            f"the history without a fault is broken: {state.unpaired}", {"stage": "unfaulted"}
        )
    return state


def _same_calls(first: Sequence[str], second: Sequence[str]) -> None:
    """The order may differ, where calls are made side by side."""
    one, other = Counter(first), Counter(second)
    if one == other:
        return
    names = ", ".join(sorted((one - other) + (other - one)))
    raise NotUsable(
        "two runs without a fault do not make the same calls, so a faulted one cannot be judged: "
        f"{names}",
        {"stage": "unfaulted", "calls": list(first), "calls_again": list(second)},
    )


def _differ_in_content(first: EndState, second: EndState) -> frozenset[str]:
    """The files in which two runs without a fault differ.

    Raises:
        NotUsable: They differ in more than that.
    """
    by_name = frozenset(
        path
        for path, entry in first.tree.items()
        if path in second.tree
        and entry.kind == second.tree[path].kind
        and entry.digest != second.tree[path].digest
    )
    files = [
        one
        for one in compare_trees(first.tree, second.tree, by_name)
        if one.path not in by_name  # one of the two is empty
    ]
    outputs = compare_outputs(first.output, second.output)
    if not files and not outputs:
        return by_name
    texts = [one.text for one in files + outputs]
    remedy = (
        "leave such files out with --ignore PATTERN"
        if files
        else "leave out of the output that inspect reports what differs from run to run"
    )
    raise NotUsable(
        "two runs without a fault do not end alike, so a faulted one cannot be judged: "
        f"{texts[0]} ({remedy})",
        {"stage": "unfaulted", "differs": texts[:50]},
    )
