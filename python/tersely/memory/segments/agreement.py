"""Say where a shorter text says something else than its source: another number, a "not", an opposite.

What is compared are clauses, cut at punctuation and conjunctions, and their words: no pattern of clauses.py
has a part in it, so what those miss is not missed here. Words are compared as the terms of csrc/kernels/text
are: folded and stemmed, so that one form of a verb stands for all. A short table says what is opposite
(words.txt); where it is silent, a prefix that turns a word round ("unsupported") and the endings -ful, -less.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache
from heapq import nsmallest
from itertools import chain, pairwise, permutations
from typing import NamedTuple

from tersely import _native
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.words import pattern, read_words

# What turns a word round -> the fewest letters of that word, so that "into" does not turn "to" round.
_PREFIXES = {"un": 3, "non": 3, "nicht": 3, "dis": 4, "de": 4, "in": 4, "im": 4, "ir": 4, "il": 4, "mis": 4}


def keys_of(words: Iterable[str]) -> dict[str, str]:
    """Return word -> the form in which words are compared; O(characters)."""
    every = list(dict.fromkeys(words))
    found = zip(every, term_lists(every), strict=True)
    return {word: terms[0] if len(terms) == 1 else word.casefold() for word, terms in found}


@cache
def _table() -> tuple[Mapping[str, set[str]], Mapping[str, set[str]]]:
    """Key -> its opposites; key -> its synonyms of some line."""
    lines = [[side.split() for side in line.split("|")] for line in read_words("opposites")]
    keys = keys_of(word for sides in lines for side in sides for word in side)
    other, same = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for sides in lines:
        one, two = ({keys[word] for word in side} for side in sides)
        for side, turned in ((one, two), (two, one)):
            for key in side:
                other[key] |= turned
                same[key] |= side
    return other, same


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
    return frozenset((key, *_table()[1].get(key, ())))


DENIES, _NEARLY, _BORDER = pattern("denies"), pattern("nearly"), pattern("border")
_TO_DO = pattern("label_next")
_WORD = re.compile(r"(?:[^\s`'\"()\[\]{}<>,;!?|*“”‘’„…=]|(?<=\d),(?=\d{3}))+")
_EXACT = re.compile(r"\d|[/\\_]|::|\w\.\w|[a-z][A-Z]|[A-Z]{2}")
_PART = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w{1,99}(?:[.:]\w{1,99}){0,9}")
_AS_A_WHOLE = re.compile(r"^\d|\w[._]\w")  # numbers, names of files, identifiers: no parts are enough
_LETTERS = re.compile(r"[a-z_]{3}")  # with so many, it is no number
_SUFFIX = re.compile(r"\.[a-z]{1,5}$")
_ANY_WORD = re.compile(r"\w+")
_MARK = re.compile(r"\b(?!(?:are|is|was|were)\b)\w+")  # of words beside another one: what telegrams keep
_SIGN = re.compile(r"[ ]?([%°$€£])")  # of a unit behind a number
_LIST_MARK = re.compile(r"^[\s>#*•-]{0,8}\d{1,3}[.)]\s", re.MULTILINE)
_PLACE = re.compile(r"(?<=[^\d:]):(?=\d)")  # "a.py:12" is two words
_ENDS_DENIED = re.compile(r"(?:\bnot|n['’]t)\W*$")
_CONTRASTS = re.compile(r"\W*(?:but )?not (?:at|by|for|from|in|on|to|with)\b", re.IGNORECASE)
_DIRECTED = re.compile(r"\b(?:after|before|by|from|into|onto|over|than|to)\b", re.IGNORECASE)
_SIDE = 3  # words on each side of one that are compared
_STANDS_FOR = frozenset({"one", "other"})  # a word of the clause before
_QUOTATION = re.compile(r"(?<!\w)'[^'\n]{2,80}'(?!\w)|\"[^\"\n]{2,80}\"|“[^”\n]{2,80}”")
_EDGES = ".:-–—#$€£~+&^%"
_LONGEST = 300  # characters of a clause
_LABEL = 24  # and of a label, at most
_DENIED_AT_START = re.compile(rf"\s*(?:{DENIES.pattern})", re.IGNORECASE)
_LOOKED_AT = 64  # clauses of a source that share a word; a more common one says little
_ALONE = 2  # with fewer words beside it, a word is told by the clauses before and behind its own
_NEAR, _STEM = 24, 5  # characters: how far to look for the word beside another, and as much of it counts
_AHEAD = 4  # words behind a "not" that it denies
_BOTH = 2  # what stands before a word, and what stands behind it
_CLEARLY = 1.2  # times as much in common, before a clause is taken for another one
_REST = 0.5  # of the words beside a turned one, before a clause is taken for the same with its opposite
_CROSSED, _CROSSED_NEAR = 16, 4  # words of clauses that are looked at for what is crossed; how far apart
_FEW = 3  # clauses with a word that tells what stands with it


class _Piece(NamedTuple):
    """A clause."""

    text: str
    plain: tuple[str, ...]  # as `keys_of` writes them, in order, without those that deny
    exact: tuple[str, ...]  # its exact words; of which kind each is; what is right before and behind it
    kinds: tuple[str, ...]
    marks: tuple[frozenset[str], ...]
    content: frozenset[str]  # all of these words
    all_words: frozenset[str]  # as they are written, but those that deny
    denied: frozenset[str]  # the words that it denies, how often it denies, its words that nearly do
    denials: int
    turns: int  # the same without those in quotations
    nearly: frozenset[str]
    is_label: bool  # "Next", before a colon
    is_elliptic: bool  # "the second is not", "not on Windows": of what the clause before says


def exact_words(text: str) -> list[str]:
    """List the words that are the same in any wording, in order: numbers, paths, identifiers, codes.

    In small letters, without the marks around them; "a.py:12" is two. Numbers of list items are none.
    O(characters).
    """
    return [word for _, _, word in exact_spans(text)]


def exact_spans(text: str) -> list[tuple[int, int, str]]:
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
def kind_of(word: str) -> str:
    """Classify an exact word as number, path or other name; words of one kind can be exchanged."""
    if word[0].isdigit() and not _LETTERS.search(word):
        return "number"
    return "path" if "/" in word or _SUFFIX.search(word) else "name"


class _Text:
    """A text as its clauses."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = _read_pieces(text)
        self.where = defaultdict[str, list[int]](list)  # word -> the clauses that have it
        self.where_plain = defaultdict[str, list[tuple[int, int]]](list)  # -> (clause, index in its `plain`)
        self.marks = defaultdict[str, set[str]](set)  # exact word -> the marks beside it, in all its places
        self.marked = defaultdict[str, set[str]](set)  # kind and mark -> the exact words that it is beside
        for index, piece in enumerate(self.pieces):
            for word in piece.content:
                self.where[word].append(index)
            for at, key in enumerate(piece.plain):
                self.where_plain[key].append((index, at))
            for word, kind, marks in zip(piece.exact, piece.kinds, piece.marks, strict=True):
                self.marks[word] |= marks
                for mark in marks:
                    self.marked[kind + mark].add(word)

    @cached_property
    def tokens(self) -> frozenset[str]:
        """All its words and parts of them."""
        return word_tokens(self.text)

    def more(self, other: _Text, key: str) -> bool:
        """Say whether it has a plain word more often than another text."""
        return len(self.where_plain.get(key, ())) > len(other.where_plain.get(key, ()))

    def alike(self, word: str, marks: Set[str]) -> tuple[set[str], set[str]]:
        """Return the other exact words of its kind beside one of these marks, and those beside two.

        A mark beside many words tells nothing.
        """
        once: set[str] = set()
        twice: set[str] = set()
        for mark in marks:
            words = self.marked.get(kind_of(word) + mark, set())
            if len(words) <= _LOOKED_AT:
                twice |= once & words
                once |= words
        return once - {word}, twice - {word}

    def beside(self, index: int) -> set[str]:
        """The words of the clauses before and behind one."""
        near = [*self.pieces[max(index - 1, 0) : index], *self.pieces[index + 1 : index + 2]]
        return {word for piece in near for word in piece.content}

    def places(self, word: str) -> Sequence[int]:
        """The clauses with a word; none if more than `_LOOKED_AT` have it."""
        places = self.where.get(word, ())
        return places if len(places) <= _LOOKED_AT else ()

    def likeness(self, words: Collection[str]) -> dict[int, float]:
        """How much each clause has in common with some words: rare ones count most. Clauses with nothing in
        common are left out."""
        found: dict[int, float] = {}
        for word in sorted(words):  # sums are the same for every hash seed
            places = self.places(word)
            for place in places:
                found[place] = found.get(place, 0.0) + 1.0 / len(places)
        return found


def _marks(text: str, exact: Sequence[tuple[int, int, str]]) -> list[frozenset[str]]:
    """Return the words before and behind each exact word, cut to their first letters."""
    found = []
    for start, end, _ in exact:
        marks = set()
        if before := _MARK.findall(text[max(start - _NEAR, 0) : start].casefold()):
            marks.add(f"<{before[-1][:_STEM]}")
        if sign := _SIGN.match(text, end):
            marks.add(f">{sign[1]}")
        elif behind := _MARK.search(text[end : end + _NEAR].casefold()):
            marks.add(f">{behind[0][:_STEM]}")
        found.append(frozenset(marks))
    return found


def _read_pieces(text: str) -> list[_Piece]:
    """Cut a text into its clauses, and read the words of each. O(characters)."""
    table = cut_up([text])
    sentences = table.start.tolist()
    spans = _clauses(text, zip(sentences, table.end.tolist(), strict=True))
    exact = exact_spans(text)
    starts, every = [start for start, _, _ in exact], [word for _, _, word in exact]
    marks = _marks(text, exact)
    rows, blanks = [], []
    for start, end in spans:
        blank, last = "", start  # the clause without its exact words
        here = slice(bisect_left(starts, start), bisect_left(starts, end))
        for begin, stop, _ in exact[here]:
            blank, last = f"{blank}{text[last:begin]} ", min(stop, end)
        rows.append(here)
        blanks.append(blank + text[last:end])
    bare = [DENIES.sub(" ", blank) for blank in blanks]
    words = term_lists([*bare, *["".join(DENIES.split(blank, 1)[1:]) for blank in blanks]])
    plain = [_ANY_WORD.findall(blank) for blank in bare]
    keys = keys_of(chain.from_iterable(plain))
    found: list[_Piece] = []
    ahead = frozenset[str]()  # a label of what is still to do speaks for the clause behind it
    for (start, end), blank, here, own, scope, its in zip(
        spans, blanks, rows, words, words[len(rows) :], plain, strict=False
    ):
        names, piece, denials = every[here], text[start:end].strip(), len(DENIES.findall(blank))
        first = DENIES.search(text, start, end)
        behind = every[bisect_left(starts, first.end()) : here.stop] if first else []
        columns = (
            piece,
            tuple(map(keys.__getitem__, its)),
            tuple(names),
            tuple(map(kind_of, names)),
            tuple(marks[here]),
            frozenset((*own, *names)),
            frozenset(_ANY_WORD.findall(DENIES.sub(" ", piece.casefold()))),
            frozenset((behind + scope or names + own)[:_AHEAD] if denials else ()),
            denials,
            denials - len(DENIES.findall(" ".join(_QUOTATION.findall(blank)))),
            frozenset(map(str.casefold, _NEARLY.findall(blank))) | ahead,
            text.startswith(":", end) and len(its) < _ALONE,
            bool(own or names) and bool(_ENDS_DENIED.search(piece) or _CONTRASTS.match(piece)),
        )
        is_ahead = text.startswith(":", end) and len(piece) < _LABEL and _TO_DO.search(piece)
        ahead = frozenset((piece.casefold(),)) if is_ahead else frozenset()
        found.append(tuple.__new__(_Piece, columns))  # as _Piece(...), without a Python call
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
            is_label = match and text[stop] == ":" and stop - at < _LABEL
            if is_label and (
                _DENIED_AT_START.match(text, at, stop) or _DENIED_AT_START.match(text, stop + 1, end)
            ):
                continue  # "Not fixed: the parser", "the parser: not fixed" deny as one
            while stop - at > _LONGEST:
                cut = text.rfind(" ", at + 1, at + _LONGEST)
                cut = cut if cut > at else at + _LONGEST
                found.append((at, cut))
                at = cut
            found.append((at, stop))
            at = match.end() if match else stop
    return found


def term_lists(texts: Sequence[str]) -> list[list[str]]:
    """List the terms of each text, in order. O(characters)."""
    ids, offsets, names = _native.terms(list(texts))
    every = list(map(names.__getitem__, ids.tolist()))
    return [every[first:last] for first, last in pairwise(offsets.tolist())]


def contradictions(source: str, text: str) -> list[str]:
    """List the clauses of a text that say something else than the source, each once; O(characters).

    A clause does where it has a number that no clause of the source has; where what stands around a
    number, a path or a name stands around another one in the source; where several that nothing else
    tells apart come in another order; where it denies what the source says, or says what the source
    denies; where a word stands in what the source says with its opposite (`opposites`), unless one of
    both is denied; where two clauses near each other have each what the source says of the other; and
    where what stood before a word such as "into" stands behind it, and the other way round.
    Words alone are compared: what is told in quite other words is not found, in either direction.
    """
    original, short = _Text(source), _Text(text)
    checks = (_exchanged, _denied, _turned_round, _crossed, _reversed)
    return list(dict.fromkeys(clause for check in checks for clause in check(original, short)))


def _exchanged(original: _Text, short: _Text) -> list[str]:
    """The clauses with an exact word that the source lacks, or has where another one stood;
    and those with several that nothing tells apart in another order."""
    found: list[str] = []
    open_ = defaultdict[str, list[tuple[str, str]]](list)
    had, has = (
        Counter([word for piece in text.pieces for word in piece.exact]) for text in (original, short)
    )
    for piece in short.pieces:
        for word, kind, marks in zip(piece.exact, piece.kinds, piece.marks, strict=True):
            if word not in original.where:
                if not has_word(original.tokens, word):
                    found.append(piece.text)
                continue
            shared = marks & original.marks[word]
            once, twice = original.alike(word, marks)
            here = there = 0.0  # how like the clauses with the word are, and those with another of its kind
            for place, much in (
                original.likeness(piece.content - {word}).items() if len(piece.content) > _ALONE else ()
            ):
                exact, kinds = original.pieces[place].exact, original.pieces[place].kinds
                if word in exact:
                    here = max(here, much)
                elif kind in kinds and set(exact).isdisjoint(piece.exact):
                    there = max(there, much)
            stands_for = has[word] > had[word] and any(has[other] < had[other] for other in twice)
            if stands_for or there > _CLEARLY * here or (twice and len(shared) < _BOTH):
                found.append(piece.text)
            elif once and (twice or len(shared) < _BOTH):
                unit = "".join(mark for mark in shared if mark[0] == ">")
                open_[kind + unit].append((word, piece.text))
    for words in open_.values():
        kind = kind_of(words[0][0])
        order = [word for piece in original.pieces for word in piece.exact if kind_of(word) == kind]
        at = 0
        for word, clause in words:
            try:
                at = order.index(word, at)
            except ValueError:
                found.append(clause)
                break
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
    contents = [piece.content for piece in original.pieces]
    ways = defaultdict[frozenset[str], set[int]](set)  # words, with and without stop words -> denials
    for piece in original.pieces:
        for key in () if _ENDS_DENIED.search(piece.text) else (piece.all_words, piece.content):
            ways[key].add(piece.denials)
    for piece in short.pieces:
        if (len(piece.all_words) < _ALONE and not piece.exact) or (
            not piece.denials and piece.nearly - known
        ):
            continue  # a label; perhaps what the source denies, in other words
        words = piece.content
        if piece.all_words in ways or (len(words) >= _ALONE and words in ways):  # the same words
            if piece.denials not in ways[piece.all_words if piece.all_words in ways else words]:
                found.append(piece.text)
            continue
        most = yes = no = 0.0
        for place, much in original.likeness(words).items():
            other = original.pieces[place]
            if (piece.denials + other.denials) % 2 and _says_opposite(set(piece.plain), set(other.plain)):
                yes, no = (yes, max(no, much)) if piece.denials else (max(yes, much), no)
                most = max(most, much)
                continue  # "not enabled": "disabled"
            if other.is_elliptic and other.content - _STANDS_FOR <= words:  # "..., the second is not"
                if not piece.denials and words.isdisjoint(contents[max(place - 1, 0)] - other.content):
                    continue  # it speaks of something else
                most = yes = 0.0
                no = 0.0 if piece.denials else 1.0
                break
            if piece.denials:
                shared = bool(piece.denied & other.denied) or (piece.is_elliptic and words <= other.content)
                shared = shared and other.denials >= piece.denials
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


def _says_opposite(words: Set[str], others: Set[str]) -> bool:
    """Say whether a word that only one clause has is the opposite of one that only another has."""
    return any(opposites_of(key) & (others - words) for key in words - others)


def _turned_round(original: _Text, short: _Text) -> list[str]:
    """The clauses with a word whose opposite has the same words around it in the source, and it has not."""
    found = []
    for index, piece in enumerate(short.pieces):
        for key in () if piece.is_label else piece.plain:
            others = opposites_of(key) & original.where_plain.keys()
            own_words = piece.content - {key}
            in_clause, rest = bool(own_words), own_words or short.beside(index)
            own = opposite = 0.0
            for place in _alike(original, rest, in_clause) if others else ():
                other = original.pieces[place]
                has = other.content if in_clause else other.content | original.beside(place)
                share = len(rest & has) / max(len(rest), 1)
                both = key in other.plain or not others & {*other.plain} & {*piece.plain}
                for word in {*other.plain} & {*same_as(key), *(others if both else ())}:
                    if (word in others) == bool((other.turns + piece.turns) % 2):  # "not enabled": "disabled"
                        own = max(own, share)
                    elif share >= _REST and (in_clause or other.content <= {word}):
                        opposite = max(opposite, share)
            stands_for = short.more(original, key) and any(original.more(short, other) for other in others)
            if opposite > own or (stands_for and opposite == own > 0):
                found.append(piece.text)
                break
    return found


def _alike(original: _Text, words: Set[str], in_clause: bool) -> Collection[int]:
    """Find clauses that share a word with `words`: at most `_LOOKED_AT`, the most similar; where the words
    stood beside a clause, not in it, those beside such ones, too."""
    likeness = original.likeness(words)  # a clause with all of the words is always among the likest
    places = nsmallest(_LOOKED_AT, likeness, key=lambda place: (-likeness[place], place))
    if in_clause:
        return places
    near = {place + step for place in places for step in (-1, 0, 1)}
    return sorted(near & set(range(len(original.pieces))))


def _crossed(original: _Text, short: _Text) -> list[str]:
    """The clauses with two words that the source has in clauses with words of another one near it, crosswise:
    "A is red, B is green" as "A is green, B is red"."""
    contents = [piece.content for piece in original.pieces]
    # Word that few clauses of the source have -> those in these clauses.
    with_it = {
        word: set().union(*map(contents.__getitem__, at)) if len(at) > 1 else contents[at[0]]
        for word, at in original.where.items()
        if len(at) <= _FEW
    }
    said: list[tuple[str, frozenset[str]]] = []  # "Anna: chemistry" as one
    label: frozenset[str] = frozenset()
    for piece in short.pieces:
        if not piece.is_label:
            said.append((piece.text, piece.content | label))
        label = piece.content if piece.is_label else frozenset()
    found = []
    for index, (text, words) in enumerate(said):
        for _, others in said[index + 1 : index + 1 + _CROSSED_NEAR]:
            mine, theirs = words - others, others - words
            if len(mine) <= _CROSSED >= len(theirs) and _is_crossed(with_it, mine, theirs):
                found.append(text)
    return found


def _is_crossed(with_it: Mapping[str, Set[str]], mine: Set[str], theirs: Set[str]) -> bool:
    """Say whether two words of each are together only crosswise in the source."""
    ours, others = sorted(mine & with_it.keys()), theirs & with_it.keys()
    for one, two in permutations(ours, 2) if len(others) >= _BOTH else ():
        if two in with_it[one]:
            continue
        third = with_it[one] & others
        for fourth in sorted(with_it[two] & others):
            if third - with_it[fourth] - {fourth}:
                return True
    return False


def _reversed(original: _Text, short: _Text) -> list[str]:
    """The clauses with words on other sides of a directed word than in the source: "A into B", "B into A"."""
    there = dict(_sides(original))
    return [
        clause
        for (word, one, two), clause in _sides(short)
        if (word, two, one) in there and (word, one, two) not in there
    ]


def _sides(text: _Text) -> list[tuple[tuple[str, str, str], str]]:
    """List pairs of words around directed words: (that word, one before it, one behind it), its clause."""
    found = [(piece.text, match) for piece in text.pieces for match in _DIRECTED.finditer(piece.text)]
    sides = term_lists([side for clause, at in found for side in (clause[: at.start()], clause[at.end() :])])
    return [
        ((at[0].casefold(), one, two), clause)
        for (clause, at), left, right in zip(found, sides[::2], sides[1::2], strict=True)
        for one in left[-_SIDE:]
        for two in right[:_SIDE]
    ]
