"""Token counts are tiktoken's, to the token, whatever the text."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from unicodedata import category

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from openai_encodings import encoding, pattern, rank_file, shipped_tokens, stated_hash
from sample_texts import ALL
from tersely import models
from tersely._native import Choice, Layout, TokenTable, Utf8
from tersely.engine.reading import FIRST_KEPT
from tersely.models.counters import TOKEN_TABLES

FILES = ["o200k_base", "cl100k_base"]
# What the patterns tell apart, and what they do not: contractions, a long s, blanks that are none, marks.
PARTS = [
    *["a", "b", "A", "B", "ab", "é", "É", "ª", "ʰ", "\u0301", "中", "ǅ", "😀", "\u1c89"],
    *["the", " the", "ing", "_", "'", "'s", "'S", "'ſ", "ſ", "'ll", "'LL", "'lL", "'re", "'Ve"],
    *["'d", "'m", "'t", "'l", "'r", "’s", " ", "  ", "\t", "\n", "\r", "\r\n", "\u00a0", "\u2003"],
    *["\u2028", "\x85", "\x1c", "\x1f", "\x0b", "\u200b", "1", "12", "123", "²", "Ⅷ", "٣", "/"],
    *["//", "!", "#", ".", "<|endoftext|>", "\u200d", "\U000e0100", "\x00"],
]
TEXTS = st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=3)), max_size=12).map("".join)


def reference(name: str, texts: Iterable[str]) -> list[int]:
    encode = encoding(
        name
    )._core_bpe.encode_ordinary  # `encode_ordinary` without what it does about surrogates
    return [len(encode(text)) for text in texts]


def differing(name: str, texts: Sequence[str]) -> list[str]:
    """The first few texts that are counted otherwise than by tiktoken."""
    found = TOKEN_TABLES[name].count(list(texts)).tolist()
    pairs = zip(texts, found, reference(name, texts), strict=True)
    return [text for text, mine, theirs in pairs if mine != theirs][:5]


@pytest.mark.parametrize("name", FILES)
def test_the_tokens_are_those_that_tiktoken_means(name: str) -> None:
    digest = sha256(rank_file(shipped_tokens(name)))
    assert digest.hexdigest() == stated_hash(name)
    header = Path(models.__file__).with_name(f"{name}.bin").read_bytes()[32:64]
    assert header == digest.digest()
    assert len(TOKEN_TABLES[name]) == len(shipped_tokens(name))


@pytest.mark.parametrize("name", FILES)
def test_a_table_with_one_bit_flipped_or_of_another_encoding_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = Path(models.__file__)
    monkeypatch.setattr(models, "__file__", str(tmp_path / "__init__.py"))
    tables = type(TOKEN_TABLES)()
    path, data = tmp_path / f"{name}.bin", shipped.with_name(f"{name}.bin").read_bytes()
    for at in (0, 31, 32, 64, len(data) // 3, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :])
        with pytest.raises(ValueError, match=rf"{name}.bin is damaged: .*; install tersely again"):
            tables[name]
    other = next(file for file in FILES if file != name)
    path.write_bytes(shipped.with_name(f"{other}.bin").read_bytes())
    with pytest.raises(ValueError, match="is damaged"):
        tables[name]
    path.write_bytes(data)
    assert tables[name].count(["three plain words"]).tolist() == [3]


@pytest.mark.parametrize("name", FILES)
def test_every_token_is_found(name: str) -> None:
    texts = [token.decode() for token in shipped_tokens(name) if _is_text(token)]
    assert len(texts) > 90_000
    assert differing(name, texts) == []


CONTEXTS: dict[str, Callable[[str], str]] = {
    "alone": str,
    "in a word": lambda char: f"a{char}b",
    "between blanks": lambda char: f" {char} ",
    "twice behind a capital": lambda char: f"A{char}{char}B'{char}",
}


@cache
def characters() -> tuple[list[str], list[str]]:
    """All that are written today, where a category of Unicode begins, and some between them; fewer."""
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    borders = [
        after
        for number, (before, after) in enumerate(pairwise(every[0x33FF:]))
        if number % 31 == 0 or category(before) != category(after)
    ]
    return every[:0x3400] + borders, every[:0x3400:3] + every[0x3400::97]


@pytest.mark.parametrize("context", CONTEXTS)
@pytest.mark.parametrize("name", FILES)
def test_every_character(name: str, context: str) -> None:
    some, few = characters()
    chosen = some if context == "alone" else few
    assert differing(name, [CONTEXTS[context](char) for char in chosen]) == []


def test_encodings_that_share_a_file_have_one_pattern() -> None:
    assert TOKEN_TABLES["o200k_harmony"] is TOKEN_TABLES["o200k_base"]
    assert pattern("o200k_harmony") == pattern("o200k_base")
    assert stated_hash("o200k_harmony") == stated_hash("o200k_base")


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=100)
@given(texts=st.lists(TEXTS, min_size=1, max_size=20))
def test_random_texts(name: str, texts: list[str]) -> None:
    assert differing(name, texts) == []


@pytest.mark.parametrize("name", FILES)
def test_many_random_texts_and_the_samples(name: str) -> None:
    chosen = random.Random(7)
    texts = ["".join(chosen.choices(PARTS, k=chosen.randrange(1, 14))) for _ in range(10_000)]
    assert differing(name, [*texts, *ALL, "\n\n".join(ALL)]) == []


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "size", [47, 48, 49, 63, 64, 65, 96, 128, 129, 256, 511, 513, 2047, 2048, 2049, 6000, 20_001]
)
def test_long_pieces(name: str, size: int) -> None:
    chosen = random.Random(size)
    alphabets = [
        "a", "ab", " ", "\n ", "=", "!?=", "etaoin", "ACGT", "中文字",
        "漢字仮名交文章長短高低上下左右前後東西南北", "()[]{}<>\"'`*_#-=~|+@&%$:;,.!?/\\", "\u0301",
        ascii_lowercase, "-",
    ]  # fmt: skip
    texts = ["".join(chosen.choices(alphabet, k=size)) for alphabet in alphabets]
    texts += [(piece * size)[:size] for piece in ("=-", "abcdefg", "漢字", "=" * 90 + "-" * 70)]  # repeating
    assert differing(name, texts) == []


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=100)
@given(texts=st.lists(st.lists(TEXTS, max_size=6).map("".join), min_size=1, max_size=4), data=st.data())
def test_what_was_counted_once_is_counted_the_same_in_parts_and_joined(
    name: str, texts: list[str], data: st.DataObject
) -> None:
    separator = data.draw(st.sampled_from(["\n\n", "", " ", "\n", "a", "'", "中"]))
    given_texts, counted = Utf8(texts), TOKEN_TABLES[name]
    total, marks = counted.count_joined(given_texts, separator)
    assert [total] == reference(name, [separator.join(texts)])
    spans = [
        (row, *sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))))))
        for row, text in enumerate(texts)
        for _ in range(3)
    ]
    document, start, end = (np.array(column) for column in zip(*spans, strict=True))
    expected = reference(name, [texts[row][one:other] for row, one, other in spans])
    for known in ((), (marks,)):
        found = counted.count_spans(given_texts, document.astype(np.int32), start, end, *known)
        assert found.tolist() == expected


@settings(deadline=None)
@pytest.mark.parametrize("name", FILES)
@given(lines=st.lists(TEXTS, min_size=1, max_size=6), data=st.data())
def test_texts_that_share_lines_are_counted_as_if_each_were_the_first(
    name: str, lines: list[str], data: st.DataObject
) -> None:
    some = st.lists(st.sampled_from(lines), max_size=6)
    ends = st.sampled_from(["\n", "\r\n", "\n  ", "\n\n", "\n\t\n", "\n/", "):\n", " \n"])
    tails = st.sampled_from(["", "\n", "\n "])
    drawn = [data.draw(ends).join(data.draw(some)) + data.draw(tails) for _ in range(4)]
    texts = [text for text in drawn if text]
    rows, none = np.arange(len(texts)), np.zeros(len(texts), np.int64)
    document, kind = rows.astype(np.int32), np.zeros(len(texts), np.uint8)
    table = (
        document,
        none,
        np.array([*map(len, texts)], np.int64),
        kind,
        document,
        np.full_like(document, -1),
    )
    layout = Layout(texts, table, (), "\n", clauses=True)
    columns = {"score": none.astype(np.float32), "cost": none, "document": document}
    choice = Choice(**columns, layout=layout, counter=TOKEN_TABLES[name], original=2**40)
    written = [choice.attempt(np.where(rows == row, np.uint8(FIRST_KEPT), np.uint8(0))) for row in rows]
    counted = [(one[0], one[4]) for one in written if one is not None]
    assert counted == list(zip(texts, reference(name, texts), strict=True))


def test_marks_of_other_texts_are_refused() -> None:
    counted, nothing = TOKEN_TABLES["o200k_base"], np.zeros(0, np.int64)
    _, marks = counted.count_joined(Utf8(["one", "two"]), " ")
    for texts, by in ((Utf8(["one", "two"]), counted), (Utf8(["one"]), TOKEN_TABLES["cl100k_base"])):
        with pytest.raises(ValueError, match="marks must be of these texts"):
            by.count_spans(texts, nothing.astype(np.int32), nothing, nothing, marks)


@pytest.mark.parametrize(
    ("document", "start", "end"),
    [
        ([0], [-1], [1]),
        ([0], [2], [1]),
        ([0], [0], [4]),
        ([0], [5], [5]),
        ([0, 0], [0, 1], [1]),
        ([2], [0], [0]),
    ],
)
def test_spans_outside_their_texts_are_refused(document: list[int], start: list[int], end: list[int]) -> None:
    with pytest.raises(ValueError, match=r"spans must lie in their texts|as many rows|a text's row"):
        TOKEN_TABLES["o200k_base"].count_spans(
            ["abc", "é"], np.array(document, np.int32), np.array(start), np.array(end)
        )


def table(**changed: int) -> bytes:
    """A tiny file, by the contract: the tokens "a" and "b"."""
    header = {"format": 1, "pattern": 0, "tokens": 2, "strings": 64, "slots": 4, "longest": 1} | changed
    strings = b"\0\1a\1b".ljust(64, b"\0")
    return struct.pack("<8s6I32x", b"TERSEBPE", *header.values()) + strings + bytes(16)


@pytest.mark.parametrize(
    "file",
    [
        b"", b"TERSEBPE", b"X" * 400, table()[:-1], table() + b"\0", table(format=2), table(pattern=2),
        table(slots=0), table(strings=0), table(longest=0), table(longest=256), table(slots=2**32 - 1),
    ],
)  # fmt: skip
def test_what_is_no_table_is_refused(file: bytes) -> None:
    with pytest.raises(ValueError, match="this is no table of tokens"):
        TokenTable(file)


@settings(max_examples=60)
@given(slots=st.binary(min_size=16, max_size=16), strings=st.binary(min_size=64, max_size=64), text=TEXTS)
def test_a_damaged_table_is_read_within_its_bounds(slots: bytes, strings: bytes, text: str) -> None:
    damaged = TokenTable(table()[:64] + strings + slots)
    assert 0 <= damaged.count([text])[0] <= len(text.encode())


def _is_text(token: bytes) -> bool:
    try:
        token.decode()
    except UnicodeDecodeError:
        return False
    return True
