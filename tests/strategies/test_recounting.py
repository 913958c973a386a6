"""Counts of edited texts, made of the counts before: the same as those of the texts alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tersely.protocols import BatchTokenCounter
from tersely.providers.counters import CharacterCounter, resolve_counter
from tersely.providers.toktok import ENCODINGS, ToktokCounter
from tersely.stages.count import count
from tersely.strategies.recounting import _ADDITIVE, recount

PIECES = (
    *(
        "we",
        "We",
        "WE",
        "don't",
        "'s",
        "'LL",
        "'",
        "I'd",
        "a",
        "Zug",
        "über",
        "e\u0301",
        "\u0301",
        "İ",
        "ß",
        "中文",
    ),
    *(
        "ー",
        "ไทย",
        "𝐀",
        "👩‍🔬",
        "12",
        "3456",
        "1,000.5",
        "²",
        "_",
        "--",
        "...",
        "/",
        "://",
        "<|endoftext|>",
        "#",
    ),
    *(" ", " ", " ", "  ", "\t", "\n", "\n\n", "\r\n", " \n", "\u00a0", "\u2003", "\u200b", "\x00", "\u1680"),
)
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.text(max_size=20))
LONG = "The council met on Friday. " * 8


@pytest.mark.parametrize("name", sorted(_ADDITIVE))
@given(before=TEXTS, after=TEXTS)
@example("don't", "s it")
@example("e", "\u0301 a")
def test_x19_counts_add_up_before_a_space_between_letters(name: str, before: str, after: str) -> None:
    counter = ToktokCounter(name)
    for letter in ("a", "s", "Z"):
        one, other = before + letter, " " + letter + after
        assert count(counter, one + other) == count(counter, one) + count(counter, other)


@pytest.mark.parametrize("name", [*ENCODINGS, "chars/4"])
@given(head=TEXTS, old=TEXTS, new=TEXTS, tail=TEXTS, around=st.booleans())
def test_x19_recounted_is_counted(name: str, head: str, old: str, new: str, tail: str, around: bool) -> None:
    counter = resolve_counter(name)
    if around:
        head, tail = LONG + head, tail + LONG
    before, text = head + old + tail, head + new + tail
    assert recount(counter, text, before, count(counter, before)) == count(counter, text)
    assert recount(counter, head, before, count(counter, before)) == count(counter, head)


class _Recorder:
    """Counts characters, and remembers of which texts."""

    name = "o200k_base"  # a name says nothing

    def __init__(self) -> None:
        self.counted: list[str] = []

    def count(self, text: str) -> int:
        return len(text)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        self.counted += texts
        return [len(text) for text in texts]


def test_x19_only_known_counters_count_parts() -> None:
    counter = _Recorder()
    assert isinstance(counter, BatchTokenCounter)
    assert recount(counter, LONG + "now", LONG, 7) == len(LONG) + 3
    assert counter.counted == [LONG + "now"]
    assert recount(CharacterCounter(), LONG + "now", LONG, 7) == -(-(len(LONG) + 3) // 4)


def test_x19_the_known_count_is_what_is_built_upon() -> None:
    counter = ToktokCounter()
    right = count(counter, LONG)
    assert recount(counter, LONG, LONG, right) == right
    assert recount(counter, LONG + "Now.", LONG, right + 1000) == count(counter, LONG + "Now.") + 1000
