"""plugpull: pull the plug on an AI agent in the middle of a run, and see what breaks.

An agent under test needs one name from here, :func:`record_effect`.
"""

from plugpull._version import __version__
from plugpull.effects import record_effect

__all__ = ["__version__", "record_effect"]
