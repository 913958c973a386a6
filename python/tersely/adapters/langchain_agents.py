"""LangChain agents: middleware that compresses what the model is sent. Needs `tersely[langchain-agents]`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import tersely
from tersely.errors import BudgetExceededError, MissingExtraError
from tersely.providers.counters import resolve_counter

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
except ImportError as error:
    raise MissingExtraError("langchain", "langchain-agents") from error

__all__ = ["TerselyMiddleware"]


class TerselyMiddleware(AgentMiddleware):
    """Compresses long results of tools in each request to the model; the state keeps the originals.

    A result of more than `tool_budget` tokens is compressed as what it is (a log, JSON, code...), with regard
    to the question that the agent was at when the tool was called. So a message is sent in the same form on
    every turn, and a provider's prompt cache holds. `response_metadata["tersely"]` of the message says from
    how many tokens to how many, and what was kept. Everything else is sent as it is.
    """

    def __init__(self, tool_budget: int = 2000, *, counter: Any = None, strategy: Any = "auto") -> None:
        """Say how long the result of a tool may be.

        Args:
            tool_budget: tokens of the text of one result.
            counter, strategy: as in `tersely.compress`.
        """
        super().__init__()
        if isinstance(tool_budget, bool) or not isinstance(tool_budget, int) or tool_budget < 1:
            raise ValueError(f"tool_budget must be a whole number from 1, not {tool_budget!r}")
        self.tool_budget = tool_budget
        self.counter = resolve_counter(counter)
        self.strategy = strategy

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Send the request with shorter messages."""
        return handler(request.override(messages=self.compress_messages(request.messages)))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """The same."""
        return await handler(request.override(messages=self.compress_messages(request.messages)))

    def compress_messages(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """The messages as they are sent; those that change are copies."""
        question: str | None = None
        sent: list[AnyMessage] = []
        for message in messages:
            if isinstance(message, HumanMessage):
                question = str(message.text)
            sent.append(self._shorter(message, question) if isinstance(message, ToolMessage) else message)
        return sent

    def _shorter(self, message: ToolMessage, question: str | None) -> ToolMessage:
        text = message.content
        if not isinstance(text, str) or self.counter.count(text) <= self.tool_budget:
            return message
        try:
            result = tersely.compress(
                text, question, budget=self.tool_budget, counter=self.counter, strategy=self.strategy
            )
        except BudgetExceededError as error:
            told: dict[str, Any] = {"not_compressed": str(error)}
        else:
            text = result.text
            told = {"tokens": result.tokens, "original_tokens": result.original_tokens}
            told["spans"] = [[span.start, span.end] for span in result.kept]
            told["warnings"] = list(result.receipt.warnings)
        metadata = {**message.response_metadata, "tersely": told}
        return message.model_copy(update={"content": text, "response_metadata": metadata})
