"""``plugpull conform``: check a subject from the command line, or the check itself."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plugpull._version import __version__
from plugpull.conformance.check import conform
from plugpull.conformance.life import Factory, describe
from plugpull.conformance.planted import INPUTS, PLANTED
from plugpull.errors import PlugpullError, UsageError
from plugpull.verdicts import ERROR, FAIL, PASS

__all__ = ["main"]

_EXIT = {PASS: 0, FAIL: 1, ERROR: 2}

_EPILOG = """\
FACTORY is called with a context at each start of the subject and returns an object with a
method step(input); see docs/test-your-agent.md.

exit status: 0 the subject held at every crash point; 1 it did not; 2 it could not be judged
"""


def main(arguments: Sequence[str]) -> int:
    """Run ``plugpull conform`` with what stands behind these words; return the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.selftest:
        return _selftest()
    if options.factory is None:
        parser.print_help()
        return 0
    try:
        report = conform(
            _load(options.factory),
            _inputs(options),
            strict=not options.lenient,
            uncatchable=options.uncatchable,
        )
    except PlugpullError as error:
        print(f"plugpull: {error}", file=sys.stderr)
        return error.exit_code
    except Exception as error:
        if not options.lenient:
            raise
        print(f"plugpull: the subject failed: {describe(error)}", file=sys.stderr)
        return 2
    text = json.dumps(report.to_json(), indent=2) if options.json else str(report)
    encoding = sys.stdout.encoding
    print(text.encode(encoding, "backslashreplace").decode(encoding))
    return _EXIT[report.verdict]


def _selftest() -> int:
    """Check subjects whose findings are known; 1 if any comes out differently."""
    deviating = 0
    for planted in PLANTED:
        report = conform(
            planted.factory(), INPUTS, strict=planted.strict, uncatchable=planted.uncatchable
        )
        found = {finding.kind for finding in report.findings}
        deviating += found != planted.kinds
        rules = "strict" if planted.strict else "crashresume's rules"
        wanted = ", ".join(sorted(planted.kinds)) or PASS
        mark = "as it has to be" if found == planted.kinds else f"BUT IT HAS TO BE: {wanted}"
        print(f"a subject that {planted.about} ({rules}): {wanted}")
        for line in str(report).replace("—", "-").splitlines():
            print(f"  {line}")
        print(f"  {mark}")
    print(f"\nselftest: {FAIL if deviating else PASS}")
    return 1 if deviating else 0


def _load(name: str) -> Factory:
    """The factory that ``module:name`` or ``file.py:name`` names."""
    where, _, attribute = name.rpartition(":")
    if not where or not attribute:
        raise UsageError(f"{name!r} names no factory", then="write module:name or file.py:name")
    module: Any
    try:
        if where.endswith(".py"):
            path = Path(where).absolute()
            sys.path.insert(0, str(path.parent))
            module = importlib.import_module(path.stem)
        else:
            sys.path.insert(0, str(Path.cwd()))
            module = importlib.import_module(where)
    except Exception as error:
        raise UsageError(f"{where} could not be imported", why=describe(error)) from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        raise UsageError(f"there is nothing to be called named {attribute} in {where}")
    made: Factory = factory
    return made


def _inputs(options: argparse.Namespace) -> list[Any]:
    if options.inputs is None:
        return list(options.input)
    try:
        items = json.loads(options.inputs.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{options.inputs} could not be read", why=str(error)) from error
    if not isinstance(items, list):
        raise UsageError(f"{options.inputs} holds no JSON array, whose items would be the inputs")
    return [*options.input, *items]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="plugpull conform",
        description="Crash a subject at every effect, inside this process, and compare its end.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("factory", nargs="?", metavar="FACTORY", help="module:name or file.py:name")
    parser.add_argument("input", nargs="*", metavar="INPUT", help="what step is called with")
    parser.add_argument(
        "--inputs", type=Path, metavar="FILE", help="a JSON array with further inputs"
    )
    parser.add_argument(
        "--lenient", action="store_true", help="the rules of crashresume 0.1.0, not the strict ones"
    )
    parser.add_argument(
        "--uncatchable",
        action="store_true",
        help="crash in a way that 'except Exception' does not catch",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--selftest", action="store_true", help="check good and planted-bad subjects instead"
    )
    parser.add_argument("--version", action="version", version=f"plugpull {__version__}")
    return parser
