"""Find which statements of people a later one of theirs replaces, changes or withdraws; and their answers."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import chain, pairwise, takewhile
from operator import eq
from typing import Literal, NamedTuple

import numpy as np

from tersely import _native
from tersely.content.units import Bools
from tersely.memory.segments.words import finder, written
from tersely.memory.statements import (
    ASKS,
    ASSISTANTS,
    CHANGE,
    CHANGES,
    IS_SENTENCE,
    LABEL,
    LABELLED,
    POLITE,
    SELVES,
    STANDS,
    STATE,
    STATES,
    WITHDRAWS,
    Transcript,
    marks_of,
)
from tersely.models.embedders import resolve_embedder
from tersely.types import FactKind, Float32s, Int32s, Int64s, pieces

_QUANTITY, _TIME, _COMMON = 1, 2, 4  # classes of terms (csrc/kernels/text/terms.hpp)
# The kinds of values, in bits.
_KINDS = {
    FactKind.NUMBER: 1, FactKind.DATE: 2, FactKind.VERSION: 4, FactKind.NAME: 8, FactKind.IDENTIFIER: 8,
    FactKind.INLINE_CODE: 8, FactKind.URL: 16, FactKind.PATH: 16,
}  # fmt: skip
_KIND_OF = np.array([_KINDS.get(kind, 0) for kind in FactKind])
_NEGATION, _PATH = int(FactKind.NEGATION), int(FactKind.PATH)
_LONGEST, _PASTED = 400, 600  # characters of a statement, and of a text in which none is looked for
_HOLDS = STANDS | STATES | SELVES | LABELLED | ASKS  # what a request that was seen to is not
_ROUTINE = 3  # requests of one form behind one that was probably seen to
_MOST = 16  # earlier statements with a word that are looked at
_BATCH = 512  # statements that are compared at once, so that their pairs take little room
_LATEST = 512  # earlier statements whose meaning is compared
_CLOSE, _APART = 0.35, 0.1  # cosine from which two are of the same thing, and by how much it is the closest
_ALIKE = 0.3  # the same of the words that only one of them has, where they share others
_WORD = re.compile(r"\w+")
_ASKS_WITHOUT_MARK = re.compile(f"{written('asks_without_mark')}|{written('proposes')}")
_REFUSES = finder("refuses")
_ANSWER, _WORDS = 120, 6  # characters and words of an answer that says little without its question
_SAME = 0.5  # of an earlier statement's words, by their rarity: it is of the same thing
_MIX = np.uint64(0x9E3779B97F4A7C15)


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
    """Find short answers of people, each of their sentences with what an assistant said right before.

    That is the end of the message, from its first question or proposal on, or its last sentence where they
    say no to what it announces; of the result of a tool that asks people, its call. Agreement to go on, or to
    what was all, is none. O(pieces).
    """
    texts, table, told = transcript.texts, transcript.table, transcript.told
    short = transcript.people[1:] & transcript.talks[:-1] & (transcript.length[1:] <= _ANSWER)
    short[:-1] &= told[2:] != told[1:-1]  # and it is all that they say there
    borders = table.document.searchsorted(np.arange(len(texts) + 1)).tolist()
    starts, ends = table.start.tolist(), table.end.tolist()
    pairs = [(piece, piece + 1) for piece in short.nonzero()[0].tolist()]
    calls: dict[str, int] = {}
    for number, one in enumerate(transcript.pieces):
        if one.kind == "call":
            calls[one.call] = number
        elif one.kind == "result" and transcript.people[number] and one.call in calls:
            pairs.append((calls[one.call], number))
    talks: list[tuple[int, int, list[int]]] = []  # (piece, answer, the last rows of the piece)
    said: list[str] = []  # of each, these rows and the answer
    for piece, other in sorted(pairs):
        rows, answer = range(*borders[piece : piece + 2]), texts[other].strip()
        called = transcript.pieces[piece].kind == "call"
        answers = borders[other] < borders[other + 1] and (called or len(answer.split()) <= _WORDS)
        if rows and answers:
            near = [row for row in rows if ends[rows[-1]] - starts[row] <= _LONGEST] or [rows[-1]]
            talks.append((piece, other, near))
            said += [*[texts[piece][starts[row] : ends[row]] for row in near], answer]
    bits = marks_of(said, transcript.known, ASSISTANTS).tolist()
    found: dict[tuple[str, str], list[Revision]] = {}
    older: list[Revision] = []
    at = 0
    for piece, other, near in talks:
        asks, answers, last = bits[at : at + len(near)], bits[at + len(near)], at + len(near)
        unmarked = [_ASKS_WITHOUT_MARK.search(one.lower()) is not None for one in said[at:last]]
        at = last + 1
        asked = [row for row, one in enumerate(asks) if one & ASKS or unmarked[row]]
        called = transcript.pieces[piece].kind == "call"
        if not (called or asked) and _REFUSES(said[last].lower()):  # "I will delete it now." "No."
            asked, answers = [len(near) - 1], answers & ~POLITE
        agrees = answers & POLITE and all(asks[row] & POLITE for row in asked)  # "Go on?" "Yes."
        if not called and (answers & ASKS or agrees or not asked):
            continue
        first = 0 if called else asked[0]
        if not asks[first] & ASKS:  # what there is to choose from stands before
            first = max(first - 1, 0)
        old = [(piece, starts[row], ends[row]) for row in near[first:]]
        new = [(other, starts[row], ends[row]) for row in range(*borders[other : other + 2])]
        key = texts[piece][old[0][1] : old[-1][2]], said[last]
        older += [known._replace(effect="older") for known in found.pop(key, ())]
        found[key] = [Revision(its, mine, "answered") for its in old for mine in new]
    return [*older, *chain.from_iterable(found.values())]


def find_revisions(transcript: Transcript) -> list[Revision]:
    """Find statements that revise an earlier one of people, each with the newest such.

    Two sentences speak of one thing where they differ in their values alone, behind the same words and one
    that states ("is", "until"), or where many requests are alike; or where the later says that something
    changed, and shares words with the earlier, and the kind of its value; or else where none of the earlier
    ones is nearly as close to it in meaning. O(characters).
    """
    said = _read(transcript)
    units, kinds, revising = said.units, said.kinds, (said.says & (CHANGES | WITHDRAWS)).nonzero()[0]
    close = said.close(revising) if len(revising) else {}
    found: dict[int, tuple[int, Literal["replaced", "together", "older"]]] = {}  # earlier -> later
    pairs = said.alike()
    for before, at in pairs:
        apart = len([*takewhile(bool, map(eq, units[before], units[at]))])
        clause = max(units[at].rfind("\n", 0, apart), units[at].rfind(". ", 0, apart)) + 1
        if STATE.search(units[at], clause, apart):
            found[before] = (at, "replaced")
    later: dict[int, int] = {}  # requests of one form -> how many there are behind each
    for before, at in reversed(pairs):
        later[before] = later.get(at, 0) + 1
        alone = units[before] == transcript.texts[said.piece[before]].strip()
        if alone and later[before] >= _ROUTINE and not (said.firm[before] or said.says[before] & _HOLDS):
            found.setdefault(before, (at, "older"))
    near: dict[int, list[int]] = {}  # what changes something, in other words -> earlier ones
    for at in revising.tolist():
        changes, withdraws = (bool(said.says[at] & bit) for bit in (CHANGES, WITHDRAWS))
        same = [
            one
            for one in close.get(at, ())
            if said.claims[one] and found.get(one, (at + 1,))[0] > at
            if withdraws or not (said.firm[one] or _of_two(said.terms(one, "topic"), said.terms(at, "topic")))
            if said.piece[one] != said.piece[at] and units[one] != units[at]
        ]
        if same:
            earlier = same[0]
            values, topics = (
                [said.terms(one, kind) for one in (at, earlier)] for kind in ("values", "topic")
            )
            other = (
                changes and kinds[at] & kinds[earlier] and values[0] != values[1] and topics[0] == topics[1]
            )
            found.setdefault(earlier, (at, "replaced" if other else "together" if withdraws else "older"))
        elif changes:
            first = max(at - _LATEST, 0)
            its, here = kinds[first:at], said.piece[first:at] != said.piece[at]
            alike = here & said.claims[first:at] & ~said.firm[first:at]
            alike &= (its & kinds[at] > 0) | (its == 0) | (kinds[at] == 0)
            near[at] = (first + alike.nonzero()[0]).tolist()
    wanted = np.array(sorted({*near, *chain.from_iterable(near.values())}), dtype=np.int64)
    spoken = [units[at][len(said.labels.get(at, "")) :] for at in wanted.tolist()]
    vectors = resolve_embedder(None).embed(spoken) if spoken else np.empty((0, 0), dtype=np.float32)
    for at, some in near.items():
        left = [one for one in some if one not in found]
        closest = _closest(vectors[wanted.searchsorted(left)], vectors[wanted.searchsorted(at)], left)
        if closest >= 0 and not _differ(said, closest, at):
            names = said.terms(at, "topic")  # "Actually make it 20 MB" does not say of what
            found[closest] = (at, "older" if names else "together")
    places = list(zip(said.piece.tolist(), said.start.tolist(), said.end.tolist(), strict=True))
    return [Revision(places[old], places[new], effect) for old, (new, effect) in sorted(found.items())]


@dataclass(frozen=True, eq=False, slots=True)
class _Statements:
    """Sentences of people, one a row, and the terms of each, once, sorted by (row, term)."""

    units: list[str]
    piece: Int32s  # int32[rows], its place
    start: Int64s
    end: Int64s
    says: Int64s  # int64[rows], as of `marks_of`
    kinds: Int64s  # int64[rows], the kinds of its values, in bits
    framed: Int64s  # int64[rows], the number of its terms that are no values
    claims: Bools  # bool[rows], whether it states something that may be revised
    firm: Bools  # bool[rows], whether it prohibits: that holds until it is withdrawn
    labels: dict[int, str]  # row -> its label
    about: dict[int, list[int]]  # row -> terms of its label, or of words that say that it changes something
    term: Int64s  # int64[terms of rows]
    value: Bools  # bool[terms of rows], whether it is a value, which may change
    first: list[int]  # a row's terms are term[first[row] : first[row + 1]]
    common: Bools  # bool[terms], words that any text has
    ids: Int32s  # terms as they stand: of a row ids[offsets[row] : offsets[row + 1]]
    offsets: Int64s
    known: dict[tuple[int, str], frozenset[int]]  # terms and topics that were asked for

    def terms(self, row: int, kind: Literal["values", "topic"]) -> frozenset[int]:
        """Return the terms of a row that are values, or its topic, worked out once a row.

        The topic: terms beside values that are no common words, and do not say that something changes.
        """
        if (row, kind) not in self.known:
            mine = slice(*self.first[row : row + 2])
            wanted = self.value[mine] if kind == "values" else ~self.value[mine]
            if kind == "topic":
                wanted = wanted & ~self.common[self.term[mine]]
            found = frozenset(self.term[mine][wanted].tolist())
            if kind == "topic":
                found = found.difference(self.about.get(row + len(self.units), ()))
            self.known[row, kind] = found
        return self.known[row, kind]

    def alike(self) -> list[tuple[int, int]]:
        """(row, next row) that have the same terms but for other values, in order. O(terms log rows)."""
        mixed = (self.term.astype(np.uint64) + np.uint64(1)) * _MIX
        mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
        sums = np.zeros((2, len(mixed) + 1), dtype=np.uint64)  # of both sets of a row, which stand for them
        (mixed * ~self.value).cumsum(out=sums[0, 1:])
        (mixed * self.value).cumsum(out=sums[1, 1:])
        totals = sums[:, self.first]
        frames, values = totals[:, 1:] - totals[:, :-1]
        order = frames.argsort(kind="stable")
        before, after = order[:-1], order[1:]
        same = (frames[before] == frames[after]) & (values[before] != values[after])
        same &= self.framed[before] > 1
        return list(zip(before[same].tolist(), after[same].tolist(), strict=True))

    def close(self, rows: Int64s) -> dict[int, list[int]]:
        """Find, for some rows, the earlier ones that share words, at least _SAME of theirs by rarity.

        Two words, and two beside a label. Of each word the last _MOST rows are looked at. The closest row is
        the first, of such the last one. O(terms log terms), _BATCH rows at a time.
        """
        size, many, term = len(self.units), len(self.common), self.term
        owner = np.arange(size).repeat(np.diff(self.first))
        often = np.bincount(term, minlength=many)
        rarity = np.log1p(size / np.maximum(often, 1))[term]
        order = term.argsort(kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        before = rank - (often.cumsum() - often)[term]  # how many rows have the word before
        before[self.common[term]] = 0
        others = np.bincount(owner, rarity * ~self.value, size)
        labels = [row * many + one for row in self.labels for one in self.about[row]]
        beside = ~np.isin(owner * many + term, labels)
        found: dict[int, list[int]] = {}
        for low in range(0, len(rows), _BATCH):
            asked = np.zeros(size, dtype=bool)
            asked[rows[low : low + _BATCH]] = True
            at = asked[owner].nonzero()[0]
            seen = np.minimum(before[at], _MOST)
            back = np.arange(1, seen.sum() + 1) - (seen.cumsum() - seen).repeat(seen)
            at = at.repeat(seen)
            other = order[rank[at] - back]
            pairs = owner[at] * size + owner[other]
            by = pairs.argsort(kind="stable")
            first = np.concatenate(([True], pairs[by[1:]] != pairs[by[:-1]])).nonzero()[0][: len(by)]
            at, other = at[by], other[by]
            row, one = owner[at[first]], owner[other[first]]
            same, own, words = (
                np.add.reduceat(column, first)
                for column in (rarity[at], (rarity * self.value)[other], beside[at].astype(np.int64))
            )
            share = same / (others[one] + own)
            close = ((words > 1) & (share >= _SAME)).nonzero()[0]
            for pick in close[np.lexsort((-one[close], -share[close]))].tolist():
                found.setdefault(int(row[pick]), []).append(int(one[pick]))
        return found


def _read(transcript: Transcript) -> _Statements:
    """Read what people say, but for what they paste. O(characters)."""
    texts, table, facts = transcript.texts, transcript.table, transcript.facts
    people = transcript.people & (transcript.length < _PASTED)
    rows = (people[table.document] & (table.end - table.start <= _LONGEST)).nonzero()[0]
    columns = table.document[rows], table.start[rows], table.end[rows]
    units, size = pieces(texts, *columns), len(rows)
    says = marks_of(units, transcript.known)
    row_of = np.full(len(table), -1, dtype=np.int64)
    row_of[rows] = np.arange(size)
    mine = ((row_of[facts.segment] >= 0) & people[facts.document]).nonzero()[0]
    kind, of = facts.kind[mine], row_of[facts.segment[mine]]
    kinds, strong, firm = np.zeros(size, dtype=np.int64), *np.zeros((2, size), dtype=bool)
    np.bitwise_or.at(kinds, of, _KIND_OF[kind])
    strong[of[IS_SENTENCE[kind]]] = True
    firm[of[kind == _NEGATION]] = True
    named = ((_KIND_OF[kind] > 0) & (kind != _PATH)).nonzero()[0]  # other files are other things
    at, of = mine[named], of[named]
    named_as = pieces(texts, facts.document[at], facts.start[at], facts.end[at])
    labelled, changes = (says & LABELLED).nonzero()[0].tolist(), (says & CHANGES).nonzero()[0].tolist()
    labels = {at: match[0] for at in labelled if (match := LABEL.match(units[at]))}
    marks = {at + size: " ".join(CHANGE.findall(units[at].lower())) for at in changes}
    ids, offsets, classes = _native.read_terms([*units, *named_as, *labels.values(), *marks.values()])
    many, behind = max(len(classes), 1), offsets[size + len(of)]
    length = offsets[1:] - offsets[:-1]
    owner = np.concatenate((np.arange(size), of)).repeat(length[: size + len(of)])
    pairs = owner * many + ids[:behind]
    every, others = pairs[: offsets[size]].copy(), pairs[offsets[size] :]
    every.sort()
    again = every[1:] == every[:-1]
    every = np.concatenate((every[:1], every[1:][~again]))
    row, term = np.divmod(every, many)
    value = classes[term] & (_QUANTITY | _TIME) > 0
    place = every.searchsorted(others).clip(max=max(len(every) - 1, 0))
    value[place[every[place] == others]] = True
    kinds[(kinds == 0) & (np.bincount(row[value], minlength=size) > 0)] = 1
    borders = pairwise(offsets[size + len(of) :].tolist())
    about = {at: ids[low:high].tolist() for at, (low, high) in zip([*labels, *marks], borders, strict=True)}
    first = row.searchsorted(np.arange(size + 1)).tolist()
    common = classes & _COMMON > 0
    framed = np.bincount(row[~value], minlength=size)
    claims = (framed > 0) & (strong | (kinds > 0) | (says & STATES > 0)) & (says & ASKS == 0)
    return _Statements(
        units, *columns, says, kinds, framed, claims, firm, labels, about, term, value, first, common, ids,
        offsets, {},
    )  # fmt: skip


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


def _differ(said: _Statements, one: int, other: int) -> bool:
    """Whether what two rows have beside shared words names two things of a kind: of a studio, a garage."""
    topics = said.terms(one, "topic"), said.terms(other, "topic")
    beside = (topics[0] - topics[1], topics[1] - topics[0])
    if not topics[0] & topics[1] or not all(beside):
        return False
    if _of_two(*topics):
        return True
    spoken = [said.units[one], said.units[other]]
    words = list(dict.fromkeys(_WORD.findall(" ".join(spoken))))
    ids, offsets, _ = _native.read_terms([*spoken, *words])
    terms = np.concatenate([said.ids[slice(*said.offsets[row : row + 2])] for row in (one, other)])
    known = dict(zip(ids.tolist(), terms.tolist(), strict=False))  # of two vocabularies
    of_words = [known.get(term) for term in ids[offsets[2] :].tolist()]
    owner = np.arange(len(words)).repeat(np.diff(offsets[2:])).tolist()
    spelled = {term: words[at] for term, at in zip(of_words, owner, strict=True) if term is not None}
    mine, theirs = resolve_embedder(None).embed(
        [" ".join([spelled.get(term, "") for term in sorted(some)]) for some in beside]
    )
    return float(mine @ theirs) < _ALIKE
