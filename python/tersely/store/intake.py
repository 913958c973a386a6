"""What callers hand over to be stored, checked, masked where that was asked for, and digested."""

from __future__ import annotations

import hashlib
import json
import math
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tersely.documents import check_text
from tersely.store.codec import MAX_TEXT_BYTES
from tersely.store.secrets import mask_mapping, mask_secrets

__all__ = ["Intake", "checked_id", "checked_mapping", "checked_ratio", "intake"]

_MAX_ID = 512  # characters
_MADE_ID = 32  # hexadecimal digits of the digest


@dataclass(frozen=True, slots=True)
class Intake:
    """A text on its way in."""

    id: str
    data: bytes
    text: str
    digest: bytes
    metadata: str
    masked: int


def intake(text: str, id: Any, metadata: Mapping[str, Any] | None, *, mask: bool) -> Intake:
    """The text as it will be stored. Without an id, one is made of its digest: equal texts, equal ids.

    Raises TypeError and ValueError: not a text, a lone surrogate, over 256 MiB, metadata that is no JSON.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text to store must be str, not {type(text).__name__}")
    check_text(text, "a text to store")
    text, masked = mask_secrets(text) if mask else (text, 0)
    data = text.encode("utf-8")
    if len(data) > MAX_TEXT_BYTES:
        raise ValueError(f"a text to store has at most {MAX_TEXT_BYTES} bytes, not {len(data)}")
    digest = hashlib.sha256(data).digest()
    name = digest.hex()[:_MADE_ID] if id is None else checked_id(id)
    return Intake(name, data, text, digest, checked_mapping(metadata, "metadata", mask=mask), masked)


def checked_id(id: Any) -> str:
    """A str of 1 to 512 characters, or a UUID as its str."""
    if isinstance(id, uuid.UUID):
        return str(id)
    if not isinstance(id, str):
        raise TypeError(f"an id must be str or UUID, not {type(id).__name__}")
    if not 1 <= len(id) <= _MAX_ID:
        raise ValueError(f"an id has 1 to {_MAX_ID} characters, not {len(id)}")
    check_text(id, "an id")
    return id


def checked_mapping(mapping: Mapping[str, Any] | None, name: str, *, mask: bool) -> str:
    """The mapping as JSON, keys in their order; '' for None and for an empty one."""
    if mapping is None:
        return ""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(mapping).__name__}")
    plain = mask_mapping(mapping) if mask else dict(mapping)
    try:
        written = json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"{name} must be JSON: {error}") from error
    return written if plain else ""


def checked_ratio(ratio: float | None, original: int, compressed: int) -> float:
    """The caller's ratio, compressed / original; None: of the two sizes, 1.0 for an empty original."""
    if ratio is None:
        return compressed / original if original else 1.0
    if isinstance(ratio, bool) or not isinstance(ratio, (int, float)):
        raise TypeError(f"compression_ratio must be a number, not {type(ratio).__name__}")
    if not (math.isfinite(ratio) and ratio >= 0):
        raise ValueError(f"compression_ratio must be 0 or more, not {ratio}")
    return float(ratio)
