"""Folding and stemming, as seen through terms()."""

from __future__ import annotations

import sys
import unicodedata

import pytest
import reference
from tersely import _native


def terms(text: str) -> list[str]:
    ids, _, vocabulary = _native.terms([text])
    return [vocabulary[i] for i in ids.tolist()]


def is_wide_letter(code: int) -> bool:
    """Not ASCII, a letter, and of a script whose words are written apart."""
    char = chr(code)
    if code < 0x80 or 0xD800 <= code < 0xE000 or unicodedata.category(char)[0] != "L":
        return False
    return not reference.is_ngram_letter(char)


WIDE_LETTERS = [chr(code) for code in range(min(sys.maxunicode, 0x323FF)) if is_wide_letter(code)]


def test_every_letter_folds_like_the_oracle() -> None:
    """Each letter stands behind two that are not ASCII, so that nothing is stemmed or a stop word."""
    read = terms(" ".join("жж" + char for char in WIDE_LETTERS))
    wanted = ["жж" + reference.fold(char) for char in WIDE_LETTERS]
    assert [pair for pair in zip(read, wanted, strict=True) if pair[0] != pair[1]] == []


def test_folding_twice_changes_nothing() -> None:
    once = terms(" ".join("жж" + char for char in WIDE_LETTERS))
    assert [pair for pair in zip(once, terms(" ".join(once)), strict=True) if pair[0] != pair[1]] == []


SAME_SPELLING = [
    ("ÉCOLE", "école"), ("Straße", "STRAẞE"), ("ΣΊΣΥΦΟΣ", "Σίσυφος"), ("МОСКВА", "москва"), ("Ёлка", "елка"),
    ("naïveté", "naiveté"), ("cafe\u0301", "café"), ("Ångström", "A\u030angstro\u0308m"),
    ("\u212bngström", "ångström"), ("İstanbul", "istanbul"), ("İZMİR", "izmir"), ("cafés", "cafes"),
    ("résumés", "resumes"), ("façade", "facade"),
]  # fmt: skip
SAME_STEM = [
    ("parties", "party"), ("running", "runs"), ("stopped", "stopping"), ("quickly", "quick"),
    ("boxes", "box"), ("wishes", "wishing"), ("matches", "matched"), ("classes", "class"),
    ("hoping", "hoped"), ("hopes", "hope"), ("ships", "ship"), ("falling", "falls"), ("studied", "studies"),
    ("Engines", "engine"), ("VALVES", "valve"),
]  # fmt: skip
SAME_STEM_IN_OTHER_SCRIPTS = [
    ("المدينة", "مدينة"),  # with and without the article
    ("والمدينة", "بالمدينة"),  # and the, in the
    ("أحمد", "احمد"),  # forms of alef
    ("كتابها", "الكتاب"),  # her book, the book
    ("مُحَمَّد", "محمد"),  # vowel marks
    ("العـــربية", "العربية"),  # tatweel
    ("लड़कियों", "लड़की"),  # girls, girl
    ("किताबें", "किताब"),  # books, book
    ("लड़का", "लड\u093cका"),  # nukta, one character or two
    ("सड़क", "सडक"),  # road, with and without it
    ("पाँच", "पांच"),  # five, with either nasal mark
    ("क्\u200dष", "क्ष"),  # a joiner says how it looks
    ("городами", "город"),  # by towns, town
    ("книги", "книгу"),  # of a book, a book
    ("новый", "новая"),  # new
    ("ЗДАНИЕ", "зданий"),  # building, of buildings
]
SAME_STEM_OF_TURKISH = [
    ("kapalı", "kapalıdır"),  # closed, is closed
    ("kapalı", "kapalıydı"),  # was closed
    ("geçerli", "geçerlidir"),
    ("gerekli", "gereklidir"),  # without a letter of Turkish the copula alone
    ("açık", "açıktır"),
    ("mümkün", "mümkündür"),
    ("kapı", "kapılardan"),  # door, from doors
    ("yönetmelik", "yönetmeliklerden"),
]
UNCHANGED = [
    "sing", "thing", "bring", "bed", "red", "seed", "gas", "bus", "glass", "analysis", "fly", "winch",
    "homedir", "decidir", "subdir",
]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right"), [*SAME_SPELLING, *SAME_STEM, *SAME_STEM_OF_TURKISH, *SAME_STEM_IN_OTHER_SCRIPTS]
)
def test_spellings_and_forms_of_one_word_are_one_term(left: str, right: str) -> None:
    assert len(terms(left)) == 1
    assert terms(left) == terms(right)


@pytest.mark.parametrize("word", ["يد", "ال", "फल", "घर", "дом", "ночь"[:3], "ж", "жש", "אבית", "λόγος"[:4]])
def test_short_words_and_scripts_without_a_stemmer_stay_as_they_are(word: str) -> None:
    assert terms(word) == ["".join(map(reference.fold, word))]


@pytest.mark.parametrize(
    "word", ["ومد", "وال", "للا", "انان", "ييي", "ىىى", "نونها", "़ाीे", "कािीुूें", "аеиоу", "иями"]
)
def test_no_word_is_lost_to_its_endings(word: str) -> None:
    (term,) = terms(word)
    assert term


@pytest.mark.parametrize("word", UNCHANGED)
def test_words_that_only_look_like_endings_stay_as_they_are(word: str) -> None:
    assert terms(word) == [word]


@pytest.mark.parametrize("word", ["running", "uses", "used", "using", "dies", "pies", "ably", "eyes"])
def test_a_stem_has_three_letters_or_more(word: str) -> None:
    assert len(terms(word)[0]) >= 3
