"""Read and write segments as the store keeps them: the text, and the rest as its metadata."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tersely.context.segment import CompressionState, ContextSegment, SegmentMetadata, to_segment_type
from tersely.core.errors import UnknownIdError
from tersely.core.protocols import BatchTokenCounter
from tersely.engine.count import count, name_of
from tersely.providers.counters import COUNTERS
from tersely.store import CompressionRecord, Store, Stored

__all__ = [
    "CONTEXT",
    "PLACES",
    "REMOVED",
    "STASH",
    "from_store",
    "is_segment",
    "newest_of",
    "original_of",
    "place_of",
    "to_metadata",
]

CONTEXT, STASH, REMOVED = PLACES = ("context", "stash", "removed")
_MARK = "context_segment"  # what other texts of a store do not have
_KNOWN = {"type", "file_path", "line_number", "timestamp", "topic", "tokens", "counter", "place", "stashed"}


def to_metadata(
    segment: ContextSegment,
    place: str,
    counter: BatchTokenCounter,
    *,
    tokens: int | None = None,
    stashed: bool = False,
) -> dict[str, Any]:
    """Make the store's metadata of a segment.

    `place`: one of PLACES. `counter`: of its tokens. `tokens`: of the text that is stored,
    where it is not the segment's. `stashed`: whether a search of the stash finds its original.
    """
    known = segment.metadata
    return {
        _MARK: 1,
        "type": str(segment.type),
        "file_path": known.file_path,
        "line_number": known.line_number,
        "timestamp": known.timestamp.isoformat(),
        "topic": known.topic,
        "tokens": segment.tokens if tokens is None else tokens,
        "counter": name_of(counter),
        "place": place,
        "stashed": stashed,
    }


def is_segment(stored: Stored) -> bool:
    """Say whether a stored text is a segment."""
    return stored.metadata.keys() >= {_MARK, *_KNOWN}


def place_of(stored: Stored) -> str:
    """Say where a segment is: one of PLACES."""
    return str(stored.metadata["place"])


def from_store(store: Store, stored: Stored, counter: BatchTokenCounter) -> ContextSegment:
    """Return the segment of a stored version, counted again if another counter had counted its tokens."""
    known = stored.metadata
    # Of other counters, two may have one name; of a text that was masked, more was counted.
    same = known["counter"] == name_of(counter) in COUNTERS and not stored.masked
    tokens = int(known["tokens"]) if same else count(counter, stored.text)
    metadata = SegmentMetadata(
        known["file_path"],
        known["line_number"],
        datetime.fromisoformat(known["timestamp"]),
        known["topic"],
        tokens,
    )
    state = CompressionState()
    if not stored.is_original and stored.compressed_id is not None:
        state = _state(store.records(stored.compressed_id)[0])
    return ContextSegment(stored.id, stored.text, to_segment_type(known["type"]), metadata, state)


def _state(record: CompressionRecord) -> CompressionState:
    return CompressionState(
        True, record.original_id, record.compressed_at, record.compression_ratio, record.preserved_metadata
    )


def newest_of(store: Store, segment_id: str) -> Stored:
    """Return the newest version of a segment; a compressed id names its segment. Raises UnknownIdError."""
    stored = store.get(segment_id)
    if stored.id != segment_id:
        stored = store.get(stored.id)
    if not is_segment(stored):
        raise UnknownIdError(f"no segment is stored under the id {segment_id!r}")
    return stored


def original_of(store: Store, newest: Stored, counter: BatchTokenCounter) -> ContextSegment:
    """Return the root original of a segment."""
    root = newest if newest.is_original else store.get(newest.id, newest.original_version)
    return from_store(store, root, counter)
