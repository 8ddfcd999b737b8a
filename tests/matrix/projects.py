"""Small packages that are built without a network, and repositories of them."""

from __future__ import annotations

from pathlib import Path

from branches import commit
from plugpull.matrix.git import git

__all__ = ["git", "make_project", "make_repository"]

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "{name}"
version = "{version}"
requires-python = ">=3.9"
"""

BACKEND = '''\
"""As small as a build backend can be."""
import base64, hashlib, io, tarfile, zipfile

NAME, VERSION, MODULE = "{name}", "{version}", "{module}"
STEM = NAME.replace("-", "_") + "-" + VERSION
METADATA = f"Metadata-Version: 2.1\\nName: {{NAME}}\\nVersion: {{VERSION}}\\n"
METADATA += "Requires-Python: >=3.9\\n"

def build_wheel(folder, config_settings=None, metadata_directory=None):
    files = {{
        f"{{MODULE}}.py": open(f"{{MODULE}}.py").read(),
        f"{{STEM}}.dist-info/METADATA": METADATA,
        f"{{STEM}}.dist-info/WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\n"
        "Generator: backend\\nTag: py3-none-any\\n",
    }}
    record = f"{{STEM}}.dist-info/RECORD"
    lines = []
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        lines.append(f"{{name}},sha256={{digest.decode()}},{{len(text.encode())}}")
    files[record] = "\\n".join([*lines, f"{{record}},,"]) + "\\n"
    with zipfile.ZipFile(f"{{folder}}/{{STEM}}-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), text)
    return f"{{STEM}}-py3-none-any.whl"

def build_sdist(folder, config_settings=None):
    with tarfile.open(f"{{folder}}/{{STEM}}.tar.gz", "w:gz") as sdist:
        for name in ("pyproject.toml", "backend.py", f"{{MODULE}}.py"):
            sdist.add(name, f"{{STEM}}/{{name}}")
        made = tarfile.TarInfo(f"{{STEM}}/PKG-INFO")
        made.size = len(METADATA)
        sdist.addfile(made, io.BytesIO(METADATA.encode()))
    return f"{{STEM}}.tar.gz"
'''


def make_project(
    folder: Path, name: str = "toy-slim", version: str = "1.0.1", code: str = "ANSWER = 1\n"
) -> Path:
    """A package of one module."""
    folder.mkdir(parents=True, exist_ok=True)
    module = name.replace("-", "_")
    values = {"name": name, "version": version, "module": module}
    (folder / "pyproject.toml").write_text(PYPROJECT.format(**values), encoding="utf-8")
    (folder / "backend.py").write_text(BACKEND.format(**values), encoding="utf-8")
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    return folder


def make_repository(folder: Path, **project: str) -> str:
    """A repository of one package, on the branch ``main``; its first commit."""
    make_project(folder, **project)
    git(["init", "--quiet", "--initial-branch", "main"], cwd=folder, doing="init")
    return commit(folder, "first")
