"""What was made of the documents of a call -> a `CompressionResult`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tersely.relevance.scores import RelevanceScore, to_uuid
from tersely.retrieval.contextual.call import Call, Made, Outcome
from tersely.retrieval.contextual.choice import CODES, FIRST_KEPT
from tersely.retrieval.contextual.results import (
    CompressedDocument,
    CompressionResult,
    DroppedDocument,
    SegmentRef,
)
from tersely.retrieval.contextual.settings import CompressionStrategy
from tersely.tables import Kind, UInt8s
from tersely.types import Spans

__all__ = ["to_result"]

_REWRITTEN = CODES.index("rewritten")


def to_result(
    call: Call,
    outcome: Outcome,
    relevance: Sequence[RelevanceScore],
    reason: str | None,
    warnings: Sequence[str],
) -> CompressionResult:
    """The result. `relevance`: the scores to report. `reason`, `warnings`: of the scoring."""
    cut = any(one.extract or one.summary for one in outcome.made.values())
    codes = np.zeros(len(call.reading.table) if cut else 0, dtype=np.uint8)  # of all rows
    compressed = tuple(_document(call, index, outcome.made[index], codes) for index in sorted(outcome.made))
    dropped = tuple(
        DroppedDocument(
            call.chunks[index].id,
            index,
            int(call.sizes[index]),
            float(call.scores[index]),
            _reason(call, index),
        )
        for index in range(len(call.chunks))
        if index not in outcome.made
    )
    before, after = int(call.sizes.sum()), sum(document.token_count for document in compressed)
    used = [0] * len(call.chunks)
    for document in compressed:
        used[document.index] = document.token_count
    said = [*warnings, *(warning for document in compressed for warning in document.warnings)]
    said += ["documents_dropped"] if dropped else []
    said += ["nothing_relevant"] if call.query and len(call.chunks) and not call.relevant.any() else []
    reasons = [document.fallback_reason for document in compressed if document.fallback_reason]
    strategy = call.strategy or call.config.default_strategy
    if strategy is CompressionStrategy.PASSTHROUGH and any(one.extract for one in outcome.made.values()):
        strategy = CompressionStrategy.EXTRACTIVE
    return CompressionResult(
        original_documents=call.chunks,
        compressed_documents=compressed,
        original_token_count=before,
        compressed_token_count=after,
        compression_ratio=after / before if before else 1.0,
        strategy_used=strategy,
        relevance_scores=relevance,
        dropped_documents=dropped,
        usage=call.manager.usage(outcome.plan, used, outcome.used),
        used_llm=any(document.used_llm for document in compressed),
        fallback_reason=reason or next(iter(reasons), None),
        warnings=tuple(dict.fromkeys(said)),
        separator=call.separator,
    )


def _reason(call: Call, index: int) -> str:
    if not call.chunks[index].content.strip():
        return "empty"
    if not call.relevant[index]:
        return "irrelevant"
    if not call.live[index]:
        return "budget"
    reading = call.reading
    first, last = reading.rows(index)
    out = set(reading.status[first:last].tolist())
    return "duplicate" if out == {CODES.index("duplicate")} else "budget"


def _document(call: Call, index: int, made: Made, codes: UInt8s) -> CompressedDocument:
    kept, dropped = _spans(call, index, made, codes)
    summary = made.summary
    return CompressedDocument(
        original_id=to_uuid(call.chunks[index].id),
        content=made.text,
        token_count=made.tokens,
        compression_method=made.method,
        preserved_segments=kept,
        relevance_score=float(call.scores[index]),
        index=index,
        dropped_segments=dropped,
        generated=((0, summary.written),) if summary else (),
        used_llm=summary is not None,
        fallback_reason=made.fallback,
        warnings=_warnings(made),
        unsupported_facts=summary.unsupported_facts if summary else (),
    )


def _warnings(made: Made) -> tuple[str, ...]:
    if made.summary is not None:
        return made.summary.warnings
    return ("segment_cut",) if made.extract is not None and made.extract.cut is not None else ()


def _spans(
    call: Call, index: int, made: Made, codes: UInt8s
) -> tuple[Sequence[SegmentRef], Sequence[SegmentRef]]:
    """What of the document stands in its text, and what does not."""
    text = call.documents[index].text
    if made.extract is None and made.summary is None:
        return (SegmentRef(index, 0, len(text), Kind.PROSE, "fits", float(call.scores[index])),), ()
    reading = call.reading
    first, last = reading.rows(index)
    codes[first:last] = _codes(call, made, first, last)
    inside = codes[first:last] >= FIRST_KEPT
    kept = Spans(reading.table, first + inside.nonzero()[0], CODES, codes, reading.scores)
    dropped = Spans(reading.table, first + (~inside).nonzero()[0], CODES, codes, reading.scores)
    cut = made.extract.cut if made.extract is not None and made.summary is None else None
    if cut is None:
        return kept, dropped
    head, rest = replace(kept[0], end=cut), replace(kept[0], start=cut)
    return (head,), sorted([*dropped, rest], key=lambda span: span.start)


def _codes(call: Call, made: Made, first: int, last: int) -> UInt8s:
    if made.summary is None:
        assert made.extract is not None
        return made.extract.status
    table = call.reading.table
    codes = np.full(last - first, _REWRITTEN, dtype=np.uint8)
    if made.extract is not None:  # the model read these only
        read = made.extract.status >= FIRST_KEPT
        codes[~read] = made.extract.status[~read]
    filled = {start for start, _ in made.summary.filled}
    for row in range(first, last):
        if int(table.start[row]) in filled:
            codes[row - first] = CODES.index("selected")
    return codes
