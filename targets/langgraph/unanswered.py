"""Calls that nobody answered, because the process died in them.

A model refuses a conversation with such a call. One of the ways out that LangGraph names is to give
each an answer before the conversation goes on:
https://docs.langchain.com/oss/python/langgraph/errors/INVALID_CHAT_HISTORY
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage, ToolMessage


def answers_for_unanswered(state: Any) -> list[ToolMessage]:
    """An answer for each call of the stored conversation that has none."""
    said = (state.values or {}).get("messages", [])
    answered = {one.tool_call_id for one in said if isinstance(one, ToolMessage)}
    return [
        ToolMessage("Interrupted; nobody knows how it ended.", tool_call_id=call["id"])
        for one in said
        if isinstance(one, AIMessage)
        for call in one.tool_calls
        if call["id"] not in answered
    ]
