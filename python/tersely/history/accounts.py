"""Account for the messages of a history: what became of each, and which facts nothing states any more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tersely.content.units import Bools
from tersely.core.tables import Int64s
from tersely.engine.facts import TextIndex
from tersely.history.excerpts import StatedFacts
from tersely.history.mentions import FAILED, Mentions
from tersely.history.messages import Entry, Path

__all__ = ["MessageAccount", "Places", "Sent"]

Places = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class MessageAccount:
    """Accounts for a message.

    Attributes:
        index: of the message in the history.
        outcome: "verbatim"; "compressed": its results are shorter; "folded": excerpts of it stand in a
            message that stands for several; "dropped": nothing of it is left.
        reason: "fits" (so does everything), "system", "pinned", "picture", "cache_marker", "with_held"
            (it belongs to such a one), "task" (the first of the user), "newest", "budget", "repeated" (a
            newer message has it, whose account says what became of that), "stated_elsewhere" (each of its
            lines stands word for word in what is sent), "empty" (it said nothing).
        tokens: of the message in the history.
        kept: where it was folded, the places that are still there: (piece, start, end); pieces are the texts
            of the message in order.
        lost: places of facts of it that no message or excerpt states any more; of a fact that several
            messages stated, the newest.
        pictures: how many of its pictures were left out.
    """

    index: int
    outcome: Literal["verbatim", "compressed", "folded", "dropped"]
    reason: str
    tokens: int
    kept: Places = ()
    lost: Places = ()
    pictures: int = 0


class Sent:
    """The words that are sent, to look up what is still stated.

    Attributes:
        lost: (piece, start, end) of facts that no message or excerpt states; pieces of all are counted on.
        lost_failures: whether one of them tells of a failure.
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        stated: StatedFacts,
        staying: Sequence[bool],
        changed: Mapping[int, Mapping[Path, str]],
        kept: tuple[Int64s, Int64s, Int64s],
    ) -> None:
        """`staying`: bool[entries]; `changed`: other texts of these; `kept`: excerpts of the others."""
        mentions = stated.mentions
        pieces = [(index, piece) for index, entry in enumerate(entries) for piece in entry.pieces]
        self._owner = np.array([index for index, _ in pieces], dtype=np.int64)
        self._first = np.searchsorted(self._owner, np.arange(len(entries)))
        texts = [piece.text for _, piece in pieces]
        stay = [staying[index] for index, _ in pieces]
        other = [changed.get(index, {}).get(piece.path) for index, piece in pieces]
        now = [said if text is None else text for said, text in zip(texts, other, strict=True)]
        sent = [text for text, stays in zip(now, stay, strict=True) if stays]
        quoted = zip(*(column.tolist() for column in kept), strict=True)
        self._index = TextIndex("\n".join([*sent, *(texts[row][start:end] for row, start, end in quoted)]))

        whole = np.array(
            [stays and text is None for stays, text in zip(stay, other, strict=True)], dtype=bool
        )
        rows = np.sort(stated.rows)
        rows = rows[~whole[mentions.document[rows]] & ~_within(mentions, rows, *kept)]
        partly: dict[int, TextIndex] = {}
        gone = []
        columns = (mentions.document[rows], mentions.start[rows], mentions.end[rows])
        for row, start, end in zip(*(column.tolist() for column in columns), strict=True):
            if stay[row] and row not in partly:
                partly[row] = TextIndex(now[row])
            lines = texts[row][start:end].split("\n") if stay[row] else ()
            gone.append(not lines or not all(partly[row].stands(line.strip()) for line in lines))
        self.lost = tuple([column[np.array(gone, dtype=bool)] for column in columns])
        self.lost_failures = bool((mentions.worth[rows][np.array(gone, dtype=bool)] >= FAILED).any())

    def why_dropped(self, entry: Entry) -> str:
        """Say why a message was left out whole."""
        said = [line for piece in entry.pieces for line in map(str.strip, piece.text.split("\n")) if line]
        if entry.opaque or entry.pictures:
            return "budget"
        if not said:
            return "empty"
        return "stated_elsewhere" if all(map(self._index.stands, said)) else "budget"

    def places(self, piece: Int64s, start: Int64s, end: Int64s) -> dict[int, Places]:
        """Group places by message, in order: (piece of it, start, end); `piece` counts over all of them."""
        index = self._owner[piece] if len(piece) else piece
        found: dict[int, list[tuple[int, int, int]]] = {}
        columns = (index, piece - self._first[index], start, end)
        for message, *place in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault(message, []).append((place[0], place[1], place[2]))
        return {message: tuple(places) for message, places in found.items()}


def _within(mentions: Mentions, rows: Int64s, piece: Int64s, start: Int64s, end: Int64s) -> Bools:
    """bool[rows]: whether each mention lies within one of these places, which are in order."""
    if not len(piece):
        return np.zeros(len(rows), dtype=bool)
    span = int(max(mentions.end.max(initial=0), end.max())) + 1
    at = (
        np.searchsorted(
            piece * span + start, mentions.document[rows] * span + mentions.start[rows], side="right"
        )
        - 1
    )
    found: Bools = (at >= 0) & (piece[at] == mentions.document[rows]) & (mentions.end[rows] <= end[at])
    return found
