from __future__ import annotations

import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest
from branches import commit
from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.checkouts import Member, members
from plugpull.matrix.files import tree_hash
from plugpull.matrix.interpreters import Interpreter, find_interpreter
from plugpull.matrix.references import parse_reference
from plugpull.matrix.sources import Source, Sources
from plugpull.matrix.uvrun import EnvironmentFailure, run_uv
from projects import git, make_project, make_repository

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(scope="module")
def interpreter() -> Interpreter:
    """The Python that runs the tests."""
    found = find_interpreter(PYTHON)
    assert isinstance(found, Interpreter), found
    return found


@pytest.fixture
def sources(tmp_path: Path, interpreter: Interpreter) -> Sources:
    """A place for sources of its own."""
    return Sources(tmp_path / "state", {PYTHON: interpreter}, quiet=True)


def find(
    sources: Sources, text: str, name: str = "toy-slim", *, before: datetime | None = None
) -> Source:
    """What a reference leads to."""
    reference = parse_reference(text, Path("/"))
    assert reference is not None
    return sources.find(reference, name, before=before)


def left(tmp_path: Path) -> list[Path]:
    """Work trees and unfinished builds that are still there."""
    state = tmp_path / "state" / "sources"
    return [*state.glob("trees/*"), *state.glob("builds/tmp*")]


def test_a_commit_has_its_own_name_and_wheel(
    sources: Sources, interpreter: Interpreter, tmp_path: Path
) -> None:
    """A branch, a commit, the front of its name and HEAD lead to one version, built once."""
    top = tmp_path / "repo"
    first = make_repository(top)
    second = commit(make_project(top, code="ANSWER = 2\n"), "second")
    found = find(sources, f"git+{top}@main")
    assert found.label == f"git.{second[:12]}"
    assert (found.origin.identity, found.origin.version) == (second, "1.0.1")
    [wheel] = sources.wheels(found, "toy-slim", (), interpreter)
    made = Path(wheel.path).stat().st_mtime_ns
    for text in (f"git+{top}@{second}", f"git+{top}@{second[:8]}", f"git+{top}"):
        again = find(sources, text)
        assert again.label == found.label
        assert sources.wheels(again, "toy-slim", (), interpreter) == (wheel,)
    assert Path(wheel.path).stat().st_mtime_ns == made
    older = find(sources, f"git+{top}@{first}")
    assert older.label == f"git.{first[:12]}"
    assert sources.wheels(older, "toy-slim", (), interpreter)[0].sha256 != wheel.sha256
    assert left(tmp_path) == []


def test_a_repository_elsewhere_is_copied(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any ref of it is fetched, with one commit only; the history is when somebody needs it."""
    top = tmp_path / "repo"
    make_repository(top)
    git(["tag", "v1.0.1"], cwd=top, doing="tag")
    second = commit(make_project(top, code="ANSWER = 2\n"), "second")
    git(["update-ref", "refs/pull/7/head", second], cwd=top, doing="ref")
    settings = tmp_path / "gitconfig"
    settings.write_text(f'[url "{top}"]\n  insteadOf = https://example.org/toy\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    found = find(sources, "git+https://example.org/toy@refs/pull/7/head")
    assert found.label == f"git.{second[:12]}"
    assert found.origin.where == "https://example.org/toy"
    repository = sources.repository(found.reference)
    assert repository.tags_before(second) == []
    repository.fetch_history()
    [(tag, tagged)] = repository.tags_before(second)
    assert (tag, repository.distance(tagged, second)) == ("v1.0.1", 1)
    assert find(sources, f"git+https://example.org/toy@{second[:7]}").label == found.label
    with pytest.raises(UsageError, match=r"(?s)no branch, tag, commit or ref 'mian'.*\"main\""):
        find(sources, "git+https://example.org/toy@mian")


@pytest.mark.parametrize(
    ("ref", "words"),
    [
        ("git+{top}@nope", "has no branch, tag, commit or ref 'nope'"),
        ("git+{top}@deadbeef", "has no branch, tag, commit or ref 'deadbeef'"),
        ("git+{tmp}/plain@main", "is not a git repository"),
        ("git+{top}/inner@main", "is the folder inner/ of one"),
        ("git+{tmp}/nowhere@main", "there is no such folder"),
        ("git+file:///nowhere/at/all@main", "there is no such folder"),
        ("{tmp}/nowhere", "is not there"),
        ("{tmp}/plain", "no pyproject.toml, no setup.py"),
        ("{tmp}/nowhere.whl", "cannot be read"),
        ("{tmp}/text.whl", "it is no wheel"),
        ("git+{top}@main#subdirectory=inner", "(?s)no package in its folder inner.*libs/toy"),
        ("git+https://localhost:9/o/n@main", "(?s)cannot be reached.*why:"),
    ],
)
def test_bad_input_is_one_error_and_leaves_nothing(
    ref: str, words: str, sources: Sources, tmp_path: Path
) -> None:
    """What is wrong is said; no copy, no work tree and no wheel stays behind."""
    top = tmp_path / "repo"
    make_project(top / "libs" / "toy")
    (tmp_path / "plain").mkdir()
    (tmp_path / "text.whl").write_text("no zip")
    (top / "inner").mkdir()
    (top / "inner" / "README").write_text("nothing here")
    make_repository(top, name="other")
    with pytest.raises(PlugpullError, match=words):
        find(sources, ref.format(top=top, tmp=tmp_path))
    state = tmp_path / "state" / "sources"
    assert left(tmp_path) == []
    assert [*state.glob("git/*.git"), *state.glob("builds/*/*/*.whl")] == []


@pytest.mark.parametrize("kind", ["git", "path", "wheel", "sdist"])
def test_another_package_is_refused(kind: str, sources: Sources, tmp_path: Path) -> None:
    """A checkout or a file of something else is no version of the framework."""
    top = tmp_path / "repo"
    make_repository(top, name="other")
    make_project(top / "libs" / "toy", name="toy-slim")
    commit(top, "with the right one further down")
    run_uv(["build", "--out-dir", tmp_path / "dist", top], step="x", doing="build", cwd=tmp_path)
    [wheel], [sdist] = (tmp_path / "dist").glob("*.whl"), (tmp_path / "dist").glob("*.tar.gz")
    text = {"git": f"git+{top}@main", "path": str(top), "wheel": str(wheel), "sdist": str(sdist)}
    hint = "libs/toy" if kind in {"git", "path"} else "give a file of toy-slim"
    with pytest.raises(UsageError, match=f"(?s)holds other, not toy-slim.*{hint}"):
        find(sources, text[kind])
    assert left(tmp_path) == []


def test_what_cannot_be_built_says_why(sources: Sources, tmp_path: Path) -> None:
    """The end of the build's own output is the reason; the next try starts from nothing."""
    top = make_project(tmp_path / "toy")
    (top / "toy_slim.py").unlink()
    with pytest.raises(EnvironmentFailure, match=r"(?s)building toy-slim .*toy_slim\.py"):
        find(sources, str(top))
    assert left(tmp_path) == []
    make_project(tmp_path / "toy")
    assert find(sources, str(top)).label == "path.toy"


def test_a_folder_is_built_as_it_stands(
    sources: Sources, interpreter: Interpreter, tmp_path: Path
) -> None:
    """Changes that nobody committed count and are named; ignored files do not; it is left alone."""
    top = tmp_path / "clone"
    first = make_repository(top)
    clean = find(sources, str(top))
    assert (clean.label, clean.notes, clean.origin.head) == ("path.clone", (), first)
    (top / ".gitignore").write_text("*.log\n")
    (top / "toy_slim.py").write_text("ANSWER = 3\n")
    (top / "run.log").write_text("noise")
    before = tree_hash([top])
    again = Sources(tmp_path / "state", {PYTHON: interpreter}, quiet=True)
    dirty = find(again, str(top))
    assert dirty.origin.changed == (".gitignore", "toy_slim.py")
    assert dirty.notes == ("with uncommitted changes: .gitignore, toy_slim.py",)
    assert dirty.origin.identity != clean.origin.identity
    wheels = [again.wheels(one, "toy-slim", (), interpreter)[0] for one in (clean, dirty)]
    assert wheels[0].sha256 != wheels[1].sha256
    assert tree_hash([top]) == before
    (top / "run.log").write_text("more noise")
    once_more = Sources(tmp_path / "state", {PYTHON: interpreter}, quiet=True)
    assert find(once_more, str(top)).origin.identity == dirty.origin.identity


def test_a_folder_without_git_will_do(sources: Sources, tmp_path: Path) -> None:
    """An unpacked sdist has no history and no changes to name."""
    found = find(sources, str(make_project(tmp_path / "unpacked 1.0")))
    assert (found.label, found.origin.head, found.notes) == ("path.unpacked-1.0", "", ())


def test_packages_of_one_checkout(
    sources: Sources, interpreter: Interpreter, tmp_path: Path
) -> None:
    """A monorepo's package is found in its folder, and others of it come from the same commit."""
    top = tmp_path / "mono"
    make_project(top / "libs" / "toy")
    make_project(top / "libs" / "store", name="toy-store", version="3.0")
    git(["init", "--quiet", "--initial-branch", "main"], cwd=tmp_path / "mono", doing="init")
    sha = commit(top, "first")
    for text in (f"git+{top}@main#subdirectory=libs/toy", f"{top}/libs/toy"):
        found = find(sources, text)
        assert found.origin.subdirectory == "libs/toy"
        both = sources.wheels(found, "toy-slim", [Member("toy-store", "libs/store")], interpreter)
        assert [(one.name, one.version) for one in both] == [
            ("toy-slim", "1.0.1"),
            ("toy-store", "3.0"),
        ]
    asked = find(sources, f"git+{top}@main#subdirectory=libs/toy")
    assert asked.requirement("toy-slim") == f"toy-slim @ git:{sha}#subdirectory=libs/toy"
    with pytest.raises(UsageError, match="no package in its folder libs/nothing"):
        sources.wheels(asked, "toy-slim", [Member("x", "libs/nothing")], interpreter)
    assert left(tmp_path) == []


def test_members_are_told_from_requirements() -> None:
    """Only ``checkout:`` means the checkout under test."""
    texts = ["a>=1", "b @ https://host/b.whl", "c[x] @ checkout:libs/c"]
    assert members(texts) == (texts[:2], [Member("c[x]", "libs/c")])


def test_a_branch_as_it_was_on_a_day(
    sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A branch leads to what it was then; a tag or a commit that came later is a mistake."""
    top = tmp_path / "repo"
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-02-01T12:00:00Z")
    first = make_repository(top)
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2026-03-01T12:00:00Z")
    second = commit(make_project(top, code="ANSWER = 2\n"), "second")
    git(["tag", "v2"], cwd=top, doing="tag")
    day = datetime(2026, 2, 15, tzinfo=timezone.utc)
    found = find(sources, f"git+{top}@main", before=day)
    assert found.origin.identity == first
    assert found.notes == (
        f"main is of 2026-03-01, after the cut-off: {first[:12]} was there then",
    )
    for ref in ("v2", second, second[:9]):
        with pytest.raises(UsageError, match=r"after the cut-off 2026-02-15"):
            find(sources, f"git+{top}@{ref}", before=day)
    with pytest.raises(UsageError, match="and so is everything before it"):
        find(sources, f"git+{top}@HEAD", before=datetime(2026, 1, 1, tzinfo=timezone.utc))


def test_a_wheel_is_kept(sources: Sources, interpreter: Interpreter, tmp_path: Path) -> None:
    """A wheel and an sdist are taken as they are; the user's file may go away afterwards."""
    top = make_project(tmp_path / "toy", version="1.1+mine")
    run_uv(["build", "--out-dir", tmp_path / "dist", top], step="x", doing="build", cwd=tmp_path)
    [wheel], [sdist] = (tmp_path / "dist").glob("*.whl"), (tmp_path / "dist").glob("*.tar.gz")
    taken, built = find(sources, str(wheel)), find(sources, str(sdist))
    assert (taken.label, built.label) == ("wheel.1.1+mine", "sdist.1.1+mine")
    wheel.unlink()
    [kept] = sources.wheels(taken, "toy-slim", (), interpreter)
    assert Path(kept.path).is_file()
    assert kept.sha256 == taken.origin.identity
