"""English clauses of an agent's notes, and what each says: what is done, current, next, wrong, decided.

The words are lists of this file; a text in another language has clauses of the role OTHER only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from tersely.stages.segment import segment

__all__ = ["Clause", "Role", "capitalized", "read_clauses", "stripped"]


class Role(Enum):
    """What a clause says."""

    DECISION = "decision"
    REJECTED = "rejected"  # what was not chosen
    NEXT = "next"
    ACTIVE = "active"
    ERROR = "error"
    DONE = "done"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Clause:
    """`text` is `source[start:start + len(text)]`."""

    role: Role
    text: str
    start: int


_DOING = (
    r"(?:edit|work|debugg|runn|creat|mov|implement|writ|fix|handl|add|refactor|test|investigat|look|review|build|updat|chang"
    r"|deal|continu|try|migrat|remov)(?:t?)ing"
)
_I_AM = r"(?:i['’]m|i am|we['’]re|we are|i['’]ve been|i have been|we['’]ve been|we have been)"
_PATTERNS: tuple[tuple[Role, re.Pattern[str]], ...] = tuple(
    (role, re.compile(pattern, re.IGNORECASE))
    for role, pattern in (
        (
            Role.DECISION,
            r"\b(?:decided|decision|agreed|chose|chosen|settled on|going with|opted|we['’]ll go with)\b",
        ),
        (Role.REJECTED, r"^(?:the )?(?:other |alternative|rejected|instead of)|\balternatives?\b"),
        (
            Role.NEXT,
            r"^(?:and |then )?next\b|\bnext (?:step|up|task|i|we)\b|\bneeds? to be\b"
            r"|\b(?:i|we|i['’]m|we['’]re|still|now|then)(?: \w+){0,2}"
            r" (?:need|have|want|plan|planning|going) to\b"
            r"|^(?:need|have|left|yet|still|going) to\b|\b(?:left|remains|yet) to (?:be|do)\b"
            r"|^to[- ]?do\b|^(?:remaining|pending)\b|\bis pending\b|\bstill (?:missing|open|pending)\b"
            r"|\b(?:i|we)(?:['’]ll| will| must| should)\b",
        ),
        (
            Role.ACTIVE,
            r"\bcurrently\b|^current(?: task| work| state)? ?:"
            r"|\bright now\b|\bat the moment\b|\bin the middle of\b"
            rf"|\b{_I_AM} (?:\w+ )?{_DOING}\b"
            rf"|\b(?:i['’]m|i am|now) (?:currently )?(?:at|in|on) |\b(?:i['’]ve|i have) reached\b|^{_DOING}\b"
            rf"|\b(?:now|still) {_DOING}\b",
        ),
        (
            Role.DONE,
            r"\b(?:fixed|fixing|finished|completed|done|resolved|implemented|added|merged|closed|solved|removed"
            r"|renamed|refactored|wrote|updated|replaced|the fix (?:was|is))\b",
        ),
        (
            Role.ERROR,
            r"\berrors?\b|\bexceptions?\b|\btraceback\b|\bfail(?:ed|s|ure|ures|ing)\b|\bcrash(?:ed|es)?\b|\bpanic"
            r"|\w(?:Error|Exception)\b",
        ),
    )
)
_TELLS_ERROR = re.compile(  # an error that is told, rather than spoken about
    r"\b(?:last|latest|error message|following|encountered|got|getting|hit|saw|raised|throws?|threw)\b"
    r".{0,60}?\b(?:error|exception|failure)"
    r"|\berror (?:message )?(?:was|is)\b.{0,3}['\"`‘“]|^(?:the )?(?:last )?error\b ?[:=]"
    r"|\b\w{1,60}(?:Error|Exception)\b ?:",
    re.IGNORECASE,
)
_CUT = re.compile(
    r"[,;]\s+(?:and\s+|but\s+|so\s+)?(?=(?:now|next|then|still need|need to|i|i['’]m|i['’]ve|we|we['’]re)\s)",
    re.IGNORECASE,
)
_OPENINGS = re.compile(
    r"(?:(?:so|and|but|then|well|okay|ok|also|now|next|currently|specifically|basically|actually|additionally"
    r"|right now|at the moment|as of now|for now|after that|finally|first|just|already|still)\b[,:]?\s+"
    rf"|{_I_AM}\s+|(?:i['’]ve|i have|we['’]ve|we have|i|we)\s+|(?:been|working on|work on)\s+"
    r"|(?:(?:need|needs|have|has|going|plan|planning|want|wants) to|will|must|should|['’]ll)\s+"
    r"|(?:next step is|next up is|next up|current(?: task)?|done|fixed|todo|to do|next|status)"
    r"\s*:\s*(?:to )?)",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"\b(?:basically|actually|really|simply|essentially|obviously|of course|as you know|i think|in fact"
    r"|to be honest|kind of|sort of|needless to say)\b,?\s+",
    re.IGNORECASE,
)
_LONGEST = 600  # characters of a sentence that are read as clauses; longer ones are data


def read_clauses(text: str) -> list[Clause]:
    """The clauses of a text, in order. O(characters)."""
    table = segment([text])
    found = []
    for start, end in zip(table.start.tolist(), table.end.tolist(), strict=True):
        sentence = text[start:end]
        if end - start > _LONGEST:
            found.append(Clause(Role.OTHER, sentence, start))
            continue
        at = 0
        for cut in [*_CUT.finditer(sentence), None]:
            piece = sentence[at : cut.start() if cut else len(sentence)]
            lead = len(piece) - len(piece.lstrip(' \t\r\n-*•>"“'))
            piece = piece.strip(' \t\r\n-*•>"“”')
            if piece:
                found.append(Clause(_role(piece), piece, start + at + lead))
            at = cut.end() if cut else at
    return found


def _role(clause: str) -> Role:
    clause = " ".join(clause.split())
    if _TELLS_ERROR.search(clause) and not _PATTERNS[2][1].search(clause):
        return Role.ERROR
    return next((role for role, pattern in _PATTERNS if pattern.search(clause)), Role.OTHER)


def stripped(clause: str, inner: bool = False) -> str:
    """A clause without the words it opens with ("I'm currently", "Now I need to") and the stop at its end.

    What is left is a piece of the clause; with `inner`, fillers inside it are gone as well.
    """
    text = clause.strip()
    while match := _OPENINGS.match(text):
        if match.end() >= len(text):
            break
        text = text[match.end() :]
    if inner:
        text = _FILLER.sub("", text)
    return text.rstrip(" .;,:!…") if not text.endswith("...") else text


def capitalized(text: str) -> str:
    """The text with a capital first letter, unless its first word is code or a path."""
    first = text.split(" ", 1)[0]
    plain = first.replace("-", "").rstrip(".,:;!?…")
    return text[:1].upper() + text[1:] if plain.isalpha() else text
