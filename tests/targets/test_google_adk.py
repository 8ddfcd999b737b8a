"""Google ADK: a key makes the difference, what was reported shows, and what the fake model is."""

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

TARGET = TARGETS / "google-adk"
NEWEST = "google-adk-2.13.0"
PAGES = sorted((CHECKOUT / "docs" / "findings").glob("google-adk-*.md"))

ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from google.genai import types
from model import Wish, decide, refuse_unpaired
user = types.Content(role="user", parts=[types.Part(text="Charge my card.")])
turns = [[Wish("charge_card", 1), Wish("charge_card", 2)]]
asked = [decide(user.parts, turns, {"charge_card"}) for _ in range(2)]
calls = types.Content(role="model", parts=asked[0])
def told(*numbers):
    made = [asked[0][number].function_call for number in numbers]
    answers = [types.FunctionResponse(id=call.id, name=call.name, response={}) for call in made]
    parts = [types.Part(function_response=answer) for answer in answers]
    return types.Content(role="user", parts=parts)
for said in ([user, calls], [user, calls, user], [user, calls, told(0)], [user, told(0)],
             [user, calls, told(0, 0, 1)]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, calls, told(1, 0), user])
print(json.dumps([[part.function_call.model_dump() for part in parts] for parts in asked]))
"""

#: The scripts one after the other, each in a process of its own; the framework is imported once.
PRINTED = """
import json, os, runpy, sys
from pathlib import Path
import google.adk.runners, google.adk.sessions.sqlite_session_service
said = Path(sys.argv[1]) / "said"
printed = {}
for script in map(Path, sys.argv[2:]):
    if not (child := os.fork()):
        with said.open("wb") as output:
            os.dup2(output.fileno(), 1)
        runpy.run_path(str(script), run_name="__main__")
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, script
    printed[script.stem] = said.read_text()
print(json.dumps(printed))
"""


@pytest.fixture(scope="module")
def printed(environments: Environments) -> dict[str, str]:
    """What the script of each page prints."""
    program = written(environments, PRINTED)
    scripts = [str(page.with_suffix(".py")) for page in PAGES]
    scratch = environments[NEWEST].scratch
    found: dict[str, str] = json.loads(environments[NEWEST].script(program, str(scratch), *scripts))
    return found


def written(environments: Environments, text: str) -> Path:
    """A program in a file."""
    program = environments[NEWEST].scratch / "program.py"
    program.write_text(text, encoding="utf-8")
    return program


@pytest.fixture(scope="module")
def killed(environments: Environments) -> Run:
    """kill-mid-tool of every variant."""
    return environments[NEWEST].plugpull(
        *("--target", "google-adk", "--targets", TARGETS, "--scenario", "kill-mid-tool")
    )


@pytest.mark.parametrize("service", ["sqlite", "database"])
def test_a_key_makes_the_difference(killed: Run, service: str) -> None:
    """The tool runs again, with each service: twice without a key, once with the call's id."""
    assert killed.verdicts(f"{service}+no-key") == ("PASS", "FAIL")
    assert killed.verdicts(f"{service}+function-call-id") == ("PASS", "PASS")
    duplicated = killed.one(f"{service}+no-key", "after-effect")
    assert duplicated["outcome"] == "duplicated"
    assert duplicated["detail"].endswith("https://google.github.io/adk-docs/runtime/resume/)")


def test_the_key_is_the_stored_calls(killed: Run) -> None:
    """The id that the model gave the call is the same in the process that goes on."""
    evidence = killed.one("sqlite+function-call-id", "after-effect")["evidence"]
    keys = {call["key"] for call in evidence["calls"] if call["effect"] == "charge_card"}
    (stored,) = {one["id"] for one in evidence["reported"]["history"] if one["kind"] == "call"}
    assert keys == {stored}


def test_a_call_beside_a_long_running_one_never_runs(environments: Environments) -> None:
    """google/adk-python#7108: lost, in silence, and not where the tool itself asks."""
    run = environments[NEWEST].plugpull(
        *("--target", "google-adk", "--targets", TARGETS, "--fault-point", "sibling-killed"),
        *("--scenario", "resume-after-approval"),
    )
    lost = run.one("long-running+function-call-id", "sibling-killed")
    assert (lost["verdict"], lost["outcome"]) == ("FAIL", "lost")
    assert "issues/7108" in lost["detail"]
    assert run.verdicts("sqlite+function-call-id") == ("PASS",)


def test_the_model_never_says_the_same_twice(environments: Environments) -> None:
    """New ids and new arguments at every call; a history with a call left open is refused."""
    asked = json.loads(environments[NEWEST].script(written(environments, ASK), str(TARGET)))
    calls = [call for turn in asked for call in turn]
    assert len({call["id"] for call in calls}) == len(calls)
    assert len({call["args"]["memo"] for call in calls}) == len(calls)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_findings_script_prints_what_its_page_says(printed: dict[str, str], page: Path) -> None:
    """The output that the page shows for the newest release is what comes of it today."""
    text = page.read_text(encoding="utf-8")
    release = re.escape(NEWEST.replace("-2", " 2"))
    shown = re.search(
        rf"^\$ python \S*{page.stem}.py +# {release}\n(.*?)^(?:\$|```)",
        text,
        re.MULTILINE | re.DOTALL,
    )
    assert shown, "the page shows no run of the newest release"
    assert printed[page.stem] == shown[1]


def test_the_commands_of_the_pages_name_what_there_is() -> None:
    """Scenario, variant and fault point of each command are the target's."""
    manifest = read_manifest(TARGET)
    variants = {variant.name: variant for variant in manifest.variants}
    commands = [
        shlex.split(line[2:])
        for page in PAGES
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("$ plugpull ")
    ]
    assert len(commands) >= len(PAGES)
    for command in commands:
        given = dict(zip(command[1::2], command[2::2], strict=True))
        assert given["--scenario"] in variants[given["--variant"]].scenarios
        point = given["--fault-point"].partition("/")[0]
        assert point in SCENARIOS[given["--scenario"]].fault_points


def test_every_scenario_is_answered() -> None:
    """And what single variants or releases lack has a reason and a link."""
    manifest = read_manifest(TARGET)
    assert set(manifest.scenarios) == set(SCENARIOS)
    assert {name for variant in manifest.variants for name in variant.scenarios} == set(SCENARIOS)
    for gap in manifest.not_supported:
        assert gap.reason
        assert gap.link.startswith("https://")
