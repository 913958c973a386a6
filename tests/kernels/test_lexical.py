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
    found = _native.inverse_frequency(*corpus.arrays())
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def centrality(corpus: Corpus, common: str = "") -> np.ndarray:
    ids, offsets, _, *columns = corpus.arrays()
    classes = [COMMON_WORD if term in common else 0 for term in corpus.vocabulary()]
    return _native.centrality(ids, offsets, np.array(classes, dtype=np.uint8), *columns)


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


def test_centrality_prefers_what_comes_back() -> None:
    rows = [["mud", "dust"], ["rope", "winch"], ["rope", "chain"], ["rope", "winch"], ["fog", "salt"]]
    scores = centrality(flat(rows))
    assert scores.argmax() == 1
    assert scores[3] > scores[4]
    assert scores[3] > scores[0]


def test_what_all_texts_say_is_worth_less_than_what_one_does() -> None:
    rows = [["hope", "well", "nice"], ["rope", "winch", "mud"]]
    assert centrality(flat(rows))[0] > centrality(flat(rows))[1]
    scores = centrality(flat(rows), "hope well nice")
    assert scores[1] > 1.5 * scores[0]


def test_what_stands_in_every_document_is_their_frame() -> None:
    rows = [["seal", "page"], ["rope", "winch"], ["seal", "page"], ["fog", "salt"], ["seal", "page"], ["mud"]]
    scores = centrality(Corpus(rows, [0, 0, 1, 1, 2, 2], list(range(6)), [-1] * 6))
    assert scores[:2].argmax() == 1
    assert scores[2:4].argmax() == 1
    overlapping = Corpus(rows[:4], [0, 0, 1, 1], list(range(4)), [-1] * 4)  # of two pieces of one text, say
    assert centrality(overlapping)[:2].argmax() == 0
