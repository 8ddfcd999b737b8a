"""The OpenAI Agents SDK target beyond a kill in a tool: public reports, and what the model is."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import sys
from typing import Any

import pytest
from frameworks import CHECKOUT, Environment, Environments
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from rigged_target import TARGETS

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

TARGET = TARGETS / "openai-agents"
PAGES = sorted((CHECKOUT / "docs" / "findings").glob("openai-agents-*.md"))
NEWEST = "openai-agents-0.24.0"

#: Of the pages' commands, those of these scenarios are run here; the matrix runs them all.
RUN_HERE = {"restart-next-turn", "resume-twice", "cancel-mid-stream"}

ASK_TWICE = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from model import FakeModel, Wish
async def ask():
    answer = await FakeModel([[Wish("charge_card")]]).get_response(None, "Charge my card.")
    return [(one.id, one.call_id, one.arguments) for one in answer.output]
async def stream():
    model, seen = FakeModel([[Wish("charge_card")]]), []
    async for event in model.stream_response(None, "Charge my card."):
        seen.append(event)
    return [one.type for one in seen], [(one.id,) for one in seen[-1].response.output]
print(json.dumps([asyncio.run(one()) for one in (ask, ask, stream, stream)]))
"""

REFUSED = """
import sys
sys.path.insert(0, sys.argv[1])
from model import refuse_unpaired
user = {"role": "user", "content": "Charge my card."}
call = {"type": "function_call", "call_id": "call_1", "name": "charge_card", "arguments": "{}"}
answer = {"type": "function_call_output", "call_id": "call_1", "output": "charged"}
for said in ([user, call, user], [user, call], [user, answer], [user, call, answer, answer],
             [user, call, user, answer]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, call, answer, user])
print("refused")
"""


def asked(
    environment: Environment, scenario: str, variants: list[str], *points: str
) -> dict[tuple[str, str, str | None], str]:
    """Verdict and outcome by variant, fault point and detail."""
    found = together(environment, [scenario], variants, *points)
    return {key[1:]: said for key, said in found.items()}


def together(
    environment: Environment, scenarios: list[str], variants: list[str], *points: str
) -> dict[tuple[str, str, str, str | None], str]:
    """Verdict and outcome by scenario, variant, fault point and detail."""
    run = environment.plugpull(
        *("--target", "openai-agents", "--targets", TARGETS),
        *(word for scenario in scenarios for word in ("--scenario", scenario)),
        *(word for variant in variants for word in ("--variant", variant)),
        *(word for point in points for word in ("--fault-point", point)),
    )
    return {
        (
            one["scenario"],
            variant,
            point,
            one.get("point_detail"),
        ): f"{one['verdict']} {one['outcome']}"
        for (variant, point), results in run.results.items()
        for one in results
    }


def test_the_model_says_nothing_twice(environments: Environments) -> None:
    """Ids and arguments are new at every call, in one piece and streamed in several."""
    said = environments[NEWEST].says(ASK_TWICE, str(TARGET))
    first, second, streamed, again = json.loads(said)
    assert all(one != other for one, other in zip(first[0], second[0], strict=True))
    assert streamed[0].count("response.output_text.delta") >= 2
    assert all(one != other for one, other in zip(streamed[1], again[1], strict=True))


def test_the_model_takes_no_unpaired_history(environments: Environments) -> None:
    """As a real provider refuses it, whatever is missing or there twice."""
    assert environments[NEWEST].says(REFUSED, str(TARGET)).strip() == "refused"


def test_every_scenario_is_answered_or_declared() -> None:
    """No cell of the table is empty, and each variant's program follows a page."""
    manifest = read_manifest(TARGET)
    answered = {scenario for variant in manifest.variants for scenario in variant.scenarios}
    assert answered == set(SCENARIOS)
    assert len(manifest.documentation) >= 5


@pytest.mark.parametrize(
    ("release", "answer", "message"),
    [
        ("openai-agents-0.22.0", "FAIL unpaired", "PASS held"),
        ("openai-agents-0.22.2", "PASS held", "FAIL refused"),
    ],
)
def test_lost_writes_after_the_tool(
    environments: Environments, release: str, answer: str, message: str
) -> None:
    """#4615: the output's write is made up for from 0.22.1 on, and the last message's no more."""
    found = asked(
        environments[release],
        "lost-session-write",
        ["sqlite+tool-call-id"],
        "write-lost/save:answer",
        "write-lost/save:message",
    )
    assert found == {
        ("sqlite+tool-call-id", "write-lost", "save:answer"): answer,
        ("sqlite+tool-call-id", "write-lost", "save:message"): message,
    }


def test_reports_about_approvals(environments: Environments) -> None:
    """#5141 and #4827 as they were reported on 0.22."""
    variants = ["same-names", "sqlite+guarded"]
    found = asked(
        environments["openai-agents-0.22.2"],
        "resume-after-approval",
        variants,
        "nested",
        "approved",
    )
    assert found["same-names", "nested", None] == "FAIL lost"
    assert found["same-names", "approved", None] == "PASS held"
    assert found["sqlite+guarded", "approved", None] == "FAIL unpaired"


def shown() -> dict[tuple[str, str, str], str]:
    """What the pages say of the newest release: scenario, variant and fault point to verdict."""
    rows: dict[tuple[str, str, str], str] = {}
    for page in PAGES:
        lines = page.read_text(encoding="utf-8").splitlines()
        for line, behind in itertools.pairwise(lines):
            if line.startswith("$ plugpull ") and " 0.24.0" in behind:
                words = shlex.split(line)
                told = dict(zip(words[2::2], words[3::2], strict=True))
                assert told["--target"] == "openai-agents"
                key = (told["--scenario"], told["--variant"], told["--fault-point"])
                rows[key] = behind.split()[0]
    return rows


def test_the_commands_of_findings_come_to_what_they_say(environments: Environments) -> None:
    """Each page's rows of the newest release are there, and those that are run come out so."""
    rows = shown()
    assert len(rows) >= 10
    manifest = read_manifest(TARGET)
    for scenario, variant, point in rows:
        assert point.partition("/")[0] in SCENARIOS[scenario].fault_points
        assert any(one.name == variant and scenario in one.scenarios for one in manifest.variants)
    rows = {key: said for key, said in rows.items() if key[0] in RUN_HERE}
    scenarios, variants, points = (sorted(set(words)) for words in zip(*rows, strict=True))
    found = together(environments[NEWEST], scenarios, variants, *points)
    for (scenario, variant, point), said in rows.items():
        name, _, detail = point.partition("/")
        assert found[scenario, variant, name, detail or None].split()[0] == said


def printed(page: Any, release: str) -> list[str] | None:
    """What a page says that its script prints under a release."""
    text = page.read_text(encoding="utf-8")
    found = re.search(
        rf"# openai-agents {re.escape(release)}\n(.*?)(?=\n\$ |\n```)", text, re.DOTALL
    )
    return found.group(1).splitlines() if found else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removeprefix("openai-agents-"))
def test_the_scripts_of_findings_print_what_they_say(environments: Environments, page: Any) -> None:
    """Without plugpull, on the newest release that the page shows and that is here."""
    for name in (NEWEST, "openai-agents-0.22.2"):
        expected = printed(page, name.rpartition("-")[2])
        if expected is not None:
            said = environments[name].script(page.with_suffix(".py"))
            assert said.splitlines() == expected
            return
    pytest.fail(f"{page.name} shows no release that is here")
