"""Which results bisect follows: any part of an id."""

from __future__ import annotations

import pytest
from plugpull.errors import UsageError
from plugpull.matrix.following import follow, split_id
from plugpull.matrix.manifests import TargetFacts

FACTS = TargetFacts(
    name="toy",
    title="Toy",
    distribution="toy-slim",
    companions=(),
    scenarios=("kill-mid-tool", "kill-sweep", "lost-session-write"),
    variants=(
        ("sync+no-key", ("kill-mid-tool", "kill-sweep")),
        ("sync+tool-call-id", ("kill-mid-tool",)),
        ("default", ("lost-session-write",)),
    ),
)


@pytest.mark.parametrize(
    ("text", "scenarios", "variants"),
    [
        ("kill-mid-tool", ("kill-mid-tool",), ("sync+no-key", "sync+tool-call-id")),
        ("kill-mid-tool/sync+no-key/after-effect", ("kill-mid-tool",), ("sync+no-key",)),
        ("lost-session-write/ack-lost", ("lost-session-write",), ("default",)),
        ("lost-session-write/ack-lost/tool output", ("lost-session-write",), ("default",)),
        ("sync+no-key", ("kill-mid-tool", "kill-sweep"), ("sync+no-key",)),
        ("kill-*/*/before-effect", ("kill-mid-tool", "kill-sweep"), None),
        ("after-effect", ("kill-mid-tool", "kill-sweep"), None),
        ("seen-before", FACTS.scenarios, None),
    ],
)
def test_what_has_to_run(
    text: str, scenarios: tuple[str, ...], variants: tuple[str, ...] | None
) -> None:
    """No more than what may have such a result; what an earlier one had may be of any scenario."""
    found = follow(text, FACTS, {"seen-before"})
    assert found.scenarios == scenarios
    assert variants is None or found.variants == variants


@pytest.mark.parametrize(
    ("text", "tail", "meant"),
    [
        ("kill-mid-tool", "kill-mid-tool/sync+no-key/after-effect", True),
        ("kill-mid-tool/after-effect", "kill-mid-tool/sync+no-key/after-effect", True),
        ("sync+no-key/after-effect", "kill-mid-tool/sync+no-key/after-effect", True),
        ("after-effect", "kill-mid-tool/sync+no-key/before-effect", False),
        ("kill-mid-tool/before-*", "kill-mid-tool/sync+no-key/before-effect", True),
        ("ack-lost/second", "lost-session-write/default/ack-lost/second", True),
        ("lost-session-write/default/second", "lost-session-write/default/ack-lost/second", True),
    ],
)
def test_which_results_are_meant(text: str, tail: str, meant: bool) -> None:
    """The parts stand in the order of an id, and some may be left out."""
    assert follow(text, FACTS, {"second"}).matches(tail) == meant


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kill-mid-tol", 'did you mean "kill-mid-tool"?'),
        ("sync+nokey", 'did you mean "sync+no-key"?'),
        ("after-efect", 'did you mean "after-effect"?'),
        ("somewhere", "name one of its scenarios: kill-mid-tool, "),
        ("kill-mid-tool/sync+no-key/befor-effect", 'did you mean "before-effect"?'),
        ("kill-mid-tool/ack-lost", "there are: before-effect, after-effect"),
        ("lost-session-write/nothing-known", "there is no 'nothing-known' among the fault points"),
        ("lost-session-write/sync+no-key", "no results like that"),
        ("kill-mid-tool/a/b/c", "no results like that"),
        ("sync+no-key/kill-mid-tool", "no results like that"),
        ("", "nothing: toy has no such scenario, variant or fault point"),
    ],
)
def test_what_cannot_be_meant_is_refused(text: str, words: str) -> None:
    """Before anything is installed."""
    with pytest.raises(UsageError) as caught:
        follow(text, FACTS)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("toy", ("toy", "", "")),
        ("toy-1.0/py3.12/kill-mid-tool/a", ("toy", "3.12", "kill-mid-tool/a")),
        ("toy-box-1.0/py3.12", ("toy-box", "3.12", "")),
        ("toy/kill-mid-tool", ("toy", "", "kill-mid-tool")),
        ("unknown-1.0/py3.12", ("", "", "unknown-1.0/py3.12")),
    ],
)
def test_an_id_from_the_table_may_be_given_whole(text: str, parts: tuple[str, str, str]) -> None:
    """Its version is no part of the question; its Python is."""
    assert split_id(text, ["toy", "toy-box"]) == parts
