"""Manifests: strict, and every complaint names the file and the key."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from plugpull.errors import UsageError
from plugpull.guide import Guide, Promise
from plugpull.manifest import read_manifest
from plugpull.notes import CONDITIONS
from plugpull.target_folders import find_targets
from support import TARGETS, command_line

GOOD: dict[str, Any] = {
    "name": "toy",
    "title": "Toy",
    "distribution": "pytest",
    "import": "pytest",
    "program": "agent.py",
    "companions": ["iniconfig"],
    "preload": ["json"],
    "documentation": [{"about": "resuming", "link": "https://example.org"}],
    "env": {"A": "1"},
    "inspect": False,
    "variants": [
        {
            "name": "sync",
            "label": "durability=sync",
            "scenarios": ["kill-mid-tool"],
            "versions": ">=1,<2",
            "env": {"B": "2"},
            "timing_dependent": True,
        },
        {"name": "plain"},
    ],
    "scenarios": {"kill-mid-tool": {"versions": ">=0.5"}, "lost-session-write": {}},
    "not_supported": [
        {
            "scenario": "lost-session-write",
            "variant": "sync",
            "versions": "<1.5",
            "reason": "not there yet",
            "link": "https://example.org",
            "absent": "a.b:c",
        }
    ],
    "refusals": ["^Refused"],
    "notes": [
        {
            "when": {"resume_returncode": "nonzero", "variant_env": {"B": "2"}},
            "text": "documented, see",
            "link": "https://example.org",
        }
    ],
    "guide": {
        "saves": "after each `step`",
        "promises": [{"says": "a run goes on", "link": "https://example.org/resuming#how"}],
        "advice": "use a key",
    },
}


def write(folder: Path, data: object) -> Path:
    """A target's folder."""
    target = folder / "toy"
    target.mkdir(parents=True, exist_ok=True)
    (target / "agent.py").touch()
    (target / "target.json").write_text(
        data if isinstance(data, str) else json.dumps(data), encoding="utf-8"
    )
    return target


def changed(path: str, value: object) -> dict[str, Any]:
    """The good manifest with one value changed, or removed (...)."""
    data: Any = copy.deepcopy(GOOD)
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = data
    for step in way:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return dict(data)


def test_a_manifest_says_what_it_says(tmp_path: Path) -> None:
    """Variants and gaps by version, and what is left away has its default."""
    manifest = read_manifest(write(tmp_path, GOOD))
    assert manifest.module == "pytest"
    assert manifest.environment == {"A": "1"}
    assert not manifest.inspects
    assert manifest.documentation == (("resuming", "https://example.org"),)
    assert manifest.guide == Guide(
        "after each `step`",
        (Promise("a run goes on", "https://example.org/resuming#how"),),
        "use a key",
    )
    sync, plain = manifest.variants
    assert (sync.label, sync.timing_dependent, sync.environment) == (
        "durability=sync",
        True,
        {"B": "2"},
    )
    assert (plain.label, plain.timing_dependent, plain.versions) == ("", False, "*")
    assert manifest.variants_for("kill-mid-tool", "1.2") == (sync, plain)
    assert manifest.variants_for("kill-mid-tool", "2.0") == (plain,)
    assert manifest.variants_for("kill-mid-tool", "0.4") == ()
    assert manifest.variants_for("lost-session-write", "1.2") == (plain,)
    assert manifest.variants_for("another", "1.2") == ()
    assert [gap.absent for gap in manifest.not_supported_in("1.4")] == ["a.b:c"]
    assert manifest.not_supported_in("1.5") == ()


def test_the_least_that_a_manifest_can_say(tmp_path: Path) -> None:
    """Seven keys are needed, the others have defaults."""
    least = {key: GOOD[key] for key in ("name", "title", "distribution", "import", "program")}
    manifest = read_manifest(
        write(tmp_path, {**least, "variants": [{"name": "default"}], "scenarios": {}})
    )
    assert manifest.inspects
    assert manifest.notes == manifest.refusals == manifest.companions == ()
    assert manifest.guide is None


@pytest.mark.parametrize("target", sorted(path.parent.name for path in TARGETS.glob("*/*.json")))
def test_the_manifests_of_the_checkout_are_good(target: str) -> None:
    """Each is called like its folder."""
    assert read_manifest(TARGETS / target).name == target


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("colour", "red", "the manifest", "unknown key 'colour'; known: "),
        ("name", ..., "the manifest", "the key 'name' is missing"),
        ("name", "", "name", "has to be a text"),
        ("title", 5, "title", "has to be a text, not 5"),
        ("import", ["x"], "import", "has to be a text"),
        ("program", "missing.py", "program", "missing.py is not there"),
        ("program", ".", "program", "is not there"),
        ("inspect", "no", "inspect", "true or false, not 'no'"),
        ("companions", "x", "companions", "has to be a list"),
        ("companions", [1], "companions", "list of texts"),
        ("preload", {"a": 1}, "preload", "has to be a list"),
        ("env", ["A=1"], "env", "has to be an object"),
        ("env", {"A": 1}, "env", "values have to be texts"),
        ("guide", "text", "guide", "has to be an object with saves, promises, advice"),
        ("guide.more", "x", "guide", "unknown key 'more'; known: saves, promises, advice"),
        ("guide.advice", ..., "guide", "the key 'advice' is missing"),
        ("guide.saves", "", "guide.saves", "has to be a text in one line, not ''"),
        ("guide.saves", "two\nlines", "guide.saves", "has to be a text in one line"),
        ("guide.advice", "an ` open one", "guide.advice", "a backtick has no second one"),
        ("guide.promises", [], "guide.promises", "and not empty"),
        ("guide.promises.0", "x", "guide.promises[0]", "has to be an object with says, link"),
        ("guide.promises.0.says", 1, "guide.promises[0].says", "in one line, not 1"),
        ("guide.promises.0.link", "http://example.org", "guide.promises[0].link", "https link"),
        ("guide.promises.0.link", "https://example.org/a b", "guide.promises[0].link", "https"),
        ("documentation", ["link"], "documentation[0]", "has to be an object"),
        ("documentation.0.more", 1, "documentation[0]", "unknown key 'more'"),
        ("documentation.0.link", None, "documentation[0].link", "has to be a text"),
        ("scenarios", [], "scenarios", "has to be an object"),
        ("scenarios.kill-mid-tol", {}, "scenarios", "no scenario 'kill-mid-tol'; there are kill-"),
        ("scenarios.kill-mid-tool", ">=1", "scenarios.kill-mid-tool", "has to be an object"),
        (
            "scenarios.kill-mid-tool.versions",
            "1.0",
            "scenarios.kill-mid-tool.versions",
            "'1.0' is not a version range such as '>=1.2,<2'",
        ),
        ("scenarios.kill-mid-tool.versions", 1.0, "scenarios.kill-mid-tool.versions", "1.0 is not"),
        ("variants", [], "variants", "at least one"),
        ("variants", {}, "variants", "has to be a list"),
        ("variants.1", "plain", "variants[1]", "has to be an object"),
        ("variants.1.name", "sync", "variants", "two are called 'sync'"),
        ("variants.1.name", "a/b", "variants[1].name", "a slash"),
        ("variants.1.name", ..., "variants[1]", "the key 'name' is missing"),
        ("variants.0.label", 5, "variants[0].label", "has to be a text, not 5"),
        ("variants.0.colour", 5, "variants[0]", "unknown key 'colour'"),
        ("variants.0.env", {"A": None}, "variants[0].env", "values have to be texts"),
        ("variants.0.versions", "~=1", "variants[0].versions", "is not a version range"),
        ("variants.0.versions", None, "variants[0].versions", "is not a version range"),
        ("variants.0.scenarios", ["other"], "variants[0].scenarios", "'other' is not among"),
        ("variants.0.scenarios", "kill-mid-tool", "variants[0].scenarios", "has to be a list"),
        ("variants.0.timing_dependent", "yes", "variants[0].timing_dependent", "true or false"),
        ("variants.0.expect", {"p": 1}, "variants[0].expect", "values have to be texts"),
        ("not_supported.0.scenario", "x", "not_supported[0].scenario", "no scenario 'x'"),
        ("not_supported.0.reason", "", "not_supported[0].reason", "has to be a text"),
        ("not_supported.0.link", ..., "not_supported[0]", "the key 'link' is missing"),
        ("not_supported.0.variant", 5, "not_supported[0].variant", "has to be a text"),
        ("not_supported.0.absent", ["x"], "not_supported[0].absent", "has to be a text"),
        ("not_supported.0.versions", "?", "not_supported[0].versions", "is not a version range"),
        ("refusals", ["("], "refusals", "'(' is not a regular expression"),
        ("notes.0.text", 1, "notes[0].text", "has to be a text"),
        ("notes.0.link", ..., "notes[0]", "the key 'link' is missing"),
        ("notes.0.when", "always", "notes[0].when", "has to be an object"),
        ("notes.0.when.mood", "bad", "notes[0].when", "unknown condition 'mood'; there are "),
        ("notes.0.when.stderr_contains", 5, "notes[0].when.stderr_contains", "has to be a text"),
        ("notes.0.when.verdict", None, "notes[0].when.verdict", "has to be a text"),
        ("notes.0.when.variant_env", "x", "notes[0].when.variant_env", "object of texts"),
        ("notes.0.when.variant_env", {"x": 1}, "notes[0].when.variant_env", "object of texts"),
        ("notes.0.when.resume_returncode", "zero", "notes[0].when.resume_returncode", '"nonzero"'),
        ("notes.0.when.resume_returncode", True, "notes[0].when.resume_returncode", "a number"),
        (
            "notes.0.when.lost_write_stored_at_least",
            "2",
            "notes[0].when.lost_write_stored_at_least",
            "has to be a number",
        ),
    ],
)
def test_a_mistake_is_named_with_file_and_key(
    tmp_path: Path, path: str, value: object, place: str, words: str
) -> None:
    """One sentence: the file, where in it, and what is expected there."""
    folder = write(tmp_path, changed(path, value))
    with pytest.raises(UsageError) as caught:
        read_manifest(folder)
    sentence = caught.value.what
    assert sentence.startswith(f"{folder / 'target.json'}: {place}: ")
    assert words in sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is not the JSON of a manifest: Expecting value"),
        ("{", "is not the JSON of a manifest: "),
        ("[]", "the manifest: it has to be an object"),
        ('{"name": "a", "name": "b"}', "the key 'name' is there twice"),
    ],
)
def test_what_is_no_manifest_is_a_usage_error(tmp_path: Path, text: str, words: str) -> None:
    """P40: exit 2, nothing on standard output, no traceback."""
    write(tmp_path, text)
    ended = command_line("--target", "toy", "--targets", tmp_path)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"{tmp_path / 'toy' / 'target.json'}" in ended.stderr
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


def test_bytes_that_are_no_text_are_a_usage_error(tmp_path: Path) -> None:
    """A manifest is UTF-8."""
    folder = write(tmp_path, "{}")
    (folder / "target.json").write_bytes(b'{"name": "\xff"}')
    with pytest.raises(UsageError, match="is not the JSON"):
        read_manifest(folder)


def test_a_folder_without_a_manifest_is_a_usage_error(tmp_path: Path) -> None:
    """It says what a target is made of."""
    with pytest.raises(UsageError, match="there is no target in"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("name", sorted(CONDITIONS))
def test_every_condition_takes_a_value_of_its_kind_only(tmp_path: Path, name: str) -> None:
    """A list is right for none, so none can fail in the middle of a run."""
    with pytest.raises(UsageError, match=rf"notes\[0\]\.when\.{name}: it has to be"):
        read_manifest(write(tmp_path, changed(f"notes.0.when.{name}", [])))


def test_targets_are_found_in_the_checkout_from_anywhere_within(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A checkout has a matrix.toml beside its targets."""
    write(tmp_path / "targets", GOOD)
    below = tmp_path / "docs" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_targets(None) is None
    (tmp_path / "matrix.toml").touch()
    assert find_targets(None) == tmp_path / "targets"
    assert find_targets(tmp_path / "targets") == tmp_path / "targets"


@pytest.mark.parametrize("kind", ["missing", "empty", "file"])
def test_a_folder_without_targets_is_a_usage_error(tmp_path: Path, kind: str) -> None:
    """Named by mistake, it is not taken for nothing to run."""
    path = tmp_path / kind
    if kind == "empty":
        path.mkdir()
    if kind == "file":
        path.touch()
    with pytest.raises(UsageError, match="holds no targets"):
        find_targets(path)
