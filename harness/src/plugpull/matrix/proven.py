"""The proof that what a cell measured is what was asked for.

A verdict counts for a version only if that version was imported. For a release that is its number.
What was built here may well have a release's number, so for that it is the imported file itself.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from plugpull.matrix.cells import Cell, Wheel
    from plugpull.matrix.results import CellFile

__all__ = ["not_proven"]


def not_proven(cell: Cell, environment: Path, measured: CellFile) -> str:
    """Why the measured version is not the one asked for; ``""`` if it is, or if none is proven.

    Args:
        cell: What was asked for.
        environment: The cell's folder.
        measured: What the harness reported.
    """
    proven = measured.text("version")
    if not proven:
        return ""
    wanted = cell.origin.version if cell.origin else cell.version
    try:
        same = Version(proven) == Version(wanted)
    except InvalidVersion:
        same = proven == wanted
    if not same:
        return f"{cell.framework} {wanted} was asked for, {proven} was imported"
    if cell.origin is None or measured.text("stage") == "import":
        return ""
    imported = measured.cell.get("imported")
    facts = imported if isinstance(imported, dict) else {}
    return _not_from(cell.resolution.wheels[0], environment, facts)


def _not_from(wheel: Wheel, environment: Path, imported: dict[str, Any]) -> str:
    """Why what a cell imported is not proven to be a wheel's; ``""`` if it is."""
    file, digest = imported.get("file"), imported.get("sha256")
    if not isinstance(file, str) or not isinstance(digest, str):
        return f"the harness does not say which file of {wheel.name} was imported"
    name = wheel.name.replace("-", "_")
    pattern = "lib/python*/site-packages/*.dist-info/direct_url.json"
    origins = [
        json.loads(path.read_text(encoding="utf-8")).get("url", "")
        for path in environment.glob(pattern)
        if canonicalize_name(path.parent.name.partition("-")[0]) == canonicalize_name(name)
    ]
    if [unquote(urlparse(url).path) for url in origins] != [str(Path(wheel.path).resolve())]:
        return f"{wheel.name} was installed from {', '.join(origins) or 'an index'}"
    with zipfile.ZipFile(wheel.path) as archive:
        for member in archive.namelist():
            if Path(file).as_posix().endswith(f"/site-packages/{member}"):
                if hashlib.sha256(archive.read(member)).hexdigest() == digest:
                    return ""
                return f"{file} is not the file that {Path(wheel.path).name} holds"
    return f"{file} is no file of {Path(wheel.path).name}"
