"""Value units: relevance to the query, else importance in the text, on one scale for all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely._native import StaticTable
from tersely.checks import Question, is_english, read_question
from tersely.content.lines import FAILED
from tersely.content.units import Bools, Quoted
from tersely.engine.facts import rows_at
from tersely.engine.reading import Reading, Region, analyze
from tersely.engine.second_step import second_step
from tersely.models.counters import texts_of
from tersely.models.embedders import (
    CheckedCrossEncoder,
    CheckedEmbedder,
    CheckedPruner,
    resolve_embedder,
    resolve_pruner,
    resolve_reranker,
)
from tersely.models.static import StaticEmbedder
from tersely.models.weights import Forest, relevance_forest, relevance_probability, relevance_weights
from tersely.types import (
    Analysis,
    Document,
    Float32s,
    Float64s,
    Int32s,
    Int64s,
    Kind,
    Level,
    Request,
    SegmentTable,
    UInt8s,
    pieces,
)

if TYPE_CHECKING:
    from tersely.engine.strategies import Extractive

#: What relevance is made of, in the order of csrc/kernels/relevance/features.hpp, which says what each is.
FEATURES = (
    "share", "bm25", "previous", "next", "headings", "lead", "first", "block_best", "document", "answer",
    "feedback", "feedback_wide", "bridge", "named", "cosine", "cosine_previous", "cosine_next",
    "cosine_block", "cosine_document", "cosine_lead", "reranked",
)  # fmt: skip

#: What the forest sees, in the order of csrc/kernels/relevance/columns.hpp, which says what each is.
COLUMNS = (
    "first", "document", "bridge", "named", "feedback", "cosine", "cosine_previous", "cosine_block",
    "cosine_document", "cosine_lead", "share over largest", "bm25 over largest", "previous over largest",
    "next over largest", "block_best over largest", "document over largest", "feedback over largest",
    "feedback_wide over largest", "bridge over largest", "named over largest", "above median", "standard",
    "rank", "text above", "below best", "previous below", "next below", "block below", "document below",
    "in block", "in document", "document rank", "cosine below", "size", "place", "place share",
    "cosine itself", "quantity", "time", "asked", "own terms", "rarest", "rarest missed", "matched",
    "beyond best", "beyond three", "left by best", "left by three", "most held", "hop", "document share",
    "block share", "phrases", "document phrases",
)  # fmt: skip


@cache
def weight_row(kind: str) -> Float64s:
    """float64[len(FEATURES)]: the weights of a kind of vectors, in the order of the features."""
    return _row(relevance_weights(kind))


def _row(weights: Mapping[str, float]) -> Float64s:
    return np.array([weights.get(name, 0.0) for name in FEATURES])


class Importance(NamedTuple):
    """The worth of units per token without a query; with one, `worth` is relevance, the others None."""

    worth: Float32s  #: float32[n] >= 0, what the context comes back to, and what nothing else in it tells
    gist: Float32s | None = None  #: float32[n] >= 0, the first of the two alone
    apart: Float32s | None = None  #: float32[n] in (0, 1], how far a unit's words stand alone


_NO_COSINES = np.empty(0, dtype=np.float32)


@dataclass(eq=False, slots=True)
class Asked:
    """A query beside the segments of a call."""

    analysis: Analysis  #: segments and terms
    query_row: int  #: the row of the query's terms
    title_rows: Sequence[int]  #: of each document, the row of its title's terms; -1 without one
    answer: int = 0  #: classes of terms that the query asks for (checks.py)
    #: float32[n], of each segment's vector with the query's; None: the features made of it are 0
    cosine: Float32s | None = None
    #: the static table, the query and the texts that `scores` makes `cosine` of; None: nothing
    vectors: tuple[StaticTable, str, Sequence[str]] | None = None
    calibration: str = "none"  #: which numbers of models/probability.json make probabilities of them
    #: bool[n], segments of documents that matching ones of others name ("bridge"); None: nobody looked
    named: npt.NDArray[np.bool_] | None = None
    topic: TopicColumns | None = None  #: what `topic_columns` found of the documents; None: nobody asked
    talk: Int32s | None = None  #: int32[documents], as of `turns_of_talk`

    def scores(
        self, weights: Mapping[str, float] | Float64s, forest: Forest, features: Float32s | None = None
    ) -> tuple[Float32s, Float32s, Float32s, bool, float]:
        """Score the segments.

        A score is the weighted sum of the features (`weights` by name, where a missing one is 0, or as
        `weight_row` gives them), corrected by the forest, above the median of the call
        (csrc/kernels/relevance/columns.hpp). `features`: given ones are taken as they are; else "reranked" is
        0: `_read_again` fills it. O(terms + segments * trees).

        Returns float32[len(FEATURES), n] features, float32[n] scores >= 0, float32[n] what the trees add,
        whether a segment, or what stands above one, holds a term of the query, and the largest cosine (-1
        without vectors).
        """
        given = (*self._arguments(weights), forest, features)
        found, scores, corrections, matched, nearest, cosine = _native.relevance(*given)
        self.cosine = cosine if len(cosine) else None
        return found, scores, corrections, matched, nearest

    def columns(self, weights: Mapping[str, float]) -> Float32s:
        """float32[len(COLUMNS), n]: the features that a forest is fitted on. O(terms + n log n)."""
        return _native.relevance_columns(*self._arguments(weights))

    def _arguments(self, weights: Mapping[str, float] | Float64s) -> tuple[Any, ...]:
        analysis, table = self.analysis, self.analysis.table
        document, titles = table.document, np.asarray(self.title_rows, dtype=np.int64)
        if self.talk is not None:
            document, titles = self.talk[document], titles[np.unique(self.talk, return_index=True)[1]]
        cosine: Any = _NO_COSINES if self.cosine is None else self.cosine
        if self.cosine is None and self.vectors is not None:
            cosine = (*self.vectors, table.document)
        asked = (self.query_row, titles, self.answer, cosine, table.start, table.end)
        row = weights if isinstance(weights, np.ndarray) else _row(weights)
        return analysis.terms(document), asked, row


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
# The weight of a question's second step beside the first, if the best segment holds no word of it.
# Two-step sets of the development data gain at .5, .7 and 1; at 1, other sets lose at half of the text.
_SECOND_STEP = 0.7
_MOST_LOGIT = 8.0  # in either direction: a model that is surer than that weighs no more
_RERANKED, _BRIDGE = FEATURES.index("reranked"), FEATURES.index("bridge")
_LEAST_COSINE = 0.3  # without a term in common, a query is only followed where some vector is as near as this


class QueryReading(NamedTuple):
    """A call's texts, cut and read."""

    documents: tuple[Document, ...]  #: as given
    texts: Sequence[str]  #: what is read of each: its text, or what a page shows
    query: str  #: not blank
    question: Question  #: what the query asks for
    analysis: Analysis  #: segments and terms; the rows after the segments' are the question's and the titles'

    @property
    def table(self) -> SegmentTable:
        """The segments of the call: a row each."""
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
    """Scores and their parts.

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
        failure: what the embedder raised.
    """

    segments: Float32s
    features: Float32s
    weights: Float64s
    asked: Asked
    forest: Forest
    corrections: Float32s
    by_query: bool
    warnings: tuple[str, ...]
    failure: Exception | None = None


def hybrid(
    prepared: QueryReading,
    embedder: CheckedEmbedder | None,
    reranker: CheckedEmbedder | CheckedCrossEncoder | None = None,
    rerank_share: float = RERANK_SHARE,
    pruner: CheckedPruner | None = None,
    pruner_share: float = PRUNER_SHARE,
) -> Hybrid:
    """Score the segments; without an embedder by terms alone. A model that fails is left out, with a warning.

    A reranker or a pruner reads the best segments only, such a share of the characters: what it says about
    them ("reranked") is weighed with the rest. O(terms), the embedder's cost of all segments and the others'
    of their shares.
    """
    warnings = []
    analysis = prepared.analysis
    size = len(analysis.table.start)
    cosine: Float32s | None = None
    failure: Exception | None = None
    table = embedder.table if embedder is not None and size else None
    if embedder is not None and size and table is None:
        try:
            cosine = embedder.similarity_spans(prepared.query, prepared.texts, analysis.table)
        except Exception as error:  # whatever a model does, history is not lost with it
            failure = error
            warnings.append("embedder_failed")
    titles = [size + 1 + i if document.title else -1 for i, document in enumerate(prepared.documents)]
    static = None if embedder is None else embedder.embedder
    if not isinstance(static, StaticEmbedder):
        static = None
    kind = "none" if cosine is None and table is None else "static" if static is not None else "model"
    weights, forest = weight_row(kind), relevance_forest(kind)
    # Cosines of the static table are known by their size for English alone, those of other models not at all.
    calibration = kind if kind == "static" and is_english(prepared.query) else "none"
    talk = turns_of_talk(prepared.texts, [document.title for document in prepared.documents])
    vectors = None if table is None else (table, prepared.query, prepared.texts)
    asked = Asked(analysis, size, titles, prepared.question.answer, cosine, vectors, calibration, talk=talk)
    features, scores, corrections, by_query, nearest = asked.scores(weights, forest)
    if not by_query and analysis.term_offsets[size] > 0:
        warnings.append("query_without_matches")
        by_query = nearest >= _LEAST_COSINE
    if by_query and (reranker is not None or pruner is not None):
        for name, reader, share in ("reranker", reranker, rerank_share), ("pruner", pruner, pruner_share):
            try:
                if reader is not None:
                    features[_RERANKED] += _read_again(prepared, scores, reader, share)
            except Exception:
                warnings.append(f"{name}_failed")
        if features[_RERANKED].any():
            _, scores, corrections, *_ = asked.scores(weights, forest, features)
    asked.named = features[_BRIDGE] > 0
    scores = _with_second_step(prepared, asked, scores, static if kind == "static" else None)
    scores = _native.led_to(analysis.table.columns(), scores, prepared.texts)
    return Hybrid(scores, features, weights, asked, forest, corrections, by_query, tuple(warnings), failure)


def _with_second_step(
    prepared: QueryReading, asked: Asked, scores: Float32s, static: StaticEmbedder | None
) -> Float32s:
    """Add how well segments answer the second step of the question, where it takes one.

    `static`: the embedder; None where it is a model, which does not read all segments a second time.
    """
    analysis = asked.analysis
    step = second_step(analysis, asked.query_row, prepared.question.text, prepared.texts, scores)
    if step is None:
        return scores
    ids = np.concatenate((analysis.term_ids, step.terms))
    offsets = np.append(analysis.term_offsets, len(ids))
    then = replace(
        asked,
        analysis=analysis._replace(term_ids=ids, term_offsets=offsets),
        query_row=len(offsets) - 2,
        cosine=None,
        vectors=None if static is None else (static.table, step.text, prepared.texts),
    )
    kind = "none" if static is None else "static"
    found = then.scores(weight_row(kind), relevance_forest(kind))[1]
    share = _SECOND_STEP * step.left * float(scores.max()) / max(float(found.max()), 1e-6)
    return scores + np.float32(share) * found


def _read_again(
    prepared: QueryReading,
    scores: Float32s,
    reader: CheckedEmbedder | CheckedCrossEncoder | CheckedPruner,
    share: float,
) -> Float32s:
    """Score all segments by a model that reads the best of them: float32[n]."""
    texts, document = prepared.segment_texts(), prepared.table.document
    order = np.argsort(-scores, kind="stable")
    read = np.cumsum([len(texts[row]) for row in order])
    least = int(np.searchsorted(read, share * read[-1], side="right"))
    best = np.sort(order[: max(_LEAST_READ_AGAIN, least)])
    said = [texts[row] for row in best]
    if isinstance(reader, CheckedPruner):
        return _mixed_logits(reader.prune(prepared.query, said, document[best]), best, document)
    ask = reader.similarity if isinstance(reader, CheckedEmbedder) else reader.score
    result = np.zeros(len(texts), dtype=np.float32)
    result[best] = _standard_scores(ask(prepared.query, said).astype(np.float64))
    return result


def _standard_scores(found: Float64s) -> Float64s:
    """How many deviations each is from the mean; 0 where all are the same."""
    deviation = found.std()
    return (found - found.mean()) / deviation if deviation > 0 else np.zeros(len(found))


def _mixed_logits(kept: Float32s, best: Int64s, document: Int32s) -> Float32s:
    """float32[n]: the logits of the segments `best`, from the least on, and the best of each document's.

    Where the answer stands, other sentences that it needs stand, too.
    """
    rare = 1 / (1 + np.exp(_MOST_LOGIT))
    chance = kept.astype(np.float64).clip(rare, 1 - rare)
    own = np.zeros(len(document))
    own[best] = np.log(chance / (1 - chance)) + _MOST_LOGIT
    of_document = np.zeros(int(document.max()) + 1)
    np.maximum.at(of_document, document, own)
    return (_OWN_LOGIT * own + _BEST_LOGIT * of_document[document]).astype(np.float32)


_FEWEST_TURNS = 4  # of two people who speak more than once
_TURN = re.compile(r"([^\s:][^:\n]{0,39}): ")
_LONGEST_NAME = 42  # characters, with what stands behind it


def turns_of_talk(texts: Sequence[str], titles: Sequence[str | None]) -> Int32s | None:
    """int32[texts]: number the texts by runs of turns, each run being read as one text.

    Turns in a row under one title are a run, since what somebody says has to do with what was said before.
    Turns begin with who speaks ("Ada: Hello."), and people speak more than once. None: most texts are no
    turns.
    """
    if len(texts) < _FEWEST_TURNS:
        return None
    turns = [_TURN.match(text) if ": " in text[:_LONGEST_NAME] else None for text in texts]
    said = [turn[1] for turn in turns if turn is not None]
    if 2 * len(said) < len(texts) or not 1 < len(set(said)) <= len(said) // 2:
        return None
    apart = [
        a is None or b is None or above != below
        for (a, b), (above, below) in zip(pairwise(turns), pairwise(titles), strict=True)
    ]
    return np.cumsum([False, *apart], dtype=np.int32)


REPRESENTED = 0.5  # of a segment's terms


def confidence(sources: Sequence[str], text: str, query: str = "", retention: float = 1.0) -> float:
    """Return 0.5 * retention + 0.3 * query coverage + 0.2 * segment coverage, in [0, 1].

    `retention`: share of the must-keep facts that `text` still has. Query coverage: of the query's terms that
    the sources hold, the share that `text` holds; 1 where there are none. Segment coverage: share of the
    sources' segments of which `text` holds at least half of the terms; 1 where no segment has a term. It
    reads terms only, so that it says the same of verbatim text and of what a model wrote. O(characters).
    """
    if not 0 <= retention <= 1:
        raise ValueError(f"retention must lie in [0, 1], not {retention}")
    analysis = analyze(sources, [text, query])
    segments = len(analysis.table)
    offsets, ids = analysis.term_offsets, analysis.term_ids
    said = np.zeros(analysis.vocabulary, dtype=bool)
    said[ids[offsets[segments] : offsets[segments + 1]]] = True
    known = np.zeros(analysis.vocabulary, dtype=bool)
    known[ids[: offsets[segments]]] = True
    asked = np.unique(ids[offsets[segments + 1] : offsets[segments + 2]])
    asked = asked[known[asked]]
    rows = np.repeat(np.arange(segments), np.diff(offsets[: segments + 1]))
    terms = np.bincount(rows, minlength=segments)
    held = np.bincount(rows, said[ids[: offsets[segments]]], minlength=segments)
    told = terms > 0
    query_coverage = float(said[asked].mean()) if len(asked) else 1.0
    unit_coverage = float((held[told] >= REPRESENTED * terms[told]).mean()) if told.any() else 1.0
    return 0.5 * retention + 0.3 * query_coverage + 0.2 * unit_coverage


#: What the probability of a document is made of; the last two only with vectors. Terms weigh their idf
#: (csrc/kernels/lexical/corpus.hpp), so those of the query that occur nowhere weigh most.
DOCUMENT_COLUMNS = (
    "share",  # of the query's distinct terms in the document or its title, times "terms"
    "best",  # the largest share in one segment or the title, times "terms"
    "pairs",  # share of the query's pairs of neighbouring terms that are neighbours in it, common ones less
    "segments",  # ln of their number
    "terms",  # ln(1 + distinct terms of the query)
    "cosine",  # the largest of its segments with the query
    "cosines",  # mean of the three largest
)
#: What that of a segment is made of; "cosine" only with vectors.
SEGMENT_COLUMNS = (
    "document",  # log odds of its document
    "share",  # of the query's distinct terms in it, times "terms"
    "near",  # the larger share of the segments before and after it in the document
    "cosine",  # with the query
)


@dataclass(frozen=True, eq=False, slots=True)
class TopicColumns:
    """The columns that probabilities are computed from."""

    documents: Float64s  #: float64[documents, len(DOCUMENT_COLUMNS)]
    #: float64[n, len(SEGMENT_COLUMNS)]; "document" is 0 as yet; no rows where they are not wanted
    segments: Float64s
    #: int32[documents, 2], the segments of each, and how often it and its title hold a query's term
    counts: Int32s


def document_probability(asked: Asked) -> Float64s:
    """float64[documents] in [0, 1]: probability that each is on the topic of the query; 0 for empty ones.

    Fitted such that wrong queries (of other texts) and right ones weigh the same. O(terms).
    """
    columns = _of_documents(asked)
    result = _logistic(_odds(columns.documents, "document", asked.calibration))
    result[columns.counts[:, 0] == 0] = 0
    return result


def has_to_do(asked: Asked) -> npt.NDArray[np.bool_]:
    """bool[documents]: whether a document has a term of the query, or a matching segment elsewhere names it.

    The second step of a question may share no word with it. O(terms).
    """
    found: npt.NDArray[np.bool_] = _of_documents(asked).counts[:, 1] > 0
    if asked.named is not None:
        found[asked.analysis.table.document[asked.named]] = True
    return found


def segment_probability(asked: Asked) -> Float64s:
    """float64[n] in [0, 1]: probability that each segment is on topic. Cost as `document_probability`."""
    columns = topic_columns(asked)
    odds = _odds(columns.documents, "document", asked.calibration)
    columns.segments[:, 0] = odds[asked.analysis.table.document]
    return _logistic(_odds(columns.segments, "segment", asked.calibration))


def _of_documents(asked: Asked) -> TopicColumns:
    """The columns of documents alone: worked out once."""
    if asked.topic is None:
        asked.topic = topic_columns(asked, segments=False)
    return asked.topic


def topic_columns(asked: Asked, *, segments: bool = True) -> TopicColumns:
    """Compute the columns of the probabilities (csrc/kernels/relevance/topic.hpp). O(terms).

    `segments`: whether their columns are wanted, too; without, there are none of them.
    """
    titles = np.asarray(asked.title_rows, dtype=np.int64)
    cosine = _NO_COSINES if asked.cosine is None else asked.cosine
    return TopicColumns(*_native.topic(asked.analysis.terms(), asked.query_row, titles, cosine, segments))


def _odds(columns: Float64s, what: str, kind: str) -> Float64s:
    """float64[n]: log odds. Sums run in the order of the columns, so they are the same everywhere."""
    weights = relevance_probability(kind)[what]
    result = np.zeros(len(columns)) + weights["constant"]
    names = DOCUMENT_COLUMNS if what == "document" else SEGMENT_COLUMNS
    for number, name in enumerate(names):
        if name in weights:
            result += weights[name] * columns[:, number]
    return result


def _logistic(odds: Float64s) -> Float64s:
    # Rounded, so that the last bits of exp, which differ between instruction sets, do not show.
    chances: Float64s = 1 / (1 + np.exp(-np.minimum(np.maximum(odds, -40), 40)))
    return chances.round(9)


_FLOOR_SHARE = 0.5  # what an outcome counts beside relevance
_MOST_LINES = 131_072  # that are looked at one by one
_NONE = np.empty(0, dtype=np.uint8)
_TABLE = int(Kind.TABLE)
_FEW = 0.02  # of the units of an order: more that say that something failed are what the text is about
# Features of a segment that come from what stands around it.
_OWN_FEATURES = ("share", "bm25", "document", "answer", "named", "cosine", "cosine_document")
_AROUND = [row for row, name in enumerate(FEATURES) if name not in _OWN_FEATURES]


def _analyze_units(request: Request, texts: list[str], table: SegmentTable) -> Analysis:
    """Read the terms of units as if each were a segment; the rows after are as above. O(characters)."""
    places = (table.document, table.start, table.end)
    ids, offsets, classes, weight = _native.unit_terms(texts, *places, extras_of(request))
    more, offsets = _with_columns(table, ids, offsets, len(classes))
    analysis = Analysis(table, more, offsets, classes, weight)
    if more is ids:
        return analysis
    return analysis._replace(term_weight=_native.inverse_frequency(analysis.terms()))


def _with_columns(
    table: SegmentTable, ids: Int32s, offsets: Int64s, vocabulary: int
) -> tuple[Int32s, Int64s]:
    """Rows of tables with the words of the query that the names of their columns hold. O(terms).

    So that "sales in 2019" finds the row "sales" below the column 2019, and no sentence for the year alone.
    """
    rows = ((table.kind == _TABLE) & (table.heading >= 0)).nonzero()[0]
    rows = rows[table.kind[table.heading[rows]] == _TABLE]
    if len(rows) == 0:
        return ids, offsets
    size = len(table)
    asked = np.zeros(vocabulary, dtype=bool)
    asked[ids[offsets[size] : offsets[size + 1]]] = True
    named: dict[int, Int32s] = {}
    for head in sorted(set(table.heading[rows].tolist())):
        terms = ids[offsets[head] : offsets[head + 1]]
        above = named.get(int(table.heading[head]), terms[:0])  # a header's rows stand one above the other
        named[head] = np.concatenate((above, terms[asked[terms]]))
    if not any(map(len, named.values())):
        return ids, offsets
    room = (table.end[rows] - table.start[rows]).tolist()  # characters: no row is in more columns
    heads = table.heading[rows].tolist()
    added = [named[head][:most] for head, most in zip(heads, room, strict=True)]
    count = np.zeros(len(offsets) - 1, dtype=np.int64)
    count[rows] = [len(terms) for terms in added]
    behind = np.repeat(offsets[rows + 1], count[rows])
    inserted: Int32s = np.insert(ids, behind, np.concatenate(added))
    return inserted, offsets + np.concatenate(([0], np.cumsum(count)))


def extras_of(request: Request) -> list[str]:
    """Return texts to read terms of beside the documents: with a query, the question and the titles."""
    query = (request.query or "").strip()
    if not query:
        return []
    extras = [read_question(query).text]
    for document in request.documents:
        extras.append(document.title or "")
    return extras


def redundancy_of(options: Extractive, by_query: bool) -> float:
    """Choose the penalty for repetition: small with a query, whose evidence shares its terms."""
    return options.redundancy if options.redundancy is not None else (0.2 if by_query else 1.0)


def worth_of_text(
    request: Request, texts: list[str], options: Extractive, analysis: Analysis
) -> tuple[Importance, bool, tuple[str, ...], Asked | None]:
    """Value segments: their worth, whether the query decided it, warnings, the query's features."""
    table, query = analysis.table, (request.query or "").strip()
    if options.scoring == "lead":
        words = [len(text.split()) for text in pieces(texts, table.document, table.start, table.end)]
        return Importance(lead(words, options.position_decay, options.position_floor)), False, (), None
    judged = analysis
    if options.level is Level.CLAUSE:  # says too little by itself: it is worth what its sentence is
        judged = analyze(texts, extras_of(request), Level.SENTENCE, options.window)
    found = _relevance(request, texts, options, judged) if query and options.scoring != "centrality" else None
    by_query = found is not None and found.by_query
    valued = Importance(found.segments) if found is not None and by_query else importance(texts, judged)
    if judged is not analysis:
        rows = rows_at(judged.table, table.document, table.start)
        worth, *others = valued
        valued = Importance(worth[rows], *(None if one is None else one[rows] for one in others))
    return valued, by_query, () if found is None else found.warnings, None if found is None else found.asked


def importance(texts: list[str], analysis: Analysis) -> Importance:
    """Value segments per token without a query (csrc/kernels/lexical/corpus.hpp).

    Of facts, those that a run of characters tells by itself (csrc/kernels/text/facts.hpp). O(characters),
    natively.
    """
    table = analysis.table
    return Importance(*_native.importance(texts, table.start, table.end, table.kind, analysis.terms()))


def _relevance(request: Request, texts: list[str], options: Extractive, analysis: Analysis) -> Hybrid:
    query = (request.query or "").strip()
    prepared = QueryReading(request.documents, texts, query, read_question(query), analysis)
    embedder = None if options.scoring == "lexical" else resolve_embedder(options.embedder)
    reranker = None if options.reranker is None else resolve_reranker(options.reranker)
    pruner = None if options.pruner is None else resolve_pruner(options.pruner)
    return hybrid(prepared, embedder, reranker, options.rerank_share, pruner, options.pruner_share)


def units_are_read(request: Request, options: Extractive) -> bool:
    """Whether `with_joint_worth` reads the terms of units, and so needs those of no segments."""
    return bool((request.query or "").strip()) and options.level is Level.SENTENCE


def with_joint_worth(
    reading: Reading,
    own: Float32s,
    analysis: Analysis | None,
    options: Extractive,
    follows: Int32s,
    alone: Bools | None,
    ordered: Bools | None,
) -> Reading:
    """Value the units of a reading of several content types on one scale.

    With a query that has to do with the text: their relevance, and a part of what they are worth by
    themselves; what is best comes first, where it is no text. Without: each region's units by the share of
    the region that is worth less, so that the best part of each is kept.
    """
    table, request, query = reading.table, reading.request, (reading.request.query or "").strip()
    gist, apart, asked, essential = None, None, None, None
    warnings, by_query = reading.warnings, False
    if units_are_read(request, options):
        analysis = _analyze_units(request, reading.texts, table)
        first = last = np.arange(len(table))
    else:
        if analysis is None or options.level is not Level.SENTENCE:
            analysis = analyze(reading.texts, extras_of(request), Level.SENTENCE, options.window)
        first, last = _segments_of(analysis.table, table)
    forms = _forms_of(reading.regions)
    limits = [(one.first, one.last, form) for one, form in zip(reading.regions, forms, strict=True)]
    regions = np.array(limits, dtype=np.int64).ravel()
    places = table.document, table.start, table.end, first, last, regions, own
    marks = _bytes_of(reading.essential), _bytes_of(ordered)
    bulk, nothing = _bytes_of(reading.bulk), np.empty(0, dtype=np.float32)
    if query and options.scoring not in ("centrality", "lead"):
        found = _relevance(request, reading.texts, options, analysis)
        warnings, asked = tuple(dict.fromkeys((*warnings, *found.warnings))), found.asked
        if found.by_query:
            by_query, scores = True, found.segments
            if alone is not None:
                found.features[np.ix_(np.array(_AROUND), first[alone])] = 0
                scores = found.asked.scores(found.weights, found.forest, found.features)[1]
            of_text: Any = analysis.terms()  # its centrality
            worth, best = _native.worth_beside(*places, *marks, bulk, follows, of_text, scores)
            # What lies deep pays for all that it stands in: cheap lines with little to say would come first.
            if best >= 0:
                essential = np.arange(len(table)) == best
    if not by_query:
        plain = importance(reading.texts, analysis)
        worth, _ = _native.worth_beside(*places, *marks, bulk, follows, plain.worth, nothing)
        apart = None if plain.apart is None else _largest(plain.apart, first, last)
        if plain.gist is not None:
            gist, _ = _native.worth_beside(*places, *marks, _NONE, follows, plain.gist, nothing)
    # Values and lines repeat: what that is worth says their reader.
    chosen = _by_region(reading.regions, [form != _PASTED for form in forms])
    if first is not last:  # of several units of a segment, the first has its terms
        chosen &= np.diff(first, prepend=-1) != 0
    if len(analysis.table) == 0:  # units of white space have no segment
        chosen[:] = False
    term_ids, term_offsets = _native.terms_of_units(analysis.term_ids, analysis.term_offsets, first, chosen)
    return replace(
        reading,
        worth=worth,
        gist=gist,
        apart=apart,
        essential=essential,
        term_ids=term_ids,
        term_offsets=term_offsets,
        term_weight=analysis.term_weight,
        redundancy=redundancy_of(options, by_query),
        warnings=warnings,
        by_query=by_query,
        asked=asked,
    )


_TEXT, _PASTED, _QUOTED = range(3)  # forms of csrc/kernels/relevance/standing.hpp


def _forms_of(regions: Sequence[Region]) -> list[int]:
    """Return how the units of each region are written, for the native code."""
    forms = [region.form for region in regions]
    return [_TEXT if form is None else _QUOTED if isinstance(form, Quoted) else _PASTED for form in forms]


def _bytes_of(rows: Bools | None) -> UInt8s:
    """uint8[n]: the same for the native code; empty for None."""
    return _NONE if rows is None else rows.view(np.uint8)


def _segments_of(segments: SegmentTable, units: SegmentTable) -> tuple[Int64s, Int64s]:
    """int64[n]: the first and the last segment that each unit has a part of."""
    first = rows_at(segments, units.document, units.start).astype(np.int64)
    last = rows_at(segments, units.document, np.maximum(units.end - 1, units.start)).astype(np.int64)
    first = np.maximum(first, 0)  # white space before the first segment
    return first, np.maximum(first, last)


def _largest(values: Float32s, first: Int64s, last: Int64s) -> Float32s:
    """float32[n]: the largest of values[first[i] : last[i] + 1]."""
    if first is last:  # units that are segments
        return values
    if len(first) == 0 or len(values) == 0:
        return np.zeros(len(first), dtype=np.float32)
    bounds = np.stack((first, last + 1), axis=1).ravel()
    return np.maximum.reduceat(np.append(values, np.float32(0)), bounds)[::2]


def _by_region(regions: Sequence[Region], values: Sequence[Any], dtype: Any = np.bool_) -> npt.NDArray[Any]:
    """Repeat the value of each region for its rows."""
    sizes = np.array([region.last - region.first for region in regions], dtype=np.int64)
    return np.array(values, dtype=dtype).repeat(sizes)


def with_wholes(reading: Reading, documents: Bools) -> Reading:
    """Pull the units of chosen documents towards their document's average worth, with a query.

    So that of several pieces of code the one that was asked for stays whole before lines of all others.
    `documents`: bool[documents]. O(units).
    """
    if not reading.by_query:
        return reading
    wanted = documents.view(np.uint8)
    return replace(reading, worth=_native.pulled_to_documents(reading.worth, reading.table.document, wanted))


def with_floor(reading: Reading, graded: Bools | None) -> Reading:
    """Raise the worth of units that report a failure, whatever the content type.

    `graded`: bool[n], units whose worth says so already; None: none does. Texts in sentences have no outcomes
    (csrc/kernels/content/line_reader.hpp). Without a query such units come first; with one an outcome is a
    part beside relevance. O(characters) for texts that stand in lines, else O(1).
    """
    table = reading.table
    if len(table.start) == 0:
        return reading
    known = _NONE if graded is None else graded.view(np.uint8)
    places = (table.document, table.start, table.end)
    grade = _native.grades_of_units(reading.texts, *places, known, _MOST_LINES)
    if len(grade) == 0:
        return reading
    form = _by_region(reading.regions, _forms_of(reading.regions), np.uint8)
    # Words of errors are what people write, too; sources are kept for their words alone.
    grade[((form == _TEXT) & (grade < FAILED)) | (form == _QUOTED)] = 0
    if not grade.any():
        return reading
    top = np.float32(reading.worth.max(initial=0)) or np.float32(1)
    if reading.by_query:
        return replace(reading, worth=(reading.worth + _FLOOR_SHARE * top * grade).astype(np.float32))
    if reading.ranked:  # before what is first, where few units say that something failed
        failed = (grade >= FAILED) & (np.count_nonzero(grade >= FAILED) <= _FEW * len(table))
        # What rows of tables are worth is a measure, too.
        raised = np.where(table.kind == _TABLE, np.maximum(reading.worth, top * grade), reading.worth)
        return replace(reading, worth=np.where(failed, top * (1 + grade), raised).astype(np.float32))
    essential = reading.essential
    if (grade >= FAILED).any():
        essential = (grade >= FAILED) | (False if essential is None else essential)
    raised, gist = np.maximum(reading.worth, top * grade).astype(np.float32), reading.gist
    if gist is not None:
        gist = np.maximum(gist, top * grade).astype(np.float32)
    return replace(reading, worth=raised, gist=gist, essential=essential)
