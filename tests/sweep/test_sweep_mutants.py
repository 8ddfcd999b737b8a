"""Mutation proof of kill-sweep: each way of breaking it turns a named test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, named

HERE = Path(__file__).parent


END_STATE = mutants(
    HERE,
    "endstate.py",
    "test_sweep_endstate.py",
    (
        "the walk is not sorted",
        'return dict(sorted(_walk(root, (*always, *(one.rstrip("/") for one in ignore)))))',
        'return dict(_walk(root, (*always, *(one.rstrip("/") for one in ignore))))',
        "the_order_in_which_a_folder_is_read_plays_no_part",
    ),
    (
        "the hash is not sorted",
        "for path in sorted(tree):",
        "for path in tree:",
        "the_order_in_which_a_folder_is_read_plays_no_part",
    ),
    (
        "no lengths in the hash",
        'len(data).to_bytes(8, "big") + data',
        "data",
        "two_trees_never_run_together",
    ),
    (
        "kinds are no part of the hash",
        "(path, tree[path].kind, tree[path].digest)",
        "(path, tree[path].digest)",
        "what_is_part_of_the_end_state",
    ),
    (
        "contents are no part of the hash",
        "(path, tree[path].kind, tree[path].digest)",
        "(path, tree[path].kind)",
        "what_is_part_of_the_end_state",
    ),
    (
        "names are no part of the hash",
        "(path, tree[path].kind, tree[path].digest)",
        "(tree[path].kind, tree[path].digest)",
        "what_is_part_of_the_end_state",
    ),
    (
        "empty folders are nothing",
        "if prefix and not kept:",
        "if False:",
        "what_is_part_of_the_end_state",
    ),
    (
        "the executable bit is nothing",
        '"program" if mode & stat.S_IXUSR else "file"',
        '"file"',
        "what_is_part_of_the_end_state",
    ),
    (
        "every bit counts",
        'return _file(path, "program" if mode & stat.S_IXUSR else "file")',
        "return _file(path, oct(mode))",
        "times_owners_and_other_bits_are_no_part_of_it",
    ),
    (
        "links are followed",
        "one.is_dir(follow_symlinks=False)",
        "one.is_dir()",
        "links_are_read_and_not_followed",
    ),
    (
        "all links are alike",
        'Entry("link", hashlib.sha256(text).hexdigest(), text=os.fsdecode(text))',
        'Entry("link")',
        "links_are_read_and_not_followed",
    ),
    (
        "what tools leave counts",
        "(*always, *(one",
        "(*(), *(one",
        "what_tools_leave_is_left_out",
    ),
    (
        "patterns match names only",
        "fnmatchcase(path, pattern) or fnmatchcase(name, pattern)",
        "fnmatchcase(name, pattern)",
        "what_the_user_leaves_out",
    ),
    (
        "patterns match paths only",
        "fnmatchcase(path, pattern) or fnmatchcase(name, pattern)",
        "fnmatchcase(path, pattern)",
        "what_tools_leave_is_left_out",
    ),
    (
        "anything is a folder",
        "if not root.is_dir():",
        "if False:",
        "only_a_folder_has_an_end_state",
    ),
    (
        "only the first block is read",
        "            left -= len(block)\n",
        "            left = 0\n",
        "a_large_file_is_read_in_blocks",
    ),
)

DIFFERENCES = mutants(
    HERE,
    "differences.py",
    "test_sweep_endstate.py",
    (
        "an emptied file is fine",
        "found.digest == EMPTY != expected.digest",
        "False",
        "what_is_compared_by_name_has_to_be_there_and_hold_something",
    ),
    (
        "by name means not at all",
        "expected.kind != found.kind:",
        "expected.kind != found.kind and not any_content:",
        "what_is_compared_by_name_has_to_be_there_and_hold_something",
    ),
    (
        "what is missing is fine",
        "for path in sorted({*expected, *found})",
        "for path in sorted(found)",
        "what_is_compared_by_name_has_to_be_there_and_hold_something",
    ),
    (
        "what is too much is fine",
        "for path in sorted({*expected, *found})",
        "for path in sorted(expected)",
        "what_is_compared_by_name_has_to_be_there_and_hold_something",
    ),
    (
        "one is true",
        "json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)",
        "one == other",
        "outputs_are_compared_by_place",
    ),
)

PLAN = mutants(
    HERE,
    "scenarios/sweep_plan.py",
    "test_sweep_plan.py",
    (
        "the seed plays no part",
        'random.Random(f"calls {seed}")',
        'random.Random("calls")',
        "a_sample_is_the_same_on_every_python_and_every_day",
    ),
    (
        "all moments are one",
        'f"moment {settings.seed} {number}"',
        'f"moment {settings.seed}"',
        "moments_are_drawn_from_the_run_and_by_the_seed",
    ),
    (
        "moments are drawn from one second",
        "draw * span",
        "draw",
        "moments_are_drawn_from_the_run_and_by_the_seed",
    ),
    (
        "the first call with an effect is meant",
        "calls[:number].count(effect)",
        "1",
        "a_call_has_a_place_whatever_the_order",
    ),
)

SWEEP = mutants(
    HERE,
    "scenarios/kill_sweep.py",
    "test_sweep_verdicts.py",
    (
        "effects are not counted",
        'judge_effects(clean.effects, trial.provider.effects, when="after resume")',
        "None",
        "an_effect_that_is_lost",
    ),
    (
        "the end state is not compared",
        "        if not self._clean.differences(found):\n",
        "        if self._clean:\n",
        "an_end_state_that_diverges[signs-again]",
    ),
    (
        "a divergence is not confirmed",
        "clean = run_once_more(self._lab, self._subject, self._clean)",
        "clean = self._clean",
        "content_that_differs_by_itself_is_compared_by_name[other-content-later]",
    ),
    (
        "every difference is a loss",
        "all(one.loss for one in differing)",
        "differing",
        "an_end_state_that_diverges[signs-again]",
    ),
    (
        "one kill where two are asked for",
        "        if case.kill_point in SINGLE_POINT:\n            return kill_in_resume",
        "        if False:\n            return kill_in_resume",
        "an_effect_that_is_doubled",
    ),
    (
        "calls are found by their number",
        "            number=place.number,\n            effect=place.effect,\n",
        "            number=case.number,\n",
        "test_sweep_batches.py::test_calls_that_come_in_another_order_each_time",
    ),
    (
        "a moment that comes too late is given up",
        "range(1 if exact else _TRIES)",
        "range(1)",
        "a_drawn_moment_that_comes_too_late_is_drawn_nearer",
    ),
    (
        "another moment than the one asked for",
        "range(1 if exact else _TRIES)",
        "range(_TRIES)",
        "a_moment_that_was_asked_for_and_comes_too_late",
    ),
    (
        "the user's patterns are left out",
        "(*subject.ignore, *settings.ignore)",
        "subject.ignore",
        "what_is_ignored_is_not_compared",
    ),
)

CLEAN = mutants(
    HERE,
    "scenarios/clean_run.py",
    "test_sweep_verdicts.py",
    (
        "the output is not compared",
        "differing + compare_outputs(self.end_state.output, found.output)",
        "differing",
        "an_end_state_that_diverges[output-differs]",
    ),
    (
        "what cannot be read back is fine",
        "        if found.unread:\n",
        "        if False:\n",
        "state_that_is_lost[output-cannot-be-read]",
    ),
    (
        "calls may differ from run to run",
        "    _same_calls(calls, again)\n",
        "",
        "runs_without_a_fault_that_cannot_be_compared_with[other-calls-each-time]",
    ),
    (
        "one run without a fault is enough",
        "    ).and_also(second)\n",
        "    )\n",
        "runs_without_a_fault_that_cannot_be_compared_with[other-names-each-time]",
    ),
    (
        "a run without a fault need not be read back",
        "    if state.unread:\n",
        "    if False:\n",
        "runs_without_a_fault_that_cannot_be_compared_with[never-to-be-read]",
    ),
    (
        "a file in place of the folder is fine",
        'tree = {".": Entry("something else")} if root.exists() or root.is_symlink() else {}',
        "tree = {}",
        "a_file_in_place_of_the_work_folder",
    ),
)

KILLING = mutants(
    HERE,
    "scenarios/killing.py",
    "test_sweep_verdicts.py",
    (
        "a resume that ends before its kill is an error",
        '    if status == LOST:\n        return again\n    evidence["resume_returncode"] = status',
        '    if status != 0:\n        return again\n    evidence["resume_returncode"] = status',
        "a_resume_that_crashes",
    ),
    (
        "the earliest moment is none",
        "    if seconds <= 0:\n",
        "    if False:\n",
        "the_earliest_moment_is_in_the_first_call",
    ),
    (
        "a run that had ended was killed",
        (
            '        evidence["ended_before_the_kill"] = True\n'
            '        return error("the run had ended by then, so nothing was killed")\n'
        ),
        "        return None\n",
        "a_moment_that_was_asked_for_and_comes_too_late",
    ),
)

PROVIDER = mutants(
    HERE,
    "provider.py",
    "test_sweep_plan.py",
    (
        "any effect will do",
        "if self._only in {None, name}:",
        "if True:",
        "a_call_is_held_by_its_effect",
    ),
    (
        "every call is open beside another",
        "if len(self._open) > 1:",
        "if self._open:",
        "calls_that_follow_each_other_are_not",
    ),
)

CONTROLS = mutants(
    HERE,
    "scenarios/base.py",
    "test_sweep_plan.py",
    (
        "controls are tried where the user chose",
        'points="all",\n            moments=1,',
        "moments=1,",
        "controls_are_tried_at_every_point_whatever_is_selected",
    ),
)

MUTANTS = [
    *(*END_STATE, *DIFFERENCES, *PLAN, *SWEEP),
    *(*CLEAN, *KILLING, *PROVIDER, *CONTROLS),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_sweep_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")
