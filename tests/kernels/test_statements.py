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


@pytest.mark.parametrize(
    "task",
    [
        "Ask the network team for a second uplink by Friday.",
        "TODO(ann): move the secrets out of the file.",
        "It was resolved that the reserve be raised to a third of the income.",
        "Frau Voss klärt die Schichten mit dem Betriebsrat bis Dienstag.",
        "Beschluss: Der Testbetrieb beginnt in der kleinen Halle.",
        "Pourriez-vous nous renvoyer le plan du deuxième étage ?",
        "Ewa zamówi części i wyśle je do hali przed czwartkiem.",
        "Просьба проверить насос и записать давление.",
    ],
)
def test_who_does_what_by_when_stands_among_sentences_that_tell_of_a_day(task: str) -> None:
    text = " ".join([*FILLER[:4], task, *FILLER[4:]])
    assert task in tersely.compress(text, ratio=0.5).text


NEW = "The new scheduler doubles the jobs, so the cluster goes back to the old version tonight."
OLDER = [
    "The export ran twice again at one, and 214 rows were doubled.",
    "You must not upgrade production before we know why.",
    "The migration took 41 minutes, and disk use went to 68 percent.",
]


@pytest.mark.parametrize(
    "older",
    [
        ["On Tue, 3 Feb 2026 at 14:20, Dan Okafor <dan@x.example> wrote:", *(f"> {line}" for line in OLDER)],
        ["-----Original Message-----", "From: Dan Okafor", "Sent: Tuesday", "Subject: Jobs", "", *OLDER],
        ["Von: Dan Okafor", "Gesendet: Dienstag, 3. Februar 2026 14:20", "Betreff: Jobs", "", *OLDER],
        ["Le 3 févr. 2026 à 14:20, Dan Okafor a écrit :", *(f"> {line}" for line in OLDER)],
    ],
)
def test_the_newest_mail_stands_before_what_it_quotes_and_its_signature(older: list[str]) -> None:
    head = ["From: Ines Alvarado", "To: ops@x.example", "Cc: Priya N., Dan Okafor", "Subject: Re: Jobs", ""]
    foot = ["", "Kind regards,", "Ines Alvarado", "Room 4.11, Harbour House, mobile 7700 900318", ""]
    kept = tersely.compress("\n".join([*head, "Hi all,", NEW, *foot, *older]), ratio=0.3).text
    assert NEW in kept
    assert "900318" not in kept
    assert "must not upgrade" not in kept
    assert "Cc:" not in kept


@pytest.mark.parametrize(
    ("question", "first", "correction"),
    [
        (
            "When and where do we meet?",
            "we meet at 7 at the car park by the cemetery?",
            "no wait, the road is closed. 8:15 at the roundabout",
        ),
        (
            "Wann treffen wir uns?",
            "wir treffen uns um 7 am Bahnhof, ja?",
            "stopp, der Zug fällt aus. dann halb neun am Markt",
        ),
    ],
)
def test_a_turn_that_takes_back_stays_with_what_it_takes_back(
    question: str, first: str, correction: str
) -> None:
    turns = ["so who has the tent", "me", "and the stove is with Ole", first, "yes fine", correction, "ok!"]
    turns += ["I bake the cake with almonds", "great, and the bread is mine", "bring warm socks", "will do"]
    names = ["Teo", "Giulia", "Marco"]
    text = "\n".join(f"[13.11.26, 09:{10 + n}] {names[n % 3]}: {turn}" for n, turn in enumerate(turns))
    kept = tersely.compress(text, question, ratio=0.4).text
    assert correction in kept


@pytest.mark.parametrize(
    "rule", ["No tomar ibuprofeno ni otros antiinflamatorios.", "Non aprire la porta con la pompa accesa."]
)
def test_orders_by_an_infinitive_forbid(rule: str) -> None:
    text = " ".join([*FILLER[:4], rule, *FILLER[4:]])
    assert rule in tersely.compress(text, ratio=0.4).text
