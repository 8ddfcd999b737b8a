"""Mutation proof of resume-after-upgrade: each way of breaking it turns a test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, named

HERE = Path(__file__).parent


SAVING = mutants(
    HERE,
    "scenarios/saving.py",
    "test_resume_after_upgrade.py",
    (
        "both kills are one",
        "KILLED_AFTER: AFTER_EFFECT",
        "KILLED_AFTER: BEFORE_EFFECT",
        "the_provider_counts_on",
    ),
)
GOING_ON = mutants(
    HERE,
    "scenarios/going_on.py",
    "test_resume_after_upgrade.py",
    (
        "what the provider saw before is forgotten",
        "        trial.provider.remember(state.calls)\n",
        "",
        "the_provider_counts_on",
    ),
    (
        "the files are not restored",
        "        restore(state, trial.work)\n",
        "",
        "what_each_kind_comes_to[refuses]",
    ),
    (
        "how the resume ends plays no part",
        "_judge_end(trial.subject, ended, verb, limit, called=called)\n            or ",
        "",
        "what_each_kind_comes_to[mumbles]",
    ),
    (
        "any failure is a refusal",
        "    if said := said or subject.refused(ended.stderr):\n",
        '    if said := said or "no":\n',
        "what_each_kind_comes_to[mumbles]",
    ),
    (
        "a refusal may come after a call",
        "    if called:\n",
        "    if False:\n",
        "what_each_kind_comes_to[refuses-too-late]",
    ),
    (
        "no refusal is understood",
        (
            "said = find_refusal(pattern, ended.stderr) if pattern is not None else None\n"
            "    if said := said"
        ),
        "said = None\n    if said := said",
        "what_each_kind_comes_to[refuses]",
    ),
    (
        "a signal is an exit status",
        "    if ended.returncode < 0:\n",
        "    if False:\n",
        "how_a_resume_failed_is_said[is-killed-approve died of signal 9]",
    ),
    (
        "hanging is fine",
        (
            "    if ended.returncode is None:\n"
            '        return Judgement(FAIL, Outcome.HUNG, f"{verb} hung'
        ),
        (
            "    if ended.returncode is None:\n"
            '        return None and Judgement(FAIL, Outcome.HUNG, f"{verb} hung'
        ),
        "a_resume_that_hangs",
    ),
    (
        "effects are not counted",
        "            or _judge_effects(trial, unfaulted, ended)\n",
        "",
        "what_each_kind_comes_to[leaves-it-out]",
    ),
    (
        "the stored history may be broken",
        '            or judge_history(reported, when="after resume")\n',
        "",
        "what_each_kind_comes_to[forgets-an-answer]",
    ),
    (
        "what was stored may be lost",
        (
            "            or _judge_stored(reported, state.origin.stored,"
            ' unfaulted.evidence["stored"])\n'
        ),
        "",
        "what_each_kind_comes_to[forgets-the-user]",
    ),
    (
        "a changed program is not noticed",
        "if state.origin.program != program_of(trial.subject):",
        "if False:",
        "a_program_that_has_changed_since",
    ),
)
SCENARIO = mutants(
    HERE,
    "scenarios/resume_after_upgrade.py",
    "test_resume_after_upgrade.py",
    (
        "a person approves before the upgrade",
        "variables=APPROVAL if case.kill_point == PAUSED else None",
        "variables=None",
        "the_fault_landed",
    ),
    (
        "whoever does not wait has paused",
        '    if "charge_card" in effects:\n',
        "    if False:\n",
        "a_run_that_does_not_wait",
    ),
    (
        "a version that cannot run is judged",
        "return _result(subject, case, error(problem.detail), problem.evidence)",
        "return _result(subject, case, Judgement('PASS', Outcome.HELD, ''), problem.evidence)",
        "a_version_that_cannot_run_is_to_blame_itself",
    ),
    (
        "two versions may do different things",
        "        if set(origin.expected) != set(job.reference.effects):\n",
        "        if False:\n",
        "versions_that_differ_without_any_fault",
    ),
    (
        "an upgrade is blamed for what its version does alone",
        '(own := job.state.same_version).get("outcome") != Outcome.HELD',
        "(own := job.state.same_version) is None",
        "a_state_that_its_own_version_cannot_go_on_with",
    ),
    (
        "the version that saved is not named",
        '    return f"from-{state.origin.version}{python}"\n',
        '    return f"from-another{python}"\n',
        "a_result_says_who_saved",
    ),
)
STATES = mutants(
    HERE,
    "saved_states.py",
    "test_saved_states.py",
    (
        "a state is not checked",
        "    for state in found:\n        _check_whole(state)\n",
        "",
        "a_damaged_state_is_an_error[a byte]",
    ),
    (
        "more files are no matter",
        "    if extra := sorted(\n",
        "    if extra := [] and sorted(\n",
        "a_damaged_state_is_an_error[a file more]",
    ),
    (
        "every format is read",
        '        if data["state"] == FORMAT:\n',
        "        if True:\n",
        "a_damaged_state_is_an_error[another format]",
    ),
)
FILES = mutants(
    HERE,
    "state_files.py",
    "test_saved_states.py",
    (
        "what tools leave behind is no state",
        "tree = snapshot(work, always=())",
        "tree = snapshot(work)",
        "a_damaged_state_is_an_error[a line end]",
    ),
    (
        "empty folders are forgotten",
        "                there.mkdir(parents=True, exist_ok=True)\n",
        "                pass\n",
        "it_is_restored_byte_for_byte",
    ),
    (
        "a program is a file",
        'run = stat.S_IXUSR if entry["kind"] == "program" else 0',
        "run = 0",
        "it_is_restored_byte_for_byte",
    ),
    (
        "an earlier state stays in its place",
        "            shutil.rmtree(place)\n",
        "            return\n",
        "an_earlier_state_in_its_place_is_replaced",
    ),
    (
        "paths in files are not looked for",
        "wanted in (work / path).read_bytes()",
        "False",
        "the_old_path_in_a_state_is_seen",
    ),
)
MUTANTS = SAVING + GOING_ON + SCENARIO + STATES + FILES


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_detector_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")
