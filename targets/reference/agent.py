"""The reference agent's command: ``python agent.py [--db FILE] create|run|status|export ID``."""

from __future__ import annotations

import sys

from durable.cli import main

if __name__ == "__main__":
    sys.exit(main())
