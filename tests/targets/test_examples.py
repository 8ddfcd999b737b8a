"""The sample agents under examples/, run with ``plugpull --agent`` as their READMEs say."""

from __future__ import annotations

import io
import subprocess
import tokenize

import pytest
from frameworks import CHECKOUT, Environment, Environments

EXAMPLES = CHECKOUT / "examples"

ONCE = "the provider saw exactly 1 charge_card effect"
TWICE = "effect duplicated: the provider saw 2 charge_card effects after resume (expected 1)"

LANGGRAPH = "python examples/langgraph_agent/agent.py"
SHELL = "sh examples/shell_agent/agent.sh"
WORKFLOW = "python examples/agent_framework_workflow/agent.py"
LOST = "effect lost: the provider saw 0 charge_card effects after resume (expected 1)"


def plugpull(environment: Environment, command: str) -> list[str]:
    """What a user sees."""
    return environment.plugpull("--agent", command).lines


@pytest.mark.parametrize(
    ("command", "after"),
    [
        (f"{LANGGRAPH} no-key", f"FAIL   kill-mid-tool  after-effect   {{}}  {TWICE}"),
        (f"{LANGGRAPH} tool-call-id", f"PASS   kill-mid-tool  after-effect   {{}}  {ONCE}"),
        (f"{SHELL} no-key", f"FAIL   kill-mid-tool  after-effect   {{}}  {TWICE}"),
        (f"{SHELL} stable-key", f"PASS   kill-mid-tool  after-effect   {{}}  {ONCE}"),
    ],
)
def test_a_sample_agent_gets_its_verdicts(
    environments: Environments, command: str, after: str
) -> None:
    """Byte for byte: a duplicate without a key, none with it, and no link on an agent's FAIL."""
    lines = plugpull(environments["langgraph-1.2.11"], command)
    assert lines == [
        f"PASS   kill-mid-tool  before-effect  {command}  {ONCE}",
        after.format(command),
    ]


@pytest.mark.parametrize(
    ("variant", "before"),
    [
        ("as-reported", f"FAIL   kill-mid-tool  before-effect  {{}}  {LOST}"),
        ("swapped", f"PASS   kill-mid-tool  before-effect  {{}}  {ONCE}"),
    ],
)
def test_an_order_of_a_workflow_is_never_charged(
    environments: Environments, variant: str, before: str
) -> None:
    """microsoft/agent-framework#8292, and the order of gathering under which it does not show."""
    command = f"{WORKFLOW} {variant}"
    assert plugpull(environments["agent-framework-core-1.18.0"], command) == [
        before.format(command),
        f"PASS   kill-mid-tool  after-effect   {command}  {ONCE}",
    ]


def test_the_workflow_goes_wrong_without_plugpull(environments: Environments) -> None:
    """The finding is the framework's: a script that knows nothing of us shows it, as printed."""
    python = environments["agent-framework-core-1.18.0"].python
    script = "examples/agent_framework_workflow/without_plugpull.py"
    done = subprocess.run(
        [str(python), "-W", "ignore", script],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    page = (EXAMPLES / "agent_framework_workflow" / "README.md").read_text(encoding="utf-8")
    assert f"$ python -W ignore {script}\n{done.stdout}```" in page


@pytest.mark.parametrize("folder", ["langgraph_agent", "shell_agent", "agent_framework_workflow"])
def test_the_readme_shows_what_is_printed(folder: str) -> None:
    """Every line of output in a README is one that the test above has seen."""
    text = (EXAMPLES / folder / "README.md").read_text(encoding="utf-8")
    shown = [line for line in text.splitlines() if line.startswith(("PASS", "FAIL"))]
    assert len(shown) == 4
    assert all(line.endswith((ONCE, TWICE, LOST)) for line in shown)


def test_the_langgraph_sample_marks_what_was_added() -> None:
    """Seven added lines; the tool comes in two versions, so one of them is there twice."""
    source = (EXAMPLES / "langgraph_agent" / "agent.py").read_text(encoding="utf-8")
    comments = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and token.string.startswith("# plugpull")
    ]
    lines = [token.line.partition("#")[0].strip() for token in comments]
    assert len(lines) == 8
    assert len([line for line in lines if line.startswith("record_effect(")]) == 2


def test_the_langgraph_sample_needs_nothing_else_of_ours() -> None:
    """What an agent takes from plugpull is one name and one variable."""
    source = (EXAMPLES / "langgraph_agent" / "agent.py").read_text(encoding="utf-8")
    ours = [line for line in source.splitlines() if "import" in line and "plugpull" in line]
    assert [line.partition("  #")[0] for line in ours] == ["from plugpull import record_effect"]
