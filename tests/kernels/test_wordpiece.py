"""The tokenizer gives the ids of the package `tokenizers`, whatever the text."""

from __future__ import annotations

import functools
import unicodedata

import pytest
import text_strategies
import wordpieces
from hypothesis import given, strategies as st
from tersely import _native
from tersely.models import static, static as static_file

WORDS = wordpieces.trained()
TABLE = wordpieces.table(WORDS)
REFERENCE = wordpieces.reference(WORDS)

characters = st.characters(exclude_categories=["Cs"])
marks = st.characters(categories=["Mn", "Mc", "Me"])
pieces = st.sampled_from([word.removeprefix("##") for word in WORDS])


def assert_same(texts: list[str]) -> None:
    for text, expected in zip(texts, REFERENCE(texts), strict=True):
        assert TABLE.ids(text).tolist() == expected, ascii(text)


def composed(first: int, last: int) -> st.SearchStrategy[str]:
    return st.characters(min_codepoint=first, max_codepoint=last, exclude_categories=["Cs"])


@given(st.text(characters, max_size=60))
def test_any_unicode(text: str) -> None:
    assert_same([text])


@given(st.lists(st.one_of(pieces, pieces, characters, marks, st.just(" ")), max_size=30).map("".join))
def test_words_of_the_vocabulary_run_together_with_anything(text: str) -> None:
    assert_same([text])


# What composed characters fall apart into: each part is in the vocabulary, so that none can hide
# behind [UNK].
RANGES = (
    (0xC0, 0x24F),  # Latin with accents
    (0x900, 0xDFF),  # scripts of India, whose vowel signs stay
    (0x1100, 0x11FF),  # Hangul, in parts
    (0x1B00, 0x1BFF),  # Balinese and others, with marks that are sorted
    (0x1D100, 0x1D1FF),  # musical symbols decompose into sorted marks
    (0xF900, 0xF9FF),  # compatibility ideographs
)
SYLLABLES = st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3)  # Hangul, composed
ODD = "a\u1b44\u302e\u302f\U0001d165\U0001d16d\u0301\u0323\u034f\u08d4\u200d[] \ud7a3\uac00"


@functools.cache
def decomposed() -> tuple[_native.StaticTable, wordpieces.Reference]:
    chars = [*ODD.replace(" ", ""), *(chr(code) for first, last in RANGES for code in range(first, last + 1))]
    parts = dict.fromkeys(unicodedata.normalize("NFD", "".join(chars).lower()))
    words = ["[UNK]", *parts, *(f"##{part}" for part in parts)]
    return wordpieces.table(words), wordpieces.reference(words)


@given(
    st.text(
        st.one_of(st.sampled_from(ODD), SYLLABLES, *(composed(first, last) for first, last in RANGES)),
        max_size=40,
    )
)
def test_composed_and_decomposed_spellings(text: str) -> None:
    table, expected = decomposed()
    texts = [text, unicodedata.normalize("NFD", text), unicodedata.normalize("NFC", text)]
    for each, ids in zip(texts, expected(texts), strict=True):
        assert table.ids(each).tolist() == ids, ascii(each)


def test_every_hangul_syllable() -> None:
    table, expected = decomposed()
    text = " ".join(map(chr, range(0xAC00, 0xD7A4)))
    assert table.ids(text).tolist() == expected([text])[0]
    assert 0 not in table.ids(text)


def code_points(first: int, last: int) -> list[int]:
    return [code for code in range(first, last) if not 0xD800 <= code < 0xE000]


def assert_every_character(first: int, last: int) -> None:
    """With every character of the range in the vocabulary, none can hide behind [UNK]."""
    block = [chr(code) for code in code_points(first, last) if chr(code) not in "\n\0a"]
    words = ["[UNK]", "a", "##a", *block, *(f"##{char}" for char in block)]
    table, expected = wordpieces.table(words), wordpieces.reference(words)
    texts = [f"a{chr(code)}a {chr(code)}" for code in code_points(first, last)]
    for text, ids in zip(texts, expected(texts), strict=True):
        assert table.ids(text).tolist() == ids, ascii(text)


@pytest.mark.parametrize("first", range(0, 0x4000, 0x2000))
def test_every_character_of_most_alphabets(first: int) -> None:
    assert_every_character(first, first + 0x2000)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0x4000, 0x110000, 0x10000))
def test_every_character(first: int) -> None:
    assert_every_character(first, min(first + 0x10000, 0x110000))


@pytest.mark.parametrize("end", ["", " ", ".", "\n", "\0", "é", "漢", "\u0301", "\x7f", "7", "[SEP]"])
def test_ascii_words_of_every_length_and_end(end: str) -> None:
    for letters in range(1, 108):
        assert_same([f"{lead}{'tHe3' * 27}"[: letters + len(lead)] + end + "the" for lead in ("", ". ", "é")])


@pytest.mark.parametrize("char", ["a", "é", "ж", "각", "𝔘", "\u0903"])
def test_words_of_more_than_a_hundred_characters_are_unknown(char: str) -> None:
    parts = unicodedata.normalize("NFD", char).replace("\u0301", "")
    words = ["[UNK]", *dict.fromkeys(lead + part for part in parts for lead in ("", "##"))]
    table, most = wordpieces.table(words), 100 // len(parts)
    assert len(table.ids(char * most)) == most * len(parts)
    assert table.ids(char * (most + 1)).tolist() == [0]
    assert table.ids(char * 5000 + " " + char).tolist() == [0, *table.ids(char)]


def test_special_tokens_in_the_text() -> None:
    assert_same(["[CLS]", "a[SEP]b", "[[MASK]]", "[cls]", "[CLS", "[UNK][PAD]", "[", "[SEP"])
    assert_same(["e[CLS]\u0301", "[MA\u200bSK]", "[\0CLS]", "[CLS\u0301]"])
    words = ["[UNK]", "[", "]", "cls", "[MASK]"]
    assert wordpieces.table(words).ids("[CLS][MASK]").tolist() == [1, 3, 2, 4]


BAD = [
    (b"", "must contain \\[UNK\\]"),
    (b"a\nb", "must contain \\[UNK\\]"),
    (b"[UNK]\n\na", "line 2 of words is empty"),
    (b"[UNK]\na\nb\na", "line 4 of words repeats"),
    (b"[UNK]\n##a\n##a\n", "line 3 of words repeats"),
    (b"[UNK]\na\0b", "line 2 of words has a NUL"),
    (b"[UNK]\n\n", "line 2 of words is empty"),
    (b"[UNK]\n\xff", "utf-8"),
    (b"[UNK]\n" + b"x" * (1 << 24), "at most"),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_vocabularies_are_refused(words: bytes, message: str) -> None:
    rows, scales = wordpieces.codes(["x"] * max(1, len(words.splitlines())), 2)
    with pytest.raises(ValueError, match=message):
        _native.StaticTable(words, rows, scales)


def test_a_last_line_feed_and_odd_words_are_allowed() -> None:
    words = ["[UNK]", "##", "#", "a b", "don't", "x" * 500, "##" + "é" * 300, "\r"]
    for last in (b"", b"\n"):
        table = _native.StaticTable("\n".join(words).encode() + last, *wordpieces.codes(words, 2))
        assert len(table) == len(words)
        assert table.ids("### don't").tolist() == [2, 2, 2, 0, 0, 0]


def test_a_lone_surrogate_is_read_as_a_replacement_character() -> None:
    assert TABLE.ids("a\ud800").tolist() == TABLE.ids("a\ufffd").tolist()


@given(st.lists(st.one_of(text_strategies.texts, st.text(characters), pieces), max_size=20))
def test_the_words_that_ship(texts: list[str]) -> None:
    table, expected = shipped()
    for text, ids in zip(texts, expected(texts), strict=True):
        assert table.ids(text).tolist() == ids, ascii(text)


@functools.cache
def shipped() -> tuple[_native.StaticTable, wordpieces.Reference]:
    words = static_file.load(static.SHIPPED).words.decode().split("\n")
    return wordpieces.table(words), wordpieces.reference(words)
