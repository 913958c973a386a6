"""An agent's context as segments in a store: compress, expand, stash, remove; nothing is ever lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from tersely.errors import UnknownIdError, VersionConflictError
from tersely.memory.segments.cost import CompressionCost
from tersely.memory.segments.plan import Action, ContextPlan, plan_context
from tersely.memory.segments.policy import ContextState, Predicates
from tersely.memory.segments.records import (
    CONTEXT,
    PLACES,
    REMOVED,
    STASH,
    from_store,
    is_segment,
    newest_of,
    original_of,
    place_of,
    to_metadata,
)
from tersely.memory.segments.replacing import Replacer, changed, not_found
from tersely.memory.segments.results import (
    Applied,
    CompressionResult,
    ExpandResult,
    SegmentError,
    StashedCompression,
    StashHit,
)
from tersely.memory.segments.segment import ContextSegment, SegmentType, new_segment, now_utc
from tersely.memory.segments.shortening import Shortener, Wanted
from tersely.providers.counters import resolve_counter
from tersely.providers.language_models import resolve_language_model
from tersely.store import Store, Stored

__all__ = ["SegmentMemory"]

_NOT_COMPRESSED = "Segment not found or not compressed"
_LARGEST_SEARCH = 10_000


class SegmentMemory:
    """Segments of an agent's context, kept in a store. Nothing happens to a segment unless a method that says
    so is called; originals are stored before anything takes their place, and no method deletes them.

    Thread-safe, as the store is.
    """

    def __init__(
        self,
        store: Store,
        *,
        model: Any = None,
        counter: Any = None,
        predicates: Predicates | None = None,
        cost: CompressionCost | None = None,
        clock: Callable[[], datetime] = now_utc,
        concurrency: int = 4,
    ) -> None:
        """A memory over a store.

        Args:
            store: an open `tersely.store.Store`; other texts in it are left alone.
            model: what `resolve_language_model` takes; None: compression is by rules.
            counter: of tokens, as in `tersely.compress`.
            predicates: judgements of `plan` that you know better.
            cost: of a call of the model, and how long segments are used: what does not pay is declined.
            clock: gives the time, with its zone.
            concurrency: segments that are with the model at a time.
        """
        self.store = store
        self._counter = resolve_counter(counter)
        checked = None if model is None else resolve_language_model(model)
        shortener = Shortener(self._counter, checked, concurrency)
        self._replacer = Replacer(store, self._counter, shortener, cost, clock)
        self._predicates, self._clock = predicates or Predicates(), clock

    def store_context_segment(
        self,
        text: str,
        *,
        segment_id: str | None = None,
        type: SegmentType | str = SegmentType.CONVERSATION_MESSAGE,
        file_path: str | None = None,
        line_number: int | None = None,
        timestamp: datetime | None = None,
        topic: str | None = None,
    ) -> ContextSegment:
        """Put a segment into the context. Without an id, one is made of the text's digest; under an id that
        is known, this text takes the place of the one before, which stays in the store."""
        segment = new_segment(
            segment_id or "new",
            text,
            type,
            file_path=file_path,
            line_number=line_number,
            timestamp=timestamp,
            topic=topic,
            counter=self._counter,
            clock=self._clock,
        )
        metadata = to_metadata(segment, CONTEXT, self._counter)
        return replace(segment, segment_id=self.store.put(text, id=segment_id, metadata=metadata).id)

    def get(self, segment_id: str) -> ContextSegment:
        """A segment as it is now; a compressed id names its segment. Raises UnknownIdError."""
        return from_store(self.store, newest_of(self.store, segment_id), self._counter)

    def list_context_segments(self, place: str | None = CONTEXT) -> list[ContextSegment]:
        """The segments in a place ("context", "stash", "removed"; None: all), in the order of their first
        storing. O(texts in the store)."""
        if place is not None and place not in PLACES:
            raise ValueError(f"place must be one of {', '.join(PLACES)}, or None for all, not {place!r}")
        found = (self.store.get(id) for id in self.store.ids())
        chosen = [one for one in found if is_segment(one) and place in (None, place_of(one))]
        return [from_store(self.store, one, self._counter) for one in chosen]

    def compress_context_segment(
        self,
        segment_ids: Sequence[str],
        preserve_metadata: Sequence[str] | None = None,
        target_compression_ratio: float = 0.6,
        preserve_active_state: bool = True,
    ) -> CompressionResult:
        """Replace segments by shorter ones that still say where the work stands.

        Each is made from its root original, checked (`check_preserved`), and replaced in one transaction, or
        stays as it is with an error that says what was lost; one does not hold up the others.

        Args:
            segment_ids: at least one; compressed ids name their segments.
            preserve_metadata: fields to preserve besides PRESERVE_ALWAYS; None: DEFAULT_PRESERVE_METADATA.
            target_compression_ratio: compressed / original tokens, at most; in (0, 1].
            preserve_active_state: whether "active_state" and RECENCY_METADATA are preserved, too.

        Raises ValueError or TypeError for arguments that are none of these.
        """
        wanted = Wanted.of(preserve_metadata, target_compression_ratio, preserve_active_state)
        return self._replacer.compress(_checked_ids(segment_ids), wanted, stashed=False)

    def compress_and_stash(
        self,
        segment_id: str,
        preserve_metadata: Sequence[str] | None = None,
        target_compression_ratio: float = 0.6,
        preserve_active_state: bool = True,
    ) -> StashedCompression:
        """As `compress_context_segment` for one segment; `search_stash` finds its original from then on."""
        wanted = Wanted.of(preserve_metadata, target_compression_ratio, preserve_active_state)
        result = self._replacer.compress(_checked_ids([segment_id]), wanted, stashed=True)
        if result.errors:
            return StashedCompression(None, False, False, result.errors[0])
        return StashedCompression(result.compressed_segments[0], True, True)

    def expand_compressed_context(self, segment_id: str) -> ExpandResult:
        """The original of a compressed segment, byte for byte; it is back in its place afterwards. So is one
        that was stashed or removed.

        `segment_id`: a segment's id, or the id of any compressed version of it. What is neither compressed
        nor out of the context gives an error.

        Raises NotReversibleError where secrets of the original were masked when it was stored, and
        VersionConflictError where it changes at this very moment.
        """
        try:
            asked = self.store.get(segment_id)
            newest = newest_of(self.store, asked.id)
        except UnknownIdError:
            return ExpandResult(segment_id, error=_NOT_COMPRESSED, code="not_compressed")
        in_place = newest.is_original and place_of(newest) == CONTEXT
        if in_place and asked.is_original:
            return ExpandResult(segment_id, error=_NOT_COMPRESSED, code="not_compressed")
        text = self.store.expand(segment_id)
        if not in_place:
            self._move(newest, CONTEXT)
        return ExpandResult(newest.id, text, self._clock())

    def search_stash(self, query: str, top_n: int = 5) -> list[StashHit]:
        """The stashed originals that match best: those out of the context, and `compress_and_stash`'s."""
        wanted, width = top_n, top_n
        while True:
            found = self.store.search(query, width)
            hits = []
            for one in found:
                newest = self.store.get(one.id)
                if is_segment(newest) and (place_of(newest) == STASH or newest.metadata["stashed"]):
                    hits.append(StashHit(one.id, one.text, one.score, place_of(newest) == CONTEXT))
            if len(hits) >= wanted or len(found) < width or width >= _LARGEST_SEARCH:
                return hits[:wanted]
            width *= 4

    def plan_context(
        self, state: ContextState | None = None, *, target_compression_ratio: float = 0.6
    ) -> ContextPlan:
        """What could be done with each segment of the context, and why. Changes nothing."""
        segments = self.list_context_segments()
        state = state or ContextState(clock=self._clock)
        state = replace(
            state,
            now=state.now if state.now is not None else self._clock(),
            stored_ids=state.stored_ids | {segment.segment_id for segment in segments},
        )
        return plan_context(
            segments, state, self._predicates, target_compression_ratio=target_compression_ratio
        )

    def apply(
        self,
        plan: ContextPlan,
        preserve_metadata: Sequence[str] | None = None,
        preserve_active_state: bool = True,
    ) -> Applied:
        """Do what a plan says. A segment that is gone, or has another text than the plan's, stays."""
        wanted = Wanted.of(preserve_metadata, plan.target_compression_ratio, preserve_active_state)
        kept: list[str] = []
        to_compress: list[str] = []
        moved: dict[str, list[str]] = {STASH: [], REMOVED: []}
        errors: list[SegmentError] = []
        for decision in plan.decisions:
            try:
                newest = newest_of(self.store, decision.segment_id)
            except UnknownIdError:
                errors.append(not_found(decision.segment_id))
                continue
            if newest.digest != decision.digest or place_of(newest) != CONTEXT:
                errors.append(changed(decision.segment_id))
            elif decision.action is Action.KEEP:
                kept.append(decision.segment_id)
            elif decision.action is Action.COMPRESS:
                to_compress.append(decision.segment_id)
            else:
                place = STASH if decision.action is Action.STASH else REMOVED
                try:
                    self._move(newest, place)
                    moved[place].append(decision.segment_id)
                except VersionConflictError:
                    errors.append(changed(decision.segment_id))
        done = self._replacer.compress(to_compress, wanted, stashed=False)
        tokens = sum(segment.tokens for segment in self.list_context_segments())
        return Applied(tuple(kept), tuple(moved[STASH]), tuple(moved[REMOVED]), done, tuple(errors), tokens)

    def manage_context(self, state: ContextState | None = None, **options: Any) -> Applied:
        """`plan_context` and `apply` at once, where that is wanted; nothing else compresses by itself."""
        return self.apply(self.plan_context(state, **options))

    def _move(self, newest: Stored, place: str) -> None:
        """To a place, as the original. Raises VersionConflictError where `newest` no longer is."""
        original = original_of(self.store, newest, self._counter)
        metadata = to_metadata(original, place, self._counter)
        self.store.put(original.text, id=newest.id, metadata=metadata, expected_version=newest.version)


def _checked_ids(segment_ids: Sequence[str]) -> list[str]:
    if isinstance(segment_ids, str) or not all(isinstance(id, str) for id in segment_ids):
        raise TypeError(f"segment_ids must be a list of str, not {segment_ids!r}")
    if not segment_ids:
        raise ValueError("segment_ids must name at least one segment")
    return list(dict.fromkeys(segment_ids))
