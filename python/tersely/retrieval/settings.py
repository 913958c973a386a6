"""Settings of contextual compression, shares of its budget, and its results."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any
from uuid import UUID

import numpy as np

from tersely import checks
from tersely.checks import Ratios, brief
from tersely.content.detect import detect_each
from tersely.engine.allocation import fill, fill_above
from tersely.errors import BudgetExceededError
from tersely.kernels.checks import to_numbers
from tersely.models.counters import resolve_counter
from tersely.retrieval.chunks import DocumentChunk
from tersely.retrieval.scoring import RelevanceScore, to_uuid
from tersely.types import Float64s, Int64s, Level, Span

SegmentSize = Level  # CHARACTER, WORD, SENTENCE, PARAGRAPH, SECTION

_WORDS = ("prose", "markdown", "conversation", "html", "mixed")  # what a model may put in words of its own
_LONG = 2000  # tokens of a document that is first cut to what matters


class CompressionStrategy(Enum):
    """How documents are compressed; PASSTHROUGH: not at all, because they fit."""

    EXTRACTIVE = "extractive"
    ABSTRACTIVE = "abstractive"
    HYBRID = "hybrid"
    PASSTHROUGH = "passthrough"


class AllocationStrategy(Enum):
    """How a budget is divided among documents."""

    UNIFORM = "uniform"  # the same for each
    PROPORTIONAL = "proportional"  # in proportion to relevance
    THRESHOLD = "threshold"  # the least first for each above the threshold, the rest in proportion, others 0
    GREEDY = "greedy"  # the most relevant first, as much as each can use


def _check(settings: Any, members: dict[str, type[Enum]], numbers: dict[str, int]) -> None:
    """Turn names in fields into members of enums, and check that whole numbers are large enough."""
    for name, kind in members.items():
        object.__setattr__(settings, name, checks.member(getattr(settings, name), name, kind))
    for name, least in numbers.items():
        checks.whole_number(getattr(settings, name), name, least=least)


@dataclass(frozen=True, slots=True)
class TokenBudgetConfig:
    """The context window in tokens, and the part of it that is reserved for the response.

    Attributes:
        total_budget: tokens for documents and the response together; at least 1.
        reserve_for_response: tokens of it for the response; less than `total_budget`.
        min_per_document: a document gets at least so many tokens (or all it has), or nothing; at least 1.
        max_per_document: a document gets at most so many tokens.
        allocation_strategy: how the rest is divided among documents; also by name.
    """

    total_budget: int = 4000
    reserve_for_response: int = 1000
    min_per_document: int = 100
    max_per_document: int = 2000
    allocation_strategy: AllocationStrategy = AllocationStrategy.PROPORTIONAL

    def __post_init__(self) -> None:
        least = {"total_budget": 1, "reserve_for_response": 0, "min_per_document": 1}
        least["max_per_document"] = self.min_per_document
        _check(self, {"allocation_strategy": AllocationStrategy}, least)
        if self.reserve_for_response >= self.total_budget:
            raise ValueError(
                f"reserve_for_response ({self.reserve_for_response}) must be less than the total budget "
                f"({self.total_budget})"
            )

    def available(self) -> int:
        """Return the tokens for documents: total_budget - reserve_for_response."""
        return self.total_budget - self.reserve_for_response


@dataclass(frozen=True, slots=True)
class CompressionConfig:
    """Settings of `ContextualCompressor`.

    Attributes:
        default_strategy: used if a call names none and `auto_select` is off.
        auto_select: choose the strategy by the documents and the budget (`StrategySelector`).
        token_budget: `TokenBudgetConfig.total_budget`. Without a `TokenBudgetConfig`, documents get the first
            3,000 tokens of it, and the response the next 1,000.
        allocation_strategy: how the budget is divided among documents.
        segment_size: the unit that is kept or dropped.
        context_window: neighbours below the threshold that are kept on each side of each hit, as far as the
            budget allows.
        summary_ratio: tokens of a summary, as a share of its document, in (0, 1]...
        min_summary_length, max_summary_length: ...but at least and at most so many tokens.
        batch_size: how many prompts a model works on at a time.
        cache_results: an equal call is answered from a cache, without a scorer or model.
        min_relevance_threshold: in [0, 1]; documents below it are left out, and segments that a
            `relevance_scorer` puts below it. A document's relevance is the probability that it is on the
            topic of the query; doubtful documents stay beside one that reaches the threshold, and the best
            one stays if it may be about the query (`Selection` in extractive.py).
        preserve_structure: keep the headings above kept segments; tables, lists and code stay whole.
    """

    default_strategy: CompressionStrategy = CompressionStrategy.EXTRACTIVE
    auto_select: bool = True
    token_budget: int = 4000
    allocation_strategy: AllocationStrategy = AllocationStrategy.PROPORTIONAL
    segment_size: Level = SegmentSize.SENTENCE
    context_window: int = 2
    summary_ratio: float = 0.3
    min_summary_length: int = 50
    max_summary_length: int = 500
    batch_size: int = 5
    cache_results: bool = True
    min_relevance_threshold: float = 0.5
    preserve_structure: bool = True

    def __post_init__(self) -> None:
        kinds = {"default_strategy": CompressionStrategy, "allocation_strategy": AllocationStrategy}
        least = {"token_budget": 1, "context_window": 0, "min_summary_length": 0, "batch_size": 1}
        least["max_summary_length"] = max(self.min_summary_length, 1)
        _check(self, {**kinds, "segment_size": Level}, least)
        if self.default_strategy is CompressionStrategy.PASSTHROUGH:
            raise ValueError("default_strategy must be one that compresses, not PASSTHROUGH")
        for name in ("auto_select", "cache_results", "preserve_structure"):
            checks.flag(getattr(self, name), name)
        checks.share(self.summary_ratio, "summary_ratio")
        checks.number(self.min_relevance_threshold, "min_relevance_threshold", least=0, most=1)


class StrategySelector:
    """Chooses a compression strategy: the requested one, or by documents and budget, or the default."""

    def select(
        self,
        texts: Sequence[str],
        sizes: Sequence[int],
        available: int,
        config: CompressionConfig,
        *,
        strategy: CompressionStrategy | None = None,
        has_model: bool = False,
    ) -> CompressionStrategy:
        """Return the strategy for documents with these numbers of tokens.

        That is `strategy` if it is not None; `config.default_strategy` if `auto_select` is off; PASSTHROUGH
        if everything fits; EXTRACTIVE without a model, for code, logs and data, and if the budget is at least
        `summary_ratio` of the documents; HYBRID if a document has over 2,000 tokens; otherwise ABSTRACTIVE.
        """
        if strategy is not None:
            return strategy
        if not config.auto_select:
            return config.default_strategy
        total = sum(sizes)
        if total <= available:
            return CompressionStrategy.PASSTHROUGH
        if not has_model or available >= config.summary_ratio * total:
            return CompressionStrategy.EXTRACTIVE
        kinds = {found.kind for found in detect_each(texts)}
        if not kinds <= set(_WORDS):
            return CompressionStrategy.EXTRACTIVE
        return CompressionStrategy.HYBRID if max(sizes) > _LONG else CompressionStrategy.ABSTRACTIVE


_DEFAULT = TokenBudgetConfig()
_LEAST_WEIGHT = 1e-9  # of a document without any relevance


@dataclass(frozen=True, slots=True)
class BudgetPlan:
    """Shares of a budget."""

    allocations: tuple[int, ...]  #: tokens of each document; 0: none of it is kept
    #: documents without a share, ascending: those of least relevance, or under the threshold
    dropped: tuple[int, ...]
    available: int  #: tokens that were shared out


@dataclass(frozen=True, slots=True)
class BudgetUsage:
    """Accounts for a budget, in tokens."""

    available: int  #: allowed for the documents together
    used: int  #: of their text, separators between documents included
    allocated: tuple[int, ...]  #: of each document
    used_by_document: tuple[int, ...]  #: of each document; 0 for one that was left out

    @property
    def unused(self) -> int:
        """available - used."""
        return self.available - self.used

    @property
    def unused_by_document(self) -> tuple[int, ...]:
        """Tokens that each document left of its share."""
        return tuple(map(operator.sub, self.allocated, self.used_by_document))


def limits_for(
    total: int, allocation: AllocationStrategy, given: TokenBudgetConfig | None
) -> tuple[TokenBudgetConfig, tuple[str, ...]]:
    """Return limits like `given` with another total and allocation, and reason codes.

    A reserve that was given but does not fit into the total is the same share of it as of the total that it
    was given for. Where nobody gave limits, documents have what the default ones leave them first, and the
    default reserve what is above that. "reserve_shrunk" says that it is smaller.
    """
    limits = given or _DEFAULT
    reserve = limits.reserve_for_response
    if given is None:
        reserve = min(reserve, max(total - limits.available(), 0))
    elif reserve >= total:
        reserve = total * reserve // given.total_budget
    warnings = ("reserve_shrunk",) if reserve < limits.reserve_for_response else ()
    limits = replace(limits, total_budget=total, reserve_for_response=reserve, allocation_strategy=allocation)
    return limits, warnings


def total_for(tokens: int, given: TokenBudgetConfig | None) -> int:
    """Return the least total budget with so many tokens for documents (`limits_for`)."""
    limits = given or _DEFAULT
    share = limits.allocation_strategy
    reserve, of = limits.reserve_for_response, limits.total_budget
    totals = (tokens, (tokens - 1) * of // (of - reserve) + 1, tokens + reserve)
    return min(one for one in totals if limits_for(one, share, given)[0].available() >= tokens)


class TokenBudgetManager:
    """Divides a token budget among documents by their relevance."""

    def __init__(
        self,
        config: TokenBudgetConfig | int = TokenBudgetConfig(),
        *,
        counter: Any = None,
        relevance_threshold: float = 0.5,
        strict: bool = False,
    ) -> None:
        """Set the limits.

        Args:
            config: or the total budget, with the other limits as they are by default (`limits_for`).
            counter: the tokenizer that the limits are meant in (`tersely.compress`).
            relevance_threshold: of THRESHOLD.
            strict: raise BudgetExceededError where some documents would get nothing.
        """
        if isinstance(config, int):
            config, _ = limits_for(config, _DEFAULT.allocation_strategy, None)
        self.config = config
        self.counter = resolve_counter(counter)
        self.relevance_threshold = relevance_threshold
        self.strict = strict

    def available(self) -> int:
        """Number of tokens for documents."""
        return self.config.available()

    @property
    def shares(self) -> bool:
        """Whether each document has a share of its own: if a limit, an allocation or `strict` was set."""
        default, total, reserve = _DEFAULT, self.config.total_budget, self.config.reserve_for_response
        return self.strict or self.config != replace(
            default, total_budget=total, reserve_for_response=reserve
        )

    def allocate(
        self,
        sizes: Sequence[int],
        scores: Sequence[float],
        *,
        available: int | None = None,
        required: Sequence[int] | None = None,
    ) -> BudgetPlan:
        """Divide the budget among documents.

        Args:
            sizes: tokens that each document can use.
            scores: relevance of each, finite, at least 0.
            available: tokens to divide; None: `available()`.
            required: tokens that each must have (its pinned text); those come first.

        Returns:
            One share per document; together at most `available`. No share is above the document's size or
            `max_per_document`, and none below `min_per_document`, unless the document is smaller. Rounding is
            by largest remainder; ties go to the first. If the minimums of all are too much, the least
            relevant documents get nothing; if one minimum is too much, the most relevant document gets
            everything.

        Raises:
            BudgetExceededError: what is required does not fit, or, if `strict`, not all have a share.
            ValueError: a wrong argument.

        O(n log n).
        """
        room = self.available() if available is None else max(available, 0)
        size = to_numbers(sizes, "sizes", least=0).astype(np.int64)
        score = to_numbers(scores, "scores", len(size), least=0)
        must = np.zeros(len(size), np.int64) if required is None else np.asarray(required, np.int64)
        if int(must.sum()) > room:
            self._raise("what must be kept", int(must.sum()), room)
        most = np.maximum(np.minimum(size, self.config.max_per_document), must)
        least = np.maximum(np.minimum(most, self.config.min_per_document), must)
        if int(least[must > 0].sum()) > room:
            least = np.where(must > 0, must, least)
        wanted = (size > 0) | (must > 0)
        if self.config.allocation_strategy is AllocationStrategy.THRESHOLD:
            wanted &= (score >= self.relevance_threshold) | (must > 0)
        order = np.lexsort((np.arange(len(size)), -score, must == 0))
        order = order[wanted[order]]
        count = int(np.searchsorted(np.cumsum(least[order]), room, side="right"))
        if self.strict and count < len(order):
            self._raise("the least for each document", int(least[order].sum()), room)
        shares = np.zeros(len(size), dtype=np.int64)
        if count:
            chosen = np.sort(order[:count])
            shares[chosen] = self._shares(most[chosen], least[chosen], score[chosen], must[chosen], room)
        elif len(order):
            shares[order[0]] = min(room, int(most[order[0]]))
        return BudgetPlan(tuple(shares.tolist()), tuple(np.flatnonzero(shares == 0).tolist()), room)

    def usage(
        self, plan: BudgetPlan, used_by_document: Sequence[int], used: int | None = None
    ) -> BudgetUsage:
        """Return how a plan's budget was used; `used` are the tokens of the whole text (None: the sum).

        Raises BudgetExceededError if that is more than was available.
        """
        whole = sum(used_by_document) if used is None else used
        for needed in (whole, sum(used_by_document)):
            if needed > plan.available:
                self._raise("the text", needed, plan.available)
        return BudgetUsage(plan.available, whole, plan.allocations, tuple(used_by_document))

    def _shares(self, most: Int64s, least: Int64s, score: Float64s, must: Int64s, room: int) -> Int64s:
        strategy = self.config.allocation_strategy
        if strategy is AllocationStrategy.GREEDY:
            return self._greedily(most, least, score, must, room)
        weight = np.ones_like(score)
        if strategy is not AllocationStrategy.UNIFORM:
            weight = np.maximum(score, _LEAST_WEIGHT)
        if strategy is AllocationStrategy.THRESHOLD:
            return least + fill(most - least, weight, room - int(least.sum()))
        return fill_above(least, most, weight, room)

    def _greedily(self, most: Int64s, least: Int64s, score: Float64s, must: Int64s, room: int) -> Int64s:
        shares = must.copy()
        left = room - int(must.sum())
        for index in np.lexsort((np.arange(len(most)), -score)).tolist():
            more = min(int(most[index] - must[index]), left)
            if must[index] + more >= least[index]:
                shares[index] += more
                left -= more
        return shares

    def _raise(self, what: str, required: int, room: int) -> None:
        raise BudgetExceededError(f"{what} does not fit", required=required, budget=room)


def to_strategy(strategy: CompressionStrategy | str | None) -> CompressionStrategy | None:
    """Return a strategy for itself, its name or None. Raises ValueError for others and PASSTHROUGH."""
    if strategy is None:
        return None
    chosen = checks.member(strategy, "strategy", CompressionStrategy)
    if chosen is CompressionStrategy.PASSTHROUGH:
        raise ValueError("strategy must be one that compresses; PASSTHROUGH is what happens where all fits")
    return chosen


SegmentRef = Span  # `original_documents[ref.document].content[ref.start:ref.end]`, and why it is there


@brief
@dataclass(frozen=True, slots=True)
class CompressedDocument:
    """A document of a result, shortened or whole.

    Attributes:
        original_id: the document's id if that is a UUID, otherwise the UUID5 of its id.
        content: the text.
        token_count: of `content`.
        compression_method: "extractive", "abstractive", "hybrid" or "passthrough", for this document; after a
            failure it may differ from the strategy of the call.
        preserved_segments: spans that `content` has verbatim, in source order. The reason of each:
            "selected", "context" (beside a selected one), "heading" (above one), "pinned", "fits" (the whole
            document), "cut" (its start; the mark "…" follows).
        relevance_score: in [0, 1].
        index: of the document among the originals.
        dropped_segments: the other spans, likewise: "budget", "redundant" (another one says it), "irrelevant"
            (under the threshold), "duplicate" (another document has it word for word), "rewritten" (a model
            wrote `content` from it), "cut".
        generated: (start, end) characters of `content` that are not the source's: a model's text, or marks of
            what was left out.
        used_llm: whether a model wrote any of it.
        fallback_reason: why no model wrote it although one should have; otherwise None.
        warnings: reason codes: "summary_too_long" (cut at the end of a sentence), "summary_too_short" (filled
            up with segments of the source), "unsupported_facts", "segment_cut".
        unsupported_facts: numbers, dates, names, paths, URLs and identifiers that a model made up.
    """

    original_id: UUID
    content: str
    token_count: int
    compression_method: str
    preserved_segments: Sequence[SegmentRef]
    relevance_score: float
    index: int = 0
    dropped_segments: Sequence[SegmentRef] = ()
    generated: tuple[tuple[int, int], ...] = ()
    used_llm: bool = False
    fallback_reason: str | None = None
    warnings: tuple[str, ...] = ()
    unsupported_facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DroppedDocument:
    """A document without anything in the result."""

    id: str | UUID  #: the document's id
    index: int  #: with `relevance_score`: as in `CompressedDocument`
    token_count: int  #: tokens of the document
    relevance_score: float
    #: "irrelevant" (below the threshold), "budget" (no room for its smallest part), "duplicate" (other
    #: documents have all of it), "empty"
    reason: str

    @property
    def original_id(self) -> UUID:
        """As of a `CompressedDocument`."""
        return to_uuid(self.id)


@brief
@dataclass(frozen=True, eq=False)
class CompressionResult(Ratios):
    """The compressed documents of a call. (`tersely.memory.CompressionResult` is for segments.)

    Attributes:
        original_documents: the documents of the call.
        compressed_documents: those of which something is left, in their order.
        original_token_count, compressed_token_count: sums over the documents; 0 for none.
        compression_ratio: compressed / original tokens; 1.0 without documents.
        strategy_used: the strategy of the call; a document's `compression_method` may differ.
        relevance_scores: of all documents, in their order.
        dropped_documents: the others, with reasons.
        usage: tokens available, used and not used, of each document and of all.
        used_llm: whether a model wrote any of it.
        fallback_reason: that of the scoring, or of the first document that has one; otherwise None.
        warnings: reason codes: those of the scoring, of the choice (`Receipt.warnings`) and of the
            documents, "empty_query", "documents_dropped", "nothing_relevant" (every document is under the
            threshold), "relevance_doubtful" (the same, but the most probable one stays), "reserve_shrunk"
            (the budget has no room for the whole reserve for the response).
        separator: the text between documents in `text`.
        cached: whether the result is from the cache.
    """

    original_documents: tuple[DocumentChunk, ...]
    compressed_documents: tuple[CompressedDocument, ...]
    original_token_count: int
    compressed_token_count: int
    compression_ratio: float
    strategy_used: CompressionStrategy
    relevance_scores: Sequence[RelevanceScore]
    dropped_documents: tuple[DroppedDocument, ...]
    usage: BudgetUsage
    used_llm: bool = False
    fallback_reason: str | None = None
    warnings: tuple[str, ...] = ()
    separator: str = "\n\n"
    cached: bool = False

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The documents joined, as you send them: `usage.used` tokens, never more than `usage.available`."""
        return self.separator.join(document.content for document in self.compressed_documents)

    @property
    def ratio(self) -> float:
        """Tokens of the result / tokens of the originals, as `compression_ratio`."""
        return self.compression_ratio

    def expand(self, document: CompressedDocument | DroppedDocument | int) -> str:
        """Return the original text of a document."""
        return self.original_documents[document if isinstance(document, int) else document.index].content


@brief
@dataclass(frozen=True, slots=True)
class CompressionBatch:
    """The arguments of one call among several of `compress_batch`."""

    documents: Sequence[Any]
    query: str
    strategy: CompressionStrategy | str | None = None


@dataclass(frozen=True, slots=True)
class CompressionStats(Ratios):
    """Sums over the calls of a `ContextualCompressor`."""

    calls: int = 0  #: how many gave a result
    tokens_in: int = 0  #: of their originals
    tokens_out: int = 0  #: of their results
    #: calls by the strategy that was used
    by_strategy: Mapping[CompressionStrategy, int] = field(default_factory=dict)
    cache_hits: int = 0  #: calls that an earlier one had answered

    @property
    def ratio(self) -> float:
        """tokens_out / tokens_in; 1.0 if `tokens_in` is 0."""
        return self.tokens_out / self.tokens_in if self.tokens_in else 1.0

    def plus(self, result: CompressionResult) -> CompressionStats:
        """Return the sums with one more call."""
        used = result.strategy_used
        return CompressionStats(
            self.calls + 1,
            self.tokens_in + result.original_token_count,
            self.tokens_out + result.compressed_token_count,
            {**self.by_strategy, used: self.by_strategy.get(used, 0) + 1},
            self.cache_hits + result.cached,
        )
