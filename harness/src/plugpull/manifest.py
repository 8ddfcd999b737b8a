"""Reading the manifests of targets: what the harness knows of a framework, as data.

``targets/NAME/target.json``. JSON, because the harness reads it inside a cell, where Python 3.10
has no TOML and nothing may be installed. The keys are described in docs/add-a-target.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plugpull.errors import UsageError
from plugpull.guide import GUIDE, parse_guide
from plugpull.manifest_fields import (
    GAP_KEYS,
    MANIFEST_KEYS,
    MANIFEST_NEEDED,
    NEED_KEYS,
    SERVICE_KEYS,
    VARIANT_KEYS,
    Fields,
)
from plugpull.needs import NEEDS, Need
from plugpull.notes import CONDITIONS, Note, wrong_value
from plugpull.scenarios import SCENARIOS
from plugpull.scenarios.changed_world import WORLDS, ChangedWorld
from plugpull.services.spec import PORT_NAME, READY_WITHIN, ServiceSpec
from plugpull.target import Manifest, NotSupported, Variant
from plugpull.target_folders import MANIFEST

__all__ = ["read_manifest"]


def read_manifest(folder: Path) -> Manifest:
    """Read and check one target's manifest.

    Raises:
        UsageError: It is missing or wrong; the message names the file and the key.
    """
    path = folder / MANIFEST
    try:
        data = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_without_doubles)
    except OSError as error:
        raise UsageError(
            f"there is no target in {folder}",
            why=f"{path} cannot be read: {error.strerror or error}",
            then="docs/add-a-target.md shows what a target is made of",
        ) from error
    except ValueError as error:
        raise UsageError(
            f"{path} is not the JSON of a manifest: {error}",
            then="docs/add-a-target.md shows what a target is made of",
        ) from error
    return _Reader(path).manifest(data)


class _Reader(Fields):
    """Takes a manifest apart."""

    def manifest(self, data: Any) -> Manifest:
        top = self._object(data, "the manifest", MANIFEST_KEYS, MANIFEST_NEEDED)
        program = self._path.parent / self._text(top, "program")
        if not program.is_file():
            self._fail("program", f"{program} is not there")
        scenarios = {
            self._scenario(name, "scenarios"): self._range(
                self._object(rule, f"scenarios.{name}", {"versions"}),
                "versions",
                f"scenarios.{name}",
            )
            for name, rule in self._mapping(top, "scenarios").items()
        }
        return Manifest(
            folder=self._path.parent,
            name=self._text(top, "name"),
            title=self._text(top, "title"),
            distribution=self._text(top, "distribution"),
            module=self._text(top, "import"),
            program=program,
            variants=self._variants(top, scenarios),
            scenarios=scenarios,
            companions=self._texts(top, "companions"),
            preload=self._texts(top, "preload"),
            environment=self._settings(top, "env"),
            documentation=tuple(
                self._documentation(entry, f"documentation[{number}]")
                for number, entry in enumerate(self._list(top, "documentation"))
            ),
            not_supported=tuple(
                self._gap(entry, f"not_supported[{number}]")
                for number, entry in enumerate(self._list(top, "not_supported"))
            ),
            refusals=tuple(
                self._pattern(text, "refusals") for text in self._texts(top, "refusals")
            ),
            notes=tuple(
                self._note(entry, f"notes[{number}]")
                for number, entry in enumerate(self._list(top, "notes"))
            ),
            worlds=self._worlds(top, scenarios),
            ignore=self._texts(top, "ignore"),
            inspects=self._flag(top, "inspect", default=True),
            service=self._service(top["service"]) if "service" in top else None,
            needs=tuple(
                self._need(entry, f"needs[{number}]")
                for number, entry in enumerate(self._list(top, "needs"))
            ),
            guide=parse_guide(top[GUIDE], self._fail) if GUIDE in top else None,
        )

    def _service(self, data: Any) -> ServiceSpec:
        entry = self._object(data, "service", SERVICE_KEYS, {"program", "remedy"})
        program = self._own_program(entry, "service")
        ports = self._texts(entry, "ports", "service")
        for name in ports:
            if not PORT_NAME.fullmatch(name) or ports.count(name) > 1:
                self._fail("service.ports", f"{name!r} is no name, or there twice: a-z, 0-9 and _")
        seconds = entry.get("ready_within", READY_WITHIN)
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
            self._fail("service.ready_within", f"it has to be seconds, not {seconds!r}")
        return ServiceSpec(
            program=program or self._path,
            ports=ports,
            ready_within=float(seconds),
            remedy=self._text(entry, "remedy", "service"),
            environment=self._settings(entry, "env", "service"),
        )

    def _need(self, data: Any, place: str) -> Need:
        entry = self._object(data, place, {*NEEDS, *NEED_KEYS}, {"remedy"})
        named = [name for name in NEEDS if name in entry]
        if len(named) != 1:
            self._fail(place, f'it names one of {", ".join(NEEDS)}, as in {{"sqlite": ">=3.42"}}')
        return Need(
            of=named[0],
            versions=self._range(entry, named[0], place),
            remedy=self._text(entry, "remedy", place),
            framework=self._range(entry, "versions", place),
            instead=self._text_or_none(entry, "instead", place),
        )

    def _worlds(
        self, top: dict[str, Any], scenarios: Mapping[str, str]
    ) -> dict[str, re.Pattern[str]]:
        worlds = {
            name: self._pattern(text, f"worlds.{name}")
            for name, text in self._settings(top, "worlds").items()
        }
        if unknown := set(worlds) - set(WORLDS):
            self._fail("worlds", f"unknown world {min(unknown)!r}; there are {', '.join(WORLDS)}")
        if ChangedWorld.name in scenarios and not worlds:
            self._fail("worlds", f"{ChangedWorld.name} is answered, and there is no world")
        return worlds

    def _variants(self, top: dict[str, Any], scenarios: Mapping[str, str]) -> tuple[Variant, ...]:
        variants = tuple(
            self._variant(entry, f"variants[{number}]", scenarios)
            for number, entry in enumerate(self._list(top, "variants"))
        )
        if not variants:
            self._fail("variants", "there has to be at least one")
        names = [variant.name for variant in variants]
        if doubles := {name for name in names if names.count(name) > 1}:
            self._fail("variants", f"two are called {min(doubles)!r}")
        return variants

    def _variant(self, data: Any, place: str, scenarios: Mapping[str, str]) -> Variant:
        entry = self._object(data, place, VARIANT_KEYS, {"name"})
        answered = self._texts(entry, "scenarios", place)
        if unknown := set(answered) - set(scenarios):
            self._fail(
                f"{place}.scenarios", f"{min(unknown)!r} is not among the target's scenarios"
            )
        name = self._text(entry, "name", place)
        if "/" in name:
            self._fail(f"{place}.name", "a slash separates the parts of an id")
        return Variant(
            name=name,
            label=self._text(entry, "label", place) if entry.get("label", "") != "" else "",
            environment=self._settings(entry, "env", place),
            scenarios=answered,
            versions=self._range(entry, "versions", place),
            timing_dependent=self._flag(entry, "timing_dependent", place, default=False),
            expect=self._settings(entry, "expect", place),
            program=self._own_program(entry, place),
            inspects=(
                self._flag(entry, "inspect", place, default=True) if "inspect" in entry else None
            ),
        )

    def _own_program(self, entry: dict[str, Any], place: str) -> Path | None:
        name = self._text_or_none(entry, "program", place)
        if name is None:
            return None
        program = self._path.parent / name
        if not program.is_file():
            self._fail(f"{place}.program", f"{program} is not there")
        return program

    def _documentation(self, data: Any, place: str) -> tuple[str, str]:
        entry = self._object(data, place, {"about", "link"}, {"about", "link"})
        return self._text(entry, "about", place), self._text(entry, "link", place)

    def _gap(self, data: Any, place: str) -> NotSupported:
        entry = self._object(data, place, GAP_KEYS, {"scenario", "reason", "link"})
        scenario = self._scenario(self._text(entry, "scenario", place), f"{place}.scenario")
        point = self._text_or_none(entry, "kill_point", place)
        points = SCENARIOS[scenario].fault_points
        if point is not None and point not in points:
            self._fail(
                f"{place}.kill_point", f"{scenario} has no {point!r}; it has {', '.join(points)}"
            )
        return NotSupported(
            scenario=scenario,
            reason=self._text(entry, "reason", place),
            link=self._text(entry, "link", place),
            variant=self._text_or_none(entry, "variant", place),
            versions=self._range(entry, "versions", place),
            absent=self._text_or_none(entry, "absent", place),
            kill_point=point,
        )

    def _note(self, data: Any, place: str) -> Note:
        entry = self._object(data, place, {"when", "text", "link"}, {"when", "text", "link"})
        when = self._mapping(entry, "when", place)
        for name, wanted in when.items():
            if name not in CONDITIONS:
                self._fail(
                    f"{place}.when",
                    f"unknown condition {name!r}; there are {', '.join(CONDITIONS)}",
                )
            if problem := wrong_value(name, wanted):
                self._fail(f"{place}.when.{name}", problem)
        return Note(
            when=when,
            text=self._text(entry, "text", place),
            link=self._text(entry, "link", place),
        )

    def _scenario(self, name: str, place: str) -> str:
        if name not in SCENARIOS:
            self._fail(place, f"there is no scenario {name!r}; there are {', '.join(SCENARIOS)}")
        return name


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON keeps the last of two equal keys and says nothing."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            msg = f"the key {key!r} is there twice"
            raise ValueError(msg)
        found[key] = value
    return found
