from __future__ import annotations

from pathlib import Path

import pytest
from branches import commit
from packaging.version import Version
from planned import release
from plugpull.errors import UsageError
from plugpull.matrix.cells import Origin
from plugpull.matrix.check_base import check_order, default_base, tagged_version
from plugpull.matrix.references import Reference
from plugpull.matrix.sources import Source, Sources
from projects import git, make_project, make_repository

RELEASES = (
    release("1.0"),
    release("1.1"),
    release("1.2", yanked="broken"),
    release("2.0rc1"),
    release("2.0"),
)


def source(top: Path, sha: str, version: str = "1.5") -> Source:
    """A commit, found and built already."""
    return Source(
        Reference("git", str(top), "main"),
        f"git.{sha[:12]}",
        Origin("git", str(top), sha, version=version),
    )


@pytest.fixture
def sources(tmp_path: Path) -> Sources:
    """Where nothing is built."""
    return Sources(tmp_path / "state", {})


@pytest.mark.parametrize(
    ("tag", "version"),
    [
        ("v1.2.3", "1.2.3"),
        ("1.2.3", "1.2.3"),
        ("toy-slim==1.2.3", "1.2.3"),
        ("toy_slim-v1.2", "1.2"),
        ("toy-slim/1.2", "1.2"),
        ("toy-slim@1.2rc1", "1.2rc1"),
        ("release-1.2", "1.2"),
        ("toy-store==3.0", None),
        ("other-v1.0", None),
        ("nightly", None),
        ("v1", "1"),
        ("2026-01-01-build", None),
    ],
)
def test_a_tag_says_a_version_of_this_package(tag: str, version: str | None) -> None:
    """The usual ways to write it are read; tags of a repository's other packages say nothing."""
    assert tagged_version(tag, "toy-slim") == (Version(version) if version else None)


def test_the_base_is_the_nearest_release_tag(tmp_path: Path, sources: Sources) -> None:
    """The tag with the fewest commits since, of those that are releases and no yanked ones."""
    top = tmp_path / "repo"
    make_repository(top)
    git(["tag", "v1.0"], cwd=top, doing="tag")
    commit(make_project(top, code="A = 1\n"), "two")
    git(["tag", "-a", "-m", "one point one", "v1.1"], cwd=top, doing="tag")
    git(["tag", "toy-store==2.0"], cwd=top, doing="tag")
    commit(make_project(top, code="A = 2\n"), "three")
    git(["tag", "v1.2"], cwd=top, doing="tag")
    git(["tag", "v7.7"], cwd=top, doing="tag")
    head = commit(make_project(top, code="A = 3\n"), "four")
    found = default_base(source(top, head), sources, RELEASES, "toy-slim")
    assert found == ("1.1", "its nearest release tag, v1.1")


def test_a_maintenance_branch_has_its_own_base(tmp_path: Path, sources: Sources) -> None:
    """Not the newest release of all, and not a tag that is no ancestor."""
    top = tmp_path / "repo"
    make_repository(top)
    git(["tag", "v1.0"], cwd=top, doing="tag")
    commit(make_project(top, code="A = 1\n"), "two")
    git(["tag", "v2.0"], cwd=top, doing="tag")
    git(["checkout", "--quiet", "-b", "maintenance", "v1.0"], cwd=top, doing="checkout")
    head = commit(make_project(top, code="A = 0\n"), "a fix")
    base, _ = default_base(source(top, head, "9.9"), sources, RELEASES, "toy-slim")
    assert base == "1.0"


@pytest.mark.parametrize(
    ("declared", "base"),
    [("1.5", "1.1"), ("1.1", "1.1"), ("1.2", "1.1"), ("2.0rc2", "2.0rc1"), ("3.0.dev1+g12", "2.0")],
)
def test_without_tags_its_own_version_decides(
    declared: str, base: str, tmp_path: Path, sources: Sources
) -> None:
    """The newest release that is not newer; pre-releases only where it is one itself."""
    top = tmp_path / "repo"
    head = make_repository(top)
    found = default_base(source(top, head, declared), sources, RELEASES, "toy-slim")
    assert found[0] == base
    assert "not newer than its own version" in found[1]


def test_without_anything_the_base_must_be_named(tmp_path: Path, sources: Sources) -> None:
    """A version before all releases, as a build without tags gives itself, tells nothing."""
    head = make_repository(tmp_path / "repo")
    with pytest.raises(UsageError, match=r"(?s)no release of toy-slim .* old as 0\.0\.0.*--base"):
        default_base(source(tmp_path / "repo", head, "0.0.0"), sources, RELEASES, "toy-slim")


def test_a_base_comes_before_what_is_checked(tmp_path: Path, sources: Sources) -> None:
    """By version for a release, by history for a commit."""
    top = tmp_path / "repo"
    first = source(top, make_repository(top))
    second = source(top, commit(make_project(top, code="A = 1\n"), "two"))
    check_order("1.5", second, sources)
    check_order(first, second, sources)
    with pytest.raises(UsageError, match=r"the base 1\.6 is newer"):
        check_order("1.6", second, sources)
    with pytest.raises(UsageError, match="is newer than what is checked"):
        check_order(second, first, sources)
    with pytest.raises(UsageError, match="both are git"):
        check_order(second, second, sources)
