"""The fake language model: it asks for a charge, and thanks when that is done.

Like a real model it never says the same thing twice: each call has a new id, and everything new
wording. A model of one's own: https://docs.crewai.com/en/learn/custom-llm
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from crewai import BaseLLM
from plugpull import fault


class ShopModel(BaseLLM):
    """Asks for ``charge_card`` until there is an answer to that."""

    def call(self, messages: str | list[Any], *_arguments: Any, **_named: Any) -> str:
        """The model's next words; a call is JSON, which the flow reads.

        Raises:
            ConnectionError: The provider cannot be reached.
            ValueError: It does not take these messages.
        """
        roles = [message["role"] for message in messages if isinstance(message, dict)]
        if roles not in (["user"], ["user", "assistant", "tool"]):
            error = "400: an assistant message with tool calls must be followed by tool messages"
            raise ValueError(error)
        said = uuid.uuid4().hex[:8]
        if roles[-1] == "tool":
            fault("model:after-tool")
            return f"Your card was charged. Thank you! ({said})"
        fault("model:first")
        wish = {"tool": "charge_card", "amount": 42, "memo": f"order 42, {said}"}
        return json.dumps({"id": f"call_{uuid.uuid4().hex}", **wish})
