"""Find which statements of people a later one of theirs replaces, changes or withdraws."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, pairwise, takewhile
from math import log
from operator import eq, or_
from typing import NamedTuple

import numpy as np

from tersely import _native
from tersely.memory.statements import IS_SENTENCE, LABEL, Transcript
from tersely.types import FactKind, pieces

_QUANTITY, _TIME, _COMMON = 1, 2, 4  # classes of terms (csrc/kernels/text/terms.hpp)
_VALUES = {
    FactKind.NUMBER: 0, FactKind.DATE: 1, FactKind.VERSION: 2, FactKind.NAME: 3, FactKind.IDENTIFIER: 3,
    FactKind.INLINE_CODE: 3, FactKind.URL: 4, FactKind.PATH: 4,
}  # fmt: skip
# What stands between a thing and its value or limit, and what says that something is no longer as it was.
_STATES = re.compile(
    r"(?:\w:| =) |\b(?:is|are|was|be|means?|equals?|under|over|above|below|by|before|until|till|within"
    r"|at (?:most|least)|(?:more|less) than|ends? in|called|prefers?|wants?|ist|sind|bis|unter|est|sont"
    r"|avant|es|son|antes)\b",
    re.I,
)
CHANGES = re.compile(
    r"\b(?:is|are|be|we|they|i|it|'s|'re) now\b|(?:(?<!right )(?<=\w )now|\bnot \S*[^\s.!])[.!]*$"
    r"|(?<!right )\bnow (?:is|are|has|have|owns?|uses?|belongs?|goes|on)\b"
    r"|\b(?:from now on|starting (?:now|today)|as of (?:now|today)|instead|actually|corrections?"
    r"|updated?(?=\W| to)|(?:has|have) changed|chang(?:e|ed|ing) (?:it |that |this |the \w+ )?to|moved to"
    r"|switch(?:ed)? (?:\w+ ){0,3}to|renamed|replace[sd]?|rather|revised|no longer"
    r"|any ?more|after all|ab jetzt|ab sofort|stattdessen|doch lieber|korrektur|nicht mehr"
    r"|geändert|désormais|finalement|plutôt|ahora|mejor|ya no|en lugar de)\b",
    re.I,
)
_WITHDRAWS = re.compile(
    r"\b(?:forget (?:about|what|the|that|it|my)|never ?mind|ignore (?:what|my|the|that)|scratch that"
    r"|no longer|any ?more|doesn't matter|(?:may|can) (?:\w+ ){1,6}again"
    r"|(?:is|are|it's) (?:fine|ok|okay|allowed) (?:now|again|after all)|changed my mind|vergiss|nicht mehr"
    r"|oublie|olvida)\b",
    re.I,
)
_LONGEST, _PASTED = 400, 600  # characters of a statement, and of a text in which none is looked for
_MOST = 16  # earlier statements with a word that are looked at
_SAME = 0.5  # of an earlier statement's words, by their rarity: it is of the same thing


class Revision(NamedTuple):
    """A statement, (piece, start, end) of all pieces of a history, and the later one that revises it.

    `replaced`: the later one states another value of the same thing; else the earlier needs it beside it.
    """

    old: tuple[int, int, int]
    new: tuple[int, int, int]
    replaced: bool


def find_revisions(transcript: Transcript) -> list[Revision]:
    """Find statements that revise an earlier one of people, each with the newest such.

    Two sentences speak of one thing where they differ in their values alone, behind the same words and one
    that states ("is", "until"); or where the later says that something changed, and shares words with the
    earlier, and the kind of its value. O(characters).
    """
    texts, table, facts = transcript.texts, transcript.table, transcript.facts
    said = zip(transcript.roles, transcript.pieces, strict=True)
    people = [role == "user" and piece.kind == "text" and len(piece.text) < _PASTED for role, piece in said]
    rows = (np.array(people, dtype=bool)[table.document] & (table.end - table.start <= _LONGEST)).nonzero()[0]
    units = pieces(texts, table.document[rows], table.start[rows], table.end[rows])
    if len(units) < 2:
        return []
    facts = facts.rows(np.array(people, dtype=bool)[facts.document])
    named = pieces(texts, facts.document, facts.start, facts.end)
    labels = [match[0] if (match := LABEL.match(unit)) else "" for unit in units]
    ids, offsets, classes = _native.read_terms([*units, *named, *labels])
    terms = [ids[low:high].tolist() for low, high in pairwise(offsets.tolist())]
    quantity = {term for term, bits in enumerate(classes.tolist()) if bits & (_QUANTITY | _TIME)}
    common = {term for term, bits in enumerate(classes.tolist()) if bits & _COMMON}
    number = {row: at for at, row in enumerate(rows.tolist())}
    values: list[set[int]] = [quantity.intersection(some) for some in terms[: len(units)]]
    kinds: list[set[int]] = [set() for _ in units]
    about = [set(some) for some in terms[-len(units) :]]  # what kind of thing a label says it is
    known = zip(facts.segment.tolist(), facts.kind.tolist(), terms[len(units) : -len(units)], strict=True)
    for row, kind, some in known:
        if kind in _VALUES and row in number:
            kinds[number[row]].add(_VALUES[kind])
            if kind != FactKind.PATH:  # other files are other things
                values[number[row]].update(some)
    kinds = [some or ({0} if value else set()) for some, value in zip(kinds, values, strict=True)]
    frames = [frozenset(some) - value for some, value in zip(terms, values, strict=False)]
    often = Counter(chain.from_iterable(map(or_, frames, values)))
    rarity = {term: log(1 + len(units) / times) for term, times in often.items()}
    places = [(int(table.document[row]), int(table.start[row]), int(table.end[row])) for row in rows.tolist()]
    strong = set(facts.segment[IS_SENTENCE[facts.kind]].tolist())
    claims = [
        bool(frame and (row in strong or kind or _STATES.search(unit))) and not unit.endswith(("?", "？"))
        for row, unit, kind, frame in zip(rows.tolist(), units, kinds, frames, strict=True)
    ]
    found: dict[int, tuple[int, bool]] = {}  # earlier -> later, whether it replaces it
    alike: dict[frozenset[int], int] = {}
    having: dict[int, list[int]] = {}  # term -> statements
    for at, (unit, frame) in enumerate(zip(units, frames, strict=True)):
        words = (frame | values[at]) - common
        before = alike.get(frame) if len(frame) > 1 else None
        if before is not None and values[before] != values[at]:
            apart = len([*takewhile(bool, map(eq, units[before], unit))])
            clause = max(unit.rfind("\n", 0, apart), unit.rfind(". ", 0, apart)) + 1
            if _STATES.search(unit, clause, apart):
                found[before] = (at, True)
        alike[frame] = at
        changes, withdraws = CHANGES.search(unit), _WITHDRAWS.search(unit)
        if changes or withdraws:
            shared: dict[int, set[int]] = {}
            for term in words:
                for one in having.get(term, ())[-_MOST:]:
                    shared.setdefault(one, set()).add(term)
            scores = [
                (
                    sum([rarity[term] for term in same]) / sum([rarity[term] for term in frames[one] | same]),
                    one,
                )
                for one, same in shared.items()
                if claims[one] and len(same - about[at]) > 1 and one not in found
                if places[one][0] != places[at][0] and units[one] != unit
            ]
            score, earlier = max(scores, default=(0.0, -1))
            if score >= _SAME:
                other = bool(kinds[at] & kinds[earlier]) and values[at] != values[earlier]
                found[earlier] = (at, bool(changes) and other)
        for term in words:
            having.setdefault(term, []).append(at)
    return [Revision(places[old], places[new], replaced) for old, (new, replaced) in sorted(found.items())]
