"""Shorten tool results in requests of a pydantic-ai agent. Needs `tersely[pydantic-ai]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tersely.agents.tool_results import BUDGET, ResultShortener, ToolResultCompressor
from tersely.errors import needs

with needs("pydantic-ai-slim", "pydantic-ai"):
    from pydantic_ai.messages import ModelMessage, ModelRequest, ToolCallPart, ToolReturnPart, UserPromptPart

__all__ = ["shorten_history"]


def shorten_history(
    budget: int = BUDGET, **options: Any
) -> Callable[[list[ModelMessage]], list[ModelMessage]]:
    """Make a history processor that shortens results of tools.

        Agent(model, capabilities=[ProcessHistory(shorten_history(2000))])

    A result is sent in the same bytes on every turn, so that a provider's cache holds. What cannot be
    shortened is sent as it is.

    Args:
        budget, options: as in `tersely.agents.compress_tool_result`, but for query, name and arguments, which
            the history says.
    """
    results = ResultShortener(ToolResultCompressor(budget, **options))

    def shorten(messages: list[ModelMessage]) -> list[ModelMessage]:
        question = ""
        arguments: dict[str, Any] = {}
        sent: list[ModelMessage] = []
        for message in messages:
            if not isinstance(message, ModelRequest):
                calls = (part for part in message.parts if isinstance(part, ToolCallPart))
                arguments |= {part.tool_call_id: part.args for part in calls}
                sent.append(message)
                continue
            parts: list[Any] = []
            for part in message.parts:
                if isinstance(part, UserPromptPart) and isinstance(part.content, str):
                    question = part.content
                if isinstance(part, ToolReturnPart):
                    given = arguments.get(part.tool_call_id)
                    parts.append(results.shorten_one(part, question, part.tool_name, given))
                else:
                    parts.append(part)
            same = all(one is other for one, other in zip(parts, message.parts, strict=True))
            sent.append(message if same else replace(message, parts=parts))
        return sent

    return shorten
