"""Check texts that are to be stored, mask their secrets where that was asked for, take digests."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tersely import checks
from tersely.store.codec import MAX_TEXT_BYTES
from tersely.types import Compressed, Document

# (kind, pattern): what is masked is the group "secret", or the whole match. The forms are those that their
# issuers document. A run of characters is read a bounded number of times: what repeats is bounded, or cannot
# begin inside itself, so that time is linear.
_APART = r"(?<![A-Za-z0-9_\-])"
_PATTERNS = (
    (
        "private key",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[^\-]|-(?!----))*"
        r"-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    ("AWS key id", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
    ("GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("GitLab token", _APART + r"glpat-[A-Za-z0-9_\-]{20,255}"),
    ("Slack token", _APART + r"xox[abeoprs]-[A-Za-z0-9\-]{10,255}"),
    ("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("Google key", _APART + r"AIza[A-Za-z0-9_\-]{35}"),
    ("API key", _APART + r"sk-[A-Za-z0-9_\-]{20,255}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", _APART + r"pypi-[A-Za-z0-9_\-]{32,255}"),
    ("JWT", _APART + r"eyJ[A-Za-z0-9_\-]{10,4096}\.[A-Za-z0-9_\-]{10,8192}\.[A-Za-z0-9_\-]{10,4096}"),
    ("bearer token", r"(?i:\bbearer )(?P<secret>[A-Za-z0-9._~+/\-]{16,4096}=*)"),
    ("password in a URL", r"\b[a-z][a-z0-9+.\-]{1,20}://[^\s:/@]{0,100}:(?P<secret>[^\s:/@]{1,200})@"),
    (
        "password",
        r"(?i:(?:password|passwd|pwd|secret|secret_key|api_key|apikey|api-key|access_key|access_token|"
        r"auth_token|client_secret)[\"']?\s{0,3}[:=]\s{0,3})[\"']?"
        r"(?P<secret>(?!\[masked: |[\w.]*[(\[{])[^\s\"',;]{6,500})",
    ),
)
_COMPILED = tuple((kind, re.compile(pattern)) for kind, pattern in _PATTERNS)


def mask_secrets(text: str) -> tuple[str, int]:
    """Put `[masked: KIND]` for every secret that is recognized; return the text and how many. Linear."""
    total = 0
    for kind, pattern in _COMPILED:
        text, count = pattern.subn(partial(_masked, kind), text)
        total += count
    return text, total


def mask_mapping(mapping: Mapping[str, Any]) -> dict[str, Any]:
    """Mask the secrets in every text of a mapping, however deep; keys stay."""
    return {key: _mask_value(value, str(key)) for key, value in mapping.items()}


def _mask_value(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        masked, count = mask_secrets(f"{key}={value}")  # {"password": "..."} is one, too
        return masked.partition("=")[2] if count and masked.startswith(f"{key}=") else mask_secrets(value)[0]
    if isinstance(value, Mapping):
        return mask_mapping(value)
    if isinstance(value, (list, tuple)):
        return [_mask_value(item) for item in value]
    return value


def _masked(kind: str, match: re.Match[str]) -> str:
    start, end = match.span("secret") if "secret" in match.re.groupindex else match.span()
    whole, first = match.group(), match.start()
    return f"{whole[: start - first]}[masked: {kind}]{whole[end - first :]}"


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
    text, masked = mask_secrets(text) if mask else (text, 0)
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
    plain = mask_mapping(mapping) if mask else dict(mapping)
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
    """Return what the receipt says in numbers: the metadata of a stored result."""
    receipt = compressed.receipt
    return {
        "tokens": receipt.tokens,
        "original_tokens": receipt.original_tokens,
        "budget": receipt.budget,
        "counter": receipt.counter,
        "used_llm": receipt.used_llm,
        "warnings": list(receipt.warnings),
    }
