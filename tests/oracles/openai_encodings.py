"""OpenAI's encodings as tiktoken has them, made from the tokens that ship here: nothing is downloaded."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import tiktoken
import tiktoken_ext.openai_public as openai
from tersely import models

_HEADER = 64


@cache
def shipped_tokens(name: str) -> tuple[bytes, ...]:
    """The tokens by rank, read from its file in `tersely.models` by its contract (tokens/count.hpp)."""
    data = Path(models.__file__).with_name(f"{name}.bin").read_bytes()
    tokens, at = [], _HEADER + 1
    for _ in range(int.from_bytes(data[16:20], "little")):
        tokens.append(data[at + 1 : at + 1 + data[at]])
        at += 1 + data[at]
    return tuple(tokens)


def rank_file(tokens: Sequence[bytes]) -> bytes:
    """The file of ranks that tiktoken would download."""
    return b"".join(b"%b %d\n" % (b64encode(token), rank) for rank, token in enumerate(tokens))


def stated_hash(name: str) -> str:
    """The SHA-256 that tiktoken's source states for the file of ranks."""
    return str(_arguments(name)["mergeable_ranks"])


def pattern(name: str) -> str:
    """The regular expression that cuts a text into the pieces of an encoding."""
    return str(_arguments(name)["pat_str"])


@cache
def encoding(name: str) -> tiktoken.Encoding:
    """tiktoken's own encoding. Raises AssertionError where the tokens are not those it means."""
    tokens = shipped_tokens(name)
    assert sha256(rank_file(tokens)).hexdigest() == stated_hash(name)
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return tiktoken.Encoding(**_arguments(name) | {"mergeable_ranks": ranks})


def _arguments(name: str) -> dict[str, Any]:
    """What tiktoken makes the encoding of, with the hash in place of the ranks."""
    with mock.patch.object(openai, "load_tiktoken_bpe", lambda _, expected_hash: expected_hash):
        return dict(openai.ENCODING_CONSTRUCTORS[name]())
