"""What a model reads at once: all of a text, or parts that its window holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tersely.stages.count import count_batch
from tersely.stages.render import render
from tersely.strategies.prompt import compression_prompt
from tersely.tables import Int64s

if TYPE_CHECKING:
    from tersely.strategies.writing import Writing

__all__ = ["Part", "split"]

_REWRITTEN = 2


@dataclass(frozen=True, slots=True)
class Part:
    """A text to compress, and the tokens that its reply may have."""

    text: str
    target: int


def split(task: Writing, room: int) -> list[Part] | str:
    """The parts of what the model reads, with shares of `room` tokens in proportion to theirs.

    One part where its prompt is within the limit. Else as few as filling them in order gives, cut between
    blocks, and between segments where one block is too long. A reason code where that cannot be: "no_room",
    "prompt_too_long" (one segment, or nothing but the frame, is over the limit).
    """
    if room < 1:
        return "no_room"
    rows = np.flatnonzero(task.status == _REWRITTEN)
    whole = _text(task, rows)
    limit = task.max_prompt_tokens
    if limit is None or task.tokens(_prompt(task, whole)) <= limit:
        return [Part(whole, room)]
    texts = [_text(task, group) for group in _filled(task, rows, limit)]
    if any(task.tokens(_prompt(task, text)) > limit for text in texts):
        return "prompt_too_long"
    gaps = task.tokens(task.request.separator) * (len(texts) - 1)
    tokens = count_batch(task.request.counter, texts)
    shares = ((room - gaps) * tokens // max(int(tokens.sum()), 1)).tolist()
    if min(shares) < 1:
        return "no_room"
    return [Part(text, share) for text, share in zip(texts, shares, strict=True)]


def _filled(task: Writing, rows: Int64s, limit: int) -> list[Int64s]:
    """Rows by part: blocks in order, a new part where the next one would not fit."""
    space = limit - task.tokens(_prompt(task, ""))
    units: list[Int64s] = []
    for block in np.split(rows, np.flatnonzero(np.diff(task.table.block[rows])) + 1):
        units += [block] if task.tokens(_text(task, block)) <= space else np.split(block, len(block))
    costs = count_batch(task.request.counter, [task.request.separator + _text(task, unit) for unit in units])
    parts: list[list[Int64s]] = []
    used = space
    for unit, cost in zip(units, costs.tolist(), strict=True):
        if used + cost > space:
            parts.append([])
            used = 0
        parts[-1].append(unit)
        used += cost
    return [np.concatenate(part) for part in parts]


def _text(task: Writing, rows: Int64s) -> str:
    return render(task.texts, task.table, rows, task.request.separator)


def _prompt(task: Writing, text: str) -> str:
    return compression_prompt(
        text, task.budget, query=task.query, preserve=task.preserve, refused="it had 1000000 tokens"
    )
