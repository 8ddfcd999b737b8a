"""LlamaIndex Workflows: a key makes the difference, what was reported shows, and the fake model."""

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

NAME = "llama-index-workflows"
TARGET = TARGETS / NAME
NEWEST = f"{NAME}-2.26.1"
FINDINGS = CHECKOUT / "docs" / "findings"
PAGES = [
    page
    for page in sorted(FINDINGS.glob("llama-index-*.md"))
    if not page.stem.endswith("-older-release")  # under two releases: test_older_releases.py
]

ASK = """
import asyncio, json, os, sys
os.environ["PLUGPULL_BATCH"] = "2"
sys.path.insert(0, sys.argv[1])
import model
user = {"role": "user", "content": "Charge my card."}
async def ask():
    return [part async for part in model.ask([user])]
asked = [asyncio.run(ask()) for _ in range(2)]
turn = {**asked[0][-1], "calls": asked[0][-1]["calls"][:1]}
told = {"role": "tool", "id": turn["calls"][0]["id"], "content": "done"}
for said in ([user, turn], [user, turn, user], [user, told], [user, turn, told, told]):
    try:
        model.check(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
model.check([user, turn, told, user])
print(json.dumps(asked))
"""

#: Where what a gap says is written: the documentation, and the pull requests of the framework.
PUBLIC = ("https://developers.llamaindex.ai/", "https://github.com/run-llama/llama-agents/pull/")

ADD_WORKFLOWS = "import workflows; print(hasattr(workflows.Workflow, 'add_workflows'))"


@pytest.fixture(scope="module")
def killed(environments: Environments) -> Run:
    """kill-mid-tool of every variant."""
    return environments[NEWEST].plugpull(
        *("--target", NAME, "--targets", TARGETS, "--scenario", "kill-mid-tool")
    )


def test_a_field_of_the_event_makes_the_difference(killed: Run) -> None:
    """A step under way runs again: twice without a key, once with that of its event."""
    assert killed.verdicts("json+no-key") == ("PASS", "FAIL")
    assert killed.verdicts("json+event-key") == ("PASS", "PASS")
    assert killed.verdicts("pickle+event-key") == ("PASS", "PASS")
    duplicated = killed.one("json+no-key", "after-effect")
    assert duplicated["outcome"] == "duplicated"
    assert "documented: a step that was running is run again" in duplicated["detail"]


def test_the_history_is_in_the_snapshot(killed: Run) -> None:
    """A process of its own reads it there, complete and paired."""
    reported = killed.one("json+event-key", "after-effect")["evidence"]["reported"]
    kinds = [entry["kind"] for entry in reported["history"]]
    assert kinds == ["user", "message", "call", "answer", "message"]
    assert reported["finished"] is True


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids and words are new at every call, and it takes no unpaired messages."""
    turns = json.loads(environments[NEWEST].says(ASK, str(TARGET)))
    assert all(len(turn) >= 3 for turn in turns)
    calls = [call for turn in turns for call in turn[-1]["calls"]]
    assert len({call["id"] for call in calls}) == 4
    assert len({call["memo"] for call in calls}) == 4


def test_no_workflow_is_put_into_another_one(environments: Environments) -> None:
    """What the manifest calls absent is."""
    absent = {gap.absent for gap in read_manifest(TARGET).not_supported if gap.absent}
    assert absent == {"workflows:Workflow.add_workflows"}
    assert environments[NEWEST].says(ADD_WORKFLOWS) == "False"


def test_every_scenario_is_answered_or_declared() -> None:
    """No cell of the table is empty, and each gap says why."""
    manifest = read_manifest(TARGET)
    answered = {scenario for variant in manifest.variants for scenario in variant.scenarios}
    assert answered == set(manifest.scenarios) == set(SCENARIOS)
    for gap in manifest.not_supported:
        assert gap.kill_point
        assert gap.reason
        assert gap.link.startswith(PUBLIC)


def shown() -> list[tuple[str, str, list[str]]]:
    """The pages' commands of plugpull: the version, and the lines that each prints."""
    return [
        (re.findall(rf"{NAME} ([\d.]+) ", lines)[0], command, lines.splitlines())
        for page in PAGES
        for command, lines in re.findall(
            r"^\$ (plugpull .*)\n((?:(?:PASS|FAIL|    \|).*\n)+)",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]


@pytest.mark.parametrize(
    ("version", "command", "lines"),
    shown(),
    ids=lambda given: given.partition("--scenario ")[2].split()[0] if "--" in given else "",
)
def test_the_commands_of_findings_print_what_they_say(
    environments: Environments, version: str, command: str, lines: list[str]
) -> None:
    """Word for word but for the width of columns, and the last of what a process said."""
    run = environments[f"{NAME}-{version}"].plugpull(
        *shlex.split(command)[1:], "--targets", TARGETS, "--timing-repeat", "1"
    )
    said = [line.split() for line in run.lines]
    assert [line for line in map(str.split, lines) if line not in said] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removeprefix(f"{NAME}-"))
def test_the_scripts_of_findings_print_what_they_say(
    environments: Environments, page: Path
) -> None:
    """Without plugpull, under the release that the page names."""
    ((distribution, version, printed),) = re.findall(
        r"\$ python \S+ +# (\S+) ([\d.]+)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    said = environments[f"{distribution}-{version}"].script(page.with_suffix(".py"))
    assert said.splitlines() == printed.splitlines()
