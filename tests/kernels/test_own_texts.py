"""Parts of one text that are texts of their own are scored as documents (kernels/relevance/topic.hpp)."""

from __future__ import annotations

import numpy as np
import tersely
from hypothesis import assume, event, given, strategies as st
from parts_oracle import cohesion, in_parts
from small_corpora import Corpus
from tersely import _native
from tersely.engine.worth import FEATURES, hybrid, read_for_query
from tersely.models.weights import relevance_forest
from tersely.types import Level

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
    ids, offsets, size, *columns = corpus.arrays()
    kinds, start = np.zeros(size, np.uint8), np.zeros(len(corpus.rows), np.int64)
    asked = (len(corpus.rows), corpus.title_rows(), 0, np.empty(0, np.float32), start, start + 9)
    weights = np.linspace(1, 3, len(FEATURES))
    return _native.relevance(ids, offsets, kinds, *columns, *asked, weights, NO_FOREST, None)[0]


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


# Results of one search: all have to do with Kyoto, none goes on where the one before it ends.
PASSAGES = (
    "The harbour of Kobe was opened in 1907. Ships land coal for Kyoto there. Berg planned the quays.",
    "The museum of Nara has nine floors. Soto planned it, and scholars from Kyoto visit the rooms.",
    "The tramway of Kyoto was opened in 1927. It has five lines through the city. Ito planned it.",
    "A market with two gates stands in Uji. Merchants sell wool and coal. The city paid for the roof.",
    "The theatre of Kobe stands beside a river. Vega planned it for visitors from Uji and Nara in 1927.",
    "An aqueduct brings water from Nara to the market. It was opened in 1907 after nine years.",
    "Scholars came to Kobe over the river. The rooms of their school were opened for merchants in 1917.",
)


def test_search_results_joined_by_blank_lines_are_documents() -> None:
    question = "Who planned the tramway of Kyoto?"
    read = read_for_query([tersely.Document("\n\n".join(PASSAGES))], question, Level.SENTENCE)
    found = hybrid(read, None)
    documents = found.features[FEATURES.index("document")]
    assert read.table.block[int(documents.argmax())] == 2
    assert "Ito planned it" in tersely.compress("\n\n".join(PASSAGES), question, budget=40).text


def test_a_text_that_goes_on_with_its_subject_stays_one() -> None:
    blocks = [
        [[f"s{n // 2}", f"s{n // 2}x", f"s{n // 2}y", "common"], [f"own{n}", f"s{n // 2}z", "word"]]
        for n in range(8)
    ]
    rows = [row for block in blocks for row in block]
    places = [n for n, block in enumerate(blocks) for _ in block]
    corpus = Corpus(rows, [0] * len(rows), places, [-1] * len(rows), ["common", "own3"], [[]])
    assert cohesion(corpus) > 1.1 and in_parts(corpus) is corpus
    assert not features(corpus)[FEATURES.index("document")].any()
