"""Every way in which the harness is broken on purpose, and the tests that have to notice."""

from __future__ import annotations

from workshop import Mutant

__all__ = ["MUTANTS"]


def _mutants(file: str, *entries: tuple[str, str, str, str]) -> list[Mutant]:
    return [Mutant(name, file, old, new, tuple(tests.split())) for name, old, new, tests in entries]


_PROVIDER = [
    *_mutants(
        "provider_calls.py",
        (
            "an empty key is none",
            "        if call.key is not None:\n",
            "        if call.key:\n",
            "test_provider.py::test_an_empty_key_is_a_key",
        ),
        (
            "a key counts under any name",
            "(call.effect, call.key) in keyed)",
            "call.key in {key for _, key in keyed})",
            "test_provider.py::test_the_same_key_under_two_names_is_two_effects",
        ),
        (
            "a key protects nothing",
            "keyed.add((call.effect, call.key))",
            "pass",
            "test_provider.py::test_the_same_name_and_key_is_one_effect",
        ),
        (
            "a call without a key is counted once",
            "counts[call.effect] += 1",
            "counts[call.effect] = 1",
            "test_provider.py::test_a_call_without_a_key_is_always_a_new_effect",
        ),
        (
            "what is not recorded counts",
            "if not call.recorded or (",
            "if (",
            "test_provider.py::test_a_held_call_is_recorded_after_and_not_before",
        ),
    ),
    *_mutants(
        "provider.py",
        (
            "before-effect is recorded",
            "recorded = point != BEFORE_EFFECT",
            "recorded = True",
            "test_provider.py::test_a_held_call_is_recorded_after_and_not_before",
        ),
        (
            "after-effect is not recorded",
            "recorded = point != BEFORE_EFFECT",
            "recorded = point is None",
            "test_provider.py::test_a_held_call_is_recorded_after_and_not_before",
        ),
        (
            "the answer comes before the record",
            "            if not self._take(name, key, connection):\n",
            (
                '            connection.answer({"ok": True})\n'
                "            if not self._take(name, key, connection):\n"
            ),
            "test_provider.py::test_a_held_call_is_recorded_after_and_not_before",
        ),
        (
            "a held call is answered in the end",
            "            return self._answers_held\n",
            "            return True\n",
            "test_provider.py::test_a_held_call_is_recorded_after_and_not_before",
        ),
        (
            "an answer that comes late is for nothing",
            "recorded=True)\n            return",
            "recorded=False)\n            return",
            "test_provider.py::test_a_held_call_that_is_answered_late_was_recorded_once",
        ),
    ),
]

_KILL_CHECK = _mutants(
    "killcheck.py",
    (
        "step 1: an agent that ended is killed",
        "    if status is not None:\n",
        "    if False:\n",
        "test_killcheck.py::test_an_agent_that_ended_before_the_kill_proves_nothing",
    ),
    (
        "step 1: a closed call is held",
        "if not held.connection.is_open():",
        "if False:",
        "test_killcheck.py::test_a_call_that_was_closed_before_the_kill_proves_nothing",
    ),
    (
        "step 2: an unknown caller is in the group",
        'return "this platform does not tell which process made the call"',
        "return None",
        "test_killcheck.py::test_a_platform_without_peer_pids_gives_errors",
    ),
    (
        "step 2: a caller that has gone is in the group",
        'return f"the process that made the call (pid {held.pid}) had ended before {fault}"',
        "return None",
        "test_killcheck.py::test_a_caller_that_has_gone_is_an_error",
    ),
    (
        "step 2: every caller is in the group",
        "if group != agent.pid:",
        "if False:",
        "test_killcheck.py::test_a_worker_outside_that_gives_up_is_an_error",
    ),
    (
        "step 3: any end is the kill",
        "if status != -signal.SIGKILL:",
        "if status is None:",
        "test_killcheck.py::test_an_agent_that_ends_itself_with_137_is_an_error",
    ),
    (
        "step 4: every call closes",
        "seconds = held.connection.wait_closed(CLOSES_WITHIN)",
        "seconds = 0.0",
        "test_killcheck.py::test_a_call_that_outlives_the_agent_is_an_error",
    ),
)

_PROCESSES = [
    *_mutants(
        "processes/launcher.py",
        (
            "SIGTERM in place of SIGKILL",
            "os.killpg(pid, signal.SIGKILL)",
            "os.killpg(pid, signal.SIGTERM)",
            "test_killcheck.py::test_a_kill_inside_the_call_is_proven",
        ),
        (
            "the leader is killed and not its group",
            "os.killpg(pid, signal.SIGKILL)",
            "os.kill(pid, signal.SIGKILL)",
            "test_killcheck.py::test_a_wrapper_does_not_survive_the_kill",
        ),
    ),
    *_mutants(
        "processes/fork_launcher.py",
        (
            "both generations have one hash seed",
            '_SEEDS = ("1", "2")',
            '_SEEDS = ("1", "1")',
            "test_launchers.py::test_generations_share_no_hash_seed[fork]",
        ),
    ),
    *_mutants(
        "processes/environment.py",
        (
            "every variable reaches an agent",
            "if name in passed or any(",
            "if name or any(",
            "test_child_environment.py",
        ),
    ),
    *_mutants(
        "processes/strays.py",
        (
            "strays live on",
            "os.kill(stray.pid, signal.SIGKILL)",
            "pass",
            "test_cleanup.py::test_a_process_that_left_its_group_is_named_and_ended",
        ),
    ),
    *_mutants(
        "wire.py",
        (
            "more bytes are an end",
            "if any(event & (select.POLLHUP",
            "if self._socket.recv(1, 66) or any(event & (select.POLLHUP",
            "test_killcheck.py::test_how_a_client_uses_its_connection_changes_nothing[sends-ahead]",
        ),
    ),
]

_STORE = _mutants(
    "store.py",
    (
        "write-lost keeps the items",
        '            changed = request["items"]\n            if not lost:\n',
        '            changed = request["items"]\n            if True:\n',
        "test_session_store.py::test_the_chosen_write_fails_and_is_kept_or_not",
    ),
    (
        "ack-lost does not keep the items",
        '            changed = request["items"]\n            if not lost:\n',
        '            changed = request["items"]\n            if outcome == STORED:\n',
        "test_session_store.py::test_the_chosen_write_fails_and_is_kept_or_not",
    ),
    (
        "the lost write is answered",
        "        if fault:\n            return None\n",
        "        if False:\n            return None\n",
        "test_session_store.py::test_the_chosen_write_fails_and_is_kept_or_not",
    ),
    (
        "another write is lost",
        "number = 1 + sum(",
        "number = 2 + sum(",
        "test_session_store.py::test_the_chosen_write_fails_and_is_kept_or_not",
    ),
    (
        "the store removes duplicates",
        "items.extend(changed)",
        "items.extend(item for item in changed if item not in items)",
        "test_session_store.py::test_the_store_removes_no_duplicates",
    ),
    (
        "the fault goes on in resume",
        "            self._phase = phase\n            self._fault = None\n",
        "            self._phase = phase\n",
        "test_session_store.py::test_a_resume_finds_a_store_that_answers",
    ),
)

_LOST = "test_lost_session_write.py"
_ANOTHER_WAY = f"{_LOST}::test_a_faulted_start_that_goes_another_way_is_an_error"
_UNUSABLE = f"{_LOST}::test_a_first_run_that_is_unusable_makes_every_result_an_error"
_LOST_WRITE = [
    *_mutants(
        "scenarios/lost_session_write.py",
        (
            "the staged-write check",
            "if number in staged and not lost.carries(self.token):",
            "if False:",
            f"{_ANOTHER_WAY}[next-start-writes-something-else]",
        ),
        (
            "staged numbers are not compared",
            "if [one for one in staged_numbers(writes, self.token) if one <= number] != expected:",
            "if False:",
            f"{_ANOTHER_WAY}[next-start-stages-more]",
        ),
        (
            "a write that was not reached",
            'return f"start made {len(writes)} Session writes and never reached this one"',
            "return None",
            f"{_ANOTHER_WAY}[next-start-writes-less]",
        ),
        (
            "start may exit 0",
            '            return "start exited 0 although',
            '            return None and "start exited 0 although',
            f"{_LOST}::test_a_start_that_exits_0_although_the_staged_write_failed_is_an_error",
        ),
        (
            "start may go on writing",
            "if self.case.kill_point != OUTAGE and any(",
            "if False and any(",
            f"{_LOST}::test_a_start_that_goes_on_writing_is_an_error",
        ),
        (
            "every write is checked as the staged one",
            'if self.case.number not in self.unfaulted.evidence["staged_writes"]:',
            "if False:",
            f"{_LOST}::test_another_write_that_fails_unnoticed_is_judged",
        ),
        (
            "another write is not known by its name",
            "if number not in expected and name != planned:",
            "if False:",
            f"{_LOST}::test_another_write_is_known_by_what_it_holds",
        ),
        (
            "effects are not judged",
            "            or judge_effects(",
            "            or None and judge_effects(",
            f"{_LOST}::test_effects_are_judged_too",
        ),
    ),
    *_mutants(
        "scenarios/session_writes.py",
        (
            "nothing staged is no problem",
            "    if not staged:\n",
            "    if False:\n",
            f"{_UNUSABLE}[nothing-staged]",
        ),
        (
            "the first run may store twice",
            "        if count > 1:\n",
            "        if False:\n",
            f"{_UNUSABLE}[stores-twice-by-itself]",
        ),
        (
            "the first run may remove",
            "        if count == 0:\n",
            "        if False:\n",
            f"{_UNUSABLE}[removes-an-item]",
        ),
        (
            "a refused call is no problem",
            "    if store.refused:\n",
            "    if False:\n",
            f"{_UNUSABLE}[malformed-write]",
        ),
        (
            "a duplicated item is right",
            "        if count == 1:\n",
            "        if count >= 1:\n",
            f"{_LOST}::test_a_recovery_that_looks_passes_and_one_that_does_not_stores_twice",
        ),
        (
            "a lost item is right",
            "        if count == 1:\n",
            "        if count <= 1:\n",
            f"{_LOST}::test_a_staged_input_that_resume_forgets_is_lost",
        ),
        (
            "every run has the same token",
            "return uuid.uuid4().hex",
            'return "token"',
            f"{_LOST}::test_each_run_has_a_token_of_its_own",
        ),
    ),
]

_KILL = "test_kill_mid_tool.py"
_KILL_MID_TOOL = [
    *_mutants(
        "scenarios/killing.py",
        (
            "a kill that did not land is judged",
            "    if kill.problem:\n        note_stderr",
            "    if False:\n        note_stderr",
            "test_killcheck.py::test_a_caller_outside_the_group_is_an_error",
        ),
        (
            "an old effect is a new one",
            (
                "        ended,\n"
                "        new_effects=any(call.recorded for call in trial.provider.calls[before:])"
            ),
            (
                "        ended,\n"
                "        new_effects=any(call.recorded for call in trial.provider.calls)"
            ),
            f"{_KILL}::test_a_refusal_is_declared_and_has_no_effect",
        ),
    ),
    *_mutants(
        "scenarios/whole_runs.py",
        (
            "the held effect alone is expected",
            "effects=tuple(effects)",
            "effects=tuple(effects)[:1]",
            f"{_KILL}::test_a_resume_that_does_nothing_loses_the_last_effect",
        ),
    ),
    *_mutants(
        "scenarios/base.py",
        (
            "an unfaulted run may fail",
            "    if ended.returncode != 0:\n",
            "    if False:\n",
            f"{_KILL}::test_an_agent_that_exits_before_its_call_is_an_error",
        ),
        (
            "an unfaulted run may have an effect twice",
            "        if count != 1:\n",
            "        if False:\n",
            f"{_KILL}::test_two_effects_under_one_name_cannot_be_judged",
        ),
        (
            "a crash of resume is no fail",
            "    if ended.returncode == 0:\n",
            "    if True:\n",
            f"{_KILL}::test_a_resume_that_crashes_is_a_fail",
        ),
        (
            "a refusal may have effects",
            "None if new_effects else subject.refused(",
            "subject.refused(",
            f"{_KILL}::test_a_refusal_is_declared_and_has_no_effect",
        ),
    ),
]

_JUDGE = "test_verdicts.py::test_every_effect_of_the_unfaulted_run_is_wanted_once"
_VERDICTS = [
    *_mutants(
        "verdicts.py",
        ("a lost effect is right", "if count != 1:", "if count > 1:", _JUDGE),
        ("a duplicated effect is right", "if count != 1:", "if count < 1:", _JUDGE),
        (
            "lost is called duplicated",
            "Outcome.LOST if count == 0 else Outcome.DUPLICATED",
            "Outcome.LOST if count else Outcome.DUPLICATED",
            _JUDGE,
        ),
        (
            "another effect is right",
            "if count and name not in expected:",
            "if False:",
            _JUDGE,
        ),
        (
            "FAIL before ERROR",
            "for verdict in (ERROR, FAIL, PASS) if runs[verdict]",
            "for verdict in (FAIL, ERROR, PASS) if runs[verdict]",
            "test_verdicts.py::test_repetitions_come_to_the_worst_of_them",
        ),
        (
            "PASS before FAIL",
            "for verdict in (ERROR, FAIL, PASS) if runs[verdict]",
            "for verdict in (ERROR, PASS, FAIL) if runs[verdict]",
            "test_verdicts.py::test_repetitions_come_to_the_worst_of_them",
        ),
        (
            "repetitions that differ are not told",
            "shown.timing_dependent or len(runs) > 1",
            "shown.timing_dependent",
            "test_verdicts.py::test_repetitions_come_to_the_worst_of_them",
        ),
        (
            "nothing run is success",
            "if missing or not results or ERROR in verdicts:",
            "if missing or ERROR in verdicts:",
            "test_verdicts.py::test_the_exit_status_is_what_the_results_come_to",
        ),
        (
            "an ERROR is success",
            "if missing or not results or ERROR in verdicts:",
            "if missing or not results:",
            "test_verdicts.py::test_the_exit_status_is_what_the_results_come_to",
        ),
        (
            "a FAIL is always an error",
            "return 1 if strict and FAIL in verdicts else 0",
            "return 1 if FAIL in verdicts else 0",
            "test_verdicts.py::test_the_exit_status_is_what_the_results_come_to",
        ),
    ),
    *_mutants(
        "limits.py",
        (
            "the smaller limit",
            "return max(self.LEAST",
            "return min(self.LEAST",
            "test_verdicts.py::test_a_busy_machine_decides_no_verdict",
        ),
    ),
    *_mutants(
        "notes.py",
        (
            "a note needs more copies than it says",
            "canonical(item), 0) >= wanted",
            "canonical(item), 0) > wanted",
            "test_verdicts.py::test_the_note_on_a_duplicated_write_is_decided_by_evidence",
        ),
        (
            "a hang is a crash",
            "return returncode is not None and returncode != 0",
            "return bool(returncode != 0)",
            "test_verdicts.py::test_the_note_on_an_empty_checkpoint_needs_all_of_its_conditions",
        ),
    ),
    *_mutants(
        "report.py",
        (
            "standard error is always shown",
            "return result.verdict == ERROR or (",
            "return True or (",
            "test_report.py::test_standard_error_is_shown_where_it_says_why",
        ),
    ),
]

_CONTROL = "test_running_targets.py::test_a_session_control_that_deviates_spares_the_other_scenario"
_CONTROLS = [
    *_mutants(
        "controls.py",
        (
            "no control deviates",
            "return self.expected != self.found",
            "return False",
            _CONTROL,
        ),
    ),
    *_mutants(
        "runner.py",
        (
            "a deviation has no consequence",
            "                if deviation is not None:\n",
            "                if False:\n",
            _CONTROL,
        ),
    ),
]

MUTANTS = (
    *_PROVIDER,
    *_KILL_CHECK,
    *_PROCESSES,
    *_STORE,
    *_LOST_WRITE,
    *_KILL_MID_TOOL,
    *_VERDICTS,
    *_CONTROLS,
)
