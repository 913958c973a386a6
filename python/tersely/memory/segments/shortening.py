"""Segments -> shorter texts that passed the quality gate, or why not. Nothing is stored here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tersely.cache import BoundedCache
from tersely.documents import check_text
from tersely.errors import ModelReplyError
from tersely.memory.segments.drafting import drafts, only_in_metadata
from tersely.memory.segments.preservation import PreservationReport, check_preserved
from tersely.memory.segments.preserved import (
    extract_preserved_metadata,
    fields_to_preserve,
    inject_preserved_metadata,
)
from tersely.memory.segments.prompt import segment_prompt
from tersely.memory.segments.results import SegmentError
from tersely.memory.segments.segment import ContextSegment
from tersely.protocols import BatchTokenCounter
from tersely.providers.language_models import CheckedLanguageModel, complete_all
from tersely.stages.count import count
from tersely.strategies.prompt import read_reply

__all__ = ["Short", "Shortener", "Wanted"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a compression: the arguments of `compress_context_segment`, checked.

    Attributes:
        fields: to be preserved.
        target_ratio: compressed / original tokens, at most; in (0, 1].
        active_state: whether the active state is.
    """

    fields: tuple[str, ...]
    target_ratio: float
    active_state: bool

    @classmethod
    def of(
        cls, preserve_metadata: Sequence[str] | None, target_ratio: float, preserve_active_state: bool
    ) -> Wanted:
        """The checked wanted. Raises ValueError or TypeError."""
        if (
            isinstance(target_ratio, bool)
            or not isinstance(target_ratio, (int, float))
            or not 0 < target_ratio <= 1
        ):
            raise ValueError(f"target_compression_ratio must be over 0 and at most 1, not {target_ratio!r}")
        if not isinstance(preserve_active_state, bool):
            raise TypeError(f"preserve_active_state must be True or False, not {preserve_active_state!r}")
        fields = fields_to_preserve(preserve_metadata, preserve_active_state)
        return cls(tuple(fields), float(target_ratio), preserve_active_state)


@dataclass(frozen=True, slots=True)
class Short:
    """A shorter text that passed the gate.

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
    """Shortens segments.

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

    def shorten(self, segments: Sequence[ContextSegment], wanted: Wanted) -> list[Short | SegmentError]:
        """Each segment shorter as wanted, or why it stays as it is, in their order.

        With a model, equal segments are asked for once, and all that are not known are asked for together.
        """
        if self.model is None:
            return [self._by_rules(segment, wanted) for segment in segments]
        prompts = [
            segment_prompt(segment, wanted.fields, wanted.active_state, wanted.target_ratio)
            if segment.tokens
            else ""
            for segment in segments
        ]
        known = {prompt: self.replies.get(self._key(prompt)) for prompt in dict.fromkeys(prompts) if prompt}
        asked = [prompt for prompt, reply in known.items() if reply is None]
        fresh = dict(zip(asked, complete_all(self.model, asked, self.concurrency), strict=True))
        results = []
        for segment, prompt in zip(segments, prompts, strict=True):
            reply = known.get(prompt)
            made = self._by_model(segment, wanted, fresh[prompt] if reply is None and prompt else reply or "")
            if isinstance(made, Short) and reply is None:
                written = str(fresh[prompt])
                self.replies.put(self._key(prompt), written, len(written))
            elif isinstance(made, Short):
                made = replace(made, cached=True)
            results.append(made)
        return results

    def is_known(self, segment: ContextSegment, wanted: Wanted) -> bool:
        """Whether the model was asked this before."""
        prompt = segment_prompt(segment, wanted.fields, wanted.active_state, wanted.target_ratio)
        return self.replies.get(self._key(prompt)) is not None

    def key(self, segment: ContextSegment, wanted: Wanted) -> str:
        """Names what a compression depends on: text, metadata, arguments, counter and model."""
        prompt = segment_prompt(segment, wanted.fields, wanted.active_state, wanted.target_ratio)
        known = f"{segment.type}\0{segment.metadata.file_path}\0{segment.metadata.line_number}\0{wanted}"
        return self._key(f"{known}\0{prompt}").hex()

    def _key(self, prompt: str) -> bytes:
        name = self.model.name if self.model is not None else ""
        return hashlib.sha256(f"{name}\0{prompt}".encode()).digest()

    def _by_model(
        self, segment: ContextSegment, wanted: Wanted, reply: str | Exception
    ) -> Short | SegmentError:
        name = segment.segment_id
        if segment.tokens == 0:
            return SegmentError(name, "empty", "The segment has no tokens")
        if isinstance(reply, Exception) and not isinstance(reply, ModelReplyError):
            return SegmentError(name, "model_failed", f"The model failed: {type(reply).__name__}")
        text = ""
        if isinstance(reply, str):
            try:
                check_text(reply, "the reply")
                text = read_reply(reply, segment.text)
            except ValueError:
                text = ""
        if not text:
            return SegmentError(name, "empty_reply", "The model's reply has no text that can be used")
        return self._judged(segment, wanted, text, ((0, len(text)),), "model")

    def _by_rules(self, segment: ContextSegment, wanted: Wanted) -> Short | SegmentError:
        """The first form that passes; else what was wrong with the fullest."""
        name = segment.segment_id
        if segment.tokens == 0:
            return SegmentError(name, "empty", "The segment has no tokens")
        budget = int(segment.tokens * wanted.target_ratio)
        failed: SegmentError | None = None
        for draft in drafts(segment, budget, self.counter):
            made = self._judged(segment, wanted, draft.text, draft.generated, "rules")
            if isinstance(made, Short):
                return made
            failed = failed or made
        error = f"No text of at most {budget} tokens says what it must"
        return failed or SegmentError(name, "not_compressed_enough", error)

    def _judged(
        self,
        segment: ContextSegment,
        wanted: Wanted,
        text: str,
        generated: tuple[tuple[int, int], ...],
        method: str,
    ) -> Short | SegmentError:
        """The text if it passes the gate: nothing lost, nothing made up, and short enough."""
        report = check_preserved(segment, text, wanted.fields)
        whole = inject_preserved_metadata(text, only_in_metadata(segment, text))
        front = whole.removesuffix(text)
        tokens = count(self.counter, whole)
        ratio = tokens / segment.tokens
        code, error = "", ""
        if report.lost:
            code, error = "lost", f"The compressed text lost {', '.join(report.lost)}"
        elif (
            report.unsupported and method == "model"
        ):  # rules only copy; the extract may count what it left out
            code = "unsupported"
            error = f"The compressed text has {len(report.unsupported)} facts that the original does not have"
        elif ratio > wanted.target_ratio:
            code = "not_compressed_enough"
            error = f"Not compressed enough: ratio {ratio:.2f}, target {wanted.target_ratio:g}"
        if code:
            return SegmentError(
                segment.segment_id,
                code,
                error,
                tuple(report.lost),
                tuple(report.kept),
                tuple(report.missing),
                report.unsupported,
                ratio,
            )
        values = extract_preserved_metadata(segment, wanted.fields)
        generated = tuple((start + len(front), end + len(front)) for start, end in generated)
        places = ((0, len(front)), *generated) if front else generated
        return Short(whole, tokens, report, values, method, places)
