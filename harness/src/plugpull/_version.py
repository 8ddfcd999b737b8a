"""The harness's version: recorded in every result."""

__version__ = "0.0.1"
