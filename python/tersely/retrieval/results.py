"""Filter search results by score, remove duplicates, take the best, and fit them into a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from tersely import checks
from tersely.engine.count import count_batch
from tersely.engine.dedup import dedup_texts
from tersely.engine.probability import document_probability
from tersely.engine.relevance import hybrid, read_for_query
from tersely.errors import BudgetExceededError
from tersely.kernels import cosine_similarity, threshold_clusters
from tersely.models.counters import resolve_counter
from tersely.models.embedders import resolve_embedder
from tersely.retrieval.chunks import Hit, read_results
from tersely.retrieval.excerpts import extract_sentences
from tersely.types import Document, Float64s, Int32s, Level

__all__ = [
    "LINKAGES",
    "ON_TOPIC",
    "CompressedResults",
    "ResultStats",
    "above_score",
    "compress_results",
    "duplicates",
    "kmeans_groups",
    "on_topic",
    "within_budget",
]

#: The probability from which on a text is more likely on a query's topic than not (engine/probability.py).
ON_TOPIC = 0.5


class _HasScore(Protocol):
    @property
    def score(self) -> float: ...


Result = TypeVar("Result", bound=_HasScore)


def above_score(results: Sequence[Result], min_score: float = 0.3) -> list[Result]:
    """Keep the results with a score of at least `min_score`, in their order; there may be none.

    Raises ValueError for a `min_score` that is not in [0, 1].
    """
    least = checks.number(min_score, "min_score", least=0, most=1)
    return [result for result in results if result.score >= least]


def on_topic(
    texts: Sequence[str], query: str, titles: Sequence[str | None] = (), *, embedder: Any = None
) -> Float64s:
    """float64[n] in [0, 1]: the probability that each text is on the topic of a query.

    On topic, not that it answers; absolute, so that all may be low (`Compressed.relevance` is the same).
    `titles`: of the texts, one each or none. `embedder`: as for `tersely.dedup`. O(characters).
    """
    named = list(titles) or [None] * len(texts)
    documents = [Document(text, title=title) for text, title in zip(texts, named, strict=True)]
    prepared = read_for_query(documents, query.strip(), Level.SENTENCE)
    return document_probability(hybrid(prepared, resolve_embedder(embedder)).asked)


def within_budget(texts: Sequence[str], max_tokens: int = 2000, counter: Any = "chars/4") -> tuple[int, bool]:
    """Count how many texts from the first on fit into `max_tokens`: (that number, whether any is left out).

    The first that does not fit ends it; what comes after is not looked at, so that a worse result never takes
    the place of a better one. `counter` is what `tersely.compress` takes; "chars/4" is ceil(characters / 4).

    Raises BudgetExceededError where not even the first fits: nothing of it would be left to read.
    """
    max_tokens = checks.whole_number(max_tokens, "max_tokens", least=1)
    used = 0
    for place, tokens in enumerate(count_batch(resolve_counter(counter), list(texts)).tolist()):
        used += tokens
        if used > max_tokens:
            if place == 0:
                raise BudgetExceededError(
                    "the best result does not fit",
                    required=tokens,
                    budget=max_tokens,
                )
            return place, True
    return len(texts), False


LINKAGES = ("representative", "single")
_ROUNDS = 50
_USUAL = 0.85  # threshold from which on duplicates share most of their words


@dataclass(frozen=True, slots=True)
class _KnownVectors:
    """An embedder of texts whose vectors are known already."""

    rows: dict[str, int]
    vectors: npt.NDArray[Any]

    def embed(self, texts: Sequence[str]) -> npt.NDArray[Any]:
        return self.vectors[[self.rows[text] for text in texts]]


def duplicates(
    texts: Sequence[str],
    scores: Sequence[float],
    threshold: float = 0.85,
    *,
    vectors: npt.NDArray[Any] | None = None,
    embedder: Any = None,
    linkage: str = "representative",
    keep_facts: bool = True,
) -> Int32s:
    """Find the row that represents each text, int32[n]: itself where it is no duplicate.

    The best score of a group stands for it (ties: the first).

    Args:
        texts, scores: of the results.
        threshold: cosine in [-1, 1], inclusive, with a tolerance of 1e-9. A zero row is similar to none.
        vectors: (n, d), as the index has them; None: `embedder` makes them.
        linkage: "representative": each is similar to what stands for it; "single": perhaps through others.
        keep_facts: duplicates also agree in numbers, negations, names and most of their words, as for
            `tersely.dedup`; in fewer of their words where the threshold is under 0.85, with its square.
            False: the cosine alone decides, and texts that differ in a number may merge.

    O(characters + n k d) for k groups ("single": n^2 d).
    """
    checks.one_of(linkage, "linkage", LINKAGES)
    x = _matrix(texts, vectors, embedder)
    by = np.asarray(scores, dtype=np.float64)
    if not keep_facts:
        found = threshold_clusters(x, threshold, by, linkage=linkage, threads=1)  # type: ignore[arg-type]
        return found.representatives[found.labels]
    if linkage == "representative":
        return _agreeing(texts, x, by, threshold, threshold)
    labels = threshold_clusters(x, threshold, by, linkage="single", threads=1).labels
    stands = np.arange(len(texts), dtype=np.int32)
    for label in range(int(labels.max(initial=-1)) + 1):
        rows = np.flatnonzero(labels == label).astype(np.int32)
        if len(rows) > 1:  # of what is linked, what agrees in what it says
            stands[rows] = rows[
                _agreeing([texts[row] for row in rows.tolist()], x[rows], by[rows], -1.0, threshold)
            ]
    return stands


def kmeans_groups(vectors: npt.NDArray[Any], scores: Sequence[float], k: int) -> Int32s:
    """Group rows by k-means into `k` groups of similar direction: int32[n], the best row of each row's group.

    Spherical k-means from the best-scored row and, k - 1 times, the one least similar to those chosen:
    nothing is random. Groups hold what differs in numbers and names too: this chooses, and removes no copies.
    O(n k d) a round, at most 50 rounds.
    """
    by = np.asarray(scores, dtype=np.float64)
    order = np.argsort(-by, kind="stable")
    if k >= len(by) or k < 1:
        return np.arange(len(by), dtype=np.int32)
    x = vectors.astype(np.float64)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-300)
    chosen = [int(order[0])]
    nearest = x @ x[chosen[0]]
    while len(chosen) < k:
        nearest[chosen] = np.inf
        chosen.append(int(np.argmin(nearest)))
        nearest = np.maximum(nearest, x @ x[chosen[-1]])
    centers = x[chosen]
    labels = np.full(len(x), -1)
    for _ in range(_ROUNDS):
        now = np.argmax(cosine_similarity(x, centers), axis=1)
        now[chosen] = np.arange(k)  # no group is empty
        if (now == labels).all():
            break
        labels = now
        centers = np.stack([x[labels == group].sum(axis=0) for group in range(k)])
    stands = np.zeros(len(x), dtype=np.int32)
    for group in range(k):
        stands[labels == group] = next(row for row in order if labels[row] == group)
    return stands


def _agreeing(
    texts: Sequence[str], x: npt.NDArray[Any], by: npt.NDArray[np.float64], cosine: float, threshold: float
) -> Int32s:
    rows: dict[str, int] = {}
    for row, text in enumerate(texts):
        rows.setdefault(text, row)
    words = min(max(threshold, 0.0) / _USUAL, 1.0) ** 2
    found = dedup_texts(texts, _KnownVectors(rows, x), cosine, by, threads=1, words=words)
    return found.representatives[found.labels]


def _matrix(texts: Sequence[str], vectors: npt.NDArray[Any] | None, embedder: Any) -> npt.NDArray[Any]:
    if vectors is None:
        return resolve_embedder(embedder).embed(texts)
    x = np.ascontiguousarray(vectors)
    if x.ndim != 2 or len(x) != len(texts):
        raise ValueError(f"vectors must be of shape ({len(texts)}, dimensions), not {x.shape}")
    if x.dtype.kind != "f":
        x = checks.numbers(x, "vectors")
    if not np.isfinite(x).all():
        raise ValueError("vectors must be finite numbers")
    return x


_STRATEGIES = ("threshold", "kmeans")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultStats:
    """How many results each step left. after_threshold - clusters_merged == after_dedup.

    Attributes:
        original_count: before any step.
        after_threshold: with a score of at least `min_score`.
        after_dedup: without duplicates, before the cut to `top_n`.
        clusters_merged: removed as duplicates.
        returned_count: after the cut to `top_n` and to `max_tokens`; of a reply, those it has something of.
    """

    original_count: int
    after_threshold: int
    after_dedup: int
    clusters_merged: int
    returned_count: int


@dataclass(frozen=True, eq=False, slots=True)
class CompressedResults:
    """The search results that are left, best first.

    Attributes:
        results: as they were given.
        indices: where each stood in what was given.
        texts: the text of each: its whole content, or the sentences that were asked for.
        spans: (start, end) characters of its content that `texts` has, for each.
        duplicates: (index, index of the one that stands for it) of each that was removed as a duplicate.
        compression_stats: how many each step left.
        truncated: whether `max_tokens` left some out.
    """

    results: tuple[Any, ...]
    indices: tuple[int, ...]
    texts: tuple[str, ...]
    spans: tuple[tuple[tuple[int, int], ...], ...]
    duplicates: tuple[tuple[int, int], ...]
    compression_stats: ResultStats
    truncated: bool

    def __len__(self) -> int:
        """Number of results left."""
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
    linkage: str = "representative",
    strategy: str = "threshold",
    keep_facts: bool = True,
    max_sentences: int | None = None,
    max_tokens: int | None = None,
    counter: Any = "chars/4",
) -> CompressedResults:
    """Filter search results by score, remove semantic duplicates across all of them, then take the best.

    Args:
        results: `ChunkResult`s, mappings, dataclasses or frameworks' documents (see `read_results`), in any
            order. Without scores each counts the probability that it is on the topic of the query (`on_topic`
            in retrieval/results.py); without a query, too, all count 1.0, in the order given.
        query: for `max_sentences`, and for results without scores.
        min_score: in [0, 1]; a result with less is left out. May leave none.
        similarity_threshold: cosine in [-1, 1], inclusive, from which on two results may be duplicates. 0.9
            and more misses some, 0.7 takes what differs for the same.
        top_n: results at most; None: all.
        vectors: (n, d), of the results as the index has them; None: `embedder` makes them.
        embedder: None (the one that comes with tersely) or another (as for `tersely.dedup`).
        linkage: "representative": a duplicate is similar to the better one that stands for it; "single": it
            may be so through others.
        strategy: "threshold", or "kmeans": min(top_n, different results) groups, the best of each; what
            differs in a fact may then be in one group.
        keep_facts: no duplicates are those that differ in a number, a negation, a name (`tersely.dedup`).
            False: the cosine alone decides.
        max_sentences: of all results together, shared out evenly; None: whole contents.
        max_tokens: of all texts together: whole ones while they fit, then none; None: no limit.
        counter: counts them ("chars/4", or as for `tersely.compress`).

    Returns:
        A `CompressedResults`. The same call gives the same results; no model is asked.

    Raises:
        BudgetExceededError: not even the best result fits into `max_tokens`.
        ValueError, TypeError: a wrong argument; the message names it.

    O(characters + n k d) for n results, k of them different.
    """
    found = read_results(results)
    query = None if query is None else checks.text(query, "query")
    _check(strategy, top_n, query, max_sentences)
    if query is not None and query.strip() and found and not found[0].scored:
        chances = on_topic([one.text for one in found], query, embedder=embedder).tolist()
        found = [replace(one, score=chance) for one, chance in zip(found, chances, strict=True)]
    kept = above_score(sorted(found, key=lambda one: -one.score), min_score)
    rows = [one.index for one in kept]
    x = _vectors(vectors, len(found))
    x = resolve_embedder(embedder).embed([one.text for one in kept]) if x is None else x[rows]
    stands = _stands(kept, x, similarity_threshold, linkage, keep_facts)
    if strategy == "kmeans":
        stands = _kmeans(stands, kept, x, top_n)
    different = np.flatnonzero(stands == np.arange(len(kept))).tolist()
    chosen = different[:top_n]
    texts = [kept[row].text for row in chosen]
    spans: list[tuple[tuple[int, int], ...]] = [((0, len(text)),) for text in texts]
    if max_sentences is not None and query is not None:
        excerpts = extract_sentences(texts, query, max_sentences, embedder=embedder)
        texts, spans = [one.text for one in excerpts], [one.spans for one in excerpts]
    fit, truncated = (len(texts), False) if max_tokens is None else within_budget(texts, max_tokens, counter)
    return CompressedResults(
        tuple(kept[row].item for row in chosen[:fit]),
        tuple(rows[row] for row in chosen[:fit]),
        tuple(texts[:fit]),
        tuple(spans[:fit]),
        tuple((rows[row], rows[to]) for row, to in enumerate(stands.tolist()) if row != to),
        ResultStats(
            original_count=len(found),
            after_threshold=len(kept),
            after_dedup=len(different),
            clusters_merged=len(kept) - len(different),
            returned_count=fit,
        ),
        truncated,
    )


def _stands(
    kept: Sequence[Hit], x: npt.NDArray[Any], threshold: float, linkage: str, keep_facts: bool
) -> Int32s:
    return duplicates(
        [one.text for one in kept],
        [one.score for one in kept],
        threshold,
        vectors=x,
        linkage=linkage,
        keep_facts=keep_facts,
    )


def _kmeans(stands: Int32s, kept: Sequence[Hit], x: npt.NDArray[Any], top_n: int | None) -> Int32s:
    """Group the different results into `top_n`, each with its best one and the duplicates of all in it."""
    different = np.flatnonzero(stands == np.arange(len(kept)))
    if top_n is None or top_n >= len(different):
        return stands
    groups = kmeans_groups(x[different], [kept[row].score for row in different.tolist()], top_n)
    stands_for = np.arange(len(kept), dtype=np.int32)
    stands_for[different] = different[groups]
    return stands_for[stands]


def _vectors(vectors: npt.ArrayLike | None, count: int) -> npt.NDArray[Any] | None:
    if vectors is None:
        return None
    x = np.asarray(vectors)
    if len(x) != count:
        raise ValueError(f"vectors must have one row a result: {len(x)} for {count} results")
    return x if count else x.reshape(0, 1)


def _check(strategy: str, top_n: int | None, query: str | None, max_sentences: int | None) -> None:
    checks.one_of(strategy, "strategy", _STRATEGIES)
    if top_n is not None:
        checks.whole_number(top_n, "top_n", least=1)
    if max_sentences is not None and query is None:
        raise ValueError("max_sentences needs a query")
