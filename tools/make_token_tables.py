"""Write python/tersely/models/NAME.bin for o200k_base and cl100k_base: tokens, and where to find them.

The tokens come from toktok-rs, which ships them. That they are OpenAI's is proven: as a rank file they have
the SHA-256 that tiktoken states for the file it would download. The format: csrc/kernels/tokens/count.hpp.

Run: python tools/make_token_tables.py
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from zlib import crc32

import tiktoken_ext.openai_public as openai
import toktok

MODELS = Path(__file__).parents[1] / "python/tersely/models"
PATTERNS = {"o200k_base": 0, "cl100k_base": 1}
TOKENS = {"o200k_base": 199_998, "cl100k_base": 100_256}  # without the special ones
WORD = (1 << 64) - 1
SPREAD = 8 / 5  # slots a token
ALIGN = 64


def tokens_of(name: str) -> list[bytes]:
    """The tokens of an encoding by rank. Raises ValueError where they are not those tiktoken means."""
    encoding = toktok._encoding(name)
    tokens = [encoding.decode_single_token_bytes(rank) for rank in range(TOKENS[name])]
    found, stated = sha256(rank_file(tokens)).hexdigest(), stated_hash(name)
    if found != stated:
        raise ValueError(f"the rank file of {name} has SHA-256 {found}, but tiktoken states {stated}")
    return tokens


def rank_file(tokens: Sequence[bytes]) -> bytes:
    """The file of ranks that tiktoken downloads."""
    return b"".join(b"%b %d\n" % (b64encode(token), rank) for rank, token in enumerate(tokens))


def stated_hash(name: str) -> str:
    """The SHA-256 that tiktoken's source states for a rank file."""
    stated: list[str] = []
    load = openai.load_tiktoken_bpe

    def note(_: str, expected_hash: str) -> dict[bytes, int]:
        stated.append(expected_hash)
        return {}

    openai.load_tiktoken_bpe = note
    try:
        openai.ENCODING_CONSTRUCTORS[name]()
    finally:
        openai.load_tiktoken_bpe = load
    return stated[0]


def hash_of(token: bytes) -> int:
    """`hash` of csrc/kernels/tokens/count.hpp."""
    size = len(token)
    mixed = (size * 0x9E3779B97F4A7C15) & WORD
    mixed = ((mixed ^ int.from_bytes(token[:8], "little")) * 0xBF58476D1CE4E5B9) & WORD
    mixed ^= mixed >> 32
    for at in range(8, size - 8, 8):
        mixed = ((mixed ^ int.from_bytes(token[at : at + 8], "little")) * 0xBF58476D1CE4E5B9) & WORD
        mixed ^= mixed >> 32
    last = int.from_bytes(token[-8:], "little") if size > 8 else 0
    mixed = ((mixed ^ last) * 0x94D049BB133111EB) & WORD
    return mixed ^ mixed >> 29


def table(name: str, tokens: Sequence[bytes]) -> bytes:
    """The file of an encoding."""
    strings = bytearray(1)  # no token stands at 0, so a slot that is 0 is empty
    count = int(len(tokens) * SPREAD)
    slots = [0] * count
    for token in tokens:
        mixed = hash_of(token)
        place = (mixed >> 32) * count >> 32
        while slots[place]:
            place = (place + 1) % count
        slots[place] = (mixed & 0x7FF) << 21 | len(strings)
        strings += bytes([len(token)]) + token
    assert len(strings) < 1 << 21 and all(len(token) < 256 for token in tokens)
    strings += bytes(-len(strings) % ALIGN)
    longest = max(map(len, tokens))
    header = struct.pack("<8s6I", b"TERSEBPE", 1, PATTERNS[name], len(tokens), len(strings), count, longest)
    digest = sha256(rank_file(tokens)).digest()
    return header + digest + bytes(strings) + struct.pack(f"<{count}I", *slots)


def main() -> None:
    for name in PATTERNS:
        data = table(name, tokens_of(name))
        (MODELS / f"{name}.bin").write_bytes(data)
        print(f"{name}: {len(data)} bytes, CRC-32 {crc32(data):08x}, which models/counters.py states")


if __name__ == "__main__":
    main()
