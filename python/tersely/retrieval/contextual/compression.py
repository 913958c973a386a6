"""Run one contextual compression: read, choose a strategy, fit, and account for each document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from tersely.engine.reading import count, count_batch, separator_cost
from tersely.engine.strategies import Auto, Extractive, Prepared
from tersely.errors import BudgetExceededError, ModelReplyError, SummarizationError
from tersely.models.flows import Flow
from tersely.models.language_models import CheckedLanguageModel
from tersely.protocols import BatchTokenCounter
from tersely.retrieval.chunks import generated_by_document
from tersely.retrieval.contextual.extractive import REASONS, Selection, spans_by_document
from tersely.retrieval.contextual.settings import (
    AllocationStrategy,
    BudgetPlan,
    Call,
    CompressedDocument,
    CompressionResult,
    CompressionStrategy,
    DroppedDocument,
    StrategySelector,
    TokenBudgetManager,
)
from tersely.retrieval.scoring import RelevanceScore, ScoringMethod, to_uuid
from tersely.types import MODEL_NOT_USED, Document, Float64s, Frame, Int64s, Kind, Level, Request, Span
from tersely.writing.summary import ContentSummarizer, Filler, Summary

_DUPLICATE, _REWRITTEN = REASONS.index("duplicate"), "rewritten"
_EXTRACTIVE = CompressionStrategy.EXTRACTIVE.value


@dataclass(frozen=True, eq=False, slots=True)
class Scores:
    """The answer of a relevance scorer.

    Attributes:
        relevance: a score a document; None: nobody asked the caller's scorer, or it failed.
        reason: why these are not the scores that were asked for; None: they are.
        warnings: reason codes.
    """

    relevance: Sequence[RelevanceScore] | None = None
    reason: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, answered: Any, documents: int) -> Scores:
        """Check an answer. Raises ModelReplyError where it is not one score a document."""
        if not isinstance(answered, Sequence) or len(answered) != documents:
            raise ModelReplyError(f"a scorer must give {documents} scores, not {type(answered).__name__}")
        for score in answered:
            if not isinstance(score, RelevanceScore) or not 0 <= score.overall_score <= 1:
                raise ModelReplyError(f"a scorer must give RelevanceScores in [0, 1], not {score!r}")
        reason, warnings = getattr(answered, "fallback_reason", None), getattr(answered, "warnings", ())
        return cls(answered, reason, tuple(warnings))


class Compression:
    """One call that is not in the cache: read, choose a strategy, fit, and account for each document."""

    def __init__(
        self,
        call: Call,
        scored: Scores,
        selector: StrategySelector,
        model: CheckedLanguageModel | None,
        separator: str,
        strict: bool,
    ) -> None:
        """Read the documents, see which are relevant. `strict`: nothing steps in for a model that fails."""
        self.call, self.scored = call, scored
        self.counter: BatchTokenCounter = call.manager.counter
        self.separator, self.selector, self.strict = separator, selector, strict
        self.available = call.manager.config.available()
        self.summarizer: ContentSummarizer | None = None
        if model is not None:
            self.summarizer = ContentSummarizer(
                model,
                counter=self.counter,
                summary_ratio=call.config.summary_ratio,
                min_summary_length=call.config.min_summary_length,
                max_summary_length=call.config.max_summary_length,
                batch_size=call.config.batch_size,
            )
        self.selection = self._selection(call.documents, scored.relevance, call.similarity)
        self.original = int(np.add.reduce(call.sizes))  # without separators: only estimates are made of it
        self.prepared = self._prepare(
            call.documents, self.selection, call.pinned, self.original, Frame(apart=True)
        )
        self.warnings: tuple[str, ...] = (*call.warnings, *scored.warnings, *self.prepared.reading.warnings)
        blank = np.array([not document.text.strip() for document in call.documents], dtype=bool)
        self.live = self.selection.relevant & ~blank
        self.request = self.prepared.request
        self.prompts = 0
        self.used: int | None = None  # tokens of the text, where they were counted
        self.scores: list[float] = self.selection.document_scores.tolist()
        self.plan: BudgetPlan | None = None  # None: nothing is kept

    def run(self) -> Flow[tuple[CompressionResult, int]]:
        """Yield prompts, take replies, return the result, never of more tokens than are available, and how
        many prompts it took.

        Raises BudgetExceededError where what is pinned does not fit, SummarizationError where a model failed
        and `strict` is set.
        """
        live = self.live.nonzero()[0].tolist()
        strategy: CompressionStrategy | None = None
        contents: dict[int, CompressedDocument] = {}
        if live:
            strategy = self._strategy(live)
            whole = self._passthrough(live) if strategy is CompressionStrategy.PASSTHROUGH else None
            if whole is not None:
                contents = whole
            elif strategy in (CompressionStrategy.PASSTHROUGH, CompressionStrategy.EXTRACTIVE):
                strategy = CompressionStrategy.EXTRACTIVE
                contents = self._extract(None)
            elif self.summarizer is None:
                contents = self._extract("no_model")
            else:
                contents = yield from self._summaries(live, strategy is CompressionStrategy.HYBRID)
        return self._result(contents, strategy), self.prompts

    def _selection(
        self,
        documents: tuple[Document, ...],
        relevance: Sequence[RelevanceScore] | None,
        similarity: Float64s | None,
    ) -> Selection:
        config = self.call.config
        return Selection(
            documents,
            relevance,
            similarity,
            threshold=config.min_relevance_threshold if self.call.query else 0.0,
            window=config.context_window,
            wholes=config.preserve_structure,
        )

    def _prepare(
        self,
        documents: tuple[Document, ...],
        selection: Selection,
        pinned: tuple[tuple[int, int, int], ...],
        original: int | None = None,
        frame: Frame | None = None,
    ) -> Prepared:
        config = self.call.config
        request = Request(
            documents,
            self.call.query or None,
            self.available,
            1.0,
            self.counter,
            pinned,
            separator=self.separator,
            frame=frame,
        )
        reader = _reader(config.segment_size, config.preserve_structure)
        return reader.prepare(request, selection.revise, original)

    def _strategy(self, live: list[int]) -> CompressionStrategy:
        sizes, room = self.call.sizes[live].tolist(), self.available
        if sum(sizes) <= room:
            room -= separator_cost(self.request) * (len(live) - 1)
        return self.selector.select(
            [self.call.documents[index].text for index in live],
            sizes,
            room,
            self.call.config,
            strategy=self.call.strategy,
            has_model=self.summarizer is not None,
        )

    def _passthrough(self, live: list[int]) -> dict[int, CompressedDocument] | None:
        """Keep all documents whole, if they fit."""
        sizes = self.call.sizes
        texts = [self.call.documents[index].text for index in live]
        if max(count(self.counter, self.separator.join(texts)), int(sizes[live].sum())) > self.available:
            return None
        self._record_plan(np.where(self.live, sizes, 0))
        return {index: self._whole_document(index) for index in live}

    def _whole_document(self, index: int) -> CompressedDocument:
        text = self.call.documents[index].text
        span = Span(index, 0, len(text), Kind.PROSE, "fits", self.scores[index])
        return self._document(index, text, int(self.call.sizes[index]), "passthrough", (span,))

    def _document(
        self,
        index: int,
        text: str,
        tokens: int,
        method: str,
        kept: Sequence[Span],
        dropped: Sequence[Span] = (),
        **more: Any,
    ) -> CompressedDocument:
        """Make a CompressedDocument."""
        identity, score = to_uuid(self.call.chunks[index].id), self.scores[index]
        return CompressedDocument(identity, text, tokens, method, kept, score, index, dropped, **more)

    def _extract(self, fallback: str | None) -> dict[int, CompressedDocument]:
        """Extract the best segments of all documents; `fallback`: why no model wrote summaries."""
        floors: Sequence[int] | None = None
        caps: Sequence[int] | None = None
        if self.call.manager.shares:
            floors, caps = self._bounds()
            if floors is not None and not any(floors) and not self.prepared.reading.pinned.any():
                return {}  # nobody has a share
        result = self.prepared.fit(self.available, floors=floors, caps=caps)
        joined = self.separator.join(filter(None, result.parts))
        self.used, *tokens = count_batch(self.counter, [joined, *result.parts]).tolist()
        self._record_plan(np.array(tokens, dtype=np.int64), floors)
        self.warnings = (*self.warnings, *result.receipt.warnings)
        kept, dropped = spans_by_document(result, self.selection)
        cut = ("segment_cut",) if "segment_cut" in result.receipt.warnings else ()
        places = generated_by_document(result, self.separator) if result.generated else {}
        return {
            index: self._document(
                index,
                text,
                tokens[index],
                _EXTRACTIVE,
                kept[index],
                dropped[index],
                generated=places.get(index, ()),
                fallback_reason=fallback,
                warnings=cut,
            )
            for index, text in enumerate(result.parts)
            if text and len(kept[index])
        }

    def _bounds(self) -> tuple[list[int] | None, list[int] | None]:
        """Tokens that each document gets at least and at most; documents without any are ruled out."""
        call, limits = self.call, self.call.manager.config
        required = self._required()
        if limits.allocation_strategy is AllocationStrategy.MARGINAL:
            return None, np.maximum(limits.max_per_document, required).tolist()
        most = np.maximum(np.minimum(call.sizes, self.selection.usable_tokens(call.sizes)), required)
        plan = call.manager.allocate(
            np.where(self.live, most, 0).tolist(),
            self.scores,
            available=self._tokens_to_share(),
            required=required.tolist(),
        )
        shares = np.array(plan.allocations, dtype=np.int64)
        if (self.live & (shares == 0)).any():
            self.prepared = self.prepared.revised(self.selection.rule_out(shares == 0))
        caps = np.where(shares > 0, np.maximum(limits.max_per_document, required), 0)
        return shares.tolist(), caps.tolist()

    def _required(self) -> Int64s:
        """int64[n]: about the tokens of each document's pins; 0 where the fit will raise."""
        required = np.zeros(len(self.call.documents), dtype=np.int64)
        if self.call.pinned:
            reading = self.prepared.reading
            rows = np.flatnonzero(reading.pinned)
            np.add.at(required, reading.table.document[rows], reading.prices().counts[rows])
        return required if int(required.sum()) <= self.available else np.zeros_like(required)

    def _tokens_to_share(self) -> int:
        """Tokens to share out: those available less the separators between documents with a share."""
        room, gap = self.available, separator_cost(self.request)
        least = min(self.call.manager.config.min_per_document, room)
        most = max(room // (least + gap), 1) if room else 1
        return max(room - gap * (min(int(self.live.sum()), most) - 1), 0)

    def _record_plan(self, used: Int64s, shares: Sequence[int] | None = None) -> None:
        """Record the tokens allowed for each document: its share, or its use if that is more."""
        allowed = used if shares is None else np.maximum(used, shares)
        if int(allowed.sum()) > self.available:
            allowed = used
        self.plan = BudgetPlan(
            tuple(allowed.tolist()), tuple((allowed == 0).nonzero()[0].tolist()), self.available
        )

    def _summaries(self, live: list[int], hybrid: bool) -> Flow[dict[int, CompressedDocument]]:
        """Have documents summarized; a failed summary is replaced by an extract of the same share."""
        call, summarizer = self.call, self.summarizer
        assert summarizer is not None
        required = self._required()
        targets = np.array([min(int(size), summarizer.target(int(size))) for size in call.sizes])
        manager = call.manager
        if manager.config.allocation_strategy is AllocationStrategy.MARGINAL:  # summaries have no segments
            shared = replace(manager.config, allocation_strategy=AllocationStrategy.PROPORTIONAL)
            manager = TokenBudgetManager(shared, counter=manager.counter, strict=manager.strict)
        plan = manager.allocate(
            np.where(self.live, np.maximum(targets, required), 0).tolist(),
            self.scores,
            available=self._tokens_to_share(),
            required=required.tolist(),
        )
        self.plan = replace(plan, available=self.available)  # separators included
        shares = self.plan.allocations
        pinned = {document for document, _, _ in call.pinned}
        chosen = [index for index in live if shares[index] or index in pinned]
        contents: dict[int, CompressedDocument] = {}
        first: dict[int, CompressedDocument] = {}
        for index in chosen:
            if call.sizes[index] <= shares[index]:
                contents[index] = self._whole_document(index)
                continue
            half = max(int(call.sizes[index]) // 2, shares[index])
            budgets = [shares[index], half] if hybrid and index not in pinned else [shares[index]]
            extracts = self._extract_alone(index, budgets)
            contents[index] = replace(extracts[0], fallback_reason="pinned" if index in pinned else None)
            first[index] = extracts[-1]
        asked = [index for index in first if index not in pinned]
        texts = [first[index].content if hybrid else call.documents[index].text for index in asked]
        tasks = [
            summarizer.task(text, call.query, shares[index]) for index, text in zip(asked, texts, strict=True)
        ]
        self.prompts = len(tasks)
        summaries = yield from summarizer.summaries(
            tasks, [self._filler(index, contents[index]) for index in asked]
        )
        for index, summary in zip(asked, summaries, strict=True):
            if summary.reason is None:
                contents[index] = self._summary_document(
                    index, summary, contents[index], first[index] if hybrid else None
                )
            elif self.strict:
                raise SummarizationError(
                    f"{summarizer.model.name} gave no summary: {summary.reason}"
                ) from summary.error
            else:
                contents[index] = replace(contents[index], fallback_reason=summary.reason)
        return self._drop_least_relevant(
            {index: one for index, one in contents.items() if one.content}, pinned
        )

    def _extract_alone(self, index: int, budgets: Sequence[int]) -> list[CompressedDocument]:
        """Extract a document by itself, once for each budget."""
        relevance, similarity = self.scored.relevance, self.call.similarity
        selection = self._selection(
            (self.call.documents[index],),
            None if relevance is None else [relevance[index]],
            np.ones(1) if similarity is None else similarity[index : index + 1],
        )
        pins = tuple((0, start, end) for document, start, end in self.call.pinned if document == index)
        prepared = self._prepare((self.call.documents[index],), selection, pins)
        contents = []
        for budget in budgets:
            try:
                result = prepared.fit(budget)
            except BudgetExceededError as error:
                if not pins:
                    contents.append(self._document(index, "", 0, _EXTRACTIVE, ()))
                    continue
                result = prepared.fit(
                    int(error.required)
                )  # `_drop_least_relevant` says whether there is room for it
            kept, dropped = (
                [replace(span, document=index) for span in spans[0]]
                for spans in spans_by_document(result, selection)
            )
            cut = ("segment_cut",) if "segment_cut" in result.receipt.warnings else ()
            details = {"generated": result.generated, "warnings": cut}
            contents.append(
                self._document(index, result.text, result.tokens, _EXTRACTIVE, kept, dropped, **details)
            )
        return contents

    def _filler(self, index: int, extract: CompressedDocument) -> Filler:
        """Pieces of an extract, the best first: they fill up a summary that is too short."""
        if extract.warnings:  # its only piece was cut
            return ()
        best = sorted(extract.preserved_segments, key=lambda span: (-span.score, span.start))
        text = self.call.documents[index].text
        return tuple(((span.start, span.end), text[span.start : span.end]) for span in best)

    def _summary_document(
        self, index: int, summary: Summary, extract: CompressedDocument, first: CompressedDocument | None
    ) -> CompressedDocument:
        """A summary, with the spans of its document.

        `extract`: what would stand in its place, which fills it up. `first`: what the model read; None: all.
        """
        filled = {start for start, _ in summary.filled}
        unread = (
            {(span.start, span.end): span for span in first.dropped_segments} if first is not None else {}
        )
        kept, dropped = list[Span](), list[Span]()
        spans = [*extract.preserved_segments, *extract.dropped_segments]
        spans = spans or list(self._whole_document(index).preserved_segments)
        for span in sorted(spans, key=lambda span: span.start):
            if span.start in filled:
                kept.append(replace(span, reason="selected"))
            else:
                place = (span.start, span.end)
                dropped.append(unread.get(place) or replace(span, reason=_REWRITTEN))
        method = CompressionStrategy.ABSTRACTIVE if first is None else CompressionStrategy.HYBRID
        return self._document(
            index,
            summary.text,
            summary.token_count,
            method.value,
            kept,
            dropped,
            generated=((0, summary.written),),
            used_llm=True,
            warnings=summary.warnings,
            unsupported_facts=summary.unsupported_facts,
        )

    def _drop_least_relevant(
        self, contents: dict[int, CompressedDocument], pinned: set[int]
    ) -> dict[int, CompressedDocument]:
        """Drop the least relevant documents until the rest fits; those with something pinned stay."""
        order = sorted(contents, key=lambda index: (index not in pinned, -self.scores[index], index))
        while order:
            joined = self.separator.join(contents[index].content for index in sorted(order))
            needed = max(count(self.counter, joined), sum(contents[index].token_count for index in order))
            if needed <= self.available:
                break
            if order[-1] in pinned:
                raise BudgetExceededError(
                    "pinned content does not fit",
                    required=needed,
                    budget=self.available,
                )
            order.pop()
        return {index: contents[index] for index in sorted(order)}

    def _result(
        self, contents: dict[int, CompressedDocument], strategy: CompressionStrategy | None
    ) -> CompressionResult:
        call, selection = self.call, self.selection
        dropped = self._dropped_documents(contents)
        before, used = self.original, [0] * len(call.chunks)
        warnings, fallback, used_llm = [*self.warnings], self.scored.reason, False
        for one in contents.values():
            used[one.index] = one.token_count
            warnings += one.warnings
            fallback = fallback or one.fallback_reason
            used_llm |= one.used_llm
            if one.fallback_reason not in (None, "pinned") and not one.used_llm:
                warnings.append(MODEL_NOT_USED)
        after = sum(used)
        if dropped:
            warnings.append("documents_dropped")
        if call.query and len(call.chunks) and not selection.relevant.any():
            warnings.append("nothing_relevant")
        if selection.doubtful:
            warnings.append("relevance_doubtful")
        if self.used is None:
            self.used = count(self.counter, self.separator.join([one.content for one in contents.values()]))
        plan = self.plan or BudgetPlan((0,) * len(used), tuple(range(len(used))), self.available)
        return CompressionResult(
            original_documents=call.chunks,
            compressed_documents=tuple(contents.values()),
            original_token_count=before,
            compressed_token_count=after,
            compression_ratio=after / before if before else 1.0,
            strategy_used=strategy or call.strategy or call.config.default_strategy,
            relevance_scores=self._relevance_scores(),
            dropped_documents=dropped,
            usage=call.manager.usage(plan, used, self.used),
            used_llm=used_llm,
            fallback_reason=fallback,
            warnings=tuple(dict.fromkeys(warnings)),
            separator=self.separator,
        )

    def _dropped_documents(self, contents: dict[int, CompressedDocument]) -> tuple[DroppedDocument, ...]:
        """Return the documents that nothing is left of, and why."""
        call, selection = self.call, self.selection
        if len(contents) == len(call.chunks):
            return ()
        assert selection.reading is not None  # the last one: documents may have been read anew, as text
        document = selection.reading.table.document
        units = np.bincount(document, minlength=len(call.chunks))
        copies = np.bincount(document[selection.reason_codes == _DUPLICATE], minlength=len(call.chunks))
        copied = (units > 0) & (copies == units)
        gone, sizes = list[DroppedDocument](), call.sizes.tolist()
        for index, chunk in enumerate(call.chunks):
            if index in contents:
                continue
            reason = "duplicate" if copied[index] else "budget"
            if not units[index] and not chunk.content.strip():
                reason = "empty"
            elif not selection.relevant[index]:
                reason = "irrelevant"
            gone.append(DroppedDocument(chunk.id, index, sizes[index], self.scores[index], reason))
        return tuple(gone)

    def _relevance_scores(self) -> Sequence[RelevanceScore]:
        """The relevance of each document; by the caller's vectors where there are some."""
        similarity, relevance = self.call.similarity, self.scored.relevance
        if relevance is None:
            method = ScoringMethod.HYBRID if similarity is None else ScoringMethod.EMBEDDING
            return self.selection.relevance_scores([chunk.id for chunk in self.call.chunks], method)
        if similarity is None:
            return relevance
        return [
            RelevanceScore(score.document_id, value, score.segment_scores, ScoringMethod.EMBEDDING)
            for score, value in zip(relevance, similarity.tolist(), strict=True)
        ]


@lru_cache(maxsize=16)
def _reader(level: Level, structure: bool) -> Auto:
    """The strategy that reads documents."""
    return Auto.of_text(Extractive(level=level, preserve_structure=structure))
