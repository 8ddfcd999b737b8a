"""The Pydantic AI target beyond a kill in a tool: public reports, and what the model is."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from frameworks import CHECKOUT, Environment, Environments
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from rigged_target import TARGETS

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

TARGET = TARGETS / "pydantic-ai"
PAGES = sorted((CHECKOUT / "docs" / "findings").glob("pydantic-ai-*.md"))
OLDEST, OLDER, NEWEST = (f"pydantic-ai-{one}" for one in ("1.11.1", "2.37.0", "2.68.0"))

ASK_TWICE = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from pydantic_ai import Agent
from pydantic_ai.messages import ToolCallPart
from model import Wish, model
seen = []
def charge_card(amount: int, memo: str, payment: int) -> str:
    return "charged"
async def ask():
    agent = Agent(model([[Wish("charge_card")]]), tools=[charge_card])
    said = (await agent.run("Charge my card.")).all_messages()[1].parts
    return [(one.tool_call_id, one.args_as_dict()["memo"]) for one in said]
async def stream():
    agent, pieces = Agent(model([[Wish("charge_card")]]), tools=[charge_card]), []
    async with agent.iter("Charge my card.") as running:
        async for node in running:
            if Agent.is_model_request_node(node):
                async with node.stream(running.ctx) as events:
                    pieces.append(len([one async for one in events if "text" in str(one).lower()]))
    said = running.ctx.state.message_history[1].parts
    return pieces, [(one.tool_call_id,) for one in said if isinstance(one, ToolCallPart)]
print(json.dumps([asyncio.run(one()) for one in (ask, ask, stream, stream)]))
"""

REFUSED = """
import sys
sys.path.insert(0, sys.argv[1])
from pydantic_ai.messages import (
    ModelRequest, ModelResponse, RetryPromptPart, ToolCallPart, ToolReturnPart, UserPromptPart)
from model import refuse_unpaired
user = ModelRequest(parts=[UserPromptPart("Charge my card.")])
call = ModelResponse(parts=[ToolCallPart("charge_card", {}, tool_call_id="call_1")])
answer = ModelRequest(parts=[ToolReturnPart("charge_card", "charged", tool_call_id="call_1")])
again = ModelRequest(
    parts=[RetryPromptPart("no", tool_name="charge_card", tool_call_id="call_1")])
for said in ([user, call, user], [user, call], [user, answer], [user, call, answer, answer],
             [user, call, user, answer]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, call, answer, user])
refuse_unpaired([user, call, again])
print("refused")
"""


def asked(
    environment: Environment, scenario: str, variants: list[str], *points: str
) -> dict[tuple[str, str, str | None], str]:
    """Verdict and outcome by variant, fault point and detail."""
    run = environment.plugpull(
        *("--target", "pydantic-ai", "--targets", TARGETS, "--scenario", scenario),
        *(word for variant in variants for word in ("--variant", variant)),
        *(word for point in points for word in ("--fault-point", point)),
    )
    return {
        (variant, point, one.get("point_detail")): f"{one['verdict']} {one['outcome']}"
        for (variant, point), results in run.results.items()
        for one in results
    }


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids and arguments are new at every call, in one piece and streamed in several."""
    first, second, streamed, again = json.loads(environments[NEWEST].says(ASK_TWICE, str(TARGET)))
    assert all(one != other for one, other in zip(first[0], second[0], strict=True))
    assert all(pieces >= 2 for pieces in streamed[0])
    assert streamed[1] != again[1]


def test_the_model_takes_no_unpaired_history(environments: Environments) -> None:
    """As a real provider refuses it, whatever is missing or there twice."""
    assert environments[NEWEST].says(REFUSED, str(TARGET)) == "refused"


def test_every_scenario_is_answered() -> None:
    """No cell of the table is empty, and each variant's program follows a page."""
    manifest = read_manifest(TARGET)
    answered = {scenario for variant in manifest.variants for scenario in variant.scenarios}
    assert answered == set(SCENARIOS)
    assert len(manifest.documentation) >= 5


@pytest.mark.parametrize(("release", "expected"), [(OLDER, "FAIL crashed"), (NEWEST, "PASS held")])
def test_a_cancel_in_the_only_tool(environments: Environments, release: str, expected: str) -> None:
    """pydantic-ai#7977: until 2.37.0 the history takes no new message, from 2.38.0 on it does."""
    found = asked(
        *(environments[release], "cancel-mid-stream", ["stream-node"]),
        *("in-tool-recorded/cancel", "last-answer/cancel"),
    )
    assert found == {
        ("stream-node", "in-tool-recorded", "cancel"): expected,
        ("stream-node", "last-answer", "cancel"): "PASS held",
    }


@pytest.mark.parametrize(
    ("release", "expected"), [(OLDEST, "FAIL unapproved"), (NEWEST, "PASS held")]
)
def test_a_call_that_nobody_has_approved(
    environments: Environments, release: str, expected: str
) -> None:
    """pydantic-ai#3350: up to 1.11.1 a run without a decision makes the call."""
    found = asked(
        *(environments[release], "resume-after-approval", ["history-at-end+no-key"]),
        *("missing", "nested-after-step"),
    )
    assert found == {
        ("history-at-end+no-key", "missing", None): expected,
        ("history-at-end+no-key", "nested-after-step", None): "PASS held",
    }


def test_a_store_refuses_a_decision_that_was_given_before(environments: Environments) -> None:
    """What a store has, it knows to be answered; the application's own file is run again."""
    expected = {
        ("store-at-end+no-key", "after-approval", None): "PASS refused",
        ("history-per-node+no-key", "after-approval", None): "FAIL duplicated",
    }
    variants = [variant for variant, _, _ in expected]
    found = asked(environments[NEWEST], "resume-twice", variants, "after-approval")
    assert found == expected


def commands() -> list[tuple[str, list[str]]]:
    """The commands of the pages, each with the lines that it prints there."""
    blocks = [
        block
        for page in PAGES
        for block in re.findall(
            r"\$ (plugpull [^\n]*)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
        )
    ]
    return [(command, shown.splitlines()) for command, shown in blocks]


@pytest.mark.parametrize(
    ("command", "shown"),
    [one for one in commands() if "2.68.0" in one[1][0]],
    ids=lambda given: given.partition("--scenario ")[2].split()[0] if type(given) is str else "",
)
def test_the_commands_of_findings_print_what_they_say(
    environments: Environments, command: str, shown: list[str]
) -> None:
    """Word for word but for the width of columns; the anchors above are the older releases'."""
    run = environments[NEWEST].plugpull(*shlex.split(command)[1:], "--targets", TARGETS)
    assert [line.split() for line in run.lines] == [line.split() for line in shown]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removeprefix("pydantic-ai-"))
def test_the_scripts_of_findings_print_what_they_say(
    environments: Environments, page: Path
) -> None:
    """Without plugpull, under each release that the page shows and that is here."""
    blocks = re.findall(
        r"\$ python (\S+) +# pydantic-ai-slim ([\d.]+)\n(.*?)(?=\$ |```)",
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert blocks
    for script, release, shown in blocks:
        said = environments[f"pydantic-ai-{release}"].script(CHECKOUT / script)
        assert said.splitlines() == shown.splitlines()
