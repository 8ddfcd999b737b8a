"""Mutation proof of the scenarios with a human: each way of breaking them turns a test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, mutated, named

HERE = Path(__file__).parent


_EACH = "what_each_fault_comes_to"
_MISSED = "a_fault_that_did_not_land"

TABLE = mutants(
    HERE,
    "scenarios/approvals.py",
    "test_resume_after_approval.py",
    (
        "silence may charge",
        '"missing": Point((Round((), may_refuse=True)',
        '"missing": Point((Round((), _ONE, may_refuse=True)',
        f"{_EACH}[silence-is-consent-missing]",
    ),
    (
        "one approval is for both",
        "Round((_FIRST,), frozenset({_FIRST.call}), may_refuse=True)",
        "Round((_FIRST,), _BOTH, may_refuse=True)",
        f"{_EACH}[one-is-all-absent-for-one]",
    ),
    (
        "a rejection is an approval",
        "_NO = Decision(CHARGE, REJECT)",
        "_NO = Decision(CHARGE, APPROVE)",
        f"{_EACH}[crashes-rejected-rejected]",
    ),
    (
        "a rejected call may be made",
        '"rejected": Point((Round((_NO,)),)',
        '"rejected": Point((Round((_NO,), _ONE),)',
        f"{_EACH}[obeys-no-rejection-rejected]",
    ),
    (
        "the other order is the same order",
        "Round((_SECOND, _FIRST), _BOTH)",
        "Round((_FIRST, _SECOND), _BOTH)",
        f"{_EACH}[by-position-other-order]",
    ),
    (
        "twice is once",
        "Round((_YES, _YES), _ONE, may_refuse=True)",
        "Round((_YES,), _ONE, may_refuse=True)",
        f"{_EACH}[applies-each+keyless-approved-twice]",
    ),
    (
        "nothing is streamed",
        '"streamed": Point(_APPROVED, streamed=True)',
        '"streamed": Point(_APPROVED)',
        f"{_EACH}[crashes-streamed-streamed]",
    ),
    (
        "nothing is nested",
        '"nested": Point(_APPROVED, shape="nested")',
        '"nested": Point(_APPROVED)',
        f"{_EACH}[loses-nested-nested]",
    ),
    (
        "no step was done before",
        '"nested-after-step": Shape(before=(STEP,))',
        '"nested-after-step": Shape()',
        f"{_EACH}[step-again-nested-after-step]",
    ),
    (
        "both kills are one",
        "Point(_APPROVED, killed=AFTER_EFFECT)",
        "Point(_APPROVED, killed=BEFORE_EFFECT)",
        f"{_EACH}[keyless-killed-after-effect]",
    ),
    (
        "after a refusal only the rest is decided",
        "Round((_SECOND,), _BOTH, after_refusal=(_FIRST, _SECOND))",
        "Round((_SECOND,), _BOTH)",
        "after_a_refusal_everything_is_decided_anew",
    ),
)

RUNNING = mutants(
    HERE,
    "scenarios/approving.py",
    "test_resume_after_approval.py",
    (
        "nobody has to be asked",
        "        if count and name not in allowed:\n",
        "        if False:\n",
        f"{_EACH}[charges-at-once-rejected]",
    ),
    (
        "a resumed run may charge",
        "        return unapproved or done.judge(",
        "        return done.judge(",
        f"{_EACH}[charges-when-resumed-sibling-killed]",
    ),
    (
        "any start is a pause",
        "    if done.ended.returncode != 0:\n        return error(",
        "    if False:\n        return error(",
        f"{_MISSED}[crashes-next-start-approved]",
    ),
    (
        "a step may come later",
        "        if not trial.provider.effects.get(name):\n",
        "        if False:\n",
        f"{_MISSED}[step-late-after-step]",
    ),
    (
        "the run without a fault need not end",
        "    if FINISH not in effects:\n",
        "    if False:\n",
        "a_run_without_a_fault_that_shows_nothing[never-ends]",
    ),
    (
        "the run without a fault may fail",
        "            if done.ended.returncode != 0:\n                raise NotUsable(",
        "            if False:\n                raise NotUsable(",
        "a_run_without_a_fault_that_shows_nothing[crashes-approved]",
    ),
    (
        "what has to be there once may be missing",
        "    if strictly and effects != dict",
        "    if False and effects != dict",
        f"{_MISSED}[shop-never-sibling-killed]",
    ),
    (
        "an old refusal is a new one",
        "    set_aside(trial, verb)\n    try:",
        "    try:",
        "an_earlier_refusal_is_not_taken_for_a_later_one",
    ),
    (
        "a refusal may have done something",
        "        if self.new_effects or self.ended.returncode in {0, None}:\n",
        "        if self.ended.returncode in {0, None}:\n",
        "a_second_decision_that_is_refused_at_the_end",
    ),
)

JUDGING = mutants(
    HERE,
    "scenarios/resume_after_approval.py",
    "test_resume_after_approval.py",
    (
        "what was not approved is fine",
        "        wrong = judge_unapproved(trial, plan.asks, one.allowed, when=_when(decided))\n",
        "        wrong = None\n",
        f"{_EACH}[one-is-all-absent-for-one]",
    ),
    (
        "how a process ends plays no part",
        "            wrong = _judge_end(trial, plan, one, done, limit)\n",
        "            pass\n",
        f"{_EACH}[crashes-rejected-rejected]",
    ),
    (
        "everybody may refuse",
        "refusal = done.refusal(trial.subject) if one.may_refuse else None",
        "refusal = done.refusal(trial.subject)",
        f"{_EACH}[refuses-told-again-killed-after-effect]",
    ),
    (
        "nobody may refuse",
        "refusal = done.refusal(trial.subject) if one.may_refuse else None",
        "refusal = None",
        "other_ways_to_be_right[wants-all-at-once-missing]",
    ),
    (
        "effects are not counted",
        "    return judge_effects(plan.asks.effects, trial",
        "    return None and judge_effects(plan.asks.effects, trial",
        f"{_EACH}[drops-a-part-absent-for-one]",
    ),
    (
        "after a rejection anything goes",
        "        return _judge_rejected(trial)\n",
        "        return None\n",
        f"{_EACH}[closes-twice-rejected]",
    ),
    (
        "a rejected run has to close its order",
        "expected = (FINISH,) if effects.get(FINISH) else ()",
        "expected = (FINISH,)",
        "other_ways_to_be_right[leaves-it-rejected]",
    ),
    (
        "a second decision may not be refused",
        "    if not one.may_refuse:\n",
        "    if True:\n",
        "a_second_decision_that_is_refused_at_the_end",
    ),
    (
        "any process may crash at its end",
        "    if not one.may_refuse:\n",
        "    if False:\n",
        f"{_EACH}[crashes-closed-approved]",
    ),
    (
        "nothing is killed",
        "    if plan.killed:\n",
        "    if False:\n",
        "the_kill_lands_in_the_approved_call[killed-before-effect]",
    ),
    (
        "the stored history plays no part",
        '        judge_history(reported, when="after the last decision")\n        or wrong',
        "        wrong",
        f"{_EACH}[unpaired-approved]",
    ),
    (
        "a broken shape is judged",
        "    if plan.killed_in and (problem",
        "    if False and (problem",
        f"{_MISSED}[shop-never-sibling-killed]",
    ),
)

SIBLING = [
    *mutants(
        HERE,
        "scenarios/sibling_kill.py",
        "test_resume_after_approval.py",
        (
            "the gated call passes by",
            '    gated = plan.asks.gated if verb == "approve" else ()\n',
            "    gated = ()\n",
            "wherever_the_sibling_comes_it_is_killed_in[shop-beside]",
        ),
        (
            "the gated call gets no answer",
            "        gates.open(name)\n",
            "        gates.drop()\n",
            "wherever_the_sibling_comes_it_is_killed_in[shop-last]",
        ),
        (
            "what came beside it is recorded",
            "    if (beside := gates.waiting(SIBLING)) is not None:\n",
            "    if (beside := None) is not None:\n",
            "test_sibling_kill.py::test_a_call_that_came_beside_it_stays_unrecorded",
        ),
    ),
    *mutants(
        HERE,
        "call_gates.py",
        "test_call_gates.py",
        (
            "what is dropped is answered",
            "            return self._dropped == dropped\n",
            "            return True\n",
            "one_gate_opens_and_the_other_stays",
        ),
        (
            "all gates are one",
            "            self._closed.discard(effect)\n",
            "            self._closed.clear()\n",
            "one_gate_opens_and_the_other_stays",
        ),
        (
            "who has gone still waits",
            "            self._waiting[effect].remove(held)\n",
            "",
            "a_call_waits_unrecorded_until_it_is_let_through",
        ),
        (
            "the order of the calls decides",
            "found = [one for name in effects for one in self._waiting.get(name, ())]",
            "found = [o for n, ones in self._waiting.items() if n in effects for o in ones]",
            "of_two_that_wait_the_one_named_first_is_found",
        ),
    ),
    *mutants(
        HERE,
        "provider.py",
        "test_call_gates.py",
        (
            "what waits is recorded",
            "self._calls.append(Call(name, key, connection.pid, self.phase, recorded=False))",
            "self._calls.append(Call(name, key, connection.pid, self.phase, recorded=True))",
            "a_call_waits_unrecorded_until_it_is_let_through",
        ),
    ),
]

TWICE = [
    *mutants(
        HERE,
        "scenarios/resume_twice.py",
        "test_resume_twice.py",
        (
            "the first use does not matter",
            '    if wrong := judge_effects(expected, trial.provider.effects, when="after the first',
            '    if wrong := judge_effects((), {}, when="after the first',
            "a_state_that_was_not_used_before[idles-at-last-after-approval]",
        ),
        (
            "a first use may fail",
            "        if status != 0:\n",
            "        if False:\n",
            "a_state_that_was_not_used_before[crashes-at-last-after-approval]",
        ),
        (
            "effects are not counted",
            '        judge_effects(expected, trial.provider.effects, when=f"after a sec',
            '        judge_effects((), {}, when=f"after a sec',
            "what_each_kind_of_agent_gets[forgets-it-ended+keyless-after-approval]",
        ),
        (
            "the stored history plays no part",
            '        or judge_history(reported, when=f"after a second {again}")\n',
            "",
            "what_each_kind_of_agent_gets[unpaired-after-finish]",
        ),
        (
            "a refusal is nothing special",
            "    if refusal := second.refusal(trial.subject):\n",
            "    if refusal := None:\n",
            "what_each_kind_of_agent_gets[refuses-again-after-finish]",
        ),
        (
            "a crash is a refusal",
            "    if second.ended.returncode:\n",
            "    if False:\n",
            "what_each_kind_of_agent_gets[crashes-told-again-after-approval]",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/two_resumers.py",
        "test_two_resumers.py",
        (
            "there is only one resumer",
            "second = trial.launch(verb, generation=1)",
            "second = first",
            "what_each_pair_comes_to[side-by-side-approvals-at-once]",
        ),
        (
            "the first is never answered",
            "provider.answer_held()",
            "provider.drop_held()",
            "what_each_pair_comes_to[locked-at-once]",
        ),
        (
            "effects are not counted",
            "judge_effects(tuple(expected), trial.provider.effects, when=when)",
            "judge_effects((), {}, when=when)",
            "what_each_pair_comes_to[side-by-side-at-once]",
        ),
        (
            "a refusal is nothing special",
            "    if refusal:\n",
            "    if False:\n",
            "what_each_pair_comes_to[locked-approvals-at-once]",
        ),
        (
            "how the first one ends is no matter",
            "        or _judge_first(verb, statuses[0])\n",
            "",
            "what_each_pair_comes_to[first-dies-at-once]",
        ),
        (
            "a run need not wait",
            "        if wrong := pause(trial, ASKS, limit, evidence):\n",
            "        if wrong := pause(trial, ASKS, limit, evidence) and None:\n",
            "where_two_approvals_never_met[next-start-charges]",
        ),
        (
            "the two speak with one mouth",
            "trial.stderr(verb) if first_status == 0 else tail(said_by_first)",
            "trial.stderr(verb)",
            "what_the_one_said_is_not_taken_for_the_other",
        ),
        (
            "the stored history plays no part",
            "        or judge_history(reported, when=when)\n",
            "",
            "a_stored_history_that_two_have_broken",
        ),
    ),
    *mutants(
        HERE,
        "runner.py",
        "test_resume_twice.py",
        (
            "every agent has every verb",
            ", lacking=BEYOND_AGENTS)",
            ")",
            "an_agent_without_approve_is_asked_for_resumes_only",
        ),
    ),
]

MUTANTS = [*TABLE, *RUNNING, *JUDGING, *SIBLING, *TWICE]


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_scenario_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")


def test_every_mutant_can_be_made() -> None:
    """On each Python all of them still fit the text that they change."""
    for mutant in MUTANTS:
        assert mutated(mutant)
