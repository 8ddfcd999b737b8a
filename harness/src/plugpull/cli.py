"""The ``plugpull`` command."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from plugpull._version import __version__
from plugpull.errors import ERROR_EXIT, INTERRUPTED_EXIT, PlugpullError, UsageError
from plugpull.lab import Lab, Limits
from plugpull.manifest import CONTROL, MANIFEST, find_targets
from plugpull.report import check_writable, document, json_text, text_lines, write_whole
from plugpull.runner import TIMING_REPEAT, Report, Runner, Selection, split_command
from plugpull.scenarios import SCENARIOS
from plugpull.scenarios.base import Settings
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.verdicts import Result, exit_code

__all__ = ["main"]

_EPILOG = """\
An agent is a command that takes the verb start or resume as its last argument, calls
plugpull.record_effect where its tool reaches the outside world, and keeps its checkpoints
in the folder PLUGPULL_WORKDIR.

exit status: 0 everything ran; 1 with --strict, something failed; 2 something could not be
run as designed, or is missing; 130 on Ctrl-C.
"""


def _ending_signals() -> tuple[signal.Signals, ...]:
    """What ends us. A hang-up that was ignored when we started, by nohup, stays ignored."""
    hang_up = () if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hang_up)


class _Interrupted(BaseException):
    """A signal that ends us; its number is the argument."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for, print it, and return the exit status."""
    if sys.platform == "win32":
        print(
            "plugpull needs Linux or macOS: it kills process groups and asks the kernel who "
            "called, which Windows has no equivalent for. WSL works.",
            file=sys.stderr,
        )
        return ERROR_EXIT
    options = _parser().parse_args(arguments)
    for one in _ending_signals():
        signal.signal(one, _on_signal)
    finished: list[Result] = []
    try:
        reports = _run(options, finished)
    except PlugpullError as error:
        _print_unfinished(options, finished)
        print(f"plugpull: {error}", file=sys.stderr)
        return error.exit_code
    except _Interrupted as interruption:
        number: int = interruption.args[0]
        _print_unfinished(options, finished)
        print(
            f"plugpull: interrupted by {signal.Signals(number).name}; every process of the run "
            f"was ended. Results that came before it: {len(finished)}"
            + (" (--json prints all or nothing)" if options.json else ""),
            file=sys.stderr,
        )
        return INTERRUPTED_EXIT if number == signal.SIGINT else 128 + number
    _print_results(options, finished)
    if options.report:
        try:
            _write_report(options.report, reports)
        except PlugpullError as error:
            print(f"plugpull: {error}", file=sys.stderr)
            return error.exit_code
    missing = [report.missing for report in reports if report.missing]
    for sentence in missing:
        print(f"plugpull: {sentence}", file=sys.stderr)
    if not finished and not missing:
        print(
            "plugpull: nothing was run: no target answers what was selected "
            "(--scenario, --variant)",
            file=sys.stderr,
        )
    return exit_code(finished, missing=bool(missing), strict=options.strict)


def _run(options: argparse.Namespace, finished: list[Result]) -> list[Report]:
    """One report per target or agent, in the order in which they were asked for.

    Args:
        options: The command line.
        finished: Takes each result as soon as there is one, so that those survive an interruption.

    Raises:
        PlugpullError: Something is wrong with what was asked for.
    """
    targets = find_targets(options.targets)
    subjects = _subjects(options.subjects, targets)
    if options.report:
        if len(subjects) != 1:
            raise UsageError(
                "--report describes one target, so there has to be exactly one --target"
            )
        check_writable(options.report)
    selection = Selection(
        scenarios=tuple(options.scenario),
        variants=tuple(options.variant),
        repeat=options.repeat,
        timing_repeat=options.timing_repeat,
        settings=Settings(writes=options.writes),
        launcher=options.launcher,
    )
    others = set(selection.scenarios) - {KillMidTool.name}
    if others and any(kind == "agent" for kind, _ in subjects):
        raise UsageError(
            "--agent runs kill-mid-tool only",
            why="the other scenarios need a target, which knows how its framework is asked",
            then="leave --scenario away, or write a target: docs/add-a-target.md",
        )

    def heard(result: Result) -> None:
        finished.append(result)
        if options.progress:
            _say(result)

    with Lab(
        limits=Limits(options.timeout), pass_env=tuple(options.pass_env), keep=options.keep
    ) as lab:
        runner = Runner(lab, selection, heard)
        reports = [
            runner.run_agent(name) if kind == "agent" else runner.run_target(_folder(targets), name)
            for kind, name in subjects
        ]
        # A second Ctrl-C must not cut short the cleaning up behind the first.
        for number in _ending_signals():
            signal.signal(number, signal.SIG_IGN)
    return reports


def _write_report(path: Path, reports: list[Report]) -> None:
    (report,) = reports
    write_whole(
        path,
        {
            **document(report.results),
            "cell": report.cell,
            "not_supported": report.not_supported,
        },
    )


def _subjects(asked: list[tuple[str, str]], targets: Path | None) -> list[tuple[str, str]]:
    """What to run: what was asked for, or every target there is."""
    for kind, name in asked:
        if kind == "agent":
            split_command(name)
        elif targets is None:
            raise UsageError(
                f"there are no targets here, so not {name} either",
                then="run it in a checkout of the project, or name the folder: --targets DIR",
            )
        elif not (targets / name / MANIFEST).is_file():
            known = ", ".join(_names(targets))
            raise UsageError(f"there is no target {name!r} in {targets}", then=f"there are {known}")
    if asked:
        return asked
    if targets is None:
        raise UsageError(
            "there is nothing to run here",
            why="this folder is no checkout with targets, and no agent was named",
            then='try your own agent: plugpull --agent "python agent.py" '
            "(it takes start and resume as its last argument), or name targets: --targets DIR",
        )
    return [("target", name) for name in _names(targets)]


def _names(targets: Path) -> list[str]:
    found = sorted(path.parent.name for path in targets.glob(f"*/{MANIFEST}"))
    return [name for name in found if name != CONTROL]


def _folder(targets: Path | None) -> Path:
    if targets is None:
        msg = "a target was accepted although there are none"
        raise AssertionError(msg)
    return targets


def _print_results(options: argparse.Namespace, results: list[Result]) -> None:
    encoding = sys.stdout.encoding
    if options.json:
        text = json_text(document(results), encoding)
    else:
        # What a terminal's encoding does not have is escaped; a run's results end in no traceback.
        text = "\n".join(text_lines(results)).encode(encoding, "backslashreplace").decode(encoding)
    if not text:
        return
    try:
        print(text, flush=True)
    except BrokenPipeError:
        # Whoever read it has read enough (plugpull | head). The interpreter flushes once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_unfinished(options: argparse.Namespace, results: list[Result]) -> None:
    """What there is, for a person; a program gets all of a document or nothing."""
    if not options.json:
        _print_results(options, results)


def _say(result: Result) -> None:
    detail = f"/{result.point_detail}" if result.point_detail else ""
    print(
        f"{result.verdict:5} {result.scenario}/{result.variant}/{result.kill_point}{detail}",
        file=sys.stderr,
        flush=True,
    )


def _on_signal(number: int, _: FrameType | None) -> None:
    for one in _ending_signals():
        signal.signal(one, signal.SIG_IGN)
    raise _Interrupted(number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plugpull",
        description="Pull the plug on an AI agent in the middle of a run, and see what breaks.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what to run (default: every target there is)")
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
        help="run kill-mid-tool on your own agent; split like a shell would, no shell runs it; "
        "repeatable",
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
        "--writes",
        choices=("staged", "all"),
        default="staged",
        help="lost-session-write: lose the writes with the staged input, or each one in turn",
    )
    what.add_argument(
        "--targets", type=Path, metavar="DIR", help="where the targets are (default: the checkout)"
    )
    how = parser.add_argument_group("how to run it")
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
        "--pass-env",
        action="append",
        default=[],
        metavar="NAME",
        help="hand this variable of your environment through to the agent; repeatable",
    )
    out = parser.add_argument_group("what comes out")
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
    parser.add_argument("--version", action="version", version=f"plugpull {__version__}")
    return parser


def _count(text: str) -> int:
    value = int(text) if text.isdigit() else 0
    if value < 1:
        msg = f"{text!r} is not a whole number of at least 1"
        raise argparse.ArgumentTypeError(msg)
    return value


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        msg = f"{text!r} is not a number of seconds above 0"
        raise argparse.ArgumentTypeError(msg)
    return value
