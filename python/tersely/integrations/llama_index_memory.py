"""A memory block that keeps excerpts of messages dropped by LlamaIndex. Needs `tersely[llama-index]`."""

from __future__ import annotations

import asyncio
from typing import Any

import tersely
from tersely.engine.reading import count
from tersely.errors import BudgetExceededError, needs
from tersely.memory import compact_messages
from tersely.memory.groups import REPLY_TOKENS
from tersely.models.counters import resolve_counter

with needs("llama-index-core", "llama-index"):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.memory import BaseMemoryBlock

__all__ = ["TerselyMemoryBlock"]


class TerselyMemoryBlock(BaseMemoryBlock):
    """Keeps the messages that `Memory` drops, and gives back what fits (`tersely.memory.compact_messages`).

    The newest messages are given whole; of older ones, what they state: paths, identifiers, numbers, errors.
    `history` has all messages unshortened. "[image]" and the like stand for pictures.
    """

    name: str = "Earlier"
    #: with `counter`: the most tokens that `aget` gives back, counted as in `tersely.compress`. If not even
    #: the frame of a history fits, `aget` raises BudgetExceededError; if no message fits, it gives nothing.
    budget: int = 2000
    counter: Any = None
    #: role and content of every message that was put here, the oldest first
    history: list[dict[str, str]] = Field(default_factory=list)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        return await asyncio.to_thread(self._told)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        self.history.extend(_entry(message) for message in messages)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return the content with so many fewer tokens; None if nothing would be left."""
        budget = count(resolve_counter(self.counter), content) - tokens_to_truncate
        try:
            return tersely.compress(content, budget=max(budget, 0), counter=self.counter).text
        except BudgetExceededError:
            return None

    def _told(self) -> str:
        counter, room = resolve_counter(self.counter), self.budget
        while True:  # once, but for counters that count a whole higher than its parts
            try:
                found = compact_messages(self.history, budget=room, counter=counter)
            except BudgetExceededError:
                if self.budget <= REPLY_TOKENS:  # the frame of a history
                    raise
                return ""
            text = "\n\n".join(f"{message['role']}: {message['content']}" for message in found.messages)
            over = count(counter, text) - self.budget
            if over <= 0:
                return text
            room = max(room - over, room // 2)


def _entry(message: ChatMessage) -> dict[str, str]:
    """Return role and text; earlier instructions are told like everything else."""
    role = str(message.role.value)
    texts = [_text_of(block) for block in message.blocks]
    if calls := message.additional_kwargs.get("tool_calls"):
        texts.append(str(calls))
    if role in ("system", "developer"):
        return {"role": "user", "content": "\n".join([f"({role})", *texts])}
    return {"role": role, "content": "\n".join(texts)}


def _text_of(block: Any) -> str:
    if block.block_type == "tool_call":
        return f"{block.tool_name} {block.tool_kwargs}"
    text = getattr(block, "text", None)
    return text if isinstance(text, str) else f"[{block.block_type}]"
