"""What the native writers give: rows of text joined, and gaps filled, against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import _native
from tersely.engine.reading import count
from tersely.models.counters import TOKEN_TABLES, resolve_counter


def table_of(words: list[str], documents: list[int]) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Texts of words with a space between, and where each word stands; `documents` ascend."""
    texts = [""] * (max(documents) + 1)
    start, end = [], []
    for word, document in zip(words, documents, strict=True):
        texts[document] += " " if texts[document] else ""
        start.append(len(texts[document]))
        texts[document] += word
        end.append(len(texts[document]))
    places = (np.array(documents, np.int32), np.array(start, np.int64), np.array(end, np.int64))
    return (texts, *places)


@given(
    st.lists(st.tuples(st.text("aé…𝄞b", min_size=1, max_size=3), st.booleans(), st.booleans()), min_size=1)
)
def test_rows_that_follow_one_another_keep_the_gap_and_others_the_separator(
    units: list[tuple[str, bool, bool]],
) -> None:
    documents = np.cumsum([new for _, new, _ in units]).tolist()
    words = [word for word, _, _ in units]
    texts, document, start, end = table_of(words, documents)
    rows = [row for row, (_, _, kept) in enumerate(units) if kept]
    expected = [""] * len(texts)
    for place, row in enumerate(rows):
        before = expected[documents[row]]
        touches = place > 0 and rows[place - 1] == row - 1
        expected[documents[row]] = before + ((" " if touches else "|") if before else "") + words[row]
    found = _native.join_rows(texts, document, start, end, np.array(rows, np.int64), "|")
    assert found == expected
    text, status = "#".join(filter(None, expected)), np.array([2 * kept for _, _, kept in units], np.uint8)
    cost = np.arange(1, len(units) + 1)
    given = {"document": document, "start": start, "end": end, "score": cost.astype(np.float32), "cost": cost}
    for table, tokens in (None, -1), (TOKEN_TABLES["o200k_base"], count(resolve_counter(None), text)):
        choice = _native.Choice(**given, texts=texts, within="|", separator="#", counter=table)
        expected_all = (text, tuple(expected), len(rows), tokens, choice.tally(status))
        assert choice.write(status) == expected_all


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(1, 15)), min_size=1, max_size=14))
def test_short_gaps_beside_what_is_kept_are_filled(units: list[tuple[bool, bool, int]]) -> None:
    documents = np.cumsum([new for new, _, _ in units]).tolist()
    _, document, start, end = table_of(["x" * size for _, _, size in units], documents)
    kept = [chosen for _, chosen, _ in units]
    status = np.array(kept, np.uint8) * 2
    expected = status.copy()
    for row in range(len(units)):
        first = last = row
        while first > 0 and documents[first - 1] == documents[row] and kept[first - 1] == kept[row]:
            first -= 1
        while last + 1 < len(units) and documents[last + 1] == documents[row] and kept[last + 1] == kept[row]:
            last += 1
        alone = documents.count(documents[row]) == last - first + 1
        if not kept[row] and not alone and end[last] - start[first] <= 20:
            expected[row] = 2
    zeros = np.zeros(len(units))
    choice = _native.Choice(
        score=zeros.astype(np.float32),
        cost=zeros.astype(np.int64),
        document=document,
        fill=True,
        start=start,
        end=end,
    )
    assert choice.fill_gaps(status).tolist() == expected.tolist()


def test_what_does_not_fit_together_is_refused() -> None:
    document, places = np.zeros(2, np.int32), np.array([0, 2], np.int64)
    rows = np.array([1, 0], np.int64)
    with pytest.raises(ValueError, match="rows must ascend"):
        _native.join_rows(["a b"], document, places, places + 1, rows, "|")
    with pytest.raises(ValueError, match="without texts there is nothing to write"):
        _native.Choice(score=np.ones(1, np.float32), cost=places[:1], document=document[:1]).write(
            np.ones(1, np.uint8)
        )
    with pytest.raises(ValueError, match="document must lie"):
        _native.join_rows(["a b"], document + 1, places, places + 1, rows[::-1].copy(), "|")
    with pytest.raises(ValueError, match="rows must ascend"):
        _native.write_nested(
            "a b", places, places + 1, rows, 0, 2, 0, lambda first, last: "", None, False, 0, True
        )
    with pytest.raises(TypeError, match="must be str"):
        _native.write_nested(
            "a b", places, places + 1, rows[:1], 0, 2, 0, lambda first, last: 7, None, False, 0, True
        )
    full, _, _ = _native.code_markers(
        document,
        document,
        document,
        document - 1,
        np.zeros(2, np.uint8),
        np.zeros(2, np.uint8),
        [""],
        ["#"],
        [""],
    )
    with pytest.raises(ValueError, match="first and last must be rows"):
        full(1, 5)
