"""A query -> what it asks for: its words without the request around them, and the kind of answer."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["QUANTITY", "TIME", "Question", "read_question"]

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


def read_question(query: str) -> Question:
    """Read a query; English request words, question words of eleven languages. O(characters)."""
    text = _REQUEST.sub(" ", query)
    answer = TIME if _TIME.search(query) else QUANTITY if _QUANTITY.search(query) else 0
    return Question(text if any(map(str.isalnum, text)) else query, answer)
