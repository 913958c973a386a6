"""Compressed segments in the place of their originals, one transaction each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tersely.errors import UnknownIdError, VersionConflictError
from tersely.memory.segments.cost import CompressionCost
from tersely.memory.segments.preservation import check_preserved
from tersely.memory.segments.records import from_store, newest_of, original_of, place_of, to_metadata
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
        done: dict[str, CompressedSegment] = {}
        seen: set[str] = set()
        for id in ids:
            try:
                newest = newest_of(self.store, id)
            except UnknownIdError:
                errors[id] = not_found(id)
                continue
            if newest.id in seen:
                continue  # the same segment by another of its ids
            seen.add(newest.id)
            before[id], originals[id] = newest, original_of(self.store, newest, self.counter)
            if (known := self._known(newest, originals[id], wanted, stashed)) is not None:
                done[id] = known
            elif (declined := self._declined(originals[id], wanted)) is not None:
                errors[id] = declined
        todo = [id for id in originals if id not in errors and id not in done]
        for id, made in zip(
            todo, self.shortener.shorten([originals[id] for id in todo], wanted), strict=True
        ):
            if isinstance(made, SegmentError):
                errors[id] = replace(made, segment_id=id)
                continue
            try:
                done[id] = self._replace(before[id], originals[id], made, stashed, wanted)
            except VersionConflictError:  # perhaps by somebody who asked for the same
                known = self._known(newest_of(self.store, before[id].id), originals[id], wanted, stashed)
                if known is not None:
                    done[id] = known
                else:
                    errors[id] = changed(id)
        compressed = tuple(done[id] for id in ids if id in done)
        return CompressionResult(
            compressed,
            sum(one.tokens_saved for one in compressed),
            errors=tuple(errors[id] for id in ids if id in errors),
        )

    def _replace(
        self, before: Stored, original: ContextSegment, made: Short, stashed: bool, wanted: Wanted
    ) -> CompressedSegment:
        ratio = made.tokens / original.tokens
        stashed = stashed or bool(before.metadata["stashed"])
        new = to_metadata(original, place_of(before), self.counter, tokens=made.tokens, stashed=stashed)
        said = {"generated": [list(place) for place in made.generated], "method": made.method}
        version = self.store.replace(
            before.id,
            made.text,
            compression_ratio=ratio,
            preserved_metadata=made.preserved,
            metadata={**new, **said, "asked": self.shortener.key(original, wanted)},
            compressed_at=self.clock(),
            expected_version=before.version,
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

    def _known(
        self, newest: Stored, original: ContextSegment, wanted: Wanted, stashed: bool
    ) -> CompressedSegment | None:
        """What stands there already, where it was made with the same arguments."""
        if newest.compressed_id is None or newest.metadata.get("asked") != self.shortener.key(
            original, wanted
        ):
            return None
        if stashed and not newest.metadata["stashed"]:
            return None
        tokens = from_store(self.store, newest, self.counter).tokens
        return CompressedSegment(
            newest.id,
            newest.compressed_id,
            original.tokens,
            tokens,
            original.tokens - tokens,
            tokens / original.tokens,
            newest.metadata["method"],
            tuple(check_preserved(original, newest.text, wanted.fields).kept),
            cached=True,
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
            f"{self.cost.requests_expected} are expected (tokens to save: {self.cost.least_saving})",
        )


def not_found(id: str) -> SegmentError:
    """There is no such segment."""
    return SegmentError(id, "not_found", "Segment not found")


def changed(id: str) -> SegmentError:
    """Somebody else wrote to it meanwhile."""
    return SegmentError(id, "changed", "The segment has changed meanwhile; it stays as it is")
