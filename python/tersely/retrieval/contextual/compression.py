"""Run one contextual compression: read, choose a strategy, fit, and account for each document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from tersely.cache import digest_of
from tersely.engine.reading import count, count_batch, separator_cost
from tersely.engine.strategies import Auto, Extractive, Prepared
from tersely.errors import BudgetExceededError, ModelReplyError, RelevanceScoringError, SummarizationError
from tersely.models.flows import Flow
from tersely.models.language_models import CheckedLanguageModel
from tersely.retrieval.chunks import DocumentChunk, generated_by_document
from tersely.retrieval.contextual.extractive import REASONS, Selection, spans_by_document
from tersely.retrieval.contextual.settings import (
    BudgetPlan,
    CompressedDocument,
    CompressionConfig,
    CompressionResult,
    CompressionStrategy,
    DroppedDocument,
    StrategySelector,
    TokenBudgetManager,
)
from tersely.retrieval.scoring import RelevanceScore, ScoringMethod, to_uuid
from tersely.types import (
    MODEL_NOT_USED,
    Compressed,
    Document,
    Float64s,
    Frame,
    Int64s,
    Kind,
    Level,
    Request,
    Span,
)
from tersely.writing.summary import ContentSummarizer, Filler, Summary

_DUPLICATE = REASONS.index("duplicate")
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
    def of(cls, answered: Any, documents: int, strict: bool) -> Scores:
        """Check an answer.

        Raises ModelReplyError where it is not one score a document, RelevanceScoringError where `strict` and
        another method stepped in.
        """
        if not isinstance(answered, Sequence) or len(answered) != documents:
            raise ModelReplyError(f"a scorer must give {documents} scores, not {type(answered).__name__}")
        for score in answered:
            if not isinstance(score, RelevanceScore) or not 0 <= score.overall_score <= 1:
                raise ModelReplyError(f"a scorer must give RelevanceScores in [0, 1], not {score!r}")
        reason, warnings = getattr(answered, "fallback_reason", None), getattr(answered, "warnings", ())
        if strict and reason is not None:
            raise RelevanceScoringError(reason)
        return cls(answered, reason, tuple(warnings))


@dataclass(eq=False)
class Compression:
    """One call: reads, chooses a strategy, fits, and accounts for each document.

    Attributes:
        chunks: as given.
        documents: as they are read: blank where `similarity` says that they cannot have a share.
        query: without white space around it.
        strategy: that the caller named.
        config, manager: settings and limits.
        pinned: (document, start, end) spans that stay.
        similarity: float64[n] in [0, 1], relevance by vectors that the caller brought; None: there are none.
        sizes: int64[n], tokens.
        warnings: reason codes.
        selector: chooses the strategy where the caller did not.
        separator: stands between documents, and between pieces that do not touch.
        again: makes the same call with another total budget.
        started: of `time.perf_counter`.
    """

    chunks: tuple[DocumentChunk, ...]
    documents: tuple[Document, ...]
    query: str
    strategy: CompressionStrategy | None
    config: CompressionConfig
    manager: TokenBudgetManager
    pinned: tuple[tuple[int, int, int], ...]
    similarity: Float64s | None
    sizes: Int64s
    warnings: tuple[str, ...]
    selector: StrategySelector
    separator: str
    again: Callable[[int], Compression]
    started: float

    @cached_property
    def key(self) -> bytes:
        """A digest that tells this call from others to the same compressor."""
        parts = [self.query, repr((self.strategy, self.config, self.manager.config, self.pinned))]
        for one in self.chunks:
            parts += [repr(one.id), "" if one.metadata is None else repr(one.metadata), one.content]
        return digest_of([*parts, "" if self.similarity is None else self.similarity.tobytes().hex()])

    def run(self, scored: Scores, model: CheckedLanguageModel | None) -> Flow[tuple[CompressionResult, int]]:
        """Yield prompts, take replies, return the result, within the available tokens, and the number of
        prompts.

        Raises BudgetExceededError where what is pinned does not fit, SummarizationError where a model failed
        and the limits are strict: nothing steps in for it.
        """
        self.scored, self.available = scored, self.manager.available()
        every = range(len(self.documents))
        self.selection, self.prepared = self._read(every, self.pinned, Frame(apart=True))
        self.warnings = (*self.warnings, *scored.warnings, *self.prepared.reading.warnings)
        blank = np.array([not document.text.strip() for document in self.documents], dtype=bool)
        self.live = self.selection.relevant & ~blank
        self.scores: list[float] = self.selection.document_scores.tolist()
        self.prompts = 0
        self.used: int | None = None  # tokens of the text, where they were counted
        self.plan: BudgetPlan | None = None  # None: nothing is kept
        live, strategy = self.live.nonzero()[0].tolist(), None
        contents: dict[int, CompressedDocument] | None = None
        if live:
            strategy = self._strategy(live, model is not None)
            if strategy is CompressionStrategy.PASSTHROUGH:
                contents = self._passthrough(live)
                strategy = CompressionStrategy.EXTRACTIVE if contents is None else strategy
            if contents is None and strategy is not CompressionStrategy.EXTRACTIVE and model is not None:
                hybrid = strategy is CompressionStrategy.HYBRID
                contents = yield from self._summaries(live, hybrid, self._summarizer(model))
            elif contents is None:
                contents = self._extract(None if strategy is CompressionStrategy.EXTRACTIVE else "no_model")
        return self._result(contents or {}, strategy), self.prompts

    def _summarizer(self, model: CheckedLanguageModel) -> ContentSummarizer:
        config = self.config
        return ContentSummarizer(
            model,
            counter=self.manager.counter,
            summary_ratio=config.summary_ratio,
            min_summary_length=config.min_summary_length,
            max_summary_length=config.max_summary_length,
            batch_size=config.batch_size,
        )

    def _read(
        self, which: Sequence[int], pinned: tuple[tuple[int, int, int], ...], frame: Frame | None = None
    ) -> tuple[Selection, Prepared]:
        """Read some of the documents, and see which of their segments may be kept."""
        config, documents = self.config, tuple(self.documents[index] for index in which)
        relevance, similarity = self.scored.relevance, self.similarity
        if frame is None and similarity is None:  # a document alone, whose relevance is known
            similarity = np.ones(len(self.documents))
        selection = Selection(
            documents,
            None if relevance is None else [relevance[index] for index in which],
            None if similarity is None else similarity[list(which)],
            threshold=config.min_relevance_threshold if self.query else 0.0,
            window=config.context_window,
            wholes=config.preserve_structure,
        )
        counter, query = self.manager.counter, self.query or None
        request = Request(
            documents, query, self.available, 1.0, counter, pinned, separator=self.separator, frame=frame
        )
        original = None if frame is None else int(np.add.reduce(self.sizes))  # only estimates are made of it
        reader = _reader(config.segment_size, config.preserve_structure)
        return selection, reader.prepare(request, selection.revise, original)

    def _strategy(self, live: list[int], has_model: bool) -> CompressionStrategy:
        sizes, room = self.sizes[live].tolist(), self.available
        if sum(sizes) <= room:
            room -= separator_cost(self.prepared.request) * (len(live) - 1)
        texts = [self.documents[index].text for index in live]
        return self.selector.select(
            texts, sizes, room, self.config, strategy=self.strategy, has_model=has_model
        )

    def _count(self, texts: Iterable[str]) -> int:
        """Count the tokens of texts as they are sent."""
        return count(self.manager.counter, self.separator.join(texts))

    def _passthrough(self, live: list[int]) -> dict[int, CompressedDocument] | None:
        """Keep all documents whole, if they fit."""
        texts = [self.documents[index].text for index in live]
        if max(self._count(texts), int(self.sizes[live].sum())) > self.available:
            return None
        self._record_plan(np.where(self.live, self.sizes, 0))
        return {index: self._whole_document(index) for index in live}

    def _whole_document(self, index: int) -> CompressedDocument:
        text = self.documents[index].text
        span = Span(index, 0, len(text), Kind.PROSE, "fits", self.scores[index])
        return self._document(index, text, int(self.sizes[index]), "passthrough", (span,))

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
        identity, score = to_uuid(self.chunks[index].id), self.scores[index]
        return CompressedDocument(identity, text, tokens, method, kept, score, index, dropped, **more)

    def _extract(self, fallback: str | None) -> dict[int, CompressedDocument]:
        """Extract the best segments of all documents; `fallback`: why no model wrote summaries."""
        floors, caps = self._bounds() if self.manager.shares else (None, None)
        if floors is not None and not any(floors) and not self.prepared.reading.pinned.any():
            return {}  # nobody has a share
        result = self.prepared.fit(self.available, floors=floors, caps=caps)
        joined = self.separator.join(filter(None, result.parts))
        self.used, *tokens = count_batch(self.manager.counter, [joined, *result.parts]).tolist()
        self._record_plan(np.array(tokens, dtype=np.int64), floors)
        self.warnings = (*self.warnings, *result.receipt.warnings)
        kept, dropped = spans_by_document(result, self.selection)
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
                warnings=_cut(result),
            )
            for index, text in enumerate(result.parts)
            if text and len(kept[index])
        }

    def _bounds(self) -> tuple[list[int], list[int]]:
        """Tokens that each document gets at least and at most; documents without any are ruled out."""
        plan = self._allocate(np.minimum(self.sizes, self.selection.usable_tokens(self.sizes)))
        shares = np.array(plan.allocations, dtype=np.int64)
        if (self.live & (shares == 0)).any():
            self.prepared = self.prepared.revised(self.selection.rule_out(shares == 0))
        most = np.maximum(self.manager.config.max_per_document, self._required())
        caps = np.where(shares > 0, most, 0)
        return shares.tolist(), caps.tolist()

    def _allocate(self, most: Int64s) -> BudgetPlan:
        """Share out what is available, less the separators between documents with a share."""
        required, gap = self._required(), separator_cost(self.prepared.request)
        least = min(self.manager.config.min_per_document, self.available)
        documents = max(self.available // (least + gap), 1) if self.available else 1
        return self.manager.allocate(
            np.where(self.live, np.maximum(most, required), 0).tolist(),
            self.scores,
            available=max(self.available - gap * (min(int(self.live.sum()), documents) - 1), 0),
            required=required.tolist(),
        )

    def _required(self) -> Int64s:
        """int64[n]: estimate the tokens of each document's pins; 0 where the fit will raise."""
        required = np.zeros(len(self.documents), dtype=np.int64)
        if self.pinned:
            reading = self.prepared.reading
            rows = np.flatnonzero(reading.pinned)
            np.add.at(required, reading.table.document[rows], reading.prices().counts[rows])
        return required if int(required.sum()) <= self.available else np.zeros_like(required)

    def _record_plan(self, used: Int64s, shares: Sequence[int] | None = None) -> None:
        """Record the tokens allowed for each document: its share, or its use if that is more."""
        allowed = used if shares is None else np.maximum(used, shares)
        if int(allowed.sum()) > self.available:
            allowed = used
        self.plan = BudgetPlan(
            tuple(allowed.tolist()), tuple((allowed == 0).nonzero()[0].tolist()), self.available
        )

    def _summaries(
        self, live: list[int], hybrid: bool, summarizer: ContentSummarizer
    ) -> Flow[dict[int, CompressedDocument]]:
        """Have documents summarized; a failed summary is replaced by an extract of the same share."""
        sizes = self.sizes.tolist()
        targets = np.array([min(size, summarizer.target(size)) for size in sizes])
        self.plan = replace(self._allocate(targets), available=self.available)  # with separators
        shares, pinned = self.plan.allocations, {document for document, _, _ in self.pinned}
        contents: dict[int, CompressedDocument] = {}
        first: dict[int, CompressedDocument] = {}
        for index in live:
            if sizes[index] <= shares[index]:
                contents[index] = self._whole_document(index)
            elif shares[index] or index in pinned:
                both = hybrid and index not in pinned
                budgets = [shares[index], *[max(sizes[index] // 2, shares[index])] * both]
                extracts = self._extract_alone(index, budgets)
                contents[index] = replace(extracts[0], fallback_reason="pinned" if index in pinned else None)
                first[index] = extracts[-1]
        asked = [index for index in first if index not in pinned]
        texts = [first[index].content if hybrid else self.documents[index].text for index in asked]
        tasks = [
            summarizer.task(text, self.query, shares[index]) for index, text in zip(asked, texts, strict=True)
        ]
        self.prompts = len(tasks)
        summaries = yield from summarizer.summaries(
            tasks, [self._filler(index, contents[index]) for index in asked]
        )
        for index, summary in zip(asked, summaries, strict=True):
            if summary.reason is None:
                read = first[index] if hybrid else None
                contents[index] = self._summary_document(index, summary, contents[index], read)
            elif self.manager.strict:
                why = f"{summarizer.model.name} gave no summary: {summary.reason}"
                raise SummarizationError(why) from summary.error
            else:
                contents[index] = replace(contents[index], fallback_reason=summary.reason)
        return self._drop_least_relevant(
            {index: one for index, one in contents.items() if one.content}, pinned
        )

    def _extract_alone(self, index: int, budgets: Sequence[int]) -> list[CompressedDocument]:
        """Extract a document by itself, once for each budget."""
        pins = tuple((0, start, end) for document, start, end in self.pinned if document == index)
        selection, prepared = self._read([index], pins)
        contents = []
        for budget in budgets:
            try:
                result = prepared.fit(budget)
            except BudgetExceededError as error:
                if not pins:
                    contents.append(self._document(index, "", 0, _EXTRACTIVE, ()))
                    continue
                # `_drop_least_relevant` says whether there is room for it
                result = prepared.fit(int(error.required))
            kept, dropped = (
                [replace(span, document=index) for span in spans[0]]
                for spans in spans_by_document(result, selection)
            )
            details = {"generated": result.generated, "warnings": _cut(result)}
            contents.append(
                self._document(index, result.text, result.tokens, _EXTRACTIVE, kept, dropped, **details)
            )
        return contents

    def _filler(self, index: int, extract: CompressedDocument) -> Filler:
        """List pieces of an extract, the best first, to fill up a summary with."""
        if extract.warnings:  # its only piece was cut
            return ()
        best = sorted(extract.preserved_segments, key=lambda span: (-span.score, span.start))
        text = self.documents[index].text
        return tuple(((span.start, span.end), text[span.start : span.end]) for span in best)

    def _summary_document(
        self, index: int, summary: Summary, extract: CompressedDocument, first: CompressedDocument | None
    ) -> CompressedDocument:
        """A summary, with the spans of its document.

        `extract`: what would stand in its place, which fills it up. `first`: what the model read; None: all.
        """
        filled = {start for start, _ in summary.filled}
        unread = {} if first is None else {(one.start, one.end): one for one in first.dropped_segments}
        kept, dropped = list[Span](), list[Span]()
        spans = [*extract.preserved_segments, *extract.dropped_segments]
        spans = spans or list(self._whole_document(index).preserved_segments)
        for span in sorted(spans, key=lambda span: span.start):
            if span.start in filled:
                kept.append(replace(span, reason="selected"))
            else:
                dropped.append(unread.get((span.start, span.end)) or replace(span, reason="rewritten"))
        method = CompressionStrategy.ABSTRACTIVE if first is None else CompressionStrategy.HYBRID
        written, facts = ((0, summary.written),), summary.unsupported_facts
        more = {"generated": written, "warnings": summary.warnings, "unsupported_facts": facts}
        return self._document(
            index, summary.text, summary.token_count, method.value, kept, dropped, used_llm=True, **more
        )

    def _drop_least_relevant(
        self, contents: dict[int, CompressedDocument], pinned: set[int]
    ) -> dict[int, CompressedDocument]:
        """Drop the least relevant documents until the rest fits; those with something pinned stay."""
        order = sorted(contents, key=lambda index: (index not in pinned, -self.scores[index], index))
        while order:
            stay = [contents[index] for index in sorted(order)]
            needed = max(self._count(one.content for one in stay), sum(one.token_count for one in stay))
            if needed <= self.available:
                break
            if order[-1] in pinned:
                problem = "pinned content does not fit"
                raise BudgetExceededError(problem, required=needed, budget=self.available)
            order.pop()
        return {index: contents[index] for index in sorted(order)}

    def _result(
        self, contents: dict[int, CompressedDocument], strategy: CompressionStrategy | None
    ) -> CompressionResult:
        documents, dropped = tuple(contents.values()), self._dropped_documents(contents)
        used = [0] * len(self.chunks)
        warnings, fallback = [*self.warnings], self.scored.reason
        for one in documents:
            used[one.index] = one.token_count
            warnings += one.warnings
            fallback = fallback or one.fallback_reason
            if one.fallback_reason not in (None, "pinned") and not one.used_llm:
                warnings.append(MODEL_NOT_USED)
        if dropped:
            warnings.append("documents_dropped")
        if self.query and self.chunks and not self.selection.relevant.any():
            warnings.append("nothing_relevant")
        if self.selection.doubtful:
            warnings.append("relevance_doubtful")
        if self.used is None:
            self.used = self._count(one.content for one in documents)
        plan = self.plan or BudgetPlan((0,) * len(used), tuple(range(len(used))), self.available)
        before, after = int(self.sizes.sum()), sum(used)
        return CompressionResult(
            original_documents=self.chunks,
            compressed_documents=documents,
            original_token_count=before,
            compressed_token_count=after,
            compression_ratio=after / before if before else 1.0,
            strategy_used=strategy or self.strategy or self.config.default_strategy,
            relevance_scores=self._relevance_scores(),
            dropped_documents=dropped,
            usage=self.manager.usage(plan, used, self.used),
            used_llm=any(one.used_llm for one in documents),
            fallback_reason=fallback,
            warnings=tuple(dict.fromkeys(warnings)),
            separator=self.separator,
        )

    def _dropped_documents(self, contents: dict[int, CompressedDocument]) -> tuple[DroppedDocument, ...]:
        """List the documents without anything in the result, and why."""
        selection, every = self.selection, len(self.chunks)
        if len(contents) == every:
            return ()
        assert selection.reading is not None  # the last one: documents may have been read anew, as text
        document = selection.reading.table.document
        units = np.bincount(document, minlength=every)
        copies = np.bincount(document[selection.reason_codes == _DUPLICATE], minlength=every)
        gone = list[DroppedDocument]()
        for index, chunk in enumerate(self.chunks):
            if index in contents:
                continue
            reason = "duplicate" if 0 < units[index] == copies[index] else "budget"
            if not units[index] and not chunk.content.strip():
                reason = "empty"
            elif not selection.relevant[index]:
                reason = "irrelevant"
            size = int(self.sizes[index])
            gone.append(DroppedDocument(chunk.id, index, size, self.scores[index], reason))
        return tuple(gone)

    def _relevance_scores(self) -> Sequence[RelevanceScore]:
        """The relevance of each document; by the caller's vectors where there are some."""
        similarity, relevance = self.similarity, self.scored.relevance
        if relevance is None:
            method = ScoringMethod.HYBRID if similarity is None else ScoringMethod.EMBEDDING
            return self.selection.relevance_scores([chunk.id for chunk in self.chunks], method)
        if similarity is None:
            return relevance
        vectors = zip(relevance, similarity.tolist(), strict=True)
        return [
            replace(score, overall_score=value, method=ScoringMethod.EMBEDDING) for score, value in vectors
        ]


def _cut(result: Compressed) -> tuple[str, ...]:
    return ("segment_cut",) if "segment_cut" in result.receipt.warnings else ()


@lru_cache(maxsize=16)
def _reader(level: Level, structure: bool) -> Auto:
    """The strategy that reads documents."""
    return Auto.of_text(Extractive(level=level, preserve_structure=structure))
