"""idf and centrality against their oracles."""

from __future__ import annotations

import numpy as np
import reference
from hypothesis import example, given
from small_corpora import Corpus, corpora, flat
from tersely import _native


@given(corpora())
@example(flat([]))
@example(flat([["a"]] * 70000))
def test_inverse_frequency(corpus: Corpus) -> None:
    weight = reference.idf(corpus.rows) if len(corpus.rows) < 1000 else lambda _: 0.5 / 70000.5
    expected = [weight(term) for term in corpus.vocabulary()]
    found = _native.inverse_frequency(*corpus.arrays())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@given(corpora())
@example(flat([["a", "b"], ["b"], []]))
@example(flat([[], []]))
@example(flat([["a"] * 100]))
def test_centrality(corpus: Corpus) -> None:
    found = _native.centrality(*corpus.arrays())
    assert found.dtype == np.float32
    np.testing.assert_allclose(
        found, reference.centrality(corpus.rows, corpus.documents), rtol=1e-5, atol=1e-6
    )
    assert all(0 <= score <= 1.7 + 1e-6 for score in found.tolist())


def test_centrality_prefers_what_comes_back() -> None:
    rows = [["mud", "dust"], ["rope", "winch"], ["rope", "chain"], ["rope", "winch"], ["fog", "salt"]]
    scores = _native.centrality(*flat(rows).arrays())
    assert scores.argmax() == 1
    assert scores[3] > scores[4]
    assert scores[3] > scores[0]
