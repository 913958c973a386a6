"""What units are worth: with a query and titles, without a query, and by their place."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from sample_texts import CHAT, GUIDE, LOG, prose
from tersely import Document, Extractive, _native
from tersely.checks import QUANTITY, TIME, read_question
from tersely.engine.reading import analyze
from tersely.engine.worth import importance, lead, turns_of_talk

FILLER = prose(60)
NEEDLE = "The heron nests in the boiler house."


def with_needle(place: int) -> str:
    cut = FILLER.index(f"Report {100 + place}")
    return FILLER[:cut] + NEEDLE + " " + FILLER[cut:]


@pytest.mark.parametrize("place", [1, 8, 23, 37, 44, 59])
def test_the_answer_is_found_wherever_it_stands(place: int) -> None:
    text = with_needle(place)
    assert NEEDLE in tersely.compress(text, "Where does the heron nest?", ratio=0.1).text


@pytest.mark.parametrize("lead", ["## How to reset the modem", "To reset the modem, do this:"])
def test_steps_come_before_remarks(lead: str) -> None:
    steps = [
        "Unplug the cable.",
        "Put a pin into the hole.",
        "Hold it for five seconds.",
        "Plug the cable in.",
    ]
    steps = [f"{n}. {step}" for n, step in enumerate([*steps, "Wait for a green light.", "Log in again."], 1)]
    remarks = [
        "The modem is black. It comes with a cable and a stand.",
        "The light is blue at first. Keep the box.",
    ]
    text = f"# Modem M1\n\n{remarks[0]}\n\n{lead}\n\n" + "\n".join(steps) + f"\n\n{remarks[1]}"
    result = tersely.compress(text, "How do I reset the modem?", budget=60)
    assert [step for step in steps if step not in result.text] == []


def test_scores_find_the_needle_with_the_query_alone() -> None:
    found = [NEEDLE in tersely.compress(with_needle(place), ratio=0.1).text for place in (8, 23, 37, 44)]
    assert not all(found)
    result = tersely.compress(with_needle(30), "heron", ratio=0.1)
    best = max(result.kept, key=lambda span: span.score)
    assert result.expand(best) == NEEDLE
    assert max(span.score for span in result.dropped) < best.score


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


def test_titles_count_with_a_query_alone() -> None:
    texts = [f"{word} stood there. Nobody came." for word in ("Alpha", "Beta", "Gamma", "Delta")]
    titles = ["Fog", "Fog", "Herons of the coast", "Fog"]
    documents = [Document(text, title=title) for text, title in zip(texts, titles, strict=True)]
    result = tersely.compress(documents, "heron", ratio=0.3)
    assert {span.document for span in result.kept} == {2}
    untitled = tersely.compress(texts, "heron", ratio=0.3)
    assert untitled.receipt.warnings == ("query_without_matches",)
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


def test_odd_queries_and_scripts() -> None:
    assert tersely.compress(FILLER, ratio=0.2).receipt.warnings == ()
    assert tersely.compress(FILLER, "copper crew", ratio=0.2).receipt.warnings == ()
    read, text = tersely.compress(FILLER, "a\ufffd"), tersely.compress(FILLER, "a\ud800").text
    assert text == read.text
    result = tersely.compress(with_needle(30), f"{FILLER} heron " * 20, budget=200)
    assert 0 < result.tokens <= 200
    assert result.receipt.warnings == ()
    assert NEEDLE in tersely.compress(with_needle(30), "HERONS NESTING", ratio=0.1).text
    german = FILLER + "Der Schlüssel hängt im Café am Kai."
    assert "Schlüssel" in tersely.compress(german, "SCHLUSSEL", ratio=0.1).text
    text = FILLER + "嵐の日は港が閉まります。" + FILLER
    assert "嵐の日は港が閉まります。" in tersely.compress(text, "港はいつ閉まりますか", ratio=0.1).text


@pytest.mark.parametrize(
    ("query", "left"),
    [
        ("Please list the parts of the text related to rents", "the  of the  to rents"),
        ("Summarise the details", "the "),
        ("Which rope holds?", "Which rope holds?"),
        ("When is the show?", "When is the show?"),
        ("When does the show begin?", "When does the begin?"),
        ("explain", "explain"),
        ("Explain, please!", "Explain, please!"),
        ("", ""),
    ],
)
def test_words_of_request_are_left_out(query: str, left: str) -> None:
    text = read_question(query).text
    assert text.split() == left.split()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("When did it open?", TIME), ("In what year did it open?", TIME), ("Wann wurde es eröffnet?", TIME),
        ("什么时候开放", TIME), ("How many ships came?", QUANTITY), ("Wie viele Schiffe kamen?", QUANTITY),
        ("¿Cuántos barcos?", QUANTITY), ("有多少艘船", QUANTITY), ("Who came?", 0), ("whenever it rains", 0),
    ],
)  # fmt: skip
def test_the_kind_of_answer(query: str, answer: int) -> None:
    assert read_question(query).answer == answer


@given(st.text())
def test_any_text_is_read(query: str) -> None:
    question = read_question(query)
    assert question.answer in (0, TIME, QUANTITY)
    assert question.text.strip() or not any(map(str.isalnum, query))


CLASSES = {
    QUANTITY: "7 3.14 1,000 seven Thousands 3999",
    QUANTITY | TIME: "1999 1990s 2024-01-31 10:30",
    TIME: "January Sept",
    0: "may rope v1.2.3",
}


@pytest.mark.parametrize(
    ("word", "kind"), [(word, kind) for kind, words in CLASSES.items() for word in words.split()]
)
def test_classes_of_terms(word: str, kind: int) -> None:
    *_, classes, _ = _native.analyze([word], [], 3, 200)
    assert classes.tolist()[:1] == [kind]


def test_importance_is_centrality_and_what_stands_alone() -> None:
    texts = ["Ask for INV-2291 there. Nobody came. The bill INV-2291 was paid."]
    analysis = analyze(texts, [])
    table = analysis.table
    found = importance(texts, analysis)
    central = _native.centrality(analysis.terms())
    assert found.gist is not None and np.array_equal(found.gist, central)
    name = 2.5 * log2((3 + 4) / (2 + 2)) / 2  # two of three sentences have it: half in each
    facts = np.array([name, 0, name])
    said = found.apart * (1.5 * np.log2((len(table) + 16) / 16) + facts)
    share = 4.75 * np.minimum(said, 6.0) / ((table.end - table.start) / 4.5 + 8.0)
    np.testing.assert_allclose(found.worth, found.gist + share, rtol=1e-6)
    texts = ["The crane lifts stones. The crane lifts beams. A pilot whistles. The crane lifts stones."]
    apart = importance(texts, analyze(texts, [])).apart
    assert apart is not None
    # crane, lift in two of three that differ, stones or beams in one; 2 words are added
    shared = np.exp(-2 * np.log(2) / (3 + 2))
    assert apart.tolist() == pytest.approx([shared, shared, 1, shared])


def test_scores_by_place_and_length() -> None:
    assert lead([1, 1, 1]).tolist() == np.float32([1.0, 0.99, 0.98]).tolist()
    assert lead([6, 3, 20]).tolist() == np.float32([1.3, 0.99, 1.28]).tolist()
    scores = lead([1] * 151)
    assert scores[100] == 0
    assert scores[101] < 0
    assert scores[150] == np.float32(-0.5)
    scores = lead([1] * 151, position_floor=0.0)
    assert scores[150] == 0
    assert scores[99] == np.float32(0.01)
    assert lead([1] * 151, position_floor=0.5)[150] == 0.5
    assert lead([10] * 151, position_floor=0.0)[150] == np.float32(0.3)
    assert lead([1, 1, 1], position_decay=0.5).tolist() == [1.0, 0.5, 0.0]
    assert lead([1, 1, 1], position_decay=0.0).tolist() == [1.0, 1.0, 1.0]
    scores = lead([])
    assert scores.dtype == np.float32
    assert scores.tolist() == []


TURNS = [
    "Ada: Hello, Ben. How was the night?",
    "Ben: Quiet. No ship came in. The wind fell at ten.",
    "Ada: Good. Did the lamp at the pier go out again?",
    "Ben: It did. At half past nine. I lit it at once.",
    "Ada: We need oil. The can is empty. I will write to Tom.",
    "Ben: Yes.",
    "Ada: And the boats? Are all of them moored?",
    "Ben: All but one. The red one leaks. It lies on the sand.",
]


@pytest.mark.parametrize("query", [None, "When did the lamp at the pier go out?"])
def test_turns_that_are_documents_stay_whole_or_go(query: str | None) -> None:
    result = tersely.compress(TURNS, query, ratio=0.4)
    assert all(part in ("", turn) for part, turn in zip(result.parts, TURNS, strict=True))
    few = tersely.prepare(TURNS[1:4], query).reading
    assert len(few.table) > len(few.texts)


def test_turns_of_a_talk_are_read_as_one_text() -> None:
    none = [None] * len(TURNS)
    talk = turns_of_talk([*TURNS, "A note of mine. The oil came."], [*none, None])
    assert talk is not None
    assert talk.tolist() == [0] * len(TURNS) + [1]
    assert turns_of_talk([turn.partition(": ")[2] for turn in TURNS], none) is None
    rows = [f"name: {place}" for place in range(8)]
    assert turns_of_talk(rows, none) is None  # nobody answers
    days = ["Monday", "Tuesday"] * 4
    apart = turns_of_talk(TURNS, sorted(days))
    assert apart is not None
    assert apart.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert turns_of_talk([], []) is None


def chunks(scores: list[object]) -> list[dict[str, object]]:
    """Texts that answer QUESTION equally well."""
    text = "Chunk {} is of pumps and valves in the house. The pump number {} was mended by Tom."
    return [{"text": text.format(row, row), "score": score} for row, score in enumerate(scores)]


MENDED = "Which pump was mended by Tom?"


def test_the_score_of_a_search_decides_between_equal_chunks() -> None:
    scores: list[object] = [0.01] * 10
    scores[7] = 0.99
    result = tersely.compress(chunks(scores), MENDED, budget=25)
    assert result.parts[7] and sum(map(bool, result.parts)) <= 2
    unweighed = tersely.compress(chunks(scores), MENDED, budget=25, strategy=Extractive(score_weight=0))
    assert not unweighed.parts[7]
    scores: list[object] = [row / 10 for row in range(10)]
    plain = tersely.compress(chunks([None] * 10), budget=40)
    assert tersely.compress(chunks(scores), budget=40).text == plain.text


@pytest.mark.parametrize(
    "scores",
    [
        [0.5] * 10,
        [None] * 10,
        [-3.0, *[2.0] * 9],
        ["high"] * 10,
        [float("nan")] * 10,
        [True] * 10,
        [10**400] * 5 + [1e308] * 5,
    ],
)
def test_scores_that_say_nothing_weigh_nothing(scores: list[object]) -> None:
    plain = tersely.compress(chunks([None] * 10), MENDED, budget=40)
    assert tersely.compress(chunks(scores), MENDED, budget=40).text == plain.text


@pytest.mark.parametrize(("words", "bonus"), [(0, 0.0), (5, 0.0), (6, 0.3), (49, 0.3), (50, 0.0), (500, 0.0)])
def test_length_bonus_is_strict(words: int, bonus: float) -> None:
    assert lead([words]).tolist() == [np.float32(1.0 + bonus)]
