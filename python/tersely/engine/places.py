"""Find the places that callers name: what is pinned, and groups that stay or go together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from tersely import _native
from tersely.core import checks
from tersely.core.text import well_formed
from tersely.core.types import Document, Span

__all__ = ["found_in", "to_groups", "to_spans"]


def found_in(texts: Sequence[str], strings: Collection[str]) -> set[str]:
    """Return the strings that stand in one of the texts, which have no lone surrogates. O(characters)."""
    wanted = [one for one in dict.fromkeys(strings) if one and (one.isascii() or well_formed(one) == one)]
    found = _native.occurrences(list(texts), wanted)[0] if wanted else ()
    return {wanted[number] for number in np.unique(found).tolist()} | ({""} if texts else set())


def to_spans(
    spans: Any, documents: Sequence[Document], name: str = "pinned"
) -> tuple[tuple[int, int, int], ...]:
    """Return (document, start, end) of each place that a caller names.

    A place is a Span, a (start, end) of the only document, a (document, start, end), or a str, which stands
    for each of its occurrences, also where they overlap; those at the end of another str's are in it, and of
    them one is given. Raises TypeError for anything else and ValueError for a place that is not in the
    documents. O(characters and places).
    """
    if isinstance(spans, (tuple, list)) and not spans:
        return ()
    return _to_spans([spans], documents, name)[0]


def to_groups(groups: Any, documents: Sequence[Document]) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return groups of (document, start, end); each group is a list of what `to_spans` takes.

    Of a string in several groups, which belong together by it, all but one have one place.
    """
    if isinstance(groups, (tuple, list)) and not groups:
        return ()
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise TypeError(f"groups must be a list of lists of spans, not {type(groups).__name__}")
    result = _to_spans(list(groups), documents, "groups")
    if not all(result):
        raise ValueError("a group must have at least one span")
    return result


def _to_spans(
    lists: list[Any], documents: Sequence[Document], name: str
) -> tuple[tuple[tuple[int, int, int], ...], ...]:
    """Return the places of each list; all strings of all of them are looked for at once."""
    places: list[list[tuple[int, int, int]]] = []
    asked: dict[str, list[int]] = {}  # the lists of each string
    for one in lists:
        spans = [one] if isinstance(one, (str, Span)) else one
        if not isinstance(spans, Iterable):
            raise TypeError(f"{name} must be a list of spans or strings, not {type(spans).__name__}")
        found: list[tuple[int, int, int]] = []
        for item in spans:
            if not isinstance(item, str):
                found.append(_to_span(item, documents, name))
            elif item := checks.text(item, name):
                asked.setdefault(item, []).append(len(places))
            else:
                raise ValueError(f"{name}: a string must not be empty")
        places.append(found)
    strings = list(asked)
    absent = set(asked)
    columns = _native.occurrences([document.text for document in documents], strings) if asked else ()
    for string, *place in zip(*(column.tolist() for column in columns), strict=True):
        first, *others = asked[strings[string]]
        places[first].append((place[0], place[1], place[2]))
        if strings[string] in absent:
            absent.remove(strings[string])
            for other in others:
                places[other].append((place[0], place[1], place[2]))
    for text in asked:
        if text in absent:
            raise ValueError(f"{name}: {text[:60]!r} occurs in no document")
    return tuple(map(tuple, places))


def _to_span(item: Any, documents: Sequence[Document], name: str) -> tuple[int, int, int]:
    if isinstance(item, Span):
        item = (item.document, item.start, item.end)
    if (
        not isinstance(item, Sequence)
        or not all(isinstance(part, int) for part in item)
        or len(item) not in (2, 3)
    ):
        raise TypeError(
            f"{name}: a span must be (start, end), (document, start, end), a Span or a str, not {item!r}"
        )
    if len(item) == 2:
        if len(documents) != 1:
            raise ValueError(
                f"{name}: (start, end) needs exactly one document; there are {len(documents)}: name it"
            )
        item = (0, *item)
    document, start, end = item
    if not 0 <= document < len(documents):
        raise ValueError(f"{name}: there is no document {document}; there are {len(documents)}")
    if not 0 <= start < end <= len(documents[document].text):
        size = len(documents[document].text)
        raise ValueError(
            f"{name}: span ({start}, {end}) does not lie in document {document} of {size} characters"
        )
    return document, start, end
