"""kill-sweep as a user asks for it, of an agent of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from sweeping import TOYS


def plugpull(kind: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Sweep a planted agent through the command line."""
    agent = f"{sys.executable} {TOYS / 'planted.py'} {kind} {folder}"
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "plugpull",
            "--agent",
            agent,
            "--scenario",
            "kill-sweep",
            *arguments,
        ],
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_agent_of_one_s_own(tmp_path: Path) -> None:
    """No inspect, so no output; the files are compared, and what differs stands in the line."""
    done = plugpull("signs-again", tmp_path, "--points", "k2", "--moments", "0", "--strict")
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 4
    for line in lines:
        assert line.startswith("FAIL   kill-sweep  ")
        assert line.endswith('differs: note, line 2: "paid: $43" instead of "paid: $42"')


def test_a_moment_from_the_evidence_is_replayed(tmp_path: Path) -> None:
    """What one run reports, another is told; patterns reach it too."""
    done = plugpull(
        *("stays-and-leaves-more", tmp_path, "--moment", "0.0005"),
        *("--ignore", "draft", "--json"),
    )
    assert done.returncode == 0, done.stdout
    (result,) = json.loads(done.stdout)["results"]
    assert result["verdict"] == "PASS"
    assert result["evidence"]["moment"] == 0.0005
    assert result["point_detail"] == "0.0005s"


def test_a_call_that_the_agent_does_not_make(tmp_path: Path) -> None:
    """An ERROR that says how many there are, and exit status 2."""
    done = plugpull("sound", tmp_path, "--points", "k3")
    assert done.returncode == 2
    assert "the run makes 2 calls, so there is none to kill at k3" in done.stdout
