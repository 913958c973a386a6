"""Mentions found some messages at a time are those that are found at once."""

from __future__ import annotations

import numpy as np
from histories import pieces_of
from hypothesis import given, settings, strategies as st
from tersely.memory import mentions as notes
from tersely.memory.mentions import Mentions, Notes, find_mentions, join_mentions
from tersely.memory.messages import Entry

TEXTS = st.lists(
    st.text(max_size=60)
    | st.sampled_from(
        ["see src/a.py:12 and `load_rates` at 10:30", "ERROR İ: no such file /etc/x", '{"a": "v-17"}', "",
         "```\nx = 3\n```\nOPS-4711", "İİ FAILED", "a-1", "--"]
    ),
    max_size=12,
)  # fmt: skip


def same(one: Mentions, other: Mentions) -> bool:
    columns = ("document", "start", "end", "worth", "inner")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)


@settings(deadline=None)
@given(TEXTS, st.integers(0, 12), st.integers(0, 12))
def test_mentions_of_parts_are_those_of_the_whole(texts: list[str], cut: int, first: int) -> None:
    cut, first = min(cut, len(texts)), min(first, len(texts))
    parts = [
        (find_mentions(pieces_of(texts[:cut])), -first),
        (find_mentions(pieces_of(texts[cut:])), cut - first),
    ]
    assert same(join_mentions(parts), find_mentions(pieces_of(texts[first:])))


@settings(deadline=None)
@given(st.lists(TEXTS.map(lambda texts: texts[:3]), max_size=12), st.data())
def test_notes_of_a_history_that_grows(messages: list[list[str]], data: st.DataObject) -> None:
    entries = [Entry("user", tuple(pieces_of(texts))) for texts in messages]
    costs = [data.draw(st.sampled_from([5, notes._AT_ONCE])) for _ in entries]
    kept, first = Notes(), 0
    for length in range(len(entries) + 1):
        first = data.draw(st.integers(first, length))
        if data.draw(st.booleans()):
            kept.read(entries[:length], first, costs[:length])
        else:
            texts = [text for some in messages[first:length] for text in some]
            assert same(kept.since(entries[:length], first), find_mentions(pieces_of(texts)))
