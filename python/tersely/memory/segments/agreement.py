"""Say where a shorter text says something else than its source: another number, a "not", an opposite.

A short table (words.txt); where it is silent, a prefix that turns a word round ("supported", "unsupported")
and the endings -ful and -less are read by rule. Words are compared as the terms of csrc/kernels/text are:
folded and stemmed, so that one form of a verb stands for all.

What is compared are clauses, cut at punctuation and conjunctions, and their words; no pattern that chooses
what a short form says has a part in it, so what those miss is not missed here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from heapq import nsmallest
from itertools import chain, pairwise

from tersely import _native
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.words import pattern, read_words

# What turns a word round -> the fewest letters of that word, so that "into" does not turn "to" round.
_PREFIXES = {"un": 3, "non": 3, "nicht": 3, "dis": 4, "de": 4, "in": 4, "im": 4, "ir": 4, "il": 4, "mis": 4}


def keys_of(words: Iterable[str]) -> dict[str, str]:
    """Return word -> the form in which words are compared; O(characters)."""
    every = list(dict.fromkeys(words))
    ids, offsets, names = _native.terms(every)
    bounds = zip(every, offsets.tolist(), offsets[1:].tolist(), strict=False)
    return {word: names[ids[at]] if end == at + 1 else word.casefold() for word, at, end in bounds}


@cache
def _table() -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """Key -> the keys that say the opposite; key -> those that say the same in some line."""
    lines = [[side.split() for side in line.split("|")] for line in read_words("opposites")]
    keys = keys_of(word for sides in lines for side in sides for word in side)
    other: dict[str, set[str]] = {}
    same: dict[str, set[str]] = {}
    for sides in lines:
        one, two = ({keys[word] for word in side} for side in sides)
        for side, turned in ((one, two), (two, one)):
            for key in side:
                other.setdefault(key, set()).update(turned)
                same.setdefault(key, set()).update(side)
    frozen = [{key: frozenset(found) for key, found in table.items()} for table in (other, same)]
    return frozen[0], frozen[1]


@lru_cache(4_096)
def opposites_of(key: str) -> frozenset[str]:
    """Return the keys that say the opposite of one, by the table and by rule; some are no words."""
    found = set(_table()[0].get(key, ()))
    for prefix, fewest in _PREFIXES.items():
        if len(key) >= fewest:
            found.add(prefix + key)
        if key.startswith(prefix) and len(key) >= len(prefix) + fewest:
            found.add(key[len(prefix) :])
    for one, two in (("ful", "less"), ("less", "ful")):
        if key.endswith(one):
            found.add(key.removesuffix(one) + two)
    return frozenset(found)


@lru_cache(4_096)
def same_as(key: str) -> frozenset[str]:
    """Return the keys on the same side as one in some line of the table, itself among them."""
    return _table()[1].get(key, frozenset()) | {key}


#: Words that deny: those that guards and facts know, and what English says in two.
DENIES = pattern("denies")
_NEARLY = pattern("nearly")
_WORD = re.compile(r"(?:[^\s`'\"()\[\]{}<>,;!?|*“”‘’„…=]|(?<=\d),(?=\d{3}))+")
_EXACT = re.compile(r"\d|[/\\_]|::|\w\.\w|[a-z][A-Z]|[A-Z]{2}")
_PART = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w{1,99}(?:[.:]\w{1,99}){0,9}")
_AS_A_WHOLE = re.compile(r"^\d|\w[._]\w")  # numbers, names of files, identifiers: no parts are enough
_LETTERS = re.compile(r"[a-z_]{3}")  # with so many, it is no number
_SUFFIX = re.compile(r"\.[a-z]{1,5}$")
_ANY_WORD = re.compile(r"\w+")
_LIST_MARK = re.compile(r"^[\s>#*•-]{0,8}\d{1,3}[.)]\s", re.MULTILINE)
_PLACE = re.compile(r"(?<=[^\d:]):(?=\d)")  # "a.py:12" is two words
_GOES_ON = re.compile(r"\s*(?:or|nor|oder|noch)\b", re.IGNORECASE)
_BORDER = pattern("border")
_EDGES = ".:-–—#$€£~+&^%"
_LONGEST = 300  # characters of a clause
_LOOKED_AT = 64  # clauses of a source that share a word; a more common one says little
_ALONE = 2  # with fewer words beside it, a word is told by the clauses before and behind its own
_NEAR, _STEM = 24, 5  # characters: how far to look for the word beside another, and as much of it counts
_AHEAD = 4  # words behind a "not" that it denies
_ALL_WORDS = 0.1
_BOTH = 2  # what stands before a word, and what stands behind it
_CLEARLY = 1.2  # times as much in common, before a clause is taken for another one
_REST = 0.5  # of the words beside a turned one, before a clause is taken for the same with its opposite
_BESIDE = 0.25  # what the word right before another one counts, and the one behind it


@dataclass(frozen=True, slots=True)
class _Piece:
    """A clause.

    Attributes:
        text: of it.
        words, plain: its plain words as terms; as `keys_of` writes them, in order, without those that deny.
        exact, kinds, marks: its exact words; of which kind each is; what is right before and behind it.
        content: all of these words.
        all_words: its words as they are written, but those that deny.
        denied, denials, nearly: the words that it denies, how often it denies, its words that nearly do.
        sentence: the number of its sentence.
        ends_run: whether a semicolon or the end of a line stands before it.
        is_label: whether it is "Next", before a colon.
    """

    text: str
    words: frozenset[str]
    plain: tuple[str, ...]
    exact: tuple[str, ...]
    kinds: tuple[str, ...]
    marks: tuple[frozenset[str], ...]
    content: frozenset[str]
    all_words: frozenset[str]
    denied: frozenset[str]
    denials: int
    nearly: frozenset[str]
    sentence: int
    ends_run: bool
    is_label: bool


def exact_words(text: str) -> list[str]:
    """List the words that are the same in any wording, in order: numbers, paths, identifiers, codes.

    In small letters, without the marks around them; "a.py:12" is two. Numbers of list items are none.
    O(characters).
    """
    return [word for _, _, word in _exact_spans(text)]


def _exact_spans(text: str) -> list[tuple[int, int, str]]:
    """List (start, end, word) of the exact words of a text."""
    marks = set(map(re.Match.end, _LIST_MARK.finditer(text)))
    found = []
    for match in _WORD.finditer(text):
        if match.end() + 1 in marks or not _EXACT.search(match[0]):
            continue
        at = match.start()
        for part in _PLACE.split(match[0]):
            plain = part.strip(_EDGES).rstrip("/.")
            if plain and _EXACT.search(plain):
                word = plain.casefold()
                found.append((at, at + len(part), word.replace(",", "") if word[0].isdigit() else word))
            at += len(part) + 1
    return found


@lru_cache(4_096)
def _kind(word: str) -> str:
    """Classify an exact word as number, path or other name; words of one kind can be exchanged."""
    if word[0].isdigit() and not _LETTERS.search(word):
        return "number"
    return "path" if "/" in word or _SUFFIX.search(word) else "name"


class _Text:
    """A text as its clauses."""

    def __init__(self, text: str) -> None:
        self.text = text
        table = cut_up([text])
        sentences = table.start.tolist()
        spans = _clauses(text, zip(sentences, table.end.tolist(), strict=True))
        exact = _exact_spans(text)
        starts = [start for start, _, _ in exact]
        every = [word for _, _, word in exact]
        marks = _marks(text, exact)
        rows, blanks, behind_denial = [], [], []
        for start, end in spans:
            blank, last = "", start
            first, behind = bisect_right(starts, start - 1), bisect_right(starts, end - 1)
            for begin, stop, _ in exact[first:behind]:
                blank, last = f"{blank}{text[last:begin]} ", min(stop, end)
            blank += text[last:end]
            match = DENIES.search(blank)
            left = len(blank) - match.end() if match else -1
            later = bisect_left(starts, end - left - 1, first, behind)  # the first behind what denies
            rows.append((slice(first, behind), slice(later, behind)))
            blanks.append(blank)
            behind_denial.append(blank[match.end() :] if match else "")
        bare = [DENIES.sub(" ", blank) for blank in blanks]
        words = _terms([*bare, *behind_denial])
        plain = [_ANY_WORD.findall(blank) for blank in bare]
        keys = keys_of(chain.from_iterable(plain))
        self.pieces: list[_Piece] = []
        carried = 0  # "unable to read | or write it" denies both
        for index, ((start, end), blank, (here, later_ones)) in enumerate(
            zip(spans, blanks, rows, strict=True)
        ):
            own, scope, names = words[index], words[len(rows) + index], every[here]
            denials = len(DENIES.findall(blank))
            carried = denials + (carried if _GOES_ON.match(blank) else 0)
            denied = (every[later_ones] + scope or names + own) if denials else names + own if carried else []
            piece = text[start:end].strip()
            self.pieces.append(
                _Piece(
                    piece,
                    frozenset(own),
                    tuple(map(keys.__getitem__, plain[index])),
                    tuple(names),
                    tuple(map(_kind, names)),
                    tuple(marks[here]),
                    frozenset((*own, *names)),
                    frozenset(_ANY_WORD.findall(DENIES.sub(" ", piece.casefold()))),
                    frozenset(denied[:_AHEAD]),
                    carried,
                    frozenset(map(str.casefold, _NEARLY.findall(blank))),
                    bisect_right(sentences, start) - 1,
                    text[max(start - 2, 0) : start].strip(" ") in (";", "\n"),
                    text.startswith(":", end) and len(plain[index]) < _ALONE,
                )
            )

        self._sentence_of = [piece.sentence for piece in self.pieces]

    @cached_property
    def tokens(self) -> frozenset[str]:
        """All its words and parts of them."""
        return word_tokens(self.text)

    @cached_property
    def where(self) -> Mapping[str, list[int]]:
        """Word -> the first clauses that have it."""
        found: dict[str, list[int]] = {}
        for index, piece in enumerate(self.pieces):
            for word in piece.content:
                found.setdefault(word, []).append(index)
        return found

    @cached_property
    def where_plain(self) -> Mapping[str, list[tuple[int, int]]]:
        """Plain word, as `keys_of` writes it -> where it occurs: (clause, index among its plain words)."""
        found: dict[str, list[tuple[int, int]]] = {}
        for index, piece in enumerate(self.pieces):
            for at, key in enumerate(piece.plain):
                found.setdefault(key, []).append((index, at))
        return found

    def times(self, key: str) -> int:
        """How often it has a plain word, as `keys_of` writes it."""
        return len(self.where_plain.get(key, ()))

    @cached_property
    def exact(self) -> Mapping[str, int]:
        """Exact word -> how often it has it."""
        return _counts(self.pieces)

    @cached_property
    def around(self) -> Mapping[int, set[str]]:
        """Sentence -> all words of its clauses."""
        found: dict[int, set[str]] = {}
        for piece in self.pieces:
            found.setdefault(piece.sentence, set()).update(piece.content)
        return found

    @cached_property
    def marks(self) -> Mapping[str, set[str]]:
        """Exact word -> the marks right before and after it, in all its places."""
        found: dict[str, set[str]] = {}
        for piece in self.pieces:
            for word, marks in zip(piece.exact, piece.marks, strict=True):
                found.setdefault(word, set()).update(marks)
        return found

    @cached_property
    def marked(self) -> Mapping[str, set[str]]:
        """Kind and mark -> the exact words of that kind that it is beside."""
        found: dict[str, set[str]] = {}
        for word, marks in self.marks.items():
            for mark in marks:
                found.setdefault(_kind(word) + mark, set()).add(word)
        return found

    def alike(self, word: str, marks: Set[str]) -> tuple[set[str], set[str]]:
        """Return the exact words of the same kind beside one of some marks, and those beside two.

        A mark that many words have says nothing.
        """
        once: set[str] = set()
        twice: set[str] = set()
        for mark in marks:
            words = self.marked.get(_kind(word) + mark, set())
            if len(words) <= _LOOKED_AT:
                twice |= once & words
                once |= words
        return once - {word}, twice - {word}

    def beside(self, index: int) -> set[str]:
        """The words of the clauses before and behind one."""
        near = [*self.pieces[max(index - 1, 0) : index], *self.pieces[index + 1 : index + 2]]
        return {word for piece in near for word in piece.content}

    def places(self, word: str) -> Sequence[int]:
        """The clauses that contain a word; none if more than `_LOOKED_AT` do: it says little then."""
        places = self.where.get(word, ())
        return places if len(places) <= _LOOKED_AT else ()

    def likeness(self, words: Collection[str]) -> dict[int, float]:
        """How much each clause has in common with some words: rare ones count most, those in the rest of
        its sentence half. Clauses with nothing in common are left out."""
        own: dict[int, float] = {}
        around: dict[int, float] = {}
        for word in sorted(words):  # sums are the same for every hash seed
            if not (places := self.where.get(word)) or len(places) > _LOOKED_AT:
                continue
            sentences = set(map(self._sentence_of.__getitem__, places))
            for place in places:
                own[place] = own.get(place, 0.0) + 1.0 / len(sentences)
            for sentence in sentences:
                around[sentence] = around.get(sentence, 0.0) + 1.0 / len(sentences)
        return {place: 0.5 * (much + around[self._sentence_of[place]]) for place, much in own.items()}

    def add_beside(self, alike: dict[int, float], words: Collection[str]) -> None:
        """Add to each clause what those before and behind it have in common with some words, at half."""
        for word in sorted(words):  # sums are the same for every hash seed
            places = self.places(word)
            near = {place + step for place in places for step in (-1, 1)}
            for place in near:
                if 0 <= place < len(self.pieces):
                    alike[place] = alike.get(place, 0.0) + 0.5 / len(places)


def _marks(text: str, exact: Sequence[tuple[int, int, str]]) -> list[frozenset[str]]:
    """Return the words before and behind each exact word, cut to their first letters."""
    found = []
    for start, end, _ in exact:
        marks = set()
        if before := _ANY_WORD.findall(text[max(start - _NEAR, 0) : start].casefold()):
            marks.add(f"<{before[-1][:_STEM]}")
        if behind := _ANY_WORD.search(text[end : end + _NEAR].casefold()):
            marks.add(f">{behind[0][:_STEM]}")
        found.append(frozenset(marks))
    return found


def _counts(pieces: Iterable[_Piece]) -> dict[str, int]:
    """Exact word -> how often some clauses have it."""
    found: dict[str, int] = {}
    for piece in pieces:
        for word in piece.exact:
            found[word] = found.get(word, 0) + 1
    return found


def _clauses(text: str, sentences: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cut sentences at punctuation and before conjunctions, whatever is between."""
    found = []
    for start, end in sentences:
        at = start
        for match in [*_BORDER.finditer(text, start, end), None]:
            stop = match.start() if match else end
            if not text[at:stop].strip():
                continue
            while stop - at > _LONGEST:
                cut = text.rfind(" ", at + 1, at + _LONGEST)
                cut = cut if cut > at else at + _LONGEST
                found.append((at, cut))
                at = cut
            found.append((at, stop))
            at = match.end() if match else stop
    return found


def _terms(texts: Sequence[str]) -> list[list[str]]:
    ids, offsets, names = _native.terms(list(texts))
    every = list(map(names.__getitem__, ids.tolist()))
    return [every[first:last] for first, last in pairwise(offsets.tolist())]


def contradictions(source: str, text: str) -> list[str]:
    """List the clauses of a text that say something else than the source, each once; O(characters).

    A clause does where it has a number that no clause of the source has; where what stands around a number,
    a path or a name stands around another one in the source; where several that nothing else tells apart come
    in another order; where it denies what the source says, or says what the source denies; and where a word
    stands in what the source says with its opposite (`opposites`), unless one of both is denied. Words alone
    are compared: what is told in quite other words is not found, in either direction.
    """
    original, short = _Text(source), _Text(text)
    found = [*_exchanged(original, short), *_denied(original, short), *_turned_round(original, short)]
    return list(dict.fromkeys(found))


def _exchanged(original: _Text, short: _Text) -> list[str]:
    found: list[str] = []
    open_: dict[str, list[tuple[str, str]]] = {}
    often: dict[str, int] = {}  # in the sentence that has it most
    for pieces in _groups(original.pieces, by_run=False):
        for word, times in _counts(pieces).items():
            often[word] = max(often.get(word, 0), times)
    for pieces in _groups(short.pieces, by_run=True):
        for word, times in _counts(pieces).items():
            if times > often.get(word, times) and _kind(word) == "number":
                found.append(next(piece.text for piece in pieces if word in piece.exact))
    last_clause = {word: piece.text for piece in short.pieces for word in piece.exact}
    for word, times in short.exact.items():
        if times <= original.exact.get(word, times) or _kind(word) != "number":
            continue
        _, others = original.alike(word, original.marks.get(word, set()))
        if any(short.exact.get(other, 0) < original.exact[other] for other in others):
            found.append(last_clause[word])

    @cache  # a clause that is repeated is compared once
    def likest(
        word: str, company: frozenset[str], names: frozenset[str], beside: frozenset[str]
    ) -> tuple[float, float]:
        """How much clauses with a word have in common with its own, and clauses with another of its kind."""
        here, there = 0.0, 0.0
        alike = original.likeness(company)
        original.add_beside(alike, beside)
        others = of_kind.get(_kind(word), set()) - names
        for place, much in alike.items():
            exact = original.pieces[place].exact
            if word in exact:
                here = max(here, much)
            elif not others.isdisjoint(exact):
                there = max(there, much)
        return here, there

    of_kind: dict[str, set[str]] = {}
    for word in original.exact:
        of_kind.setdefault(_kind(word), set()).add(word)
    before: dict[str, str] = {}  # kind -> the last word of it in this run
    for index, piece in enumerate(short.pieces):
        if piece.ends_run or (index and piece.sentence != short.pieces[index - 1].sentence):
            before = {}
        names = frozenset(piece.exact)
        for word, kind, marks in zip(piece.exact, piece.kinds, piece.marks, strict=True):
            if word not in original.where:
                if not has_word(original.tokens, word):
                    found.append(piece.text)
                continue
            last, before[kind] = before.get(kind), word
            company = piece.content - {word}
            beside = frozenset(short.beside(index) - {word}) if len(company) < _ALONE else frozenset()
            here, there = likest(word, company, names, beside)
            if there > _CLEARLY * here and len(company) >= _ALONE:
                found.append(piece.text)
                continue
            own = len(marks & original.marks.get(word, set()))
            once, twice = original.alike(word, marks)
            if twice and own < _BOTH:
                found.append(piece.text)
            elif there >= 0.99 * here > 0 or piece.kinds.count(kind) > 1:
                if own > (_BOTH if twice else bool(once)) or not (own or once):
                    continue
                open_.setdefault(kind, []).append((word, piece.text))
                if last not in (None, word) and _is_turned(original, last, word, last in piece.exact):
                    found.append(piece.text)
    for kind, words in open_.items():
        order = [word for piece in original.pieces for word in piece.exact if _kind(word) == kind]
        at = 0
        for word, clause in words:
            try:
                at = order.index(word, at)
            except ValueError:
                found.append(clause)
                break
    return found


def _is_turned(original: _Text, first: str, second: str, in_clause: bool) -> bool:
    """Say whether a source has two exact words in the other order only: in the clauses with both, where they
    stand in one clause, else anywhere."""
    places = [original.where.get(word, []) for word in (first, second)]
    if not all(places):
        return False
    few, many = sorted(places, key=len)
    both = [place for place in few if _among(place, many)] if in_clause and len(few) <= _LOOKED_AT else []
    clauses = [exact for place in both if {first, second} <= set(exact := original.pieces[place].exact)]
    if clauses:
        return not any(first in exact[: _last(exact, second)] for exact in clauses)
    return places[0][0] > places[1][-1]


def _among(place: int, places: Sequence[int]) -> bool:
    """Say whether a place is one of ascending ones. O(log)."""
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place


def _last(words: Sequence[str], word: str) -> int:
    return len(words) - 1 - list(reversed(words)).index(word)


def _groups(pieces: Sequence[_Piece], by_run: bool) -> list[list[_Piece]]:
    """Group clauses by sentence, or by what is between full stops, semicolons and ends of lines."""
    found: list[list[_Piece]] = []
    for piece in pieces:
        if not found or piece.sentence != found[-1][-1].sentence or (by_run and piece.ends_run):
            found.append([])
        found[-1].append(piece)
    return found


def has_word(tokens: Collection[str], word: str) -> bool:
    """Say whether some `word_tokens` hold an exact word, or all parts of a joined one ("read/write")."""
    if word in tokens or _AS_A_WHOLE.search(word):
        return word in tokens
    return all(part in tokens for part in _PART.findall(word))


def word_tokens(text: str) -> frozenset[str]:
    """The words of a text and their parts, in small letters; numbers only as `exact_words` writes them."""
    folded = text.casefold()
    words = (*_PART.findall(folded), *_TOKEN.findall(folded))
    return frozenset([*exact_words(text), *[word for word in words if not word[0].isdigit()]])


def _denied(original: _Text, short: _Text) -> list[str]:
    found = []
    known = {word for piece in original.pieces for word in piece.nearly}
    same: dict[frozenset[str], set[int]] = {}
    denials_of: dict[frozenset[str], set[int]] = {}  # the same without stop words
    for piece in original.pieces:
        same.setdefault(piece.all_words, set()).add(piece.denials)
        denials_of.setdefault(piece.content, set()).add(piece.denials)
    for piece in short.pieces:
        if (len(piece.all_words) < _ALONE and not piece.exact) or (
            not piece.denials and piece.nearly - known
        ):
            continue  # a label; perhaps what the source denies, in other words
        if (ways := same.get(piece.all_words)) is not None:  # the same words
            if piece.denials not in ways:
                found.append(piece.text)
            continue
        words = piece.content
        if len(words) >= _ALONE and piece.denials not in denials_of.get(words, {piece.denials}):
            found.append(piece.text)
            continue
        most = yes = no = 0.0
        for place, alike in original.likeness([*piece.words, *piece.exact]).items():
            other = original.pieces[place]
            much = alike * _closeness(piece, other)  # of two that are as like, the one with less beside it
            if (piece.denials + other.denials) % 2 and _says_opposite(piece, other):
                yes, no = (yes, max(no, much)) if piece.denials else (max(yes, much), no)
                most = max(most, much)
                continue  # "not enabled": "disabled"
            if piece.denials:
                shared = bool(piece.denied & other.denied) and other.denials >= piece.denials
                agrees = shared or (not other.denials and bool(other.nearly - piece.nearly))
            else:
                agrees = other.denials > 0 and 2 * len(other.denied & piece.content) >= len(other.denied) > 0
            if agrees:
                no = max(no, much)
            if not other.denials:
                yes = max(yes, much)
            most = max(most, much)
        if (piece.denials and most > _CLEARLY * no) or (not piece.denials and no > yes):
            found.append(piece.text)
    return found


def _says_opposite(piece: _Piece, other: _Piece) -> bool:
    """Say whether a clause has a word that says the opposite of one that only another clause has."""
    words, has = set(piece.plain), set(other.plain)
    return any(opposites_of(key) & (has - words) for key in words - has)


def _closeness(piece: _Piece, other: _Piece) -> float:
    """How little another clause has beside the words of a clause."""
    wanted = other.content
    covered = len(wanted & piece.content) / len(wanted) if wanted else 1.0
    both, either = piece.all_words & other.all_words, piece.all_words | other.all_words
    return 0.5 + 0.5 * covered + _ALL_WORDS * len(both) / max(len(either), 1)


def _turned_round(original: _Text, short: _Text) -> list[str]:
    """The clauses with a word whose opposite has the same words around it in the source, and it has not, or
    stands there more often than in the source, where the opposite is missing."""
    found = []
    turns_of: dict[str, Mapping[int, list[tuple[int, bool]]]] = {}
    for index, piece in enumerate(short.pieces):
        for at, key in enumerate(piece.plain):
            if piece.is_label or not (others := opposites_of(key) & original.where_plain.keys()):
                continue
            beside = piece.content - {key}
            in_clause, rest = bool(beside), beside or short.beside(index)
            own = opposite = 0.0
            if key not in turns_of:
                turns_of[key] = _turns(original, others, same_as(key))
            for place in _alike(original, rest, in_clause, turns_of[key]):
                other = original.pieces[place]
                share, wide = _fits(original, place, rest, in_clause)
                for spot, turns in turns_of[key][place]:
                    much = wide + _BESIDE * _neighbours(piece.plain, at, other.plain, spot)
                    if turns == bool((other.denials + piece.denials) % 2):  # "not enabled": "disabled"
                        own = max(own, much)
                    elif share >= _REST:
                        opposite = max(opposite, much)
            stands_for = short.times(key) > original.times(key) and any(
                short.times(other) < original.times(other) for other in others
            )
            if opposite > own or (stands_for and opposite == own > 0):
                found.append(piece.text)
                break
    return found


def _turns(original: _Text, others: Set[str], same: Set[str]) -> Mapping[int, list[tuple[int, bool]]]:
    """Clause -> its words that mean the same or the opposite: (index, whether it is the opposite)."""
    found: dict[int, list[tuple[int, bool]]] = {}
    for word in {*others, *same}:
        for place, at in original.where_plain.get(word, ()):
            found.setdefault(place, []).append((at, word in others))
    return found


def _alike(original: _Text, words: Set[str], in_clause: bool, among: Mapping[int, object]) -> Collection[int]:
    """Find clauses of `among` that share a word with `words`: at most `_LOOKED_AT`, the most similar.

    Where the words stood beside a clause, not in it: those that share one or stand beside one that does, all.
    """
    places = set().union(*(original.places(word) for word in words))
    if not in_clause:
        places = {place + step for place in places for step in (-1, 0, 1)}
    places &= among.keys()
    if not in_clause or len(places) <= _LOOKED_AT:
        return places
    likeness = original.likeness(words)  # a clause with all of the words is always among the likest
    return nsmallest(_LOOKED_AT, places, key=lambda place: (-likeness.get(place, 0.0), place))


def _fits(original: _Text, place: int, rest: Set[str], in_clause: bool) -> tuple[float, float]:
    """The share of some words that a clause has, and with half of what only the rest of its sentence has."""
    piece = original.pieces[place]
    has: Set[str] = piece.content if in_clause else piece.content | original.beside(place)
    share = len(rest & has) / max(len(rest), 1)
    around = len((rest & original.around[piece.sentence]) - has) / max(len(rest), 1)
    return share, share + 0.5 * around


def _neighbours(one: Sequence[str], at: int, two: Sequence[str], spot: int) -> int:
    """Count the sides of a word that have the same neighbour in two clauses."""
    before = at > 0 and spot > 0 and one[at - 1] == two[spot - 1]
    return before + (one[at + 1 : at + 2] == two[spot + 1 : spot + 2] != ())
