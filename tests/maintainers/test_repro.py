"""`nox -s repro`: a folder that shows a failure on a machine with nothing but Python and uv."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from plugpull.errors import PlugpullError
from plugpull.matrix.repro import repro
from toy_checkout import HERE, Checkout, make_checkout, only_once

pytestmark = only_once

FAILS = f"toy-wheel.1.0/py{HERE}/kill-mid-tool/no-key/after-effect"
PASSES = f"toy-wheel.2.0/py{HERE}/kill-mid-tool/no-key/after-effect"


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout with two versions of a framework."""
    return make_checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture(scope="module")
def report(toy: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a failure, moved away from the checkout that wrote it."""
    done = toy.nox("-s", "repro", "--", FAILS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0].startswith(f"FAIL  {FAILS}")
    written = toy.root / "results" / "repro" / FAILS.replace("/", "-")
    copy = tmp_path_factory.mktemp("elsewhere") / "report"
    shutil.copytree(written, copy)
    return copy


def bare_machine(folder: Path) -> dict[str, str]:
    """The variables of a machine with Python, uv and a shell, and with an empty home."""
    tools = folder / "bin"
    tools.mkdir()
    python = Path(sys.base_prefix, "bin", f"python{HERE}")
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    (tools / f"python{HERE}").symlink_to(python)
    (tools / "uv").symlink_to(Path(uv).resolve())
    (folder / "home").mkdir()
    # Where the index is and whom to trust is the machine's own affair.
    network = ("SSL_CERT_FILE", "UV_DEFAULT_INDEX", "UV_INDEX_URL")
    kept = {name: os.environ[name] for name in network if name in os.environ}
    return {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(folder / "home"), **kept}


def reproduce(
    report: Path, machine: dict[str, str], *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run the script as its reader does."""
    settings = [f"{name}={value}" for name, value in {**machine, **variables}.items()]
    return subprocess.run(
        ["/usr/bin/env", "-i", *settings, "sh", str(report / "reproduce.sh"), *arguments],
        cwd=machine["HOME"],
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_fails_on_a_bare_machine(toy: Checkout, report: Path, tmp_path: Path) -> None:
    """The same failure, from the folder alone; a version that is put over it mends it."""
    machine = bare_machine(tmp_path)
    done = reproduce(report, machine)
    assert done.returncode == 1, done.stderr
    assert "effect duplicated: the provider saw 2 charge_card effects" in done.stdout
    assert len(done.stdout.splitlines()) == 1
    assert "It fails here, as reported." in done.stderr
    mended = reproduce(report, machine, "--json", WITH=str(toy.wheel("2.0")))
    assert mended.returncode == 0, mended.stderr
    assert json.loads(mended.stdout)["results"][0]["verdict"] == "PASS"


def test_what_is_in_the_folder(report: Path) -> None:
    """The pins, the harness, the target, the script, the evidence, and a text; no path of ours."""
    names = {str(path.relative_to(report)) for path in report.rglob("*") if path.is_file()}
    names = {name for name in names if "__pycache__" not in name and not name.startswith(".venv")}
    wheels = {name for name in names if name.startswith("wheels/")}
    assert names - wheels == {
        "ISSUE.md",
        "evidence.json",
        "requirements.txt",
        "reproduce.sh",
        "targets/toy/agent.py",
        "targets/toy/target.json",
    }
    assert any(name.startswith("wheels/plugpull-") for name in wheels)
    assert "./wheels/toyframework-1.0-py3-none-any.whl" in (report / "requirements.txt").read_text()
    data = json.loads((report / "evidence.json").read_text())
    assert data["results"][0]["evidence"]["effects"] == {"charge_card": 2, "finish_order": 1}
    assert data["cell"]["version"] == "1.0"


def test_the_text_for_an_issue(report: Path) -> None:
    """It says what happens, what was expected, how to see it, and with which versions."""
    text = (report / "ISSUE.md").read_text()
    for part in (
        "# Toy Framework 1.0: duplicated in kill-mid-tool, after-effect (no-key)",
        "SIGKILL inside a tool, before or after its effect, then resume.",
        "the provider saw 2 charge_card effects after resume (expected 1)",
        "The provider saw every effect of the unfaulted run exactly once",
        "$ sh reproduce.sh",
        "| toyframework | 1.0 |",
        "| built from | a wheel `",
        f"| Python | {HERE}.",
        "| resume | charge_card | none | yes |",
        FAILS,
    ):
        assert part in text


def test_a_result_that_passes_says_so(
    toy: Checkout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder shows that it passes; there is nothing to report."""
    code = repro([PASSES, "--out", str(tmp_path / "out")], root=toy.root, cwd=toy.root)
    said = capsys.readouterr()
    assert code == 0
    assert said.out.startswith(f"PASS  {PASSES}")
    assert "there is nothing to report" in said.err
    assert (tmp_path / "out" / "reproduce.sh").is_file()


@pytest.mark.parametrize(
    ("result", "says"),
    [
        (f"tay-wheel.1.0/py{HERE}/kill-mid-tool/no-key/after-effect", "there are: toy"),
        (f"toy-wheel.7.0/py{HERE}/kill-mid-tool/no-key/after-effect", "did you mean"),
        (f"toy-wheel.1.0/py{HERE}/kill-mid-tol/no-key/after-effect", "kill-mid-tool/no-key"),
        (f"toy-wheel.1.0/py{HERE}/kill-mid-tool/no-key/afterwards", "no fault point afterwards"),
        (f"toy-wheel.1.0/py{HERE}", "one result is needed"),
        ("nonsense", "is no id of a result or a cell"),
        (
            f"toy-wheel.1.0/py{HERE}/resume-after-upgrade/key/paused/from-wheel.2.0",
            "nox -s upgrade -- toy --pairs wheel.2.0:wheel.1.0",
        ),
    ],
)
def test_an_id_that_is_none(toy: Checkout, result: str, says: str) -> None:
    """The nearest ones are named, and no folder is left."""
    before = sorted((toy.root / "results").rglob("evidence.json"))
    with pytest.raises(PlugpullError) as caught:
        repro([result], root=toy.root, cwd=toy.root)
    assert says in str(caught.value)
    assert sorted((toy.root / "results").rglob("evidence.json")) == before


def test_a_folder_of_somebody_else_is_left_alone(toy: Checkout, tmp_path: Path) -> None:
    """It is named, and nothing runs."""
    (tmp_path / "mine").touch()
    with pytest.raises(PlugpullError, match="is no folder of an earlier repro"):
        repro([FAILS, "--out", str(tmp_path)], root=toy.root, cwd=toy.root)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
