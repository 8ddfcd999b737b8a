"""What is checked: the framework, and where the version of it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.checkouts import CHECKOUT
from plugpull.matrix.declaration import undeclared
from plugpull.matrix.declared import Rule
from plugpull.matrix.manifests import HARNESS
from plugpull.matrix.references import GIT, PATH, Reference, parse_reference
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from plugpull.matrix.check_options import CheckOptions
    from plugpull.matrix.declared import Declaration, Framework

__all__ = ["framework_of", "head_of"]


def framework_of(options: CheckOptions, declaration: Declaration, targets: Path) -> Framework:
    """The framework that is asked for, as far as this check is about it.

    Raises:
        UsageError: There is none, or it cannot be checked like that.
    """
    frameworks = {framework.name: framework for framework in declaration.frameworks}
    by_distribution = {f.target.distribution: name for name, f in frameworks.items()}
    name = by_distribution.get(options.framework, options.framework)
    if name not in frameworks and not (targets / name / "target.json").is_file():
        known = ", ".join(frameworks)
        raise UsageError(
            f"there is no framework {name}", then=suggestion(name, frameworks) or f"known: {known}"
        )
    framework = frameworks.get(name) or undeclared(name, declaration, targets)
    if framework.target.distribution == HARNESS:
        raise UsageError(f"{name} comes with the harness: no other version of it can be checked")
    for python in options.matrix.python:
        if python not in framework.pythons:
            raise UsageError(
                f"--python {python}: {name} is not declared for it",
                then=f"it is declared for: {', '.join(framework.pythons)}",
            )
    own = [rule for rule in framework.rules if not rule.versions]
    rules = [rule for rule in framework.rules if rule.versions]
    extra = Rule("", tuple(_member(text) for text in options.members))
    chosen = [p for p in framework.pythons if p in (options.matrix.python or framework.pythons)]
    return replace(framework, pythons=tuple(chosen), rules=(*own, extra, *rules))


def _member(text: str) -> str:
    name, at, folder = (part.strip() for part in text.partition("@"))
    if not (name and at and folder):
        raise UsageError(f"--with {text}: write it as NAME@DIR", then="for example core@libs/core")
    return f"{name} @ {CHECKOUT}{folder}"


def head_of(options: CheckOptions, framework: Framework) -> Reference:
    """What is checked, as a reference.

    Raises:
        UsageError: It cannot be told.
    """
    declared = framework.repository
    if options.wheel is not None:
        return _parsed("--wheel", options.wheel, options)
    if options.path is not None:
        path = Path(options.path).expanduser()
        text = str(path if path.is_absolute() else options.cwd / path)
        folder = options.subdirectory
        if folder is None and declared and (Path(text) / declared.subdirectory).is_dir():
            folder = declared.subdirectory
        return replace(_parsed("--path", text, options), subdirectory=folder or "")
    ref = options.ref or ""
    if options.repo is not None:
        main, _, fragment = options.repo.partition("#")
        text = f"git+{main}@{ref}{'#' + fragment if fragment else ''}"
        found = _parsed("--repo and --ref", text, options)
        folder = found.subdirectory or (declared.subdirectory if declared else "")
        found = replace(found, subdirectory=folder)
    elif declared is not None:
        _parsed("--ref", f"git+https://host/name@{ref}", options)
        found = declared.at(ref)
    else:
        raise UsageError(
            f"nobody says where the repository of {framework.name} is",
            then=f'add --repo URL, or repository = "URL" to [framework.{framework.name}]',
        )
    return replace(found, subdirectory=options.subdirectory or found.subdirectory)


def _parsed(option: str, text: str, options: CheckOptions) -> Reference:
    try:
        found = parse_reference(text, options.cwd)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
    wanted = {"--path": {PATH}, "--wheel": {"wheel", "sdist"}}.get(option, {GIT})
    if found is None or found.kind not in wanted:
        what = {"--path": "a folder", "--wheel": "a wheel (.whl) or an sdist"}.get(option, "a ref")
        raise UsageError(f"{option} {text}: this is not {what}")
    return found
