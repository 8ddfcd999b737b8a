"""The script of a report that stands alone: makes the environment, runs the one result, says so."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugpull.matrix.reproduction import Reproduction

__all__ = ["script"]

_TEXT = """\
#!/bin/sh
# {id}
#
# Makes an environment with the pinned packages beside this script, and shows what happens.
# Needs Python {python} and uv on PATH; pip will do instead of uv.
#
#   sh reproduce.sh                      what was reported
#   WITH=../my-clone sh reproduce.sh     the same with your own {distribution} put over it
#   sh reproduce.sh --json               schema-1 JSON
#
# Exit status: 1 the failure is there, 0 it is not, 2 it could not be run as designed.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# Relative to where it was typed.
with=${{WITH:-}}
if [ -e "$with" ]; then
    with=$(CDPATH='' cd -- "$(dirname -- "$with")" && pwd)/$(basename -- "$with")
fi
cd "$here"
venv=${{VENV:-$here/.venv}}
python=$venv/bin/python
if command -v uv >/dev/null 2>&1; then
    uv venv --quiet --clear --no-project --python {python} "$venv"
    uv pip install --quiet --python "$python" --no-deps{hashes} -r requirements.txt
    uv pip install --quiet --python "$python" --no-deps wheels/{wheel}
    if [ -n "$with" ]; then uv pip install --quiet --python "$python" --no-deps "$with"; fi
else
    export PIP_DISABLE_PIP_VERSION_CHECK=1
    python{python} -m venv --clear "$venv"
    "$python" -m pip install --quiet --no-deps{hashes} -r requirements.txt
    "$python" -m pip install --quiet --no-deps wheels/{wheel}
    if [ -n "$with" ]; then "$python" -m pip install --quiet --no-deps "$with"; fi
fi
{npm}code=0
"$python" -m plugpull --target {target} --targets "$here/targets" \\
    --scenario {scenario} --variant {variant} \\
    --fault-point {point} --timing-repeat {repeat} --strict "$@" || code=$?
case $code in
    0) echo "It passes here." >&2 ;;
    1) echo "It fails here, as reported." >&2 ;;
    *) echo "It could not be run as designed (exit status $code)." >&2 ;;
esac
exit "$code"
"""


#: What comes from npm goes into the environment's own folder, where the target looks for it.
_NPM = """\
npm install --silent --no-audit --no-fund --no-save --ignore-scripts --prefix "$venv" {packages}
"""


def script(one: Reproduction, wheel: str, *, hashed: bool) -> str:
    """The text of ``reproduce.sh``.

    Args:
        one: What is reproduced.
        wheel: The file name of the harness.
        hashed: Whether every requirement has a hash.
    """
    packages = shlex.join(one.npm)
    return _TEXT.format(
        npm=_NPM.format(packages=packages) if packages else "",
        id=one.id,
        python=one.python,
        distribution=one.distribution,
        hashes=" --require-hashes" if hashed else "",
        wheel=shlex.quote(wheel),
        target=shlex.quote(one.target),
        scenario=shlex.quote(one.scenario),
        variant=shlex.quote(one.variant),
        point=shlex.quote(one.point),
        repeat=one.repeat,
    )
