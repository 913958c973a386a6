"""Whoever puts tersely behind a search: from hits to a prompt with citations, many at once, and failures."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import tersely
from tersely.retrieval import ContextualCompressor, compress_results

pytestmark = pytest.mark.slow  # each step has a test of its own that is quick

QUESTION = "How often do the signing keys rotate?"
ANSWER = "The signing keys rotate every 24 hours."


@dataclass
class Hit:
    """A hit as retrieval libraries have it: a text, and what is known of it."""

    page_content: str
    metadata: dict[str, Any] = field(default_factory=dict)


def hits() -> list[Hit]:
    rest = " ".join(
        f"Shift {n} takes over the harbour at {n} o'clock and writes its name into the book."
        for n in range(1, 20)
    )
    return [
        Hit(f"{rest} The keeper sleeps on the second floor.", {"source": "shifts.md"}),
        Hit(f"{rest} {ANSWER} Nobody has to be asked for it.", {"source": "keys.md"}),
        Hit(rest.replace("harbour", "lock"), {"source": "locks.md"}),
    ]


def test_hits_become_a_prompt_whose_citations_can_be_followed() -> None:
    found = hits()
    result = tersely.compress(found, QUESTION, budget=60, counter="cl100k_base")
    assert result.tokens <= 60 < result.original_tokens and ANSWER in result.text
    assert len(result.parts) == len(found) and ANSWER in result.parts[1]  # order and number of the hits
    for span in result.kept:  # each piece stands in its hit, where it says
        text = found[span.document].page_content
        assert text == result.documents[span.document].text and text[span.start : span.end] in result.text
    cited = [
        found[span.document].metadata["source"] for span in result.kept if ANSWER in span_text(result, span)
    ]
    assert cited == ["keys.md"]
    assert result.expand(1) == found[1].page_content  # the whole, where the reader asks for it


def span_text(result: Any, span: Any) -> str:
    return str(result.documents[span.document].text[span.start : span.end])


def test_many_questions_at_once_and_in_an_event_loop_give_the_same() -> None:
    questions = [QUESTION, "Who sleeps on the second floor?", "Which shift takes over the lock at 7?"]
    one_by_one = [tersely.compress(hits(), question, budget=80).text for question in questions]

    async def together() -> list[str]:
        return [
            made.text
            for made in await asyncio.gather(
                *(tersely.acompress(hits(), asked, budget=80) for asked in questions)
            )
        ]

    assert asyncio.run(together()) == one_by_one
    prepared = tersely.prepare(hits(), QUESTION)
    assert [prepared.fit(budget).tokens <= budget for budget in (40, 80, 160)] == [True, True, True]


def test_what_is_small_stays_as_it_is_and_what_cannot_fit_says_what_would() -> None:
    small = ["Keys rotate daily.", "Milk is in the fridge."]
    assert tersely.compress(small, QUESTION, budget=500).parts == tuple(small)
    with pytest.raises(tersely.BudgetExceededError) as raised:
        tersely.compress(hits(), QUESTION, budget=3, pinned=[ANSWER])
    assert ANSWER in tersely.compress(hits(), QUESTION, budget=raised.value.required, pinned=[ANSWER]).text


def test_a_model_that_fails_costs_no_answer() -> None:
    class Broken:
        def embed(self, texts: list[str]) -> Any:
            raise OSError("the server is gone")

    result = tersely.compress(hits(), QUESTION, budget=60, strategy=tersely.Extractive(reranker=Broken()))
    assert ANSWER in result.text and "reranker_failed" in result.receipt.warnings


def test_results_of_an_index_on_the_command_line_and_in_a_program(tmp_path: Path) -> None:
    for hit in hits():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / hit.metadata["source"]).write_text(hit.page_content, encoding="utf-8")

    def command(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "tersely", *arguments],
            cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60,
        ).stdout  # fmt: skip

    command("index", "docs")
    assert ANSWER in command("search", "docs", QUESTION, "--budget", "120")

    from tersely.retrieval.index import Index

    results = Index.open(tmp_path / "docs").search(QUESTION, 3)
    assert ANSWER in compress_results(results, QUESTION, min_score=0, max_tokens=300).texts[0]
    texts = [hit.page_content for hit in hits()]
    fitted = ContextualCompressor(token_budget=80).compress_sync(texts, QUESTION)
    assert any(ANSWER in document.content for document in fitted.compressed_documents)
    assert json.dumps(tersely.compress(hits(), QUESTION, budget=60).to_dict())
