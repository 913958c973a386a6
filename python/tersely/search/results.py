"""Filter search results by score, remove duplicates, take the best, and fit them into a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tersely.core import checks
from tersely.core.tables import Int32s
from tersely.providers.embedders import resolve_embedder
from tersely.search.chunks import Hit, read_results
from tersely.search.deduplication import duplicates, kmeans_groups
from tersely.search.excerpts import extract_sentences
from tersely.search.thresholding import above_score, on_topic, within_budget

__all__ = ["CompressedResults", "ResultStats", "compress_results"]

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
            in search/thresholding.py); without a query, too, all count 1.0, in the order given.
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
