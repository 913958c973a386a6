"""Say how probable it is that texts are on the topic of a query, and how much a compression still says.

"On topic" is not "answers it": texts on the subject of a query that lack the answer count as on topic. The
numbers are fitted with right queries and with queries of other texts (benchmarks/quality/calibration.py,
models/probability.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tersely import _native
from tersely.engine.cutting import analyze
from tersely.engine.relevance import Asked
from tersely.models.weights import relevance_probability
from tersely.types import Float64s, Int32s

REPRESENTED = 0.5  # of a segment's terms


def confidence(sources: Sequence[str], text: str, query: str = "", retention: float = 1.0) -> float:
    """0.5 * retention + 0.3 * query coverage + 0.2 * unit coverage, in [0, 1].

    `retention`: share of the must-keep facts that `text` still has. Query coverage: of the query's terms that
    the sources hold, the share that `text` holds; 1 where there are none. Unit coverage: share of the
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
    """The columns that probabilities are computed from.

    Attributes:
        documents: float64[documents, len(DOCUMENT_COLUMNS)].
        segments: float64[n, len(SEGMENT_COLUMNS)]; "document" is 0 as yet; no rows where they are not wanted.
        counts: int32[documents, 2], the segments of each, and how often it and its title hold a query's term.
    """

    documents: Float64s
    segments: Float64s
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
    """bool[documents]: those that hold a term of the query, or that a matching segment of others names.

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
    analysis, table = asked.analysis, asked.analysis.table
    return TopicColumns(
        *_native.topic(
            analysis.term_ids,
            analysis.term_offsets,
            analysis.term_class,
            table.document,
            table.block,
            table.heading,
            asked.query_row,
            np.asarray(asked.title_rows, dtype=np.int64),
            asked.cosine if asked.cosine is not None else np.empty(0, dtype=np.float32),
            segments,
        )
    )


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
