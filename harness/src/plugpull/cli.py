"""The ``plugpull`` command."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from plugpull.errors import ERROR_EXIT, INTERRUPTED_EXIT, PlugpullError, UsageError
from plugpull.lab import Lab, Limits
from plugpull.options import parser, settings
from plugpull.preparing import split_command
from plugpull.report import check_writable, document, json_text, text_lines, write_whole
from plugpull.run_selection import Selection
from plugpull.runner import Report, Runner
from plugpull.scenarios import SCENARIOS
from plugpull.target_folders import CONTROL, MANIFEST, find_targets
from plugpull.verdicts import Result, exit_code

__all__ = ["main"]


def _ending_signals() -> tuple[signal.Signals, ...]:
    """What ends us. A hang-up that was ignored when we started, by nohup, stays ignored."""
    hang_up = () if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGINT, signal.SIGTERM, *hang_up)


class _Interrupted(BaseException):
    """A signal that ends us; its number is the argument."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for, print it, and return the exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["conform"]:
        from plugpull.conformance.command import main as conform  # noqa: PLC0415 - seldom asked for

        return conform(words[1:])
    if sys.platform == "win32":
        print(
            "plugpull needs Linux or macOS: it kills process groups and asks the kernel who "
            "called, which Windows has no equivalent for. WSL works.",
            file=sys.stderr,
        )
        return ERROR_EXIT
    options = parser().parse_args(arguments)
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
    try:
        _print_results(options, finished)
        if options.report:
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
            "(--scenario, --variant, --fault-point)",
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
    try:
        Path.cwd()
    except OSError as error:
        raise PlugpullError(
            f"the folder that this was started in cannot be used: {error.strerror or error}",
            then="change to one that is there",
        ) from error
    targets = find_targets(options.targets)
    subjects = _subjects(options.subjects, targets)
    if targets is not None and any(kind == "target" for kind, _ in subjects):
        _mention_missing_controls(targets)
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
        settings=settings(options),
        launcher=options.launcher,
        points=tuple(options.fault_point),
        states=tuple(options.states),
        save_states=options.save_states,
        state_version=options.state_version,
    )
    beyond = [name for name in selection.scenarios if not SCENARIOS[name].for_agents]
    if beyond and any(kind == "agent" for kind, _ in subjects):
        can = ", ".join(name for name, one in SCENARIOS.items() if one.for_agents)
        raise UsageError(
            f"--agent cannot be asked for {beyond[0]}, only for {can}",
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


def _mention_missing_controls(targets: Path) -> None:
    """Results without controls are worth less, and whoever reads them should know."""
    if not (targets / CONTROL / MANIFEST).is_file():
        print(
            f"plugpull: {targets} has no {CONTROL}/{MANIFEST}, so these results stand without "
            "controls: nothing shows that a failure would be seen here",
            file=sys.stderr,
        )


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
    """Print what there is.

    Raises:
        PlugpullError: Standard output takes no more.
    """
    # None where a shell closed it: plugpull >&-
    encoding = getattr(sys.stdout, "encoding", "utf-8")
    if options.json:
        text = json_text(document(results), encoding)
    else:
        # What a terminal's encoding does not have is escaped; a run's results end in no traceback.
        text = "\n".join(text_lines(results)).encode(encoding, "backslashreplace").decode(encoding)
    if not text:
        return
    try:
        print(text, flush=True)
    except OSError as error:
        # The interpreter flushes once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # A closed pipe is no error: whoever read it has read enough (plugpull | head).
        if not isinstance(error, BrokenPipeError):
            raise PlugpullError(
                f"standard output cannot be written: {error.strerror or error}",
                then="make room, or send it elsewhere",
            ) from error


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
