from __future__ import annotations

from pathlib import Path

import pytest
from plugpull.matrix.references import Reference, anchored, parse_reference, shown

BASE = Path("/home/me/work")


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("git+https://host/o/n@main", Reference("git", "https://host/o/n", "main")),
        ("git+https://host/o/n.git", Reference("git", "https://host/o/n.git", "HEAD")),
        ("git+https://me@host/o/n@v1.0", Reference("git", "https://me@host/o/n", "v1.0")),
        (
            "git+https://host/o/n@refs/pull/4906/head",
            Reference("git", "https://host/o/n", "refs/pull/4906/head"),
        ),
        ("git+https://host/o/n@feature/x", Reference("git", "https://host/o/n", "feature/x")),
        ("git+ssh://git@host/o/n@main", Reference("git", "ssh://git@host/o/n", "main")),
        ("git+git@host:o/n@main", Reference("git", "git@host:o/n", "main")),
        ("git+git@host:o/n", Reference("git", "git@host:o/n", "HEAD")),
        ("git+../clone@fix", Reference("git", "/home/me/clone", "fix")),
        ("git+file:///srv/n.git@abc1234", Reference("git", "/srv/n.git", "abc1234")),
        (
            "git+https://host/o/n@main#subdirectory=libs/core",
            Reference("git", "https://host/o/n", "main", "libs/core"),
        ),
        ("../clone", Reference("path", "/home/me/clone")),
        (".", Reference("path", "/home/me/work")),
        ("./a#subdirectory=/libs/core/", Reference("path", "/home/me/work/a", "", "libs/core")),
        ("/srv/clone", Reference("path", "/srv/clone")),
        (
            "dist/toy-1.0-py3-none-any.whl",
            Reference("wheel", f"{BASE}/dist/toy-1.0-py3-none-any.whl"),
        ),
        ("dist/toy-1.0.tar.gz", Reference("sdist", f"{BASE}/dist/toy-1.0.tar.gz")),
    ],
)
def test_a_reference_says_what_and_where(text: str, reference: Reference) -> None:
    """Each form of the grammar is understood, relative paths from the given folder on."""
    assert parse_reference(text, BASE) == reference


@pytest.mark.parametrize("text", ["1.2.11", "latest", ">=1.0,<2", "~=1.0", "lowest:>=1", "harness"])
def test_a_version_is_no_reference(text: str) -> None:
    """What means a release is left to others."""
    assert parse_reference(text, BASE) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("git+https://host/o/n@", "no reference behind @"),
        ("git+@main", "no address"),
        ("git+https://host/o/n@--upload-pack=x", "is no name of a branch"),
        ("git+https://host/o/n@a..b", "is no name of a branch"),
        ("git+ext::sh -c id@main", "https, ssh, git, file and paths"),
        ("git+ftp://host/o/n@main", "https, ssh, git, file and paths"),
        ("git+https://host/o/n@main#egg=n", "is not understood"),
        ("./clone#subdirectory=../other", "is no folder below the top"),
        ("./x.whl#subdirectory=a", "a wheel has no subdirectory"),
    ],
)
def test_a_broken_reference_is_refused(text: str, words: str) -> None:
    """It is a mistake, and no version: git is never given what it would take for an option."""
    with pytest.raises(ValueError, match=words):
        parse_reference(text, BASE)


def test_only_local_references_depend_on_where_they_stand() -> None:
    """A path means the same to a reader elsewhere once it is anchored; other texts stay."""
    assert anchored("../clone#subdirectory=a", BASE) == "/home/me/clone#subdirectory=a"
    assert anchored("git+../clone@fix", BASE) == "git+/home/me/clone@fix"
    for text in ("git+https://host/o/n@main", "1.0", "latest", "git+@"):
        assert anchored(text, BASE) == text


def test_a_password_is_never_shown() -> None:
    """Neither in texts for people nor in records."""
    reference = parse_reference("git+https://me:secret@host/o/n@main", BASE)
    assert reference is not None
    assert str(reference) == "git+https://host/o/n@main"
    assert shown("ssh://git@host/o/n") == "ssh://git@host/o/n"
