"""Find which statements of people a later one of theirs replaces, changes or withdraws; and their answers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import chain, count, pairwise, takewhile
from math import log
from operator import eq, or_
from typing import Literal, NamedTuple

import numpy as np

from tersely import _native
from tersely.memory.statements import (
    ASKS,
    ASSISTANTS,
    CHANGE,
    CHANGES,
    IS_SENTENCE,
    LABEL,
    LABELLED,
    POLITE,
    WITHDRAWS,
    Transcript,
    marks_of,
)
from tersely.models.embedders import resolve_embedder
from tersely.types import FactKind, Float32s, pieces

_QUANTITY, _TIME, _COMMON = 1, 2, 4  # classes of terms (csrc/kernels/text/terms.hpp)
_VALUES = {
    FactKind.NUMBER: 0, FactKind.DATE: 1, FactKind.VERSION: 2, FactKind.NAME: 3, FactKind.IDENTIFIER: 3,
    FactKind.INLINE_CODE: 3, FactKind.URL: 4, FactKind.PATH: 4,
}  # fmt: skip
# What stands between a thing and its value or limit.
_STATES = re.compile(
    r"(?:\w:| =) |\b(?:is|are|was|be|means?|equals?|under|over|above|below|by|before|until|till|within"
    r"|at (?:most|least)|(?:more|less) than|ends? in|called|prefers?|wants?|ist|sind|bis|unter|est|sont"
    r"|avant|es|son|antes)\b",
    re.I,
)
_NEGATION = int(FactKind.NEGATION)
_LONGEST, _PASTED = 400, 600  # characters of a statement, and of a text in which none is looked for
_MOST = 16  # earlier statements with a word that are looked at
_LATEST = 512  # earlier statements whose meaning is compared
_CLOSE, _APART = 0.35, 0.1  # cosine from which two are of the same thing, and by how much it is the closest
_ALIKE = 0.3  # the same of the words that only one of them has, where they share others
_WORD = re.compile(r"\w+")
_ANSWER, _WORDS = 120, 6  # characters and words of an answer that says little without its question
_ASKING = re.compile(r"[?？؟][\"'”»」)\]*_]*\Z")
_SAME = 0.5  # of an earlier statement's words, by their rarity: it is of the same thing


class Revision(NamedTuple):
    """A statement, (piece, start, end) of all pieces of a history, and the later one that revises it.

    `effect`: "replaced" (the later one states another value of the same thing), "together" (the earlier needs
    it beside it), "older" (it probably tells anew of the same thing, in other words), "answered" (the earlier
    is a question of an assistant, which the later one needs beside it; "older" where both were said again).
    """

    old: tuple[int, int, int]
    new: tuple[int, int, int]
    effect: Literal["replaced", "together", "older", "answered"]


def find_answers(transcript: Transcript) -> list[Revision]:
    """Find short answers of people, each of their sentences with the question that an assistant ended on.

    Agreement to go on, or to what was all, is none. O(pieces).
    """
    texts, table, told = transcript.texts, transcript.table, transcript.told
    length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    short = transcript.people[1:] & transcript.talks[:-1] & (length[1:] <= _ANSWER)
    short[:-1] &= told[2:] != told[1:-1]  # and it is all that they say there
    borders = table.document.searchsorted(np.arange(len(texts) + 1)).tolist()
    found: list[Revision] = []
    latest: dict[tuple[str, str], int] = {}
    for piece in short.nonzero()[0].tolist():
        first, middle, last = borders[piece : piece + 3]
        answer = texts[piece + 1].strip()
        if first == middle or not answer or _ASKING.search(answer) or len(answer.split()) > _WORDS:
            continue
        old = (piece, int(table.start[middle - 1]), int(table.end[middle - 1]))
        question = texts[piece][old[1] : old[2]]
        if len(question) > _LONGEST or not _ASKING.search(question.strip()):
            continue
        says = marks_of([question, answer], transcript.known, ASSISTANTS)
        if not (says & POLITE).all():  # "Shall I go on?" "Yes."
            latest[question, answer] = piece
            new = [(piece + 1, int(table.start[row]), int(table.end[row])) for row in range(middle, last)]
            found += [Revision(old, one, "answered") for one in new]
    newest = set(latest.values())
    return [one if one.old[0] in newest else one._replace(effect="older") for one in found]


def find_revisions(transcript: Transcript) -> list[Revision]:
    """Find statements that revise an earlier one of people, each with the newest such.

    Two sentences speak of one thing where they differ in their values alone, behind the same words and one
    that states ("is", "until"); or where the later says that something changed, and shares words with the
    earlier, and the kind of its value; or else where none of the earlier ones is nearly as close to it in
    meaning. O(characters).
    """
    texts, table, facts = transcript.texts, transcript.table, transcript.facts
    people = transcript.people & (np.array(list(map(len, texts)), dtype=np.int64) < _PASTED)
    rows = (people[table.document] & (table.end - table.start <= _LONGEST)).nonzero()[0]
    units = pieces(texts, table.document[rows], table.start[rows], table.end[rows])
    if len(units) < 2:
        return []
    facts = facts.rows(people[facts.document])
    named = pieces(texts, facts.document, facts.start, facts.end)
    says = marks_of(units, transcript.known)
    labels = [""] * len(units)
    for at in (says & LABELLED).nonzero()[0].tolist():
        labels[at] = "".join([match[0] for match in [LABEL.match(units[at])] if match])
    marks = [""] * len(units)
    for at in (says & CHANGES).nonzero()[0].tolist():
        marks[at] = " ".join(CHANGE.findall(units[at].lower()))
    ids, offsets, classes = _native.read_terms([*units, *named, *labels, *marks])
    every = ids.tolist()
    terms = [every[low:high] for low, high in pairwise(offsets.tolist())]
    quantity = {term for term, bits in enumerate(classes.tolist()) if bits & (_QUANTITY | _TIME)}
    common = {term for term, bits in enumerate(classes.tolist()) if bits & _COMMON}
    number = {row: at for at, row in enumerate(rows.tolist())}
    values: list[set[int]] = [quantity.intersection(some) for some in terms[: len(units)]]
    kinds: list[set[int]] = [set() for _ in units]
    about = list(map(set, terms[-2 * len(units) : -len(units)]))  # what kind of thing a label says it is
    segment, fact_kind = facts.segment, facts.kind
    known = zip(segment.tolist(), fact_kind.tolist(), terms[len(units) : -2 * len(units)], strict=True)
    for row, kind, some in known:
        if kind in _VALUES and row in number:
            kinds[number[row]].add(_VALUES[kind])
            if kind != FactKind.PATH:  # other files are other things
                values[number[row]].update(some)
    kinds = [some or ({0} if value else set()) for some, value in zip(kinds, values, strict=True)]
    frames = [frozenset(some) - value for some, value in zip(terms, values, strict=False)]
    topics = [frame - common - set(some) for frame, some in zip(frames, terms[-len(units) :], strict=True)]
    often = Counter(chain.from_iterable(map(or_, frames, values)))
    rarity = {term: log(1 + len(units) / times) for term, times in often.items()}
    places = [(int(table.document[row]), int(table.start[row]), int(table.end[row])) for row in rows.tolist()]
    strong = set(segment[IS_SENTENCE[fact_kind]].tolist())
    denied = segment[fact_kind == _NEGATION].tolist()
    firm = set(map(number.get, denied))  # a prohibition holds until it is withdrawn
    claims = [
        not asks and bool(frame and (row in strong or kind or _STATES.search(unit)))
        for row, unit, kind, frame, asks in zip(
            rows.tolist(), units, kinds, frames, says & ASKS > 0, strict=True
        )
    ]
    found: dict[int, tuple[int, Literal["replaced", "together", "older"]]] = {}  # earlier -> later
    others: list[int] = []  # that change something which they say in other words
    alike: dict[frozenset[int], int] = {}
    having: dict[int, list[int]] = {}  # term -> statements
    gone = (says & WITHDRAWS > 0).tolist()
    for at, (unit, frame) in enumerate(zip(units, frames, strict=True)):
        words = (frame | values[at]) - common
        before = alike.get(frame) if len(frame) > 1 else None
        if before is not None and values[before] != values[at]:
            apart = len([*takewhile(bool, map(eq, units[before], unit))])
            clause = max(unit.rfind("\n", 0, apart), unit.rfind(". ", 0, apart)) + 1
            if _STATES.search(unit, clause, apart):
                found[before] = (at, "replaced")
        alike[frame] = at
        withdraws = gone[at]
        if marks[at] or withdraws:
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
                if withdraws or not (one in firm or _of_two(topics[one], topics[at]))
                if places[one][0] != places[at][0] and units[one] != unit
            ]
            score, earlier = max(scores, default=(0.0, -1))
            if score >= _SAME:
                other = marks[at] and kinds[at] & kinds[earlier] and values[at] != values[earlier]
                other = other and topics[at] == topics[earlier]
                found[earlier] = (at, "replaced" if other else "together" if withdraws else "older")
            elif marks[at]:
                others.append(at)
        for term in words:
            having.setdefault(term, []).append(at)
    near = {at: [one for one in range(max(at - _LATEST, 0), at) if claims[one]] for at in others}
    wanted = sorted({*others, *chain.from_iterable(near.values())})
    place = dict(zip(wanted, count(), strict=False))
    said = [units[at][len(labels[at]) :] for at in wanted]
    vectors = resolve_embedder(None).embed(said) if said else np.empty((0, 0), dtype=np.float32)
    for at in others:
        before_it = [
            one
            for one in near[at]
            if one not in found and one not in firm and places[one][0] != places[at][0]
            if not kinds[one] or not kinds[at] or kinds[one] & kinds[at]
        ]
        close = _closest(vectors[[place[one] for one in before_it]], vectors[place[at]], before_it)
        if close >= 0:
            spelled = _spelled([units[close], units[at]], [*terms[close], *terms[at]])
            if not _differ(topics[close], topics[at], spelled):
                found[close] = (at, "older")
    return [Revision(places[old], places[new], effect) for old, (new, effect) in sorted(found.items())]


def _spelled(units: Sequence[str], terms: Sequence[int]) -> dict[int, str]:
    """A word for each of the terms of two units."""
    words = list(dict.fromkeys(_WORD.findall(" ".join(units))))
    ids, offsets, _ = _native.read_terms([*units, *words])
    known = dict(zip(ids.tolist(), terms, strict=False))
    of_words = pairwise(offsets[len(units) :].tolist())
    return {
        known[term]: word
        for word, (low, high) in zip(words, of_words, strict=True)
        for term in ids[low:high].tolist()
        if term in known
    }


def _closest(vectors: Float32s, mine: Float32s, earlier: Sequence[int]) -> int:
    """The one of some earlier statements that is clearly the closest in meaning; -1: there is none."""
    if not earlier:
        return -1
    close = vectors @ mine
    second, first = sorted([0.0, *close.tolist()])[-2:]
    return earlier[int(close.argmax())] if first >= _CLOSE and first - second >= _APART else -1


def _of_two(one: Set[int], other: Set[int]) -> bool:
    """Whether two topics name two things of a kind: the API key of staging, that of production."""
    return len(one & other) > 1 and bool(one - other) and bool(other - one)


def _differ(one: Set[int], other: Set[int], spelled: Mapping[int, str]) -> bool:
    """Whether what two topics have beside shared words names two things of a kind: of a studio, a garage."""
    beside = (one - other, other - one)
    if not one & other or not all(beside):
        return False
    if _of_two(one, other):
        return True
    words = [" ".join([spelled.get(term, "") for term in sorted(some)]) for some in beside]
    mine, theirs = resolve_embedder(None).embed(words)
    return float(mine @ theirs) < _ALIKE
