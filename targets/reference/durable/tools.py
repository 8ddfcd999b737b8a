"""The tools. Each may be called again with the same key, and must then come to the same end.

A tool gets its step's input, the outputs of the steps that are done, by index, and its key:
``TASK-STEP``, the same for every attempt. A service with idempotency keys would be sent that key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from durable.artifacts import append_unsafely, publish
from durable.settings import Settings

__all__ = ["OtherTool", "Report", "Tool", "Toolbox", "unreported"]

Json = dict[str, Any]
Tool = Callable[[Json, Mapping[int, Json], str], Json]
Report = Callable[[str, "str | None"], None]
"""A call to a service: the name of what is wanted, and the key that is sent, if one is."""

#: Lines that the summarizer without a model keeps.
_SUMMARY_LINES = 3
#: Seconds a local model may take.
_MODEL_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class OtherTool:
    """A tool that an application brings along.

    Attributes:
        needs: The names of what it is given, all of them and no other.
        call: The tool.
    """

    needs: frozenset[str]
    call: Tool


def unreported(effect: str, key: str | None) -> None:
    """There is no service; what a tool does, it does here."""
    del effect, key


class Toolbox:
    """The tools of one run.

    Args:
        settings: The run's.
        report: Called by each tool before anything else, as the call to its service.
        others: Tools that an application brings along, by their names.
    """

    def __init__(
        self,
        settings: Settings,
        report: Report = unreported,
        others: Mapping[str, OtherTool] = MappingProxyType({}),
    ) -> None:
        self._settings = settings
        self._report = report
        self._tools: dict[str, Tool] = {
            "fetch": self.fetch,
            "summarize": self.summarize,
            "write_artifact": self.write_artifact,
            **{name: other.call for name, other in others.items()},
        }

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def fetch(self, given: Json, outputs: Mapping[int, Json], key: str) -> Json:
        """Read the notes."""
        del outputs
        self._report("read_notes", key)
        text = Path(given["path"]).read_text(encoding="utf-8")
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        return {"chars": len(text), "sha256": digest, "text": text}

    def summarize(self, given: Json, outputs: Mapping[int, Json], key: str) -> Json:
        """Say the notes in three lines.

        A model says it in other words each time. That does no harm: only the words that were
        stored are ever used, and once they are, no model is asked again.
        """
        self._report("ask_model", key)
        text: str = outputs[given["from"]]["text"]
        if self._settings.model is not None:
            return {"summary": self._ask_model(self._settings.model, text), "engine": "ollama"}
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return {"summary": "\n".join(lines[:_SUMMARY_LINES]), "engine": "stub"}

    def write_artifact(self, given: Json, outputs: Mapping[int, Json], key: str) -> Json:
        """Publish the summary: the one step that changes the world."""
        summary: str = outputs[given["from"]]["summary"]
        if self._settings.unsafe_effects:
            self._report("publish_report", None)
            log = append_unsafely(self._settings.artifacts, summary)
            return {"path": str(log), "deduplicated": False}
        self._report("publish_report", key)
        artifact, there_before = publish(self._settings.artifacts, key, summary)
        return {"path": str(artifact), "deduplicated": there_before}

    def _ask_model(self, model: str, text: str) -> str:
        # It takes as long to import as everything else together, and is hardly ever asked for.
        import urllib.request  # noqa: PLC0415

        prompt = f"Say in three short lines what these notes say.\n\n{text}"
        body = json.dumps({"model": model, "prompt": prompt, "stream": False})
        request = urllib.request.Request(  # noqa: S310 - the user's own server
            f"{self._settings.model_url.rstrip('/')}/api/generate",
            data=body.encode("utf-8"),
            headers={"Content-Type": "application/json"},
        )
        # The server is the user's own: a proxy that the environment names is not on the way to it.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=_MODEL_SECONDS) as answer:
            return str(json.load(answer)["response"]).strip()
