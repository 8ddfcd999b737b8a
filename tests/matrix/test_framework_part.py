"""The part of the results page that is about frameworks."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from madeup import put_together, raw_result, row
from plugpull.guide import Guide, Promise
from plugpull.matrix.declaration import read_declaration
from plugpull.matrix.findings import Finding, find_findings, finding_link
from plugpull.matrix.framework_part import framework_part, portraits
from plugpull.matrix.leftout import LeftOut
from plugpull.matrix.markdown import prose
from plugpull.matrix.pages import results_page
from plugpull.matrix.portraits import Portrait
from plugpull.matrix.records import EXCLUDED, Collected
from plugpull.notes import Note
from plugpull.target_folders import CONTROL

CHECKOUT = Path(__file__).parents[2]

GUIDE = Guide(
    "After each `step`, not before.",
    (Promise("A run *goes on*", "https://toy.example/resuming"),),
    "Give each tool a key.",
)
TOY = Portrait("toy", "The Toy", GUIDE, (), (Finding("toy-lost.md", "Something is lost"),))
LEFT_OUT = LeftOut("Frozen", "no release for a year", "https://frozen.example")


@pytest.fixture
def collected() -> Collected:
    """Two versions of one framework, one of which flips a verdict."""
    failed = raw_result(verdict="FAIL", outcome="lost")
    rows = [row("toy", "1.0", "3.13", failed), row("toy", "1.1", "3.13", raw_result())]
    return put_together(*rows)


def test_a_section_says_how_it_saves_what_was_measured_and_what_to_do(
    collected: Collected,
) -> None:
    """The guide's sentences as they stand, the rest from the records, findings by title."""
    text = "\n".join(framework_part(collected, [TOY], []))
    for expected in (
        "### toy\n",
        "**How it saves.** After each `step`, not before.\n",
        "- A run \\*goes on\\*: https://toy.example/resuming\n",
        "**What we measured**, 1.1:\n\n- `kill-mid-tool` (3.13): PASS: `sync+no-key`\n",
        (
            "- `kill-mid-tool` / `sync+no-key` / `before-effect`: FAIL lost on 1.0; PASS on 1.1 "
            "(Python 3.13)\n"
        ),
        "- [Something is lost](findings/toy-lost.md)\n",
        "**What to do.** Give each tool a key.\n",
    ):
        assert expected in text


def test_what_a_framework_documents_stands_once_with_its_scenarios() -> None:
    """A note that applies in several scenarios is one line."""
    note = Note({"verdict": "FAIL"}, "documented: see", "https://toy.example/keys")
    detail = f"twice ({note.text} {note.link})"
    raw = [
        raw_result(verdict="FAIL", detail=detail, scenario=scenario)
        for scenario in ("kill-mid-tool", "batch-kill")
    ]
    portrait = replace(TOY, notes=(note,))
    part = framework_part(put_together(row("toy", "1.0", "3.13", *raw)), [portrait], [])
    assert "- documented: see https://toy.example/keys (`kill-mid-tool`, `batch-kill`)" in part


def test_the_kinds_stand_in_a_table_with_the_rule(collected: Collected) -> None:
    """And in the section again; what was not measured says why."""
    text = "\n".join(framework_part(collected, [TOY], []))
    assert "\n| [toy](#toy) | not measured |  |  | it was asked for neither" in text
    assert "The Toy is **not measured** as checkpointing or durable execution: it was" in text
    assert "An effect is finished when its call had its answer" in text


def test_versions_that_agree_are_said_to_agree() -> None:
    """Silence would look like a gap; one version alone has nothing to compare."""
    one = row("toy", "1.0", "3.13", raw_result())
    both = "\n".join(
        framework_part(put_together(one, row("toy", "1.1", "3.13", raw_result())), [TOY], [])
    )
    same = "**Where versions differ.** Nowhere: 1.0, 1.1 have the same verdicts, timing aside. "
    assert f"{same}Asked of more than one: `kill-mid-tool`.\n" in both
    assert "versions differ" not in "\n".join(framework_part(put_together(one), [TOY], []))


def test_versions_agree_only_in_what_they_were_asked() -> None:
    """Older ones are asked less by default, and a variant may be there in some of them only."""
    newest = row("toy", "2.1", "3.13", raw_result(), raw_result("new"), raw_result(scenario="x"))
    older = [row("toy", version, "3.13", raw_result("old")) for version in ("1.0", "1.10")]
    text = "\n".join(framework_part(put_together(*older, newest), [TOY], []))
    assert "Nowhere: 1.0, 1.10 have the same verdicts" in text
    assert "Asked of more than one: `kill-mid-tool`.\n" in text
    alone = "\n".join(framework_part(put_together(older[0], newest), [TOY], []))
    assert "**Where versions differ.** Not measured: no two were asked the same.\n" in alone


def test_a_fault_point_that_one_variant_cannot_have_names_the_variant() -> None:
    """Beside a variant that has a verdict there, a bare "not supported" would contradict it."""
    why = {"scenario": "kill-mid-tool", "reason": "there is none", "link": "https://toy.example"}
    gaps = [{"kill_point": point, "variant": v, **why} for point in "xy" for v in ("a", "b")]
    gaps += [{"kill_point": "z", **why}, {"variant": "c", **why}]
    cell = row("toy", "1.0", "3.13", raw_result("d"), not_supported=tuple(gaps))
    (line,) = (
        line
        for line in framework_part(put_together(cell), [TOY], [])
        if line.startswith("- `kill-mid-tool`")
    )
    where = "`x`, `y` of `a`, `b` and `z` and `c`"
    assert line.endswith(f"; {where} not supported, there is none https://toy.example")


def test_a_way_of_which_nothing_is_known_is_named() -> None:
    """It might be the other kind; who is listed as neither must not pass for either."""
    both = [
        raw_result(
            variant,
            scenario=scenario,
            verdict="FAIL",
            evidence={
                "unfaulted": {"effects": {"one": 1}},
                "effects": {"one": 2},
                "answered": ["one"],
                "calls": [
                    {"effect": "one", "phase": phase, "recorded": True}
                    for phase in ("start", "resume")
                ],
            },
        )
        for variant, scenario in (("nodes", "batch-kill"), ("tasks", "kill-sweep"))
    ]
    text = "\n".join(framework_part(put_together(row("toy", "1.0", "3.13", *both)), [TOY], []))
    assert "The Toy is **checkpointing** with `nodes`: " in text
    assert ". Neither is shown of `tasks` (kill-sweep/before-effect: duplicated).\n" in text


def test_code_in_the_title_of_a_finding_is_code() -> None:
    """As it is on its own page."""
    assert finding_link(Finding("x.md", "`a_b()` is *lost*")) == (
        "[`a_b()` is \\*lost\\*](findings/x.md)"
    )


def test_a_framework_that_did_not_run_has_its_guide_and_the_reason() -> None:
    """People choose it all the same."""
    off = row("toy", "1.0", "3.13", state=EXCLUDED, reason="off by default: it is slow")
    text = "\n".join(framework_part(put_together(off), [TOY], []))
    assert "**What we measured.** Not measured in this run: off by default: it is slow." in text
    assert "**What to do.**" in text


def test_frameworks_left_out_are_named_with_the_reason(collected: Collected) -> None:
    """On the page and nowhere else; the part stands before the tables."""
    page = results_page(collected, framework_part(collected, [TOY], [LEFT_OUT]))
    line = "## Frameworks left out\n\n- **Frozen**: no release for a year: https://frozen.example\n"
    assert line in page
    assert page.index("## The frameworks") < page.index(line) < page.index("## kill-mid-tool")
    assert "left out" not in "\n".join(framework_part(collected, [TOY], []))


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a `b_c` d_e", "a `b_c` d\\_e"),
        ("`a`, `b` and <c>", "`a`, `b` and &lt;c&gt;"),
        ("see `f(x)`.", "see `f(x)`."),
    ],
)
def test_code_in_a_guide_stays_code(text: str, written: str) -> None:
    """All else means nothing to Markdown."""
    assert prose(text) == written


def test_a_finding_belongs_to_the_longest_name(tmp_path: Path) -> None:
    """Its title is the page's, without the framework's name before it."""
    for name, title in (
        ("README", "Findings"),
        ("toy-one", "Toy: it breaks"),
        ("toy-box-two", "Toy Box: it breaks too"),
        ("other-three", "Other: no"),
    ):
        (tmp_path / f"{name}.md").write_text(f"# {title}\n", encoding="utf-8")
    assert find_findings(tmp_path, ["toy", "toy-box"]) == {
        "toy": [Finding("toy-one.md", "It breaks")],
        "toy-box": [Finding("toy-box-two.md", "It breaks too")],
    }


def test_only_frameworks_of_the_run_with_a_guide_get_a_section(tmp_path: Path) -> None:
    """A target of somebody's own need not have one."""
    declared = ['[matrix]\npython = ["3.13"]']
    promises = [{"says": "y", "link": "https://z.example"}]
    guides = {"told": {"saves": "x", "promises": promises, "advice": "a"}}
    for name in ("told", "silent", "absent"):
        folder = tmp_path / "targets" / name
        folder.mkdir(parents=True)
        (folder / "agent.py").touch()
        manifest: dict[str, Any] = {
            "name": name,
            "title": name.title(),
            "distribution": name,
            "import": name,
            "program": "agent.py",
            "variants": [{"name": "default"}],
            "scenarios": {},
        }
        manifest |= {"guide": guides[name]} if name in guides else {}
        (folder / "target.json").write_text(json.dumps(manifest), encoding="utf-8")
        declared.append(f'[framework.{name}]\nversions = ["1.0"]')
    path = tmp_path / "matrix.toml"
    path.write_text("\n".join(declared), encoding="utf-8")
    declaration = read_declaration(path, tmp_path / "targets")
    found = portraits(declaration, tmp_path / "targets", tmp_path, ["told", "silent"])
    assert [(each.name, each.title) for each in found] == [("told", "Told")]


def test_the_checkout_names_what_it_leaves_out() -> None:
    """Each with a reason and a link; none of them is a row."""
    declaration = read_declaration(CHECKOUT / "matrix.toml", CHECKOUT / "targets")
    names = {each.name for each in declaration.left_out}
    assert names == {"AutoGen", "Prefect", "smolagents", "Haystack"}


#: The controls and the harness's own agent are no frameworks that people choose.
NO_FRAMEWORK = {CONTROL, "reference"}


def test_every_shipped_framework_has_a_guide() -> None:
    """People choose by its section of the results page."""
    without = {
        path.parent.name
        for path in (CHECKOUT / "targets").glob("*/target.json")
        if "guide" not in json.loads(path.read_text(encoding="utf-8"))
    }
    assert without == NO_FRAMEWORK
