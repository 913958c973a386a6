"""How rare each of some texts is among them, against a plain reading of the contract (content/rarity.hpp)."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from hypothesis import given, strategies as st
from tersely import _native

_SPACE = re.compile(r"[ \t\n\v\f\r]+")
_NAME = re.compile(r"(?:[A-Za-z0-9_$]|[^\x00-\x7f])+")


def words_of(text: str) -> list[str]:
    words: list[str] = []
    before = " "
    for letter in text:
        is_letter = re.match(r"[A-Za-z]|[^\x00-\x7f]", letter) is not None
        begins = letter.isascii() and letter.isupper() and not (before.isascii() and before.isupper())
        if is_letter and words and words[-1] and not begins:
            words[-1] += letter.lower() if letter.isascii() else letter
        elif is_letter:
            words.append(letter.lower() if letter.isascii() else letter)
        else:
            words.append("")
        before = letter
    return [word for word in words if word]


def expected(texts: list[str]) -> list[float]:
    forms = [_SPACE.sub("", _NAME.sub("w", text)) for text in texts]
    said = [words_of(text) for text in texts]
    holders = Counter(word for words in said for word in set(words))
    many = Counter(forms)
    rare = [sum(1 / holders[word] for word in words) / max(len(words), 1) for words in said]
    return [0.5 / many[form] ** 0.5 + 0.5 * own for form, own in zip(forms, rare, strict=True)]


@given(st.lists(st.text(st.sampled_from('abAB Zé中19_$=."\t-w'), max_size=12), max_size=12))
def test_rarity_is_what_its_contract_says(texts: list[str]) -> None:
    np.testing.assert_allclose(_native.rarity(texts), expected(texts), rtol=1e-12)


def test_the_odd_one_is_the_rarest() -> None:
    texts = [f"#define REG_{number} 0x{number}" for number in range(100)]
    assert _native.rarity([*texts, "#define DISABLE_WATCHDOG 1"]).argmax() == 100
    assert _native.rarity([*texts, "#undef REG_1"]).argmax() == 100
    assert _native.rarity([*texts, "Reg: 5"]).argmax() == 100
