"""With a model: stored words are never asked for again, others are. The model here is a toy."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from agent_bench import TASK, Bench


class Model:
    """Speaks as Ollama does, says something else each time, and counts."""

    def __init__(self) -> None:
        self.asked: list[dict[str, object]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                model.asked.append({"path": self.path, **json.loads(body)})
                answer = json.dumps({"response": f" wording {len(model.asked)}\n"}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)

    @property
    def settings(self) -> dict[str, str]:
        """What makes the agent ask it; a proxy is not to be asked instead."""
        return {
            "AGENT_LLM": "ollama",
            "OLLAMA_MODEL": "toy",
            "OLLAMA_URL": f"http://127.0.0.1:{self.server.server_port}/",
            "http_proxy": "http://127.0.0.1:9",
        }


@pytest.fixture
def model() -> Iterator[Model]:
    """A model that listens."""
    model = Model()
    thread = threading.Thread(target=model.server.serve_forever, args=(0.01,))
    thread.start()
    yield model
    model.server.shutdown()
    thread.join()
    model.server.server_close()


@pytest.mark.parametrize(
    ("point", "times"), [("before_effect", 1), ("after_effect", 2), ("after_commit", 1)]
)
def test_how_often_the_model_is_asked(bench: Bench, model: Model, point: str, times: int) -> None:
    """Once, unless the process died between the answer and its commit; one wording is published."""
    lab = bench.created()
    assert lab.run(AGENT_CRASH_AT=f"{point}:1", **model.settings).returncode < 0
    ended = lab.run(**model.settings)
    assert ended.returncode == 0, ended.stderr
    assert len(model.asked) == times
    assert model.asked[0]["path"] == "/api/generate"
    assert model.asked[0]["model"] == "toy"
    assert lab.output(1) == {"summary": f"wording {times}", "engine": "ollama"}
    assert lab.artifacts() == {f"{TASK}-2.md": f"wording {times}"}


def test_no_model_is_asked_unless_it_is_wanted(bench: Bench, model: Model) -> None:
    """An address alone asks nobody."""
    lab = bench.created()
    assert lab.run(OLLAMA_URL=model.settings["OLLAMA_URL"]).returncode == 0
    assert model.asked == []


def test_a_model_that_is_not_there(bench: Bench, model: Model) -> None:
    """It is a tool that raises: tried again, then the task fails, and says why."""
    lab = bench.created()
    settings = {**model.settings, "OLLAMA_URL": "http://127.0.0.1:9"}
    assert lab.run(AGENT_MAX_ATTEMPTS="1", **settings).returncode == 2
    errors = [data["error"] for kind, _, _, data in lab.events() if kind == "step_error"]
    assert len(errors) == 1
    assert "refused" in errors[0]
