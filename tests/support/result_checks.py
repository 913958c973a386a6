"""What a caller can count of a result; all else that is promised, conftest.py checks of every one."""

from __future__ import annotations

from collections.abc import Callable

from tersely import Compressed
from tersely.engine.finish import broken_promises


def check_result(result: Compressed, count: Callable[[str], int], separator: str = "\n\n") -> None:
    receipt = result.receipt
    assert receipt.used_llm or broken_promises(result) == []
    for spans in (result.kept, result.dropped):
        places = [(span.document, span.start) for span in spans]
        assert places == sorted(places) and all(span.start < span.end for span in spans)
    assert count(result.text) == result.tokens == receipt.tokens <= receipt.budget
    whole = separator.join(document.text for document in result.documents)
    assert receipt.original_tokens == result.original_tokens == count(whole)
    if result.original_tokens <= receipt.budget and not receipt.used_llm:
        assert result.text == whole and not result.dropped
    kept = sum(number for reason, number in receipt.reasons.items() if reason.startswith("kept:"))
    assert kept == len(result.kept)


def verbatim(result: Compressed) -> str:
    """The text without what was generated."""
    text = result.text
    for start, end in reversed(result.generated):
        text = text[:start] + text[end:]
    return text
