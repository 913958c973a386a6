"""Summarize chunks with a language model, for callers who ask for it; summaries are cached."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from tersely.core import checks
from tersely.core.cache import BoundedCache
from tersely.providers.counters import resolve_counter
from tersely.providers.flows import Flow, one_model, run_flow, run_flow_async
from tersely.providers.language_models import resolve_language_model
from tersely.search.chunks import ChunkResult
from tersely.write.checks import unsupported_facts
from tersely.write.flow import Task, ask
from tersely.write.prompt import Prompt

__all__ = ["ChunkSummarizer", "ChunkSummary"]

_TEMPLATE = (
    "Summarize the following content in {target} words, preserving key facts relevant to: {query}\n"
    "{rules}\n\n{content}"
)
_CHARACTERS = resolve_counter(len)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSummary:
    """The summary of a chunk, or the chunk itself.

    Attributes:
        chunk_id: of the chunk; its content can be had there again.
        content: what the model wrote; the chunk's own content where `summary` is False.
        summary: whether a model wrote `content`.
        unsupported: numbers, names and the like that the model wrote and the chunk lacks.
        fallback_reason: why there is no summary, as of a `Reply` (write/flow.py): "model_failed",
            "empty_reply", "reply_truncated", "reply_too_long" (no shorter than the chunk); None: there is.
    """

    chunk_id: str
    content: str
    summary: bool
    unsupported: tuple[str, ...] = ()
    fallback_reason: str | None = None


class ChunkSummarizer:
    """Summarizes chunks for a query with a model; where it fails, the chunk itself is returned."""

    def __init__(self, model: Any = None, cache: int = 8 * 2**20, *, llm: Any = None) -> None:
        """`model`, or `llm`: see `resolve_language_model`; `cache`: bytes of summaries to keep."""
        self._model = resolve_language_model(one_model(model=model, llm=llm))
        self._cache: BoundedCache[ChunkSummary] = BoundedCache(checks.whole_number(cache, "cache"))

    def summarize(self, chunk: ChunkResult, query: str, target_length: int) -> ChunkSummary:
        """Summarize the chunk in about `target_length` words, for a query. A failing model raises nothing.

        Raises ValueError for a target length under 1, TypeError for one that is no whole number.
        """
        return run_flow(self._summary(chunk, query, target_length), self._model, 1)

    async def asummarize(self, chunk: ChunkResult, query: str, target_length: int) -> ChunkSummary:
        """As `summarize`; the model is asked in the caller's event loop where it has `acomplete`."""
        return await run_flow_async(self._summary(chunk, query, target_length), self._model, 1)

    def _summary(self, chunk: ChunkResult, query: str, target_length: int) -> Flow[ChunkSummary]:
        target_length = checks.whole_number(target_length, "target_length", least=1)
        limit = max(len(chunk.content) - 1, 1)
        prompt = Prompt(_TEMPLATE, query)
        task = Task(chunk.content, prompt, limit, _CHARACTERS, unit="characters", target=target_length)
        key_text = f"{chunk.chunk_id}\0{prompt.fill(chunk.content, target_length)}"
        key = hashlib.sha256(key_text.encode()).digest()
        if (known := self._cache.get(key)) is not None:
            return known
        (reply,) = yield from ask([task])
        if reply.reason is not None:
            return ChunkSummary(
                chunk_id=chunk.chunk_id, content=chunk.content, summary=False, fallback_reason=reply.reason
            )
        made_up = unsupported_facts([chunk.content], reply.text)
        made = ChunkSummary(chunk_id=chunk.chunk_id, content=reply.text, summary=True, unsupported=made_up)
        self._cache.put(key, made, 4 * len(made.content))
        return made
