"""Agno: the run's id makes the difference, what was found shows, and what the fake model is."""

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

TARGET = TARGETS / "agno"
NEWEST = "agno-3.1.10"
PAGES = [
    page
    for page in sorted((CHECKOUT / "docs" / "findings").glob("agno-*.md"))
    if not page.stem.endswith("-older-release")  # under two releases: test_older_releases.py
]

ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from agno.exceptions import ModelProviderError
from agno.models.message import Message
from model import Wish, decide, pieces, refuse_unpaired
user = Message(role="user", content="Charge my card.")
turns = [[Wish("charge_card", 1), Wish("charge_card", 2)]]
asked = [decide([user], turns, offered=True) for _ in range(2)]
call = asked[0].tool_calls[0]
alone = Message(role="assistant", tool_calls=[call])
told = Message(role="tool", tool_call_id=call["id"], content="charged")
for said in ([user, alone], [user, alone, user], [user, told], [user, alone, told, told]):
    try:
        refuse_unpaired(said)
    except ModelProviderError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, alone, told, user])
calls = [call for answer in asked for call in answer.tool_calls]
spoken = [piece.content for answer in asked for piece in pieces(answer) if piece.content]
print(json.dumps([calls, spoken]))
"""


@pytest.fixture(scope="module")
def killed(environments: Environments) -> Run:
    """kill-mid-tool of every variant."""
    return environments[NEWEST].plugpull(
        *("--target", "agno", "--targets", TARGETS, "--scenario", "kill-mid-tool")
    )


@pytest.mark.parametrize("checkpoint", ["runs", "tool-batch"])
def test_the_key_makes_the_difference(killed: Run, checkpoint: str) -> None:
    """What was not saved is done again: twice without a key, once with the run's id."""
    assert killed.verdicts(f"{checkpoint}+no-key") == ("PASS", "FAIL")
    assert killed.verdicts(f"{checkpoint}+run-id") == ("PASS", "PASS")
    duplicated = killed.one(f"{checkpoint}+no-key", "after-effect")
    assert duplicated["outcome"] == "duplicated"
    note = read_manifest(TARGET).notes[0]
    assert duplicated["detail"].endswith(f"({note.text} {note.link})")


def test_the_key_is_the_runs(killed: Run) -> None:
    """The same in the process that goes on, whether the run was continued or begun again."""
    for variant in ("runs+run-id", "tool-batch+run-id"):
        calls = killed.one(variant, "after-effect")["evidence"]["calls"]
        keys = [call["key"] for call in calls if call["effect"] == "charge_card"]
        assert keys == ["order-42-run"] * 2


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids, arguments and words are new at every call, and it takes no unpaired messages."""
    calls, spoken = json.loads(environments[NEWEST].says(ASK, str(TARGET)))
    assert len({call["id"] for call in calls}) == 4
    assert len({json.loads(call["function"]["arguments"])["memo"] for call in calls}) == 4
    assert len(spoken) == 4
    assert len(set(spoken[1::2])) == 2


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
        assert gap.link.startswith("https://docs.agno.com/")


def commands() -> list[tuple[str, str]]:
    """The pages' commands of plugpull, each with what it prints."""
    return [
        (command, shown)
        for page in PAGES
        for command, shown in re.findall(
            r"^\$ (plugpull .*)\n((?:(?:PASS|FAIL).*\n)+)",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]


def alike(lines: list[str]) -> list[str]:
    """Lines without what is new in each run: the ids of calls, and the model's wording."""
    return [
        re.sub(r"call_[0-9a-f]+(\.\.\.)?|\([0-9a-f]{8}\)", "*", " ".join(line.split()))
        for line in lines
        if not line.startswith(" ")
    ]


@pytest.fixture(scope="module")
def printed(environments: Environments) -> list[str]:
    """What one call prints that asks for all that the commands of the pages ask for."""
    asked: dict[str, None] = {}
    for command, _ in commands():
        words = shlex.split(command)[3:]
        asked |= dict.fromkeys(
            f"{name}={value}" for name, value in zip(words[::2], words[1::2], strict=True)
        )
    run = environments[NEWEST].plugpull("--target", "agno", "--targets", TARGETS, *asked)
    return alike(run.lines)


@pytest.mark.parametrize(
    ("command", "shown"),
    commands(),
    ids=lambda given: given.partition("--scenario ")[2].split()[0] if "--s" in given else "",
)
def test_the_commands_of_findings_print_what_they_say(
    printed: list[str], command: str, shown: str
) -> None:
    """Word for word but for ids and the width of columns."""
    assert command.startswith("plugpull --target agno ")
    assert not set(alike(shown.splitlines())) - set(printed)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removeprefix("agno-"))
def test_the_scripts_of_findings_print_what_they_say(
    environments: Environments, page: Path
) -> None:
    """Without plugpull."""
    (shown,) = re.findall(
        r"\$ python \S+ +# agno 3\.1\.10\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    said = environments[NEWEST].script(page.with_suffix(".py"))
    assert said.splitlines() == shown.splitlines()
