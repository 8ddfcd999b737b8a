"""``python -m plugpull``: the same as the ``plugpull`` command."""

from plugpull.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
