"""Find the statements of a history by kind, and those that a new history lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, compress, count, repeat
from operator import and_, attrgetter, truth

import numpy as np

from tersely.content.units import Bools
from tersely.engine.facts import fact_keys, find_facts, joined_facts, standing
from tersely.engine.reading import segment
from tersely.memory.messages import Entry, Piece
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
# What says that something is no longer as it was. Each way begins with a letter: most places are passed so.
_CHANGES = (
    r"\b(?:is now\b|are now\b|be now\b|we now\b|they now\b|i now\b|it now\b|'s now\b|'re now\b|can now\b"
    r"|may now\b|must now\b|should now\b|now(?<!right now)(?<=\w now)[.!]*$|not \S*[^\s.!][.!]*$"
    r"|now (?<!right now )(?:is|are|has|have|on|\w+[^\Ws]s)\b"
    r"|(?:from now on|starting now|starting today|as of now|as of today|instead|actually|corrections?"
    r"|updated?(?=\W| to)|has changed|have changed|chang(?:e|ed|ing) (?:it |that |this |the \w+ )?to"
    r"|moved (?:\w+ ){0,3}to|took over|the old|the previous|the former|new (?:\w+ ){1,2}(?:is|are|for)"
    r"|switch(?:ed)? (?:\w+ ){0,3}to|renamed|replace[sd]?|rather|revised|no longer"
    r"|any ?more|after all|ab jetzt|ab sofort|stattdessen|doch lieber|korrektur|nicht mehr"
    r"|geändert|désormais|finalement|plutôt|ahora|mejor|ya no|en lugar de)\b)"
)
# What says that an instruction or a wish holds no more.
_WITHDRAWS = (
    r"\b(?:forget (?:about|what|the|that|it|my)|never ?mind|ignore (?:what|my|the|that)|scratch that"
    r"|no longer|any ?more|doesn't matter|(?:may|can) (?:\w+ ){1,6}again"
    r"|(?:is|are|it's) (?:fine|ok|okay|allowed) (?:now|again|after all)|changed my mind|vergiss|nicht mehr"
    r"|oublie|olvida)\b"
)
# Words of orders that stand, without "must" or "not".
_ORDER = (
    r"always|only|never|make sure|be sure|ensure|keep|stop|treat|leave|avoid|careful|off[- ]limits"
    r"|hands[- ]off|read[- ]only|frozen|before you|before \w+ing|immer|nur|stets|keinesfalls"
    r"|lass(?:t|en sie)?|achten? (?:sie )?darauf|vermeiden?|stell(?:en sie)? sicher|toujours|seulement"
    r"|laissez?|évitez?|veillez? à|siempre|solo|deja|evita|evite|asegúrate|sempre|lascia|assicurati|deixe"
)
_PLEASE = r"(?:please|also|just|bitte|s'il (?:te|vous) plaît|por favor|per favore),? "
# Those that begin a sentence, or can hardly tell of something: a sentence that is an order for sure.
_ORDERING = (
    rf"\A(?:\W*(?:{_PLEASE})?(?:{_ORDER}),?(?: \S+){{2}}"
    r"|.*\b(?:off[- ]limits|hands[- ]off|read[- ]only|before you|be careful)\b).*\Z(?<![?:])"
)
# Words by which people say what is to hold from now on, without "must" or "not": wishes, conditions, who they
# are, beside standing orders and what is no longer as it was.
_WISHES = (
    r"\b(?:prefers?|preferences?|wish(?:es)?|wants?|needs?|remember|use|send|confidential|secret|deadline"
    r"|limit|cap|budget|rules(?=:?\W*\Z)|at most|at least|due|my name|call me|i am|i'm|we are|we're|allergic"
    r"|when(?:ever)? you|after you|if|unless|correction|update|changed? my mind|open questions?|bevorzuge"
    r"|möchte|brauche|ich bin|préfère|je suis|je veux|prefiero|quiero|soy|preferisco|voglio)\b"
)
# What people say of themselves.
_SELVES = r"\b(?:i|my|we|our|me|us|ich|wir|meine?|unsere?|je|nous|mon|notre|yo|nosotros|mi)\b"
# What begins with a verb, in languages whose verbs show it, and says how or when; in English an order by its
# form (`_DIRECTS`) that does.
_VERB_FIRST = (
    rf"\A\W*(?:{_PLEASE})?(?!(?:ich|du|er|sie|es|wir|ihr|man|das|der|die|dies\w*|je|tu|il|elle|on|nous"
    r"|vous|ce|yo|él|ella|el|la|los|las|le|les|lo|io|lui|lei|noi|eu|ele|ela|os?|as?|i|gli)\b)"
    r"[^\W\d][\w'-]+ (?:immer|nur|stets|toujours|seulement|siempre|solo|sempre"
    r"|(?:\S+ ){0,4}(?:bevor|avant de|antes de|prima di))\b[^?\n]*\Z"
)
_CONDITION = r"\A(?!\W*(?:{0}|this|that|it|there)\b)[^?]*\b(?:before|until|unless|first|prior to)\b[^?]*\Z"
_BOUND = (  # words that begin neither an order nor the name of a thing
    "i you he she it we they this that these those there here what which who whom whose when where why how"
    " is are was were be been being am do does did have has had can could will would shall should may might"
    " must and or but so because although though while since as if unless until than then yet nor either in"
    " on at by for from with about into onto over under between among through during after above below to of"
    " off out up down near behind beyond within without against toward towards upon per not just even still"
    " already again too very really quite rather maybe perhaps however therefore thus otherwise instead once"
    " soon now today yesterday tomorrow yes ok okay sure great thanks thank hello hi hey sorry well right"
    " good fine let let's"
).replace(" ", "|")
_OF_THINGS = (
    "the|an?|my|your|his|her|its|our|their|some|any|no|every|each|all|both|many|few|one|two|three|four"
)
# The same by the form of a sentence, without such words: an order (a verb and what it is of, "Leave port 9443
# alone"), a thing that is so in the present ("The table is off limits"), or a request. Questions are none.
_DIRECTS = (
    rf"(?:\A\W*|[,;:] |\b(?:and|so|please|then) )(?:{_PLEASE})?"
    rf"(?!(?:{_BOUND}|{_OF_THINGS}|more|most)\b)(?!\w\w+ing\b|\w*(?:ed|ly|s)\b)[a-z]{{2,12}} "
    r"(?:\w\S*(?<!ed) (?:to|from|before|until|without|unless|first)\b"
    rf"|{_OF_THINGS}|this|that|these|those|it|me|us|them|him|only|with|from|to|into|in|on|at|for|off|out|away"
    r"|clear|around|back|up|down|over|by|as|until|before|after|between)\b"
    r"(?:[^?\n]|\n(?! {4}))*(?<!:)\Z"
    rf"|(?:\A|, )(?!(?:{_BOUND})\b)\w[\w' ./-]{{1,59}} (?:is|are|stays?|remains?) [^?\n]{{2,90}}(?<!:)\Z"
    r"|, (?:please|bitte|s'il (?:te|vous) plaît|por favor|per favore)\W*\Z"
)
# How a sentence begins that says how work is to be done, and orders of languages that write no spaces between
# words or have the verb last.
_MANNERS = (
    rf"\A\W*(?:{_PLEASE})?(?:use|prefer|follow|stick to|respond|reply|answer|refer to"
    r"|call (?:me|him|her|it|us|them)|benutze|verwende|antworte|utilisez?|réponds|répondez|usa|responde|usate"
    r"|rispondi),?(?: \S+){2}[^?\n]*\Z"
)
_EASTERN = (  # each begins with a letter: so texts without these letters are passed at once
    r"(?:請(?<=\A.)(?!問)|请(?<=\A.)(?!问)|必ず|絶対に|常に|決して|てください|でください|必须|必須|务必|務必|一定要|不要"
    r"|请勿|請勿|切勿|禁止|始终|始終|只能|绝不|不得|不准|반드시|항상|절대|하지 ?[마말]|주세요|금지)"
    r"(?!.{0,120}(?:[か吗嗎까]\W?|[?？])\Z)"
)
# What tells why something is so, how it went, or what is left.
_CONCLUSIONS = (
    r"\b(?:because|due to|caused by|root cause|turns out|turned out|fixed|resolved|dropped|reverted|chose"
    r"|(?:decision|conclusion|cause|culprit|reason|bug|diagnosis|verdict|solution)(?: here)? (?:is|was)"
    r"|(?:decision|conclusion|cause|culprit|reason|bug|diagnosis|verdict|solution|fix|outcome)(?=:)"
    r"|(?:has|have) (?:\S+ ){1,3}now"
    r"|decided|instead of|blocked|remaining|still (?:missing|fails?|open)|works now|passes now|did not work"
    r"|does(?: not|n't) work|is (?:now )?(?:done|finished|ported)|are (?:now )?(?:done|finished|ported)"
    r"|was (?:now )?(?:done|finished|ported)|were (?:now )?(?:done|finished|ported)|\d+ (?:out )?of \d+"
    r"|weil|parce que|porque)\b"
)
# What is said to be polite, or to agree.
_POLITE = (
    r"\A\W*+(?:(?:yes|yep|yeah|no|ok|okay|sure|right|fine|great|perfect|good|sounds|hi|hello|hey|bye|thanks"
    r"|thank|you|so|very|much|please|go|ahead|proceed"
    r"|continue|continuing|done|got|it|that|is|all|for|your|the|help"
    r"|with|and|noted|acknowledged|understood|recorded|confirmed|agreed|welcome|plan|you're|will|do|of|course"
    r"|(?:(?:shall|should|may|can) (?:i|we)|do you want me to)(?: go on| start)?|anything else"
    r"|ja|nein|danke|bitte|gut|oui|non|merci|si|gracias|ciao)\b\W*+)++\Z"
)
# What words say of a sentence, in bits: it has a label; it is to hold from now on; something is no longer as
# it was; an instruction or a wish holds no more; it has a word of orders; it is an order for sure; it is one
# by its form, or tells how a thing is; it is of who says it; it asks; it is small talk; it tells what came of
# work.
LABELLED, STANDS, CHANGES, WITHDRAWS, ORDERS, SURELY, DIRECTS, SELVES, ASKS, POLITE, CONCLUDES = (
    1 << at for at in range(11)
)
PEOPLE, ASSISTANTS = 1 << 11, 1 << 12  # and whose words it was read as
CHANGE = re.compile(_CHANGES)  # in lower case, as those below
# (in whose words it is looked for, bits of a sentence that has it, bits without which it is not asked, it)
_PATTERNS = (
    (PEOPLE, CHANGES | STANDS, 0, CHANGE),
    (PEOPLE, ORDERS | STANDS, 0, re.compile(rf"\b(?:{_ORDER})\b")),
    (PEOPLE, STANDS, 0, re.compile(_WISHES)),
    (PEOPLE, WITHDRAWS, 0, re.compile(_WITHDRAWS)),
    (PEOPLE, SURELY, ORDERS, re.compile(_ORDERING, re.S)),
    (PEOPLE, ORDERS | STANDS | SURELY, 0, re.compile(_VERB_FIRST)),
    (PEOPLE, ORDERS | STANDS | SURELY, 0, re.compile(_EASTERN)),
    (PEOPLE, SURELY, 0, re.compile(_MANNERS)),
    (PEOPLE, DIRECTS, 0, re.compile(_DIRECTS)),
    (PEOPLE, SURELY, DIRECTS, re.compile(_CONDITION.format(_OF_THINGS))),
    (PEOPLE, SELVES, 0, re.compile(_SELVES)),
    (PEOPLE, ASKS, 0, re.compile(r"[?？]\Z")),
    (PEOPLE | ASSISTANTS, POLITE, 0, re.compile(_POLITE)),
    (ASSISTANTS, CONCLUDES, 0, re.compile(_CONCLUSIONS)),
)
BRIEF = 600  # characters up to which a text of people is what they say, and hardly what they pasted
SPEAKERS = ("system", "user", "assistant", "tool")
_SPEAKER = {name: number for number, name in enumerate(SPEAKERS)}
_LAST_OF_PROSE = int(Kind.LIST_ITEM)  # behind prose and headings; others are quoted, data or code
_NOBODY = SPEAKERS.index("tool")  # what has an unknown role is data
_PIECES, _ROLE = map(attrgetter, ("pieces", "role"))
_TEXT, _PIECE_KIND, _FAILED = map(attrgetter, ("text", "kind", "failed"))
_KIND_OF = {FactKind[name]: number for number, names in enumerate(KINDS.values()) for name in names.split()}
_KIND = np.array([_KIND_OF.get(kind, -1) for kind in FactKind])
_SAYS = {"instructions": ("system", "user"), "decisions": ("system", "user", "assistant")}  # who may
_MAY = np.array([[who in _SAYS.get(name, SPEAKERS) for who in SPEAKERS] for name in KINDS])


@dataclass(frozen=True, eq=False, slots=True)
class Statements:
    """The statements of a history, each once.

    Attributes:
        facts: what they are; `document` counts the pieces of all entries.
        kind: int64[n], a number in KINDS.
        speaker: int64[n], a number in SPEAKERS.
        stands: bool[n], whether the new history has one with the same key, or has it word for word.
    """

    facts: FactTable
    kind: Int64s
    speaker: Int64s
    stands: Bools


@dataclass(frozen=True, eq=False, slots=True)
class Transcript:
    """The texts of a history with their sentences and facts, read once for all that look at them.

    Attributes:
        pieces: of all entries, in order; the columns below are of these.
        texts, roles: what each says, and the role of its entry.
        owner: int64[pieces], the entry of each.
        told: int64[pieces], the number of its entry, where each quote in excerpts counts as one.
        people, talks: bool[pieces], texts that users, and assistants, say, not what they show or paste.
        failed: bool[pieces], results of calls that failed.
        table: the sentences; `document` is the number of a piece, as in `facts`.
        facts: numbers, names, instructions and the like.
        known: what words say of sentences (`marks_of`), as far as these were read.
    """

    pieces: list[Piece]
    texts: list[str]
    roles: list[str]
    owner: Int64s
    told: Int64s
    people: Bools
    talks: Bools
    failed: Bools
    table: SegmentTable
    facts: FactTable
    known: dict[str, int]

    def inside(self, places: tuple[Int64s, Int64s, Int64s]) -> Bools:
        """bool[facts]: whether each lies in one of some places (piece, start, end), which are in order."""
        document, low, high = places
        if not len(low):
            return np.zeros(len(self.facts), dtype=bool)
        first = np.array([0, *accumulate(map(len, self.texts))], dtype=np.int64)
        begin = first[self.facts.document]
        at = (first[document] + low).searchsorted(begin + self.facts.start, side="right") - 1
        inside: Bools = (at >= 0) & (begin + self.facts.end <= (first[document] + high)[at])
        return inside


def read_transcript(entries: Sequence[Entry], known: dict[str, int] | None = None) -> Transcript:
    """Read the texts of entries: sentences and facts, in one native pass each. O(characters)."""
    pieces = list(chain.from_iterable(map(_PIECES, entries)))
    texts = list(map(_TEXT, pieces))
    sizes = list(map(len, map(_PIECES, entries)))
    roles = list(chain.from_iterable(map(repeat, map(_ROLE, entries), sizes)))
    roles = [one.speaker.partition(" ")[0] or role for one, role in zip(pieces, roles, strict=True)]
    table = segment(texts)
    owner = np.arange(len(entries)).repeat(sizes)
    part = np.array([piece.part for piece in pieces], dtype=np.int64)
    told = np.zeros(len(owner), dtype=np.int64)
    told[1:] = ((owner[1:] != owner[:-1]) | (part[1:] != part[:-1])).cumsum()
    said = list(map("text".__eq__, map(_PIECE_KIND, pieces)))
    whose = ("user", "assistant")
    people, talks = (np.array(list(map(and_, map(one.__eq__, roles), said)), dtype=bool) for one in whose)
    failed = np.array(list(map(_FAILED, pieces)), dtype=bool)
    facts = find_facts(texts, table)
    known = {} if known is None else known
    return Transcript(pieces, texts, roles, owner, told, people, talks, failed, table, facts, known)


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
    order = rows[::-1] if newest else rows[speaker[rows].argsort(kind="stable")]
    _, first = np.unique(facts.key[order], return_index=True)
    chosen = np.zeros(len(facts), dtype=bool)
    chosen[order[first]] = True
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
    new = [one for one in dict.fromkeys(sentences) if not known.get(one, 0) & whose]
    lower = list(map(str.lower, new))
    bits = np.array([known.get(one, 0) | whose for one in new], dtype=np.int64)
    if whose == PEOPLE:
        bits |= np.array(list(map(truth, map(LABEL.match, new))), dtype=bool) * np.int64(LABELLED | STANDS)
    for of, adds, least, pattern in _PATTERNS:
        if of & whose:
            rows = (bits & least == least).nonzero()[0]
            found = map(pattern.search, map(lower.__getitem__, rows.tolist()))
            bits[rows[list(map(truth, found))]] |= adds
    known.update(zip(new, bits.tolist(), strict=True))
    return np.fromiter(map(known.__getitem__, sentences), dtype=np.int64, count=len(sentences))


def standing_sentences(texts: Sequence[str]) -> list[str]:
    """Return the sentences by which people say what is to hold, each once, in order. O(characters)."""
    table = segment(texts)
    facts = find_facts(texts, table)
    strong = set(facts.segment[IS_SENTENCE[facts.kind]].tolist())
    units = pieces(texts, table.document, table.start, table.end)
    stands = (marks_of(units, {}) & STANDS).tolist()
    return list(dict.fromkeys([one for at, one in enumerate(units) if at in strong or stands[at]]))
