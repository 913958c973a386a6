"""Fold a history: its newest messages stay, of the others excerpts, and an account of each.

Which groups of messages stay is decided beforehand, from what they cost alone, so that they are the newest
and none is missing between them. Then excerpts of the others, and long results of tools that are to become
shorter, are units of one reading (`tersely.engine.reading`), of which the engine's fit takes what fits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import Any, Literal, NamedTuple

import numpy as np

from tersely.engine.allocation import fill
from tersely.engine.facts import standing
from tersely.engine.fit import Fit, fit
from tersely.engine.reading import FIRST_KEPT, count_batch
from tersely.engine.strategies import Auto
from tersely.errors import BudgetExceededError
from tersely.memory.excerpts import SHORT, SOURCE_TOKENS, Excerpts, document_of_result, read_excerpts
from tersely.memory.groups import MESSAGE_TOKENS, count_entries
from tersely.memory.messages import Entry, Path, Piece, read_messages
from tersely.memory.quoting import EMPTY, Places, read_quotes
from tersely.memory.references import Reference, find_references, is_reference
from tersely.memory.revisions import Revision, find_answers, find_revisions
from tersely.memory.statements import KINDS, Transcript, find_statements, read_transcript
from tersely.memory.writing import new_user_message, with_texts
from tersely.protocols import BatchTokenCounter
from tersely.types import Document, Float64s, Frame, Int64s, Request, pieces as slices


class MessageAccount(NamedTuple):
    """Accounts for a message.

    Attributes:
        index: of the message in the history.
        outcome: "verbatim" (its blocks may stand in one turn with those of others); "compressed": its
            results are shorter; "folded": excerpts of it stand in a
            message that stands for several; "dropped": nothing of it is left.
        reason: "fits" (so does everything), "system", "sealed" (a summary that its provider alone can read),
            "unknown" (an item of a type that is not known here), "pinned", "picture", "cache_marker",
            "with_held" (it belongs to such a one), "task" (the first of the user), "newest", "budget",
            "repeated" (a newer message has it, whose account says what became of that), "stated_elsewhere"
            (each of its lines is word for word in what is sent, a short answer behind its question), "empty"
            (it said nothing).
        tokens: of the message in the history.
        kept: where it was folded, the places that are still there: (piece, start, end); pieces are the texts
            of the message in order.
        lost: places of statements of it that stand nowhere any more (`statements.py`); of one that several
            messages made, the newest; and of what people said in short or as a rule.
        pictures: how many of its pictures were left out.
    """

    index: int  # type: ignore[assignment]  # instead of the tuple's method
    outcome: Literal["verbatim", "compressed", "folded", "dropped"]
    reason: str
    tokens: int
    kept: Places = ()
    lost: Places = ()
    pictures: int = 0


_TEXT, _KIND, _PATH = map(attrgetter, ("text", "kind", "path"))

_NEWEST_SHARE = 0.1  # of the budget: for the newest messages even where words of older ones go short
_TASK_SHARE = 0.1  # of the budget: a first message of the user up to this size stays
_PICTURES_SHARE = 0.3  # of the budget: for the newest pictures
NEWEST_ROOM = 0.8  # of what is free: for the newest group, whatever becomes of others
_OWED = 0.2
_LEAST_RESULT = 32  # tokens of a shortened result: less tells nothing
_HELD_SHARE = 0.5  # of what is free: for results in messages with cache markers, where they do not fit whole

_MILD = ("cache_marker", "with_held", "picture")  # why messages stay that may become shorter where they must


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """A history that is to be folded."""

    messages: Sequence[Any]  # the messages, and as they were read
    entries: Sequence[Entry]
    groups: Sequence[tuple[int, int]]  # ranges of messages that stay or go together
    costs: Int64s  # int64[n], tokens of each message, as it came
    now: Int64s  # and as changed
    counter: BatchTokenCounter  # counts them
    picture_tokens: int  # what a picture is taken to cost
    stays: Mapping[int, str]  # index -> reason of messages that are left alone
    called: Mapping[str, str]  # name and arguments of each call, by its id
    numbers: Sequence[int]  # of the messages, as the reader is told them
    folded: Collection[int] = ()  # messages that were folded before, and so cannot stay
    # of each piece, where they are lines of excerpts
    places: Mapping[int, Places] = field(default_factory=dict)
    relevance: Float64s | None = None  # float64[n], of each message to the query; None: there is none
    query: str = ""  # "" without
    references: bool = True  # whether results that stand in newer ones become references to these
    # other texts for messages that stay, by their paths
    changed: Mapping[int, Mapping[Path, str]] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)  # why, by the index
    known: dict[str, int] = field(default_factory=dict)  # what words say of sentences (`marks_of`)

    def rewrite(self, texts: Mapping[int, Mapping[Path, str]], reason: str) -> History:
        """The history with these texts as well, counted as they are sent. O(characters of these messages)."""
        if not texts:
            return self
        changed = {**self.changed}
        changed |= {index: {**changed.get(index, {}), **texts[index]} for index in texts}
        sent = read_messages([with_texts(self.messages[index], changed[index]) for index in texts])
        now = self.now.copy()
        now[list(texts)] = count_entries(self.counter, sent, self.picture_tokens)
        reasons = {**dict.fromkeys(texts, reason), **self.reasons}
        return replace(self, changed=changed, reasons=reasons, now=now)


@dataclass(frozen=True, eq=False, slots=True)
class FoldedHistory:
    """The messages to send, their tokens without the reply's frame, and an account of each message."""

    messages: list[Any]
    entries: list[Entry]  # as they were read; of excerpts the role alone
    tokens: int
    accounts: tuple[MessageAccount, ...]
    warnings: tuple[str, ...]
    cited: int = 0  # the number behind the newest message to which a reference leads


def fold(history: History, budget: int) -> FoldedHistory:
    """Fit everything into `budget` tokens, the frame of the reply not counted.

    What `history.stays` names must fit; then all does. O(characters + facts log facts).
    """
    # excerpts are read as what they quote
    alone = {first for first, last in history.groups[:-1] if last - first == 1} - history.stays.keys()
    entries, places = list(history.entries), {}
    for index in [one for one in sorted(alone) if "excerpts" in map(_KIND, entries[one].pieces)]:
        quotes, lines = read_quotes(entries[index])
        if lines:
            entries[index], places[index] = quotes, lines
    history = replace(history, entries=entries, folded={*history.folded, *places}, places=places)
    frame = MESSAGE_TOKENS + int(count_batch(history.counter, ["user", EMPTY]).sum())
    free = sorted({*range(len(history.costs))}.difference(history.stays, history.folded))
    newest = max(int(_PICTURES_SHARE * budget) // max(history.picture_tokens, 1), 1)
    history = _leave_out_pictures(history, free, int(history.now.sum()) + frame - budget, newest)
    repeats: dict[int, dict[Path, Reference]] = {}
    if history.references:
        repeats = find_references(history)
        texts = {index: {path: one.text for path, one in some.items()} for index, some in repeats.items()}
        history = history.rewrite(texts, "repeated")
    transcript = read_transcript(history.entries, history.known, history.called)
    stay, border = _newest_groups(history, _owed(history, transcript).tolist(), budget, frame)
    revisions = [*find_revisions(transcript), *find_answers(transcript)]
    choice = _Choice(history, transcript, revisions, stay)
    if border is not None and (shorter := _long_results(history, *border)):
        first, last, _ = border
        more = [*stay[:first], *[True] * (last - first), *stay[last:]]
        choice = replace(choice, stay=more, results=shorter)
    fitted = _fit(choice, budget, frame)
    if not all(fitted.results):  # too little of them would be left
        choice = replace(choice, stay=stay, results=())
        fitted = _fit(choice, budget, frame)
    led = [one.target + 1 for index, some in repeats.items() if choice.stay[index] for one in some.values()]
    return replace(_assemble(choice, fitted), cited=max(led, default=0))


def _owed(history: History, transcript: Transcript, others: float = _OWED) -> Int64s:
    """int64[n]: tokens that each folded message should keep.

    Of people's short statements and failures; and a share of `others`.
    """
    owner, told, count = transcript.owner, transcript.told, len(history.now)
    of = np.zeros(1 + max(told[-1:].tolist(), default=-1), dtype=np.int64)
    of[told] = owner  # the message of each that is told
    length = np.maximum(np.bincount(owner, transcript.length, count), 1)
    share = np.bincount(told, transcript.length) / length[of]
    tokens = (history.now[of] * share).astype(np.int64)
    needed = np.zeros(len(of), dtype=bool)
    needed[told[transcript.people | transcript.failed]] = True
    owed = np.where(needed, np.minimum(tokens, SHORT) + SOURCE_TOKENS, others * tokens)
    return np.bincount(of, owed, count).astype(np.int64)


def shorten_held(history: History, frame: int, budget: int) -> History:
    """Shorten messages that must stay to `budget` tokens, less the `frame` that other things take.

    Where it does not fit, pictures that nobody pinned are left out, the oldest first; then results of tools
    in messages with cache markers become shorter, and the markers stay. A small first message of the user is
    added to `history.stays`. Raises BudgetExceededError.
    """
    counter, stays = history.counter, dict(history.stays)
    firm = {index for index, reason in stays.items() if reason not in _MILD}
    spared = (index for group in history.groups if firm.isdisjoint(range(*group)) for index in range(*group))
    mild = [index for index in spared if index in stays] if stays else []
    over = frame + int(history.now[list(stays)].sum()) - budget
    history = _leave_out_pictures(history, mild, over, 0)
    results = _of_kind(history, mild, "result")
    sizes = count_batch(counter, [piece.sent for _, piece in results])
    least = np.minimum(sizes, _LEAST_RESULT)
    required = frame + int(history.now[list(stays)].sum() - (sizes - least).sum())
    if required > budget:
        told = f"what must stay ({len(stays)} messages, the tools and the frame of the reply) does not fit"
        raise BudgetExceededError(told, required=required, budget=budget)
    entries = history.entries
    alone = [first for first, last in history.groups if last - first == 1 and not entries[first].answers]
    said = [first for first in alone if entries[first].role == "user"]  # not what a tool gave
    most = min(_TASK_SHARE * budget, budget - required)
    if said and said[0] not in history.folded and history.now[said[0]] <= most:
        stays.setdefault(said[0], "task")
    history = replace(history, stays=dict(sorted(stays.items())))
    spare = budget - frame - int(history.now[list(stays)].sum()) + int(sizes.sum())
    if spare >= sizes.sum():
        return history
    room = max(int(_HELD_SHARE * spare), int(least.sum()))
    texts: dict[int, dict[Path, str]] = {}
    for result in _shares(history, results, sizes, room):
        request = Request((result.document,), None, result.share, 0.3, counter, frame=result.frame)
        texts.setdefault(result.index, {})[result.piece.path] = Auto().compress(request).text
    return history.rewrite(texts, "budget")


def _of_kind(history: History, indices: Iterable[int], kind: str) -> list[tuple[int, Piece]]:
    """The pieces of this kind of these messages, each with its message."""
    entries = history.entries
    return [(index, piece) for index in indices for piece in entries[index].pieces if piece.kind == kind]


def _leave_out_pictures(history: History, indices: Sequence[int], over: int, newest: int) -> History:
    """The history without the oldest pictures of these messages, so many that `over` tokens are free.

    `newest`: so many pictures stay in any case.
    """
    found = _of_kind(history, indices, "picture") if over > 0 else []
    if not found:
        return history
    found = [(index, piece) for index, piece in found if piece.path]
    found = found[: max(len(found) - newest, 0)]
    saved = history.picture_tokens - count_batch(history.counter, [piece.text for _, piece in found])
    texts: dict[int, dict[Path, str]] = {}
    for (index, piece), tokens in zip(found, saved.tolist(), strict=True):
        if over > 0 and tokens > 0:
            over -= tokens
            texts.setdefault(index, {})[piece.path] = piece.text
    return history.rewrite(texts, "budget")


def _newest_groups(
    history: History, owed: Sequence[int], budget: int, frame: int
) -> tuple[list[bool], tuple[int, int, int] | None]:
    """Which messages stay whole; and (first, last, tokens) of the group before them, where it does not fit.

    Those stay that must; then groups from the newest on, as long as the facts of older ones find room behind
    them, or a share of the budget is left. `owed`: tokens of each message's facts, which are to be stated
    once it is folded; `frame`: of an empty message of excerpts. O(groups).
    """
    now: list[int] = history.now.tolist()
    used, rest = sum(map(now.__getitem__, history.stays)), sum(owed) + frame
    stay = list(map(history.stays.__contains__, range(len(now))))
    for first, last in reversed(history.groups):
        if first in history.stays:
            continue
        if first in history.folded:
            break
        cost = sum(now[first:last])
        rest_after = rest - sum(owed[first:last])
        room = int(_NEWEST_SHARE * budget)
        if history.relevance is None:
            room = max(budget - rest_after, room)
        room = min(room, budget) - used
        if last == len(now):
            free = budget - used  # the next answer is to it
            most = int(NEWEST_ROOM * free)
            newest = history.entries[first]
            if newest.role != "user" or "text" not in map(_KIND, newest.pieces):
                # It is no word of the user: something that the user said has room beside it.
                most = min(most, free - frame - _LEAST_RESULT)
            room = max(room, most)
        if cost > room:
            return stay, (first, last, room)
        used += cost
        rest = rest_after
        stay[first:last] = [True] * (last - first)
    return stay, None


@dataclass(frozen=True, eq=False, slots=True)
class _Result:
    """A result of a tool that is to become shorter."""

    index: int  # of its message
    piece: Piece
    document: Document
    tokens: int
    share: int  # of tokens that it gets at least

    @property
    def frame(self) -> Frame | None:
        """Return the frame that writes the text back into its JSON string; None for a plain one."""
        style = self.piece.within
        return None if style is None else Frame(write=lambda parts: list(map(style.escaped, parts)))


@dataclass(frozen=True, eq=False, slots=True)
class _Choice:
    """The decisions before the fit."""

    history: History
    transcript: Transcript  # of its entries, and what later words of people revise or answer
    revisions: Sequence[Revision]
    stay: Sequence[bool]  # which messages stay in their places
    results: Sequence[_Result] = ()  # what is still to become shorter


def _long_results(history: History, first: int, last: int, room: int) -> list[_Result]:
    """Results that must be shorter for a group to take `room` tokens; [] where too little would stay."""
    results = [
        (index, piece)
        for index, piece in _of_kind(history, range(first, last), "result")
        if piece.path not in history.changed.get(index, ()) and not is_reference(piece.text)
    ]
    if not results:
        return []
    sizes = count_batch(history.counter, [piece.sent for _, piece in results])
    spare = room - int(history.now[first:last].sum() - sizes.sum())
    if spare < _LEAST_RESULT:
        return []
    found = _shares(history, results, sizes, spare)
    return found if all(result.share >= _LEAST_RESULT for result in found) else []


def _shares(
    history: History, results: Sequence[tuple[int, Piece]], sizes: Int64s, room: int
) -> list[_Result]:
    """Share `room` tokens out among results of `sizes` tokens; return those that get less than they have."""
    shares = fill(sizes, np.ones(len(sizes)), room)
    return [
        _Result(index, piece, document_of_result(piece, history.called), size, share)
        for (index, piece), size, share in zip(results, sizes.tolist(), shares.tolist(), strict=True)
        if share < size
    ]


@dataclass(frozen=True, eq=False, slots=True)
class _FitResult:
    """The result of the fit: a message of excerpts, shorter results, tokens of all messages together.

    `kept`: (piece, start, end) of what is kept of folded messages, in order; pieces of all are counted on.
    `unsaid`: the same of what people say and is left out.
    """

    text: str
    results: tuple[str, ...]
    tokens: int
    kept: tuple[Int64s, Int64s, Int64s]
    unsaid: tuple[Int64s, Int64s, Int64s]


def _fit(choice: _Choice, budget: int, frame: int) -> _FitResult:
    """Choose among the excerpts of messages that do not stay, and among the units of long results."""
    history = choice.history
    folded = ~np.array(choice.stay, dtype=bool)
    used = int(history.now[~folded].sum()) - sum([result.tokens for result in choice.results])
    room = budget - used
    if room <= frame:
        folded[:] = False
    else:
        room -= frame
    owner, paths = choice.transcript.owner.tolist(), map(_PATH, choice.transcript.pieces)
    numbers = {place: number for number, place in enumerate(zip(owner, paths, strict=True))}
    results = [(numbers[result.index, result.piece.path], result.document) for result in choice.results]
    excerpts = read_excerpts(history, choice.transcript, choice.revisions, folded, results)
    if not len(excerpts.reading.table):
        nothing = excerpts.places(np.empty(0, dtype=np.uint8))
        return _FitResult("", ("",) * len(choice.results), used, nothing, nothing)  # results are white space
    floors = None
    if choice.results:  # behind people's words, and failures
        words = int(_owed(history, choice.transcript, 0)[folded].sum())
        wanted = [result.share for result in choice.results]
        shares = fill(wanted, np.ones(len(wanted)), max(room - words, 0))
        floors = [0] * excerpts.quoted + np.maximum(shares, _LEAST_RESULT).tolist()
    excerpts, found = _fit_words(excerpts, room, floors)
    parts = found.rendered.parts
    text = excerpts.write(parts)
    tokens = used + found.tokens + (frame if text else 0)
    kept, unsaid = excerpts.places(found.status), excerpts.unsaid(found.status)
    return _FitResult(text, parts[excerpts.quoted :], tokens, kept, unsaid)


def _fit_words(excerpts: Excerpts, room: int, floors: Sequence[int] | None) -> tuple[Excerpts, Fit]:
    """Fit excerpts: where whole sentences of people would go, what only leads into some goes before them."""
    whole = fit(excerpts.reading, room, floors=floors)
    unsaid = len(excerpts.unsaid(whole.status)[0])
    if not unsaid or (parts := excerpts.without_leads()) is None:
        return excerpts, whole
    apart, leads = parts
    fitted = fit(apart.reading, room, floors=floors)
    alone = leads & np.append(fitted.status[1:] < FIRST_KEPT, True)  # they lead into nothing
    if (fitted.status[alone] >= FIRST_KEPT).any():
        kept = np.where(alone, 0, fitted.status).astype(np.uint8)
        fitted = fit(apart.reading, room, kept=kept, floors=floors, favour=(~alone).astype(np.float32))
    return (apart, fitted) if len(apart.unsaid(fitted.status)[0]) < unsaid else (excerpts, whole)


def _assemble(choice: _Choice, fitted: _FitResult) -> FoldedHistory:
    """Return messages and accounts of a choice; the excerpts take the place of the first folded message."""
    history, text = choice.history, fitted.text
    changed = {index: dict(texts) for index, texts in history.changed.items()}
    for result, made in zip(choice.results, fitted.results, strict=True):
        changed.setdefault(result.index, {})[result.piece.path] = made
    reasons = {**history.reasons, **dict.fromkeys([result.index for result in choice.results], "budget")}
    owner = choice.transcript.owner
    said = zip(owner.tolist(), choice.transcript.pieces, strict=True)
    whole = [changed.get(at, {}).get(piece.path, piece.text) for at, piece in said if choice.stay[at]]
    sent = "\n\n".join([*whole, *slices(choice.transcript.texts, *fitted.kept)])
    gone, errors = _lost(choice, fitted.kept, changed, sent)
    piece, start, end = map(np.concatenate, zip(gone, fitted.unsaid, strict=True))
    order = np.lexsort((end, start, piece))
    kept = _by_message(history, owner, *fitted.kept)
    lost = _by_message(history, owner, piece[order], start[order], end[order])
    dropped = [index for index, stay in enumerate(choice.stay) if not stay and index not in kept]
    why = why_dropped({index: history.entries[index] for index in dropped}, sent)
    talks, texts = choice.transcript.talks, choice.transcript.texts
    for old, new, _ in choice.revisions:  # "no" stands elsewhere where its question stands before it
        if talks[old[0]]:
            both = f"{texts[old[0]][old[1] : old[2]]}\n\n{texts[new[0]][new[1] : new[2]]}"
            if both not in sent:
                why[int(owner[new[0]])] = "budget"
    messages: list[Any] = []
    entries: list[Entry] = []
    accounts: list[MessageAccount] = []
    outcome: Literal["verbatim", "compressed", "folded", "dropped"]
    for index, (stays, tokens) in enumerate(zip(choice.stay, history.costs.tolist(), strict=True)):
        shorter, places = changed.get(index, {}), tuple(kept.get(index, ()))
        message = history.messages[index]
        if stays:
            outcome = "compressed" if shorter else "verbatim"
            reason = history.stays.get(index, reasons.get(index, "newest") if shorter else "newest")
            messages.append(with_texts(message, shorter) if shorter else message)
            entries.append(history.entries[index])
        else:
            if text:
                messages.append(new_user_message(text, history.messages))
                entries.append(Entry("user"))
                text = ""  # in the place of the first
            outcome, reason = ("folded", "budget") if places else ("dropped", why[index])
        pictures = 0
        for picture in history.entries[index].pieces:
            pictures += picture.kind == "picture" and (not stays or picture.path in shorter)
        account = (index, outcome, reason, tokens, places, tuple(lost.get(index, ())), pictures)
        accounts.append(tuple.__new__(MessageAccount, account))
    told = (*["errors_left_out"] * errors, *["facts_left_out"] * bool(lost))
    return FoldedHistory(messages, entries, fitted.tokens, tuple(accounts), told)


def _lost(
    choice: _Choice,
    kept: tuple[Int64s, Int64s, Int64s],
    changed: Mapping[int, Mapping[Path, str]],
    sent: str,
) -> tuple[tuple[Int64s, Int64s, Int64s], bool]:
    """(piece, start, end) of statements that the result lacks, and whether one is of an error.

    What later words replace is not lost.
    """
    transcript = choice.transcript
    facts = transcript.facts
    whole = np.array(choice.stay, dtype=bool)[transcript.owner]
    for number in whole.nonzero()[0].tolist() if changed else ():
        whole[number] = transcript.pieces[number].path not in changed.get(int(transcript.owner[number]), ())
    has = np.zeros(facts.keys, dtype=bool)
    has[facts.key[whole[facts.document] | transcript.inside(kept)]] = True
    found = find_statements(transcript, has, sent, newest=True)
    facts, away = found.facts, ~found.stands
    for (piece, start, end), _, effect in choice.revisions:
        if effect == "replaced":
            away &= (facts.document != piece) | (facts.start < start) | (facts.start >= end)
    gone = away.nonzero()[0]
    errors = bool((found.kind[gone] == list(KINDS).index("errors")).any())
    order = gone[np.lexsort((facts.end[gone], facts.start[gone], facts.document[gone]))]
    return (facts.document[order].astype(np.int64), facts.start[order], facts.end[order]), errors


def _by_message(
    history: History, owner: Int64s, piece: Int64s, start: Int64s, end: Int64s
) -> dict[int, list[tuple[int, int, int]]]:
    """Group places by message, in order: (piece of it, start, end); `piece` counts over all of them."""
    index = owner[piece]
    found: dict[int, list[tuple[int, int, int]]] = {}
    columns = (index, piece - owner.searchsorted(index), start, end)
    for message, row, low, high in zip(*map(np.ndarray.tolist, columns), strict=True):
        origin = history.places.get(message)
        at, first = (row, 0) if origin is None else origin[row][:2]
        found.setdefault(message, []).append((at, first + low, first + high))
    return found


def why_dropped(dropped: Mapping[int, Entry], sent: str) -> dict[int, str]:
    """Say why messages were left out whole: index -> reason. O(characters)."""
    texts: dict[int, str] = {}
    for index, entry in dropped.items():
        if not entry.opaque and "picture" not in map(_KIND, entry.pieces):
            texts[index] = "\n".join(map(_TEXT, entry.pieces)).strip()
    for few in (1, None) if texts else ():  # of most, not even the first line stands there
        lines = {
            index: set(map(str.strip, said.split("\n", few or -1)[:few])) for index, said in texts.items()
        }
        stated = {"", *standing(sent, chain.from_iterable(lines.values()))}
        texts = {index: texts[index] for index, some in lines.items() if stated.issuperset(some)}
    why = {index: "stated_elsewhere" if said else "empty" for index, said in texts.items()}
    return dict.fromkeys(dropped, "budget") | why
