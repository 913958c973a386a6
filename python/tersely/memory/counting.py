"""What messages cost: the texts that are sent, and what frames them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tersely.memory.messages import Entry
from tersely.protocols import BatchTokenCounter
from tersely.stages.count import count, count_batch
from tersely.tables import Int64s

__all__ = ["CALL_TOKENS", "MESSAGE_TOKENS", "REPLY_TOKENS", "count_entries", "count_tools"]

# What frames a message and the reply, as OpenAI counts chat messages (cookbook, "How to count tokens with
# tiktoken"): <|start|>role<|message|>...<|end|>, and the start of the reply. A call has a frame of its own.
MESSAGE_TOKENS = 3
REPLY_TOKENS = 3
CALL_TOKENS = 3


def count_entries(counter: BatchTokenCounter, entries: Sequence[Entry], picture_tokens: int = 0) -> Int64s:
    """int64[n]: tokens of each entry: frame, role, name, every text, calls, what is opaque, pictures.

    One batch of the counter. Raises ValueError as `count_batch` does.
    """
    texts: list[str] = []
    owner: list[int] = []
    for index, entry in enumerate(entries):
        parts = [entry.role, *(piece.text for piece in entry.pieces)]
        parts += [text for text in (entry.name, entry.opaque) if text]
        texts += parts
        owner += [index] * len(parts)
    totals = [MESSAGE_TOKENS + len(entry.calls) * CALL_TOKENS + entry.pictures * picture_tokens
              + bool(entry.name) for entry in entries]  # fmt: skip
    for index, tokens in zip(owner, count_batch(counter, texts).tolist(), strict=True):
        totals[index] += tokens
    return np.array(totals, dtype=np.int64)


def count_tools(counter: BatchTokenCounter, tools: Any) -> int:
    """Tokens of the tools' schemas, as compact JSON; 0 for None."""
    if not tools:
        return 0
    return count(counter, json.dumps(tools, ensure_ascii=False, separators=(",", ":"), default=str))
