from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugpull.errors import UsageError
from plugpull.matrix.declaration import read_declaration
from plugpull.matrix.leftout import LeftOut
from plugpull.matrix.manifests import read_target

CHECKOUT = Path(__file__).parents[2]

GOOD = """
[matrix]
python = ["3.10", "3.13"]

[framework.toy]
versions = ["1.0", "latest"]
"""


@pytest.fixture
def targets(tmp_path: Path) -> Path:
    """A folder with the target ``toy``, installed as ``toy-slim``."""
    folder = tmp_path / "targets" / "toy"
    folder.mkdir(parents=True)
    manifest = {
        "name": "toy",
        "title": "Toy",
        "distribution": "toy-slim",
        "companions": ["toy-store>=1"],
        "scenarios": {"kill-mid-tool": {}},
        "variants": [{"name": "fast", "scenarios": ["kill-mid-tool"]}, {"name": "slow"}],
    }
    (folder / "target.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder.parent


def declare(tmp_path: Path, text: str) -> Path:
    """A declaration's file with that text."""
    path = tmp_path / "matrix.toml"
    path.write_text(text, encoding="utf-8")
    return path


def complaint(tmp_path: Path, targets: Path, text: str) -> str:
    """What is said about a declaration that has a mistake."""
    with pytest.raises(UsageError) as raised:
        read_declaration(declare(tmp_path, text), targets)
    assert raised.value.exit_code == 2
    return str(raised.value)


def test_everything_that_may_be_said_is_read(tmp_path: Path, targets: Path) -> None:
    """Each key of the declaration arrives where the plan looks for it."""
    text = """
        [matrix]
        python = ["3.10", "3.13"]
        repeat = 7
        as-of = 2026-03-15

        [framework.mine]
        versions = ["1.0", ">=2,<3", "latest", "latest-minors:5"]
        target = "toy"
        python = ["3.13"]
        with = ["extra>=1"]
        constraints = ["base<2"]
        as-of = "today"

        [[framework.mine.when]]
        versions = "<1.5"
        constraints = ["base<1"]
        as-of = "release"
        repeat = 9

        [[left-out]]
        name = "Old"
        reason = "no release for a year"
        link = "https://old.example"

        [[exclude]]
        framework = "mine"
        versions = "==1.0"
        python = "3.13"
        reason = "crashes the compiler"
    """
    read = read_declaration(declare(tmp_path, text), targets)
    mine = read.frameworks[0]
    assert read.pythons == ("3.10", "3.13")
    assert (read.rule.repeat, read.rule.as_of) == (7, "2026-03-15")
    assert [entry.text for entry in mine.entries] == ["1.0", ">=2,<3", "latest", "latest-minors:5"]
    assert (mine.name, mine.target.name, mine.pythons) == ("mine", "toy", ("3.13",))
    own, ranged = mine.rules
    assert (own.requirements, own.constraints, own.as_of) == (("extra>=1",), ("base<2",), "today")
    assert (ranged.versions, ranged.constraints) == ("<1.5", ("base<1",))
    assert (ranged.as_of, ranged.repeat) == ("release", 9)
    exclude = read.excludes[0]
    assert (exclude.framework, exclude.versions, exclude.python) == ("mine", "==1.0", "3.13")
    assert exclude.reason == "crashes the compiler"
    assert read.left_out == (LeftOut("Old", "no release for a year", "https://old.example"),)


def test_the_targets_manifest_says_what_is_installed(targets: Path) -> None:
    """Distribution, companions, scenarios and variants come from the target, not the matrix."""
    facts = read_target(targets, "toy")
    assert (facts.distribution, facts.companions) == ("toy-slim", ("toy-store>=1",))
    assert facts.scenarios == ("kill-mid-tool",)
    assert facts.variants == (("fast", ("kill-mid-tool",)), ("slow", ()))


def test_an_unquoted_python_is_refused_as_it_was_written(tmp_path: Path, targets: Path) -> None:
    """3.10 as a number is 3.1; the text shows what stands in the file, and how to mend it."""
    said = complaint(tmp_path, targets, GOOD.replace('"3.10"', "3.10"))
    assert "[matrix] python[0]: must be a string, not the number 3.10" in said
    assert 'write "3.10" with quotes' in said
    assert str(tmp_path / "matrix.toml") in said


def test_an_unquoted_version_is_refused_as_it_was_written(tmp_path: Path, targets: Path) -> None:
    """1.10 as a number is 1.1: another release."""
    said = complaint(tmp_path, targets, GOOD.replace('"1.0"', "1.10"))
    assert "[framework.toy] versions[0]: must be a string, not the number 1.10" in said
    assert 'write "1.10" with quotes' in said


MISTAKES = {
    "bad TOML": (GOOD + "[broken\n", "is not valid TOML", "at line "),
    "a key twice": (GOOD + 'versions = ["2.0"]\n', "is not valid TOML", "at line 7"),
    "no [matrix]": ('[framework.toy]\nversions = ["1.0"]\n', "[matrix]: is missing"),
    "no framework": ('[matrix]\npython = ["3.13"]\n', "[framework.NAME]: is missing"),
    "no python": (GOOD.replace("python", "# "), "[matrix] python: is missing"),
    "empty python": (GOOD.replace('["3.10", "3.13"]', "[]"), "[matrix] python: is missing"),
    "python not a list": (
        GOOD.replace('["3.10", "3.13"]', '"3.10"'),
        "[matrix] python: must be a list of strings",
        'write ["3.10"]',
    ),
    "python with a patch": (GOOD.replace("3.10", "3.10.4"), "python[0]", "write major.minor"),
    "python too old": (GOOD.replace("3.10", "3.9"), "python[0]", "too old"),
    "python twice": (GOOD.replace("3.13", "3.10"), 'python[1]: "3.10" is there twice'),
    "unknown key": (
        GOOD + 'vesions = ["2"]\n',
        "[framework.toy] vesions: unknown key",
        'did you mean "versions"?',
    ),
    "unknown table": (GOOD + "[speed]\nfast = true\n", "speed: unknown key"),
    "unknown key in [matrix]": (GOOD.replace("\n\n", "\nrepat = 3\n\n"), "[matrix] repat"),
    "not PEP 440": (
        GOOD.replace('"1.0"', '"one"'),
        "[framework.toy] versions[0]: 'one' is neither a version nor a specifier (PEP 440)",
    ),
    "latest-minors:0": (GOOD.replace("latest", "latest-minors:0"), "versions[1]", "from 1"),
    "an empty version": (GOOD.replace('"1.0"', '" "'), "versions[0]: must not be empty"),
    "no versions": (GOOD.replace("versions", "python"), "[framework.toy] versions: is missing"),
    "two equal entries": (
        GOOD.replace('"latest"', '"1.0"'),
        'versions[1]: "1.0" says the same as "1.0" before it',
    ),
    "two equal versions": (
        GOOD.replace('"latest"', '"1.0.0"'),
        'versions[1]: "1.0.0" says the same as "1.0" before it',
    ),
    "an equal pin": (GOOD.replace('"latest"', '"==1.0"'), '"==1.0" says the same as "1.0"'),
    "missing target": (
        GOOD + 'target = "tyo"\n',
        "[framework.toy] target:",
        "tyo is not there",
        'did you mean "toy"?',
    ),
    "a target elsewhere": (GOOD + 'target = "../toy"\n', "target:", "is not there"),
    "a python of its own": (GOOD + 'python = ["3.12"]\n', '"3.12" is not among the Pythons'),
    "a bad requirement": (GOOD + 'with = ["a b"]\n', "with[0]: 'a b' is no requirement (PEP 508)"),
    "a requirement twice": (
        GOOD + 'with = ["extra>=1", "Extra<2"]\n',
        '[framework.toy] with[1]: "extra" is there twice',
    ),
    "the framework in with": (
        GOOD + 'with = ["toy-slim>=1"]\n',
        '[framework.toy] with[0]: "toy-slim>=1" is the framework itself',
    ),
    "a misspelt checkout": (
        GOOD + 'with = ["extra @ chekout:libs/extra"]\n',
        '[framework.toy] with[0]: "extra @ chekout:libs/extra": "chekout:libs/extra" is no address',
        'did you mean "checkout"?',
    ),
    "a folder alone": (
        GOOD + 'with = ["extra @ libs/extra"]\n',
        '[framework.toy] with[0]: "extra @ libs/extra": "libs/extra" is no address',
        '"extra @ checkout:FOLDER"',
    ),
    "a checkout without a folder": (
        GOOD + 'with = ["extra @ checkout:/"]\n',
        '[framework.toy] with[0]: "extra @ checkout:/": "/" is no folder below the top',
    ),
    "a checkout's neighbour": (
        GOOD + '[[framework.toy.when]]\nversions = "<1"\nwith = ["extra @ checkout:../extra"]\n',
        "[[framework.toy.when]] number 1 with[0]: ",
        '"../extra" is no folder below the top of a checkout',
    ),
    "a checkout as a constraint": (
        GOOD + 'constraints = ["extra @ checkout:libs/extra"]\n',
        "[framework.toy] constraints[0]: ",
        "it belongs into with",
    ),
    "a default twice": (
        GOOD + 'default = ["1.0", "1.0"]\n',
        '[framework.toy] default[1]: "1.0" is there twice',
    ),
    "a default that is none": (
        GOOD + 'default = ["1.1"]\n',
        '[framework.toy] default[0]: "1.1" is not among versions',
    ),
    "a pair of strangers": (
        GOOD + 'pairs = ["all", "1.0:>=7"]\n',
        '[framework.toy] pairs[1]: "1.0:>=7" is neither two of its versions',
        "its versions: 1.0, latest",
    ),
    "a pair that is one": (
        GOOD + 'pairs = ["1.0"]\n',
        '[framework.toy] pairs[0]: "1.0" is neither',
    ),
    "a pair of one version": (
        GOOD + 'pairs = ["1.0:1.0"]\n',
        "[framework.toy] pairs[0]: 1.0:1.0: that is one version",
    ),
    "misspelt neighbours": (
        GOOD + 'pairs = ["neighbors"]\n',
        "[framework.toy] pairs[0]: ",
        'did you mean "neighbours"?',
    ),
    "a misspelt version in a pair": (
        GOOD + 'pairs = ["1.0:lates"]\n',
        "[framework.toy] pairs[0]: ",
        'did you mean "latest"?',
    ),
    "a pair twice": (
        GOOD + 'pairs = ["1.0:latest", "1.0:latest"]\n',
        '[framework.toy] pairs[1]: "1.0:latest" is there twice',
    ),
    "a package from npm twice": (
        GOOD + 'npm = ["@org/server@1.2.3", "@org/server@1.2.4"]\n',
        '[framework.toy] npm[1]: "@org/server" is there twice',
    ),
    "a repository with a ref": (
        GOOD + 'repository = "https://host/o/n@main"\n',
        "repository: ",
        "names a ref",
    ),
    "no address": (GOOD + 'repository = "ftp://host/o/n"\n', "https, ssh, git, file and paths"),
    "a bad date": (GOOD + 'as-of = "2026-02-30"\n', 'as-of: "2026-02-30" is not "release"'),
    "a short date": (GOOD + 'as-of = "20260315"\n', 'as-of: "20260315" is not "release"'),
    "repeat as text": (GOOD + 'repeat = "5"\n', "repeat: must be a whole number above zero"),
    "repeat as truth": (GOOD + "repeat = true\n", "repeat: must be a whole number above zero"),
    "repeat zero": (GOOD + "repeat = 0\n", "repeat: must be a whole number above zero"),
    "when without a range": (
        GOOD + "[[framework.toy.when]]\nrepeat = 1\n",
        "[[framework.toy.when]] number 1 versions: is missing",
    ),
    "when without effect": (
        GOOD + '[[framework.toy.when]]\nversions = "<1"\n',
        "[[framework.toy.when]] number 1: adjusts nothing",
    ),
    "when with a bad range": (
        GOOD + '[[framework.toy.when]]\nversions = "1.0"\nrepeat = 1\n',
        'versions: "1.0" is no specifier',
    ),
    "exclude without a reason": (
        GOOD + '[[exclude]]\nframework = "toy"\n',
        "[[exclude]] number 1 reason: is missing",
    ),
    "exclude of nobody": (
        GOOD + '[[exclude]]\nframework = "tyo"\nreason = "x"\n',
        "[[exclude]] number 1 framework: there is no [framework.tyo]",
        'did you mean "toy"?',
    ),
    "exclude of another python": (
        GOOD + '[[exclude]]\nframework = "toy"\npython = "3.12"\nreason = "x"\n',
        "[[exclude]] number 1 python: matches nothing",
    ),
    "left out without a reason": (
        GOOD + '[[left-out]]\nname = "Old"\nlink = "https://x.example"\n',
        "[[left-out]] number 1 reason: is missing",
    ),
    "left out without a link": (
        GOOD + '[[left-out]]\nname = "Old"\nreason = "x"\n',
        "[[left-out]] number 1 link: is missing",
    ),
    "left out with a link that is none": (
        GOOD + '[[left-out]]\nname = "Old"\nreason = "x"\nlink = "http://x.example"\n',
        '"http://x.example" is no https link',
    ),
    "left out and declared": (
        GOOD + '[[left-out]]\nname = "TOY"\nreason = "x"\nlink = "https://x.example"\n',
        '[[left-out]] number 1 name: "TOY" is declared, or left out twice',
    ),
    "left out with a strange key": (
        GOOD + '[[left-out]]\nname = "Old"\nreason = "x"\nlink = "https://x.example"\nsee = "y"\n',
        "[[left-out]] number 1 see: unknown key",
    ),
    "exclude as a table": (GOOD + '[exclude]\nreason = "x"\n', "must be an array of tables"),
    "a framework as text": (
        GOOD + '[framework]\nother = "1"\n',
        "[framework] other: must be a table, [framework.other]",
    ),
    "a name with a slash": (GOOD.replace("framework.toy", 'framework."a/b"'), "a framework's name"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_error_that_names_the_place(
    mistake: str, tmp_path: Path, targets: Path
) -> None:
    """Every mistake is reported with the file and everything needed to find and mend it."""
    text, *expected = MISTAKES[mistake]
    said = complaint(tmp_path, targets, text)
    assert "matrix.toml" in said
    for words in expected:
        assert words in said


def test_an_unreadable_file_is_named(tmp_path: Path, targets: Path) -> None:
    """A file that is not there, is a folder, or is no text, is an error that names it."""
    with pytest.raises(UsageError, match=r"absent\.toml cannot be read: No such file"):
        read_declaration(tmp_path / "absent.toml", targets)
    with pytest.raises(UsageError, match="cannot be read"):
        read_declaration(tmp_path, targets)
    (tmp_path / "latin.toml").write_bytes(b"[matrix]\n# caf\xe9\n")
    with pytest.raises(UsageError, match="line 2 is not UTF-8"):
        read_declaration(tmp_path / "latin.toml", targets)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "is not valid JSON"),
        ("[]", "must hold a JSON object"),
        ('{"distribution": ""}', "`distribution` must name"),
        ('{"distribution": "toy", "companions": "x"}', "`companions` must be a list"),
        ('{"distribution": "toy", "companions": [1]}', "is no requirement"),
    ],
)
def test_a_broken_manifest_is_named(
    content: str, words: str, tmp_path: Path, targets: Path
) -> None:
    """A manifest that does not say what to install is an error that names its file."""
    (targets / "toy" / "target.json").write_text(content, encoding="utf-8")
    said = complaint(tmp_path, targets, GOOD)
    assert str(targets / "toy" / "target.json") in said
    assert words in said


def test_our_own_declaration_holds_what_it_promises() -> None:
    """The shipped matrix.toml has the frameworks, versions and Pythons of the first landing."""
    read = read_declaration(CHECKOUT / "matrix.toml", CHECKOUT / "targets")
    entries = {f.name: [entry.text for entry in f.entries] for f in read.frameworks}
    assert read.pythons == ("3.10", "3.11", "3.12", "3.13")
    assert entries["langgraph"][:3] == ["1.0.10", "1.2.11", "latest"]
    assert entries["openai-agents"][:2] == ["0.22.0", "0.22.2"]
    assert {"1.107.10", "2.43.0"} < set(entries["pydantic-ai"])
    assert all(
        entries[name][-1] == "latest" for name in ("langgraph", "openai-agents", "pydantic-ai")
    )
    assert entries["endstate"] == ["0.3.0"]
    assert {f.target.distribution for f in read.frameworks} >= {
        "endstate",
        "langgraph",
        "openai-agents",
        "pydantic-ai-slim",
    }


def test_what_goes_together_is_read(tmp_path: Path, targets: Path) -> None:
    """Pairs of declared versions however they are written, extras, markers, other checkouts."""
    text = (
        GOOD
        + """
        pairs = ["neighbours", "1.0:latest", "latest : 1.0"]
        default = ["latest"]
        with = [
          "toy-slim[more]",
          "extra @ checkout:libs/extra",
          "other @ https://host.example/other-1-py3-none-any.whl",
          "old<2; python_version < '3.11'",
          "old>=2; python_version >= '3.11'",
        ]
        """
    )
    (framework,) = read_declaration(declare(tmp_path, text), targets).frameworks
    assert framework.pairs == ("neighbours", "1.0:latest", "latest : 1.0")
    assert len(framework.rules[0].requirements) == 5


def test_packages_from_npm_have_a_version(tmp_path: Path, targets: Path) -> None:
    """A range of them would be another package tomorrow, under the same key."""
    said = complaint(tmp_path, targets, GOOD + 'npm = ["@org/server@1"]\n')
    assert 'framework.toy] npm[0]: "@org/server@1" is no version of a package' in said
    text = GOOD + 'npm = ["@org/server@1.2.3"]\n'
    (framework,) = read_declaration(declare(tmp_path, text), targets).frameworks
    assert framework.rules[0].npm == ("@org/server@1.2.3",)
