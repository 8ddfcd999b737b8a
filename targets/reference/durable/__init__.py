"""A small agent that survives being killed at any moment, in the standard library alone.

One SQLite database holds a task, its plan, the outputs of its steps, and a journal of what was done
to them. A step that a crash interrupted is run again, so every tool has to be safe to repeat.

:mod:`durable.loop` is where to begin reading.
"""

from __future__ import annotations
