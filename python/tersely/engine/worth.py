"""Say what units are worth: relevance to the query, else importance in the text, in one currency for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tersely import _native
from tersely.checks import Question, read_question
from tersely.content.lines import FAILED
from tersely.content.units import Bools, Lines, Nested, Quoted
from tersely.engine.cutting import analyze
from tersely.engine.facts import rows_at
from tersely.engine.reading import Reading
from tersely.engine.relevance import (
    FEATURES,
    Asked,
    Importance,
    QueryReading,
    centrality,
    hybrid,
    lead,
)
from tersely.models.embedders import resolve_embedder, resolve_pruner, resolve_reranker
from tersely.types import (
    Analysis,
    Float32s,
    Float64s,
    Int32s,
    Int64s,
    Kind,
    Level,
    Request,
    SegmentTable,
    pieces,
)

if TYPE_CHECKING:
    from tersely.engine.strategies import Extractive

_OWN_SHARE = 0.3  # what a unit's own worth counts beside its relevance to the query
_TEXT = 4.0  # what people wrote beside data is worth so many times as much per character
_FLOOR_SHARE = 0.5  # what an outcome counts beside relevance
_MOST_LINES = 131_072  # that are looked at one by one
_NONE = np.empty(0, dtype=np.uint8)
_WHOLE = 0.95  # what the document counts where it is to stay whole, beside the unit itself
_FEW = 0.02  # of the units of an order: more that say that something failed are what the text is about
_TOP = 0.25  # of the range of a region's own worth: for essential units
# Features of a segment that come from what stands around it.
_OWN_FEATURES = ("share", "bm25", "document", "answer", "named", "cosine", "cosine_document")
_AROUND = [row for row, name in enumerate(FEATURES) if name not in _OWN_FEATURES]


def _analyze_units(request: Request, texts: list[str], table: SegmentTable) -> Analysis:
    """Read the terms of units as if each were a segment; the rows after are as above. O(characters)."""
    said = pieces(texts, table.document, table.start, table.end)
    ids, offsets, classes = _native.read_terms([*said, *extras_of(request)])
    ids, offsets = _with_columns(table, ids, offsets, len(classes))
    places = (table.document, table.block, table.heading)
    weight = _native.inverse_frequency(ids, offsets, len(classes), *places)
    return Analysis(table, ids, offsets, classes, weight)


def _with_columns(
    table: SegmentTable, ids: Int32s, offsets: Int64s, vocabulary: int
) -> tuple[Int32s, Int64s]:
    """Rows of tables with the words of the query that the names of their columns hold. O(terms).

    So that "sales in 2019" finds the row "sales" below the column 2019, and no sentence for the year alone.
    """
    rows = np.flatnonzero((table.kind == Kind.TABLE) & (table.heading >= 0))
    rows = rows[table.kind[table.heading[rows]] == Kind.TABLE]
    if len(rows) == 0:
        return ids, offsets
    size = len(table)
    asked = np.zeros(vocabulary, dtype=bool)
    asked[ids[offsets[size] : offsets[size + 1]]] = True
    named: dict[int, Int32s] = {}
    for head in np.unique(table.heading[rows]).tolist():
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
    request: Request, texts: list[str], options: Extractive, analysis: Analysis, cosine: Float32s | None
) -> tuple[Importance, bool, tuple[str, ...], Asked | None]:
    """Value segments: their worth, whether the query decided it, warnings, the query's features."""
    table, query = analysis.table, (request.query or "").strip()
    if options.scoring == "lead":
        words = [len(text.split()) for text in pieces(texts, table.document, table.start, table.end)]
        return Importance(lead(words, options.position_decay, options.position_floor)), False, (), None
    judged = analysis
    if options.level is Level.CLAUSE:  # says too little by itself: it is worth what its sentence is
        judged, cosine = analyze(texts, extras_of(request), Level.SENTENCE, options.window), None
    warnings: tuple[str, ...] = ()
    valued, by_query, asked = None, False, None
    if query and options.scoring != "centrality":
        found = _relevance(request, texts, options, judged, read_question(query), cosine)
        by_query, warnings, asked = found.by_query, found.warnings, found.asked
        valued = Importance(found.segments)
    if not by_query or valued is None:
        valued = importance(texts, judged)
    if judged is not analysis:
        rows = rows_at(texts, judged.table, table.document, table.start)
        valued = valued.rows(lambda column: column[rows])
    return valued, by_query, warnings, asked


def importance(texts: list[str], analysis: Analysis) -> Importance:
    """Value segments per token without a query (csrc/kernels/lexical/corpus.hpp).

    Of facts, those that a run of characters tells by itself (csrc/kernels/text/facts.hpp). O(characters),
    natively.
    """
    terms = (analysis.term_ids, analysis.term_offsets, analysis.term_class)
    given: tuple[Any, ...] = (*analysis.table.columns(), *terms)
    return Importance(*_native.importance(texts, *given))


def _relevance(
    request: Request,
    texts: list[str],
    options: Extractive,
    analysis: Analysis,
    question: Question,
    cosine: Float32s | None = None,
) -> Any:
    query = (request.query or "").strip()
    prepared = QueryReading(request.documents, texts, query, question, analysis)
    embedder = None if options.scoring == "lexical" else resolve_embedder(options.embedder)
    reranker = None if options.reranker is None else resolve_reranker(options.reranker)
    pruner = None if options.pruner is None else resolve_pruner(options.pruner)
    shares = (options.rerank_share, options.pruner_share)
    return hybrid(prepared, embedder, reranker, shares[0], cosine, pruner, shares[1])


def with_joint_worth(
    reading: Reading,
    own: Float32s,
    analysis: Analysis | None,
    options: Extractive,
    follows: Int32s,
    alone: Bools,
) -> Reading:
    """Value the units of a reading of several content types on one scale.

    With a query that has to do with the text: their relevance, and a part of what they are worth by
    themselves; what is best comes first, where it is no text. Without: each region's units by the share of
    the region that is worth less, so that the best part of each is kept.
    """
    table, request, query = reading.table, reading.request, (reading.request.query or "").strip()
    worth, gist, apart, asked, essential = own, None, None, None, None
    warnings, by_query = reading.warnings, False
    if query and options.level is Level.SENTENCE:
        analysis = _analyze_units(request, reading.texts, table)
        first = last = np.arange(len(table))
    else:
        if analysis is None or options.level is not Level.SENTENCE:
            analysis = analyze(reading.texts, extras_of(request), Level.SENTENCE, options.window)
        first, last = _segments_of(reading.texts, analysis.table, table)
    if query and options.scoring not in ("centrality", "lead"):
        found = _relevance(request, reading.texts, options, analysis, read_question(query))
        warnings, asked = tuple(dict.fromkeys((*warnings, *found.warnings))), found.asked
        if found.by_query:
            scores = found.segments
            if alone.any():
                found.features[np.ix_(np.array(_AROUND), np.unique(first[alone]))] = 0
                scores = found.asked.scores(found.weights, found.forest, found.features).scores
            relevance = _largest(scores, first, last)
            top = float(relevance.max(initial=0)) or 1.0
            standing = _standing(reading, own, _largest(centrality(analysis), first, last))
            beside = {region.document for region in reading.regions if region.form is not None}
            for region in reading.regions:  # only beside pasted blocks do people's words count by themselves
                if region.form is None and region.document not in beside:
                    standing[region.first : region.last] = 0
            worth = (relevance / top + _OWN_SHARE * standing).astype(np.float32)
            by_query = True
    if not by_query:
        found = importance(reading.texts, analysis)
        found = found.rows(lambda column: _largest(column, first, last))
        worth, apart = _standing(reading, own, found.worth).astype(np.float32), found.apart
        if found.gist is not None:
            gist = _standing(reading, own, found.gist).astype(np.float32)
    if reading.bulk is not None:
        worth[reading.bulk] = 0
    pasted = np.zeros(len(table), dtype=bool)  # values and lines repeat: what that is worth says their reader
    for region in reading.regions:
        pasted[region.first : region.last] = isinstance(region.form, Nested | Lines)
    begins = np.diff(first, prepend=-1) != 0  # of several units of a segment, the first has its terms
    term_ids, term_offsets = _terms_of(analysis, first, begins & ~pasted)
    # What lies deep pays for all that it stands in, so cheap lines with little to say would come before it.
    if by_query and len(table) and pasted[best := int(worth.argmax())]:
        essential = np.arange(len(table)) == best
    followers = np.flatnonzero(follows >= 0)
    for values in (worth, gist):
        if values is not None:
            values[followers] = values[follows[followers]]
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


def _segments_of(texts: Sequence[str], segments: SegmentTable, units: SegmentTable) -> tuple[Int64s, Int64s]:
    """int64[n]: the first and the last segment that each unit has a part of."""
    first = rows_at(texts, segments, units.document, units.start).astype(np.int64)
    last = rows_at(texts, segments, units.document, np.maximum(units.end - 1, units.start)).astype(np.int64)
    first = np.maximum(first, 0)  # white space before the first segment
    return first, np.maximum(first, last)


def _largest(values: Float32s, first: Int64s, last: Int64s) -> Float32s:
    """float32[n]: the largest of values[first[i] : last[i] + 1]."""
    if len(first) == 0 or len(values) == 0:
        return np.zeros(len(first), dtype=np.float32)
    padded = np.append(values, np.float32(0))
    bounds = np.stack((first, last + 1), axis=1).ravel()
    return np.maximum.reduceat(padded, bounds)[::2]


def _terms_of(analysis: Analysis, segment: Int64s, chosen: Bools) -> tuple[Int32s, Int64s]:
    """Rows of terms (CSR): of each chosen unit those of its segment, of others none."""
    offsets = analysis.term_offsets
    if len(offsets) < 2:  # units of white space have no segment
        return analysis.term_ids, np.zeros(len(segment) + 1, dtype=np.int64)
    size = np.where(chosen, offsets[segment + 1] - offsets[segment], 0)
    upto = np.concatenate(([0], np.cumsum(size)))
    place = np.arange(int(upto[-1])) - np.repeat(upto[:-1], size) + np.repeat(offsets[segment], size)
    return analysis.term_ids[place], upto


def _standing(reading: Reading, own: Float32s, centrality: Float32s) -> Float64s:
    """float64[n] in [0, 1]: the share of its region's characters that is worth no more than a unit.

    `centrality`: the worth of text. Essential units stand above all others.
    """
    table = reading.table
    result = np.zeros(len(table))
    for region in reading.regions:
        rows = slice(region.first, region.last)
        value = (own if region.form is not None else centrality)[rows]
        size = region.last - region.first
        top = np.zeros(size) if reading.essential is None else reading.essential[rows].astype(np.float64)
        order = np.lexsort((-np.arange(size), value, top))
        below = np.cumsum((table.end[rows] - table.start[rows])[order])
        standing = np.empty(size)
        standing[order] = below / below[-1]
        result[rows] = standing * (1 - _TOP) + _TOP * top if top.any() else standing
        if region.form is None:  # so that so many times as much of it is kept
            result[rows] = 1 - (1 - result[rows]) / _TEXT
    return result


def with_wholes(reading: Reading, documents: Bools) -> Reading:
    """Pull the units of chosen documents towards their document's average worth, with a query.

    So that of several pieces of code the one that was asked for stays whole before lines of all others.
    `documents`: bool[documents]. O(units).
    """
    table = reading.table
    rows = np.flatnonzero(documents[table.document])
    if not reading.by_query or len(rows) == 0:
        return reading
    of, worth = table.document[rows], reading.worth[rows]
    units = np.bincount(of, minlength=len(documents))
    mean = np.bincount(of, worth, len(documents)) / np.maximum(units, 1)
    best = float(mean.max())
    if best <= 0:
        return reading
    whole = mean[of] * (float(worth.max()) / best)
    pulled = reading.worth.copy()
    pulled[rows] = (_WHOLE * whole + (1 - _WHOLE) * worth).astype(np.float32)
    return replace(reading, worth=pulled)


def with_floor(reading: Reading, graded: Bools | None) -> Reading:
    """Raise what units are worth that say what failed, whatever their text was taken for.

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
    for region in reading.regions:  # words of errors are what people write, too
        if region.form is None:
            rows = slice(region.first, region.last)
            grade[rows] = np.where(grade[rows] >= FAILED, grade[rows], 0)
        elif isinstance(region.form, Quoted):  # sources are kept for their words alone
            grade[region.first : region.last] = 0
    if not grade.any():
        return reading
    top = np.float32(reading.worth.max(initial=0)) or np.float32(1)
    if reading.by_query:
        return replace(reading, worth=(reading.worth + _FLOOR_SHARE * top * grade).astype(np.float32))
    if reading.ranked:  # before what is first, where few units say that something failed
        failed = (grade >= FAILED) & (np.count_nonzero(grade >= FAILED) <= _FEW * len(table))
        # What rows of tables are worth is a measure, too.
        raised = np.where(table.kind == Kind.TABLE, np.maximum(reading.worth, top * grade), reading.worth)
        return replace(reading, worth=np.where(failed, top * (1 + grade), raised).astype(np.float32))
    essential = reading.essential
    if (grade >= FAILED).any():
        essential = (grade >= FAILED) | (False if essential is None else essential)
    raised, gist = np.maximum(reading.worth, top * grade).astype(np.float32), reading.gist
    if gist is not None:
        gist = np.maximum(gist, top * grade).astype(np.float32)
    return replace(reading, worth=raised, gist=gist, essential=essential)
