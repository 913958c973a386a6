"""Show the losses of a compaction on the report page: the old messages, kept or dropped."""

from __future__ import annotations

from tersely.agents.audit import Audit
from tersely.report.page import to_html
from tersely.report.views import make_receipt, rest_of
from tersely.types import Compressed, Document, Kind, Span


def audit_page(audit: Audit) -> str:
    """Return the page: lines of the new history as kept, lost statements as facts."""
    texts, made = audit.texts
    titles = [f"{number} {speaker}" for number, speaker in enumerate(audit.speakers)]
    documents = tuple(Document(text, title=title) for text, title in zip(texts, titles, strict=True))
    known = {line.strip() for line in made.splitlines()}
    kept: list[Span] = []
    dropped: list[Span] = []
    for number, text in enumerate(texts):
        places, at = [], 0
        for line in text.splitlines(keepends=True):
            if line.strip() in known:
                places.append((at, at + len(line)))
            at += len(line)
        kept += [Span(number, start, end, Kind.PROSE, "excerpt", 0.0) for start, end in places]
        dropped += [
            Span(number, *place, Kind.PROSE, "rewritten", 0.0) for place in rest_of(places, len(text))
        ]
    receipt = make_receipt(
        kept, dropped, original=0, budget=0, tokens=0, warnings=audit.warnings, facts=audit.facts
    )
    return to_html(Compressed(made, documents, kept, dropped, receipt))
