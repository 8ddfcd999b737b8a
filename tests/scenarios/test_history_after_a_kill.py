"""kill-mid-tool and kill-sweep: each effect happened once, and the history has to be whole too."""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_off import order, results, the_error, words
from plugpull.lab import Lab
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.scenarios.kill_sweep import KillSweep
from plugpull.verdicts import Result

COMES_TO = {
    "keyed": "PASS held",
    "keyed+resume-unpairs": "FAIL unpaired",
    "keyed+unreadable-later": "FAIL state lost",
    "keyed+resume-unpairs+resume-does-nothing": "FAIL lost",
}


def sweep(lab: Lab, flags: str, folder: Path) -> list[Result]:
    """kill-sweep at the first call only."""
    return results(lab, KillSweep(), order(flags, folder), points="k1", moments=0)


@pytest.mark.parametrize("flags", COMES_TO)
def test_a_history_that_a_resume_spoils_fails_kill_mid_tool(
    lab: Lab, tmp_path: Path, flags: str
) -> None:
    """The effects come first; then each call has one answer, or the run did not survive."""
    found = results(lab, KillMidTool(), order(flags, tmp_path))
    assert words(found) == [COMES_TO[flags]] * 2, [one.detail for one in found]
    assert all("reported" in one.evidence for one in found)


def test_a_history_that_a_resume_spoils_fails_kill_sweep(lab: Lab, tmp_path: Path) -> None:
    """Although the output and the work folder are not compared."""
    found = sweep(lab, "keyed+resume-unpairs", tmp_path)
    assert found
    assert set(words(found)) == {"FAIL unpaired"}
    assert found[0].detail == (
        "call 1: stored history broken after resume: the call call_2 has 0 answers (expected 1)"
    )


def test_a_history_that_is_broken_from_the_start_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """No fault can be blamed for it."""
    sentence = "the history without a fault is broken: the call call_0 has 0 answers (expected 1)"
    toy = order("keyed+starts-unpaired", tmp_path)
    assert the_error(results(lab, KillMidTool(), toy)) == sentence
    assert the_error(sweep(lab, "keyed+starts-unpaired", tmp_path)) == sentence
