"""Measure how LangGraph's verdicts depend on timing: run one kind of tool many times and count.

Run it in an environment that has LangGraph and plugpull, from anywhere::

    python tests/measure_langgraph_rig.py tool-call-id async 20
    python tests/measure_langgraph_rig.py no-key async 20 --save-delay 0.2
    python tests/measure_langgraph_rig.py no-key async 20 --save first --save-delay 0.2

The numbers change from run to run wherever the verdict depends on timing; that is what they show.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "rigs"))

from rigged_target import rigged_target

TOOLS = ("no-key", "tool-call-id", "ledger-first")


def measure(options: argparse.Namespace) -> int:
    """Run, print one line per fault point, and return the harness's exit status."""
    environment = {
        "PLUGPULL_KEY": "none" if options.tool == "no-key" else options.tool,
        "PLUGPULL_DURABILITY": options.durability,
        "PLUGPULL_RIG_SAVE": options.save,
        "PLUGPULL_RIG_SAVE_DELAY": str(options.save_delay),
    }
    name = f"{options.durability}+{options.tool}"
    with tempfile.TemporaryDirectory() as scratch:
        targets = rigged_target(
            Path(scratch, "targets"), "langgraph", "langgraph_saves.py", {name: environment}
        )
        report = Path(scratch, "report.json")
        command = [sys.executable, "-m", "plugpull", "--target", "langgraph"]
        command += ["--scenario", "kill-mid-tool"]
        command += ["--targets", str(targets), "--scenario", "kill-mid-tool"]
        command += ["--repeat", str(options.runs), "--report", str(report)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
        results = json.loads(report.read_text(encoding="utf-8"))["results"]
    for result in results:
        counts = "  ".join(f"{verdict} {count}" for verdict, count in result["runs"].items())
        print(f"{result['target']} {name}  {result['kill_point']:<13}  {counts}")
    return done.returncode


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool", choices=TOOLS, help="what the tool sends as idempotency key")
    parser.add_argument("durability", choices=("async", "sync"))
    parser.add_argument("runs", type=int, help="how often each fault point is tried")
    parser.add_argument("--save", choices=("first", "never"), default="", help="see the rig")
    parser.add_argument("--save-delay", type=float, default=0.0, metavar="SECONDS")
    return measure(parser.parse_args())


if __name__ == "__main__":
    raise SystemExit(main())
