"""Publishing: how an artifact comes to be there once and whole, however often that is tried."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["append_unsafely", "publish"]


def publish(folder: Path, key: str, content: str) -> tuple[Path, bool]:
    """Make ``KEY.md`` appear in ``folder``, complete, unless it is there already.

    The name is given to a file that is finished. A file that is made under its own name could be
    found half-written by the next attempt, and be taken for the result.

    Args:
        folder: Where artifacts are; made if it is missing.
        key: The same for every attempt to publish the same thing.
        content: What is published.

    Returns:
        The artifact, and whether it was there before.

    Raises:
        FileExistsError: It is there with another content: some other task used this key.
    """
    folder.mkdir(parents=True, exist_ok=True)
    artifact = folder / f"{key}.md"
    # A crash may leave this one behind. Nobody takes it for an artifact, and the next attempt is
    # another process with another number.
    draft = folder / f".{key}.{os.getpid()}.tmp"
    with draft.open("w", encoding="utf-8") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    try:
        os.link(draft, artifact)
        there_before = False
    except FileExistsError:
        there_before = True
    finally:
        draft.unlink()
    if there_before:
        if artifact.read_text(encoding="utf-8") != content:
            raise FileExistsError(f"{artifact} holds something else than this task wrote")
    else:
        _sync_folder(folder)
    return artifact, there_before


def append_unsafely(folder: Path, content: str) -> Path:
    """Add an entry to ``report.log``: a repetition adds another.

    This is what most tools are like that were not made for a crash. Tests use it to prove that
    they would see a doubled effect.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "report.log"
    with log.open("a", encoding="utf-8") as stream:
        stream.write(f"{content}\n---\n")
    return log


def _sync_folder(folder: Path) -> None:
    """A power cut can take back a name that is only in memory; a process crash cannot."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
