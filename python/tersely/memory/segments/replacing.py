"""Compressed segments in the place of their originals, one transaction each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tersely.errors import UnknownIdError
from tersely.memory.segments.cost import CompressionCost
from tersely.memory.segments.records import newest_of, original_of, place_of, to_metadata
from tersely.memory.segments.results import CompressedSegment, CompressionResult, SegmentError
from tersely.memory.segments.segment import ContextSegment
from tersely.memory.segments.shortening import Short, Shortener, Wanted
from tersely.protocols import BatchTokenCounter
from tersely.store import Store, Stored

__all__ = ["Replacer", "changed", "not_found"]


@dataclass(frozen=True, slots=True)
class Replacer:
    """Compresses segments of a store (see `SegmentMemory` for the fields)."""

    store: Store
    counter: BatchTokenCounter
    shortener: Shortener
    cost: CompressionCost | None
    clock: Callable[[], datetime]

    def compress(self, ids: Sequence[str], wanted: Wanted, *, stashed: bool) -> CompressionResult:
        """Each segment from its root original; one that fails stays as it is.

        `stashed`: searches of the stash find the originals.
        """
        before: dict[str, Stored] = {}
        errors: dict[str, SegmentError] = {}
        originals: dict[str, ContextSegment] = {}
        for id in ids:
            try:
                before[id] = newest_of(self.store, id)
                originals[id] = original_of(self.store, before[id], self.counter)
            except UnknownIdError:
                errors[id] = not_found(id)
        for id, segment in originals.items():
            if (declined := self._declined(segment, wanted)) is not None:
                errors[id] = declined
        todo = [id for id in originals if id not in errors]
        done: dict[str, CompressedSegment] = {}
        for id, made in zip(
            todo, self.shortener.shorten([originals[id] for id in todo], wanted), strict=True
        ):
            if isinstance(made, SegmentError):
                errors[id] = replace(made, segment_id=id)
            elif newest_of(self.store, before[id].id).version != before[id].version:
                errors[id] = changed(id)
            else:
                done[id] = self._replace(before[id], originals[id], made, stashed)
        compressed = tuple(done[id] for id in ids if id in done)
        return CompressionResult(
            compressed,
            sum(one.tokens_saved for one in compressed),
            errors=tuple(errors[id] for id in ids if id in errors),
        )

    def _replace(
        self, before: Stored, original: ContextSegment, made: Short, stashed: bool
    ) -> CompressedSegment:
        ratio = made.tokens / original.tokens
        stashed = stashed or bool(before.metadata["stashed"])
        new = to_metadata(original, place_of(before), self.counter, tokens=made.tokens, stashed=stashed)
        compressed_id = before.compressed_id
        if compressed_id is None or before.text != made.text or before.metadata["stashed"] != stashed:
            version = self.store.replace(
                before.id,
                made.text,
                compression_ratio=ratio,
                preserved_metadata=made.preserved,
                metadata={**new, "generated": [list(place) for place in made.generated]},
                compressed_at=self.clock(),
            )
            compressed_id = self.store.get(before.id, version.version).compressed_id
        return CompressedSegment(
            before.id,
            compressed_id or before.id,
            original.tokens,
            made.tokens,
            original.tokens - made.tokens,
            ratio,
            made.method,
            tuple(made.report.kept),
            made.cached,
        )

    def _declined(self, segment: ContextSegment, wanted: Wanted) -> SegmentError | None:
        """Where a model is to be paid for, and what it saves does not pay for it."""
        if self.cost is None or self.shortener.model is None or segment.tokens == 0:
            return None
        if self.shortener.is_known(segment, wanted):
            return None
        saved = segment.tokens - int(segment.tokens * wanted.target_ratio)
        needed = self.cost.requests_to_pay(saved)
        if needed is not None and needed <= self.cost.requests_expected:
            return None
        after = "never" if needed is None else f"after {needed} requests"
        return SegmentError(
            segment.segment_id,
            "not_worth_it",
            f"Not worth a model's call: saving {saved} tokens pays {after}, "
            f"{self.cost.requests_expected} are expected",
        )


def not_found(id: str) -> SegmentError:
    """There is no such segment."""
    return SegmentError(id, "not_found", "Segment not found")


def changed(id: str) -> SegmentError:
    """Somebody else wrote to it meanwhile."""
    return SegmentError(id, "changed", "The segment has changed meanwhile; it stays as it is")
