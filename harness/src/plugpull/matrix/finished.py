"""What the provider saw of one killed run: which effects were finished, and which came again.

An effect is finished when its call had its answer before the process died. In batch-kill the
provider saw which callers took their answers; in kill-sweep the last call is the one that was held,
and after each other one the agent went on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugpull.matrix.results import Result

__all__ = ["BATCH", "SWEEP", "Seen"]

BATCH, SWEEP = "batch-kill", "kill-sweep"
#: Nobody knows which of its steps a run had finished at a moment that was drawn by lot.
_DRAWN = "random-moment"


class Seen:
    """One killed run.

    Args:
        result: A result of batch-kill or of kill-sweep.
    """

    def __init__(self, result: Result) -> None:
        self.result = result
        evidence = result.raw.get("evidence")
        self._evidence: Mapping[str, Any] = evidence if isinstance(evidence, dict) else {}
        calls = self._evidence.get("calls")
        self._calls: list[dict[str, Any]] = calls if isinstance(calls, list) else []

    @property
    def finished(self) -> frozenset[str]:
        """The effects that were finished when the process died, as far as that is proven."""
        result = self.result
        if result.verdict == "ERROR":
            return frozenset()
        if result.scenario == BATCH:
            return frozenset(map(str, self._evidence.get("answered") or ()))
        if result.kill_point == _DRAWN or result.timing_dependent:
            return frozenset()
        started = [call for call in self._calls if call.get("phase") == "start"][:-1]
        return frozenset(
            str(call.get("effect"))
            for call in started
            if call.get("recorded") and self._once(call.get("effect"))
        )

    @property
    def again(self) -> list[str]:
        """The finished effects that were called again after the kill, with the counts."""
        later = {str(call.get("effect")) for call in self._calls if call.get("phase") != "start"}
        return [self._counted(effect) for effect in sorted(self.finished & later)]

    @property
    def not_ended(self) -> str:
        """Why a run is no proof although nothing was done again: it stopped where it was."""
        result = self.result
        if result.verdict == "ERROR":
            return f"{self._place}: ERROR"
        if result.kill_point == _DRAWN:
            return ""
        expected = self._unfaulted
        missing = [name for name in expected if not self._effects.get(name)]
        if missing or self._evidence.get("resume_returncode") != 0:
            return f"{self._place}: {result.outcome or 'did not end'}"
        return ""

    @property
    def _place(self) -> str:
        return f"{self.result.scenario}/{self.result.point}"

    @property
    def _effects(self) -> Mapping[str, Any]:
        effects = self._evidence.get("effects")
        return effects if isinstance(effects, dict) else {}

    @property
    def _unfaulted(self) -> Mapping[str, Any]:
        unfaulted = self._evidence.get("unfaulted")
        effects = unfaulted.get("effects") if isinstance(unfaulted, dict) else None
        return effects if isinstance(effects, dict) else {}

    def _once(self, effect: object) -> bool:
        return self._unfaulted.get(str(effect)) == 1

    def _counted(self, effect: str) -> str:
        times = self._effects.get(effect)
        calls = sum(
            call.get("effect") == effect and bool(call.get("recorded")) for call in self._calls
        )
        if isinstance(times, int) and times > 1:
            return f"{effect} was done {times} times ({self._place})"
        return f"{effect} was called {max(calls, 2)} times, with one key ({self._place})"
