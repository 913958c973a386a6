"""Texts made to provoke a regular expression, from its own parts: what backtracks does it on one of these.

The pattern is parsed as `re` parses it. Each part that repeats is repeated as often as fits, behind what must
stand before it, with something behind it that does not fit; so are whole matches, beginnings of them, and
each character that the pattern tells apart.
"""

from __future__ import annotations

import re
import re._constants as sre
import re._parser as parser
from collections.abc import Iterator
from typing import Any

REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
FEW = 40  # repeats: more are "as often as wanted"
ENDS = ("", "\x00", "\n", " ", "a", "!")  # one of them does not fit
CATEGORY = {
    sre.CATEGORY_DIGIT: "1",
    sre.CATEGORY_NOT_DIGIT: "a",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "a",
    sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_WORD: "-",
}
COMMON = "a1 \n\t-."  # characters that a negated class is tried with
MOST_CHARACTERS = 12  # of one class


def hostile_texts(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (before, repeated, behind): texts are before + repeated * n + behind."""
    flags = pattern.flags
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(source, flags if isinstance(pattern.pattern, str) else flags | re.ASCII)
    seen = set()
    for before, repeated in _pumps(tree, flags):
        for behind in ENDS:
            made = (before, repeated, behind)
            if repeated and made not in seen:
                seen.add(made)
                yield made


def _pumps(tree: Any, flags: int) -> Iterator[tuple[str, str]]:
    characters = sorted(_characters(tree))
    for character in characters:
        yield "", character
    beginnings = []
    for before, bodies in _repeats(tree, ""):
        for body in bodies:
            yield before, body  # the part alone
            yield "", before + body  # all that begins a match
            yield before, body + body[:1]
            beginnings.append(before + body * 3)
    for beginning in beginnings:
        yield "", beginning
    for whole in _samples(tree):
        yield "", whole
        yield "", whole + "\n"
        for size in {1, len(whole) // 2, len(whole) - 1}:
            yield "", whole[:size]
    for one in characters:
        for other in characters:
            if not (one + other).isalnum() and len(characters) <= MOST_CHARACTERS:
                yield one, one + other
    spaces = [character for character in characters if character.isspace()]
    for space in spaces:
        for other in characters:
            yield "", space + other
            yield "", space * 30 + other
            yield other, space


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what stands before each part that may repeat often, and samples of that part."""
    for op, value in tree:
        if op in REPEATS and value[1] > FEW:
            yield before, _samples(value[2])
        for inner in _inner(op, value):
            yield from _repeats(inner, before)
        before += (_samples([(op, value)]) or [""])[0]


def _inner(op: Any, value: Any) -> list[Any]:
    if op in REPEATS:
        return [value[2]]
    if op is sre.BRANCH:
        return list(value[1])
    if op is sre.SUBPATTERN:
        return [value[3]]
    if op is sre.ATOMIC_GROUP:
        return [value]
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return [value[1]]
    if op is sre.GROUPREF_EXISTS:
        return [part for part in value[1:] if part is not None]
    return []


def _samples(tree: Any) -> list[str]:
    """Return a few texts that the part stands for, as if its assertions held; the simplest is the first."""
    made = [""]
    for op, value in tree:
        made = [text + part for text in made for part in _sample(op, value)][:8]
    return made


def _sample(op: Any, value: Any) -> list[str]:
    if op in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
        return sorted(_of_one(op, value))[:4]
    if op in REPEATS:
        return [text * max(value[0], 1) for text in _samples(value[2])]
    if op is sre.BRANCH:
        return [text for branch in value[1] for text in _samples(branch)[:2]][:6]
    if op is sre.SUBPATTERN:
        return _samples(value[3])
    if op is sre.ATOMIC_GROUP:
        return _samples(value)
    return [""]


def _of_one(op: Any, value: Any) -> set[str]:
    """Return characters of a one-character part."""
    if op is sre.LITERAL:
        return {chr(value)}
    if op is sre.NOT_LITERAL:
        return {character for character in COMMON if ord(character) != value}
    if op is sre.ANY:
        return {"a", " ", "."}
    negated = value[0][0] is sre.NEGATE
    said: set[str] = set()
    for kind, part in value:
        if kind is sre.LITERAL:
            said.add(chr(part))
        elif kind is sre.RANGE:
            low, high = part
            said |= {chr(low), chr(high)} | {
                character for character in COMMON if low <= ord(character) <= high
            }
        elif kind is sre.CATEGORY:
            said.add(CATEGORY.get(part, "a"))
            if part is sre.CATEGORY_SPACE:
                said |= {"\n", "\t"}
    return set(COMMON) - said if negated else set(sorted(said)[:MOST_CHARACTERS])


def _characters(tree: Any) -> set[str]:
    found: set[str] = set()
    for op, value in tree:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY):
            found |= _of_one(op, value)
        if op is sre.NOT_LITERAL:
            found.add(chr(value))
        for inner in _inner(op, value):
            found |= _characters(inner)
    return found
