"""The options of the ``plugpull`` command."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path

from plugpull._version import __version__
from plugpull.run_selection import TIMING_REPEAT
from plugpull.scenarios import SCENARIOS
from plugpull.scenarios.base import Settings

__all__ = ["parser", "settings"]

_EPILOG = """\
An agent is a command that takes the verb start or resume as its last argument, calls
plugpull.record_effect where its tool reaches the outside world, and keeps its checkpoints
in the folder PLUGPULL_WORKDIR.

exit status: 0 everything ran; 1 with --strict, something failed; 2 something could not be
run as designed, or is missing; 130 on Ctrl-C.
"""


def settings(options: argparse.Namespace) -> Settings:
    """What the options say about scenarios."""
    return Settings(
        writes=options.writes,
        points=options.points,
        seed=options.seed,
        moments=options.moments,
        moment=options.moment,
        ignore=tuple(options.ignore),
        resume_python=options.other_python,
    )


def parser() -> argparse.ArgumentParser:
    """What the command understands."""
    top = argparse.ArgumentParser(
        prog="plugpull",
        description="Pull the plug on an AI agent in the middle of a run, and see what breaks.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = top.add_argument_group("what to run (default: every target there is)")
    what.add_argument(
        "--target",
        dest="subjects",
        action="append",
        type=lambda name: ("target", name),
        default=[],
        metavar="NAME",
        help="run one framework's target; repeatable",
    )
    what.add_argument(
        "--agent",
        dest="subjects",
        action="append",
        type=lambda command: ("agent", command),
        metavar="COMMAND",
        help="run your own agent, kill-mid-tool unless --scenario says otherwise; split like a "
        "shell would, no shell runs it; repeatable",
    )
    what.add_argument(
        "--scenario",
        action="append",
        choices=list(SCENARIOS),
        default=[],
        help="run this scenario only; repeatable",
    )
    what.add_argument(
        "--variant", action="append", default=[], metavar="NAME", help="this variant; repeatable"
    )
    what.add_argument(
        "--fault-point",
        action="append",
        default=[],
        metavar="NAME[/DETAIL]",
        help="this fault point only, as it stands in an id; repeatable",
    )
    what.add_argument(
        "--writes",
        choices=("staged", "all"),
        default="staged",
        help="lost-session-write: lose the writes with the staged input, or each one in turn",
    )
    what.add_argument(
        "--targets", type=Path, metavar="DIR", help="where the targets are (default: the checkout)"
    )
    _add_sweep(top)
    _add_states(top)
    how = top.add_argument_group("how to run it")
    how.add_argument(
        "--repeat", type=_count, metavar="N", help="try each fault point N times (default: 1)"
    )
    how.add_argument(
        "--timing-repeat",
        type=_count,
        default=TIMING_REPEAT,
        metavar="N",
        help="and this often where a target is timing-dependent (default: %(default)s)",
    )
    how.add_argument(
        "--timeout",
        type=_seconds,
        metavar="SECONDS",
        help="limit for each process (default: 300 without a fault, then the larger of 60 and ten "
        "times what that took)",
    )
    how.add_argument(
        "--launcher",
        choices=("auto", "fork", "spawn"),
        default="auto",
        help="start targets as forks of a process that has imported the framework, or afresh",
    )
    how.add_argument(
        "--other-python",
        type=_interpreter,
        metavar="PYTHON",
        help="changed-world: resume under this interpreter, which has plugpull and another version "
        "of the framework",
    )
    how.add_argument(
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="hand this variable of your environment through to the agent; repeatable",
    )
    out = top.add_argument_group("what comes out")
    out.add_argument("--json", action="store_true", help="print schema-1 JSON")
    out.add_argument("--strict", action="store_true", help="exit with 1 if anything failed")
    out.add_argument(
        "--report", type=Path, metavar="FILE", help="write results and environment to a file"
    )
    out.add_argument(
        "--progress", action="store_true", help="say each result on standard error as it comes"
    )
    out.add_argument(
        "--keep",
        type=Path,
        metavar="DIR",
        help="keep the work folder and the output of every run that did not pass",
    )
    top.add_argument("--version", action="version", version=f"plugpull {__version__}")
    return top


def _add_states(top: argparse.ArgumentParser) -> None:
    states = top.add_argument_group("resume-after-upgrade")
    states.add_argument(
        "--save-states",
        type=Path,
        metavar="DIR",
        help="save a run at each fault point below this folder, for another version to go on with",
    )
    states.add_argument(
        "--state-version",
        metavar="TEXT",
        help="what the version is called there (default: its number, which a branch may share with "
        "a release)",
    )
    states.add_argument(
        "--states",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="go on with the states that another version saved below this folder; repeatable",
    )


def _add_sweep(top: argparse.ArgumentParser) -> None:
    sweep = top.add_argument_group("kill-sweep")
    sweep.add_argument(
        "--points",
        type=_points,
        default="all",
        metavar="all|N|kN",
        help="kill at all calls, at a sample of N, or at call N alone (default: all)",
    )
    sweep.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="what samples and moments are drawn with (default: %(default)s)",
    )
    sweep.add_argument(
        "--moments",
        type=_number,
        default=3,
        metavar="N",
        help="kill at N random moments as well (default: %(default)s)",
    )
    sweep.add_argument(
        "--moment",
        type=_moment,
        metavar="SECONDS",
        help="kill at this moment after the first call and nowhere else: replays a random one; "
        "0 is in that call, after its effect",
    )
    sweep.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="PATTERN",
        help="files that are no part of the end state, by path or name; repeatable",
    )


def _points(text: str) -> str:
    if text != "all" and not re.fullmatch(r"k?[1-9][0-9]*", text):
        msg = f"{text!r} is neither all, nor a number of calls, nor k and the number of one call"
        raise argparse.ArgumentTypeError(msg)
    return text


def _number(text: str) -> int:
    if not text.isdigit():
        msg = f"{text!r} is not a whole number"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _interpreter(text: str) -> Path:
    path = Path(text).absolute()
    if not path.is_file() or not os.access(path, os.X_OK):
        msg = f"{text!r} is no program that can be started"
        raise argparse.ArgumentTypeError(msg)
    return path


def _count(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        msg = f"{text!r} is not a whole number of at least 1"
        raise argparse.ArgumentTypeError(msg)
    return value


def _moment(text: str) -> float:
    return 0.0 if re.fullmatch(r"0+(\.0*)?", text) else _seconds(text)


# A year, in seconds: what waits for a process cannot count for ever.
_LONGEST = 31_536_000


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= _LONGEST:
        msg = f"{text!r} is not a number of seconds above 0 and up to {_LONGEST}"
        raise argparse.ArgumentTypeError(msg)
    return value
