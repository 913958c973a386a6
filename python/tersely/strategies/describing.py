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
from tersely.strategies.updating import Bools, State

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
    named: tuple[tuple[str, ...], ...]
    spelled: Mapping[str, str] = field(default_factory=dict)


def describe(state: State, scored: Scored, before: Description | None) -> Description:
    """The description of a state with segments; `before`: of the state it was made from, if it was.

    O(new characters), and O(segments + terms) in numpy.
    """
    pieces = scored.prices.pieces
    if before is None or state.origin is None:
        named = tuple(map(entities, pieces))
    else:
        origin = zip(state.origin.tolist(), pieces, strict=True)
        named = tuple(before.named[row] if row >= 0 else entities(piece) for row, piece in origin)
    kept = state.status >= _FIRST_KEPT
    everything = dict.fromkeys(chain.from_iterable(named))
    said = tuple(dict.fromkeys(chain.from_iterable(compress(named, kept.tolist()))))
    facts = state.result.receipt.facts
    retention = facts.retention if facts else (len(said) / len(everything) if everything else 1.0)
    concepts = _concepts(state, scored, kept, before.spelled if before else {})
    metadata = CompressionMetadata(
        said,
        tuple(filter(None, concepts.values())),
        _dropped(scored, kept),
        _confidence(scored, kept, retention),
    )
    return Description(metadata, named, {**(before.spelled if before else {}), **concepts})


def _concepts(state: State, scored: Scored, kept: Bools, spelled: Mapping[str, str]) -> dict[str, str]:
    """The terms that come most often in what is kept, and how they are spelled there first.

    "" for one that is only part of a word; it is passed over.
    """
    offsets = scored.analysis.term_offsets[: len(kept) + 1]
    lengths = offsets[1:] - offsets[:-1]
    ids = scored.analysis.term_ids[: offsets[-1]][np.repeat(kept, lengths)]
    times = np.bincount(ids)
    names = list(state.terms)
    concepts: dict[str, str] = {}
    found = 0
    often = np.flatnonzero(times > 1)
    often = often[np.argsort(-times[often], kind="stable")]
    for term in chain(often.tolist(), np.flatnonzero(times == 1).tolist()):
        if found == _CONCEPTS:
            break
        name = names[term]
        if name[0].isdigit():
            continue
        surface = spelled.get(name)
        if surface is None or surface not in state.result.text:
            row = int(np.searchsorted(np.cumsum(lengths[kept]), np.argmax(ids == term), side="right"))
            piece = scored.prices.pieces[np.flatnonzero(kept)[row]]
            surface = spelled_terms(piece).get(name, "")
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


def _confidence(scored: Scored, kept: Bools, retention: float) -> float:
    """The formula of strategies/confidence.py, from terms that were read already."""
    analysis, n = scored.analysis, len(kept)
    offsets, ids = analysis.term_offsets, analysis.term_ids
    source, terms = ids[: offsets[n]], offsets[1 : n + 1] - offsets[:n]
    said = np.zeros(analysis.vocabulary, dtype=bool)
    said[source[np.repeat(kept, terms)]] = True
    summed = np.concatenate([[0], np.cumsum(said[source])])
    held = summed[offsets[1 : n + 1]] - summed[offsets[:n]]
    told = terms > 0
    units = float((held[told] >= REPRESENTED * terms[told]).mean()) if told.any() else 1.0
    query = 1.0
    if len(offsets) > n + 1:
        asked = np.unique(ids[offsets[n] : offsets[n + 1]])
        known = np.zeros(analysis.vocabulary, dtype=bool)
        known[source] = True
        asked = asked[known[asked]]
        query = float(said[asked].mean()) if len(asked) else 1.0
    return 0.5 * retention + 0.3 * query + 0.2 * units
