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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import pairwise, permutations
from typing import Any, NamedTuple

from tersely import _native
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.words import pattern, read_words

# --- words ---------------------------------------------------------------------------------------------

# What turns a word round -> the fewest letters of that word, so that "into" does not turn "to" round.
_PREFIXES = {"un": 3, "non": 3, "nicht": 3, "dis": 4, "de": 4, "in": 4, "im": 4, "ir": 4, "il": 4, "mis": 4}


def term_lists(texts: Sequence[str]) -> list[list[str]]:
    """List the terms of each text, in order. O(characters)."""
    ids, offsets, names = _native.terms(list(texts))
    every = list(map(names.__getitem__, ids.tolist()))
    return [every[first:last] for first, last in pairwise(offsets.tolist())]


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
_RUN = re.compile(r"(?:[^\s`'\"()\[\]{}<>,;!?|*“”‘’„…=]|(?<=\d),(?=\d{3}))+")
_EXACT = re.compile(r"\d|[/\\_]|::|\w\.\w|[a-z][A-Z]|[A-Z]{2}")
_PART = re.compile(r"[^\W_]+")
_TOKEN = re.compile(r"\w{1,99}(?:[.:]\w{1,99}){0,9}")
_AS_A_WHOLE = re.compile(r"^\d|\w[._]\w")  # numbers, names of files, identifiers: no parts are enough
_LETTERS = re.compile(r"[a-z_]{3}")  # with so many, it is no number
_SUFFIX = re.compile(r"\.[a-z]{1,5}$")
_LIST_MARK = re.compile(r"^[\s>#*•-]{0,8}\d{1,3}[.)]\s", re.MULTILINE)
_PLACE = re.compile(r"(?<=[^\d:]):(?=\d)")  # "a.py:12" is two words
_EDGES = ".:-–—#$€£~+&^%"


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
    for match in _RUN.finditer(text):
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


# --- clauses that say something else -------------------------------------------------------------------

_WORDS = re.compile(r"\w+")
_MARK = re.compile(r"\b(?!(?:are|is|was|were)\b)\w+")  # of words beside another one: what telegrams keep
_SIGN = re.compile(r"[ ]?([%°$€£])")  # of a unit behind a number
_DIRECTED = re.compile(r"\b(?:after|before|by|from|into|onto|over|than|to)\b", re.IGNORECASE)
_SIDE = 3  # words on each side of one that are compared
_LONGEST, _LABEL = 300, 3  # characters of a clause, and words of a label
_STANDS_FOR = frozenset({"one", "other"})  # a word of the clause before
_QUOTATION = re.compile(r"(?<!\w)'[^'\n]{2,80}'(?!\w)|\"[^\"\n]{2,80}\"|“[^”\n]{2,80}”")
_COMMON = 64  # a word that more clauses of a source have says little
_NEAR, _STEM = 24, 5  # characters: how far to look for the word beside another, and as much of it counts
_AHEAD = 4  # words behind a "not" that it denies
_CROSSED, _CROSSED_NEAR = 16, 4  # words of clauses that are looked at for what is crossed; how far apart
_FEW = 3  # clauses with a word that tells what stands with it


class _Piece(NamedTuple):
    """A clause."""

    text: str
    plain: tuple[str, ...]  # as `keys_of` writes them, in order, without those that deny
    exact: tuple[str, ...]  # its exact words, and the words right before and behind each
    marks: tuple[frozenset[str], ...]
    content: frozenset[str]  # all of these words, but stop words
    denied: frozenset[str]  # the words that it denies, how often it denies, its words that nearly do
    denials: int
    turns: int  # how often it denies outside of quotations
    nearly: frozenset[str]


class _Text:
    """A text as its clauses."""

    def __init__(self, text: str) -> None:
        self.pieces = _read_pieces(text)
        self.tokens = word_tokens(text)
        self.where = defaultdict[str, list[int]](list)  # word -> the clauses that have it
        for index, piece in enumerate(self.pieces):
            for word in piece.content:
                self.where[word].append(index)


def _likeness(index: Mapping[Any, list[int]], keys: Iterable[Any]) -> dict[int, float]:
    """Return how much each number of an index has in common with some keys; rare keys count most."""
    found = defaultdict[int, float](float)
    for key in sorted(keys):  # sums are the same for every hash seed
        places = index.get(key, ())
        for place in places if len(places) <= _COMMON else ():
            found[place] += 1.0 / len(places)
    return found


def _read_pieces(text: str) -> list[_Piece]:
    """Cut a text into its clauses, and read the words of each. O(characters)."""
    spans, exact = list(_clauses(text)), exact_spans(text)
    at, letters = [start for start, _, _ in exact], list(text)
    for start, end, _ in exact:
        letters[start:end] = " " * (end - start)
    blank = "".join(letters)
    inside = [exact[bisect_left(at, start) : bisect_left(at, end)] for start, end in spans]
    blanks = [blank[start:end] for start, end in spans]  # clauses without their exact words
    bare = [DENIES.sub(" ", blank) for blank in blanks]
    words = term_lists([*bare, *["".join(DENIES.split(blank, 1)[1:]) for blank in blanks]])
    plain = [_WORDS.findall(blank) for blank in bare]
    keys = keys_of([word for its in plain for word in its])
    found = []
    for number, ((start, end), blank, here, its) in enumerate(zip(spans, blanks, inside, plain, strict=True)):
        own, scope, names = words[number], words[len(spans) + number], [word for _, _, word in here]
        first = DENIES.search(text, start, end)
        columns = (
            text[start:end].strip(),
            tuple(map(keys.__getitem__, its)),
            tuple(names),
            tuple([_marks(text, *span[:2]) for span in here]),
            frozenset((*own, *names)),
            frozenset((scope or names + own)[:_AHEAD] if first else ()),
            len(DENIES.findall(blank)),
            len(DENIES.findall(_QUOTATION.sub(" ", blank))),
            frozenset(map(str.casefold, _NEARLY.findall(blank))),
        )
        found.append(tuple.__new__(_Piece, columns))  # as _Piece(...), without a Python call
    return found


def _marks(text: str, start: int, end: int) -> frozenset[str]:
    """Return the words before and behind an exact word, cut to their first letters."""
    before = _MARK.findall(text[max(start - _NEAR, 0) : start].casefold())
    sign, behind = _SIGN.match(text, end), _MARK.search(text[end : end + _NEAR].casefold())
    marks = [f"<{before[-1][:_STEM]}"] if before else []
    last = sign[1] if sign else behind[0][:_STEM] if behind else ""
    return frozenset([*marks, f">{last}"] if last else marks)


def _clauses(text: str) -> Iterator[tuple[int, int]]:
    """Cut sentences at punctuation and before conjunctions, whatever is between."""
    table = cut_up([text])
    for start, end in zip(table.start.tolist(), table.end.tolist(), strict=True):
        at = start
        for match in [*_BORDER.finditer(text, start, end), None]:
            stop = match.start() if match else end
            if not text[at:stop].strip():
                continue
            if match and text[stop] == ":" and text.count(" ", at, stop) < _LABEL:
                continue  # "Not fixed: the parser", "the parser: not fixed" say one thing
            while stop - at > _LONGEST:
                cut = text.rfind(" ", at + 1, at + _LONGEST)
                cut = cut if cut > at else at + _LONGEST
                yield at, cut
                at = cut
            yield at, stop
            at = match.end() if match else stop


def contradictions(source: str, text: str) -> list[str]:
    """List the clauses of a text that say something else than the source, each once; O(characters).

    A clause does where it has a number that no clause of the source has; where what stands around a
    number, a path, a name or a word with an opposite stands around another one in the source; where it denies
    what the source says, or says what the source denies; where two clauses near each other have each what
    the source says of the other; and where what stood before a word such as "into" stands behind it, and the
    other way round. Words alone are compared: what is told in quite other words is not found, in either
    direction.
    """
    original, short = _Text(source), _Text(text)
    checks = (_exchanged, _denied, _crossed, _reversed)
    return list(dict.fromkeys(clause for check in checks for clause in check(original, short)))


class _Telling(NamedTuple):
    """A word that must not be exchanged, and what stands around it."""

    word: str
    kind: str  # of exact words; "word": one with an opposite; "alone": the same, with no other in its clause
    piece: _Piece
    around: frozenset[str]

    @property
    def is_exact(self) -> bool:
        """Whether it is an exact word."""
        return self.kind not in ("word", "alone")


def _telling(text: _Text, wanted: Set[str]) -> Iterator[_Telling]:
    """Yield the exact words of a text, and its `wanted` words; around one alone are the clauses beside."""
    for index, piece in enumerate(text.pieces):
        for word, marks in zip(piece.exact, piece.marks, strict=True):
            kind = kind_of(word)
            others = {one for one in piece.exact if kind_of(one) == kind}
            yield _Telling(word, kind, piece, (piece.content - others) | marks)
        for word in [word for word in dict.fromkeys(piece.plain) if word in wanted]:
            if rest := piece.content - {word}:
                yield _Telling(word, "word", piece, rest)
            else:
                near = [one.content for one in text.pieces[max(index - 1, 0) : index + 2]]
                yield _Telling(word, "alone", piece, frozenset().union(*near) - {word})


def _exchanged(original: _Text, short: _Text) -> Iterator[str]:
    """Yield the clauses with a word that the source lacks, or has where another of its kind, or its opposite,
    stood with the same words around it."""
    here, there = (
        Counter([word for piece in text.pieces for word in (*piece.exact, *piece.plain)])
        for text in (short, original)
    )
    turned = {word for word in here if opposites_of(word) & there.keys()}
    wanted = {one for word in turned for one in (*opposites_of(word), *same_as(word))}
    known = list(_telling(original, wanted))
    index = defaultdict[tuple[str, str], list[int]](list)
    for number, one in enumerate(known):
        for word in one.around:
            index[one.kind, word].append(number)
    alike_words = defaultdict[str, list[tuple[str, str]]](list)
    for one in _telling(short, turned):
        if one.is_exact and one.word not in original.where:
            if not has_word(original.tokens, one.word):
                yield one.piece.text
            continue
        same, other, rival = 0.0, 0.0, one
        for number, much in _likeness(index, [(one.kind, word) for word in one.around]).items():
            agrees = _agrees(one, known[number])
            if agrees:
                same = max(same, much)
            elif agrees is not None and much > other:
                other, rival = much, known[number]
        stands_for = here[one.word] > there[one.word] and here[rival.word] < there[rival.word]
        shared = len(one.around & rival.around)
        is_near = shared > 1 or one.around <= rival.around if one.is_exact else 2 * shared >= len(one.around)
        if is_near and (other > same or (stands_for and other == same > 0)):
            yield one.piece.text
        elif one.is_exact and other == same > 0:
            alike_words[one.kind].append((one.word, one.piece.text))
    for kind, words in alike_words.items():  # nothing tells them apart but their order
        order = iter([word for piece in original.pieces for word in piece.exact if kind_of(word) == kind])
        yield from [clause for word, clause in words if word not in order][:1]


def _agrees(one: _Telling, other: _Telling) -> bool | None:
    """Say whether two words of one kind say the same, or different things; None: neither."""
    mine, its = one.piece, other.piece
    if one.is_exact:
        return one.word == other.word
    odd = bool((mine.turns + its.turns) % 2)  # "not enabled": "disabled"
    if other.word in same_as(one.word):
        return not odd
    if other.word not in opposites_of(one.word):
        return None
    return True if odd else None if one.word in its.plain or other.word in mine.plain else False


def _denied(original: _Text, short: _Text) -> Iterator[str]:
    """Yield the clauses that deny what the source says, or say what it denies."""
    known = {word for piece in original.pieces for word in piece.nearly}
    ways = defaultdict[frozenset[str], set[int]](set)  # words, with and without stop words -> denials
    for piece in original.pieces:
        for key in (frozenset((*piece.plain, *piece.exact)), piece.content):
            ways[key].add(piece.denials)
    for piece in short.pieces:
        if len(piece.plain) < 2 and not piece.exact:
            continue  # a label
        said = ways.get(frozenset((*piece.plain, *piece.exact)))
        said = said or (ways.get(piece.content) if len(piece.content) > 1 else None)
        if said:  # in the same words
            if piece.denials not in said:
                yield piece.text
            continue
        if not piece.denials and piece.nearly - known:
            continue  # perhaps what the source denies, in other words
        same = other = 0.0
        for place, much in _likeness(original.where, piece.content).items():
            its = original.pieces[place]
            differs = bool((piece.denials + its.denials) % 2)
            if not differs:
                differs = piece.denials > 0 and not (piece.denied & its.denied or _is_within(piece, its))
            elif _says_opposite(piece, its) or (piece.denials and its.nearly - piece.nearly):
                differs = False
            elif not piece.denials:
                differs = 2 * len(its.denied & piece.content) >= len(its.denied)
            same, other = (same, max(other, much)) if differs else (max(same, much), other)
        if other > same:
            yield piece.text


def _is_within(one: _Piece, other: _Piece) -> bool:
    """Say whether one of two clauses has no word but the other's: "the second is not"."""
    return one.content <= other.content or other.content - _STANDS_FOR <= one.content


def _says_opposite(one: _Piece, other: _Piece) -> bool:
    """Say whether a word that only one clause has is the opposite of one that only another has."""
    mine, its = set(one.plain), set(other.plain)
    return any(opposites_of(key) & (its - mine) for key in mine - its)


def _crossed(original: _Text, short: _Text) -> Iterator[str]:
    """Yield the clauses with two words that the source has in clauses with words of another one near it,
    crosswise: "A is red, B is green" as "A is green, B is red"."""
    contents = [piece.content for piece in original.pieces]
    # Word that few clauses of the source have -> those in these clauses.
    with_it = {
        word: set().union(*map(contents.__getitem__, at)) if len(at) > 1 else contents[at[0]]
        for word, at in original.where.items()
        if len(at) <= _FEW
    }
    for index, piece in enumerate(short.pieces):
        for other in short.pieces[index + 1 : index + 1 + _CROSSED_NEAR]:
            mine, theirs = piece.content - other.content, other.content - piece.content
            if len(mine) <= _CROSSED >= len(theirs) and _is_crossed(with_it, mine, theirs):
                yield piece.text


def _is_crossed(with_it: Mapping[str, Set[str]], mine: Set[str], theirs: Set[str]) -> bool:
    """Say whether two words of each are together only crosswise in the source."""
    ours, others = sorted(mine & with_it.keys()), theirs & with_it.keys()
    for one, two in permutations(ours, 2) if len(others) > 1 else ():
        if two in with_it[one]:
            continue
        third = with_it[one] & others
        if any(third - with_it[fourth] - {fourth} for fourth in with_it[two] & others):
            return True
    return False


def _reversed(original: _Text, short: _Text) -> Iterator[str]:
    """Yield the clauses with words on other sides of a directed word than in the source ("A into B")."""
    there = {sides for sides, _ in _sides(original)}
    for (word, one, two), clause in _sides(short):
        if (word, two, one) in there and (word, one, two) not in there:
            yield clause


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
