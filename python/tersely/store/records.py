"""Define the results of a store: versions, texts, records of compressions, search hits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tersely.checks import brief


@dataclass(frozen=True, slots=True)
class Version:
    """The name and digest of a stored version: immutable, durable.

    Attributes:
        id: the caller's name for the text, or one made of its digest.
        version: 1, 2, ... of this id.
        digest: SHA-256 of the stored text's UTF-8, in hexadecimal.
        masked: secrets that were masked on the way in; above 0 the text as given was not stored.
    """

    id: str
    version: int
    digest: str
    masked: int = 0


@brief
@dataclass(frozen=True, slots=True)
class Stored:
    """One version of a text, exactly as it was stored.

    Attributes:
        id, version, digest, masked: as in `Version`.
        text: the text of this version.
        metadata: what the caller gave with it.
        created: when, UTC.
        original_version: the version of the same id that this one was made from, through however many
            compressions; its own for an original.
        compressed_id: the name of this compressed version; None for an original.
    """

    id: str
    version: int
    digest: str
    text: str
    metadata: Mapping[str, Any]
    created: datetime
    original_version: int
    compressed_id: str | None = None
    masked: int = 0

    @property
    def is_original(self) -> bool:
        """Say whether this version was put, not compressed."""
        return self.version == self.original_version


@brief
@dataclass(frozen=True, slots=True)
class CompressionRecord:
    """A compression of a stored text.

    Attributes:
        compressed_id: the name of the compressed version.
        original_id: the id of the text, which stays the same; `expand` takes both.
        original_text: the root original, however often the text was compressed since.
        compressed_at: when, UTC.
        compression_ratio: compressed / original, as the caller measured it; else of UTF-8 bytes.
        preserved_metadata: what the compression was to preserve, as the caller gave it.
        version, original_version: which versions of the id these are.
    """

    compressed_id: str
    original_id: str
    original_text: str
    compressed_at: datetime
    compression_ratio: float
    preserved_metadata: Mapping[str, Any]
    version: int
    original_version: int


@dataclass(frozen=True, slots=True)
class Use:
    """That what a tool gave was made shorter, or that such a text was asked for whole again.

    Attributes:
        id: of the text; "" where it was deleted since.
        created: when, UTC.
        expanded: whether it was asked for whole again.
        tool: which gave it, "" where nobody said it.
        tokens_in, tokens_out: before and after.
        call: digest of the tool and its command or arguments; "" where nobody said them.
    """

    id: str
    created: datetime
    expanded: bool
    tool: str
    tokens_in: int
    tokens_out: int
    call: str = ""


@brief
@dataclass(frozen=True, slots=True)
class Found:
    """An original that a search found.

    Attributes:
        id, version: which original.
        text, metadata: as stored.
        score: higher is better; comparable within one search only.
    """

    id: str
    version: int
    text: str
    metadata: Mapping[str, Any]
    score: float
