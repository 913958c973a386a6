"""Check texts that are to be stored, have their secrets masked where that was asked for, take digests."""

from __future__ import annotations

import hashlib
import json
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tersely import checks
from tersely.store.texts import MAX_TEXT_BYTES
from tersely.types import Compressed, Document

DOCUMENTS = "tersely.documents"  # where each document is, in the metadata of an original: it is in files
_SEPARATOR = "\n\n"  # between the documents of an original
_MAX_ID = 512  # characters
_MADE_ID = 32  # hexadecimal digits of the digest


@dataclass(frozen=True, slots=True)
class Intake:
    """A text on its way in.

    Attributes:
        id: the caller's, or one made of the digest.
        data: UTF-8 of `text`, lone surrogates included.
        text: what is stored: the caller's text, its secrets masked where that was asked for.
        digest: SHA-256 of `data`.
        metadata: as JSON, "" for none.
        masked: secrets that were masked.
    """

    id: str
    data: bytes
    text: str
    digest: bytes
    metadata: str
    masked: int


def take_in(text: str, id: Any, metadata: Mapping[str, Any] | None, *, mask: bool) -> Intake:
    """Prepare a text for storing. Without an id, one is made of the digest.

    Raises TypeError and ValueError: not a text, over 256 MiB, metadata that is no JSON.
    """
    checks.text(text, "a text to store")
    masked = 0
    if mask:
        from tersely.store.secrets import mask_secrets  # its patterns take a while to be made

        text, masked = mask_secrets(text)
    data = text.encode("utf-8", "surrogatepass")  # what is no text comes back as it was
    if len(data) > MAX_TEXT_BYTES:
        raise ValueError(f"a text to store has at most {MAX_TEXT_BYTES} bytes, not {len(data)}")
    digest = hashlib.sha256(data).digest()
    name = digest.hex()[:_MADE_ID] if id is None else check_id(id)
    return Intake(name, data, text, digest, write_mapping(metadata, "metadata", mask=mask), masked)


def check_id(id: Any) -> str:
    """Return an id as str: one of 1 to 512 characters, or a UUID."""
    if isinstance(id, uuid.UUID):
        return str(id)
    if not isinstance(id, str):
        raise TypeError(f"an id must be str or UUID, not {type(id).__name__}")
    if not 1 <= len(id) <= _MAX_ID:
        raise ValueError(f"an id has 1 to {_MAX_ID} characters, not {len(id)}")
    return checks.identifier(id, "an id")


def write_mapping(mapping: Mapping[str, Any] | None, name: str, *, mask: bool) -> str:
    """Write a mapping as JSON, keys in their order; '' for None and for an empty one."""
    if mapping is None:
        return ""
    if not isinstance(mapping, Mapping):
        raise TypeError(f"{name} must be a mapping, not {type(mapping).__name__}")
    plain = dict(mapping)
    if mask:
        from tersely.store.secrets import mask_mapping

        plain = mask_mapping(mapping)
    try:
        written = json.dumps(plain, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise type(error)(f"{name} must be JSON: {error}") from error
    return written if plain else ""


def check_ratio(ratio: float | None, original: int, compressed: int) -> float:
    """Return the caller's ratio, compressed / original; for None that of the sizes, 1.0 for an empty one."""
    if ratio is None:
        return compressed / original if original else 1.0
    return checks.number(ratio, "compression_ratio", least=0)


def join_documents(documents: Sequence[Document]) -> tuple[str, list[dict[str, Any]]]:
    """Join documents with blank lines; return the text, and where each is: id, title, start, end."""
    places: list[dict[str, Any]] = []
    start = 0
    texts = [document.original for document in documents]
    for document, text in zip(documents, texts, strict=True):
        end = start + len(text)
        places.append({"id": document.id, "title": document.title, "start": start, "end": end})
        start = end + len(_SEPARATOR)
    return _SEPARATOR.join(texts), places


def document_of(text: str, metadata: Mapping[str, Any], document: int) -> str:
    """Cut one of the joined documents out again. Raises IndexError, which says how many there are."""
    places = metadata.get(DOCUMENTS, [{"start": 0, "end": len(text)}])
    number = checks.whole_number(document, "document", least=-sys.maxsize)
    if not 0 <= number < len(places):
        raise IndexError(f"document {number} of {len(places)}: they are numbered from 0")
    return text[places[number]["start"] : places[number]["end"]]


def receipt_facts(compressed: Compressed) -> dict[str, Any]:
    """Return the numbers of a receipt: the metadata of a stored result."""
    receipt = compressed.receipt
    return {
        "tokens": receipt.tokens,
        "original_tokens": receipt.original_tokens,
        "budget": receipt.budget,
        "counter": receipt.counter,
        "used_llm": receipt.used_llm,
        "warnings": list(receipt.warnings),
    }
