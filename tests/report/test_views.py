"""Results of contextual compression and of histories have a page, too."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from page_checks import check_safe
from read_page import Page, shown
from tersely.memory.compaction import CompactedMessages, compact_messages
from tersely.memory.repl import MemoryCompactor, REPLHistory
from tersely.report import to_html
from tersely.report.views import view_of
from tersely.retrieval.contextual.compressor import ContextualCompressor

TOPICS = {
    "tides": "High water is at six. The tide turns at noon. Low water uncovers the old pier. ",
    "fog": "Fog is common in March. The lighthouse burns a lamp of eighty candles. Ships wait outside. ",
    "gulls": "Gulls steal chips. They nest on the roof of the market. Nobody feeds them twice. ",
}


def contextual(**options: Any) -> Any:
    documents = [{"text": text * 3, "id": f"notes/{name}.md"} for name, text in TOPICS.items()]
    return ContextualCompressor(token_budget=30, **options).compress_sync(documents, "When is low water?")


def check_spans(result: Any) -> None:
    """Kept and dropped spans are in order, apart from each other, and are what the receipt counts."""
    made = view_of(result).result
    spans = sorted([*made.kept, *made.dropped], key=lambda span: (span.document, span.start))
    for one, other in itertools.pairwise(spans):
        assert one.document < other.document or one.end <= other.start
    assert all(0 <= span.start < span.end <= len(made.documents[span.document].text) for span in spans)
    assert made.receipt.segments == len(spans) == sum(made.receipt.reasons.values())


def test_contextual_results_show_each_document_with_its_relevance() -> None:
    result = contextual()
    check_spans(result)
    page = Page(to_html(result, "When is low water?"))
    check_safe(page)
    assert page.texts == [text * 3 for text in TOPICS.values()]
    assert page.result == result.text
    assert [e.text for e in page.all("h3")] == ["tides.md", "fog.md", "gulls.md"]
    pieces = [e.text for e in page.all("span", "k") if "id" in e.attributes]
    assert pieces and all(piece in result.text for piece in pieces)
    listed = [e.text for e in page.all("td")]
    assert all(f"{score.overall_score:.2f}" in listed for score in result.relevance_scores)
    assert f"of {result.usage.available} allowed" in to_html(result)


def history() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You watch the harbour."}]
    for number in range(12):
        log = "\n".join(f"berth {n} of pier {number}: boat-{number}-{n} is {n * 7} m long" for n in range(30))
        call = {"id": f"c{number}", "type": "function", "function": {"name": "berths", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Which boats lie at pier {number}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": log},
            {
                "role": "assistant",
                "content": f"Thirty boats lie at pier {number}; permit P-{number}47 ends soon.",
            },
        ]
    return messages


def test_histories_show_what_became_of_each_message() -> None:
    result = compact_messages(history(), budget=900, query="What ends soon?")
    assert {account.outcome for account in result.accounts} >= {"verbatim", "folded"}
    check_spans(result)
    page = Page(to_html(result))
    check_safe(page)
    assert [e.text for e in page.all("h3")][:3] == ["0 system", "1 user", "2 assistant"]
    made = view_of(result).result
    assert page.texts == [shown(document.text) for document in made.documents]
    whole = {
        span.document
        for span in made.kept
        if span.end - span.start == len(made.documents[span.document].text)
    }
    assert whole >= {account.index for account in result.accounts if account.outcome == "verbatim"}
    for span in made.kept:
        text = made.documents[span.document].text[span.start : span.end]
        assert all(line.strip() in made.text for line in text.splitlines())


def test_of_a_shortened_result_of_a_tool_the_lines_that_are_left_are_kept() -> None:
    lines = [f"{n:03} {'ERROR berth is taken' if n % 50 == 7 else 'ok'} boat-{n}" for n in range(300)]
    messages = [
        {"role": "user", "content": "Why?"},
        {"role": "tool", "tool_call_id": "a", "content": "\n".join(lines)},
    ]
    result = compact_messages(messages, budget=200)
    assert isinstance(result, CompactedMessages)
    assert result.accounts[1].outcome == "compressed"
    check_spans(result)
    made = view_of(result).result
    kept = "".join(made.documents[1].text[s.start : s.end] for s in made.kept if s.document == 1).splitlines()
    assert kept == [line for line in lines if line in result.messages[-1]["content"].splitlines()]
    assert len(kept) > 3


def test_a_history_that_fits_is_kept_whole() -> None:
    result = compact_messages(history()[:3], budget=5000)
    check_spans(result)
    assert not view_of(result).result.dropped
    check_safe(Page(to_html(result)))


def test_steps_show_what_the_summary_stands_for() -> None:
    steps = REPLHistory()
    for number in range(12):
        steps = steps.append(
            f"Look at berth {number}.", f"print(berth({number}))", f"boat-{number} <b>late</b>"
        )
    result = MemoryCompactor().compact(steps, "find late boats", force=True)
    check_spans(result)
    page = Page(to_html(result))
    check_safe(page)
    made = view_of(result).result
    assert len(page.texts) == 12
    assert made.text.startswith(result.summary)
    assert [span.reason for span in made.dropped] == ["summarized"] * result.summarized_entries
    assert "characters" in to_html(result)
    untouched = MemoryCompactor().compact(steps)
    check_safe(Page(to_html(untouched)))


def test_what_is_no_result_is_named() -> None:
    with pytest.raises(TypeError, match="CompactedMessages or CompactionResult, not dict"):
        view_of({"text": "x"})  # type: ignore[arg-type]
