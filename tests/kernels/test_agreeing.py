"""Components of texts that agree: the prefix filter loses no pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tersely import _native

Rows = list[tuple[int, list[int], list[int]]]  # guard, terms, names

rows_of_ids = st.lists(
    st.tuples(
        st.integers(0, 1), st.lists(st.integers(0, 7), max_size=8), st.lists(st.integers(0, 2), max_size=1)
    ),
    max_size=14,
)


def arrays(rows: Rows) -> tuple[np.ndarray, ...]:
    guard = np.array([guard for guard, _, _ in rows], np.int32)
    made = [guard]
    for lists in ([terms for _, terms, _ in rows], [names for _, _, names in rows]):
        made.append(np.array([one for ids in lists for one in ids], np.int32))
        made.append(np.cumsum([0, *map(len, lists)]).astype(np.int64))
    return tuple(made)


def agree(a: tuple[int, list[int], list[int]], b: tuple[int, list[int], list[int]], share: float) -> bool:
    """What the kernel of `dedup` says of two rows whose vectors are equal."""
    vectors = np.ones((2, 4), np.float32)
    labels, _, _ = _native.deduplicate(vectors, 0.5, np.zeros(2), *arrays([a, b]), share, 0.75, 1, None)
    return bool(labels[0] == labels[1])


def components(rows: Rows, share: float) -> list[int]:
    found = list(range(len(rows)))
    for j in range(len(rows)):
        for i in range(j):
            if agree(rows[i], rows[j], share):
                low, high = sorted((found[i], found[j]))
                found = [low if one == high else one for one in found]
    return found


@given(rows_of_ids, st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 0.75, 1.0]))
def test_components_are_those_of_all_pairs(rows: Rows, share: float) -> None:
    assert _native.agreeing(*arrays(rows), share, 0.75).tolist() == components(rows, share)


def test_repeats_of_many_texts_are_joined_without_comparing_them() -> None:
    rows: Rows = [(0, [1, 2, 3], [])] * 20_000 + [(0, [1, 2, 4], [])] * 20_000
    found = _native.agreeing(*arrays(rows), 0.6, 0.75)
    assert (found[:20_000] == 0).all() and (found[20_000:] == 20_000).all()


def test_wrong_arrays_are_refused() -> None:
    guard, *said = arrays([(0, [1], []), (0, [1], [])])
    with pytest.raises(ValueError, match="term_offsets must ascend"):
        _native.agreeing(guard[:1], *said, 0.5, 0.75)
    with pytest.raises(ValueError, match="terms must not be negative"):
        _native.agreeing(guard, -said[0], *said[1:], 0.5, 0.75)
    with pytest.raises(ValueError, match="share must lie in"):
        _native.agreeing(guard, *said, 2.0, 0.75)
