from __future__ import annotations

from pathlib import Path

import pytest
from plugpull.errors import UsageError
from plugpull.matrix.options import MatrixOptions, parse_options

ROOT = Path("/checkout")


def test_without_posargs_everything_has_its_place() -> None:
    """The defaults are the checkout's own declaration and results, and nothing is selected."""
    options = parse_options([], root=ROOT)
    assert (options.matrix, options.results) == ("/checkout/matrix.toml", "/checkout/results")
    assert not options.selects
    assert options.baseline == "/checkout/baseline.json"
    assert options == MatrixOptions(
        matrix=options.matrix, results=options.results, baseline=options.baseline
    )


def test_every_option_is_read() -> None:
    """Each posarg arrives; paths start where the user stood, and a slash at the end is nothing."""
    text = (
        "--only langgraph/ --only */py3.13 --python 3.13 --python 3.12 --add toy==1.0 "
        "--add openai-agents==0.23.1 --matrix my.toml --results out --compare old/matrix.json "
        "--repeat 9 --timeout 2.5 --strict --fresh --all --keep --skip-missing-interpreters "
        "--download-python --expectations known.toml --baseline /srv/base.json"
    )
    options = parse_options(text.split(), root=ROOT, cwd=Path("/home/me"))
    assert options == MatrixOptions(
        only=("langgraph", "*/py3.13"),
        python=("3.13", "3.12"),
        add=(("toy", "1.0"), ("openai-agents", "0.23.1")),
        matrix="/home/me/my.toml",
        results="/home/me/out",
        repeat=9,
        strict=True,
        compare="/home/me/old/matrix.json",
        baseline="/srv/base.json",
        expectations="/home/me/known.toml",
        fresh=True,
        all=True,
        keep=True,
        skip_missing_interpreters=True,
        timeout=2.5,
        download_python=True,
    )
    assert MatrixOptions.from_json(options.to_json()) == options
    assert options.selects


@pytest.mark.parametrize(
    ("asked", "addition"),
    [
        ("toy==1.0", ("toy", "1.0")),
        ("toy@latest-minors:3", ("toy", "latest-minors:3")),
        ("toy>=1.0,<2", ("toy", ">=1.0,<2")),
        ("toy @ ../clone", ("toy", "/home/clone")),
        ("toy@./x.whl", ("toy", "/home/me/x.whl")),
        ("toy@git+https://h/o/n@refs/pull/7/head", ("toy", "git+https://h/o/n@refs/pull/7/head")),
        ("toy@git+../clone@fix#subdirectory=a", ("toy", "git+/home/clone@fix#subdirectory=a")),
    ],
)
def test_an_addition_is_any_entry(asked: str, addition: tuple[str, str]) -> None:
    """The same grammar as in a declaration; a path starts where the user stood."""
    options = parse_options(["--add", asked], root=ROOT, cwd=Path("/home/me"))
    assert options.add == (addition,)


@pytest.mark.parametrize("day", ["2026-09-14", "today", "release"])
def test_as_of_is_a_day(day: str) -> None:
    """What a declaration may say, the command line may."""
    assert parse_options(["--as-of", day], root=ROOT).as_of == day
    with pytest.raises(UsageError, match="is not release, today or like"):
        parse_options(["--as-of", f"{day}x"], root=ROOT)


@pytest.mark.parametrize(
    ("posargs", "words"),
    [
        ("--onyl toy", "unrecognized arguments: --onyl"),
        ("toy", "unrecognized arguments: toy"),
        ("--str", "unrecognized arguments: --str"),
        ("--only", "expected one argument"),
        ("--only /", "an empty selector"),
        ("--python 3.10.2", "write '3.10.2' as major.minor"),
        ("--python python3.10", "as major.minor"),
        ("--add toy", "write 'toy' as NAME==VERSION"),
        ("--add ==1", "as NAME==VERSION"),
        ("--repeat 0", "'0' is not a whole number above zero"),
        ("--repeat 1.5", "'1.5' is not a whole number above zero"),
        ("--timeout 0", "'0' is not a number of seconds above zero"),
        ("--timeout inf", "'inf' is not a number"),
        ("--timeout nan", "'nan' is not a number"),
        ("--timeout soon", "'soon' is not a number"),
    ],
)
def test_a_mistake_is_one_clear_error(posargs: str, words: str) -> None:
    """What cannot be meant is refused with the option's name, and with exit code 2."""
    with pytest.raises(UsageError) as raised:
        parse_options(posargs.split(), root=ROOT)
    assert words in str(raised.value)
    assert raised.value.exit_code == 2


PAGES = {
    "matrix": ("--fresh", "--compare", "--baseline", "--only"),
    "list": ("--only", "--add", "--as-of", "--all"),
    "collect": ("--strict", "--compare", "--expectations", "--results"),
    "record": ("--baseline", "--results", "--only"),
    "docs": ("--results", "--matrix"),
}


@pytest.mark.parametrize("session", PAGES)
def test_each_session_has_its_own_page(session: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With its own name and purpose, and the options that it heeds; each has another one."""
    shown: dict[str, str] = {}
    for one in PAGES:
        with pytest.raises(SystemExit) as left:
            parse_options(["--help"], root=ROOT, session=one)
        assert left.value.code == 0
        shown[one] = capsys.readouterr().out
    page = shown.pop(session)
    assert page.startswith(f"usage: nox -s {session} --")
    assert all(option in page for option in PAGES[session])
    assert ("--fresh" in page) == (session == "matrix")
    about = page.split("\n\n")[1]
    assert all(about not in other for other in shown.values())


@pytest.mark.parametrize("session", PAGES)
def test_a_session_takes_what_it_does_not_heed(session: str) -> None:
    """The same words stand behind -- of several sessions at once."""
    asked = parse_options(["--fresh", "--only", "toy"], root=ROOT, session=session)
    assert asked == parse_options(["--fresh", "--only", "toy"], root=ROOT)
