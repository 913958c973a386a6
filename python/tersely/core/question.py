"""Read what a query asks for: its words without the request around them, and the kind of answer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["QUANTITY", "TIME", "Question", "is_english", "read_question"]

QUANTITY, TIME = 1, 2  # classes of terms, csrc/kernels/text/term_class.hpp

# Words that ask for something, whatever it is: they say nothing about the text that answers.
_REQUEST = re.compile(
    r"\b(?:answers?|according|context|describe|details?|discuss|documents?|explain|extract|find|following|give|"
    r"highlight|identify|list|mention(?:ed|s)?|parts?|passages?|please|provided?|questions?|relat(?:ed|ing|ion)|"
    r"show|stated?|summari[sz]e|tell|text)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:when|(?:what|which) (?:year|date|day|month|time|century|decade)|how (?:long ago|recently)|"
    r"wann|quand|cu[aá]ndo|quando|когда)\b|什么时候|何时|いつ|कब|متى",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"\b(?:how (?:many|much|old|tall|long|far|high|large|big|often|deep|fast|wide|heavy|likely)|"
    r"(?:what|which) (?:percent(?:age)?|number|amount|proportion|share|price|rate)|"
    r"wie ?viele?|combien|cu[aá]nt[oa]s?|quant[oiae]s?|сколько)\b|多少|几|いくつ|何人|कितन|كم",
    re.IGNORECASE,
)

_ENGLISH = re.compile(
    r"\b(?:the|of|is|are|was|were|what|which|who|how|does|did|do|when|where|why|and|to|for|with|by|from|that)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 4  # need no such word


@dataclass(frozen=True, slots=True)
class Question:
    """What a query asks for.

    Attributes:
        text: the query without words of request ("highlight", "please", "the following"); the query itself
            where nothing else is in it.
        answer: TIME for "when", QUANTITY for "how many", 0 where the question does not say.
    """

    text: str
    answer: int


@lru_cache(maxsize=16)  # a call reads its query where its terms are read, and where they are weighed
def read_question(query: str) -> Question:
    """Read a query; English request words, question words of eleven languages. O(characters)."""
    text = _REQUEST.sub(" ", query)
    answer = TIME if _TIME.search(query) else QUANTITY if _QUANTITY.search(query) else 0
    return Question(text if any(map(str.isalnum, text)) else query, answer)


@lru_cache(maxsize=16)
def is_english(query: str) -> bool:
    """Whether a query may be English: plain letters, with an English function word unless it is short."""
    if not query.isascii() and any(letter.isalpha() and not letter.isascii() for letter in query):
        return False
    return len(query.split()) <= _FEW_WORDS or _ENGLISH.search(query) is not None
