"""LangChain agents: middleware that compresses what the model is sent. Needs `tersely[langchain-agents]`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import tersely
from tersely.errors import BudgetExceededError, MissingExtraError
from tersely.memory import CompactedMessages, compact_messages
from tersely.providers.counters import resolve_counter

try:
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, ToolMessage
    from langchain_core.utils.function_calling import convert_to_openai_tool
except ImportError as error:
    raise MissingExtraError("langchain", "langchain-agents") from error

__all__ = ["TerselyMiddleware"]


class TerselyMiddleware(AgentMiddleware):
    """Compresses each request to the model; the agent's state, and so its history, stays whole.

    First the results of tools: one of more than `tool_budget` tokens is compressed as what it is (a log,
    JSON, code...), with regard to the question that the agent was at when the tool was called. So it is sent
    in the same bytes on every turn, and a provider's prompt cache holds. `response_metadata["tersely"]` of
    the message says what was kept of it.

    Then the whole: where system prompt, messages and tools are more than `budget` tokens, older messages are
    folded (`tersely.memory.compact_messages`); a call and its results stay or go together.
    """

    def __init__(
        self,
        budget: int | None = None,
        *,
        tool_budget: int | None = 2000,
        keep_last: int = 0,
        counter: Any = None,
        strategy: Any = "auto",
        report: Callable[[CompactedMessages], object] | None = None,
    ) -> None:
        """Say how long a request may be.

        Args:
            budget: tokens of the whole request; None: any number.
            tool_budget: tokens of the text of one result of a tool; None: any number.
            keep_last: so many of the newest messages are never folded.
            counter, strategy: as in `tersely.compress`; the strategy is for results of tools.
            report: called with what became of each message, where messages were folded.

        A call of the model raises BudgetExceededError where what must stay does not fit into the budget.
        """
        super().__init__()
        for name, value in (("budget", budget), ("tool_budget", tool_budget)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
                raise ValueError(f"{name} must be a whole number from 1, or None, not {value!r}")
        self.budget = budget
        self.tool_budget = tool_budget
        self.keep_last = keep_last
        self.counter = resolve_counter(counter)
        self.strategy = strategy
        self.report = report

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Send a shorter request."""
        return handler(self._compressed(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """The same."""
        return await handler(self._compressed(request))

    def _compressed(self, request: ModelRequest) -> ModelRequest:
        messages = self._shorter_results(request.messages)
        if self.budget is not None:
            system = getattr(request, "system_message", None)  # langchain 1.0 has the text alone
            if system is None and request.system_prompt:
                system = SystemMessage(request.system_prompt)
            found = compact_messages(
                messages if system is None else [system, *messages],
                budget=self.budget,
                counter=self.counter,
                tools=[convert_to_openai_tool(tool) for tool in request.tools],
                keep_last=self.keep_last,
            )
            messages = [message for message in found.messages if message is not system]
            if self.report is not None and found.tokens < found.original_tokens:
                self.report(found)
        return request.override(messages=messages)

    def _shorter_results(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """The messages; long results of tools are replaced by shorter copies."""
        question: str | None = None
        sent: list[AnyMessage] = []
        for message in messages:
            if isinstance(message, HumanMessage):
                question = str(message.text)
            sent.append(self._shorter(message, question) if isinstance(message, ToolMessage) else message)
        return sent

    def _shorter(self, message: ToolMessage, question: str | None) -> ToolMessage:
        text, limit = message.content, self.tool_budget
        if limit is None or not isinstance(text, str) or self.counter.count(text) <= limit:
            return message
        try:
            result = tersely.compress(
                text, question, budget=limit, counter=self.counter, strategy=self.strategy
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
