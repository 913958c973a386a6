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
        spelled: how terms are spelled in the compressed texts so far.
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
        said, tuple(concepts.values()), _dropped(scored, kept), _confidence(scored, kept, retention)
    )
    return Description(metadata, named, {**(before.spelled if before else {}), **concepts})


def _concepts(state: State, scored: Scored, kept: Bools, spelled: Mapping[str, str]) -> dict[str, str]:
    """The terms that come most often in what is kept, and how they are spelled there first."""
    offsets = scored.analysis.term_offsets
    rows = np.repeat(np.arange(len(kept)), np.diff(offsets[: len(kept) + 1]))
    held = kept[rows]
    ids, rows = scored.analysis.term_ids[: offsets[len(kept)]][held], rows[held]
    found, first, times = np.unique(ids, return_index=True, return_counts=True)
    names = list(state.terms)
    concepts: dict[str, str] = {}
    for place in np.lexsort((first, -times)):
        name = names[found[place]]
        if not name[0].isdigit():
            surface = spelled.get(name, "")
            if not surface or surface not in state.result.text:
                surface = spelled_terms(scored.prices.pieces[rows[first[place]]]).get(name, "")
            if surface:
                concepts[name] = surface
        if len(concepts) == _CONCEPTS:
            break
    return concepts


def _dropped(scored: Scored, kept: Bools) -> tuple[str, ...]:
    """The text of each run of dropped segments."""
    table = scored.analysis.table
    run = np.cumsum(kept | (np.diff(table.document, prepend=-1) != 0))  # a kept segment ends a run
    rows = np.flatnonzero(~kept)
    if len(rows) == 0:
        return ()
    edges = np.flatnonzero(np.diff(run[rows]) != 0)
    first, last = rows[np.concatenate([[0], edges + 1])], rows[np.concatenate([edges, [len(rows) - 1]])]
    starts, ends = table.start[first].tolist(), table.end[last].tolist()
    spans = zip(table.document[first].tolist(), starts, ends, strict=True)
    return tuple(scored.texts[document][start:end] for document, start, end in spans)


def _confidence(scored: Scored, kept: Bools, retention: float) -> float:
    """The formula of strategies/confidence.py, from terms that were read already."""
    analysis, n = scored.analysis, len(kept)
    offsets, ids = analysis.term_offsets, analysis.term_ids
    rows = np.repeat(np.arange(n), np.diff(offsets[: n + 1]))
    source = ids[: offsets[n]]
    said = np.zeros(analysis.vocabulary, dtype=bool)
    said[source[kept[rows]]] = True
    terms = np.bincount(rows, minlength=n)
    share = np.bincount(rows, said[source], minlength=n) / np.maximum(terms, 1)
    units = float((share[terms > 0] >= REPRESENTED).mean()) if terms.any() else 1.0
    query = 1.0
    if len(offsets) > n + 1:
        asked = np.unique(ids[offsets[n] : offsets[n + 1]])
        asked = asked[np.isin(asked, source)]
        query = float(said[asked].mean()) if len(asked) else 1.0
    return 0.5 * retention + 0.3 * query + 0.2 * units
