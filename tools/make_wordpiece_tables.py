"""Write csrc/kernels/embed/wordpiece_tables.inc: what BERT's uncased tokenizer does with each code point.

Recorded from the reference (the package `tokenizers`), whose properties of characters come from several
Unicode versions at once: its categories are those of Unicode 8 or so, and what was assigned later is a letter
to it. Only combining classes come from Python's own database, for the marks that the reference sorts.

Run: python tools/make_wordpiece_tables.py > csrc/kernels/embed/wordpiece_tables.inc
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Iterator

import tokenizers
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

NORMALIZER = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
PRE_TOKENIZER = BertPreTokenizer()
LETTER, DROPPED, BREAK, SPACE, ALONE, MARK = "kLetter", "kDropped", "kBreak", "kSpace", "kAlone", "kMark"
HANGUL = range(0xAC00, 0xD7A4)  # decomposed by arithmetic
LOW_MARK, HIGH_MARK = "\U00001b44", "\u302e"  # kept by the reference, of the classes 9 and 224
LINE = 110  # characters


def action(code: int) -> tuple[str, str]:
    """What becomes of a character between two letters: a class, and what it is replaced by."""
    char = chr(code)
    pieces = [piece for piece, _ in PRE_TOKENIZER.pre_tokenize_str(NORMALIZER.normalize_str(f"a{char}b"))]
    match pieces:
        case ["ab"]:
            return (BREAK if breaks_order(char) else DROPPED), ""
        case ["a", "b"]:
            return SPACE, ""
        case ["a", one, "b"] if len(one) == 1:
            return ALONE, one
        case [whole] if whole[0] == "a" and whole[-1] == "b":
            return (MARK if order(char) else LETTER), whole[1:-1]
    raise AssertionError(f"U+{code:X} gives {pieces}")


def breaks_order(char: str) -> bool:
    """Whether marks on both sides of a dropped character keep their order: it is gone only after sorting."""
    return NORMALIZER.normalize_str(f"a{HIGH_MARK}{char}{LOW_MARK}") == f"a{HIGH_MARK}{LOW_MARK}"


def order(char: str) -> int:
    """Canonical combining class, 0 where the reference does not sort the character."""
    for probe in (LOW_MARK, HIGH_MARK):
        for pair in (probe + char, char + probe):
            if NORMALIZER.normalize_str("a" + pair) == "a" + pair[::-1] != "a" + pair:
                return unicodedata.combining(char)
    return 0


def runs(classes: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """(first, last, class) of each run of equal classes; letters are left out."""
    first, last, current = 0, 0, LETTER
    for code, this in [*classes, (0x110000, "end")]:
        if this != current or code != last + 1:
            if current != LETTER:
                yield first, last, current
            first, current = code, this
        last = code


def write(declaration: str, items: Iterable[str]) -> None:
    print(f"{declaration} = {{")
    line = "   "
    for item in items:
        if len(line) + len(item) + 2 > LINE:
            print(line)
            line = "   "
        line += f" {item},"
    print(f"{line}\n}};\n")


def main() -> None:
    actions = {code: action(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000}
    replaced = {
        code: text
        for code, (kind, text) in actions.items()
        if text and text != chr(code) and code not in HANGUL
    }
    marks = {code: order(chr(code)) for code, (kind, _) in actions.items() if kind == MARK}
    assert all(marks.values())
    assert not marks.keys() & replaced.keys()
    long = {code: text for code, text in replaced.items() if len(text) > 1}
    assert max(map(len, long.values())) <= 4
    sys.stdout.write(
        f"// Recorded from tokenizers {tokenizers.__version__}, combining classes of Unicode "
        f"{unicodedata.unidata_version}; written by tools/make_wordpiece_tables.py.\n"
    )
    write(
        "constexpr ClassRun kClassRuns[]",
        (
            f"{{0x{first:X}, 0x{last:X}, {kind}}}"
            for first, last, kind in runs((code, kind) for code, (kind, _) in actions.items())
        ),
    )
    write(
        "constexpr Replacement kReplacements[]",
        (f"{{0x{code:X}, 0x{ord(text):X}}}" for code, text in replaced.items() if len(text) == 1),
    )
    write(
        "constexpr Expansion kExpansions[]",
        (
            f"{{0x{code:X}, {{{', '.join(f'0x{ord(part):X}' for part in text)}}}}}"
            for code, text in long.items()
        ),
    )
    write("constexpr MarkOrder kMarkOrder[]", (f"{{0x{code:X}, {value}}}" for code, value in marks.items()))


if __name__ == "__main__":
    main()
