"""The contract of guards.hpp: what must not differ between two texts that are taken for one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from tersely import _native
from text_strategies import some_texts, texts


def guards(text: str) -> tuple[list[str], list[str]]:
    """Exact guards and classes."""
    _, signatures, *_ = _native.guards([text])
    lines = [line for line in signatures[0].split("\n") if line]
    return [line[1:] for line in lines if line[0] == "="], [line[1:] for line in lines if line[0] == "~"]


def names(text: str) -> list[str]:
    """The terms of the names of a text, as the vocabulary of `_native.terms` spells them."""
    _, _, terms, _, found, *_ = _native.guards([text])
    ids, _, words = _native.terms([text])
    assert ids.tolist() == terms.tolist()
    return [words[i] for i in found.tolist()]


def same(a: str, b: str) -> bool:
    first, second = _native.guards([a, b])[0].tolist()
    return bool(first == second)


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("it is -5 here", ["-5"]), ("it is 5 here", ["5"]), ("1,000 of them", ["1,000"]),
        ("by 3.14% or 5 %.", ["3.14%", "5", "%"]), ("after 2024-01-31, 10:30.", ["2024-01-31", "10:30"]),
        ("use v1.2.3-rc1!", ["v1.2.3-rc1"]), ("costs $5, €6 or 7€", ["$5", "€6", "7€"]),
        ("a ratio of 1e-5", ["1e-5"]), ("from 5 km and 5 miles", ["5", "km", "5", "miles"]),
        ("5 MB", ["5", "MB", "MB"]),  # a unit, and a word in capitals
        ("over 5 old dogs", ["5"]), ("is <5 or >= 6", ["<5", ">=", "6"]), ("is ≤ 6", ["≤", "6"]),
        ("5 m² and ½ a m³", ["5", "m", "m²", "½", "m³"]), ("a != b", ["!", "b"]),
        ("two or twelve", ["2", "12"]), ("zwei, deux, dos", ["2", "2", "2"]),
        ("vierzehn, quatorze, чотирнадцять", ["14", "14", "14"]), ("п'ятнадцять, пʼятнадцять", ["15", "15"]),
        ("the second", ["2nd"]), ("in /etc/hosts.", ["/etc/hosts"]),
        ("in ../etc/hosts ...", ["../etc/hosts"]), ("see https://x.org/a?b", ["https://x.org/a", "b"]),
        ("set max_tokens or maxTokens", ["max_tokens", "maxTokens"]),
        ("pass --verbose or -v", ["--verbose", "-v"]), ("in C++ and C#", ["C++", "C#"]),
        ("call os.path now", ["os.path"]), ("mail a@b.org", ["a@b.org"]),
        ("for NASA and the U.S. now", ["NASA", "US"]), ("plan B. A dog", ["B"]), ("vitamin A", ["A"]),
        ("drop x then y", ["x"]), ("I said I'd go, l'eau", []), ("a well-known end", []),
        ("## heading --- ====", []), ("> quoted + more", ["+"]), ("+ item", []), ("第5章 と 二", ["5"]),
        ("มีคน ๕๖ คน ห้าคน", ["๕๖", "5"]), ("ມີ ໕ ຄົນ", ["໕"]), ("세 명과 다섯 명", ["3", "5"]),
        ("п'ять разів, дві вісім", ["5", "2", "8"]), ("двух из десяти, девять", ["2", "10", "9"]),
        ("dwóch osób, sześć", ["2", "6"]), ("dvě, čtyři, šest", ["2", "4", "6"]), ("două, șase", ["2", "6"]),
        ("kettő, három", ["2", "3"]), ("iki, üç, beş", ["2", "3", "5"]), ("δύο, τέσσερα", ["2", "4"]),
        ("पाँच, ثلاثة, שלוש, پنج", ["5", "3", "3", "5"]),
        ("drie, vijf, tre, fyra, kaksi, dua", ["3", "5", "3", "4", "2", "2"]), ("", []),
    ],
)  # fmt: skip
def test_exact_guards(text: str, exact: list[str]) -> None:
    assert guards(text)[0] == exact


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("It is not so", ["not"]), ("It isn't so, it can’t be", ["not", "not"]), ("DON'T", ["not"]),
        ("nobody never cannot", ["not"] * 3), ("without it or none", ["not", "not"]),
        ("Das ist kein Hund, nicht ohne", ["not"] * 3), ("ce n'est pas, jamais sans", ["not"] * 3),
        ("no es, nunca sin", ["not"] * 3), ("não é sem", ["not", "not"]), ("это не так, нет", ["not", "not"]),
        ("यह नहीं है", ["not"]), ("هذا ليس لا لم", ["not"] * 3), ("他不去,没有,无", ["not"] * 3),
        ("行かない。ありません", ["not", "not"]), ("먹지 않는다", ["not"]), ("ไม่มี", ["not"]),
        ("ห้ามเข้า อย่าวิ่ง", ["not", "not"]), ("하지 마세요", ["not"]), ("行かなかった", ["not"]),
        ("chưa xong, đừng", ["not", "not"]), ("Není to možné. Nemá. Nelze", ["not"] * 3),
        ("Článek neplatí a nebyl vydán", ["not", "not"]), ("Stránky jsou nedostupné, nebo nejlepší", ["not"]),
        ("Usługa jest niedostępna", ["not"]), ("Сервис недоступен, ніколи", ["not", "not"]),
        ("nu este, nici", ["nu", "not"]),  # a common word of other languages has a class of its own
        ("Sistem çalışmıyor, dün gelmedi", ["not", "not"]), ("hiç yok", ["not", "not"]),
        ("nincs, soha, ei, eivät", ["not", "not", "ei", "not"]),
        ("nessuno, mai, ninguém, niemand, inga", ["not"] * 5), ("κανείς δεν, ποτέ", ["not"] * 3),
        ("جلوگیری نمی شود, ممنوع, אסור, نہیں", ["not"] * 4), ("the next need, news: sette, name, tried", []),
        ("disabled, denies", ["deny"]),  # one class in a row stands once
        ("before less before", ["before", "less", "before"]), ("fell and declining", ["down"]),
        ("at most, at the maximum", ["max"]), ("false", ["false"]), ("turn left", ["left"]),
        ("she and her", ["she"]), ("rouge, lundi, janvier", ["red", "monday", "january"]),
        ("Schwarz", ["black"]), ("增 前", ["增", "前"]), ("it is so", []),
    ],
)  # fmt: skip
def test_classes(text: str, classes: list[str]) -> None:
    assert guards(text)[1] == classes


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Anna met Bob Storm in Oslo.", ["anna", "bob", "storm", "oslo"]),
        ("The dog. He ran", []),
        ("Le chat. Der Hund", ["hund"]),
        ("so the Les Paul", ["les", "paul"]),
        ("Jean-Luc Ångström", ["jean", "luc", "angstrom"]),
        ("NASA iPhone Two Not", []),  # guards already
        ("Иван и Мария", ["иван", "мар"]),
        ("all small", []),
    ],
)
def test_names(text: str, found: list[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("up to 5 km", "up to 5 miles"), ("up to 5", "up to -5"), ("from 5 to 6", "from 6 to 5"),
        ("version 1.2", "version 1.20"), ("it is on", "it is off"), ("before lunch", "after lunch"),
        ("more of it", "less of it"), ("it increases", "it decreases"), ("is enabled", "is disabled"),
        ("is possible", "is impossible"), ("always works", "never works"), ("all of them", "none of them"),
        ("left side", "right side"), ("at least", "at most"), ("it is valid", "it is invalid"),
        ("north of it", "south of it"), ("use C", "use C++"), ("in mW", "in MW"), ("他去", "他不去"),
        ("มี ๕ คน", "มี ๖ คน"), ("Dveře jsou dostupné", "Dveře jsou nedostupné"),
        ("Ceny są aktualne, żółte", "Ceny są nieaktualne, żółte"), ("Sistem çalışıyor", "Sistem çalışmıyor"),
        ("Ușa este deschisă", "Ușa nu este deschisă"), ("must go", "may go"),
    ],
)  # fmt: skip
def test_opposites_differ(a: str, b: str) -> None:
    assert not same(a, b)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from(["", "-", "$", "v", "<", "€"]))
@example(5, 50, "")
def test_other_numbers_are_other_guards(a: int, b: int, mark: str) -> None:
    assert same(f"it is {mark}{a} now", f"now {mark}{b}") == (a == b)
    assert same(f"it is {a}", f"it is {mark}{a}") == (mark == "")


@given(some_texts)
def test_ids_are_equal_where_the_signatures_are(documents: list[str]) -> None:
    guard, signatures, terms, term_offsets, found, name_offsets, _ = _native.guards(documents)
    assert len(set(signatures)) == len(signatures)
    assert list(dict.fromkeys(guard.tolist())) == list(range(len(signatures)))
    alone = [_native.guards([text])[1][0] for text in documents]
    assert [signatures[i] for i in guard.tolist()] == alone
    ids, offsets, _ = _native.terms(documents)
    assert terms.tolist() == ids.tolist()
    assert term_offsets.tolist() == offsets.tolist()
    assert name_offsets[-1] == len(found)
    for (begin, end), (first, last) in zip(
        itertools.pairwise(term_offsets.tolist()), itertools.pairwise(name_offsets.tolist()), strict=True
    ):
        assert set(found[first:last].tolist()) <= set(terms[begin:end].tolist())


@given(texts, texts)
def test_texts_are_read_apart_where_a_line_ends(a: str, b: str) -> None:
    """The guards of two paragraphs are those of each (one class in a row stands once)."""
    (exact, classes), (more, others) = guards(a), guards("x\n" + b)
    joined = guards(a + "\n\nx\n" + b)
    assert joined[0] == exact + more
    merged = [name for name, group in itertools.groupby(classes + others) for _ in _kept(name, list(group))]
    assert joined[1] == merged


def _kept(name: str, group: list[str]) -> list[str]:
    return group if name == "not" else group[:1]


def test_long_runs_and_many_texts() -> None:
    exact, _ = guards("x" * 1_000_000 + "1 " + "not " * 10)
    assert [len(run) for run in exact] == [1_000_001]
    many = [f"item {i}" for i in range(5000)]
    assert np.array_equal(_native.guards(many)[0], np.arange(5000))
