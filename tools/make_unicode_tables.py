"""Write csrc/kernels/text/unicode_tables.inc from Python's own Unicode database.

Run: python tools/make_unicode_tables.py > csrc/kernels/text/unicode_tables.inc
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterator

LETTER, DIGIT, MARK, UPPER, LOWER, NGRAM, SPACE, CLOSING = (1 << bit for bit in range(8))
LIMIT = 0x32400  # everything above (tags, private use) has class 0
# Scripts written without spaces between words: their terms are character bigrams.
NGRAM_RANGES = [
    (0x0E01, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3130, 0x318F),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xAC00, 0xD7FF),  # Hangul
    (0xF900, 0xFAFF),
    (0xFF66, 0xFF9F),
    (0x20000, 0x323AF),
]


def char_class(code: int) -> int:
    if 0xD800 <= code < 0xE000:
        return 0
    char = chr(code)
    category = unicodedata.category(char)
    flags = 0
    if category[0] == "L" or category == "Nl":
        flags |= LETTER
    if category == "Nd":
        flags |= DIGIT
    if category[0] == "M":
        flags |= MARK
    if category in ("Lu", "Lt"):
        flags |= UPPER
    if category == "Ll":
        flags |= LOWER
    if category[0] in "LMN" and any(low <= code <= high for low, high in NGRAM_RANGES):
        flags |= NGRAM
    if char.isspace():
        flags |= SPACE
    if category in ("Pe", "Pf") or char in "\"'`":
        flags |= CLOSING
    return flags


def fold(code: int) -> int:
    """Simple case folding, then the base letter where only combining accents follow it."""
    if 0xD800 <= code < 0xE000:
        return code
    char = chr(code)
    for folded in (char.casefold(), char.lower()):
        if len(folded) == 1:
            char = folded
            break
    parts = unicodedata.normalize("NFD", char)
    if len(parts) > 1 and all(0x300 <= ord(mark) <= 0x36F for mark in parts[1:]):
        return fold(ord(parts[0]))  # the base of a capital whose folding is two characters is a capital
    return ord(char)


def runs(value: Callable[[int], int], limit: int) -> Iterator[tuple[int, int, int]]:
    """(first, last, value) of each run of equal values; zero runs are left out."""
    first, current = 0, value(0)
    for code in range(1, limit + 1):
        this = value(code) if code < limit else -1
        if this != current:
            if current:
                yield first, code - 1, current
            first, current = code, this


def main() -> None:
    out = sys.stdout
    out.write(f"// Unicode {unicodedata.unidata_version}, written by tools/make_unicode_tables.py.\n")
    out.write("constexpr ClassRun kClassRuns[] = {\n")
    for first, last, flags in runs(char_class, LIMIT):
        out.write(f"    {{0x{first:X}, 0x{last:X}, {flags}}},\n")
    out.write("};\n\n// Each code point whose fold differs from itself.\n")
    out.write("constexpr FoldPair kFoldPairs[] = {\n")
    for code in range(LIMIT):
        folded = fold(code)
        if folded != code:
            out.write(f"    {{0x{code:X}, 0x{folded:X}}},\n")
    out.write("};\n")


if __name__ == "__main__":
    main()
