"""Keep an agent's context as segments in a store: compress, expand, stash, remove; nothing is ever lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from tersely import checks
from tersely.engine.reading import count
from tersely.errors import UnknownIdError, VersionConflictError
from tersely.memory.segments.policy import (
    Action,
    CompressionCost,
    ContextPlan,
    ContextState,
    Predicates,
    plan_context,
)
from tersely.memory.segments.segment import (
    Applied,
    CompressedSegment,
    CompressionResult,
    CompressionState,
    ContextSegment,
    ExpandResult,
    SegmentError,
    SegmentMetadata,
    SegmentType,
    StashedCompression,
    StashHit,
    metadata_values,
    new_segment,
    now_utc,
)
from tersely.memory.segments.shortening import Shortener, ShorteningRequest, ShortText
from tersely.models.counters import resolve_counter
from tersely.models.language_models import resolve_language_model
from tersely.store import Store
from tersely.store.versions import Stored

CONTEXT, STASH, REMOVED = PLACES = ("context", "stash", "removed")
_MARK = "context_segment"  # what other texts of a store do not have
_NOT_COMPRESSED = "Segment not found or not compressed"
_FAILED = {
    "not_found": "Segment not found",
    "changed": "The segment has changed meanwhile; it stays as it is",
}
_TO = {Action.STASH: STASH, Action.REMOVE: REMOVED}
_TRIES = 8  # to put an original back where others change it, too
_LARGEST_SEARCH = 10_000


def to_metadata(segment: ContextSegment, place: str, *, stashed: bool = False) -> dict[str, Any]:
    """Make the store's metadata of a segment in one of PLACES; `stashed`: a search finds its original."""
    known = metadata_values(segment)  # tokens are counted when it is read
    return {_MARK: 1, **known, "type": str(segment.type), "place": place, "stashed": stashed}


class SegmentMemory:
    """Stores notes of an agent (segments of its context) and shortens them when a method is called.

    Originals are stored first, and no method deletes them. Thread-safe, as the store is.
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
        """Make a memory over a store.

        Args:
            store: an open `tersely.store.Store`; other texts in it are left alone. With an embedder
                (`Store.open(path, embedder=None)`), searches of the stash go by meaning, too.
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
        concurrency = checks.whole_number(concurrency, "concurrency", least=1)
        self._shortener = Shortener(self._counter, checked, concurrency)
        self._cost, self._clock = cost, clock
        self._predicates = predicates or Predicates()

    # --- reading -----------------------------------------------------------------------------------------

    def get(self, segment_id: str) -> ContextSegment:
        """Return a segment as it is now; a compressed id names its segment. Raises UnknownIdError."""
        return self._read(self._newest(segment_id))

    def list_context_segments(self, place: str | None = CONTEXT) -> list[ContextSegment]:
        """List the segments in "context", "stash" or "removed" (None: all), in the order of storing."""
        checks.one_of(place, "place", (*PLACES, None))
        every = map(self.store.get, self.store.ids())
        found = [one for one in every if _MARK in one.metadata]
        return [self._read(one) for one in found if place in (None, one.metadata["place"])]

    def search_stash(self, query: str, top_n: int = 5) -> list[StashHit]:
        """Find the originals of stashed segments, and those of `compress_and_stash`, that match a query best.

        It searches by words, and by meaning if the store has an embedder (`Store.search`).
        """
        width = checks.whole_number(top_n, "top_n", least=1)
        while True:
            found = self.store.search(query, width)
            hits = []
            for one in found:
                known = self.store.get(one.id).metadata
                if _MARK in known and (known["place"] == STASH or known["stashed"]):
                    hits.append(StashHit(one.id, one.text, one.score, known["place"] == CONTEXT))
            if len(hits) >= top_n or len(found) < width or width >= _LARGEST_SEARCH:
                return hits[:top_n]
            width *= 4

    # --- storing and compressing -------------------------------------------------------------------------

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
        """Add a segment to the context, or replace the text of a known id; the store keeps the old text."""
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
        stored = self.store.put(text, id=segment_id, metadata=to_metadata(segment, CONTEXT))
        return replace(segment, segment_id=stored.id)

    def compress_context_segment(
        self,
        segment_ids: Sequence[str],
        preserve_metadata: Sequence[str] | None = None,
        target_compression_ratio: float = 0.6,
        preserve_active_state: bool = True,
    ) -> CompressionResult:
        """Replace the texts of segments by shorter ones that keep the state of the work.

        Each short text is made from the root original, checked (`check_preserved`), and stored in one
        transaction. If the check refuses it, the segment stays as it is, with an error that says what was
        lost; the other segments are compressed all the same.

        Args:
            segment_ids: at least one; compressed ids name their segments.
            preserve_metadata: fields to preserve besides PRESERVE_ALWAYS; None: DEFAULT_PRESERVE_METADATA.
                Fields that only a segment's metadata has ("topic", "timestamp") are put in front of the text.
            target_compression_ratio: compressed / original tokens, at most; in (0, 1].
            preserve_active_state: whether "active_state" and RECENCY_METADATA are preserved, too.

        Raises ValueError or TypeError for a wrong argument.
        """
        request = ShorteningRequest.of(preserve_metadata, target_compression_ratio, preserve_active_state)
        ids = checks.texts(segment_ids, "segment_ids")
        if not ids:
            raise ValueError("segment_ids must name at least one segment")
        return self._compress(ids, request)

    def compress_and_stash(
        self,
        segment_id: str,
        preserve_metadata: Sequence[str] | None = None,
        target_compression_ratio: float = 0.6,
        preserve_active_state: bool = True,
    ) -> StashedCompression:
        """Compress as `compress_context_segment` does, and let `search_stash` find the original."""
        request = ShorteningRequest.of(preserve_metadata, target_compression_ratio, preserve_active_state)
        result = self._compress(checks.texts([segment_id], "segment_ids"), request, stashed=True)
        if result.errors:
            return StashedCompression(None, False, False, result.errors[0])
        return StashedCompression(result.compressed_segments[0], True, True)

    def expand_compressed_context(self, segment_id: str) -> ExpandResult:
        """Restore the original of a compressed, stashed or removed segment, byte for byte.

        `segment_id`: a segment's id, or the id of any compressed version of it. A segment that is neither
        compressed nor outside the context gives an error.

        Several threads may expand the same segment: each gets the original. Raises NotReversibleError if
        secrets were masked when it was stored, and VersionConflictError if other writers keep changing it.
        """
        refused = ExpandResult(segment_id, error=_NOT_COMPRESSED, code="not_compressed")
        try:
            asked = self.store.get(segment_id)
            newest = self._newest(asked.id)
        except UnknownIdError:
            return refused
        if asked.is_original and _is_in_place(newest):
            return refused
        text = self.store.expand(segment_id)
        for left in reversed(range(_TRIES)):
            if _is_in_place(newest):
                break
            try:
                self._move(newest, CONTEXT)
                break
            except VersionConflictError:  # perhaps by somebody who expands it, too
                if not left:
                    raise
                newest = self._newest(asked.id)
        return ExpandResult(newest.id, text, self._clock())

    # --- planning ----------------------------------------------------------------------------------------

    def plan_context(
        self, state: ContextState | None = None, *, target_compression_ratio: float = 0.6
    ) -> ContextPlan:
        """Propose an action for each segment of the context, with a reason. Changes nothing."""
        segments = self.list_context_segments()
        state = state or ContextState(clock=self._clock)
        now = state.now if state.now is not None else self._clock()
        state = replace(state, now=now, stored_ids=state.stored_ids | {one.segment_id for one in segments})
        return plan_context(
            segments, state, self._predicates, target_compression_ratio=target_compression_ratio
        )

    def apply(
        self,
        plan: ContextPlan,
        preserve_metadata: Sequence[str] | None = None,
        preserve_active_state: bool = True,
    ) -> Applied:
        """Carry out a plan. A segment that is gone, or whose text has changed since, stays as it is."""
        ratio = plan.target_compression_ratio
        request = ShorteningRequest.of(preserve_metadata, ratio, preserve_active_state)
        done: dict[Action, list[str]] = {action: [] for action in Action}
        errors: list[SegmentError] = []
        for decision in plan.decisions:
            id, place = decision.segment_id, _TO.get(decision.action)
            try:
                newest = self._newest(id)
                if newest.digest != decision.digest or newest.metadata["place"] != CONTEXT:
                    errors.append(_failed(id, "changed"))
                    continue
                if place is not None:
                    self._move(newest, place)
                done[decision.action].append(id)
            except (UnknownIdError, VersionConflictError) as error:
                errors.append(_failed(id, "not_found" if isinstance(error, UnknownIdError) else "changed"))
        compression = self._compress(done[Action.COMPRESS], request)
        tokens = sum(segment.tokens for segment in self.list_context_segments())
        kept, stashed, removed = (tuple(done[one]) for one in (Action.KEEP, Action.STASH, Action.REMOVE))
        return Applied(kept, stashed, removed, compression, tuple(errors), tokens)

    def manage_context(self, state: ContextState | None = None, **options: Any) -> Applied:
        """Plan and apply in one call."""
        return self.apply(self.plan_context(state, **options))

    # --- the store ---------------------------------------------------------------------------------------

    def _newest(self, segment_id: str) -> Stored:
        """Return the newest version of a segment, by any of its ids. Raises UnknownIdError."""
        stored = self.store.get(segment_id)
        stored = stored if stored.id == segment_id else self.store.get(stored.id)
        if _MARK not in stored.metadata:
            raise UnknownIdError(f"no segment is stored under the id {segment_id!r}")
        return stored

    def _read(self, stored: Stored) -> ContextSegment:
        """Return the segment of a stored version."""
        known, tokens = stored.metadata, count(self._counter, stored.text)
        when = datetime.fromisoformat(known["timestamp"])
        metadata = SegmentMetadata(known["file_path"], known["line_number"], when, known["topic"], tokens)
        state = CompressionState()
        if not stored.is_original and stored.compressed_id is not None:
            made = self.store.records(stored.compressed_id)[0]
            ratio, preserved = made.compression_ratio, made.preserved_metadata
            state = CompressionState(True, made.original_id, made.compressed_at, ratio, preserved)
        return ContextSegment(stored.id, stored.text, SegmentType(known["type"]), metadata, state)

    def _original(self, newest: Stored) -> ContextSegment:
        """Return the root original of a segment."""
        return self._read(
            newest if newest.is_original else self.store.get(newest.id, newest.original_version)
        )

    def _move(self, newest: Stored, place: str) -> None:
        """Put the original into a place. Raises VersionConflictError where `newest` is not that any more."""
        original = self._original(newest)
        metadata = to_metadata(original, place)
        self.store.put(original.text, id=newest.id, metadata=metadata, expected_version=newest.version)

    def _compress(
        self, ids: Sequence[str], request: ShorteningRequest, *, stashed: bool = False
    ) -> CompressionResult:
        """Compress each segment from its root original; one that fails stays as it is.

        `stashed`: searches of the stash find the originals.
        """
        done: dict[str, CompressedSegment | SegmentError] = {}
        todo: dict[str, tuple[Stored, ContextSegment]] = {}
        for id in ids:
            try:
                newest = self._newest(id)
            except UnknownIdError:
                done[id] = _failed(id, "not_found")
                continue
            if newest.id in done or newest.id in todo:
                continue  # the same segment by another of its ids
            original = self._original(newest)
            known = self._reusable(newest, original, request, stashed) or self._decline(original, request)
            if known is not None:
                done[newest.id] = known
            else:
                todo[newest.id] = (newest, original)
        shortened = self._shortener.shorten([original for _, original in todo.values()], request)
        for (id, (newest, original)), short in zip(todo.items(), shortened, strict=True):
            done[id] = (
                short
                if isinstance(short, SegmentError)
                else self._replace(newest, original, short, request, stashed)
            )
        found = [done[id] for id in dict.fromkeys([*ids, *done]) if id in done]
        compressed = tuple([one for one in found if isinstance(one, CompressedSegment)])
        errors = tuple([one for one in found if isinstance(one, SegmentError)])
        return CompressionResult(compressed, sum(one.tokens_saved for one in compressed), errors=errors)

    def _replace(
        self,
        before: Stored,
        original: ContextSegment,
        short: ShortText,
        request: ShorteningRequest,
        stashed: bool,
    ) -> CompressedSegment | SegmentError:
        """Put a short text into the place of a segment, unless it has changed meanwhile."""
        known = before.metadata
        made = {
            "generated": [list(place) for place in short.generated],
            "method": short.method,
            "kept": short.report.kept,
            "asked": self._shortener.key(original, request),
        }
        try:
            version = self.store.replace(
                before.id,
                short.text,
                compression_ratio=short.tokens / original.tokens,
                preserved_metadata=short.preserved,
                metadata={
                    **to_metadata(original, known["place"], stashed=stashed or known["stashed"]),
                    **made,
                },
                compressed_at=self._clock(),
                expected_version=before.version,
            )
        except VersionConflictError:  # perhaps by somebody who asked for the same
            same = self._reusable(self._newest(before.id), original, request, stashed)
            return same or _failed(before.id, "changed")
        return self._saving(self.store.get(before.id, version.version), original, short.cached)

    def _saving(self, short: Stored, original: ContextSegment, cached: bool) -> CompressedSegment:
        """Report what a short form saves."""
        tokens, known = count(self._counter, short.text), short.metadata
        saved, ratio, kept = original.tokens - tokens, tokens / original.tokens, tuple(known.get("kept", ()))
        ids = (short.id, short.compressed_id or short.id)
        return CompressedSegment(*ids, original.tokens, tokens, saved, ratio, known["method"], kept, cached)

    def _reusable(
        self, newest: Stored, original: ContextSegment, request: ShorteningRequest, stashed: bool
    ) -> CompressedSegment | None:
        """Return the short form that is there already, if it was made with the same arguments."""
        known = newest.metadata
        if newest.compressed_id is None or known.get("asked") != self._shortener.key(original, request):
            return None
        return None if stashed and not known["stashed"] else self._saving(newest, original, True)

    def _decline(self, segment: ContextSegment, request: ShorteningRequest) -> SegmentError | None:
        """Decline if a model costs more than it saves."""
        if self._cost is None or self._shortener.model is None or segment.tokens == 0:
            return None
        saved = segment.tokens - int(segment.tokens * request.target_ratio)
        needed = self._cost.requests_to_pay(saved)
        is_worth_it = needed is not None and needed <= self._cost.requests_expected
        if is_worth_it or self._shortener.is_known(segment, request):
            return None
        after = "never" if needed is None else f"after {needed} requests"
        return SegmentError(
            segment.segment_id,
            "not_worth_it",
            f"Not worth a model's call: saving {saved} tokens pays {after}, "
            f"{self._cost.requests_expected} are expected (tokens to save: {self._cost.least_saving})",
        )


def _is_in_place(stored: Stored) -> bool:
    """Say whether a version is an original in the context."""
    return stored.is_original and stored.metadata["place"] == CONTEXT


def _failed(id: str, code: str) -> SegmentError:
    return SegmentError(id, code, _FAILED[code])
