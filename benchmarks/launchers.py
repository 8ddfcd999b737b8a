"""How much a forked agent costs against a cold one: ratios, measured in turn within one run.

Runs the controls with each launcher, A B A B, and prints the CPU seconds of whole process trees
and their ratio pair by pair. A ratio holds on a busy machine; a number of seconds does not.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAIRS = 5


def cpu_seconds(launcher: str) -> float:
    """User and system seconds of one run and everything that it started and waited for."""
    before = os.times()
    subprocess.run(
        [
            *(sys.executable, "-m", "plugpull"),
            *("--target", "control", "--targets", str(ROOT / "targets")),
            *("--scenario", "kill-mid-tool", "--launcher", launcher),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = os.times()
    return (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def main() -> None:
    """Measure, and print one line per pair."""
    ratios = []
    print("pair  fork CPU s  spawn CPU s  fork/spawn")
    for pair in range(1, PAIRS + 1):
        fork, spawn = cpu_seconds("fork"), cpu_seconds("spawn")
        ratios.append(fork / spawn)
        print(f"{pair:4}  {fork:10.2f}  {spawn:11.2f}  {ratios[-1]:10.2f}")
    low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
    print(f"fork/spawn: median {middle:.2f}, {low:.2f} to {high:.2f}")


if __name__ == "__main__":
    main()
