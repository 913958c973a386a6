"""Promises 1 and 2 over random texts, budgets, options and counters that no tokenizer resembles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import odd_counters
import pytest
import tersely
from hypothesis import example, given, strategies as st
from sample_texts import GUIDE, prose
from tersely import BudgetExceededError, Extractive
from tersely.engine.finish import broken_promises
from tersely.models.counters import resolve_counter
from tersely.types import Level, Request
from text_strategies import some_texts
from typed_samples import SAMPLES


class Halves:
    """A pruner that keeps every other segment of a window."""

    def prune(self, query: str, segments: Sequence[str]) -> list[float]:
        return [at % 2 for at in range(len(segments))]


counters = st.sampled_from([*odd_counters.ALL, "o200k_base"])
separators = st.sampled_from(["\n\n", "", " ", "\n---\n", "é…", "separator " * 5])
strategies = st.builds(
    Extractive,
    level=st.sampled_from(list(Level)),
    scoring=st.sampled_from(["auto", "relevance", "centrality", "lead"]),
    redundancy=st.sampled_from([None, 0.0, 0.3, 1.0]),
    context=st.integers(0, 2),
    preserve_structure=st.booleans(),
    window=st.integers(1, 30),
    pruner=st.sampled_from([None, None, Halves()]),
)


def as_function(counter: Any) -> Callable[[str], int]:
    return counter if callable(counter) else resolve_counter(counter).count


@given(some_texts, st.integers(0, 30), st.sampled_from(odd_counters.STEADY))
@example(["e" + "\u0301" * 60], 2, odd_counters.characters)
@example(["👍👍👍👍 one two three. a b c d e f g h i j k l."], 2, odd_counters.utf8_bytes)
def test_never_an_error_where_a_single_character_fits(
    documents: list[str], budget: int, counter: Callable[[str], int]
) -> None:
    table = tersely.segment(documents)
    starts = [documents[document][start] for document, start, _, _ in table]
    if not any(counter(character) <= budget for character in starts):
        return
    result = tersely.compress(documents, budget=budget, counter=counter)
    assert result.text
    assert counter(result.text) <= budget


@given(some_texts, counters, separators)
@example(["The rope.\r\n\r\n\tThe winch. "], odd_counters.words, "\n\n")
@example(["", " ", "\x00"], odd_counters.words, "\n\n")
def test_what_fits_is_not_touched(documents: list[str], counter: Any, separator: str) -> None:
    whole = separator.join(documents)
    budget = as_function(counter)(whole)
    result = tersely.compress(documents, "rope", budget=budget, counter=counter, separator=separator)
    assert result.text == whole
    assert {span.reason for span in result.kept} <= {"fits"}
    assert list(result.dropped) == []
    assert result.receipt.warnings == ()


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff\ufeff", "\ufeff \n"])
def test_a_byte_order_mark_stands_in_kept_or_dropped(kind: str, mark: str) -> None:
    text = mark + SAMPLES[kind]
    for documents in (text, [text, "The ferry is late. " * 9, text]):
        for ratio in (0.1, 0.4, 1.0):
            result = tersely.compress(documents, ratio=ratio)
            covered = {
                (span.document, place)
                for span in (*result.kept, *result.dropped)
                for place in range(span.start, min(span.end, 9))
            }
            for number, document in enumerate(result.documents):
                marks = [place for place, letter in enumerate(document.text[:9]) if letter == "\ufeff"]
                assert {(number, place) for place in marks} <= covered
            assert not broken_promises(result)


headed = st.lists(
    st.sampled_from(
        ["# Ropes\n\n", "## Hemp\n\n", "### Old hemp\n\n", "# Fog\n\n", "It rots. ", "It burns.\n\n", "Sea. "]
    ),
    min_size=1,
    max_size=14,
).map("".join)


@given(headed, st.integers(1, 40), st.sampled_from(odd_counters.ALL), strategies)
@example(GUIDE, 80, odd_counters.words, Extractive())
def test_headings_above_what_is_kept_are_kept(
    text: str, budget: int, counter: Any, strategy: Extractive
) -> None:
    strategy = replace(strategy, preserve_structure=True)
    try:
        result = tersely.compress(text, "hemp burns", budget=budget, counter=counter, strategy=strategy)
    except BudgetExceededError:
        return
    if len(result.kept) == 1:  # room for one segment only
        return
    table = tersely.segment(text, strategy.level, window=strategy.window)
    row_of = {start: row for row, start in enumerate(table.start.tolist())}
    kept = {row_of[span.start] for span in result.kept}
    assert {int(table.heading[row]) for row in kept} - {-1} <= kept


def replaced_receipt(result: tersely.Compressed, **changes: Any) -> tersely.Compressed:
    return replace(result, receipt=replace(result.receipt, **changes))


KEPT = tersely.compress([GUIDE, prose(20)], "copper fee", budget=150)
FIRST = KEPT.expand(KEPT.kept[0])
#: What breaks a promise of a result, and what is said of it.
BROKEN: dict[str, Callable[[tersely.Compressed], tersely.Compressed]] = {
    "151 tokens for a budget of 150": lambda made: replaced_receipt(made, tokens=151),
    "do not add up to": lambda made: replaced_receipt(made, reasons={"kept:selected": 1}),
    "1 segments, ": lambda made: replaced_receipt(made, segments=1),
    "kept spans do not ascend": lambda made: replace(made, kept=tuple(made.kept)[::-1]),
    "a dropped span is empty": lambda made: replace(
        made, dropped=(replace(made.dropped[0], end=made.dropped[0].start), *made.dropped[1:])
    ),
    "is in no span": lambda made: replace(made, dropped=tuple(made.dropped)[1:]),
    "spans overlap": lambda made: replace(made, dropped=(*made.dropped, made.kept[0])),
    "Nobody said that": lambda made: replace(made, text=f"{made.text} Nobody said that."),
    FIRST[:20]: lambda made: replace(made, text=made.text.replace(FIRST, "")),
    "1 parts of 2 documents": lambda made: replace(made, parts=made.parts[:1]),
    "is not in the text, in order": lambda made: replace(made, parts=made.parts[::-1]),
}


@pytest.mark.parametrize("said", BROKEN)
def test_a_broken_promise_is_found(said: str) -> None:
    """conftest.py has each result of the suite checked by this."""
    assert broken_promises(KEPT) == []
    assert any(said in one for one in broken_promises(BROKEN[said](KEPT))), broken_promises(
        BROKEN[said](KEPT)
    )


def test_a_pin_or_a_group_that_is_broken_is_found() -> None:
    request = Request(KEPT.documents, None, 150, 0.3, resolve_counter(None))
    out, there = KEPT.dropped[0], KEPT.kept[0]
    pinned = replace(request, pinned=((out.document, out.start, out.end),))
    assert any("pinned text" in one for one in broken_promises(KEPT, pinned))
    both = ((out.document, out.start, out.end), (there.document, there.start, there.end))
    assert any("is split" in one for one in broken_promises(KEPT, replace(request, groups=(both,))))
