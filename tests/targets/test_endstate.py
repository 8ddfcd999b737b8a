"""endstate: what is kept where, what its pages leave open, and what the fake model is."""

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

TARGET = TARGETS / "endstate"
NEWEST = "endstate-0.3.0"
PAGES = sorted((CHECKOUT / "docs" / "findings").glob("endstate-*.md"))

ANSWERS = """
import json, os, sys
os.environ["PLUGPULL_BATCH"] = "2"
sys.path.insert(0, sys.argv[1])
from endstate.types import Message, ToolResult
from model import ShopModel
from settings import QUESTION
from tools import tools
offered = [tool.spec() for tool in tools()]
user = Message(role="user", content="Charge my card.")
asked = [ShopModel().complete([user], offered).message for _ in range(2)]
results = [ToolResult(call_id=call.id, content="charged") for call in asked[0].tool_calls]
paid = [user, asked[0], Message(role="tool", tool_results=results)]
more = [*paid, Message(role="user", content=QUESTION)]
said = [ShopModel().complete(history, offered).message for history in (paid, paid, more)]
print(json.dumps([[one.model_dump() for one in asked], [one.content for one in said]]))
"""

ASKS = """
import tempfile
from pathlib import Path
from endstate.agent.loop import AgentLoop
from endstate.agent.permissions import Decision, PermissionPolicy, Rule
from endstate.agent.tools.base import Tool, ToolContext
from endstate.providers.fake import FakeProvider
from endstate.types import Message, Response, ToolCall
class Charge(Tool):
    name = description = "charge"
    parameters = {"type": "object"}
    def run(self, arguments, ctx):
        raise SystemExit("charged")
call = Message(role="assistant", tool_calls=[ToolCall(id="id", name="charge")])
model = FakeProvider([Response(message=call)])
policy = PermissionPolicy(rules=[Rule(tool="charge", decision=Decision.ASK)])
loop = AgentLoop(model, [Charge()], ToolContext(Path(tempfile.mkdtemp())), policy)
result = loop.run("Charge my card.")
print(result.messages[2].tool_results[0].content, result.stop_reason.value, len(model.calls))
"""

STREAMS = """
from endstate.providers.base import Provider
print([name for name in ("complete", "stream") if hasattr(Provider, name)])
"""


@pytest.fixture(scope="module")
def asked(environments: Environments) -> Run:
    """What a new message, an answer that never comes, a failing model and a save come to."""
    return environments[NEWEST].plugpull(
        *("--target", "endstate", "--targets", TARGETS),
        *("--scenario", "provider-ack-lost", "--scenario", "model-error-after-tool"),
        *("--scenario", "restart-next-turn", "--scenario", "store-roundtrip"),
    )


def test_what_becomes_of_an_answer_that_never_comes(asked: Run) -> None:
    """An error ends the run; told to the model, it makes the call again, under a key of its own."""
    surfaced = asked.one("no-key", "ack-lost")
    assert (surfaced["verdict"], surfaced["outcome"]) == ("PASS", "surfaced")
    told = asked.one("key-in-arguments+tool-error", "ack-lost")
    assert told["outcome"] == "duplicated"
    assert "the-loop/#what-the-loop-deliberately-does-not-do" in told["detail"]
    keys = [one["key"] for one in told["evidence"]["calls"] if one["effect"] == "charge_card"]
    assert len(set(keys)) == 2


def test_a_new_message_runs_the_call_that_was_under_way(asked: Run) -> None:
    """It is settled before the message is added: once with a key, and never if the tool says so."""
    for variant, outcome, charged in (
        ("no-key", "duplicated", 2),
        ("key-in-arguments", "held", 1),
        ("not-idempotent", "held", 1),
    ):
        result = next(
            one
            for one in asked.results[variant, "after-effect"]
            if one["scenario"] == "restart-next-turn"
        )
        assert (result["outcome"], result["evidence"]["effects"]["charge_card"]) == (
            outcome,
            charged,
        )
        history = [one["kind"] for one in result["evidence"]["reported"]["history"]]
        assert history == ["user", "call", "answer", "user", "message"]


def test_a_result_that_is_stored_is_kept(asked: Run) -> None:
    """A model that fails after it does not bring the tool back, and each message can be read."""
    assert asked.one("no-key", "users-retry")["verdict"] == "PASS"
    assert asked.one("key-in-arguments", "checkpoints")["evidence"]["saves_made"] == 2


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids, keys and words are new at every call, and a new message is answered with text."""
    asked, said = json.loads(environments[NEWEST].says(ANSWERS, str(TARGET)))
    calls = [call for message in asked for call in message["tool_calls"]]
    assert len({call["id"] for call in calls}) == 4
    assert len({call["arguments"]["key"] for call in calls}) == 4
    assert len(set(said)) == 3
    assert [one.rpartition(" (")[0] for one in said] == [
        *["Your card was charged. Thank you!"] * 2,
        "It arrives on Tuesday.",
    ]


def test_what_is_not_supported_is_really_absent(environments: Environments) -> None:
    """A rule that asks denies, and the run goes on to its end; a provider streams nothing."""
    said = environments[NEWEST].says(ASKS)
    assert said == "permission denied (ask):  end_turn 2"
    assert environments[NEWEST].says(STREAMS) == "['complete']"


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
        assert gap.link.startswith("https://alvarodiez20.github.io/endstate/")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_findings_print_what_they_say(environments: Environments, page: Path) -> None:
    """The script, and plugpull's lines word for word but for the width of columns."""
    text = page.read_text(encoding="utf-8")
    (shown,) = re.findall(r"\$ python \S+ +# endstate 0\.3\.0\n(.*?)```", text, re.DOTALL)
    said = environments[NEWEST].script(page.with_suffix(".py"))
    assert said.splitlines() == shown.splitlines()
    commands = re.findall(r"^\$ (plugpull .*)\n((?:(?:PASS|FAIL).*\n)+)", text, re.MULTILINE)
    assert commands
    for command, lines in commands:
        run = environments[NEWEST].plugpull(*shlex.split(command)[1:], "--targets", TARGETS)
        found = [line.split() for line in run.lines if not line.startswith(" ")]
        assert found == [line.split() for line in lines.splitlines()]
