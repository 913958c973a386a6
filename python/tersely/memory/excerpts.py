"""What of folded messages stays stated: first every fact once, then whole lines, newest first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

import numpy as np

from tersely.memory.mentions import Mentions, find_mentions
from tersely.memory.messages import Entry
from tersely.memory.quoting import quote
from tersely.memory.sources import source_of
from tersely.protocols import BatchTokenCounter
from tersely.stages.count import count_batch
from tersely.tables import Int64s

__all__ = ["Excerpts", "Stated", "read_stated"]

_LABEL_TOKENS = 4  # "user 12: " and the line end, about
_NEWEST = 1 / 3  # share of the messages whose facts count fully
_OLDEST_WORTH, _OLDER_WORTH = 0.1, 0.55  # what a fact counts at the far and the near end of the others
_DROPPED_AT_ONCE = 0.01  # of what is kept, at least, when the text came out longer than expected
_LEAST_LEFT = 6  # tokens for which it is worth looking for one more line
_LINE = re.compile(r"[^\n]*\S[^\n]*")

Span = tuple[int, int]


@dataclass(frozen=True, eq=False, slots=True)
class Stated:
    """The facts of a history, each where it is stated last.

    Attributes:
        texts: the pieces of all entries.
        entry: int64[pieces], the entry of each.
        mentions: of the pieces.
        rows: rows of `mentions` that state something no later entry states, newest first.
        costs: int64[rows], tokens of each.
        tokens: int64[entries], what the rows of an entry take, with the label of its line.
    """

    texts: Sequence[str]
    entry: Int64s
    mentions: Mentions
    rows: Int64s
    costs: Int64s
    tokens: Int64s


def read_stated(
    counter: BatchTokenCounter,
    entries: Sequence[Entry],
    stays: Collection[int],
    excerpts: Collection[int] = (),
    mentions: Mentions | None = None,
) -> Stated:
    """Find the facts of entries.

    `stays`: entries that are sent anyway, so that nothing else needs to state what they do. `excerpts`:
    entries that hold nothing but excerpts, a line each. `mentions`: of all texts, where they are known.
    O(characters + facts log facts).
    """
    texts = [piece.text for entry in entries for piece in entry.pieces]
    owner = np.repeat(np.arange(len(entries)), [len(entry.pieces) for entry in entries])
    if mentions is None:
        mentions = find_mentions(texts, np.flatnonzero(np.isin(owner, list(excerpts))).tolist())
    inner: dict[int, list[Span]] = {}
    for row, start, end in mentions.inner.tolist():
        inner.setdefault(row, []).append((start, end))
    documents, starts, ends = mentions.document.tolist(), mentions.start.tolist(), mentions.end.tolist()
    owners = owner[mentions.document] if len(mentions) else owner[:0]
    seen: set[str] = set()
    staying = np.isin(owners, list(stays))
    chosen: list[int] = []
    keys: list[str] = []
    for row in [*np.flatnonzero(staying).tolist(), *np.flatnonzero(~staying)[::-1].tolist()]:
        text = texts[documents[row]]
        key = text[starts[row] : ends[row]]
        if key in seen:
            continue
        seen.add(key)
        seen.update(text[start:end] for start, end in inner.get(row, ()))
        if not staying[row]:
            chosen.append(row)
            keys.append(" " + key)
    rows = np.array(chosen, dtype=np.int64)
    costs = count_batch(counter, keys)
    tokens = np.bincount(owners[rows], weights=costs, minlength=len(entries)).astype(np.int64)
    tokens[np.unique(owners[rows])] += _LABEL_TOKENS
    return Stated(texts, owner, mentions, rows, costs, tokens)


@dataclass(eq=False, slots=True)
class Excerpts:
    """The kept places of folded entries, which can be drawn as text.

    Attributes:
        stated, entries: what was read.
        numbers: of the entries, as the reader is told them.
        called: the tool of each call, by its id.
        kept: of each piece, the kept places.
        order: what can be taken away again, what matters most first: (piece, place).
    """

    stated: Stated
    entries: Sequence[Entry]
    numbers: Sequence[int]
    called: Mapping[str, str]
    kept: dict[int, list[Span]] = field(default_factory=dict)
    order: list[tuple[int, Span]] = field(default_factory=list)
    _pieces: dict[int, list[int]] = field(default_factory=dict)
    _drawn: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sort the pieces by entry."""
        for piece, entry in enumerate(self.stated.entry.tolist()):
            self._pieces.setdefault(entry, []).append(piece)

    def keep_facts(self, folded: Sequence[bool], budget: int) -> int:
        """Keep the facts of folded entries that matter most; returns the tokens they are expected to take."""
        stated = self.stated
        at = stated.mentions.document[stated.rows]
        owner = stated.entry[at] if len(at) else at
        open_ = np.asarray(folded, dtype=bool)[owner]
        age = owner / max(len(self.entries), 1) / (1 - _NEWEST)
        recency = np.where(age >= 1, 1.0, _OLDEST_WORTH + (_OLDER_WORTH - _OLDEST_WORTH) * age)
        worth = stated.mentions.worth[stated.rows] * recency  # short or long: no other words say it
        best = np.argsort(-worth, kind="stable")
        best = best[open_[best]]
        new_entry = np.zeros(len(best), dtype=bool)
        new_entry[np.unique(owner[best], return_index=True)[1]] = True
        spent = np.cumsum(stated.costs[best] + new_entry * _LABEL_TOKENS)
        fits = int(np.searchsorted(spent, budget, side="right"))
        for row in stated.rows[best[:fits]].tolist():
            place = (int(stated.mentions.start[row]), int(stated.mentions.end[row]))
            self._keep(int(stated.mentions.document[row]), place)
        return int(spent[fits - 1]) if fits else 0

    def keep_entries(self, counter: BatchTokenCounter, order: Iterable[int], left: int) -> int:
        """Keep entries as they are, in this order, as far as `left` tokens go; returns what is left."""
        for index in order:
            if left < _LEAST_LEFT:
                break
            for piece in self._pieces.get(index, ()):
                left -= self._grow(counter, piece, False, left)
        return left

    def keep_lines(self, counter: BatchTokenCounter, folded: Sequence[bool], left: int) -> None:
        """Whole lines, newest entries first: those with kept facts, then users' words, then all others."""
        newest = [index for index in reversed(range(len(self.entries))) if folded[index]]
        said = [index for index in newest if self.entries[index].role == "user"]
        for indices, facts_only in ((newest, True), (said, False), (newest, False)):
            for index in indices:
                if left < _LEAST_LEFT:
                    return
                for piece in self._pieces.get(index, ()):
                    if not facts_only or piece in self.kept:
                        left -= self._grow(counter, piece, facts_only, left)

    def _grow(self, counter: BatchTokenCounter, piece: int, facts_only: bool, left: int) -> int:
        """Keep lines of a piece as far as `left` tokens go; returns those they take."""
        text = self.stated.texts[piece]
        kept = sorted(self.kept.get(piece, ()))
        spent = 0 if kept else _LABEL_TOKENS
        lines: list[tuple[Span, list[Span]]] = []
        at = 0
        for match in _LINE.finditer(text, 0, len(text) if kept else 40 * left + 400):
            start, end = match.span()
            inside = []
            while at < len(kept) and kept[at][0] < end:
                if kept[at][0] >= start and kept[at][1] <= end:
                    inside.append(kept[at])
                at += 1
            if (inside or not facts_only) and (start, end) not in inside:
                lines.append(((start, end), inside))
        counts = count_batch(counter, [text[start:end] for (start, end), _ in lines]).tolist()
        counted = iter(count_batch(counter, [text[a:b] for _, inside in lines for a, b in inside]).tolist())
        for (place, inside), tokens in zip(lines, counts, strict=True):
            more = tokens + 1 - sum(next(counted) for _ in inside)
            if spent + more <= left:
                spent += max(more, 1)
                self._keep(piece, place)
        return spent

    def _keep(self, piece: int, place: Span) -> None:
        self.kept.setdefault(piece, []).append(place)
        self._drawn.pop(piece, None)
        self.order.append((piece, place))

    def drop_last(self, characters: int) -> None:
        """Take the least of what is kept away again, so many characters and a hundredth of the places."""
        fewest = len(self.order) * (1 - _DROPPED_AT_ONCE)
        while self.order and (characters > 0 or len(self.order) > fewest):
            piece, place = self.order.pop()
            characters -= place[1] - place[0] + 1
            self._drawn.pop(piece, None)
            self.kept[piece].remove(place)
            if not self.kept[piece]:
                del self.kept[piece]

    def text(self) -> str:
        """The excerpts of all entries, a line or more each; "" where nothing is kept."""
        said = [
            (source_of(entry, piece, self.numbers[index], self.called), self._draw(row))
            for index, entry in enumerate(self.entries)
            for row, piece in zip(self._pieces.get(index, ()), entry.pieces, strict=False)
            if row in self.kept
        ]
        by_source = groupby(said, key=itemgetter(0))
        return quote([(source, "\n".join(words for _, words in alike)) for source, alike in by_source])

    def places(self, index: int) -> tuple[tuple[int, int, int], ...]:
        """(piece of the entry, start, end) of what is kept of an entry, in order, without overlap."""
        pieces = self._pieces.get(index, [])
        return tuple(
            (piece - pieces[0], start, end)
            for piece in pieces
            for start, end in merged(self.kept.get(piece, ()))
        )

    def _draw(self, piece: int) -> str:
        if piece in self._drawn:
            return self._drawn[piece]
        text = self.stated.texts[piece]
        drawn = ""
        last = -1
        for start, end in merged(self.kept[piece]):
            if last >= 0:
                gap = text[last:start]
                drawn += "\n" if "\n" in gap else gap if len(gap) <= 2 else " "
            drawn += text[start:end]
            last = end
        self._drawn[piece] = drawn
        return drawn


def merged(places: Iterable[Span]) -> list[Span]:
    """The places in order, those that overlap or touch as one."""
    found: list[Span] = []
    for start, end in sorted(places):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found
