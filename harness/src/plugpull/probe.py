"""Which version is really there: asked of the imported package, not of the request.

Run as a program, ``probe.py DISTRIBUTION FOLDER MODULE``, the way an agent in that folder is run.
It imports the module, looks whether the distribution's own list of files holds it, and writes what
it found to the file named by ``PLUGPULL_REPORTED``. A module that shadows the framework, or
metadata that a broken
installation left behind, is found out by that.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path
from urllib.parse import unquote, urlparse

__all__: list[str] = []


def _owns(installed: Distribution, file: Path) -> bool:
    # An editable installation lists a pointer to a source tree instead of the files (PEP 610).
    source = json.loads(installed.read_text("direct_url.json") or "{}")
    if source.get("dir_info", {}).get("editable"):
        return file.is_relative_to(Path(unquote(urlparse(source["url"]).path)).resolve())
    return any(
        Path(str(installed.locate_file(entry))).resolve() == file for entry in installed.files or ()
    )


def _main(name: str, folder: str, module_name: str) -> None:
    # What lies beside the agent comes first for the agent too, and our own modules do not.
    sys.path[0] = folder
    module = importlib.import_module(module_name)
    installed = distribution(name)
    origin = getattr(module, "__file__", None)
    if origin is None:
        sys.exit(f"{module_name} was imported and has no file: it is not a module of {name}")
    file = Path(origin).resolve()
    if not _owns(installed, file):
        sys.exit(
            f"{module_name} was imported from {file}, which is no file of the installed "
            f"{name} {installed.version}"
        )
    found = {"version": installed.version, "file": str(file)}
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    _main(*sys.argv[1:4])
