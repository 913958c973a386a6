"""Texts keep their UTF-8 for native calls, which give the same for them as for a list."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from tersely import StaticEmbedder, _native
from tersely.engine.reading import analyze, count_units
from tersely.models.counters import BytePairCounter, Texts

TEXTS = ["One “quoted” line — naïve. It is 12 €.", "", "Plain words. Plain words.", "中文。文中。"]


def test_the_utf8_is_made_once() -> None:
    texts = Texts(TEXTS)
    assert texts == TEXTS
    assert texts.utf8 is texts.utf8


def test_native_calls_give_the_same_for_both() -> None:
    one, other = analyze(Texts(TEXTS), ["query"]), analyze(TEXTS, ["query"])
    assert all(map(np.array_equal, one.table.columns(), other.table.columns()))
    assert np.array_equal(one.term_ids, other.term_ids)
    table, texts = one.table, Texts(TEXTS)
    places = (table.document, table.start, table.end)
    for call in (
        partial(count_units, BytePairCounter()),
        lambda *given: StaticEmbedder().similarity_spans("line", *given),
    ):
        assert call(texts, *places).tolist() == call(TEXTS, *places).tolist()
    for given in (texts, texts.utf8, tuple(TEXTS)):
        assert _native.lined(given).tolist() == _native.lined(TEXTS).tolist()


def test_what_are_no_texts_is_refused() -> None:
    with pytest.raises(TypeError, match="texts must be a list of str, or Utf8"):
        _native.lined("a")
    with pytest.raises(TypeError, match="texts must be str"):
        _native.lined([1])  # type: ignore[list-item]
    assert np.array_equal(_native.lined(Texts(["\ud800"]).utf8), _native.lined(["\ufffd"]))
