"""HTML and XML: the text between the tags, compressed as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tersely import _native
from tersely.protocols import Strategy
from tersely.stages.count import count
from tersely.strategies.extractive import Extractive
from tersely.tables import Int64s, Kind
from tersely.types import Compressed, Document, Request, Span

__all__ = ["Html"]

_GLUE = ("", " ", "\t", "\n", "\n\n")  # by Glue of csrc/kernels/content/html_text.hpp
_Spans = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Html:
    """Keeps the text of a page: tags, scripts, styles and comments go first, then navigation, then sentences.

    The text stays as it is written, references such as `&amp;` included; where tags stood, there is white
    space as they mean it (a tab between cells, a line a list item or row, a blank line between blocks).
    `kept` are pieces of the source; everything else is in `dropped`, markup with the reason "markup".

    Navigation, footers, asides and the controls of forms are left out where there is other text. Pages that
    fit the budget stay as they are.

    Attributes:
        text: compresses what is left.
    """

    text: Strategy = field(default_factory=Extractive)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        A page without text, or a pin or group that touches none of it, makes all of it be compressed as text
        (warning "markup_kept"). Raises BudgetExceededError when pinned content, or the smallest piece of any,
        does not fit. O(characters).
        """
        texts = [document.text for document in request.documents]
        original = count(request.counter, request.separator.join(texts))
        budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
        pages = [_Page.read(text) for text in texts]
        spans = [request.pinned, *request.groups]
        moved = [_moved(part, pages) for part in spans]
        lost = any(part and not found for part, found in zip(spans, moved, strict=True))
        if original <= budget or lost or not any(page.plain for page in pages):
            result = self.text.compress(request)
            if original <= budget:
                return result
            warnings = (*result.receipt.warnings, "markup_kept")
            return replace(result, receipt=replace(result.receipt, warnings=warnings))
        documents = tuple(
            replace(document, text=page.plain)
            for document, page in zip(request.documents, pages, strict=True)
        )
        plain = replace(request, documents=documents, budget=budget, pinned=moved[0], groups=tuple(moved[1:]))
        return _in_source(self.text.compress(plain), request.documents, pages, original)


@dataclass(frozen=True, eq=False, slots=True)
class _Page:
    """A page's text, and where its pieces stand in the source and in the text."""

    plain: str
    start: Int64s  # in the source
    end: Int64s
    at: Int64s  # in the text

    @staticmethod
    def read(text: str) -> _Page:
        start, end, glue, aside = _native.html_texts([text])
        if not aside.all():
            stays = np.flatnonzero(aside == 0)
            first_out = np.concatenate(([0], stays[:-1] + 1))  # of what is left out before each
            glue = np.maximum.reduceat(glue[: stays[-1] + 1], first_out) if len(stays) else glue
            start, end = start[stays], end[stays]
        parts: list[str] = []
        for number, (first, last, before) in enumerate(
            zip(start.tolist(), end.tolist(), glue.tolist(), strict=True)
        ):
            parts += [_GLUE[before] if number else "", text[first:last]]
        sizes = np.array([len(part) for part in parts], dtype=np.int64)
        return _Page("".join(parts), start, end, np.cumsum(sizes)[0::2] if len(sizes) else start)

    def to_plain(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The characters of the text that show [first, last) of the source."""
        for row in range(*_overlapping(self.start, self.end, first, last)):
            shift = int(self.at[row] - self.start[row])
            yield max(first, int(self.start[row])) + shift, min(last, int(self.end[row])) + shift

    def to_source(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The pieces of the source that [first, last) of the text is made of."""
        ends = self.at + (self.end - self.start)
        for row in range(*_overlapping(self.at, ends, first, last)):
            shift = int(self.start[row] - self.at[row])
            yield max(first, int(self.at[row])) + shift, min(last, int(ends[row])) + shift


def _overlapping(start: Int64s, end: Int64s, first: int, last: int) -> tuple[int, int]:
    low = int(np.searchsorted(end, first, side="right"))
    return low, max(low, int(np.searchsorted(start, last, side="left")))


def _moved(spans: _Spans, pages: Sequence[_Page]) -> _Spans:
    """The spans in the pages' texts."""
    return tuple(
        (document, *place) for document, start, end in spans for place in pages[document].to_plain(start, end)
    )


def _in_source(
    result: Compressed, documents: tuple[Document, ...], pages: Sequence[_Page], original: int
) -> Compressed:
    """The result with spans of the source, in which what is no text is dropped too."""
    kept = _pieces(result.kept, pages)
    dropped = _pieces(result.dropped, pages)
    found = sorted([*kept, *dropped], key=lambda span: (span.document, span.start))
    markup = list(_between(found, documents))
    everything = sorted([*dropped, *markup], key=lambda span: (span.document, span.start))
    reasons = dict(result.receipt.reasons)
    if markup:
        reasons["dropped:markup"] = len(markup)
    receipt = replace(
        result.receipt,
        original_tokens=original,
        reasons=reasons,
        segments=result.receipt.segments + len(markup),
    )
    return Compressed(result.text, documents, kept, everything, receipt, result.generated)


def _pieces(spans: Sequence[Span], pages: Sequence[_Page]) -> list[Span]:
    return [
        replace(span, start=start, end=end)
        for span in spans
        for start, end in pages[span.document].to_source(span.start, span.end)
    ]


def _between(spans: Sequence[Span], documents: Sequence[Document]) -> Iterator[Span]:
    """What no span covers, without white space around it."""
    after = [0] * len(documents)
    ends = [
        Span(index, len(document.text), len(document.text), Kind.CODE, "", 0.0)
        for index, document in enumerate(documents)
    ]
    for span in sorted([*spans, *ends], key=lambda span: (span.document, span.start)):
        text = documents[span.document].text
        start, end = after[span.document], span.start
        piece = text[start:end]
        if stripped := piece.strip():
            start += len(piece) - len(piece.lstrip())
            yield Span(span.document, start, start + len(stripped), Kind.CODE, "markup", 0.0)
        after[span.document] = span.end
