"""Mutation proof of what keeps servers in hand: each way of breaking it turns a test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, mutated, named

HERE = Path(__file__).parent

RUNNING = mutants(
    HERE,
    "services/running.py",
    "test_service.py",
    (
        "it is not ended",
        "            kill_group(server.pid)\n            try:",
        "            return\n            try:",
        "it_has_a_limit_to_become_ready",
    ),
    (
        "there is no limit",
        '        raise self._failure(f"was not ready within',
        '        return None\n        raise self._failure(f"was not ready within',
        "it_has_a_limit_to_become_ready",
    ),
    (
        "nobody asks whether it is ready",
        '            asker = self._run("ready", self._folder)\n',
        "            return None\n",
        "it_answers_as_soon_as_it_is_started",
    ),
    (
        "one that has ended is ready",
        "                return status\n            try:",
        "                return None\n            try:",
        "its_last_words_are_shown_if_it_dies",
    ),
    (
        "a taken port is an error",
        "        if not clash or not may_start_again:",
        "        if True:",
        "a_port_that_was_taken_meanwhile_is_given_up",
    ),
    (
        "others may reach it",
        "        if beyond := [str(one) for one in ours if not one.on_loopback]:",
        "        if beyond := []:",
        "the_kernel_is_asked_who_listens[everywhere]",
    ),
    (
        "nobody asks who has the port",
        "            if port in held:",
        "            if True:",
        "the_kernel_is_asked_who_listens[silent]",
    ),
    (
        "it prints where we print",
        "                stdout=out,\n",
        "",
        "what_it_prints_goes_to_its_folder",
    ),
    (
        "its folder stays",
        "            shutil.rmtree(self._folder, ignore_errors=True)\n",
        "            pass\n",
        "it_is_gone_afterwards",
    ),
    (
        "what stays is not named",
        "            if one.port in ports\n",
        "            if not ports\n",
        "who_cannot_be_stopped_is_named",
    ),
)

LISTENERS = mutants(
    HERE,
    "services/listeners.py",
    "test_service.py",
    (
        "addresses are read the wrong way round",
        '    if sys.byteorder == "little":',
        '    if sys.byteorder == "big":',
        "the_kernel_names_the_owner",
    ),
)

GROUND = mutants(
    HERE,
    "ground.py",
    "test_served_target.py",
    (
        "conditions are not asked",
        "    if need is not None:",
        "    if False:",
        "a_condition_that_is_not_met_is_no_verdict",
    ),
    (
        "a server that has ended is no reason",
        "        said = self.service.ended() if self.service else None\n",
        "        said = None\n",
        "a_server_that_ends_meanwhile_is_no_verdict[resume]",
    ),
    (
        "it is started for nothing",
        "or manifest.service is None or not needed:",
        "or manifest.service is None:",
        "a_server_is_not_started_for_nothing",
    ),
)

MUTANTS = (*RUNNING, *LISTENERS, *GROUND)


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_harness_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """At least one of the named tests fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")


def test_the_mutants_are_still_there() -> None:
    """Each changes a text that the file has exactly once, and has a name of its own."""
    names = [(mutant.file, mutant.name) for mutant in MUTANTS]
    assert len(set(names)) == len(names)
    assert all(mutated(mutant) for mutant in MUTANTS)
