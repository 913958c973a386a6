"""Middleware that compresses a LangChain agent's requests. Needs `tersely[langchain-agents]`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from tersely import checks
from tersely.cache import BoundedCache, digest_of
from tersely.engine.api import compress_in
from tersely.engine.reading import count_batch
from tersely.errors import BudgetExceededError, needs
from tersely.memory import Compactor
from tersely.memory.compaction import CompactedMessages
from tersely.memory.messages import read_result
from tersely.memory.writing import with_texts
from tersely.models.counters import resolve_counter
from tersely.types import Frame

with needs("langchain", "langchain-agents"):
    from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
    from langchain_core.utils.function_calling import convert_to_openai_tool

__all__ = ["TerselyMiddleware"]

_CACHE_BYTES = 16 * 2**20  # of results that were made shorter: a history comes again on every turn


class TerselyMiddleware(AgentMiddleware):
    """Compresses each request to the model; the agent's state keeps the whole history.

    First, each tool result of more than `tool_budget` tokens is compressed by its content type (a log, JSON,
    code...), for the question that the agent worked on when it called the tool. So the result is sent in the
    same bytes on every turn, and a provider's prompt cache can be used. `response_metadata["tersely"]` of the
    message says what was kept: "spans" are [start, end], or [block, start, end] if a result has several
    blocks of text.

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
        strategy: Any = "auto",
        report: Callable[[CompactedMessages], object] | None = None,
    ) -> None:
        """Say how long a request may be.

        Args:
            budget: tokens of the whole request; None: any number.
            tool_budget: tokens of the text of one result of a tool; None: any number.
            counter, strategy: as in `tersely.compress`; the strategy is for results of tools.
            report: called with what became of each message, where messages were folded.

        A call of the model raises BudgetExceededError if what must stay does not fit into the budget.
        """
        super().__init__()
        for name, value in (("budget", budget), ("tool_budget", tool_budget)):
            if value is not None:
                checks.whole_number(value, name, least=1)
        self.budget = budget
        self.tool_budget = tool_budget
        self.counter = resolve_counter(counter)
        self.strategy = strategy
        self.report = checks.callable_or_none(report, "report")
        self._made: BoundedCache[tuple[Sequence[str], dict[str, Any]]] = BoundedCache(_CACHE_BYTES)

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
        messages = self._shorten_results(request.messages)
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

    def _shorten_results(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Replace long results of tools by shorter copies."""
        question: str | None = None
        sent: list[AnyMessage] = []
        for message in messages:
            if isinstance(message, HumanMessage):
                question = str(message.text)
            sent.append(self._shorten(message, question) if isinstance(message, ToolMessage) else message)
        return sent

    def _shorten(self, message: ToolMessage, question: str | None) -> ToolMessage:
        limit = self.tool_budget
        if limit is None:
            return message
        pieces = [piece for piece in read_result(message).pieces if piece.kind == "result"]
        texts = [piece.text for piece in pieces]
        key = digest_of([question or "", *texts])
        made = self._made.get(key)
        if made is None:
            made = self._make(texts, question, limit)
            self._made.put(
                key, made, sum(4 * len(part) for part in made[0]) + 100 * len(made[1].get("spans", ()))
            )
        parts, note = made
        if not note:
            return message
        metadata = {**message.response_metadata, "tersely": dict(note)}
        short = with_texts(message, dict(zip([piece.path for piece in pieces], parts, strict=True)))
        content = short.content
        if isinstance(content, list):  # models refuse blocks of text that are empty
            gone = {piece.path[1] for piece, part in zip(pieces, parts, strict=True) if not part}
            content = [block for number, block in enumerate(content) if number not in gone]
        return short.model_copy(update={"content": content, "response_metadata": metadata})

    def _make(
        self, texts: Sequence[str], question: str | None, limit: int
    ) -> tuple[Sequence[str], dict[str, Any]]:
        """Compress texts: the shorter texts, and a note; an empty note: they were short enough."""
        original = int(count_batch(self.counter, texts).sum())
        if original <= limit:
            return (), {}
        try:
            result = compress_in(
                Frame(apart=True),
                texts,
                question,
                budget=limit,
                counter=self.counter,
                strategy=self.strategy,
            )
        except BudgetExceededError as error:
            return texts, {"not_compressed": str(error)}
        tokens = int(count_batch(self.counter, list(filter(None, result.parts))).sum())
        several = len(texts) > 1
        return result.parts, {
            "tokens": tokens,
            "original_tokens": original,
            "spans": [[span.document, span.start, span.end][not several :] for span in result.kept],
            "warnings": list(result.receipt.warnings),
        }
