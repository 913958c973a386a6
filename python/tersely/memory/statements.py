"""Find the statements of a history by kind, and those that a new history lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tersely import _native
from tersely.content.units import Bools
from tersely.engine.facts import TextIndex, find_facts
from tersely.engine.reading import segment
from tersely.memory.messages import Entry
from tersely.types import FactKind, FactTable, Int64s, pieces

#: Kinds of statements, those first whose loss costs most, and the kinds of facts that they are.
KINDS = {
    "instructions": "OBLIGATION NEGATION",
    "decisions": "DECISION",
    "errors": "ERROR",
    "paths": "PATH PATH_LINE",
    "facts": "NUMBER DATE VERSION NAME INLINE_CODE URL IDENTIFIER",
}
#: Kinds of facts that are clauses or sentences.
SENTENCES = (FactKind.OBLIGATION, FactKind.NEGATION, FactKind.DECISION)
IS_SENTENCE = np.array([kind in SENTENCES for kind in FactKind])  # by kind
# Words by which people say what is to hold from now on, without "must" or "not": wishes, standing orders,
# conditions, who they are.
STANDING = re.compile(
    r"\b(?:prefers?|preferences?|rather|wish(?:es)?|wants?|needs?|always|only|never|from now on|make sure"
    r"|be sure|ensure|keep|stop|treat|remember|leave|use|send|confidential|secret|deadline|limit|cap|budget"
    r"|at most|at least|due|my name|call me|i am|i'm|we are|we're|allergic|when(?:ever)? you|before you"
    r"|after you|if|unless|instead|actually|correction|update|changed? my mind|open questions?|immer|nur"
    r"|bevorzuge|möchte|brauche|ich bin|toujours|seulement|préfère|je suis|je veux|siempre|solo|prefiero"
    r"|quiero|soy|sempre|preferisco|voglio)\b",
    re.I,
)
# Words before a colon by which people say what kind of statement follows: "HARD CONSTRAINT: ", "NOTE: ".
LABEL = re.compile(r"\W{0,4}[A-Z][A-Z0-9_-]{1,40}(?: [A-Z0-9_-]{1,40}){0,3}\W?: ")
BRIEF = 600  # characters up to which a text of people is what they say, and hardly what they pasted
SPEAKERS = ("system", "user", "assistant", "tool")
_NOBODY = SPEAKERS.index("tool")  # what has an unknown role is data
_WORD = re.compile(r"\w")
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


def find_statements(entries: Sequence[Entry], made: str, newest: bool = False) -> Statements:
    """Find the statements of entries, and which of them `made`, a new history's text, has.

    Instructions are those of the user and the system; what tools say is no decision, and their numbers are
    rows of data. Of one that is stated several times: the first of who says it before others (SPEAKERS), or,
    if `newest`, the last. One native pass: O(characters + facts log facts).
    """
    texts = [piece.text for entry in entries for piece in entry.pieces]
    known = {name: number for number, name in enumerate(SPEAKERS)}
    who = [known.get(entry.role, _NOBODY) for entry in entries for _ in entry.pieces]
    facts = find_facts([*texts, made], segment([*texts, made]))
    kind = _KIND[facts.kind]
    has = np.zeros(facts.keys, dtype=bool)
    has[facts.key[facts.document == len(texts)]] = True
    speaker = np.array([*who, 0])[facts.document]
    shown = np.array([piece.kind != "picture" for entry in entries for piece in entry.pieces] + [False])
    counts = (kind >= 0) & shown[facts.document] & _MAY[kind, speaker]
    counts &= (facts.kind != FactKind.NUMBER) | (speaker != SPEAKERS.index("tool"))
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
        for text in pieces(texts, found.document[gone], found.start[gone], found.end[gone])
    ]
    stated = stated_lines(" ".join(made.casefold().split()), said)
    stands[gone] = [text in stated for text in said]
    return Statements(found, kind[chosen], speaker[chosen], stands)


def standing_sentences(texts: Sequence[str]) -> list[str]:
    """Return the sentences by which people say what is to hold, each once, in order. O(characters)."""
    table = segment(texts)
    facts = find_facts(texts, table)
    strong = set(facts.segment[IS_SENTENCE[facts.kind]].tolist())
    units = pieces(texts, table.document, table.start, table.end)
    return list(dict.fromkeys([one for at, one in enumerate(units) if at in strong or STANDING.search(one)]))


def stated_lines(text: str, lines: Sequence[str]) -> set[str]:
    """Return those of some lines that a text has word for word, as lines or within them. O(characters)."""
    found = {line for line in lines if _WORD.search(line)}
    whole = found.intersection(map(str.strip, text.split("\n")))
    parts = sorted(found - whole)
    if not parts:
        return whole
    number, _, start, end = _native.occurrences([text], parts)
    alone = _stand_alone(text, start, end)
    whole.update([parts[one] for one in set(number[alone].tolist())])
    left = {parts[one] for one in set(number[~alone].tolist())} - whole
    if left:  # perhaps within a longer one of them
        stands = TextIndex(text).stands
        whole.update([part for part in left if stands(part)])
    return whole


def _stand_alone(text: str, start: Int64s, end: Int64s) -> Bools:
    """bool[n]: whether each place is no part of a longer word or number, as `stands_alone` has it."""
    codes = np.frombuffer(f"  {text}  ".encode("utf-32-le"), dtype="<u4")
    places = np.stack((start, start + 1, start + 2, end + 1, end + 2, end + 3))
    known, number = np.unique(codes[places], return_inverse=True)
    signs, number = list(map(chr, known.tolist())), number.reshape(places.shape)
    letter = np.array(list(map(str.isalnum, signs)), dtype=bool)[number]
    digit = np.array(list(map(str.isdigit, signs)), dtype=bool)[number]
    point = np.array(list(map(".,".__contains__, signs)), dtype=bool)[number]
    percent = np.array(list(map("%".__eq__, signs)), dtype=bool)[number]
    inside = (letter[1] & letter[2]) | (letter[4] & letter[3])
    inside |= (digit[2] & point[1] & digit[0]) | (digit[3] & point[4] & digit[5])
    alone: Bools = ~(inside | (digit[3] & percent[4]))
    return alone
