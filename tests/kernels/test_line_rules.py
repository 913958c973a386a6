"""Line breaks: which ones end a sentence, inside paragraphs, lists, quotes and code."""

from __future__ import annotations

import pytest
import tersely

WRAPPED = (
    "The warehouse on the north side of the river was built before the war and\n"
    "has stood empty for most of the years since then, because nobody wants to\n"
    "pay for the roof. Last winter a part of that roof fell into the yard where\n"
    "the children of the street used to play football on Sunday afternoons.\n"
)
WRAPPED_SENTENCES = [
    WRAPPED[: WRAPPED.index(" Last")],
    WRAPPED[WRAPPED.index("Last") : -1],
]


def sentences(text: str) -> list[str]:
    return [text[start:end] for _, start, end, _ in tersely.segment(text)]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_X78_a_wrapped_line_does_not_end_a_sentence(newline: str) -> None:
    expected = [sentence.replace("\n", newline) for sentence in WRAPPED_SENTENCES]
    assert sentences(WRAPPED.replace("\n", newline)) == expected


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_X78_short_lines_are_meant(newline: str) -> None:
    lines = ["Rain on the slates", "Wind in the wires", "Nobody at the door"]
    assert sentences(newline.join(lines)) == lines


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", ["", " ", "\t", "\u3000", "\u00a0 "])
def test_a_blank_line_ends_a_paragraph(newline: str, blank: str) -> None:
    text = f"no mark at the end{newline}{blank}{newline}nor here"
    assert sentences(text) == ["no mark at the end", "nor here"]


def test_a_line_that_ends_early_was_meant() -> None:
    text = WRAPPED + "It is quiet now.\n" + WRAPPED
    assert sentences(text) == [*WRAPPED_SENTENCES, "It is quiet now.", *WRAPPED_SENTENCES]


def test_crlf_belongs_to_no_sentence() -> None:
    assert sentences("The rope broke.\r\nThe boat drifted off.\r\n") == [
        "The rope broke.",
        "The boat drifted off.",
    ]


INLINE_LISTS = {
    "numbers": ["1. Boil the water", "2. Add the rice", "3. Wait ten minutes"],
    "brackets": ["1) Boil the water", "2) Add the rice", "3) Wait ten minutes"],
    "letters": ["a) boil the water", "b) add the rice", "c) wait ten minutes"],
    "bullets": ["• boil the water", "• add the rice", "• wait ten minutes"],
}


@pytest.mark.parametrize("name", INLINE_LISTS)
def test_X78_lists_inside_a_line_are_cut_before_each_item(name: str) -> None:
    assert sentences(" ".join(INLINE_LISTS[name])) == INLINE_LISTS[name]


def test_numbers_out_of_order_are_no_list() -> None:
    assert sentences("1. Boil 4. eggs and 3. potatoes") == ["1. Boil 4. eggs and 3. potatoes"]


LIST = ["- Take the eastern stairs.", "- Knock twice. Then wait.", "- Leave by the same way"]


@pytest.mark.parametrize("mark", ["-", "*", "+", "•"])
def test_X78_list_items_stay_whole(mark: str) -> None:
    items = [mark + item[1:] for item in LIST]
    assert sentences("\n".join(items)) == items


def test_numbered_items_stay_whole() -> None:
    items = ["1. Open the valve. Slowly.", "2. Read the gauge.", "10. Close the valve."]
    assert sentences("\n".join(items)) == items


def test_an_item_goes_on_in_the_next_line() -> None:
    items = ["- Yachts moor on the west quay\n  next to the old crane.", "- Others moor elsewhere."]
    assert sentences("\n".join(items)) == items


def test_a_long_item_is_cut_into_sentences() -> None:
    first = "- " + "The first sentence of this item is long enough to matter. " * 8
    assert len(sentences(first + "The last one is short.")) == 9


def test_german_ordinals_do_not_end_a_sentence() -> None:
    german = [
        "Der Brief kam am 3. Juni und wir haben ihn gelesen.",
        "Die Antwort ging am 14. Juli mit der Post.",
    ]
    assert sentences(" ".join(german)) == german


@pytest.mark.parametrize(
    "said",
    [
        ["Frist: 1. Januar 2027.", "Ausgabe 24. Dez. 2026."],
        ["Mødet blev holdt den 3. Oktober og referatet er sendt.", "Det var det 2. Møde."],
        ["Kirja oli hyllyssä ja 2. Kerros oli kiinni.", "Ovet ovat auki."],
        ["Bu ev 3. Sokak için çok büyük.", "Kapı ve pencere açık."],
        ["Der Zug kam auf Gleis 3.", "Das war zu spät und nicht gut."],
    ],
)
def test_ordinals_do_not_end_a_sentence_where_they_have_a_stop(said: list[str]) -> None:
    assert sentences(" ".join(said)) == said


@pytest.mark.parametrize(
    "said",
    [
        ["値は３．１４です。", "次の値は2．71。"],
        ["１．はじめに述べる．", "２．方法を示す．", "終わり．"],
        ["Ｖｅｒ．２．０を使う．", "次に進む．"],
        ["結果は１０．", "次に示す．"],
    ],
)
def test_a_stop_of_full_width_within_a_number_ends_nothing(said: list[str]) -> None:
    assert sentences("".join(said)) == said


def test_english_numbers_before_a_capital_do() -> None:
    english = ["The bus that we took was the 14.", "June was the driver and she knew it."]
    assert sentences(" ".join(english)) == english


def test_quoted_lines_are_cut_like_prose() -> None:
    text = "> The quay is dry.\n> Do not moor there."
    pieces = sentences(text)
    assert [piece.strip("> \n") for piece in pieces] == ["The quay is dry.", "Do not moor there."]


def test_indented_code_is_cut_by_lines() -> None:
    assert sentences("    a = f(1). g\n    b = 2") == ["a = f(1). g", "b = 2"]


def test_text_without_capitals() -> None:
    text = "i went home. then i slept. it was late."
    assert sentences(text) == ["i went home.", "then i slept.", "it was late."]


def test_a_small_letter_goes_on() -> None:
    assert sentences("The file (approx. forty pages) arrived.") == ["The file (approx. forty pages) arrived."]
