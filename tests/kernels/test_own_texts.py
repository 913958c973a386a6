"""Parts of one text that are texts of their own are scored as documents (kernels/relevance/topic.hpp)."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, event, given, strategies as st
from parts_oracle import cohesion, in_parts
from small_corpora import Corpus
from tersely import _native
from tersely.engine.worth import FEATURES
from tersely.models.weights import relevance_forest

NO_FOREST = relevance_forest("no such vectors")
TERMS = st.lists(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=7)


@st.composite
def one_text(draw: st.DrawFn) -> Corpus:
    corpus = Corpus([], [], [], [])
    for block in range(draw(st.integers(3, 8))):
        for row in draw(st.lists(TERMS, min_size=1, max_size=4)):
            corpus.rows.append(row)
            corpus.documents.append(0)
            corpus.blocks.append(2 * block)
            corpus.headings.append(-1)
    corpus.titles.append(draw(st.lists(st.sampled_from("abx"), max_size=2)))
    corpus.query = draw(st.lists(st.sampled_from("abcdx"), min_size=1, max_size=4))
    return corpus


def features(corpus: Corpus) -> np.ndarray:
    weights = np.linspace(1, 3, len(FEATURES))
    return _native.relevance(corpus.terms(), corpus.asked(), weights, NO_FOREST, None)[0]


@given(one_text())
def test_parts_of_their_own_are_scored_as_documents(corpus: Corpus) -> None:
    found = cohesion(corpus)
    assume(all(abs(found - border) > 1e-5 for border in (0.4, 1.1)))  # the kernel's idf is a float32
    parted = in_parts(corpus)
    event("parts" if parted is not corpus else "one text")
    given_features = features(corpus)
    if parted is corpus:
        assert not given_features[FEATURES.index("document")].any()
    else:
        assert given_features.tobytes() == features(parted).tobytes()
