"""Slow and obvious oracles, written from the contracts in csrc/kernels/**.hpp.

They share no code and no data layout with the kernels: terms are strings, rows are lists, sums are exact.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

Row = Sequence[str]

# Scripts written without spaces between words (terms.hpp), by the names of their letters.
NGRAM_NAMES = (
    "CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER",
    "MYANMAR", "IDEOGRAPHIC", "VERTICAL KANA", "HALFWIDTH KATAKANA",
)  # fmt: skip
COMBINING_ACCENTS = range(0x300, 0x370)


def fold(char: str) -> str:
    """unicode.hpp: simple case folding, then the base letter where only combining accents follow it."""
    single = [form for form in (char.casefold(), char.lower()) if len(form) == 1]
    folded = single[0] if single else char
    base, *marks = unicodedata.normalize("NFD", folded)
    accented = marks and all(ord(mark) in COMBINING_ACCENTS for mark in marks)
    return fold(base) if accented else folded


def is_ngram_letter(char: str) -> bool:
    return unicodedata.category(char)[0] == "L" and unicodedata.name(char, "").startswith(NGRAM_NAMES)


def stop_words() -> frozenset[str]:
    source = Path(__file__).parents[2] / "csrc" / "kernels" / "text" / "terms.cpp"
    body = source.read_text(encoding="utf-8").partition("kWords = {")[2].partition("};")[0]
    return frozenset(re.findall(r'"([^"]+)"', body))


def windows(text: str, size: int) -> list[tuple[int, int]]:
    """segment.hpp, CHARACTER: fixed windows of characters."""
    return [(start, min(start + size, len(text))) for start in range(0, len(text), size)]


def words(text: str) -> list[str]:
    """segment.hpp, WORD: runs that are not white space; letters of scripts without spaces stand alone,
    with the marks behind them.
    """
    found: list[str] = []
    for run in text.split():
        takes = ""  # what the last piece takes behind it: "", "marks" or "all"
        for char in run:
            is_mark = unicodedata.category(char)[0] == "M"
            if (takes == "all" and not is_ngram_letter(char)) or (takes == "marks" and is_mark):
                found[-1] += char
            else:
                found.append(char)
                takes = "marks" if is_ngram_letter(char) else "all"
    return found


def bigrams(run: str) -> list[str]:
    folded = [fold(char) for char in run]
    return folded if len(folded) == 1 else [left + right for left, right in itertools.pairwise(folded)]


def idf(rows: Sequence[Row]) -> Callable[[str], float]:
    """corpus.hpp: ln(1 + (n - df + 0.5) / (df + 0.5))."""
    n = len(rows)

    def of(term: str) -> float:
        df = sum(term in row for row in rows)
        return math.log(1 + (n - df + 0.5) / (df + 0.5))

    return of


def moulds(rows: Sequence[Row]) -> list[Row]:
    """What segments are made in, in lexical/corpus.hpp."""
    distinct = {tuple(row) for row in rows}
    frequency = {term: sum(term in row for row in distinct) for row in rows for term in row}
    least = max(4, len(rows) // 32)
    found = []
    for row in rows:
        mould = [term for term in row if frequency[term] >= least]
        varies = len(row) - len(mould)
        found.append(row if not mould or len(mould) < 2 * varies or (varies and len(mould) < 3) else mould)
    return [mould if found.count(mould) >= least else row for mould, row in zip(found, rows, strict=True)]


def centrality(rows: Sequence[Row], documents: Sequence[int], common: Container[str] = ()) -> list[float]:
    """lexical/corpus.hpp."""
    mould = [tuple(row) for row in moulds(rows)]
    firsts = [set(row) for i, row in enumerate(rows) if mould[i] not in mould[:i]]

    def term_weight(term: str) -> float:
        return math.log(1 + sum(term in row for row in firsts)) * (0.75 if term in common else 1)

    central = [math.fsum(map(term_weight, set(row))) / (len(row) + 4) for row in rows]
    largest = max(central, default=0.0)
    scores = []
    for i, row in enumerate(rows):
        before = sum(len(rows[j]) for j in range(i) if documents[j] == documents[i])
        told = len([term for term in set(row) if term not in common])
        lead = 0.7 * min(1, told / 8) / (1 + before / 400)
        frames = len({document for other, document in zip(rows, documents, strict=True) if other == row})
        made = mould.count(mould[i])
        earlier = sum(mould[j] == mould[i] and documents[j] == documents[i] for j in range(i))
        again = min(earlier + 1, 2) * (1 + math.log(made / 3)) if made >= 4 else 1
        scores.append((central[i] / largest + lead) / max(1, frames - 1) / again if row else 0.0)
    return scores


def units_of(groups: Sequence[int]) -> list[list[int]]:
    """Rows that are taken together, ordered by their lowest row."""
    units: dict[object, list[int]] = {}
    for row, group in enumerate(groups):
        units.setdefault(group if group >= 0 else ("alone", row), []).append(row)
    return list(units.values())


def greedy(problem: Mapping[str, Any]) -> tuple[set[int], bool]:
    """budgeted.hpp without headings and context, in exact arithmetic by a full search a step.

    `problem`: scores, costs, budget, pinned, group, terms, weights of terms, redundancy. Returns the chosen
    rows, and whether two different units ever were within 1e-12 of each other with a gain that floating
    point may round either way (then another answer is as right).
    """
    scores, costs, budget, pinned = (problem[name] for name in ("scores", "costs", "budget", "pinned"))
    terms, redundancy = problem["terms"], problem["redundancy"]
    units = units_of(problem["group"])
    close, hair = False, Fraction(1, 10**12)

    def value(unit: list[int]) -> Fraction:
        return sum((max(Fraction(0), Fraction(scores[i])) * costs[i] for i in unit), Fraction(0))

    def price(unit: list[int]) -> int:
        return sum(costs[i] for i in unit)

    def overlap(unit: list[int], chosen: set[int]) -> Fraction:
        held = {term for i in chosen for term in terms[i]}
        weights = [(Fraction(problem["weights"][term]), term in held) for i in unit for term in terms[i]]
        total = sum((weight for weight, _ in weights), Fraction(0))
        return (
            sum((weight for weight, is_held in weights if is_held), Fraction(0)) / total
            if total
            else Fraction(0)
        )

    def repeats(unit: list[int], chosen: set[int]) -> bool:
        said = [list(terms[i]) for i in chosen if terms[i]]
        return redundancy > 0 and all(list(terms[i]) in said for i in unit)

    def worth(unit: list[int], chosen: set[int]) -> Fraction:
        if repeats(unit, chosen):
            return Fraction(0)
        return value(unit) * (1 - Fraction(redundancy) * overlap(unit, chosen) ** 2)

    must = {i for unit in units if any(pinned[i] for i in unit) for i in unit}

    def complete(first: list[int]) -> tuple[set[int], Fraction]:
        nonlocal close
        chosen = must | set(first)
        total = worth(first, must) if first else Fraction(0)
        while True:
            used = sum(costs[i] for i in chosen)
            open_units = [unit for unit in units if unit[0] not in chosen and used + price(unit) <= budget]
            if not open_units:
                return chosen, total
            gains = [worth(unit, chosen) / max(price(unit), 1) for unit in open_units]
            best = max(gains)
            rivals = [unit for unit, gain in zip(open_units, gains, strict=True) if best - gain <= hair]
            close |= len(rivals) > 1 and (redundancy > 0 or any(len(unit) > 1 for unit in rivals))
            taken = open_units[gains.index(best)]
            total += worth(taken, chosen)
            chosen |= set(taken)

    rows, total = complete([])
    room = budget - sum(costs[i] for i in must)
    fitting = [unit for unit in units if unit[0] not in must and price(unit) <= room]
    if fitting:
        single = max(fitting, key=lambda unit: worth(unit, must))
        most = worth(single, must)
        close |= abs(most - total) <= hair and len(rows) > len(must) + len(single)
        if most > total:
            rows, _ = complete(single)
    return rows, close


def clauses(sentence: str, openers: Collection[str]) -> list[str]:
    """The clauses of a sentence (sentences.hpp): possible borders one by one, from the left.

    `openers`: the words that open a clause or phrase.
    """
    spaces = [(m.start(), m.end()) for m in re.finditer(r"[ \t-\r\x1c-\x1f]+", sentence)]
    marks = [(at, at) for at, mark in enumerate(sentence) if mark == "—"]
    marks += [(at + 1, at + 1) for at, mark in enumerate(sentence) if mark in "、，；：）،؛"]
    found, begin = [], 0
    for end, start in sorted(spaces + marks):
        before, behind = sentence[:end], sentence[start:]
        least = 6
        if end < start:
            by_mark = re.search(r"""[,;:)\]}|]["'”’]?$""", before) and not (
                re.search(r"[0-9],$", before) and re.match("[0-9]", behind)
            )
            word = re.match(r"([a-z]+)[ \t-\r\x1c-\x1f]", behind)
            if not by_mark and not re.match(r"[(\[]|(-{1,3}|–)[ \t-\r\x1c-\x1f]", behind):
                least = 20 if word and word[1] in openers else len(sentence.encode()) + 1
        sizes = [len(part.encode()) for part in (sentence[begin:end], behind)]
        if min(sizes) >= least:
            found.append(sentence[begin:end])
            begin = start
    return [piece.strip() for piece in [*found, sentence[begin:]] if piece.strip()]
