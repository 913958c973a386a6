"""The second step of a question: names of the best segments lead to others."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from tersely.checks import read_question
from tersely.engine.reading import analyze
from tersely.engine.second_step import SecondStep, second_step
from tersely.types import Analysis

QUESTION = "In which town was the director of the silent film The Glass Harbour born?"
FILM = "The silent film The Glass Harbour, released in 1926, was the first of the director Ansel Okonedo."
BORN = "Okonedo came into the world at Vardby, the son of a rope maker."
OTHERS = [
    "The Blue Orchard is a film about a family of pickers and was shown in every town of the valley.",
    "Marit Solheim learned to sail before she could read, in a village by the fjord.",
    "The harbour of Lund was dredged in 1931, and the glass works closed in the year after.",
    "A director of the bank opened the new branch, to which a band played in the street.",
    "The town of Elverum keeps its records in a cellar that floods each spring.",
    "Sheep are counted in autumn, when the herds come down from the hills.",
]


def step_of(texts: list[str], question: str, best: int = 0) -> tuple[Analysis, SecondStep | None]:
    analysis = analyze(texts, [read_question(question).text])
    scores = np.zeros(len(analysis.table.start), dtype=np.float32)
    scores[best] = 1
    return analysis, second_step(analysis, len(scores), question, texts, scores)


def test_names_lead_to_a_second_step_and_first_words_do_not() -> None:
    texts = [*OTHERS[:3], FILM, *OTHERS[3:], BORN]
    result = tersely.compress(texts, query=QUESTION, budget=45)
    assert "Vardby" in result.text and "Ansel Okonedo" in result.text
    analysis, step = step_of([FILM, BORN, *OTHERS], QUESTION)
    assert step is not None
    assert step.text.split()[0] == "Okonedo" and "born" in step.text and "silent" not in step.text
    of_born = analysis.term_ids[analysis.term_offsets[1] : analysis.term_offsets[2]]
    assert set(step.terms) & set(of_born)  # the name has one number in both
    assert 0 < step.left < 1
    film = "The silent film The Glass Harbour was loved. Critics called the director a poet."
    texts = [film, "In the paper, Critics of all ages were born to be read.", *OTHERS]
    assert step_of([film.replace(". Critics", " Critics"), *texts[1:]], QUESTION)[1] is not None
    analysis = analyze([film, *texts[1:]], [QUESTION])
    scores = np.zeros(len(analysis.table.start), dtype=np.float32)
    scores[1] = 1
    segments = [film.split(". ")[0] + ".", "Critics called the director a poet.", *texts[1:]]
    assert second_step(analysis, len(scores), QUESTION, segments, scores) is None


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        ([FILM, BORN, *OTHERS], "Where was he born?"),  # short
        ([FILM, BORN, *OTHERS], QUESTION + " ".join(f"word{n}" for n in range(99))),  # a text
        ([FILM, BORN, *OTHERS], QUESTION.replace("In which town was", "town of").rstrip("?")),  # keywords
        ([FILM, BORN], QUESTION),  # too few paragraphs to be led anywhere
        ([FILM, *OTHERS], QUESTION),  # nobody else says the name
        ([FILM, *[f"Okonedo {text}" for text in OTHERS]], QUESTION),  # everybody does
        ([QUESTION, BORN, *OTHERS], QUESTION),  # nothing is open
        ([FILM.lower(), BORN, *OTHERS], QUESTION),  # no names
    ],
)
def test_there_is_none_without_a_reason(texts: list[str], question: str) -> None:
    assert step_of(texts, question)[1] is None
