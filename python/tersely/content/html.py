"""HTML and XML: the text between the tags, compressed as text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tersely.content.page_text import PageText
from tersely.protocols import Strategy
from tersely.stages.count import count
from tersely.strategies.extractive import Extractive
from tersely.tables import Kind, SegmentTable
from tersely.types import Compressed, Document, Request, Span, Spans

__all__ = ["Html"]

_Places = tuple[tuple[int, int, int], ...]
_ROW = np.dtype(
    [
        ("document", np.int32),
        ("start", np.int64),
        ("end", np.int64),
        ("kind", np.uint8),
        ("code", np.uint8),
        ("score", np.float32),
        ("kept", np.bool_),
    ]
)


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
        pages = [PageText.read(text) for text in texts]
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


def _moved(spans: _Places, pages: Sequence[PageText]) -> _Places:
    """The spans in the pages' texts."""
    return tuple(
        (document, *place) for document, start, end in spans for place in pages[document].to_plain(start, end)
    )


def _in_source(
    result: Compressed, documents: tuple[Document, ...], pages: Sequence[PageText], original: int
) -> Compressed:
    """The result with spans of the source, in which what is no text is dropped too."""
    reasons = (*dict.fromkeys(_reasons(result.kept) + _reasons(result.dropped)), "markup")
    segments = np.concatenate([_rows(result.kept, reasons, True), _rows(result.dropped, reasons, False)])
    parts = []
    for index, page in enumerate(pages):
        mine = np.sort(segments[segments["document"] == index], order="start")
        row, start, end = page.to_source(mine["start"], mine["end"])
        text = mine[row]
        text["start"], text["end"] = start, end
        parts.append(
            np.sort(
                np.concatenate([text, _markup(documents[index].text, text, index, reasons)]), order="start"
            )
        )
    rows = np.concatenate(parts)
    size = len(rows)
    table = SegmentTable(
        document=rows["document"].copy(),
        start=rows["start"].copy(),
        end=rows["end"].copy(),
        kind=rows["kind"].copy(),
        block=np.arange(size, dtype=np.int32),
        heading=np.full(size, -1, dtype=np.int32),
    )
    code, score = rows["code"].copy(), rows["score"].copy()
    markup = int((code == len(reasons) - 1).sum())
    receipt = replace(
        result.receipt,
        original_tokens=original,
        reasons={**result.receipt.reasons, **({"dropped:markup": markup} if markup else {})},
        segments=result.receipt.segments + markup,
    )
    kept = Spans(table, np.flatnonzero(rows["kept"]), reasons, code, score)
    dropped = Spans(table, np.flatnonzero(~rows["kept"]), reasons, code, score)
    return Compressed(result.text, documents, kept, dropped, receipt, result.generated)


def _reasons(spans: Sequence[Span]) -> tuple[str, ...]:
    return spans.reasons if isinstance(spans, Spans) else tuple(span.reason for span in spans)


def _rows(spans: Sequence[Span], reasons: tuple[str, ...], kept: bool) -> npt.NDArray[np.void]:
    """Spans as an array of rows; `code` is the place of the reason in `reasons`."""
    rows = np.zeros(len(spans), dtype=_ROW)
    rows["kept"] = kept
    if isinstance(spans, Spans):
        for name in ("document", "start", "end", "kind"):
            rows[name] = getattr(spans.table, name)[spans.rows]
        places = np.array([reasons.index(reason) for reason in spans.reasons], dtype=np.uint8)
        rows["code"], rows["score"] = places[spans.codes[spans.rows]], spans.scores[spans.rows]
        return rows
    for number, span in enumerate(spans):
        place = reasons.index(span.reason)
        rows[number] = (span.document, span.start, span.end, span.kind, place, span.score, kept)
    return rows


def _markup(
    text: str, pieces: npt.NDArray[np.void], document: int, reasons: tuple[str, ...]
) -> npt.NDArray[np.void]:
    """Rows for what no piece covers, without white space around it."""
    begins = [0, *pieces["end"].tolist()]
    places = []
    for begin, end in zip(begins, [*pieces["start"].tolist(), len(text)], strict=True):
        gap = text[begin:end]
        if stripped := gap.strip():
            start = begin + len(gap) - len(gap.lstrip())
            places.append((document, start, start + len(stripped), Kind.CODE, len(reasons) - 1, 0.0, False))
    return np.array(places, dtype=_ROW)
