"""What a target's runs stand on: its conditions, and the server that it needs.

Where that is missing there is no verdict, but an ERROR that says what to do about it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from plugpull.facts import Installed
from plugpull.needs import unmet
from plugpull.scenarios.base import NotUsable
from plugpull.services.running import Service, ServiceFailure
from plugpull.stderr_tail import last_words
from plugpull.target import Manifest

__all__ = ["Ground", "Obstacle", "ground_for"]


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stands in the way of every run.

    Attributes:
        stage: How far it came: ``preflight``, ``import`` or ``service``.
        detail: One sentence for people.
        words: What was said, in full.
    """

    stage: str
    detail: str
    words: str

    @classmethod
    def of_service(cls, failure: ServiceFailure) -> Obstacle:
        """A server that did not start."""
        said = last_words(failure.why)
        parts = [failure.what, *([said] if said else [])]
        remedy = f" ({failure.then})" if failure.then else ""
        return cls("service", ": ".join(parts) + remedy, failure.why)


@dataclass(frozen=True, slots=True)
class Ground:
    """What there is for the runs of a target.

    Attributes:
        service: Its server, running; ``None`` where it needs none.
        obstacle: Why nothing can run; ``None`` where it can.
        facts: For the cell's record. More come to be known by the end.
    """

    service: Service | None = None
    obstacle: Obstacle | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def variables(self) -> Mapping[str, str]:
        """What tells each process where the server is."""
        return self.service.variables if self.service else {}

    @property
    def pids(self) -> frozenset[int]:
        """The server, while it runs."""
        pid = self.service.pid if self.service else None
        return frozenset() if pid is None else frozenset({pid})

    def gone(self) -> NotUsable | None:
        """That the server has ended: nothing can be judged by what comes of that."""
        said = self.service.ended() if self.service else None
        return NotUsable(said, {"stage": "service"}) if said else None


@contextlib.contextmanager
def ground_for(manifest: Manifest, installed: Installed, *, needed: bool) -> Iterator[Ground]:
    """What there is for a target's runs; its server runs until the context is left.

    Args:
        manifest: The target's.
        installed: What is installed of the framework.
        needed: Whether anything is to run at all.
    """
    obstacle = _find_obstacle(manifest, installed)
    if obstacle is not None or manifest.service is None or not needed:
        yield Ground(obstacle=obstacle)
        return
    service = Service(manifest.name, manifest.service)
    facts = {"service": service.facts}
    try:
        service.start()
    except ServiceFailure as failure:
        yield Ground(obstacle=Obstacle.of_service(failure), facts=facts)
        return
    try:
        yield Ground(service, facts=facts)
    finally:
        service.stop()


def _find_obstacle(manifest: Manifest, installed: Installed) -> Obstacle | None:
    """What is known before anything runs: a condition that is not met, a broken installation."""
    need = unmet(manifest.needs, installed.version)
    if need is not None:
        return Obstacle("preflight", f"{manifest.name} cannot run here: {need}", need)
    if installed.problem is not None:
        lines = installed.problem.strip().splitlines()
        last = lines[-1] if lines else "no reason was given"
        detail = f"the framework cannot be imported: {last}"
        return Obstacle("import", detail, installed.problem)
    return None
