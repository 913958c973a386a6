"""Middleware that compresses a LangChain agent's requests. Needs `tersely[langchain-agents]`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from tersely import checks
from tersely.agents.tool_results import ResultShortener, ToolResultCompressor
from tersely.errors import needs
from tersely.memory import Compactor
from tersely.memory.compaction import CompactedMessages
from tersely.models.counters import resolve_counter

with needs("langchain", "langchain-agents"):
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import AIMessage, SystemMessage
    from langchain_core.utils.function_calling import convert_to_openai_tool

__all__ = ["TerselyMiddleware"]


class TerselyMiddleware(AgentMiddleware):
    """Compresses each request to the model; the agent's state keeps the whole history.

    First, each tool result of more than `tool_budget` tokens is compressed by its content type (a log, JSON,
    code...), for the question that the agent worked on when it called the tool. So the result is sent in the
    same bytes on every turn, and a provider's prompt cache can be used.

    Then, if system prompt, messages and tools have more than `budget` tokens, older messages are compacted to
    half of it (`tersely.memory.Compactor`), and stay unchanged after that while the rest fits. A call and its
    results are kept or dropped together. What was sent on earlier turns follows from the history alone, so
    one middleware may serve many conversations, threads and restarts. O(calls of the model x messages), about
    a microsecond each.
    """

    def __init__(
        self,
        budget: int | None = None,
        *,
        tool_budget: int | None = 2000,
        counter: Any = None,
        report: Callable[[CompactedMessages], object] | None = None,
        **options: Any,
    ) -> None:
        """Say how long a request may be.

        Args:
            budget: tokens of the whole request; None: any number.
            tool_budget: tokens of the text of one result of a tool; None: any number.
            counter: as in `tersely.compress`.
            report: called with what became of each message, where messages were folded.
            options: for results of tools, as in `tersely.agents.compress_tool_result`.

        A call of the model raises BudgetExceededError if what must stay does not fit into the budget.
        """
        super().__init__()
        self.budget = None if budget is None else checks.whole_number(budget, "budget", least=1)
        self.counter = resolve_counter(counter)
        self.report = checks.callable_or_none(report, "report")
        self._results: ResultShortener | None = None
        if tool_budget is not None:
            checks.whole_number(tool_budget, "tool_budget", least=1)
            self._results = ResultShortener(
                ToolResultCompressor(tool_budget, counter=self.counter, **options)
            )

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Send a shorter request."""
        return handler(self._compress(request))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Send a shorter request, from an event loop."""
        return await handler(self._compress(request))

    def _compress(self, request: ModelRequest) -> ModelRequest:
        messages = list(request.messages)
        if self._results is not None:
            messages = self._results.shorten(messages)
        if self.budget is not None:
            system = getattr(request, "system_message", None)  # langchain 1.0 has the text alone
            if system is None and request.system_prompt:
                system = SystemMessage(request.system_prompt)
            history = messages if system is None else [system, *messages]
            tools = [convert_to_openai_tool(tool) for tool in request.tools]
            compactor = Compactor(self.budget, counter=self.counter, tools=tools)
            for end, message in enumerate(history):
                if isinstance(message, AIMessage):  # the model was asked with what is before it
                    compactor.compact(history[:end])
            found = compactor.compact(history)
            messages = [message for message in found.messages if message is not system]
            if self.report is not None and found.tokens < found.original_tokens:
                self.report(found)
        return request.override(messages=messages)
