"""Token counters that tokenizers are not: not additive, not monotone, never zero, coarse."""

from __future__ import annotations

import zlib


def words(text: str) -> int:
    return len(text.split())


def characters(text: str) -> int:
    return len(text)


def utf8_bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def quarters(text: str) -> int:
    return -(-len(text) // 4)


def lines(text: str) -> int:
    return text.count("\n") + 1


def remainder(text: str) -> int:
    return len(text) // 4 + len(text) % 7


def wave(text: str) -> int:
    return len(text) // 5 + (len(text) * 7919) % 13


def checksum(text: str) -> int:
    return len(text) // 6 + zlib.crc32(text.encode("utf-8")) % 17


def squares(text: str) -> int:
    return len(text) ** 2 // 100 + 1


def sawtooth(text: str) -> int:
    return 60 - len(text) % 50


ALL = [words, characters, utf8_bytes, quarters, lines, remainder, wave, checksum, squares, sawtooth]
STEADY = [words, characters, utf8_bytes, quarters, lines, squares]  # a longer text never counts less
