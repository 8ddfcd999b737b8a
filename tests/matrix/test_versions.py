from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator

import pytest
from planned import TOY, day, release
from plugpull.errors import PlugpullError
from plugpull.matrix.index import NoSuchProject, OnlineIndex, index_url, uv_settings
from plugpull.matrix.versions import parse_entry, resolve, supports
from pypi_simple import PYPI_SIMPLE_ENDPOINT


def picked(text: str, **limits: object) -> list[str]:
    """The versions that an entry leads to."""
    return [
        pick.version
        for pick in resolve(parse_entry(text), TOY, project="toy", **limits)  # type: ignore[arg-type]
    ]


@pytest.mark.parametrize(
    ("entry", "versions"),
    [
        ("1.0.1", ["1.0.1"]),
        ("1.1", ["1.1.0"]),
        ("==1.1.1", ["1.1.1"]),
        ("latest", ["2.0.0"]),
        (">=1.0,<1.1", ["1.0.1"]),
        ("~=1.0", ["1.1.0"]),
        ("==1.*", ["1.1.0"]),
        (">=2.1.0rc1", ["2.1.0rc1"]),
        ("2.0.0a1", ["2.0.0a1"]),
        ("latest-minors:1", ["2.0.0"]),
        ("latest-minors:2", ["2.0.0", "1.1.0"]),
        ("latest-minors:9", ["2.0.0", "1.1.0", "1.0.1"]),
    ],
)
def test_an_entry_leads_to_its_newest_releases(entry: str, versions: list[str]) -> None:
    """Open entries take the newest release that is neither yanked nor an unasked pre-release."""
    assert picked(entry) == versions


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "neither"), ("newest", "neither"), ("latest-minors:", "neither"), ("1.x", "neither")],
)
def test_what_is_no_entry_is_refused(text: str, words: str) -> None:
    """A text that is none of the four kinds is a mistake, whatever it looks like."""
    with pytest.raises(ValueError, match=words):
        parse_entry(text)


def test_a_yanked_release_runs_if_it_is_named(tmp_path: object) -> None:
    """An exact entry takes a yanked release, with the reason it was yanked for."""
    (pick,) = resolve(parse_entry("1.1.1"), TOY, project="toy")
    assert pick.release is not None
    assert (pick.release.yanked, pick.impossible) == ("lost the data", None)


def test_an_open_entry_says_what_it_passed_over() -> None:
    """A yanked release that would have been the newest is named, with its reason."""
    (pick,) = resolve(parse_entry("<2"), TOY, project="toy")
    assert pick.version == "1.1.0"
    assert pick.notes == ("1.1.1 is yanked (lost the data) and was passed over by <2",)


def test_a_release_that_does_not_exist_is_told_apart() -> None:
    """No release is picked, and the reason names the newest there is."""
    (pick,) = resolve(parse_entry("9.9.9"), TOY, project="toy")
    assert pick.impossible == "toy has no release 9.9.9; the newest is 2.1.0rc1"
    (pick,) = resolve(parse_entry(">=9"), TOY, project="toy")
    assert pick.impossible == "no release of toy fits '>=9'; the newest is 2.1.0rc1"
    (pick,) = resolve(parse_entry("latest"), (), project="toy")
    assert pick.impossible == "no release of toy fits 'latest'"


def test_a_cut_off_hides_what_came_later() -> None:
    """An open entry with a date means the newest release of that day."""
    assert picked("latest", cut_off=day("2026-02-15")) == ["1.1.0"]
    assert picked("latest-minors:2", cut_off=day("2026-02-05")) == ["1.1.0", "1.0.1"]
    assert picked("latest", cut_off=day("2026-01-05")) == ["1.0.0"]
    (pick,) = resolve(parse_entry("2.0.0"), TOY, project="toy", cut_off=day("2026-02-15"))
    assert pick.impossible == (
        "toy 2.0.0 came on 2026-03-01, after the cut-off 2026-02-15 00:00 UTC"
    )


@pytest.mark.parametrize(
    ("needs", "python", "full", "reason"),
    [
        (">=3.11", "3.10", None, "needs >= 3.11"),
        (">=3.11", "3.10", "3.10.13", "needs >= 3.11"),
        (">=3.11", "3.11", None, None),
        (">=3.9,<3.13", "3.13", "3.13.0", "needs >= 3.9, < 3.13"),
        (">=3.13.1", "3.13", None, None),
        (">=3.13.1", "3.13", "3.13.0", "needs >= 3.13.1, this is 3.13.0"),
        (">=3.13", "3.13", "3.13.0rc1", "needs >= 3.13, this is 3.13.0rc1"),
        ("<4", "3.13", "3.13.0", None),
        ("", "3.10", None, None),
        ("whatever", "3.10", None, None),
    ],
)
def test_a_python_is_supported_or_the_reason_is_said(
    needs: str, python: str, full: str | None, reason: str | None
) -> None:
    """Requires-Python decides, for the interpreter that is there or for any patch release."""
    assert supports(release("1.0", python=needs), python, full) == reason


def test_the_index_is_the_one_that_uv_and_pip_use() -> None:
    """The variables of uv come before those of pip; a name before the address is dropped."""
    assert index_url({}) == PYPI_SIMPLE_ENDPOINT
    assert index_url({"PIP_INDEX_URL": "https://p/simple"}) == "https://p/simple"
    both = {"PIP_INDEX_URL": "https://p/simple", "UV_INDEX_URL": "https://u/simple?a=b"}
    assert index_url(both) == "https://u/simple?a=b"
    assert index_url({**both, "UV_DEFAULT_INDEX": "inner=https://d/simple"}) == "https://d/simple"


def test_uv_is_told_what_only_pip_knows(tmp_path: object) -> None:
    """An index or a certificate bundle that is named for pip alone holds for uv as well."""
    assert uv_settings({"PIP_INDEX_URL": "https://p/"}) == {"UV_DEFAULT_INDEX": "https://p/"}
    assert uv_settings({"PIP_INDEX_URL": "https://p/", "UV_INDEX_URL": "https://u/"}) == {}
    assert uv_settings({"PIP_CERT": __file__}) == {"SSL_CERT_FILE": __file__}
    assert uv_settings({"PIP_CERT": __file__, "SSL_CERT_FILE": "/other"}) == {}


class _Simple(http.server.BaseHTTPRequestHandler):
    """A small index: ``toy`` as JSON, ``old`` as HTML without upload times, nothing else."""

    def do_GET(self) -> None:
        kinds = {
            "/simple/toy/": ("application/vnd.pypi.simple.v1+json", json.dumps(PAGE)),
            "/simple/old/": (
                "text/html",
                '<a href="old-1.0.tar.gz" data-yanked="">old-1.0.tar.gz</a>',
            ),
            "/simple/bad/": ("application/vnd.pypi.simple.v1+json", "{"),
        }
        kind, text = kinds.get(self.path, ("", ""))
        self.send_response(200 if kind else 404)
        self.send_header("Content-Type", kind or "text/plain")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _file(name: str, uploaded: str, yanked: object = False) -> dict[str, object]:
    return {
        "filename": name,
        "url": name,
        "hashes": {},
        "requires-python": ">=3.9",
        "yanked": yanked,
        "upload-time": uploaded,
    }


PAGE = {
    "meta": {"api-version": "1.1"},
    "name": "toy",
    "versions": ["1.0", "1.1", "1.2"],
    "files": [
        _file("toy-1.10.tar.gz", "2026-03-01T10:00:00.000Z", "broken"),
        _file("toy-1.9-py3-none-any.whl", "2026-02-01T10:00:00.000Z"),
        _file("toy-1.9.tar.gz", "2026-02-01T10:00:05.500Z", "only the archive"),
        _file("toy-2024.not.a.version-oops.tar.gz", "2026-02-01T10:00:00.000Z"),
    ],
}


@pytest.fixture
def served() -> Iterator[str]:
    """The address of the small index."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Simple)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple"
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_index_tells_uploads_and_yanks(served: str) -> None:
    """Releases come in the order of versions, with first and last upload, and yanked as a whole."""
    nine, ten = OnlineIndex({"UV_DEFAULT_INDEX": served}).releases("toy")
    assert (nine.version, ten.version) == ("1.9", "1.10")
    assert nine.first_upload == day("2026-02-01T10:00:00")
    assert nine.last_upload == day("2026-02-01T10:00:05.500000")
    assert (nine.yanked, ten.yanked) == (None, "broken")
    assert nine.requires_python == ">=3.9"


def test_an_index_without_upload_times_will_do(served: str) -> None:
    """An index that answers in HTML gives releases whose times are unknown."""
    (old,) = OnlineIndex({"PIP_INDEX_URL": served}).releases("old")
    assert (old.version, old.yanked, old.last_upload) == ("1.0", "", None)


def test_what_the_index_cannot_say_is_one_clear_error(served: str) -> None:
    """No such project, nonsense, nobody there, and no network wanted: each names what was asked."""
    with pytest.raises(NoSuchProject, match="has no project 'nobody'"):
        OnlineIndex({"UV_DEFAULT_INDEX": served}).releases("nobody")
    with pytest.raises(PlugpullError, match="releases of bad cannot be looked up"):
        OnlineIndex({"UV_DEFAULT_INDEX": served}).releases("bad")
    with pytest.raises(PlugpullError, match="releases of toy cannot be looked up at http://host"):
        OnlineIndex({"UV_DEFAULT_INDEX": "http://me:secret@host.invalid/simple"}).releases("toy")
    with pytest.raises(PlugpullError, match="UV_OFFLINE is set"):
        OnlineIndex({"UV_OFFLINE": "1"}).releases("toy")


def test_a_password_is_not_shown(served: str) -> None:
    """Credentials in the index's address appear in no error."""
    with pytest.raises(PlugpullError) as raised:
        OnlineIndex({"UV_DEFAULT_INDEX": "http://me:secret@127.0.0.1:9/simple"}).releases("toy")
    assert "secret" not in str(raised.value)


def test_the_real_index_knows_what_the_matrix_needs() -> None:
    """The public index, asked for real: yanked with its reason, missing, and supported Pythons."""
    index = OnlineIndex()
    try:
        known = {one.version: one for one in index.releases("langgraph")}
        agents = {one.version for one in index.releases("openai-agents")}
        slim = {one.version: one for one in index.releases("pydantic-ai-slim")}
    except NoSuchProject:
        raise
    except PlugpullError as error:
        pytest.skip(f"no index: {error.what}")
    assert known["1.2.3"].yanked == "unintended merging strategy regression"
    assert known["1.2.11"].last_upload is not None
    assert known["1.2.11"].last_upload.date().isoformat() == "2026-08-11"
    assert {"0.6.11", "1.0.10", "1.2.11"} <= set(known)
    assert {"0.22.0", "0.22.2", "0.23.1"} <= agents
    assert "0.23.0" not in agents
    assert supports(slim["2.43.0"], "3.10") is None
    assert supports(slim["2.66.0"], "3.10") == "needs >= 3.11"


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("majors", ["2.0.0", "1.1.0"]),
        ("majors:<2", ["1.1.0"]),
        ("lowest", ["1.0.0"]),
        ("lowest:>=1.0.1", ["1.0.1"]),
        ("pre:latest", ["2.1.0rc1"]),
        ("pre:latest-minors:2", ["2.1.0rc1", "2.0.0"]),
        ("pre:<2.0", ["1.1.0"]),
        ("pre:lowest:>=2.0.0a0", ["2.0.0a1"]),
    ],
)
def test_an_entry_may_ask_for_more_than_the_newest(text: str, versions: list[str]) -> None:
    """One of each major, the oldest of all, and pre-releases where they are asked for."""
    assert [pick.version for pick in resolve(parse_entry(text), TOY, project="toy")] == versions


def test_the_lowest_is_one_that_can_be_asked_something() -> None:
    """A release from before anything that the target answers says nothing about the framework."""
    entry = parse_entry("lowest")
    [pick] = resolve(entry, TOY, project="toy", answered=[">=2.0", ">=1.0.1"])
    assert pick.version == "1.0.1"
    [pick] = resolve(parse_entry("lowest:>1.0.1,<2"), TOY, project="toy", answered=[">=1.1.1"])
    assert pick.impossible is not None
    assert pick.notes == (
        "1.1.1 is yanked (lost the data) and was passed over by lowest:>1.0.1,<2",
    )


@pytest.mark.parametrize(
    "text", ["pre:1.0", "pre:pre:latest", "pre:./clone", "majors:1.0", "lowest:"]
)
def test_what_is_asked_for_twice_or_never_is_refused(text: str) -> None:
    """Pre-releases of one exact version, a range that is a version, an empty range."""
    with pytest.raises(ValueError, match=r"open entry|range|neither a version"):
        parse_entry(text)
