"""Burr: a key makes the difference, what was reported shows, and what the fake model is."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from frameworks import CHECKOUT, Environments, Run
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from rigged_target import TARGETS

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

TARGET = TARGETS / "burr"
NEWEST = "burr-0.43.0"
PAGES = sorted((CHECKOUT / "docs" / "findings").glob("burr-*.md"))

ASK = """
import json, os, sys
os.environ["PLUGPULL_BATCH"] = "2"
sys.path.insert(0, sys.argv[1])
from model import answer, pieces, refuse_unpaired
user = {"role": "user", "content": "Charge my card."}
asked = [answer([user], cashier=False, offered=["charge_card"]) for _ in range(2)]
call = asked[0]["calls"][0]["id"]
alone = {**asked[0], "calls": asked[0]["calls"][:1]}
told = {"role": "tool", "answers": call, "content": "done"}
for said in ([user, alone], [user, alone, user], [user, told], [user, alone, told, told]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, alone, told, user])
print(json.dumps([asked, list(pieces(asked[0]))]))
"""


@pytest.fixture(scope="module")
def killed(environments: Environments) -> Run:
    """kill-mid-tool of every variant."""
    return environments[NEWEST].plugpull(
        *("--target", "burr", "--targets", TARGETS, "--scenario", "kill-mid-tool")
    )


@pytest.mark.parametrize("store", ["sqlite", "aiosqlite", "tracker"])
def test_a_key_makes_the_difference(killed: Run, store: str) -> None:
    """An action under way runs again, in each store: twice without a key, once with its step's."""
    assert killed.verdicts(f"{store}+no-key") == ("PASS", "FAIL")
    assert killed.verdicts(f"{store}+step") == ("PASS", "PASS")
    duplicated = killed.one(f"{store}+no-key", "after-effect")
    assert duplicated["outcome"] == "duplicated"
    note = read_manifest(TARGET).notes[0]
    assert duplicated["detail"].endswith(f"({note.text} {note.link})")


def test_the_key_is_burrs(killed: Run) -> None:
    """The application's id and the sequence id, the same in the process that goes on."""
    calls = killed.one("sqlite+step", "after-effect")["evidence"]["calls"]
    assert [call["key"] for call in calls if call["effect"] == "charge_card"] == [
        "order-42:2:0",
        "order-42:2:0",
    ]


def test_calls_in_parallel_are_saved_one_by_one(environments: Environments) -> None:
    """A call that had its answer is made again where one action makes them all, and else not."""
    run = environments[NEWEST].plugpull(
        *("--target", "burr", "--targets", TARGETS, "--scenario", "batch-kill"),
        *("--variant", "sqlite+step", "--variant", "sqlite+parallel+step"),
    )
    assert run.verdicts("sqlite+step") == ("FAIL", "FAIL")
    assert run.one("sqlite+step", "between-results")["outcome"] == "repeated"
    assert run.verdicts("sqlite+parallel+step") == ("PASS", "PASS")


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids, arguments and words are new at every call, and it takes no unpaired messages."""
    said = environments[NEWEST].says(ASK, str(TARGET))
    (first, second), pieces = json.loads(said)
    assert first["content"] != second["content"]
    calls = [*first["calls"], *second["calls"]]
    assert len({call["id"] for call in calls}) == 4
    assert len({call["arguments"]["memo"] for call in calls}) == 4
    assert len(pieces) == 2
    assert all(pieces)


def test_every_scenario_is_answered_or_declared() -> None:
    """No cell of the table is empty, and each gap says why."""
    manifest = read_manifest(TARGET)
    answered = {scenario for variant in manifest.variants for scenario in variant.scenarios}
    whole = {gap.scenario for gap in manifest.not_supported if gap.kill_point is None}
    assert answered == set(manifest.scenarios)
    assert answered | whole == set(SCENARIOS)
    assert not answered & whole
    for gap in manifest.not_supported:
        assert gap.reason
        assert gap.link.startswith("https://burr.apache.org/")


def commands() -> list[tuple[str, list[str]]]:
    """The pages' commands of plugpull, each with the lines that it prints."""
    return [
        (command, shown.splitlines())
        for page in PAGES
        for command, shown in re.findall(
            r"^\$ (plugpull .*)\n((?:(?:PASS|FAIL).*\n)+)",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]


@pytest.mark.parametrize(
    ("command", "shown"),
    commands(),
    ids=lambda given: given.partition("--scenario ")[2].split()[0] if type(given) is str else "",
)
def test_the_commands_of_findings_print_what_they_say(
    environments: Environments, command: str, shown: list[str]
) -> None:
    """Word for word but for the width of columns; what a process said stands below a result."""
    run = environments[NEWEST].plugpull(*shlex.split(command)[1:], "--targets", TARGETS)
    lines = [line.split() for line in run.lines if not line.startswith(" ")]
    assert lines == [line.split() for line in shown]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removeprefix("burr-"))
def test_the_scripts_of_findings_print_what_they_say(
    environments: Environments, page: Path
) -> None:
    """Without plugpull."""
    (shown,) = re.findall(
        r"\$ python \S+ +# apache-burr 0\.43\.0\n(.*?)```",
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    said = environments[NEWEST].script(page.with_suffix(".py"))
    assert said.splitlines() == shown.splitlines()
