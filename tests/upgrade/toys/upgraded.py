"""An agent on a made-up framework whose version is in TOY_VERSION; TOY says what it gets wrong.

Each kind is right under the version that saved the run, unless its name says otherwise.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

from plugpull import record_effect

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
KIND, VERSION, VERB = os.environ["TOY"], os.environ["TOY_VERSION"], sys.argv[-1]
SAVED = WORK / "saved.json"
ASKS = "PLUGPULL_APPROVAL" in os.environ


def history(entries: list[tuple[str, str | None]]) -> list[dict[str, str | None]]:
    """Entries as a report has them."""
    return [{"kind": kind, "id": identity} for kind, identity in entries]


def inspect(*, moved: bool) -> None:
    """Report what is stored."""
    entries: list[tuple[str, str | None]] = [("user", None), ("call", "one"), ("answer", "one")]
    if moved and KIND == "forgets-the-user":
        entries = entries[1:]
    if moved and KIND == "forgets-an-answer":
        entries = entries[:2]
    report = {"history": history(entries), "finished": (WORK / "finished").exists()}
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(report))


def charge(key: str | None = "order-42") -> None:
    """The effect of the tool."""
    record_effect("charge_card", key=key)


def go_wrong() -> None:
    """What happens under another version than the one that saved."""
    born = json.loads(SAVED.read_text())["version"]
    if KIND == "refuses":
        sys.exit(f"RefusedError: this run was saved by version {born}")
    if KIND == "refuses-too-late":
        charge()
        sys.exit(f"RefusedError: this run was saved by version {born}")
    if KIND == "mumbles":
        sys.exit("KeyError: 'pending'")
    if KIND == "says-it-and-goes-on":
        print(f"warning: this run was saved by version {born}", file=sys.stderr)
    if KIND == "is-killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if KIND == "hangs":
        time.sleep(600)
    if KIND in {"charges-again", "says-it-and-goes-on"}:
        charge(None)
    if KIND == "does-more":
        record_effect("send_mail")


def main() -> None:
    """Start, go on, approve or inspect."""
    if KIND == "cannot-run-2" and VERSION == "2.0":
        sys.exit("ImportError: no such module in 2.0")
    moved = SAVED.exists() and json.loads(SAVED.read_text())["version"] != VERSION
    if VERB == "inspect":
        inspect(moved=moved)
        return
    if VERB == "start":
        place = {"work": str(WORK)} if KIND == "needs-its-path" else {}
        SAVED.write_text(json.dumps({"version": VERSION, **place}))
        if ASKS and KIND != "does-not-wait":
            return
    elif KIND == "cannot-resume-at-all":
        sys.exit("TypeError: nobody can go on with this")
    elif KIND == "needs-its-path":
        Path(json.loads(SAVED.read_text())["work"], "saved.json").read_text()
    if moved:
        go_wrong()
    if not (moved and KIND == "leaves-it-out"):
        charge()
    if KIND == "does-more-in-2" and VERSION == "2.0":
        record_effect("send_mail", key="order-42")
    record_effect("finish_order", key="order-42")
    (WORK / "finished").touch()


if __name__ == "__main__":
    main()
