"""Strands Agents: a key and the way to go on make the difference, and what was reported shows."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from frameworks import CHECKOUT, NOTHING, Environments, Run, watch
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from plugpull.specifiers import matches
from rigged_target import TARGETS

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

TARGET = TARGETS / "strands"
OLD, NEW = "strands-1.14.0", "strands-1.62.0"
PAGES = [
    page
    for page in sorted((CHECKOUT / "docs" / "findings").glob("strands-*.md"))
    if not page.stem.endswith("-older-release")  # under two releases: test_older_releases.py
]

ASK = """
import asyncio, json, os, sys
os.environ["PLUGPULL_BATCH"] = "2"
sys.path.insert(0, sys.argv[1])
from model import ShopModel, refuse_unpaired
from settings import turns
user = {"role": "user", "content": [{"text": "Charge my card."}]}
use = {"role": "assistant", "content": [{"toolUse": {"toolUseId": "id", "name": "x", "input": {}}}]}
told = {"role": "user", "content": [{"toolResult": {"toolUseId": "id", "content": []}}]}
async def ask():
    return [event async for event in ShopModel(turns()).stream([user], ["charge_card"])]
for said in ([user, use], [user, use, user], [user, told], [user, use, told, told]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, use, told, user])
print(json.dumps([asyncio.run(ask()) for _ in range(2)]))
"""

HAS = """
import importlib, operator, sys
for one in sys.argv[1:]:
    module, _, name = one.partition(":")
    try:
        operator.attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        print(one)
"""


def plugpull(environments: Environments, release: str, *words: str) -> Run:
    """What the target comes to under a release."""
    return environments[release].plugpull("--target", "strands", "--targets", TARGETS, *words)


@pytest.fixture(scope="module")
def killed(environments: Environments) -> Run:
    """kill-mid-tool of every variant."""
    return plugpull(environments, NEW, "--scenario", "kill-mid-tool")


@pytest.mark.parametrize("session", ["files", "snapshot-message", "checkpoints"])
def test_a_key_makes_the_difference(killed: Run, session: str) -> None:
    """The call at the end of a session runs again with its id: twice without that as a key."""
    assert killed.verdicts(f"{session}+no-key") == ("PASS", "FAIL")
    assert killed.verdicts(f"{session}+tool-use-id") == ("PASS", "PASS")
    calls = killed.one(f"{session}+tool-use-id", "after-effect")["evidence"]["calls"]
    keys = [call["key"] for call in calls if call["effect"] == "charge_card"]
    assert len(keys) == 2
    assert len(set(keys)) == 1


@pytest.mark.parametrize("variant", ["files+continue", "snapshot-invocation", "snapshot-trigger"])
def test_no_key_helps_where_the_model_is_asked_again(killed: Run, variant: str) -> None:
    """Told to continue, or with nothing saved yet, the model makes a call with another id."""
    assert killed.verdicts(f"{variant}+tool-use-id") == ("PASS", "FAIL")
    assert killed.one(f"{variant}+tool-use-id", "after-effect")["outcome"] == "duplicated"


@pytest.mark.parametrize(("release", "verdict"), [(OLD, "FAIL"), (NEW, "PASS")])
def test_a_new_message_after_a_kill(environments: Environments, release: str, verdict: str) -> None:
    """strands-agents/harness-sdk#859: refused for ever up to 1.14.0, taken from 1.15.0 on."""
    run = plugpull(
        environments,
        release,
        *("--scenario", "restart-next-turn", "--variant", "files+no-key"),
    )
    assert run.verdicts("files+no-key") == (verdict, verdict)
    if verdict == "FAIL":
        assert "harness-sdk#859" in run.one("files+no-key", "after-effect")["detail"]


def test_nobody_is_called(environments: Environments, tmp_path: Path) -> None:
    """No connection, no look-up of a name, no secret of the user in a process."""
    settings = {"PLUGPULL_SESSION": "files", "PLUGPULL_KEY": "tool-use-id"}
    _, seen = watch(environments[NEW], "strands", "kill-mid-tool", tmp_path, **settings)
    assert seen == NOTHING


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids, arguments and words are new at every call, and it takes no unpaired messages."""
    first, second = json.loads(environments[NEW].says(ASK, str(TARGET)))
    starts = [
        event["contentBlockStart"]["start"]
        for event in (*first, *second)
        if "contentBlockStart" in event
    ]
    deltas = [
        event["contentBlockDelta"]["delta"]
        for event in (*first, *second)
        if "contentBlockDelta" in event
    ]
    assert len({start["toolUse"]["toolUseId"] for start in starts if "toolUse" in start}) == 4
    asked = [json.loads(delta["toolUse"]["input"]) for delta in deltas if "toolUse" in delta]
    assert len({one["memo"] for one in asked}) == 4
    words = [delta["text"] for delta in deltas if "text" in delta]
    assert len(words) == 4
    assert words[:2] != words[2:]


def test_what_is_not_supported_is_really_absent(environments: Environments) -> None:
    """What came later is missing in 1.14.0 and there in 1.62.0."""
    gaps = [gap for gap in read_manifest(TARGET).not_supported if gap.absent]
    absent = sorted({str(gap.absent) for gap in gaps})
    assert len(absent) == 4
    assert all(matches("1.14.0", gap.versions) for gap in gaps)
    assert environments[OLD].says(HAS, *absent).splitlines() == absent
    assert environments[NEW].says(HAS, *absent) == ""


def test_every_scenario_is_answered_or_declared() -> None:
    """No cell of the table is empty, and each gap says why."""
    manifest = read_manifest(TARGET)
    answered = {scenario for variant in manifest.variants for scenario in variant.scenarios}
    whole = {
        gap.scenario
        for gap in manifest.not_supported
        if gap.kill_point is None and gap.variant is None
    }
    assert answered == set(manifest.scenarios)
    assert answered | whole == set(SCENARIOS)
    assert not answered & whole
    for gap in manifest.not_supported:
        assert gap.reason
        assert gap.link.startswith("https://strandsagents.com/docs/")


def commands() -> list[tuple[str, str]]:
    """The pages' commands that are of 1.62.0, each with the line that it prints."""
    return [
        (command, shown)
        for page in PAGES
        for command, shown in re.findall(
            r"^\$ (plugpull .*)\n((?:PASS|FAIL).*? strands 1\.62\.0 .*)$",
            page.read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    ]


def test_the_commands_of_findings_print_what_they_say(environments: Environments) -> None:
    """Word for word but for the width of columns, and which of two parallel calls came first."""
    wanted = commands()
    words = [word for command, _ in wanted for word in shlex.split(command)[3:]]
    asked = zip(words[::2], words[1::2], strict=True)
    chosen = sorted({one for one in asked if one[0] in ("--scenario", "--variant")})
    run = plugpull(environments, NEW, *(word for pair in chosen for word in pair))
    found = [parts(line) for line in run.lines if not line.startswith(" ")]
    assert len(wanted) == 5
    for _, shown in wanted:
        assert parts(shown) in found


def parts(line: str) -> list[str]:
    """A line of the output, apart from what may differ from run to run."""
    return re.sub(r"charge_card_\d", "charge_card_N", line).split()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removeprefix("strands-"))
def test_the_scripts_of_findings_print_what_they_say(
    environments: Environments, page: Path
) -> None:
    """Without plugpull, under the releases that the page shows and that are here; ids are new."""
    shown = re.findall(
        r"\$ python \S+ +# strands-agents (1\.14\.0|1\.62\.0)\n(.*?)(?=```|\$ python)",
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert shown
    for release, lines in shown:
        said = environments[f"strands-{release}"].script(page.with_suffix(".py"))
        assert keys_named(said) == keys_named(on_stdout(lines))


def on_stdout(shown: str) -> str:
    """A page's lines without those of the log, which go to standard error."""
    return "".join(line for line in shown.splitlines(True) if not line.startswith("tool_name=<"))


def keys_named(text: str) -> list[str]:
    """Lines with the random ids named in the order in which they come."""
    names: dict[str, str] = {}
    return re.sub(
        r"tooluse_[0-9a-f]{6}\b",
        lambda found: names.setdefault(found[0], f"tooluse_{len(names)}"),
        text,
    ).splitlines()
