"""Sentences that forbid or explain stand without a question, exceptions with the answer."""

from __future__ import annotations

import pytest
import tersely

FILLER = [
    "The morning was quiet and the coffee was good.",
    "Ms Okafor showed the visitors the hall, which they liked very much.",
    "The new chairs for the office arrived at noon and were unpacked by everyone.",
    "In the evening there was soup, and the talk turned to the holidays.",
    "The weather stayed dry for most of the week, with some wind from the west.",
    "On Thursday the choir sang in the yard, and many neighbours came to listen.",
]


@pytest.mark.parametrize(
    "rule",
    [
        "The valve must not be opened by one person alone.",
        "Never lift the cover of a press that turns.",
        "Der Kessel darf ohne Meister nicht geheizt werden.",
        "L'accès au toit est interdit aux stagiaires.",
        "È vietato spegnere la pompa di notte.",
        "单独一人时严禁打开阀门。",
    ],
)
def test_a_prohibition_stands_among_sentences_that_tell_of_a_day(rule: str) -> None:
    text = " ".join([*FILLER[:4], rule, *FILLER[4:]])
    assert rule in tersely.compress(text, ratio=0.5).text


@pytest.mark.parametrize(
    "sentence",
    [
        "The cause was a clock that ran two minutes behind the others in the hall.",
        "Workaround: set pool.idle_timeout to 30 in server.conf and start it again.",
        "Version 4.2.1 will close the connection by itself when the pool is full.",
        "Die Ursache war eine Dichtung, die im Winter spröde geworden war.",
        "La panne a été causée par un filtre que personne n'avait changé depuis mars.",
        "La causa no fue la lluvia, sino una bomba que nadie había cerrado.",
        "La soluzione è cambiare il filtro prima che la pompa parta di nuovo.",
        "O motivo foi uma válvula que ficou aberta durante a noite inteira.",
        "原因是水泵在夜里没有关上。",
    ],
)
def test_what_explains_stands_among_sentences_that_tell_of_a_day(sentence: str) -> None:
    text = " ".join([*FILLER[:4], sentence, *FILLER[4:]])
    assert sentence in tersely.compress(text, ratio=0.5).text


@pytest.mark.parametrize(
    "greeting", ["Thank you so much for that.", "Vielen Dank für die Mühe.", "Muchas gracias a todos."]
)
def test_thanks_go_first(greeting: str) -> None:
    text = " ".join([*FILLER[:3], greeting, *FILLER[3:]])
    assert greeting not in tersely.compress(text, ratio=0.8).text


@pytest.mark.parametrize(
    ("question", "rule", "exception"),
    [
        (
            "May members park in the yard?",
            "Members may not park in the yard.",
            "However, on market days two of them get a permit from the office.",
        ),
        (
            "Dürfen Mitglieder im Hof parken?",
            "Mitglieder parken nicht im Hof.",
            "Ausgenommen sind Markttage mit einem Schein aus dem Büro.",
        ),
        ("会員は中庭に駐車できますか？", "会員は中庭に駐車できない。", "ただし、市の日は二台まで認める。"),
    ],
)
def test_an_exception_stays_with_the_answer(question: str, rule: str, exception: str) -> None:
    text = "\n\n".join([*FILLER[:3], f"{rule}{'' if rule[-1] == '。' else ' '}{exception}", *FILLER[3:]])
    kept = tersely.compress(text, question, ratio=0.4).text
    assert rule in kept
    assert exception in kept
