"""The Microsoft Agent Framework target on the real one: public reports, and what it lacks."""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

import pytest
from frameworks import CHECKOUT, NOTHING, Environment, Environments, Run, watch
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from rigged_target import TARGETS

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

TARGET = TARGETS / "agent-framework"
FINDINGS = CHECKOUT / "docs" / "findings"
PAGES = sorted(FINDINGS.glob("agent-framework-*.md"))

OLDEST, OLDER, NEWER = (f"agent-framework-core-{one}" for one in ("1.12.1", "1.18.0", "1.20.0"))

#: Variant, scenario and fault point, to what 1.18.0 and 1.20.0 come to.
ANCHORS = {
    # microsoft/agent-framework#8292
    ("functional+two-orders", "kill-mid-tool", "before-effect"): ("FAIL lost", "PASS held"),
    ("functional+two-orders", "kill-mid-tool", "after-effect"): ("PASS held", "PASS held"),
    ("functional+two-orders+swapped", "kill-mid-tool", "before-effect"): ("PASS held",) * 2,
    ("functional+two-orders+swapped", "kill-mid-tool", "after-effect"): ("PASS held",) * 2,
    # microsoft/agent-framework#8181
    ("graph+types-unknown", "store-roundtrip", "checkpoints"): ("FAIL state lost",) * 2,
}

#: The same report in a batch. Which call is answered first is chance, and decides what is lost:
#: another call is handed its result, or it is made again.
BATCH = "functional+tool-call-id+look-up"
BATCH_ANCHORS = {
    "between-results": ({"lost"}, {"held"}),
    "between-results-recorded": ({"lost", "repeated"}, {"held"}),
}

ASK_TWICE = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from agent_framework import Message
from model import ShopModel
from payments import declared
question = [Message("user", ["Charge my card."])]
async def ask():
    answer = await ShopModel().get_response(question, options={"tools": declared()})
    return [(one.call_id, one.parse_arguments()) for one in answer.messages[0].contents]
print(json.dumps([asyncio.run(ask()) for _ in range(2)]))
"""

REFUSED = """
import sys
sys.path.insert(0, sys.argv[1])
from agent_framework import Content, Message
from model import refuse_unpaired
call = Message("assistant", [Content.from_function_call("id", "charge_card", arguments={})])
answer = Message("tool", [Content.from_function_result("id", result="done: charge_card")])
user = Message("user", ["Charge my card."])
for said in ([user, call, user], [user, call], [user, answer], [user, call, answer, answer],
             [user, call, user, answer]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, call, answer])
print("refused")
"""

#: What the target cannot be asked for, seen in the framework itself.
LACKS = """
import asyncio, warnings
warnings.simplefilter("ignore")
from agent_framework import InMemoryCheckpointStorage, RunContext, step, workflow
seen = []
@step
async def ask(name: str, ctx: RunContext) -> str:
    return await ctx.request_info({"call": name}, response_type=str, request_id=name)
@workflow
async def two_questions(request: str, ctx: RunContext) -> str:
    return await ask("first") + await ask("second")
@workflow
async def speaks(request: str, ctx: RunContext) -> str:
    seen.append("returned")
    return "word"
async def main():
    storage = InMemoryCheckpointStorage()
    flow = two_questions.build(checkpoint_storage=storage)
    paused = await flow.run("go")
    assert [one.request_id for one in paused.get_request_info_events()] == ["first"]
    newest = await storage.get_latest(workflow_name=flow.name)
    try:
        await flow.run("more", checkpoint_id=newest.checkpoint_id)
    except ValueError as error:
        assert "both 'message' and 'checkpoint_id'" in str(error), error
    else:
        raise SystemExit("a message and a checkpoint were taken together")
    async for event in speaks.build().run("go", stream=True):
        assert event.type != "output" or seen, "text came before the function had returned"
asyncio.run(main())
print("lacks them")
"""


@pytest.fixture(scope="module", params=[OLDER, NEWER])
def anchored(request: pytest.FixtureRequest, environments: Environments) -> tuple[int, Run]:
    """Which of the two releases it is, and the anchors' variants there."""
    asked = [
        *(f"--variant={variant}" for variant in sorted({BATCH, *(one for one, _, _ in ANCHORS)})),
        *(f"--scenario={name}" for name in sorted({"batch-kill", *(one for _, one, _ in ANCHORS)})),
    ]
    run = environments[request.param].plugpull(
        *("--target", "agent-framework", "--targets", TARGETS), *asked
    )
    return (OLDER, NEWER).index(request.param), run


def verdict(environment: Environment, scenario: str, variant: str, point: str) -> str:
    """Verdict and outcome of one fault point."""
    run = environment.plugpull(
        *("--target", "agent-framework", "--targets", TARGETS),
        *("--scenario", scenario, "--variant", variant, "--fault-point", point),
    )
    result = run.one(variant, point.partition("/")[0])
    return f"{result['verdict']} {result['outcome']}"


def test_public_reports_come_out_as_they_were_reported(anchored: tuple[int, Run]) -> None:
    """#8292 up to 1.19 and not from 1.20 on, #8181 on both, and nothing with the orders swapped."""
    which, run = anchored
    found = {
        (variant, result["scenario"], point): f"{result['verdict']} {result['outcome']}"
        for (variant, point), results in run.results.items()
        for result in results
        if point != "classes" and variant != BATCH
    }
    assert found == {key: both[which] for key, both in ANCHORS.items()}


def test_the_calls_of_one_turn_are_mixed_up_as_well(anchored: tuple[int, Run]) -> None:
    """#8292 in every single run of a batch, and in none of the newer release."""
    which, run = anchored
    for point, outcomes in BATCH_ANCHORS.items():
        result = run.one(BATCH, point)
        assert result["outcome"] in outcomes[which]
        verdict, others = (("FAIL", "PASS"), ("PASS", "FAIL"))[which]
        assert result["runs"][verdict] > 1
        assert not result["runs"][others]
        assert result["timing_dependent"]
        assert ("issues/8292" in result["detail"]) == (which == 0)


def test_the_lost_order_ends_well(anchored: tuple[int, Run]) -> None:
    """The run that never charged it comes to its end with exit status 0: nobody hears of it."""
    _, run = anchored
    evidence = run.one("functional+two-orders", "before-effect")["evidence"]
    assert evidence["resume_returncode"] == 0
    assert evidence["effects"]["finish_order"] == 1


def test_why_a_checkpoint_is_not_there(anchored: tuple[int, Run]) -> None:
    """The older release has saved what it cannot read, the newer one has not saved it."""
    which, run = anchored
    detail = run.one("graph+types-unknown", "checkpoints")["detail"]
    assert detail.startswith(("saved but not readable: 2 ", "not saved: 2 ")[which])


APPROVAL, RETRY = "resume-after-approval", "model-error-after-tool"


@pytest.mark.parametrize(
    ("release", "place", "expected"),
    [
        (OLDER, (APPROVAL, "graph-agent+tool-call-id", "after-step"), "FAIL duplicated"),
        (NEWER, (APPROVAL, "graph-agent+tool-call-id", "after-step"), "PASS held"),
        (OLDEST, (APPROVAL, "graph+tool-call-id", "nested"), "FAIL crashed"),
        (NEWER, (APPROVAL, "graph+tool-call-id", "nested"), "PASS held"),
        (OLDEST, (APPROVAL, "graph-agent+tool-call-id", "sibling-killed"), "FAIL unpaired"),
        (
            NEWER,
            ("lost-session-write", "graph+tool-call-id", "outage/save:superstep-2"),
            "FAIL unpaired",
        ),
        (NEWER, (RETRY, "graph-agent+tool-call-id+retry-middleware", "own-retry"), "PASS held"),
        (
            NEWER,
            (RETRY, "graph-agent+tool-call-id+retry-decorator", "own-retry"),
            "FAIL duplicated",
        ),
        (NEWER, ("changed-world", "graph-agent+ticket", "tool-removed"), "FAIL lost"),
    ],
)
def test_findings_are_found(
    environments: Environments, release: str, place: tuple[str, str, str], expected: str
) -> None:
    """The command of each page under docs/findings comes to what the page says."""
    assert verdict(environments[release], *place) == expected


@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_the_script_of_a_finding_prints_what_its_page_shows(
    environments: Environments, page: Path
) -> None:
    """Word for word, under each release that the page names and that there is an environment of."""
    blocks = re.findall(
        r"\$ (python .*?)  # agent-framework-core ([\d.]+)\n(.*?)(?=\$ |```)",
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert blocks
    for command, release, shown in blocks:
        (script,) = (word for word in shlex.split(command) if word.endswith(".py"))
        known = f"agent-framework-core-{release}" if release < "1.20" else NEWER
        printed = environments[known].script(CHECKOUT / script)
        assert [line.rstrip() for line in printed.splitlines()] == shown.splitlines()


def test_the_model_never_says_the_same_twice(environments: Environments) -> None:
    """New ids and new arguments at every call, as a real model's."""
    first, second = json.loads(environments[NEWER].says(ASK_TWICE, str(TARGET)))
    assert first[0][0] != second[0][0]
    assert first[0][1] != second[0][1]


def test_the_model_refuses_what_a_provider_refuses(environments: Environments) -> None:
    """A call without its answer right behind it, and an answer without its call."""
    assert environments[NEWER].says(REFUSED, str(TARGET)) == "refused"


def test_what_is_not_supported_is_really_not_there(environments: Environments) -> None:
    """A functional workflow asks one thing at a time, streams nothing, and has no next turn."""
    for release in (OLDER, NEWER):
        assert environments[release].says(LACKS) == "lacks them"


def test_no_connection_and_no_key(environments: Environments, tmp_path: Path) -> None:
    """No process of a run uses the network, and the user's keys do not reach it."""
    settings = {"PLUGPULL_API": "graph-agent", "PLUGPULL_KEY": "ticket"}
    run, seen = watch(environments[NEWER], "agent-framework", "kill-mid-tool", tmp_path, **settings)
    assert run.verdicts("watched") == ("PASS", "PASS")
    assert seen == NOTHING


def test_every_scenario_has_an_answer_for_both_apis() -> None:
    """Functional and graph workflows: a variant that answers, or a gap with its reason."""
    manifest = read_manifest(TARGET)
    assert set(manifest.scenarios) == set(SCENARIOS)
    for scenario in SCENARIOS:
        for api in ("functional", "graph"):
            answered = any(
                scenario in variant.scenarios
                for variant in manifest.variants
                if variant.environment["PLUGPULL_API"].startswith(api)
            )
            lacking = any(
                gap.scenario == scenario and str(gap.variant).startswith(api) and gap.reason
                for gap in manifest.not_supported
            )
            assert answered or lacking, f"{scenario} on {api}"
