"""What texts state: found once, in linear time."""

from __future__ import annotations

import json

import pytest
from growth import MOST, growth
from histories import pieces_of
from tersely.memory import compact_messages
from tersely.memory.mentions import find_mentions


def stated(text: str) -> set[str]:
    found = find_mentions(pieces_of([text]))
    pieces = {text[s:e] for s, e in zip(found.start.tolist(), found.end.tolist(), strict=True)}
    return pieces | {text[start:end] for _, start, end in found.inner}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see src/a.py and http://x.org/y", {"src/a.py", "http://x.org/y"}),
        ("\n  tar: no such file: x  \nfine", {"tar: no such file: x"}),
        ('{"flight": "HAT039", "name": "Mia Li"}', {"HAT039", "Mia Li"}),
        ("```py\nnew_name = old_name\n```", {"new_name", "old_name"}),
        ("order 8124970213 of 3.1234567 s", {"8124970213"}),
        ("paid with gift_card_7480005 on 2024-05-20", {"gift_card_7480005", "2024-05-20"}),
        ("nothing to see here", set()),
        ("", set()),
    ],
)
def test_what_is_stated(text: str, expected: set[str]) -> None:
    assert expected <= stated(text)
    assert bool(stated(text)) == bool(expected)


def test_places_are_of_their_text() -> None:
    texts = ["a é b/c.py", "", "日本 d_e", "x"]
    found = find_mentions(pieces_of(texts))
    rows = zip(found.document.tolist(), found.start.tolist(), found.end.tolist(), strict=True)
    assert [(document, texts[document][start:end]) for document, start, end in rows] == [
        (0, "b/c.py"),
        (2, "d_e"),
    ]


@pytest.mark.growth
@pytest.mark.parametrize("piece", ["a-", "1-", '"', "error ", "error\n", '"ab" ', "`", "_", "A1", "{"])
def test_time_is_linear(piece: str) -> None:
    assert growth(lambda size: "{" + piece * size, lambda text: find_mentions(pieces_of([text]))) < MOST


def test_a_capital_of_two_small_letters_moves_no_line() -> None:
    text = "İ" * 40 + "\nit is plain\nit failed here\nand plain again"
    found = find_mentions(pieces_of([text]))
    stated = [text[start:end] for start, end in zip(found.start, found.end, strict=True)]
    assert "it failed here" in stated and "it is plain" not in stated


def test_what_is_left_of_a_list_that_is_worked_through_outlives_what_is_as_old() -> None:
    names = [f"{number}XGC{number}M" for number in range(1, 8)]
    other = [f"K{number}QR{number}Z" for number in range(1, 8)]
    messages = [
        {"role": "user", "content": "Cancel the reservations."},
        {"role": "user", "content": f'{{"orders": {json.dumps(other)}}}'},
        {"role": "user", "content": f'{{"reservations": {json.dumps(names)}}}'},
        *({"role": "user", "content": f"Nothing new in part_{number} yet."} for number in range(60)),
        *({"role": "assistant", "content": f"Looked at {name}, it is fine."} for name in names[:-2]),
    ]
    result = compact_messages(messages, budget=400)
    text = "\n".join(message["content"] for message in result.messages)
    assert all(name in text for name in names) and not any(name in text for name in other)
