"""DBOS, and Pydantic AI's agents on it: anchors, what the keys are worth, and the SQLite in use."""

from __future__ import annotations

import json
import re
import sqlite3
import sys

import pytest
from frameworks import CHECKOUT, Environments, Run
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from rigged_target import TARGETS

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="what is measured here is the same on every Python"
)

#: One environment for both targets; it has dbos 3.4.0.
BOTH = "pydantic-ai-dbos-2.68.0"
OLDER = "dbos-2.26.0"
TWICE, WAITS = "dbos-child-twice", "dbos-destroy-waits"

ASK_TWICE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import model
if hasattr(model, "decide"):
    (call,) = model.decide([], {"charge_card"})
    print(json.dumps([call.tool_call_id, call.args]))
else:
    (call,) = model.answer([{"role": "user"}], ["charge_card"])["calls"]
    print(json.dumps([call["id"], call["payment"]]))
"""

#: What DBOS's own engine talks to once the target has been imported.
IN_USE = """
import sys, tempfile
sys.path.insert(0, sys.argv[1])
import newer_sqlite
import sqlalchemy
with sqlalchemy.create_engine("sqlite://").connect() as connection:
    print(connection.execute(sqlalchemy.text("select sqlite_version()")).scalar())
"""


@pytest.fixture(scope="module")
def killed(environments: Environments) -> Run:
    """kill-mid-tool on DBOS: without a key, with one, and a workflow without steps."""
    variants = ("no-key", "step-id", "no-steps+no-key", "coroutines+no-key")
    return environments[BOTH].plugpull(
        *("--target", "dbos", "--targets", TARGETS, "--scenario", "kill-mid-tool"),
        *("--timing-repeat", "1"),
        *(word for name in variants for word in ("--variant", name)),
    )


def test_a_key_of_the_framework_makes_the_difference(killed: Run) -> None:
    """A step that did not end runs again: twice without a key, once with the workflow's and its."""
    assert killed.verdicts("no-key") == ("PASS", "FAIL")
    assert killed.verdicts("step-id") == ("PASS", "PASS")
    assert killed.verdicts("no-steps+no-key") == ("PASS", "FAIL")
    duplicated = killed.one("no-key", "after-effect")
    assert duplicated["outcome"] == "duplicated"
    note = read_manifest(TARGETS / "dbos").notes[0]
    assert duplicated["detail"].endswith(f"({note.text} {note.link})")


def test_a_step_that_was_kept_is_read_from_outside(killed: Run) -> None:
    """A process of its own reads question, call, answer, and the end of the run."""
    reported = killed.one("step-id", "after-effect")["evidence"]["reported"]
    kinds = [entry["kind"] for entry in reported["history"]]
    assert kinds == ["user", "message", "call", "answer", "message"]
    assert reported["finished"] is True


def test_the_sqlite_that_is_recorded_is_the_one_in_use(
    environments: Environments, killed: Run
) -> None:
    """Python's own where it will do, else the package's; DBOS's engine says which one it is."""
    recorded = killed.cell["sqlite_version"]
    own = sqlite3.sqlite_version_info >= (3, 42)
    assert environments[BOTH].says(IN_USE, str(TARGETS / "dbos")) == recorded
    assert killed.cell["sqlite_module"] == ("sqlite3" if own else "pysqlite3")
    assert (recorded == sqlite3.sqlite_version) is own


def test_an_agents_plain_tools_run_again_and_its_steps_do_not(environments: Environments) -> None:
    """On Pydantic AI a tool is no step by itself: one that had its answer is called again."""
    run = environments[BOTH].plugpull(
        *("--target", "pydantic-ai-dbos", "--targets", TARGETS, "--scenario", "batch-kill"),
        *("--variant", "capability+plain-tools+tool-call-id"),
        *("--variant", "capability+steps+tool-call-id", "--fault-point", "between-results"),
    )
    plain = run.one("capability+plain-tools+tool-call-id", "between-results")
    assert (plain["verdict"], plain["outcome"]) == ("FAIL", "repeated")
    assert run.verdicts("capability+steps+tool-call-id") == ("PASS",)


def test_an_async_workflow_that_another_one_calls_is_recovered_once(killed: Run) -> None:
    """Killed before its effect it charges once; up to 2.26.0 that is a matter of chance."""
    assert killed.verdicts("coroutines+no-key") == ("PASS", "FAIL")


@pytest.mark.parametrize(
    ("page", "release", "environment"),
    [(TWICE, "2.27.0", BOTH), (TWICE, "2.26.0", OLDER), (WAITS, "3.4.0", BOTH)],
)
def test_the_script_of_a_finding_prints_what_its_page_shows(
    environments: Environments, page: str, release: str, environment: str
) -> None:
    """One of the outcomes that the page shows for the release, or, here, for the first good one."""
    folder = CHECKOUT / "docs" / "findings"
    shown = re.findall(
        rf"  # dbos {re.escape(release)}[^\n]*\n(.*?)(?=\$ |```)",
        (folder / f"{page}.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    printed = environments[environment].script(folder / f"{page}.py")
    assert [line.rstrip() for line in printed.splitlines()] in [one.splitlines() for one in shown]


@pytest.mark.parametrize("target", ["dbos", "pydantic-ai-dbos"])
def test_the_model_never_says_the_same_twice(environments: Environments, target: str) -> None:
    """New ids and new arguments at every call, as a real model's."""
    first, second = (
        json.loads(environments[BOTH].says(ASK_TWICE, str(TARGETS / target))) for _ in range(2)
    )
    assert first[0] != second[0]
    assert first[1] != second[1]


@pytest.mark.parametrize("target", ["dbos", "pydantic-ai-dbos"])
def test_every_scenario_is_answered_or_declared(target: str) -> None:
    """Every scenario is answered or declared as not supported, with a reason and a link."""
    manifest = read_manifest(TARGETS / target)
    whole = {gap.scenario for gap in manifest.not_supported if gap.kill_point is None}
    assert set(manifest.scenarios) | whole == set(SCENARIOS)
    assert not set(manifest.scenarios) & whole
    for gap in manifest.not_supported:
        assert gap.reason
        assert gap.link.startswith("https://")


def test_the_two_targets_put_the_same_sqlite_in_place() -> None:
    """A target is a folder by itself, so each has the module; there is one way to do it."""
    one, other = (TARGETS / name / "newer_sqlite.py" for name in ("dbos", "pydantic-ai-dbos"))
    assert one.read_bytes() == other.read_bytes()
