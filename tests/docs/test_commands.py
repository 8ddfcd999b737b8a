"""Every command of the documentation, run in a copy of the checkout as a newcomer would run it.

A command that takes long is narrowed down by more options, never replaced by another one. What
starts these very tests is run by .ci/run, which has to have the README's own line.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")],
)
CI = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

#: One small cell instead of the whole matrix.
SMALL = "-- --only pydantic-ai-2.43.0 --python 3.13"
#: One small module instead of all tests, on one Python.
ONE_MODULE = "nox -s tests-3.13 -- -q tests/harness/test_specifiers.py"

NARROWED = {
    "uvx nox -s matrix": f"uvx nox -s matrix {SMALL}",
    "python -m pip install nox && nox -s matrix": (
        f"python -m pip install nox && nox -s matrix {SMALL}"
    ),
    "nox -s matrix": f"nox -s matrix {SMALL}",
    "nox -s matrix -- --all": (
        "nox -s matrix -- --only pydantic-ai-2.43.0/py3.13/kill-mid-tool/history-per-node+no-key"
        " --all"
    ),
    "nox -s matrix -- --only langgraph --python 3.13": (
        "nox -s matrix -- --only langgraph-1.2.11/py3.13/kill-mid-tool/sync+no-key --python 3.13"
    ),
    "nox -s upgrade -- openai-agents": (
        "nox -s upgrade -- openai-agents --pairs 0.22.0:0.22.2 --python 3.13"
    ),
    # The page's one entry is about this variant.
    "nox -s matrix -- --strict": (
        "nox -s matrix -- --only pydantic-ai-2.43.0/py3.13/kill-mid-tool/history-per-node+no-key"
        " --strict"
    ),
    "nox -s record": f"nox -s matrix {SMALL} && nox -s record",
    "nox -s matrix -- --compare baseline.json": (
        f"nox -s matrix {SMALL} && nox -s record && nox -s matrix {SMALL} --compare baseline.json"
    ),
    "nox -s bisect -- openai-agents changed-world --from 0.8.0 --to 0.24.0": (
        "nox -s bisect -- openai-agents changed-world --from 0.19.3 --to 0.19.4"
    ),
    "uvx nox -s tests": f"uvx {ONE_MODULE}",
    "nox -s tests": ONE_MODULE,
}
#: What would run every cell: hundreds of agents, in a test of one line.
WHOLE = re.compile(r"nox -s matrix(?!.* --(?:only|help)\b)")
#: .ci/run starts these, and so runs the tests that you are reading.
BY_CI = {"python -m pip install nox && nox -s tests", "nox -s lint"}
#: Run with the page's own files beside them, by the tests named here.
ELSEWHERE = {
    r"plugpull conform .*": "tests/conformance/test_conform_docs.py",
    r"plugpull --agent .*langgraph_agent.*": "tests/targets/test_langgraph.py",
    r"python .*docs/findings/.*-older-release\.py .*": "tests/targets/test_older_releases.py",
    r"nox -s bisect .*--path .*": "tests/matrix/test_bisect.py",
    r"nox -s check -- openai-agents .*": "tests/matrix/test_check_real.py",
    r"pip install \./harness langgraph .*": "tests/targets/test_langgraph.py",
    r"plugpull --agent .*agent_framework_workflow.*": "tests/targets/test_examples.py",
    r"pip install \./harness agent-framework-core.*": "tests/targets/test_examples.py",
    r"python .*examples/agent_framework_workflow/.*": "tests/targets/test_examples.py",
    r"python .*docs/findings/agent-framework-.*": "tests/targets/test_agent_framework.py",
    r"python .*docs/findings/openai-agents-.*": "tests/targets/test_openai_agents_scenarios.py",
    r"python .*docs/findings/pydantic-ai-.*": "tests/targets/test_pydantic_ai_scenarios.py",
    r"python .*docs/findings/langgraph-.*": "tests/targets/test_langgraph_scenarios.py",
    r"python .*docs/findings/dbos-.*": "tests/targets/test_dbos.py",
    r"plugpull --target dbos .*": "tests/targets/test_dbos.py",
    r"python .*docs/findings/temporal-.*": "tests/targets/test_served_frameworks.py",
    r"python .*docs/findings/strands-.*": "tests/targets/test_strands.py",
    r"python .*docs/findings/burr-.*": "tests/targets/test_burr.py",
    r"python .*docs/findings/agno-.*": "tests/targets/test_agno.py",
    r"plugpull --target agno .*": "tests/targets/test_agno.py",
    r"python .*docs/findings/llama-index-.*": "tests/targets/test_llama_index_workflows.py",
    r"plugpull --target llama-index-.*": "tests/targets/test_llama_index_workflows.py",
    r"python .*docs/findings/google-adk-.*": "tests/targets/test_google_adk.py",
    r"plugpull --target google-adk .*": "tests/targets/test_google_adk.py",
    r"plugpull --target burr .*": "tests/targets/test_burr.py",
    r"python .*docs/findings/endstate-.*": "tests/targets/test_endstate.py",
    r"plugpull --target endstate .*": "tests/targets/test_endstate.py",
    r"plugpull --target strands .*": "tests/targets/test_strands.py",
    # Its environment is made by hand: 830 MB.
    r"python .*docs/findings/crewai-.*": "tests/targets/test_crewai.py",
    r"plugpull --target crewai .*": "tests/targets/test_crewai.py",
    r"plugpull --target langgraph .*": "tests/targets/test_langgraph_scenarios.py",
    r"plugpull --target pydantic-ai .*": "tests/targets/test_pydantic_ai_scenarios.py",
    r"plugpull --target openai-agents .*": "tests/targets/test_openai_agents_scenarios.py",
    r"plugpull --target agent-framework .*": "tests/targets/test_agent_framework.py",
    r"sh results/repro/.*/reproduce\.sh": "tests/maintainers/test_repro.py",
    r"sh reproduce\.sh": "tests/maintainers/test_repro.py",
    r"nox -s record-states -- openai-agents": "tests/maintainers/test_upgrade_session.py",
    r"nox -s upgrade -- openai-agents --states states .*": (
        "tests/maintainers/test_upgrade_session.py"
    ),
}

only_once = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="the documentation is the same on every Python"
)


def console_commands() -> list[tuple[str, str]]:
    """Each command once, with the first page that shows it."""
    found: dict[str, str] = {}
    for page in PAGES:
        for block in re.findall(
            r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
        ):
            for line in block.splitlines():
                if line.startswith("$ "):
                    found.setdefault(line[2:], str(page.relative_to(ROOT)))
    return sorted((page, command) for command, page in found.items())


def elsewhere(command: str) -> str | None:
    """The test module that runs a command, if it is not this one."""
    return next((by for pattern, by in ELSEWHERE.items() if re.fullmatch(pattern, command)), None)


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, and beside it an environment with nothing but its tools."""
    folder = tmp_path_factory.mktemp("newcomer")
    shutil.copytree(
        ROOT,
        folder / "checkout",
        ignore=shutil.ignore_patterns(".git", ".nox", ".plugpull", "results", "__pycache__"),
    )
    builder = venv.EnvBuilder(with_pip=True)
    builder.create(folder / "python")
    # What the pages have installed before the commands that need it.
    run(folder, "python -m pip install --quiet uv nox ./harness")
    return folder


def run(folder: Path, command: str) -> str:
    """Run a command in a shell without our environment; what it printed."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in {"HOME", "LANG", "TMPDIR"} or name.startswith(("UV_", "PIP_", "SSL_"))
    }
    path = f"{folder / 'python' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder / "checkout",
        env={**kept, "PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}"
    return done.stdout


@pytest.mark.parametrize(("page", "command"), console_commands())
@only_once
def test_a_command_works(newcomer: Path, page: str, command: str) -> None:
    """Word for word, or narrowed down; none is left out."""
    if command in BY_CI:
        assert command in CI
    elif by := elsewhere(command):
        assert (ROOT / by).is_file(), f"{page} relies on {by}"
    elif "--only my-burr" in command:
        add_burr(newcomer / "checkout")
        assert "my-burr" in run(newcomer, command)
    elif "--strict" in command:
        with the_expectations(newcomer / "checkout"):
            assert "1 FAIL (1 expected), 0 ERROR, 0 stale" in run(newcomer, NARROWED[command])
    elif "nox -s bisect" in command:
        said = run(newcomer, NARROWED[command])
        (answer,) = re.findall(r"^openai-agents .* is the first that changed$", said, re.MULTILINE)
        assert answer in (ROOT / page).read_text(encoding="utf-8")
    else:
        narrowed = NARROWED.get(command, command)
        assert not WHOLE.search(narrowed), f"{page}: too long, narrow it down"
        run(newcomer, narrowed)


@pytest.mark.parametrize(
    ("command", "whole"),
    [
        ("nox -s matrix", True),
        ("uvx nox -s matrix -- --all", True),
        ("nox -s record && nox -s matrix -- --compare baseline.json", True),
        ("nox -s matrix -- --all --only langgraph", False),
        ("nox -s record", False),
    ],
)
def test_the_whole_matrix_is_told_from_a_part(command: str, *, whole: bool) -> None:
    """What a page shows and nobody narrowed down is noticed, before it runs for an hour."""
    assert bool(WHOLE.search(command)) == whole


@only_once
def test_what_the_pages_print_is_what_is_printed(newcomer: Path) -> None:
    """The lines below a plugpull command are its output, to the letter."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for command, shown in re.findall(
            r"^\$ (plugpull --agent .*shell_agent.*)\n((?:[A-Z].*\n)+)", text, re.MULTILINE
        ):
            assert run(newcomer, command) == shown, f"{page}: {shlex.join(['$', command])}"


@contextlib.contextmanager
def the_expectations(checkout: Path) -> Iterator[None]:
    """The file that docs/maintainers.md shows, beside matrix.toml for as long as it is needed."""
    page = (checkout / "docs" / "maintainers.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"```toml\n(# expectations\.toml\n.*?)```", page, re.DOTALL)
    file = checkout / "expectations.toml"
    file.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        file.unlink()


def add_burr(checkout: Path) -> None:
    """What docs/add-a-target.md says: a program, a manifest, and a table."""
    page = (checkout / "docs" / "add-a-target.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"```(python|json|toml)\n(.*?)```", page, re.DOTALL))
    target = checkout / "targets" / "my-burr"
    target.mkdir()
    (target / "agent.py").write_text(blocks["python"], encoding="utf-8")
    (target / "target.json").write_text(blocks["json"], encoding="utf-8")
    with (checkout / "matrix.toml").open("a", encoding="utf-8") as stream:
        stream.write(f"\n{blocks['toml']}")
