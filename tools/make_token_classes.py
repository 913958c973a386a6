"""Write csrc/kernels/tokens/classes.inc: the classes of characters that the encodings' patterns ask about.

Recorded from tiktoken itself, whose regular expressions bring their own version of Unicode: what a pattern of
one class matches in a text of all characters.

Run: python tools/make_token_classes.py > csrc/kernels/tokens/classes.inc
"""

from __future__ import annotations

import tiktoken

CLASSES = {  # name in pieces.hpp -> pattern; no character is in two of them
    "kUpper": r"[\p{Lu}\p{Lt}]",
    "kLower": r"\p{Ll}",
    "kOther": r"[\p{Lm}\p{Lo}]",
    "kMark": r"\p{M}",
    "kNumber": r"\p{N}",
    "kSpace": r"\s",
}
BYTES = {bytes([byte]): byte for byte in range(256)}
LINE = 110  # characters


def members(pattern: str) -> list[int]:
    """Every character that a pattern matches."""
    text = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000)
    encoding = tiktoken.Encoding("bytes", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    return [ord(char) for char in bytes(encoding.encode_ordinary(text)).decode()]


def main() -> None:
    class_of: dict[int, str] = {}
    for name, pattern in CLASSES.items():
        for code in members(pattern):
            assert code not in class_of, f"U+{code:X} is in two classes"
            class_of[code] = name
    runs: list[tuple[int, int, str]] = []
    for code, name in sorted(class_of.items()):
        if runs and runs[-1][1] == code - 1 and runs[-1][2] == name:
            runs[-1] = (runs[-1][0], code, name)
        else:
            runs.append((code, code, name))
    print(f"// Recorded from tiktoken {tiktoken.__version__} by tools/make_token_classes.py.")
    print("constexpr ClassRun kClassRuns[] = {")
    line = "   "
    for first, last, name in runs:
        item = f" {{0x{first:X}, 0x{last:X}, {name}}},"
        if len(line) + len(item) > LINE:
            print(line)
            line = "   "
        line += item
    print(f"{line}\n}};")


if __name__ == "__main__":
    main()
