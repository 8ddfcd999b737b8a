"""Ways of breaking the checker, each with a test that has to notice."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MUTANTS", "Mutant"]


class Mutant(NamedTuple):
    """One change to one file.

    Attributes:
        name: What is broken.
        file: The file, below harness/src/plugpull/conformance.
        old: Text that is in it exactly once.
        new: What stands there instead.
        test: The test that has to fail by an assertion: ``file::test`` without ``test_conform_``
            and ``test_``; ``planted`` for the subjects with a known defect.
    """

    name: str
    file: str
    old: str
    new: str
    test: str


def _of(file: str, *entries: tuple[str, str, str, str]) -> list[Mutant]:
    return [Mutant(entry[0], file, *entry[1:]) for entry in entries]


MUTANTS = [
    *_of(
        "strict.py",
        ("crashes after effects only", "(BEFORE, AFTER)", "(AFTER,)", "planted"),
        ("crashes before effects only", "(BEFORE, AFTER)", "(BEFORE,)", "planted"),
        ("no effects pass", "elif not baseline.calls:", "elif False:", "planted"),
        ("a swallowed crash is judged", "elif dying.outlived:", "elif False:", "planted"),
        ("a crash that never came is judged", "elif not dying.died:", "elif False:", "planted"),
        (
            "a resume that raises is judged",
            "        if resumed.problem:",
            "        if False:",
            "planted",
        ),
        (
            "effects are not judged",
            "yield from judge_tally(",
            "yield from () and judge_tally(",
            "planted",
        ),
        (
            "a state that is gone diverges",
            "if had_something and",
            "if not had_something and",
            "planted",
        ),
        ("two runs need not be alike", "    if unlike:\n", "    if not unlike:\n", "planted"),
        (
            "how the second run begins is not looked at",
            "leaked = differ(baseline.seen, again.seen, at_start=True)",
            'leaked = ""',
            "isolation::a_shared_store_that_would_hide_a_loss_is_found",
        ),
        (
            "missing effects are no leak",
            "    if changed:\n",
            "    if not names:\n",
            "isolation::a_shared_store_is_found_by_its_effects_alone",
        ),
        (
            "a state that is never the same diverges",
            "    if drifted:\n",
            "    if drifted is None:\n",
            "planted",
        ),
        (
            "the dead keep what they held",
            "        gc.collect()\n",
            "        pass\n",
            "isolation::a_dead_process_holds_no_transaction",
        ),
    ),
    *_of(
        "mortal.py",
        (
            "the dead go on recording",
            "            if self.died:\n",
            "            if False:\n",
            "swallowed::nothing_is_recorded_after_the_crash",
        ),
        ("before is after", "if self._when == AFTER:", "if True:", "planted"),
        ("after is before", "if self._when == AFTER:", "if False:", "planted"),
        (
            "trying again is dying",
            "elif self._went_on and not any",
            "elif False and not any",
            "swallowed::a_crash_that_was_caught_is_an_error_however",
        ),
        (
            "raising something else is dying",
            "        if others:\n",
            "        if False:\n",
            "swallowed::a_crash_that_was_caught_is_an_error_however",
        ),
        (
            "a parallel tool that dies has tried again",
            "if thread == self._thread or task is not None:",
            "if True:",
            "swallowed::parallel_tools_may_all_die",
        ),
        (
            "an old context still works",
            "            if self._over:\n",
            "            if False:\n",
            "swallowed::a_subject_that_keeps_its_old_context_is_told_so",
        ),
        (
            "a state may have effects",
            "            if self.only_looking:\n",
            "            if False:\n",
            "isolation::a_state_that_has_effects_is_an_error",
        ),
    ),
    *_of(
        "judging.py",
        (
            "a key counts under any name",
            "keys.setdefault(effect.kind, set())",
            'keys.setdefault("all", set())',
            "strict::one_key_under_two_names_is_two_effects",
        ),
        (
            "calls without a key count once",
            "keyless[effect.kind] += 1",
            "keyless[effect.kind] = 1",
            "planted",
        ),
        (
            "an empty key is none",
            "if effect.key is None:",
            "if not effect.key:",
            "strict::an_empty_key_is_a_key",
        ),
        (
            "new keys are always compared",
            "if wanted.keys[name] == again.keys.get(name):",
            "if wanted.keys:",
            "strict::keys_made_anew_and_kept_are_counted",
        ),
        (
            "names that are new are ignored",
            "        if name not in wanted.keys:",
            "        if not name:",
            "planted",
        ),
    ),
    *_of(
        "picture.py",
        (
            "nobody looks into an object",
            '[(f".{each}", part) for each, part in found.items()]',
            "[]",
            "picture::a_difference_names_its_place",
        ),
        (
            "a picture changes with what it shows",
            "kept = copy.deepcopy(value)",
            "kept = value",
            "picture::a_leaf_does_not_change_with_what_it_shows",
        ),
        (
            "empty bytes are something",
            "(str, bytes, bytearray)",
            "(str, bytearray)",
            "picture::nothing_is_nothing_in_every_shape",
        ),
        (
            "0 is nothing",
            "        or part is False\n",
            "        or part == 0\n",
            "picture::zero_is_something",
        ),
        (
            "what is missing is no difference",
            "dict.fromkeys([*wanted, *found])",
            "found",
            "picture::a_difference_names_its_place",
        ),
        (
            "run ids are a difference",
            "str(other).replace(names[1], names[0])",
            "str(other)",
            "isolation::a_run_id_in_the_state_is_no_difference",
        ),
    ),
    *_of(
        "life.py",
        (
            "coroutines are left alone",
            "if not inspect.iscoroutine(value):",
            "if True:",
            "isolation::async_subjects_are_waited_for",
        ),
        (
            "SystemExit gets through",
            "(Exception, InjectedKill, SystemExit, cancelled)",
            "(Exception, InjectedKill)",
            "swallowed::whatever_a_resume_raises_is_a_finding",
        ),
        (
            "Ctrl-C is kept",
            "(Exception, InjectedKill, SystemExit, cancelled)",
            "BaseException",
            "swallowed::ctrl_c_and_the_test_runners_words_get_through",
        ),
    ),
    *_of(
        "check.py",
        (
            "the strict rules are not used",
            "    if strict:\n",
            "    if strict is None:\n",
            "planted",
        ),
        (
            "an empty key is replayed",
            "if effect.key]",
            "if effect.key is not None]",
            "drop_in::a_report_in_full",
        ),
        (
            "a lost key is ignored",
            "usual.keys() - count.keys()",
            "usual.keys() - usual.keys()",
            "drop_in::a_report_in_full",
        ),
        (
            "crash points have ids of their own at resume",
            "Context(own_id, log))",
            'Context(f"{own_id}-resumed", log))',
            "drop_in::a_crash_point_and_its_resume_share_a_run_id",
        ),
        (
            "each resume has an empty log",
            "Context(own_id, log))",
            "Context(own_id, EffectLog()))",
            "drop_in::a_report_in_full",
        ),
    ),
]
