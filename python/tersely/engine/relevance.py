"""Score segments by relevance to a query: terms, neighbours, leads between documents, vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.checks import Question, is_english, read_question
from tersely.engine.cutting import analyze
from tersely.models.counters import texts_of
from tersely.models.embedders import CheckedCrossEncoder, CheckedEmbedder, CheckedPruner
from tersely.models.static import StaticEmbedder
from tersely.models.weights import Forest, relevance_forest, relevance_weights
from tersely.types import Analysis, Document, Float32s, Float64s, Level, SegmentTable, pieces

if TYPE_CHECKING:
    from tersely.engine.probability import TopicColumns

#: What relevance is made of, in the order of csrc/kernels/relevance/features.hpp, which says what each is.
FEATURES = (
    "share",
    "bm25",
    "previous",
    "next",
    "headings",
    "lead",
    "first",
    "block_best",
    "document",
    "answer",
    "feedback",
    "feedback_wide",
    "bridge",
    "named",
    "cosine",
    "cosine_previous",
    "cosine_next",
    "cosine_block",
    "cosine_document",
    "cosine_lead",
    "reranked",
)


#: What the forest sees, in the order of csrc/kernels/relevance/columns.hpp, which says what each is.
COLUMNS = (
    "first",
    "document",
    "bridge",
    "named",
    "feedback",
    "cosine",
    "cosine_previous",
    "cosine_block",
    "cosine_document",
    "cosine_lead",
    "share over largest",
    "bm25 over largest",
    "previous over largest",
    "next over largest",
    "block_best over largest",
    "document over largest",
    "feedback over largest",
    "feedback_wide over largest",
    "bridge over largest",
    "named over largest",
    "above median",
    "standard",
    "rank",
    "text above",
    "below best",
    "previous below",
    "next below",
    "block below",
    "document below",
    "in block",
    "in document",
    "document rank",
    "cosine below",
    "size",
    "place",
    "place share",
    "cosine itself",
    "quantity",
    "time",
    "asked",
    "own terms",
    "rarest",
    "rarest missed",
    "matched",
    "beyond best",
    "beyond three",
    "left by best",
    "left by three",
    "most held",
    "hop",
    "document share",
    "block share",
    "phrases",
    "document phrases",
)


@cache
def weight_row(kind: str) -> Float64s:
    """float64[len(FEATURES)]: the weights of a kind of vectors, in the order of the features."""
    return _row(relevance_weights(kind))


def _row(weights: Mapping[str, float]) -> Float64s:
    return np.array([weights.get(name, 0.0) for name in FEATURES])


class Scored(NamedTuple):
    """Relevance scores of the segments of a call, and what they are made of.

    Attributes:
        features: float32[len(FEATURES), n].
        scores: float32[n] >= 0.
        corrections: float32[n], what the trees add.
        matched: whether a segment, or what stands above one, holds a term of the query.
        nearest: the largest cosine; -1 without vectors.
    """

    features: Float32s
    scores: Float32s
    corrections: Float32s
    matched: bool
    nearest: float


class Importance(NamedTuple):
    """The worth of units per token without a query; with one, `worth` is relevance, the others None.

    Attributes:
        worth: float32[n] >= 0, what the context comes back to, and what nothing else in it tells.
        gist: float32[n] >= 0, the first of the two alone.
        apart: float32[n] in (0, 1], how far a unit's words stand alone.
    """

    worth: Float32s
    gist: Float32s | None = None
    apart: Float32s | None = None

    def rows(self, of: Callable[[Float32s], Float32s]) -> Importance:
        """Return the columns for other units; `of` maps each column to them."""
        return Importance(*(None if column is None else of(column) for column in self))  # type: ignore[arg-type]  # the first is none


@dataclass(eq=False, slots=True)
class Asked:
    """A query beside the segments of a call.

    Attributes:
        analysis: segments and terms.
        query_row: the row of the query's terms.
        title_rows: of each document, the row of its title's terms; -1 without one.
        answer: classes of terms that the query asks for (checks.py).
        cosine: float32[n], of each segment's vector with the query's; None: the features made of it are 0.
        calibration: which numbers of models/probability.json make probabilities of them.
        named: bool[n], segments of documents that matching ones of others name ("bridge"); None: nobody
            looked.
        topic: what `engine/probability.py` found of the documents; None: nobody asked.
    """

    analysis: Analysis
    query_row: int
    title_rows: Sequence[int]
    answer: int = 0
    cosine: Float32s | None = None
    calibration: str = "none"
    named: npt.NDArray[np.bool_] | None = None
    topic: TopicColumns | None = None

    def scores(
        self, weights: Mapping[str, float] | Float64s, forest: Forest, features: Float32s | None = None
    ) -> Scored:
        """Score the segments.

        A score is the weighted sum of the features (`weights` by name, where a missing one is 0, or as
        `weight_row` gives them), corrected by the forest, above
        the median of the call (csrc/kernels/relevance/columns.hpp). `features`: given ones are taken as they
        are; else "reranked" is 0: engine/relevance.py fills it. O(terms + segments * trees).
        """
        given = (*self._arguments(weights), forest, features)
        return Scored(*_native.relevance(*given))

    def columns(self, weights: Mapping[str, float]) -> Float32s:
        """float32[len(COLUMNS), n]: what a forest is fitted on. O(terms + n log n)."""
        return _native.relevance_columns(*self._arguments(weights))

    def _arguments(self, weights: Mapping[str, float] | Float64s) -> tuple[Any, ...]:
        analysis, table = self.analysis, self.analysis.table
        return (
            analysis.term_ids,
            analysis.term_offsets,
            analysis.term_class,
            table.document,
            table.block,
            table.heading,
            self.query_row,
            np.asarray(self.title_rows, dtype=np.int64),
            self.answer,
            self.cosine if self.cosine is not None else np.empty(0, dtype=np.float32),
            table.start,
            table.end,
            weights if isinstance(weights, np.ndarray) else _row(weights),
        )


def centrality(analysis: Analysis) -> Float32s:
    """float32[n] in [0, 1.7]: importance without a query (csrc/kernels/lexical/corpus.hpp)."""
    table = analysis.table
    terms = (analysis.term_ids, analysis.term_offsets, analysis.term_class)
    return _native.centrality(*terms, table.document, table.block, table.heading)


def lead(words: Sequence[int], position_decay: float = 0.01, position_floor: float | None = None) -> Float32s:
    """float32[n]: `position_and_length`."""
    return position_and_length(words, position_decay, position_floor).astype(np.float32)


def position_and_length(
    words: Sequence[int], position_decay: float = 0.01, position_floor: float | None = None
) -> npt.NDArray[np.float64]:
    """float64[n]: 1 - i * position_decay (not under the floor), + 0.3 where 5 < words < 50.

    `words[i]`: number of white-space separated words of segment i.
    """
    count = np.asarray(words)
    score = 1.0 - np.arange(len(count)) * position_decay
    if position_floor is not None:
        score = np.maximum(score, position_floor)
    return np.asarray(score + 0.3 * ((count > 5) & (count < 50)), dtype=np.float64)


RERANK_SHARE, PRUNER_SHARE = 1 / 6, 1 / 2  # of the characters
_LEAST_READ_AGAIN = 5  # segments
# What a pruner's logit is worth in the sum of the features, and the best of its document's logits.
_OWN_LOGIT, _BEST_LOGIT = 0.75, 1.0
_MOST_LOGIT = 8.0  # in either direction: a model that is surer than that weighs no more
_RERANKED, _BRIDGE = FEATURES.index("reranked"), FEATURES.index("bridge")
_LEAST_COSINE = 0.3  # without a term in common, a query is only followed where some vector is as near as this


class QueryReading(NamedTuple):
    """A call's texts, cut and read.

    Attributes:
        documents: as given.
        texts: what is read of each: its text, or what a page shows.
        query: not blank.
        question: what the query asks for.
        analysis: segments and terms; the rows after the segments' are the question's and the titles'.
    """

    documents: tuple[Document, ...]
    texts: Sequence[str]
    query: str
    question: Question
    analysis: Analysis

    @property
    def table(self) -> SegmentTable:
        """The segments."""
        return self.analysis.table

    def segment_texts(self) -> list[str]:
        """The text of each segment, verbatim."""
        table = self.table
        return pieces(self.texts, table.document, table.start, table.end)


def read_for_query(
    documents: Sequence[Document], query: str, level: Level, window: int = 200
) -> QueryReading:
    """Cut the documents into segments and read the terms of segments, query and titles."""
    question = read_question(query)
    titles = [document.title or "" for document in documents]
    texts = texts_of(documents)
    return QueryReading(
        tuple(documents), texts, query, question, analyze(texts, [question.text, *titles], level, window)
    )


class Hybrid(NamedTuple):
    """Scores, and what they are made of.

    Attributes:
        segments: float32[n] >= 0; see csrc/kernels/relevance/columns.hpp.
        features: float32[len(FEATURES), n].
        weights: float64[len(FEATURES)].
        asked: what the features are made of.
        forest: corrects their weighted sum.
        corrections: float32[n], by how much.
        by_query: False where the query has nothing to do with the text, as far as terms and vectors tell.
        warnings: "embedder_failed" (scored by terms alone), "reranker_failed", "pruner_failed" (scored
            without it), "query_without_matches".
    """

    segments: Float32s
    features: Float32s
    weights: Float64s
    asked: Asked
    forest: Forest
    corrections: Float32s
    by_query: bool
    warnings: tuple[str, ...]


def hybrid(
    prepared: QueryReading,
    embedder: CheckedEmbedder | None,
    reranker: CheckedEmbedder | CheckedCrossEncoder | None = None,
    rerank_share: float = RERANK_SHARE,
    cosine: Float32s | None = None,
    pruner: CheckedPruner | None = None,
    pruner_share: float = PRUNER_SHARE,
) -> Hybrid:
    """Score the segments; without an embedder by terms alone. A model that fails is left out, with a warning.

    A reranker or a pruner reads the best segments only, such a share of the characters: what it says about
    them ("reranked") is weighed with the rest. `cosine`: what the embedder said of the segments,
    where that is known; then it is not asked. O(terms), the embedder's cost of all segments and the
    others' of their shares.
    """
    warnings = []
    analysis = prepared.analysis
    size = len(analysis.table.start)
    if cosine is None and embedder is not None and size:
        try:
            cosine = embedder.similarity_spans(prepared.query, prepared.texts, analysis.table)
        except Exception:  # whatever a model does, history is not lost with it
            warnings.append("embedder_failed")
    titles = [size + 1 + i if document.title else -1 for i, document in enumerate(prepared.documents)]
    static = embedder is not None and isinstance(embedder.embedder, StaticEmbedder)
    kind = "none" if cosine is None else "static" if static else "model"
    weights, forest = weight_row(kind), relevance_forest(kind)
    # Cosines of the static table are known by their size for English alone, those of other models not at all.
    calibration = kind if kind == "static" and is_english(prepared.query) else "none"
    asked = Asked(analysis, size, titles, prepared.question.answer, cosine, calibration)
    scored = asked.scores(weights, forest)
    by_query, features = scored.matched, scored.features
    if not by_query and analysis.term_offsets[size] > 0:
        warnings.append("query_without_matches")
        by_query = scored.nearest >= _LEAST_COSINE
    again = {"reranker": (reranker, rerank_share), "pruner": (pruner, pruner_share)}
    for name, (reader, share) in again.items() if by_query else ():
        try:
            if reader is not None:
                features[_RERANKED] += _read_again(prepared, scored.scores, reader, share)
        except Exception:
            warnings.append(f"{name}_failed")
    if features[_RERANKED].any():
        scored = asked.scores(weights, forest, features)
    asked.named = features[_BRIDGE] > 0
    told = tuple(warnings)
    return Hybrid(scored.scores, features, weights, asked, forest, scored.corrections, by_query, told)


def _read_again(
    prepared: QueryReading,
    scores: Float32s,
    reader: CheckedEmbedder | CheckedCrossEncoder | CheckedPruner,
    share: float,
) -> Float32s:
    """float32[n]: what a model that reads the best segments says of all; 0 where it read nothing.

    Of a reranker standard scores. Of a pruner logits, from the least on, and the best of the document's:
    where the answer stands, other sentences that it needs stand, too.
    """
    texts = prepared.segment_texts()
    order = np.argsort(-scores, kind="stable")
    read = np.cumsum([len(texts[row]) for row in order])
    least = int(np.searchsorted(read, share * read[-1], side="right"))
    best = np.sort(order[: max(_LEAST_READ_AGAIN, least)])
    said, result = [texts[row] for row in best], np.zeros(len(texts))
    if isinstance(reader, CheckedPruner):
        document = prepared.table.document
        rare = 1 / (1 + np.exp(_MOST_LOGIT))
        kept = reader.prune(prepared.query, said, document[best]).astype(np.float64).clip(rare, 1 - rare)
        result[best] = np.log(kept / (1 - kept)) + _MOST_LOGIT
        of_document = np.zeros(len(prepared.documents))
        np.maximum.at(of_document, document, result)
        result = _OWN_LOGIT * result + _BEST_LOGIT * of_document[document]
        return result.astype(np.float32)
    ask = reader.similarity if isinstance(reader, CheckedEmbedder) else reader.score
    found = ask(prepared.query, said).astype(np.float64)
    if found.std() > 0:
        result[best] = (found - found.mean()) / found.std()
    return result.astype(np.float32)
