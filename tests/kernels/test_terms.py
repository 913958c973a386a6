"""The contract of terms.hpp."""

from __future__ import annotations

import itertools

import pytest
import reference
from hypothesis import example, given, strategies as st
from tersely import _native
from tersely.types import Level
from text_strategies import some_texts, texts

LONGEST = 64  # bytes; kLongestTerm
STOP_WORDS = reference.stop_words()


def rows(*texts_: str) -> list[list[str]]:
    ids, offsets, vocabulary = _native.terms(list(texts_))
    read = [vocabulary[i] for i in ids.tolist()]
    bounds = offsets.tolist()
    return [read[begin:end] for begin, end in itertools.pairwise(bounds)]


def terms(text: str) -> list[str]:
    return rows(text)[0]


# Words whose terms follow from the contract alone; none has an ending that a stemmer looks at.
plain_words = st.from_regex(r"[A-Za-z][a-z]{1,9}[bchklmnoprtuwx]", fullmatch=True).filter(
    lambda word: word.lower() not in STOP_WORDS
)
numbers = st.from_regex(r"[0-9]{1,4}([.,:/-][0-9]{1,4}){0,3}", fullmatch=True)
wide_words = st.text("жЖшюЁàßøłΩωשأ", min_size=1, max_size=8).map(lambda word: f"ж{word}ж")
ngram_runs = st.text("漢字港かなカナ한글船", min_size=1, max_size=6)


def expected_terms(token: str) -> list[str]:
    if token[0].isdigit():
        return [token]
    if token[0] == "ж":
        return ["".join(map(reference.fold, token))]
    if token.isascii():
        return [token.lower()]
    return reference.bigrams(token)


@given(
    st.lists(st.one_of(plain_words, numbers, wide_words, ngram_runs), max_size=12),
    st.sampled_from([" ", ", ", "; ", " (", "\n", "\r\n", " -- ", "! ", "\x00 ", " “", "\u3000"]),
)
@example(["1,000", "3.14", "10:30", "2024-01-31"], ", ")
@example(["漢", "漢字", "漢字港"], " ")
def test_words_numbers_and_bigrams(tokens: list[str], between: str) -> None:
    assert terms(between.join(tokens)) == [term for token in tokens for term in expected_terms(token)]


def test_stop_words_are_left_out() -> None:
    for word in STOP_WORDS:
        assert terms(f"{word} {word.upper()} {word.capitalize()} anchor") == ["anchor"], word


@pytest.mark.parametrize(
    "text",
    [
        "من هو الذي كان في إلى",  # who is he who was in, to
        "والتي وهو فهو وإلى ومِن",  # "and", "so" are written onto the word; a vowel mark
        "यह वह है और में का था",  # this, that, is, and, in, of, was
        "कौन क्या किसने कितने कहाँ कहां",  # who, what, by whom, how many, where
        "Кто и какой был это в её",
        "хто і який або є",
        "ποιος είναι ο και ΤΗΣ Πότε",
        "מי הוא של את מה",
    ],
)
def test_stop_words_of_other_scripts_are_left_out(text: str) -> None:
    assert terms(f"{text} anchor") == ["anchor"]
    assert len(terms("مناخ कारण комар και2 המים")) == 5  # these hold a stop word
    assert {"the", "and", "of", "with"} <= STOP_WORDS and "anchor" not in STOP_WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("v1.2.3", ["v1.2.3"]), ("V2.0", ["v2.0"]), ("3.14.", ["3.14"]), ("5kg", ["5kg"]),
        ("1,000,000.50", ["1,000,000.50"]), ("10:30-11:45", ["10:30-11:45"]),
        ("tank_color", ["tank_color", "tank", "color"]), ("_tank_color_", ["tank_color", "tank", "color"]),
        ("tankColor", ["tankcolor", "tank", "color"]), ("HTTPProxy", ["httpproxy", "http", "proxi"]),
        ("MAX_TANK", ["max_tank", "max", "tank"]), ("a.b", []), ("don't", ["don"]),
        ("winch-lock", ["winch", "lock"]), ("C3PO", ["c3po"]), ("ไทย", ["ไท", "ทย"]),
        ("เมือง", ["เม", "มื", "ือ", "อง"]), ("東京タワーは", ["東京", "京タ", "タワ", "ワー", "ーは"]),
        ("漢字abc", ["漢字", "abc"]), ("漢 字", ["漢", "字"]), ("___", []), ("", []), ("?! ... --", []),
        ("👍👍", []), ("1\x002 tank\x00lock", ["1", "2", "tank", "lock"]), ("5ж", ["5ж"]),
        ("ж\u200cш ж\u200dш жш", ["жш"] * 3),  # joiners without width
        ("tank\u200dlock \u200d lock\u200c", ["tanklock", "lock"]),
    ],
)  # fmt: skip
def test_single_words(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(some_texts)
def test_vocabulary_holds_each_term_once_in_order(documents: list[str]) -> None:
    ids, offsets, vocabulary = _native.terms(documents)
    first_seen = list(dict.fromkeys(ids.tolist()))
    assert first_seen == list(range(len(vocabulary)))
    assert len(set(vocabulary)) == len(vocabulary)
    assert offsets[0] == 0
    assert offsets[-1] == len(ids)
    assert len(offsets) == len(documents) + 1
    assert all(len(term.encode("utf-8")) > 0 for term in vocabulary)


@given(st.lists(texts, min_size=1, max_size=4))
def test_rows_do_not_depend_on_each_other(documents: list[str]) -> None:
    assert rows(*documents) == [terms(text) for text in documents]


@given(texts)
def test_terms_of_segments_are_the_terms_of_their_text(text: str) -> None:
    for level in Level:
        columns, ids, offsets, *_ = _native.analyze([text], [text], int(level), 9)
        starts, ends = columns[1].tolist(), columns[2].tolist()
        pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
        _, apart, _ = _native.terms([*pieces, text])
        assert offsets.tolist() == apart.tolist()
        assert ids.tolist() == _native.terms([*pieces, text])[0].tolist()


@pytest.mark.parametrize("letter", ["w", "W", "7", "ж", "w7", "w_", "1."])
def test_of_a_longer_word_the_first_bytes_count(letter: str) -> None:
    size = LONGEST // len(letter.encode("utf-8"))
    long, longer = letter * (size + 1), letter * (3 * size)
    assert terms(long + "end")[0] == terms(longer)[0]
    assert all(len(term.encode("utf-8")) <= LONGEST for term in terms(longer))


def test_many_terms_are_kept_apart() -> None:
    words = [f"tank{i}x" for i in range(5000)]
    words += words[::-1]
    read = terms(" ".join(words))
    assert [term for term in read if term.startswith("tank") and term.endswith("x")] == words
