"""Relevance as a probability: documents and segments on the topic of a query, whatever else there is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely.checks import is_english
from tersely.documents import to_documents
from tersely.engine.worth import (
    DOCUMENT_COLUMNS,
    Asked,
    document_probability,
    has_to_do,
    hybrid,
    read_for_query,
    segment_probability,
    topic_columns,
)
from tersely.models.embedders import resolve_embedder
from tersely.models.weights import relevance_probability
from tersely.retrieval import RelevanceScorer, explain
from tersely.types import Level

TOKENS = (
    "Access tokens are rotated every 24 hours. The gateway asks the vault for a new one. Old ones are void."
)
BREAD = "Bread is baked at four. The oven is old. Flour comes by boat from the mill."
QUERY = "How often are access tokens rotated?"


def asked(texts: Sequence[str], query: str, vectors: bool = False) -> Asked:
    prepared = read_for_query(to_documents(list(texts)), query, Level.SENTENCE)
    return hybrid(prepared, resolve_embedder(None) if vectors else None).asked


words = st.sampled_from(["tokens", "rotate", "vault", "gateway", "bread", "oven", "flour", "24", "hours"])
sentences = st.lists(words, min_size=1, max_size=6).map(lambda found: " ".join(found).capitalize() + ".")
documents = st.lists(sentences, max_size=5).map(" ".join)


def row_terms(question: Asked, row: int) -> list[int]:
    offsets = question.analysis.term_offsets
    return [int(term) for term in question.analysis.term_ids[offsets[row] : offsets[row + 1]]]


@given(st.lists(documents, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4).map(" ".join))
def test_columns_are_what_they_say(texts: list[str], query: str) -> None:
    question = asked(texts, query)
    found, table = topic_columns(question), question.analysis.table
    wanted = row_terms(question, len(table))
    idf = question.analysis.term_weight
    total = sum(float(idf[term]) for term in set(wanted))
    scale = np.log1p(len(set(wanted)))

    def share(terms: set[int]) -> float:
        return sum(float(idf[term]) for term in terms & set(wanted)) / total if total else 0.0

    every = [set(row_terms(question, row)) for row in range(len(table))]

    def weight(pairs: set[tuple[int, int]]) -> float:
        rarer = [min(sum(term in row for row in every) for term in pair) for pair in pairs]
        return sum(1 - times / (len(every) + 1) for times in rarer)

    for number in range(len(texts)):
        rows = [row_terms(question, row) for row in np.flatnonzero(table.document == number)]
        pairs = set(pairwise(wanted))
        held = {pair for row in rows for pair in pairwise(row)} & pairs
        expected = {
            "share": share({term for row in rows for term in row}) * scale,
            "best": max((share(set(row)) for row in rows), default=0.0) * scale,
            "pairs": weight(held) / weight(pairs) if pairs else 0.0,
            "segments": np.log(max(len(rows), 1)),
            "terms": scale,
            "cosine": 0.0,
            "cosines": 0.0,
        }
        assert dict(zip(DOCUMENT_COLUMNS, found.documents[number], strict=True)) == pytest.approx(expected)
    for row in range(len(table)):
        near = [other for other in (row - 1, row + 1) if 0 <= other < len(table)]
        beside = [
            share(set(row_terms(question, n))) for n in near if table.document[n] == table.document[row]
        ]
        own = share(set(row_terms(question, row))) * scale
        assert found.segments[row].tolist() == pytest.approx([0, own, max(beside, default=0), 0])


@pytest.mark.parametrize("vectors", [False, True])
def test_a_right_query_is_over_a_half_and_a_wrong_one_under_it(vectors: bool) -> None:
    right, wrong = document_probability(asked([TOKENS, BREAD], QUERY, vectors))
    assert right > 0.9 and wrong < 0.5
    assert document_probability(asked([TOKENS, BREAD], "Who painted the ceiling?", vectors)).max() < 0.5


def test_what_has_to_do_with_a_query_and_what_has_none() -> None:
    texts = [
        "El vuelo sale de la puerta A74. El embarque se cierra a mitad de la hora. El plano de la terminal "
        "cuelga de la pared. La lista de la tripulación llega de la oficina.",
        "La garantía de la empresa cubre el compresor diez años. La factura de la compra es original. La "
        "fecha de la avería cuenta. El plazo de la reclamación es de un mes.",
    ]
    assert document_probability(asked(texts, "mejores senderos de la Patagonia")).max() < 0.5
    assert document_probability(asked(texts, "¿Cuánto dura la garantía del compresor?")).argmax() == 1
    alone = tersely.compress(TOKENS, QUERY, ratio=0.5).relevance[0]
    for others in ([BREAD], [BREAD, "Tokens.", TOKENS], [TOKENS] * 5):
        beside = tersely.compress([TOKENS, *others], QUERY, ratio=0.5).relevance[0]
        assert beside == pytest.approx(alone, abs=0.05)
    texts = [
        "The lamp of the harbour was built by Orsolya Kemenyfi in 1911. It burns oil.",
        "Orsolya Kemenyfi studied in Pecs. Her drawings hang in the town hall.",
        BREAD,
    ]
    assert has_to_do(asked(texts, "Who built the lamp of the harbour?")).tolist() == [True, True, False]
    assert tersely.compress([TOKENS, BREAD], ratio=0.5).relevance == ()
    assert tersely.compress([TOKENS, BREAD], ratio=1.0).relevance == ()
    assert tersely.compress([TOKENS, BREAD], ratio=1.0).to_dict()["relevance"] == []
    empty, plain = tersely.compress(["", BREAD], QUERY, ratio=0.5).relevance
    titled = tersely.compress([{"text": BREAD, "title": "How access tokens are rotated"}], QUERY, ratio=0.5)
    assert empty == 0 and titled.relevance[0] > plain


def test_results_explanations_and_scorers_say_the_same() -> None:
    texts = [TOKENS, BREAD]
    result = tersely.compress(texts, QUERY, ratio=0.5)
    found = explain(texts, QUERY)
    assert result.relevance == pytest.approx(found.relevance.tolist())
    assert [score.overall_score for score in RelevanceScorer().score_sync(texts, QUERY)] == pytest.approx(
        result.relevance
    )
    assert result.to_dict()["relevance"] == pytest.approx(result.relevance, abs=1e-6)
    assert tersely.compress(texts, QUERY, ratio=1.0).relevance == pytest.approx(result.relevance), "it fits"
    found = explain([TOKENS, BREAD], QUERY)
    assert len(found.probability) == len(found.table)
    assert found.probability.argmax() == found.scores.argmax() == 0
    assert f"{found.probability[0]:4.0%}" in str(found).splitlines()[0]


@given(st.lists(documents, min_size=1, max_size=4), st.text(max_size=30))
def test_probabilities_lie_between_0_and_1(texts: list[str], query: str) -> None:
    question = asked(texts, query or "?")
    for found in (document_probability(question), segment_probability(question)):
        assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("kind", ["none", "static"])
def test_more_of_the_query_never_counts_against_a_text(kind: str) -> None:
    fitted = relevance_probability(kind)
    sizes = {"segments", "terms", "constant"}
    assert all(weight >= 0 for part in fitted.values() for name, weight in part.items() if name not in sizes)


@pytest.mark.parametrize(
    ("query", "english"),
    [
        (QUERY, True),
        ("tokens", True),
        ("café opening hours of the museum", False),
        ("¿Cuántos puntos cedió la defensa?", False),
        ("Wann wurde die Schlacht gewonnen", False),
        ("什么导致了结构应力？", False),
    ],
)
def test_cosines_of_the_static_table_count_for_english_alone(query: str, english: bool) -> None:
    assert is_english(query) is english
    assert asked([TOKENS], query, vectors=True).calibration == ("static" if english else "none")
    assert asked([TOKENS], query).calibration == "none"
