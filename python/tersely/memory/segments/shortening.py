"""Shorten segments, by a model or by rules; no text passes that lost what has to stay."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import tersely
from tersely import checks
from tersely.cache import BoundedCache
from tersely.engine.reading import count
from tersely.errors import CompressionError
from tersely.memory.segments.clauses import Role
from tersely.memory.segments.paraphrases import Form
from tersely.memory.segments.preservation import (
    PreservationReport,
    compare,
    field_values,
    fields_to_preserve,
    inject_preserved_metadata,
    metadata_to_state,
)
from tersely.memory.segments.reading import Reading, pasted_blocks, read_segment, said_values
from tersely.memory.segments.segment import ContextSegment, SegmentError
from tersely.models.flows import run_flow
from tersely.models.language_models import CheckedLanguageModel
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
    """The checked arguments of `compress_context_segment`.

    Attributes:
        fields: to be preserved.
        target_ratio: compressed / original tokens, at most; in (0, 1].
        active_state: whether the active state is to be preserved.
    """

    fields: tuple[str, ...]
    target_ratio: float
    active_state: bool

    @classmethod
    def of(
        cls, preserve_metadata: Sequence[str] | None, target_ratio: float, preserve_active_state: bool
    ) -> ShorteningRequest:
        """Check the arguments. Raises ValueError or TypeError."""
        ratio = checks.share(target_ratio, "target_compression_ratio")
        active = checks.flag(preserve_active_state, "preserve_active_state")
        return cls(tuple(fields_to_preserve(preserve_metadata, active)), ratio, active)


@dataclass(frozen=True, slots=True)
class ShortText:
    """A shorter text that passed the quality gate.

    Attributes:
        text: with what only the metadata knew in front of it.
        tokens: of it.
        report: what it kept.
        preserved: field -> value.
        method: "model" or "rules".
        generated: (start, end) of what the model or the rules wrote; the rest is verbatim.
        cached: whether the model's reply was known already.
    """

    text: str
    tokens: int
    report: PreservationReport
    preserved: dict[str, Any]
    method: str
    generated: tuple[tuple[int, int], ...]
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Shortener:
    """Write shorter texts for segments.

    Attributes:
        counter: counts tokens.
        model: writes; None: rules do, and what they leave room for is extracted.
        concurrency: segments that are with the model at a time.
        replies: of the model, by prompt.
    """

    counter: BatchTokenCounter
    model: CheckedLanguageModel | None = None
    concurrency: int = 4
    replies: BoundedCache[str] = field(default_factory=lambda: BoundedCache(16 * 2**20))

    def shorten(
        self, segments: Sequence[ContextSegment], request: ShorteningRequest
    ) -> list[ShortText | SegmentError]:
        """Shorten each segment, or say why it stays as it is, in their order.

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
            if isinstance(made, ShortText) and text:
                made = replace(made, cached=True)
            elif isinstance(made, ShortText):
                self.replies.put(key, reply.text, len(reply.text))
            results.append(made)
        return results

    def is_known(self, segment: ContextSegment, request: ShorteningRequest) -> bool:
        """Say whether the model was asked this before, and its reply was of use."""
        return self.replies.get(self._reply_key(self._task(segment, request))) is not None

    def key(self, segment: ContextSegment, request: ShorteningRequest) -> str:
        """Name what a compression depends on: text, metadata, arguments, counter and model."""
        metadata = replace(segment.metadata, tokens=0)
        if "timestamp" not in request.fields:  # the same text, stored again, need not be shortened again
            metadata = replace(metadata, timestamp=datetime.min.replace(tzinfo=UTC))
        known = f"{segment.type}\0{metadata}\0{request}"
        return self._reply_key(self._task(segment, request), known).hex()

    def _task(self, segment: ContextSegment, request: ShorteningRequest) -> Task:
        prompt = segment_prompt(segment.tokens, request.fields, request.active_state)
        front = _front_tokens(segment, "", request, self.counter)
        limit = max(int(segment.tokens * request.target_ratio) - front, 1)
        return Task(well_formed(segment.text), prompt, limit, self.counter)

    def _reply_key(self, task: Task, known: str = "") -> bytes:
        name = self.model.name if self.model is not None else ""
        key_text = f"{name}\0{known}\0{task.prompt.fill(task.content, task.limit)}"
        return hashlib.sha256(key_text.encode()).digest()

    def _by_model(
        self, segment: ContextSegment, request: ShorteningRequest, reply: Reply
    ) -> ShortText | SegmentError:
        """Take the reply if it passes the gate; one that is too long is judged, too, to say what it lost."""
        name = segment.segment_id
        if segment.tokens == 0:
            return SegmentError(name, "empty", "The segment has no tokens")
        if reply.text:
            source = read_segment(segment)
            return self._judge(segment, source, request, reply.text, ((0, len(reply.text)),), "model")
        if reply.reason == "model_failed":
            return SegmentError(name, reply.reason, f"The model failed: {type(reply.error).__name__}")
        code = reply.reason or "empty_reply"
        return SegmentError(name, code, "The model's reply has no text that can be used")

    def _by_rules(self, segment: ContextSegment, request: ShorteningRequest) -> ShortText | SegmentError:
        """Take the first form that passes; else say how near the best came: what it lost, and its ratio."""
        name = segment.segment_id
        if segment.tokens == 0:
            return SegmentError(name, "empty", "The segment has no tokens")
        budget = int(segment.tokens * request.target_ratio)
        failed: list[SegmentError] = []
        source = read_segment(segment)
        for draft in _drafts(segment, source, request, self.counter):
            made = self._judge(segment, source, request, draft.text, draft.generated, "rules")
            if isinstance(made, ShortText):
                return made
            failed.append(made)
        if not failed:
            error = f"No text of at most {budget} tokens says what it must"
            return SegmentError(name, "not_compressed_enough", error)
        return min(failed, key=lambda error: (len(error.lost), error.compression_ratio or 0.0))

    def _judge(
        self,
        segment: ContextSegment,
        source: Reading,
        request: ShorteningRequest,
        text: str,
        generated: tuple[tuple[int, int], ...],
        method: str,
    ) -> ShortText | SegmentError:
        """Let a text pass where nothing is lost, nothing made up, and it is short enough."""
        whole = inject_preserved_metadata(text, metadata_to_state(segment, text, request.fields))
        front = whole.removesuffix(text)
        report = compare(segment, source, whole, request.fields)
        tokens = count(self.counter, whole)
        ratio = tokens / segment.tokens
        code, error = "", ""
        if report.lost:
            code, error = "lost", f"The compressed text lost {', '.join(report.lost)}"
        elif (
            report.unsupported and method == "model"
        ):  # rules only copy; an extract may count what it left out
            code = "unsupported"
            error = f"The compressed text has {len(report.unsupported)} facts that the original does not have"
        elif report.contradicted:
            code = "contradicted"
            error = f"The compressed text says something else in {len(report.contradicted)} clauses"
        elif ratio > request.target_ratio:
            code = "not_compressed_enough"
            error = f"Not compressed enough: ratio {ratio:.2f}, target {request.target_ratio:g}"
        if code:
            return SegmentError(
                segment.segment_id,
                code,
                error,
                tuple(report.lost),
                tuple(report.kept),
                tuple(report.missing),
                (*report.unsupported, *report.contradicted),
                ratio,
            )
        values = field_values(segment, source, request.fields)
        generated = tuple((start + len(front), end + len(front)) for start, end in generated)
        places = ((0, len(front)), *generated) if front else generated
        return ShortText(whole, tokens, report, values, method, places)


# --- without a model -----------------------------------------------------------------------------------

_FRAGMENT = 3  # words; a clause of no more ("In particular") says nothing by itself
_FIRST = ("paths", "errors", "decisions", "identifiers", "numbers")  # facts that an extract should hold


@dataclass(frozen=True, slots=True)
class Draft:
    """A shorter form that the gate has not seen yet.

    Attributes:
        text: of it.
        generated: (start, end) of what rules wrote; the rest is verbatim.
    """

    text: str
    generated: tuple[tuple[int, int], ...]


def _drafts(
    segment: ContextSegment, reading: Reading, request: ShorteningRequest, counter: BatchTokenCounter
) -> Iterator[Draft]:
    """Write shorter forms of about the tokens that are requested, the fullest first.

    Of notes: their state, with an extract of the rest where there is room. Of anything: an extract alone, in
    which every clause stands that says what must survive. Each O(characters).
    """
    budget = int(segment.tokens * request.target_ratio)

    def room(text: str) -> int:
        return budget - _front_tokens(segment, text, request, counter) - count(counter, text)

    form = Form(reading)
    rules = "".join(f" {rule}" for rule in reading.rules)
    forms = (form.fitting(lambda text: room(text + rules) >= 0), form.terse()) if reading.is_note else ()
    for state in [f"{state}{rules}" for state in dict.fromkeys(filter(None, forms))]:
        extract = _extract(reading, _unsaid(reading, state), room(f"{state}\n"), counter, [])
        lead = len(state) + 1
        moved = [(start + lead, end + lead) for start, end in extract.generated]
        yield Draft(f"{state}\n{extract.text}".rstrip("\n"), ((0, len(state)), *moved))
    pinned = [(clause.start, clause.end) for clause in reading.state]
    extract = _extract(reading, segment.text, room(""), counter, pinned)
    if extract.text.strip():
        yield extract


def _extract(
    reading: Reading, text: str, room: int, counter: BatchTokenCounter, pinned: list[tuple[int, int]]
) -> Draft:
    """Take what fits of a text, verbatim, as what it is; nothing where not even one piece fits whole."""
    if room < 1 or not text.strip():
        return Draft("", ())
    plain = reading.is_note and not pasted_blocks(text)
    strategy: Any = tersely.Extractive(preserve=_FIRST) if plain else "auto"
    try:
        kept = tersely.compress(text, budget=room, counter=counter, strategy=strategy, pinned=pinned)
    except CompressionError:
        return Draft("", ())
    whole = all(span.reason != "cut" for span in kept.kept)
    return Draft(kept.text, tuple(kept.generated)) if whole else Draft("", ())


def _front_tokens(
    segment: ContextSegment, text: str, request: ShorteningRequest, counter: BatchTokenCounter
) -> int:
    """Count what will be put in front of a text."""
    front = inject_preserved_metadata("", metadata_to_state(segment, text, request.fields))
    return count(counter, front) + 1 if front else 0


def _unsaid(reading: Reading, state: str) -> str:
    """Return the clauses that a state does not say, without those about what was not chosen."""
    clauses = [one for one in reading.clauses if one.role in (Role.OTHER, Role.ERROR, Role.DONE)]
    clauses = [one for one in clauses if len(one.text.split()) > _FRAGMENT]
    said = said_values(state, [one.message for one in clauses])
    return "\n".join(one.text for one in clauses if one.message not in said)
