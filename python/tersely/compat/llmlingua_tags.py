"""Read LLMLingua's tags: which parts of a text are compressed, and to which share."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tersely.core import checks

__all__ = ["StructuredPart", "read_structure"]

_TAG = re.compile(r"<llmlingua((?:\s{0,4},[^<>,]{1,60}){0,4})\s{0,4}>|</llmlingua>")


@dataclass(frozen=True, slots=True)
class StructuredPart:
    """A part of a tagged text.

    Attributes:
        text: without its tags.
        rate: the most of its tokens that may be left, in (0, 1]; 1 for one that stays.
    """

    text: str
    rate: float


def read_structure(text: str, rate: float) -> list[StructuredPart]:
    """Cut a text at its tags: "<llmlingua, rate=0.4>...</llmlingua>", "<llmlingua, compress=False>...".

    What stands in no tag, or in one without a rate, has `rate`. Raises ValueError for tags within tags, one
    that is not closed, and other words in one. O(characters).
    """
    parts: list[StructuredPart] = []
    at, inside, share = 0, False, rate
    for match in _TAG.finditer(text):
        opens = not match[0].startswith("</")
        if opens == inside:
            raise ValueError(f"the tag at character {match.start()} of a context {_WRONG[opens]}")
        parts.append(StructuredPart(text[at : match.start()], share))
        at, inside = match.end(), opens
        share = _share(match[1], rate) if opens else rate
    if inside:
        raise ValueError("a tag <llmlingua> of a context is not closed by </llmlingua>")
    parts.append(StructuredPart(text[at:], share))
    return [part for part in parts if part.text]


_WRONG = {True: "stands within another one", False: "closes none"}


def _share(options: str, rate: float) -> float:
    """Return the share that the options of a tag ask for."""
    for option in filter(None, (one.strip() for one in options.split(","))):
        name, _, value = (word.strip() for word in option.partition("="))
        if name == "compress" and value in ("True", "False"):
            if value == "False":
                return 1.0
        elif name == "rate":
            try:
                rate = checks.share(float(value), "rate")
            except ValueError as error:
                raise ValueError(f"the rate of a tag must lie in (0, 1], not {value!r}") from error
        else:
            raise ValueError(f"a tag may say rate=0.4, compress=True or compress=False, not {option!r}")
    return rate
