"""Shorten segments by a model or by rules; a text that lost a required field is refused."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import tersely
from tersely import checks
from tersely.cache import BoundedCache
from tersely.engine.reading import count
from tersely.errors import CompressionError
from tersely.memory.segments.agreement import term_lists
from tersely.memory.segments.clauses import Role
from tersely.memory.segments.paraphrases import LEVELS, Form
from tersely.memory.segments.preservation import (
    PreservationReport,
    compare,
    field_values,
    fields_to_preserve,
    inject_preserved_metadata,
    metadata_to_state,
)
from tersely.memory.segments.reading import Reading, pasted_blocks, read_segment, says
from tersely.memory.segments.segment import ContextSegment, SegmentError
from tersely.memory.segments.words import pattern
from tersely.memory.statements import CHANGE
from tersely.models.language_models import CheckedLanguageModel, run_flow
from tersely.protocols import BatchTokenCounter
from tersely.text import well_formed
from tersely.writing.flow import Reply, Task, ask
from tersely.writing.prompt import Prompt

_RULES = """2. Preserve ALL of the following:
   - File paths and line numbers
   - Active state (what's currently being worked on)
   - Recent errors and their locations
   - Progress information (what's done, what's next)
   - Critical decisions and rationale
3. Remove:
   - Verbose explanations that don't add critical info
   - Redundant details
   - Historical details not needed for current state
4. Maintain recency bias: Always preserve "where we are" and "what we're doing\""""


def segment_prompt(tokens: int, preserve_metadata: Sequence[str], preserve_active_state: bool) -> Prompt:
    """Ask for a segment of so many tokens in about {target}.

    `preserve_metadata`: names of fields (preserved.py), checked by the caller.
    """
    return Prompt(
        "Compress the following context segment while preserving critical information.\n{rules}\n\n"
        f"Original Context ({tokens} tokens):\n{{content}}\n\n"
        f"Compression Requirements:\n1. Reduce to approximately {{target}} tokens\n{_RULES}\n\n"
        f"Preserve these specific metadata fields:\n{', '.join(preserve_metadata)}\n\n"
        f"Active State Preservation: {preserve_active_state}\n\n"
        "Generate a compressed version that maintains all critical information while being more concise. "
        "Focus on preserving recency and active state.\nReply with the compressed version alone."
    )


@dataclass(frozen=True, slots=True)
class ShorteningRequest:
    """The checked arguments of `compress_context_segment`."""

    fields: tuple[str, ...]  # to be preserved
    target_ratio: float  # compressed / original tokens, at most; in (0, 1]
    active_state: bool  # whether the active state is to be preserved

    @classmethod
    def of(
        cls, preserve_metadata: Sequence[str] | None, target_ratio: float, preserve_active_state: bool
    ) -> ShorteningRequest:
        """Check the arguments. Raises ValueError or TypeError."""
        ratio = checks.share(target_ratio, "target_compression_ratio")
        active = checks.flag(preserve_active_state, "preserve_active_state")
        return cls(tuple(fields_to_preserve(preserve_metadata, active)), ratio, active)


Places = tuple[tuple[int, int], ...]
Draft = tuple[str, Places]  # a shorter form that the gate has not seen yet, and what of it is not verbatim


@dataclass(frozen=True, slots=True)
class ShortText:
    """A shorter text that passed the quality gate."""

    text: str  # with what only the metadata knew in front of it
    tokens: int
    report: PreservationReport
    preserved: dict[str, Any]  # field -> value
    method: str  # "model" or "rules"
    generated: Places  # what the model or the rules wrote; the rest is verbatim
    cached: bool = False  # the model's reply was known already


@dataclass(frozen=True, slots=True)
class Shortener:
    """Write shorter texts for segments, by a model, or by rules that leave room for an extract."""

    counter: BatchTokenCounter
    model: CheckedLanguageModel | None = None
    concurrency: int = 4  # segments that are with the model at a time
    replies: BoundedCache[str] = field(default_factory=lambda: BoundedCache(16 * 2**20))  # by prompt

    def shorten(
        self, segments: Sequence[ContextSegment], request: ShorteningRequest
    ) -> list[ShortText | SegmentError]:
        """Shorten the segments in order; one that stays as it is has a reason.

        With a model, equal segments are asked for once, and all that are not known are asked for together.
        """
        segments = [replace(segment, text=well_formed(segment.text)) for segment in segments]
        if self.model is None:
            return [self._by_rules(segment, request) for segment in segments]
        tasks = [self._task(segment, request) for segment in segments]
        keys = [self._reply_key(task) for task in tasks]
        known = {key: self.replies.get(key) for key in keys}
        todo = {key: task for key, task in zip(keys, tasks, strict=True) if not known[key] and task.content}
        asked = run_flow(ask(list(todo.values())), self.model, self.concurrency)
        fresh = dict(zip(todo, asked, strict=True))
        results = []
        for segment, key in zip(segments, keys, strict=True):
            text = known[key]
            reply = Reply(text) if text else fresh.get(key, Reply("", reason="empty"))
            made = self._by_model(segment, request, reply)
            if isinstance(made, ShortText):
                made = replace(made, cached=bool(text))
                if not text:
                    self.replies.put(key, reply.text, len(reply.text))
            results.append(made)
        return results

    def is_known(self, segment: ContextSegment, request: ShorteningRequest) -> bool:
        """Say whether the model was asked this before, and its reply was of use."""
        return self.replies.get(self._reply_key(self._task(segment, request))) is not None

    def key(self, segment: ContextSegment, request: ShorteningRequest) -> str:
        """The cache key of a compression: text, metadata, arguments, counter and model."""
        metadata = replace(segment.metadata, tokens=0)
        if "timestamp" not in request.fields:  # the same text, stored again, need not be shortened again
            metadata = replace(metadata, timestamp=datetime.min.replace(tzinfo=UTC))
        known = f"{segment.type}\0{metadata}\0{request}"
        return self._reply_key(self._task(segment, request), known).hex()

    def _task(self, segment: ContextSegment, request: ShorteningRequest) -> Task:
        prompt = segment_prompt(segment.tokens, request.fields, request.active_state)
        budget = int(segment.tokens * request.target_ratio)
        limit = max(budget - self._front_tokens(segment, request, ""), 1)
        return Task(well_formed(segment.text), prompt, limit, self.counter)

    def _reply_key(self, task: Task, known: str = "") -> bytes:
        name = self.model.name if self.model is not None else ""
        key_text = f"{name}\0{known}\0{task.prompt.fill(task.content, task.limit)}"
        return hashlib.sha256(key_text.encode()).digest()

    def _by_model(
        self, segment: ContextSegment, request: ShorteningRequest, reply: Reply
    ) -> ShortText | SegmentError:
        """Take the reply if it passes the gate; one that is too long is checked, too, for the report."""
        name = segment.segment_id
        if segment.tokens == 0:
            return SegmentError(name, "empty", "The segment has no tokens")
        if reply.text:
            draft = (reply.text, ((0, len(reply.text)),))
            return self._judge(segment, read_segment(segment), request, draft, "model")
        if reply.reason == "model_failed":
            return SegmentError(name, reply.reason, f"The model failed: {type(reply.error).__name__}")
        code = reply.reason or "empty_reply"
        return SegmentError(name, code, "The model's reply has no text that can be used")

    def _by_rules(self, segment: ContextSegment, request: ShorteningRequest) -> ShortText | SegmentError:
        """Take the first form that passes; else report what the best one lost, and its ratio."""
        name = segment.segment_id
        if segment.tokens == 0:
            return SegmentError(name, "empty", "The segment has no tokens")
        failed: list[SegmentError] = []
        source = read_segment(segment)
        for draft in self._drafts(segment, source, request):
            made = self._judge(segment, source, request, draft, "rules")
            if isinstance(made, ShortText):
                return made
            failed.append(made)
        if not failed:
            budget = int(segment.tokens * request.target_ratio)
            error = f"No text of at most {budget} tokens says what it must"
            return SegmentError(name, "not_compressed_enough", error)
        return min(failed, key=lambda error: (len(error.lost), error.compression_ratio or 0.0))

    def _judge(
        self, segment: ContextSegment, source: Reading, request: ShorteningRequest, draft: Draft, method: str
    ) -> ShortText | SegmentError:
        """Let a text pass where nothing is lost, nothing made up, and it is short enough."""
        text, generated = draft
        whole = inject_preserved_metadata(text, metadata_to_state(segment, text, request.fields))
        report = compare(segment, source, whole, request.fields)
        tokens = count(self.counter, whole)
        ratio = tokens / segment.tokens
        said = "The compressed text"
        if report.lost:
            code, error = "lost", f"{said} lost {', '.join(report.lost)}"
        elif (
            report.unsupported and method == "model"
        ):  # rules only copy; an extract may count what it left out
            many = len(report.unsupported)
            code, error = "unsupported", f"{said} has {many} facts that the original does not have"
        elif report.contradicted:
            many = len(report.contradicted)
            code, error = "contradicted", f"{said} says something else in {many} clauses"
        elif ratio > request.target_ratio:
            code = "not_compressed_enough"
            error = f"Not compressed enough: ratio {ratio:.2f}, target {request.target_ratio:g}"
        else:
            lead = len(whole) - len(text)
            places = tuple([(start + lead, end + lead) for start, end in generated])
            places = ((0, lead), *places) if lead else places
            values = field_values(segment, source, request.fields)
            return ShortText(whole, tokens, report, values, method, places)
        made_up = (*report.unsupported, *report.contradicted)
        found = (tuple(report.lost), tuple(report.kept), tuple(report.missing), made_up)
        return SegmentError(segment.segment_id, code, error, *found, ratio)

    # --- without a model -------------------------------------------------------------------------------

    def _drafts(
        self, segment: ContextSegment, reading: Reading, request: ShorteningRequest
    ) -> Iterator[Draft]:
        """Write shorter forms of about the tokens that are requested, the fullest first.

        Of notes: their state, with an extract of the rest where there is room. Of anything: an extract alone,
        in which every clause stands that says what must survive. Each O(characters).
        """
        room = partial(self._room, segment, request)
        state = ""
        for level in LEVELS if reading.is_note else ():
            state = Form(reading, level).text()
            if room(state) >= 0:
                break
        if state:
            state += "".join([f" {rule}" for rule in reading.rules])
            for one in _told(reading):  # what changed or is denied, as far as it fits beside the state
                said = f" {one.rstrip('.')}."
                state += said if room(f"{state}{said}") >= 0 else ""
            extract, places = self._extract(reading, _unsaid(reading, state), room(f"{state}\n"), [])
            lead = len(state) + 1
            moved = [(start + lead, end + lead) for start, end in places]
            yield f"{state}\n{extract}".rstrip("\n"), ((0, len(state)), *moved)
        pinned = [(clause.start, clause.end) for clause in reading.state]
        extract, places = self._extract(reading, segment.text, room(""), pinned)
        if extract.strip():
            yield extract, places

    def _extract(self, reading: Reading, text: str, room: int, pinned: list[tuple[int, int]]) -> Draft:
        """Compress a text verbatim by its content type; nothing if not even one piece fits whole."""
        if room < 1 or not text.strip():
            return "", ()
        plain = reading.is_note and not pasted_blocks(text)
        strategy: Any = tersely.Extractive(preserve=_FIRST) if plain else "auto"
        try:
            kept = tersely.compress(text, budget=room, counter=self.counter, strategy=strategy, pinned=pinned)
        except CompressionError:
            return "", ()
        if any(span.reason == "cut" for span in kept.kept):
            return "", ()
        return kept.text, tuple(kept.generated)

    def _room(self, segment: ContextSegment, request: ShorteningRequest, text: str) -> int:
        """Count the tokens left beside a text and the fields put in front of it."""
        budget = int(segment.tokens * request.target_ratio)
        return budget - self._front_tokens(segment, request, text) - count(self.counter, text)

    def _front_tokens(self, segment: ContextSegment, request: ShorteningRequest, text: str) -> int:
        state = metadata_to_state(segment, text, request.fields)
        return count(self.counter, inject_preserved_metadata("", state)) + 1 if state else 0


_TOLD = pattern("told")
_FRAGMENT = 3  # words; a clause of no more ("In particular") says nothing by itself
_FIRST = ("paths", "errors", "decisions", "identifiers", "numbers")  # facts that an extract should hold


def _told(reading: Reading) -> list[str]:
    """Return what denies something, or says that it changed, beside work and prohibitions, by sentences."""
    found: dict[int, tuple[int, int]] = {}
    for one in reading.clauses:
        if one.role is Role.OTHER and not one.is_pasted:
            found[one.sentence] = (found.get(one.sentence, (one.start, 0))[0], one.end)
    texts = [reading.text[start:end] for start, end in found.values()]
    known = " ".join(reading.rules)
    return [
        text for text in texts if text not in known and (_TOLD.search(text) or CHANGE.search(text.lower()))
    ]


def _unsaid(reading: Reading, state: str) -> str:
    """Return the clauses that a state lacks, without those about rejected choices."""
    error = reading.error if reading.error and says(state, reading.error) else None
    clauses = [one for one in reading.clauses if one.role in (Role.OTHER, Role.ERROR, Role.DONE)]
    there, *terms = map(set, term_lists([state, *[one.message for one in clauses]]))
    unsaid = [
        one.text
        for one, own in zip(clauses, terms, strict=True)
        if len(one.text.split()) > _FRAGMENT and not (own <= there or (error and error in one.text))
    ]
    return "\n".join(unsaid)
