from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from plugpull.matrix.interpreters import Interpreter, Missing, find_all, find_interpreter

HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"
BASE = str(Path(sys.executable).resolve())
#: A version that no machine has: nothing but what a test puts there can be found.
NOWHERE = "3.99"


def script(path: Path, text: str) -> Path:
    """An executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def empty(tmp_path: Path, **variables: str) -> dict[str, str]:
    """An environment in which nothing is found unless a test puts it there."""
    return {"PATH": "/nowhere", "HOME": str(tmp_path / "home"), **variables}


def link(path: Path, to: str = BASE) -> Path:
    """A link, by default to the Python that runs the tests."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)
    return path


def same_python(found: Interpreter | Missing) -> bool:
    """Whether it is the Python that runs the tests, whatever link led there."""
    return isinstance(found, Interpreter) and Path(found.path).samefile(BASE)


def test_a_python_on_path_is_found(tmp_path: Path) -> None:
    """The first one on PATH is taken, with its absolute path and its full version."""
    link(tmp_path / "bin" / f"python{HERE}")
    found = find_interpreter(HERE, environ=empty(tmp_path, PATH=str(tmp_path / "bin")))
    assert same_python(found)
    assert isinstance(found, Interpreter)
    assert found.version == platform.python_version()
    assert (found.python, found.found) == (HERE, "PATH")
    assert Path(found.path).is_absolute()


def test_a_shim_that_refuses_does_not_hide_the_python_behind_it(tmp_path: Path) -> None:
    """A shim of pyenv fails for a version that is not chosen; the version's own folder has it."""
    shims = tmp_path / ".pyenv" / "shims"
    script(shims / f"python{HERE}", f"echo 'pyenv: python{HERE}: command not found' >&2; exit 127")
    link(tmp_path / ".pyenv" / "versions" / f"{HERE}.0" / "bin" / f"python{HERE}")
    environ = empty(tmp_path, PATH=f"{shims}:/nowhere", PYENV_ROOT=str(tmp_path / ".pyenv"))
    found = find_interpreter(HERE, environ=environ)
    assert same_python(found)
    assert isinstance(found, Interpreter)
    assert found.found == "pyenv"


def test_a_shim_that_works_is_not_what_is_used(tmp_path: Path) -> None:
    """What a shim leads to is used by its own path: tomorrow the shim may lead elsewhere."""
    script(tmp_path / "shims" / f"python{HERE}", f'exec "{BASE}" "$@"')
    found = find_interpreter(HERE, environ=empty(tmp_path, PATH=str(tmp_path / "shims")))
    assert same_python(found)


def test_a_chosen_pyenv_version_changes_nothing(tmp_path: Path) -> None:
    """A candidate does not see PYENV_VERSION, VIRTUAL_ENV or PYTHONHOME of the user's shell."""
    words = '[ -z "$PYENV_VERSION$VIRTUAL_ENV$PYTHONHOME$PYTHONPATH" ] || exit 3'
    script(tmp_path / "bin" / f"python{HERE}", f'{words}\nexec "{BASE}" "$@"')
    environ = empty(
        tmp_path,
        PATH=str(tmp_path / "bin"),
        PYENV_VERSION="3.13.0",
        VIRTUAL_ENV="/v",
        PYTHONHOME="/h",
        PYTHONPATH="/p",
    )
    found = find_interpreter(HERE, environ=environ)
    assert same_python(found)
    assert isinstance(found, Interpreter)
    assert found.found == "PATH"


def test_the_newest_patch_of_uv_and_pyenv_comes_first(tmp_path: Path) -> None:
    """Versions are compared as numbers: .13 is newer than .9."""
    versions = tmp_path / "home" / ".pyenv" / "versions"
    for name in ("3.99.9", "3.99.13", "3.990.1", "3.99-dev"):
        script(versions / name / "bin" / "python3.99", f"echo {name} >&2; exit 1")
    uv = tmp_path / "uv"
    for name in ("cpython-3.99.2-linux", "cpython-3.99.10-linux", "pypy-3.99.11-linux"):
        script(uv / name / "bin" / "python3.99", f"echo {name} >&2; exit 1")
    missing = find_interpreter(NOWHERE, environ=empty(tmp_path, UV_PYTHON_INSTALL_DIR=str(uv)))
    assert isinstance(missing, Missing)
    said = [line.rpartition(" ")[2] for line in missing.tried if str(tmp_path) in line]
    assert said == [
        "cpython-3.99.10-linux",
        "cpython-3.99.2-linux",
        "3.99.13",
        "3.99.9",
        "3.99-dev",
    ]


def test_uvs_own_pythons_are_found(tmp_path: Path) -> None:
    """A Python that uv has installed is found where uv puts it."""
    folder = tmp_path / "data" / "uv" / "python" / f"cpython-{HERE}.1-linux-x86_64-gnu"
    link(folder / "bin" / f"python{HERE}")
    found = find_interpreter(HERE, environ=empty(tmp_path, XDG_DATA_HOME=str(tmp_path / "data")))
    assert same_python(found)
    assert isinstance(found, Interpreter)
    assert found.found == "uv"


def test_a_virtual_environment_gives_the_python_it_was_made_from(tmp_path: Path) -> None:
    """The environment may be gone tomorrow: its base is what is recorded and used."""
    made = tmp_path / "venv"
    subprocess.run([BASE, "-m", "venv", "--without-pip", str(made)], check=True)
    link(tmp_path / "bin" / f"python{HERE}", str(made / "bin" / "python"))
    found = find_interpreter(HERE, environ=empty(tmp_path, PATH=str(made / "bin")))
    assert isinstance(found, Interpreter)
    assert not found.path.startswith(str(made))
    assert same_python(found)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("echo oops >&2; exit 4", "refuses with exit code 4: oops"),
        ("exit 127", "refuses with exit code 127: it said nothing"),
        ("echo hello", "answers 'hello"),
        ("""echo '["/x", "3.9.1", "CPython"]'""", "is Python 3.9.1"),
        ("""echo '["/x", "3.99.1", "PyPy"]'""", "is PyPy"),
        ("""echo '["x", "3.99.1", "CPython"]'""", "names itself 'x'"),
    ],
)
def test_what_does_not_prove_itself_is_passed_over(answer: str, words: str, tmp_path: Path) -> None:
    """A candidate that fails, or is something else, is named with what it did."""
    path = script(tmp_path / "bin" / "python3.99", answer)
    missing = find_interpreter(NOWHERE, environ=empty(tmp_path, PATH=str(path.parent)))
    assert isinstance(missing, Missing)
    assert any(str(path) in line and words in line for line in missing.tried)
    assert missing.reason == "python3.99 not found"


def test_files_that_cannot_be_started_are_passed_over(tmp_path: Path) -> None:
    """Folders, plain files and broken programs named like a Python stop nothing."""
    (tmp_path / "a" / "python3.99").mkdir(parents=True)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "python3.99").write_text("no program", encoding="utf-8")
    broken = script(tmp_path / "c" / "python3.99", "")
    broken.write_bytes(b"\x7fELF nonsense")
    path = os.pathsep.join(str(tmp_path / name) for name in "abc")
    missing = find_interpreter(NOWHERE, environ=empty(tmp_path, PATH=path))
    assert isinstance(missing, Missing)
    assert [line for line in missing.tried if str(broken) in line]


def test_a_relative_folder_on_path_is_no_place(tmp_path: Path, monkeypatch: object) -> None:
    """PATH may hold a relative folder; what lies there differs from process to process."""
    script(tmp_path / "bin" / "python3.99", "echo found >&2; exit 1")
    missing = find_interpreter(NOWHERE, environ=empty(tmp_path, PATH="bin:."))
    assert isinstance(missing, Missing)
    assert not [line for line in missing.tried if "found" in line]


def test_several_are_looked_for_at_once(tmp_path: Path) -> None:
    """Each Python asked for has an answer, found or not, in the order asked."""
    link(tmp_path / "bin" / f"python{HERE}")
    environ = empty(tmp_path, PATH=str(tmp_path / "bin"))
    found = find_all([NOWHERE, HERE, HERE], environ=environ)
    assert list(found) == [NOWHERE, HERE]
    assert isinstance(found[NOWHERE], Missing)
    assert same_python(found[HERE])
    assert find_all([]) == {}


def test_the_python_of_this_process_is_the_last_resort(tmp_path: Path) -> None:
    """Where nothing else is found, the Python that plans is one that surely works."""
    found = find_interpreter(HERE, environ=empty(tmp_path))
    assert same_python(found) or isinstance(found, Interpreter)
