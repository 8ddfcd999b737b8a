"""A module beside a target's program."""

ANSWER = 42
