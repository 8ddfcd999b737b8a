"""The agent's side of the provider: how a tool reports the effect it has on the outside world.

The protocol is small enough for any language (docs/run-your-own-agent.md): connect to the Unix
socket named by ``PLUGPULL_PROVIDER``, send one line of JSON, ``{"effect": NAME, "key": KEY}``, and
wait for one line of JSON back. A connection that closes without an answer is a call that failed.

A program that is not written in Python, a shell script say, may run this module instead::

    "$PLUGPULL_PYTHON" -m plugpull.effects charge_card --key order-42
"""

from __future__ import annotations

import argparse
import os
import sys

from plugpull.wire import call

__all__ = ["PROVIDER_VARIABLE", "record_effect"]

#: Environment variable that holds the path of the provider's socket.
PROVIDER_VARIABLE = "PLUGPULL_PROVIDER"


def record_effect(name: str, *, key: str | None = None) -> None:
    """Report one effect to the provider, where the tool would call the outside service.

    The provider counts as a payment service with idempotency keys would: two calls with the same
    name and the same key are one effect, the same key under two names is two effects, and every
    call without a key is a new effect.

    Args:
        name: What happens outside, for example ``"charge_card"``.
        key: The idempotency key that the tool sends along, if it sends one.

    Raises:
        KeyError: Outside plugpull, where ``PLUGPULL_PROVIDER`` is not set.
        ConnectionError: The provider closed the call without an answer.
        TypeError: ``name`` or ``key`` is not text.
        ValueError: The provider refused the call, for example because ``name`` is empty.
    """
    # Callers without types are common here; a number as a key would never match again.
    if not isinstance(name, str) or not (key is None or isinstance(key, str)):
        msg = f"record_effect takes text for name and key, not {name!r} and {key!r}"
        raise TypeError(msg)
    answer = call(os.environ[PROVIDER_VARIABLE], {"effect": name, "key": key})
    if "error" in answer:
        raise ValueError(answer["error"])


def main(arguments: list[str] | None = None) -> int:
    """Report one effect from the command line; exit status 0 once the provider has answered."""
    parser = argparse.ArgumentParser(
        prog="python -m plugpull.effects", description="Report one effect to plugpull's provider."
    )
    parser.add_argument("name", help="what happens outside, for example charge_card")
    parser.add_argument("--key", help="the idempotency key that is sent along")
    options = parser.parse_args(arguments)
    try:
        record_effect(options.name, key=options.key)
    except KeyError:
        print(f"{PROVIDER_VARIABLE} is not set: run the agent with plugpull", file=sys.stderr)
    except (OSError, ValueError) as error:
        print(f"the provider did not take the effect: {error}", file=sys.stderr)
    else:
        return 0
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
