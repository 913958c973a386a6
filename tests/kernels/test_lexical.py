"""idf and centrality against their oracles."""

from __future__ import annotations

import numpy as np
import reference
from hypothesis import example, given, strategies as st
from small_corpora import Corpus, corpora, flat
from tersely import _native

COMMON_WORD = 4  # csrc/kernels/text/terms.hpp


@given(corpora())
@example(flat([]))
@example(flat([["a"]] * 70000))
def test_inverse_frequency(corpus: Corpus) -> None:
    weight = reference.idf(corpus.rows) if len(corpus.rows) < 1000 else lambda _: 0.5 / 70000.5
    expected = [weight(term) for term in corpus.vocabulary()]
    found = _native.inverse_frequency(corpus.terms())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def centrality(corpus: Corpus, common: str = "") -> np.ndarray:
    return _native.centrality(corpus.terms(dict.fromkeys(common, COMMON_WORD)))


@given(corpora(), st.sampled_from(["", "a", "aceg"]))
@example(flat([["a", "b"], ["b"], []]), "b")
@example(flat([[], []]), "")
@example(flat([["a"] * 100]), "")
@example(Corpus([["a"], ["a"], ["a"], ["b"]], [0, 1, 2, 2], [0, 1, 2, 3], [-1] * 4), "")
@example(flat([*[["x", "y", "z", f"v{n}"] for n in range(6)], ["x", "p", "q"], ["y", "p"]]), "")
@example(flat([["x", "y", "z", f"v{n}", f"w{n}", f"u{n}", f"t{n}"] for n in range(6)]), "x")
def test_centrality(corpus: Corpus, common: str) -> None:
    found = centrality(corpus, common)
    assert found.dtype == np.float32
    expected = reference.centrality(corpus.rows, corpus.documents, common)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert all(0 <= score <= 1.7 + 1e-6 for score in found.tolist())
