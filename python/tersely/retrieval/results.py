"""Make search results smaller: above a score, without duplicates, within a budget; excerpts of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely import checks
from tersely.cache import BoundedCache, digest_of
from tersely.checks import brief
from tersely.engine.dedup import dedup_texts
from tersely.engine.reading import count_batch, segment
from tersely.engine.worth import document_probability, hybrid, read_for_query
from tersely.errors import BudgetExceededError
from tersely.kernels import cosine_similarity
from tersely.kernels.checks import to_matrix
from tersely.models.counters import resolve_counter
from tersely.models.embedders import resolve_embedder
from tersely.models.language_models import Flow, one_model, resolve_language_model, run_flow, run_flow_async
from tersely.retrieval.chunks import ChunkResult, read_results
from tersely.retrieval.scoring import RelevanceScorer, ScoringMethod
from tersely.types import Document, Float64s, Int32s, Kind, Level
from tersely.writing.checks import unsupported_facts
from tersely.writing.flow import Task, ask
from tersely.writing.prompt import Prompt

#: The probability from which on a text is more likely on a query's topic than not (engine/worth.py).
ON_TOPIC = 0.5


def on_topic(
    texts: Sequence[str], query: str, titles: Sequence[str | None] = (), *, embedder: Any = None
) -> Float64s:
    """Return float64[n] in [0, 1]: the probability that each text is on the topic of a query.

    On topic, not that it answers; absolute, so that all may be low (`Compressed.relevance` is the same).
    `titles`: of the texts, one each or none. `embedder`: as for `tersely.dedup`. O(characters).
    """
    named = list(titles) or [None] * len(texts)
    documents = [Document(text, title=title) for text, title in zip(texts, named, strict=True)]
    prepared = read_for_query(documents, query.strip(), Level.SENTENCE)
    return document_probability(hybrid(prepared, resolve_embedder(embedder)).asked)


def within_budget(texts: Sequence[str], max_tokens: int = 2000, counter: Any = "chars/4") -> tuple[int, bool]:
    """Count how many texts from the first on fit into `max_tokens`: (that number, whether any is left out).

    Counting stops at the first text that does not fit, so that a worse result never takes the place of a
    better one. `counter` is what `tersely.compress` takes; "chars/4" is ceil(characters / 4).

    Raises BudgetExceededError if not even the first fits.
    """
    max_tokens = checks.whole_number(max_tokens, "max_tokens", least=1)
    used = 0
    for place, tokens in enumerate(count_batch(resolve_counter(counter), list(texts)).tolist()):
        used += tokens
        if used > max_tokens:
            if place == 0:
                problem = "the best result does not fit"
                raise BudgetExceededError(problem, required=tokens, budget=max_tokens)
            return place, True
    return len(texts), False


_ROUNDS = 50
_STRATEGIES = ("threshold", "kmeans")
_USUAL = 0.85  # threshold from which on duplicates share most of their words


def duplicates(
    texts: Sequence[str],
    scores: npt.ArrayLike,
    threshold: float = 0.85,
    *,
    vectors: npt.ArrayLike | None = None,
    embedder: Any = None,
) -> Int32s:
    """Find the row that represents each text, int32[n]: itself where it is no duplicate.

    The best score of a group stands for it (ties: the first). Duplicates are similar to what stands for
    them, and agree with it in numbers, negations, names and most of their words, as for `tersely.dedup`; in
    fewer of their words where the threshold is under 0.85, with its square.

    Args:
        texts, scores: of the results.
        threshold: cosine in [-1, 1], inclusive, with a tolerance of 1e-9. A zero row is similar to none.
        vectors: (n, d), as the index has them; None: `embedder` makes them.

    O(characters + n k d) for k groups.
    """
    x = _vectors(texts, vectors, embedder)
    rows = {text: row for row, text in reversed(list(enumerate(texts)))}
    known = SimpleNamespace(embed=lambda some: x[[rows[text] for text in some]])
    words = min(max(threshold, 0.0) / _USUAL, 1.0) ** 2
    by = np.asarray(scores, dtype=np.float64)
    found = dedup_texts(texts, known, threshold, by, threads=1, words=words)
    return found.representatives[found.labels]


def kmeans_groups(vectors: npt.NDArray[Any], scores: npt.ArrayLike, k: int) -> Int32s:
    """Group rows by k-means into `k` groups of similar direction: int32[n], the best row of each row's group.

    Spherical k-means from the best-scored row and, k - 1 times, the one least similar to those chosen:
    nothing is random. Groups hold what differs in numbers and names too: this chooses, and removes no copies.
    O(n k d) a round, at most 50 rounds.
    """
    best_first = np.argsort(-np.asarray(scores, dtype=np.float64), kind="stable")
    if not 1 <= k < len(best_first):
        return np.arange(len(best_first), dtype=np.int32)
    x = vectors.astype(np.float64)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    chosen = [int(best_first[0])]
    while len(chosen) < k:
        nearest = (x @ x[chosen].T).max(axis=1)
        nearest[chosen] = np.inf
        chosen.append(int(nearest.argmin()))
    centers, labels = x[chosen], np.full(len(x), -1)
    for _ in range(_ROUNDS):
        now = cosine_similarity(x, centers).argmax(axis=1)
        now[chosen] = np.arange(k)  # no group is empty
        if (now == labels).all():
            break
        labels = now
        centers = np.stack([x[labels == group].sum(axis=0) for group in range(k)])
    _, first = np.unique(labels[best_first], return_index=True)
    stands: Int32s = best_first[first][labels].astype(np.int32)
    return stands


def _vectors(texts: Sequence[str], vectors: npt.ArrayLike | None, embedder: Any) -> npt.NDArray[Any]:
    """The vectors of texts: those that the caller brings, else an embedder's."""
    if vectors is None:
        return resolve_embedder(embedder).embed(texts)
    x = to_matrix(vectors if texts else np.zeros((0, 1)), "vectors")
    if len(x) != len(texts):
        raise ValueError(f"vectors must have one row a result: {len(x)} for {len(texts)} results")
    if not np.isfinite(x).all():
        raise ValueError("vectors must be finite numbers")
    return np.ascontiguousarray(x)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultStats:
    """How many results each step left. after_threshold - clusters_merged == after_dedup."""

    original_count: int  #: before any step
    after_threshold: int  #: with a score of at least `min_score`
    after_dedup: int  #: without duplicates, before the cut to `top_n`
    clusters_merged: int  #: removed as duplicates
    #: after the cut to `top_n` and to `max_tokens`; of a reply, those it has something of
    returned_count: int


@brief
@dataclass(frozen=True, eq=False, slots=True)
class CompressedResults(checks.Valued):
    """The search results that are left, best first."""

    results: tuple[Any, ...]  #: the results, unchanged
    indices: tuple[int, ...]  #: the index of each in the input
    #: the text of each: its whole content, or the sentences that `max_sentences` allows
    texts: tuple[str, ...]
    #: for each, the (start, end) characters of its content that are in `texts`
    spans: tuple[tuple[tuple[int, int], ...], ...]
    #: (index, index of the result that represents it) of each removed duplicate
    duplicates: tuple[tuple[int, int], ...]
    compression_stats: ResultStats  #: how many results each step left
    truncated: bool  #: whether `max_tokens` left results out

    def __len__(self) -> int:
        return len(self.results)


def compress_results(
    results: Any,
    query: str | None = None,
    *,
    min_score: float = 0.3,
    similarity_threshold: float = 0.85,
    top_n: int | None = 5,
    vectors: npt.ArrayLike | None = None,
    embedder: Any = None,
    strategy: str = "threshold",
    max_sentences: int | None = None,
    max_tokens: int | None = None,
    counter: Any = "chars/4",
) -> CompressedResults:
    """Filter search results by score, remove near-duplicates, and return the best.

    Args:
        results: `ChunkResult`s, mappings, dataclasses or frameworks' documents (see `read_results`), in any
            order. If results have no scores, a result's score is the probability that it is on the topic of
            the query; without a query all have 1.0, in the order of the input.
        query: for `max_sentences`, and for results without scores.
        min_score: in [0, 1]; results with a lower score are left out, perhaps all.
        similarity_threshold: the cosine, in [-1, 1], from which on two results may be duplicates. 0.9 and
            more misses some duplicates; 0.7 may merge different results.
        top_n: the most results to return; None: all.
        vectors: (n, d), the results' vectors in your index; None: `embedder` makes them.
        embedder: None (the built-in one) or another (as for `tersely.dedup`).
        strategy: "threshold"; or "kmeans": the best result of each of min(top_n, different results) groups,
            in which results may differ in a fact.
        max_sentences: sentences of all results together, divided evenly; None: whole contents.
        max_tokens: tokens of all texts together; after the first text that does not fit, none is taken. None:
            no limit.
        counter: counts the tokens ("chars/4", or as for `tersely.compress`).

    Returns:
        A `CompressedResults`. The same call gives the same results; no model is asked.

    Raises:
        BudgetExceededError: not even the best result fits into `max_tokens`.
        ValueError, TypeError: a wrong argument; the message names it.

    O(characters + n k d) for n results, k of them different.
    """
    items, texts, scores = read_results(results)
    query = None if query is None else checks.text(query, "query")
    checks.one_of(strategy, "strategy", _STRATEGIES)
    if top_n is not None:
        checks.whole_number(top_n, "top_n", least=1)
    if scores is None:
        asked = query is not None and bool(query.strip()) and bool(items)
        scores = on_topic(texts, query or "", embedder=embedder).tolist() if asked else [1.0] * len(items)
    least = checks.number(min_score, "min_score", least=0, most=1)
    by = np.array(scores, dtype=np.float64)
    order = np.argsort(-by, kind="stable")
    order = order[by[order] >= least]
    rows = order.tolist()
    kept = [texts[row] for row in rows]
    x = _vectors(kept, None if vectors is None else _vectors(texts, vectors, None)[rows], embedder)
    stands = duplicates(kept, by[order], similarity_threshold, vectors=x)
    every = np.arange(len(kept))
    if strategy == "kmeans" and top_n is not None:  # the best of each group stands for those in it
        first, best = np.flatnonzero(stands == every), every.copy()
        best[first] = first[kmeans_groups(x[first], by[order][first], top_n)]
        stands = best[stands].astype(np.int32)
    different = np.flatnonzero(stands == every).tolist()
    chosen = different[:top_n]
    texts = [kept[row] for row in chosen]
    spans: list[tuple[tuple[int, int], ...]] = [((0, len(text)),) for text in texts]
    if max_sentences is not None:
        excerpts = extract_sentences(texts, query or "", max_sentences, embedder=embedder)
        texts, spans = [one.text for one in excerpts], [one.spans for one in excerpts]
    fit, truncated = (len(texts), False) if max_tokens is None else within_budget(texts, max_tokens, counter)
    return CompressedResults(
        tuple(items[rows[row]] for row in chosen[:fit]),
        tuple(rows[row] for row in chosen[:fit]),
        tuple(texts[:fit]),
        tuple(spans[:fit]),
        tuple((rows[row], rows[to]) for row, to in enumerate(stands.tolist()) if row != to),
        ResultStats(
            original_count=len(items),
            after_threshold=len(kept),
            after_dedup=len(different),
            clusters_merged=len(kept) - len(different),
            returned_count=fit,
        ),
        truncated,
    )


_LONGEST = 160  # characters of a preview
_GAP = " … "  # where something between two sentences was left out
_FIRST = 0.1  # what the first sentence of a chunk gets for its place; the n-th gets a n-th of it


@brief
@dataclass(frozen=True, slots=True)
class Excerpt:
    """Sentences extracted from a text."""

    text: str  #: the sentences; " … " replaces what was left out between them
    spans: tuple[tuple[int, int], ...]  #: (start, end) characters of the sentences in the source, ascending


def extract_sentences(
    texts: Sequence[str], query: str, budget: int, *, embedder: Any = None
) -> list[Excerpt]:
    """Extract the best `budget // len(texts)` sentences of each text (at least one), in source order.

    A sentence scores by the share of the query's terms that it has, weighted by their rarity, plus the cosine
    of the vectors (`RelevanceScorer`: KEYWORD, EMBEDDING), plus up to 0.1 for standing early in its text.

    Raises ValueError for a blank query or a budget under 1. O(characters).
    """
    budget = checks.whole_number(budget, "the budget of sentences", least=1)
    if not query.strip():
        raise ValueError("sentences are chosen for a query: it must not be blank")
    if not texts:
        return []
    each = max(budget // len(texts), 1)
    texts = [checks.text(text, "a text") for text in texts]
    documents = [Document(text) for text in texts]
    methods = (ScoringMethod.KEYWORD, ScoringMethod.EMBEDDING)
    by_terms, by_vectors = (
        RelevanceScorer(method, embedder=embedder, cache=0).score_sync(documents, query) for method in methods
    )
    table = by_terms.segments
    values = by_terms.segment_scores.astype(np.float64) + by_vectors.segment_scores
    bounds = table.document.searchsorted(np.arange(len(texts) + 1)).tolist()
    excerpts = []
    for text, first, last in zip(texts, bounds, bounds[1:], strict=False):
        places = values[first:last] + _FIRST / np.arange(1, last - first + 1)
        best = first + np.sort(np.argsort(-places, kind="stable")[:each])
        excerpts.append(
            _excerpt(text, list(zip(table.start[best].tolist(), table.end[best].tolist(), strict=True)))
        )
    return excerpts


def _excerpt(text: str, sentences: Sequence[tuple[int, int]]) -> Excerpt:
    """Join sentences; a gap no longer than its mark stays, so no excerpt is longer than its text."""
    shown, spans = "", list[tuple[int, int]]()
    for start, end in sentences:
        last = spans[-1][1] if spans else start
        gap = text[last:start]
        if gap.strip() and len(gap) <= len(_GAP):
            spans[-1] = (spans[-1][0], end)
        else:
            gap = _GAP if gap.strip() else gap
            spans.append((start, end))
        shown += gap + text[start:end]
    return Excerpt(shown, tuple(spans))


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A search result in one line."""

    chunk_id: str  #: asks for the whole
    preview: str  #: its first sentence; if that is no sentence or too long, its headings and number of words
    score: float  #: of the result


def previews(results: Sequence[ChunkResult]) -> list[Preview]:
    """Make a line for each result. O(characters)."""
    table = segment([result.content for result in results])
    first: dict[int, str] = {}
    for document, start, end, kind in table:
        if document not in first and kind in (Kind.PROSE, Kind.LIST_ITEM, Kind.QUOTE):
            first[document] = " ".join(results[document].content[start:end].split())
    return [
        Preview(chunk_id=result.chunk_id, preview=_line(result, first.get(row, "")), score=result.score)
        for row, result in enumerate(results)
    ]


def _line(result: ChunkResult, sentence: str) -> str:
    if 0 < len(sentence) <= _LONGEST:
        return sentence
    words = len(result.content.split())
    about = " ".join((result.header_path or result.file_path or result.doc_id).split())[:_LONGEST]
    return f"{about} ({words} word{'' if words == 1 else 's'})".strip()


_TEMPLATE = (
    "Summarize the following content in {target} words, preserving key facts relevant to: {query}\n"
    "{rules}\n\n{content}"
)
_CHARACTERS = resolve_counter(len)


@brief
@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSummary:
    """The summary of a chunk, or the chunk itself."""

    chunk_id: str  #: of the chunk; its content can be had there again
    content: str  #: what the model wrote; the chunk's own content where `summary` is False
    summary: bool  #: whether a model wrote `content`
    unsupported: tuple[str, ...] = ()  #: numbers, names and the like that the model wrote and the chunk lacks
    #: why there is no summary, as of a `Reply` (writing/flow.py): "model_failed", "empty_reply",
    #: "reply_truncated", "reply_too_long" (no shorter than the chunk); None: there is
    fallback_reason: str | None = None


class ChunkSummarizer:
    """Summarizes chunks for a query with a model; where it fails, the chunk itself is returned."""

    def __init__(self, model: Any = None, cache: int = 8 * 2**20, *, llm: Any = None) -> None:
        """`model`, or `llm`: see `resolve_language_model`; `cache`: bytes of summaries to keep."""
        self._model = resolve_language_model(one_model(model=model, llm=llm))
        self._cache: BoundedCache[ChunkSummary] = BoundedCache(cache)

    def summarize(self, chunk: ChunkResult, query: str, target_length: int) -> ChunkSummary:
        """Summarize the chunk in about `target_length` words, for a query. A failing model raises nothing.

        Raises ValueError for a target length under 1, TypeError for one that is no whole number.
        """
        return run_flow(self._summary(chunk, query, target_length), self._model, 1)

    async def asummarize(self, chunk: ChunkResult, query: str, target_length: int) -> ChunkSummary:
        """Summarize as `summarize` does, from an event loop; uses the model's `acomplete`, if it has one."""
        return await run_flow_async(self._summary(chunk, query, target_length), self._model, 1)

    def _summary(self, chunk: ChunkResult, query: str, target_length: int) -> Flow[ChunkSummary]:
        words = checks.whole_number(target_length, "target_length", least=1)
        text, prompt = chunk.content, Prompt(_TEMPLATE, query)
        key = digest_of([chunk.chunk_id, prompt.fill(text, words)])
        if (known := self._cache.get(key)) is not None:
            return known
        limit = max(len(text) - 1, 1)
        (reply,) = yield from ask([Task(text, prompt, limit, _CHARACTERS, unit="characters", target=words)])
        if reply.reason is not None:
            return ChunkSummary(
                chunk_id=chunk.chunk_id, content=text, summary=False, fallback_reason=reply.reason
            )
        made_up = unsupported_facts([text], reply.text)
        made = ChunkSummary(chunk_id=chunk.chunk_id, content=reply.text, summary=True, unsupported=made_up)
        self._cache.put(key, made, 4 * len(made.content))
        return made
