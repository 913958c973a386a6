"""The metadata of a compression that changes little by little: only new segments are looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, compress

import numpy as np

from tersely.stages.select import REASONS
from tersely.strategies.confidence import REPRESENTED
from tersely.strategies.contexts import CompressionMetadata
from tersely.strategies.metadata import entities, spelled_terms
from tersely.strategies.scored import Scored
from tersely.strategies.splicing import offsets_of
from tersely.strategies.updating import Bools, State
from tersely.tables import Int32s

__all__ = ["Description", "describe"]

_CONCEPTS = 10
_FIRST_KEPT = REASONS.index("selected")


@dataclass(frozen=True, eq=False, slots=True)
class Description:
    """Metadata, and what it is made of.

    Attributes:
        metadata: as `Compressor.compress` gives it, with names and numbers found segment by segment.
        named: the names, numbers and the like of each segment.
        spelled: how the most frequent terms are spelled in the compressed texts so far.
    """

    metadata: CompressionMetadata
    named: list[tuple[str, ...]]
    spelled: Mapping[str, str] = field(default_factory=dict)


def describe(state: State, scored: Scored, before: Description | None) -> Description:
    """The description of a state with segments; `before`: of the state it was made from, if it was.

    O(new characters), and O(segments + terms) in numpy.
    """
    pieces = scored.prices.pieces
    if before is None or state.origin is None:
        named = list(map(entities, pieces))
    else:
        origin, known = zip(state.origin.tolist(), pieces, strict=True), before.named
        named = [known[row] if row >= 0 else entities(piece) for row, piece in origin]
    kept = state.status >= _FIRST_KEPT
    said = tuple(dict.fromkeys(chain.from_iterable(compress(named, kept.tolist()))))
    facts = state.result.receipt.facts
    if facts:
        retention = facts.retention
    else:
        everything = set(chain.from_iterable(named))
        retention = len(said) / len(everything) if everything else 1.0
    terms = _kept_terms(scored, kept)
    concepts = _concepts(state, scored, kept, terms, before.spelled if before else {})
    metadata = CompressionMetadata(
        said,
        tuple(filter(None, concepts.values())),
        _dropped(scored, kept),
        _confidence(scored, terms, retention),
    )
    return Description(metadata, named, {**(before.spelled if before else {}), **concepts})


def _kept_terms(scored: Scored, kept: Bools) -> Int32s:
    """The ids of the terms of what is kept, in order."""
    offsets = scored.analysis.term_offsets[: len(kept) + 1]
    return scored.analysis.term_ids[: offsets[-1]][np.repeat(kept, np.diff(offsets))]


def _concepts(
    state: State, scored: Scored, kept: Bools, ids: Int32s, spelled: Mapping[str, str]
) -> dict[str, str]:
    """The terms that come most often in what is kept, and how they are spelled there first.

    "" for one that is only part of a word; it is passed over.
    """
    times = np.bincount(ids)
    names = list(state.numbers.terms)
    concepts: dict[str, str] = {}
    found = 0
    often = np.flatnonzero(times > 1)
    often = often[np.argsort(-times[often], kind="stable")]
    for term in chain(often, np.flatnonzero(times == 1)):  # a few of many, so no lists are made
        if found == _CONCEPTS:
            break
        name = names[term]
        if name[0].isdigit():
            continue
        surface = spelled.get(name)
        if surface is None or surface not in state.result.text:
            rows = np.flatnonzero(kept)
            ends = np.cumsum(np.diff(scored.analysis.term_offsets)[rows])
            row = rows[ends.searchsorted(np.argmax(ids == term), "right")]
            surface = spelled_terms(scored.prices.pieces[row]).get(name, "")
        concepts[name] = surface
        found += bool(surface)
    return concepts


def _dropped(scored: Scored, kept: Bools) -> tuple[str, ...]:
    """The text of each run of dropped segments."""
    table = scored.analysis.table
    rows = np.flatnonzero(~kept)
    if len(rows) == 0:
        return ()
    document = table.document[rows]
    apart = (rows[1:] - rows[:-1] != 1) | (document[1:] != document[:-1])
    first = np.concatenate([[0], np.flatnonzero(apart) + 1])
    last = np.concatenate([first[1:] - 1, [len(rows) - 1]])
    starts, ends = table.start[rows[first]].tolist(), table.end[rows[last]].tolist()
    spans = zip(document[first].tolist(), starts, ends, strict=True)
    return tuple(scored.texts[document][start:end] for document, start, end in spans)


def _confidence(scored: Scored, kept: Int32s, retention: float) -> float:
    """The formula of strategies/confidence.py, from terms that were read already; `kept`: those kept."""
    analysis, n = scored.analysis, len(scored.analysis.table)
    offsets, ids = analysis.term_offsets, analysis.term_ids
    source = ids[: offsets[n]]
    said = np.zeros(analysis.vocabulary, dtype=bool)
    said[kept] = True
    held = np.diff(offsets_of(said[source])[offsets[: n + 1]])
    terms = np.diff(offsets[: n + 1])
    told = np.count_nonzero(terms)
    units = np.count_nonzero((held >= REPRESENTED * terms) & (terms > 0)) / told if told else 1.0
    query = 1.0
    if len(offsets) > n + 1:
        asked = np.unique(ids[offsets[n] : offsets[n + 1]])
        known = np.zeros(analysis.vocabulary, dtype=bool)
        known[source] = True
        asked = asked[known[asked]]
        query = float(said[asked].mean()) if len(asked) else 1.0
    return 0.5 * retention + 0.3 * query + 0.2 * units
