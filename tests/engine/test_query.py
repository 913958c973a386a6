"""query and titles: what they change, and what is said when they cannot."""

from __future__ import annotations

import pytest
import tersely
from sample_texts import CHAT, GUIDE, LOG, prose
from tersely import Document

FILLER = prose(60)
NEEDLE = "The heron nests in the boiler house."


def with_needle(place: int) -> str:
    cut = FILLER.index(f"Report {100 + place}")
    return FILLER[:cut] + NEEDLE + " " + FILLER[cut:]


@pytest.mark.parametrize("place", [1, 8, 23, 37, 44, 59])
def test_the_answer_is_found_wherever_it_stands(place: int) -> None:
    text = with_needle(place)
    assert NEEDLE in tersely.compress(text, "Where does the heron nest?", ratio=0.1).text


def test_without_the_query_it_is_not() -> None:
    found = [NEEDLE in tersely.compress(with_needle(place), ratio=0.1).text for place in (8, 23, 37, 44)]
    assert not all(found)


def test_case_accents_and_endings_do_not_matter() -> None:
    assert NEEDLE in tersely.compress(with_needle(30), "HERONS NESTING", ratio=0.1).text
    german = FILLER + "Der Schlüssel hängt im Café am Kai."
    assert "Schlüssel" in tersely.compress(german, "SCHLUSSEL", ratio=0.1).text


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("E-42", "E-42 is a blocked gate."),
        ("resetGate", "resetGate(3)"),
        ("sluice_3 timeout", "sluice 3 failed: TimeoutError('no reply')"),
        ("keeper_on_call", "paging keeper_on_call"),
        ("48.20 crowns", "48.20 crowns"),
    ],
)
def test_codes_names_and_numbers_are_found(query: str, answer: str) -> None:
    assert answer in tersely.compress([GUIDE, LOG, CHAT, FILLER], query, ratio=0.15).text


def test_cjk_is_found() -> None:
    text = FILLER + "嵐の日は港が閉まります。" + FILLER
    assert "嵐の日は港が閉まります。" in tersely.compress(text, "港はいつ閉まりますか", ratio=0.1).text


def test_titles_count_for_their_document() -> None:
    texts = [f"{word} stood there. Nobody came." for word in ("Alpha", "Beta", "Gamma", "Delta")]
    titles = ["Fog", "Fog", "Herons of the coast", "Fog"]
    documents = [Document(text, title=title) for text, title in zip(texts, titles, strict=True)]
    result = tersely.compress(documents, "heron", ratio=0.3)
    assert {span.document for span in result.kept} == {2}
    untitled = tersely.compress(texts, "heron", ratio=0.3)
    assert untitled.receipt.warnings == ("query_without_matches",)


def test_titles_do_not_matter_without_a_query() -> None:
    titled = tersely.compress([Document(FILLER, title="Herons")], ratio=0.2)
    assert titled.text == tersely.compress(FILLER, ratio=0.2).text


@pytest.mark.parametrize("query", ["xyzzy", "the of and", "?!", "👍", "\x00"])
def test_a_query_that_matches_nothing_is_said(query: str) -> None:
    result = tersely.compress(FILLER, query, ratio=0.2)
    assert result.receipt.warnings == ("query_without_matches",)
    assert result.text == tersely.compress(FILLER, ratio=0.2).text


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000"])
def test_an_empty_query_is_said(query: str) -> None:
    result = tersely.compress(FILLER, query, ratio=0.2)
    assert result.receipt.warnings == ("empty_query",)
    assert result.text == tersely.compress(FILLER, ratio=0.2).text


def test_no_query_is_nothing_to_warn_of() -> None:
    assert tersely.compress(FILLER, ratio=0.2).receipt.warnings == ()
    assert tersely.compress(FILLER, "copper crew", ratio=0.2).receipt.warnings == ()


def test_scores_are_in_the_spans() -> None:
    result = tersely.compress(with_needle(30), "heron", ratio=0.1)
    best = max(result.kept, key=lambda span: span.score)
    assert result.expand(best) == NEEDLE
    assert max(span.score for span in result.dropped) < best.score


@pytest.mark.parametrize("query", [b"heron", 5, ["heron"], True])
def test_a_query_of_a_wrong_type(query: object) -> None:
    with pytest.raises(TypeError, match="query must be str, not "):
        tersely.compress(FILLER, query)


def test_a_query_with_a_lone_surrogate() -> None:
    read, text = tersely.compress(FILLER, "a\ufffd"), tersely.compress(FILLER, "a\ud800").text
    assert text == read.text


def test_a_very_long_query() -> None:
    result = tersely.compress(with_needle(30), f"{FILLER} heron " * 20, budget=200)
    assert 0 < result.tokens <= 200
    assert result.receipt.warnings == ()
