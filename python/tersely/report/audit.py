"""Show the losses of a compaction on the report page: the old messages, kept or dropped."""

from __future__ import annotations

from tersely.agents.audit import Audit
from tersely.engine.reading import count_batch
from tersely.models.counters import resolve_counter
from tersely.report.page import to_html
from tersely.types import Compressed, Document, Kind, Receipt, Span, count_reasons


def audit_page(audit: Audit) -> str:
    """Return the page: lines of the new history as kept, lost statements as facts."""
    texts, made = audit.texts
    titles = [f"{number} {speaker}" for number, speaker in enumerate(audit.speakers)]
    documents = tuple(Document(text, title=title) for text, title in zip(texts, titles, strict=True))
    known = {line.strip() for line in made.splitlines()}
    kept: list[Span] = []
    dropped: list[Span] = []
    for number, text in enumerate(texts):
        at = 0
        for line in text.splitlines(keepends=True):
            stays = line.strip() in known
            some, reason = (kept, "excerpt") if stays else (dropped, "rewritten")
            some.append(Span(number, at, at + len(line), Kind.PROSE, reason, 0.0))
            at += len(line)
    tokens, *old = count_batch(resolve_counter(None), [made, *texts]).tolist()
    receipt = Receipt(
        original_tokens=sum(old),
        tokens=tokens,
        budget=0,
        counter="",
        segments=len(kept) + len(dropped),
        reasons=count_reasons(kept, dropped),
        recounts=0,
        warnings=audit.warnings,
        facts=audit.facts,
    )
    return to_html(Compressed(made, documents, kept, dropped, receipt))
