"""`nox -s shell`: a command, or a shell, in a cell's environment."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugpull.errors import PlugpullError
from plugpull.matrix.shell import shell
from toy_checkout import HERE, Checkout, make_checkout, only_once

pytestmark = only_once

CELL = f"toy-wheel.1.0/py{HERE}"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout with two versions of a framework."""
    return make_checkout(tmp_path_factory.mktemp("checkout"))


def test_a_command_runs_in_the_cell(toy: Checkout) -> None:
    """Its environment is made for it; its output and its exit code are the session's."""
    done = toy.nox(
        *("-s", "shell", "--", CELL, "--", "python", "-c"),
        "import toyframework, plugpull, sys; print(toyframework.VERSION); sys.exit(7)",
    )
    assert done.returncode == 7, done.stderr
    assert done.stdout == "1.0\n"


def test_a_shell_reads_what_it_is_given(toy: Checkout) -> None:
    """Where nobody sits at a terminal, commands come from standard input."""
    script = "python -c 'import toyframework as t; print(t.VERSION)'; echo $PLUGPULL_CELL; pwd"
    name = CELL.replace("/", "-")
    done = toy.nox("-s", "shell", "--", name, stdin=script, SHELL="/bin/sh")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["1.0", CELL, str(toy.root)]


def test_help(toy: Checkout, capsys: pytest.CaptureFixture[str]) -> None:
    """As in every other session, and no cell is needed for it."""
    assert shell(["--help"], root=toy.root, cwd=toy.root) == 0
    assert "usage: nox -s shell -- " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([f"toy-wheel.1.1/py{HERE}", "--", "true"], f"did you mean {CELL}"),
        (["toy-wheel.1.0/py3.9", "--", "true"], "there is no Python 3.9"),
        ([], "one cell is needed"),
        ([CELL, "other"], "one cell is needed"),
        ([CELL, "--", "no-such-command"], "no-such-command cannot be started"),
    ],
)
def test_bad_input(toy: Checkout, words: list[str], says: str) -> None:
    """One clear error, and no environment for what is not there."""
    before = {path.name for path in _environments(toy)}
    with pytest.raises(PlugpullError) as caught:
        shell(words, root=toy.root, cwd=toy.root)
    assert says in str(caught.value)
    if CELL not in words:
        assert {path.name for path in _environments(toy)} == before


def _environments(toy: Checkout) -> list[Path]:
    return [path for path in (toy.root / ".plugpull").glob("envs/*") if path.is_dir()]
