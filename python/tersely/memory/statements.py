"""Find the statements of a history by kind, and those that a new history lacks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, count, repeat
from operator import attrgetter

import numpy as np

from tersely.content.units import Bools
from tersely.engine.facts import fact_keys, find_facts, joined_facts, standing
from tersely.engine.reading import segment
from tersely.memory.messages import Entry, Piece, calls_of
from tersely.memory.segments.words import finder, written
from tersely.types import FactKind, FactTable, Int64s, Kind, SegmentTable, pieces

#: Kinds of statements, those first whose loss costs most, and the kinds of facts that they are.
KINDS = {
    "instructions": "OBLIGATION NEGATION",
    "decisions": "DECISION",
    "errors": "ERROR",
    "paths": "PATH PATH_LINE",
    "facts": "NUMBER DATE VERSION NAME INLINE_CODE URL IDENTIFIER",
}
#: Kinds of facts that are clauses or sentences.
NUMBER = int(FactKind.NUMBER)
SENTENCES = (FactKind.OBLIGATION, FactKind.NEGATION, FactKind.DECISION)
IS_SENTENCE = np.array([kind in SENTENCES for kind in FactKind])  # by kind
# Words before a colon by which people say what kind of statement follows: "HARD CONSTRAINT: ", "NOTE: ".
LABEL = re.compile(r"\W{0,4}[A-Z][A-Z0-9_-]{1,40}(?: [A-Z0-9_-]{1,40}){0,3}\W?: ")
# What words say of a sentence, in bits: it has a label; it is to hold from now on; something is no longer as
# it was; an instruction or a wish holds no more; it has a word of orders; it is an order for sure; it is one
# by its form, or tells how a thing is; it is of who says it;
# it says of a thing what it is, or its limit; it asks; it is small talk; it tells what came of
# work.
(
    LABELLED,
    STANDS,
    CHANGES,
    WITHDRAWS,
    ORDERS,
    SURELY,
    DIRECTS,
    SELVES,
    STATES,
    ASKS,
    POLITE,
    CONCLUDES,
    ANNOUNCES,
) = (1 << at for at in range(13))
PEOPLE, ASSISTANTS = 1 << 13, 1 << 14  # and whose words it was read as
CHANGE = re.compile(written("changes"))  # in lower case, as those below
STATE = re.compile(written("states"), re.I)
# (in whose words it is looked for, bits of a sentence that has it, bits without which it is not asked, what
# finds it)
_PATTERNS = tuple(
    [
        (whose, bits, least, finder(section, flags))
        for whose, bits, least, section, flags in (
            (PEOPLE, CHANGES | STANDS, 0, "changes", 0),
            (PEOPLE, ORDERS | STANDS, 0, "has_order", 0),
            (PEOPLE, STANDS, 0, "wishes", 0),
            (PEOPLE, WITHDRAWS, 0, "withdraws", 0),
            (PEOPLE, SURELY, ORDERS, "surely_order", re.S),
            (PEOPLE, ORDERS | STANDS | SURELY, 0, "verb_first", 0),
            (PEOPLE, ORDERS | STANDS | SURELY, 0, "eastern", 0),
            (PEOPLE, SURELY, 0, "manners", 0),
            (PEOPLE, DIRECTS, 0, "directs", 0),
            (PEOPLE, DIRECTS, 0, "directs_behind", 0),
            (PEOPLE, SURELY, DIRECTS, "condition", 0),
            (PEOPLE, SELVES, 0, "selves", 0),
            (PEOPLE, STATES, 0, "states", 0),
            (PEOPLE | ASSISTANTS, ASKS, 0, "asks", 0),
            (PEOPLE | ASSISTANTS, POLITE, 0, "polite", 0),
            (ASSISTANTS, CONCLUDES, 0, "conclusions", 0),
            (ASSISTANTS, ANNOUNCES, 0, "announces", 0),
        )
    ]
)
_LEADS = finder("leads")  # in lower case
_CORE = 4  # words that stand behind it
BRIEF = 600  # characters up to which a text of people is what they say, and hardly what they pasted
# Names of tools whose results are what the user answers (AskUserQuestion), and how any other tells in its
# result what the user said.
_ASKS_PEOPLE = re.compile(
    r"(?:^|_|\b)ask(?![a-z])|(?<![a-z])(?:ask|request|prompt|wait_for|notify|confirm_with|interview)_?"
    r"(?:the_?)?(?:user|human|question|clarification|approval|feedback)|clarif|elicit|^question|follow_?up|"
    r"(?:user|human)_?(?:input|question|feedback|answer|approval)|^human$|attempt_completion|plan_?mode|"
    r"(?:exit|submit|present|suggest|propose|make)_?plan",
    re.I,
)
_TELLS_OF_PEOPLE = re.compile(
    r"<(?:user_)?(?:feedback|message|answer)>|"
    r"\bthe user (?:has )?(?:said|says|den|does(?:n't| not) want|reject|answer|repl|provided|wants|chose)",
    re.I,
)
_LONGEST_TOLD = 2000  # characters of such a result
SPEAKERS = ("system", "user", "assistant", "tool")
_SPEAKER = {name: number for number, name in enumerate(SPEAKERS)}
_LAST_OF_PROSE = int(Kind.LIST_ITEM)  # behind prose and headings; others are quoted, data or code
_NOBODY = SPEAKERS.index("tool")  # what has an unknown role is data
_PIECES, _ROLE = map(attrgetter, ("pieces", "role"))
_TEXT, _PIECE_KIND, _FAILED, _PART, _SPEAKER_OF = map(
    attrgetter, ("text", "kind", "failed", "part", "speaker")
)
_KIND_OF = {FactKind[name]: number for number, names in enumerate(KINDS.values()) for name in names.split()}
_KIND = np.array([_KIND_OF.get(kind, -1) for kind in FactKind])
_SAYS = {"instructions": ("system", "user"), "decisions": ("system", "user", "assistant")}  # who may
_MAY = np.array([[who in _SAYS.get(name, SPEAKERS) for who in SPEAKERS] for name in KINDS])


@dataclass(frozen=True, eq=False, slots=True)
class Statements:
    """The statements of a history, each once."""

    facts: FactTable  #: what they are; `document` counts the pieces of all entries
    kind: Int64s  #: int64[n], a number in KINDS
    speaker: Int64s  #: int64[n], a number in SPEAKERS
    stands: Bools  #: bool[n], whether the new history has one with the same key, or has it word for word


@dataclass(frozen=True, eq=False, slots=True)
class Transcript:
    """The texts of a history with their sentences and facts, read once for all that look at them."""

    pieces: list[Piece]  #: of all entries, in order; the columns below are of these
    texts: list[str]  #: with `roles`: what each says, and the role of its entry
    roles: list[str]
    length: Int64s  #: int64[pieces], characters of each text
    owner: Int64s  #: int64[pieces], the entry of each
    told: Int64s  #: int64[pieces], the number of its entry, where each quote in excerpts counts as one
    #: with `talks`: bool[pieces], texts that users (also as answers to a tool that asks them), and
    #: assistants, say, not what they show or paste
    people: Bools
    talks: Bools
    failed: Bools  #: bool[pieces], results of calls that failed
    table: SegmentTable  #: the sentences; `document` is the number of a piece, as in `facts`
    facts: FactTable  #: numbers, names, instructions and the like
    known: dict[str, int]  #: what words say of sentences (`marks_of`), as far as these were read

    def inside(self, places: tuple[Int64s, Int64s, Int64s]) -> Bools:
        """bool[facts]: whether each lies in one of some places (piece, start, end), which are in order."""
        document, low, high = places
        if not len(low):
            return np.zeros(len(self.facts), dtype=bool)
        first = self.length.cumsum() - self.length
        begin = first[self.facts.document]
        at = (first[document] + low).searchsorted(begin + self.facts.start, side="right") - 1
        inside: Bools = (at >= 0) & (begin + self.facts.end <= (first[document] + high)[at])
        return inside


def read_transcript(
    entries: Sequence[Entry],
    known: dict[str, int] | None = None,
    called: Mapping[str, str] | None = None,
) -> Transcript:
    """Read the texts of entries: sentences and facts, in one native pass each. O(characters).

    `called`: id of a call -> its name and arguments; None: as the entries make them. What a tool that asks
    the user gives is what people say.
    """
    pieces = list(chain.from_iterable(map(_PIECES, entries)))
    texts = list(map(_TEXT, pieces))
    sizes = list(map(len, map(_PIECES, entries)))
    length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    roles = list(chain.from_iterable(map(repeat, map(_ROLE, entries), sizes)))
    if any(map(_SPEAKER_OF, pieces)):
        roles = [one.speaker.partition(" ")[0] or role for one, role in zip(pieces, roles, strict=True)]
    table = segment(texts)
    owner = np.arange(len(entries)).repeat(sizes)
    part = np.fromiter(map(_PART, pieces), dtype=np.int64, count=len(pieces))
    told = np.zeros(len(owner), dtype=np.int64)
    told[1:] = ((owner[1:] != owner[:-1]) | (part[1:] != part[:-1])).cumsum()
    said = np.array(list(map("text".__eq__, map(_PIECE_KIND, pieces))), dtype=bool)
    people = said & np.array(list(map("user".__eq__, roles)), dtype=bool)
    talks = said & np.array(list(map("assistant".__eq__, roles)), dtype=bool)
    called = calls_of(entries) if called is None else called
    asking = {call for call, text in called.items() if _ASKS_PEOPLE.search(text.partition(" ")[0])}
    tells = [
        one.kind == "result" and size <= _LONGEST_TOLD
        and (one.call in asking or _TELLS_OF_PEOPLE.search(one.text) is not None)
        for size, one in zip(length.tolist(), pieces, strict=True)
    ]  # fmt: skip
    people |= np.array(tells, dtype=bool)
    failed = np.array(list(map(_FAILED, pieces)), dtype=bool)
    facts = find_facts(texts, table)
    known = {} if known is None else known
    return Transcript(pieces, texts, roles, length, owner, told, people, talks, failed, table, facts, known)


def stated_facts(transcript: Transcript, made: str) -> Bools:
    """bool[keys]: of each fact of a history, whether a text has one with the same key."""
    facts = transcript.facts
    there = set(fact_keys([made], find_facts([made], segment([made]))))
    has = np.zeros(facts.keys, dtype=bool)
    has[facts.key] = list(map(there.__contains__, fact_keys(transcript.texts, facts)))
    return has


def find_statements(transcript: Transcript, has: Bools, made: str, newest: bool = False) -> Statements:
    """Find the statements of a history, and which of them a new one has.

    `has`: bool[keys], facts that the new history, whose text is `made`, is known to have. Instructions are
    those of the user and the system; what tools say is no decision, and their numbers are rows of data. Of
    one that is stated several times: the first of who says it before others (SPEAKERS), or, if `newest`, the
    last. O(characters + facts log facts).
    """
    facts = _with_orders(transcript)
    if len(has) < facts.keys:
        has = np.concatenate((has, np.zeros(facts.keys - len(has), dtype=bool)))
    kind = _KIND[facts.kind]
    speaker = np.array([_SPEAKER.get(role, _NOBODY) for role in transcript.roles], dtype=np.int64)
    speaker = speaker[facts.document]
    shown = np.array(list(map("picture".__ne__, map(_PIECE_KIND, transcript.pieces))), dtype=bool)
    counts = (kind >= 0) & shown[facts.document] & _MAY[kind, speaker]
    counts &= (facts.kind != NUMBER) | (speaker != SPEAKERS.index("tool"))
    rows = counts.nonzero()[0]
    order = rows if newest else rows[speaker[rows].argsort(kind="stable")][::-1]
    last = np.full(facts.keys, -1, dtype=np.int64)
    last[facts.key[order]] = order
    chosen = np.zeros(len(facts), dtype=bool)
    chosen[last[last >= 0]] = True
    found = facts.rows(chosen)
    stands = has[found.key]
    gone = (~stands).nonzero()[0]
    said = [
        " ".join(text.casefold().strip("`").split())
        for text in pieces(transcript.texts, found.document[gone], found.start[gone], found.end[gone])
    ]
    stated = standing(" ".join(made.casefold().split()), said)
    stands[gone] = [text in stated for text in said]
    return Statements(found, kind[chosen], speaker[chosen], stands)


def _with_orders(transcript: Transcript) -> FactTable:
    """The facts, and as obligations the sentences of people and systems that order without "must" or "not".

    O(characters).
    """
    table, facts, texts = transcript.table, transcript.facts, transcript.texts
    says = transcript.people | np.array(list(map("system".__eq__, transcript.roles)), dtype=bool)
    open_ = says[table.document] & (table.kind <= _LAST_OF_PROSE) & (table.end - table.start <= BRIEF)
    open_[facts.segment[IS_SENTENCE[facts.kind]]] = False
    rows = open_.nonzero()[0]
    units = pieces(texts, table.document[rows], table.start[rows], table.end[rows])
    found = marks_of(units, transcript.known) & SURELY > 0
    orders = list(compress(units, found))
    if not orders:
        return facts
    keys = dict(zip(dict.fromkeys(orders), count(facts.keys), strict=False))
    key = list(map(keys.__getitem__, orders))
    rows = rows[found].astype(np.int32)
    more = FactTable(
        np.full(len(rows), FactKind.OBLIGATION, dtype=np.uint8), table.document[rows], table.start[rows],
        table.end[rows], rows, rows, np.array(key, dtype=np.int32), facts.keys + len(keys),
        np.ones(len(rows), dtype=np.float32),
    )  # fmt: skip
    return joined_facts(facts, more)


def marks_of(sentences: Sequence[str], known: dict[str, int], whose: int = PEOPLE) -> Int64s:
    """int64[sentences]: what words say of each, in bits (LABELLED, ...); `known`: the same by sentence.

    Sentences that are not known yet, as words of PEOPLE or ASSISTANTS, are read, once, and added.
    O(characters of these).
    """
    bits = np.fromiter(map(known.get, sentences, repeat(0)), dtype=np.int64, count=len(sentences))
    unread = bits & whose == 0
    if not (new := list(dict.fromkeys(compress(sentences, unread)))):
        return bits
    made = np.fromiter(map(known.get, new, repeat(0)), dtype=np.int64, count=len(new)) | whose
    if whose == PEOPLE:
        made[list(compress(count(), map(LABEL.match, new)))] |= LABELLED | STANDS
    lower = list(map(str.lower, new))
    for of, adds, least, find in _PATTERNS:
        if of & whose:
            rows = (made & least == least).nonzero()[0].tolist()
            made[list(compress(rows, map(find, map(lower.__getitem__, rows))))] |= adds
    known.update(zip(new, made.tolist(), strict=True))
    bits[unread] = list(map(known.__getitem__, compress(sentences, unread)))
    return bits


def led_into(sentences: Sequence[str]) -> Int64s:
    """Return how many characters of each sentence only lead into it: int64[sentences]. O(characters)."""
    found = np.zeros(len(sentences), dtype=np.int64)
    for at, lead in enumerate(map(_LEADS, map(str.lower, sentences))):
        if lead and (len(sentences[at][lead.end() :].split()) >= _CORE or not sentences[at].isascii()):
            found[at] = lead.end()
    return found


def learn(entries: Sequence[Entry], known: dict[str, int]) -> None:
    """Add what words say of the sentences of new messages to `known` (`marks_of`). O(characters)."""
    for whose, role in ((PEOPLE, "user"), (ASSISTANTS, "assistant")):
        said = [entry.pieces for entry in entries if entry.role == role]
        texts = [piece.text for piece in chain.from_iterable(said) if piece.kind == "text"]
        table = segment(texts)
        rows = (table.end - table.start <= BRIEF).nonzero()[0]
        marks_of(pieces(texts, table.document[rows], table.start[rows], table.end[rows]), known, whose)


def standing_sentences(texts: Sequence[str]) -> list[str]:
    """Return the sentences by which people say what is to hold, each once, in order. O(characters)."""
    table = segment(texts)
    facts = find_facts(texts, table)
    strong = set(facts.segment[IS_SENTENCE[facts.kind]].tolist())
    units = pieces(texts, table.document, table.start, table.end)
    stands = (marks_of(units, {}) & STANDS).tolist()
    return list(dict.fromkeys([one for at, one in enumerate(units) if at in strong or stands[at]]))
