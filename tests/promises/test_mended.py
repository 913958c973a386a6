"""What random calls found broken once: a test each. conftest.py has every result checked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tersely
from odd_counters import remainder, words
from sample_texts import GUIDE, prose
from tersely import Extractive
from tersely.content.diff import Diff
from tersely.engine.strategies import Auto, level_targets
from tersely.memory import compact_messages
from tersely.memory.folding import History, shorten_held
from tersely.memory.messages import read_messages
from tersely.models.counters import resolve_counter
from tersely.retrieval import ContextualCompressor, TokenBudgetConfig
from tersely.strategies import CompressionOptions, ContextChunk, Manager
from tersely.types import Document
from typed_samples import SAMPLES

MODULE = '''"""Promise 7: the native stages let other threads run."""

from __future__ import annotations

import numpy as np
import pytest
from tersely import _native

TEXT = "The winch on the north quay was oiled again, and nobody noticed. " * 150_000  # 10 MB


@pytest.mark.slow
@pytest.mark.parametrize("name", ["segment", "terms", "analyze"])
def test_other_threads_run_meanwhile(name: str) -> None:
    calls = {
        "segment": lambda: _native.segment([TEXT], 3, 200),
        "terms": lambda: _native.terms([TEXT])[2],
    }
    assert_others_run_during(calls[name])
'''


def capitals(text: str) -> int:
    return sum(map(str.isupper, text))


def says_again(prompt: str) -> str:
    return " ".join(prompt.split()[40:60])


def contextual(total: int, llm: Any = None, separator: str = "\n\n", **limits: Any) -> ContextualCompressor:
    budget = TokenBudgetConfig(total_budget=total, reserve_for_response=0, **limits)
    return ContextualCompressor(llm, budget=budget, counter=words, separator=separator)


def test_marks_between_clauses_are_generated_beside_other_content_types() -> None:
    strategy = Auto(text=Extractive(level="clause", preserve=("numbers",)))  # type: ignore[arg-type]
    result = tersely.compress([GUIDE, SAMPLES["log"]], ratio=0.2, strategy=strategy)
    marks = [place for place, letter in enumerate(result.parts[0]) if letter == "…"]
    assert marks
    assert all(any(start <= mark < end for start, end in result.generated) for mark in marks)


def test_levels_of_code_have_what_the_smaller_ones_have() -> None:
    """An essential unit was put in place of what a smaller level had kept."""
    prepared = tersely.prepare(
        MODULE, " ", counter=remainder, strategy=Auto(text=Extractive(preserve=("numbers",)))
    )
    results = prepared.levels(level_targets(prepared.original_tokens, 3))
    for larger, smaller in pairwise(results):
        starts = {span.start for span in larger.kept}
        assert {span.start for span in smaller.kept} <= starts


@pytest.mark.parametrize("counter", ["chars/4", capitals])
def test_a_message_of_which_no_words_fit_is_not_said_to_be_kept(counter: Any) -> None:
    messages = [
        {"role": "user", "content": prose(60).replace("\n", " ")},
        *({"role": "assistant", "content": "Done. A B C D."} for _ in range(3)),
    ]
    whole = compact_messages(messages, budget=10**6, counter=counter).original_tokens
    for budget in range(whole // 8, whole, whole // 30):
        try:
            result = compact_messages(messages, budget=budget, counter=counter, keep_last=3)
        except tersely.BudgetExceededError:
            continue
        assert result.tokens <= budget


def test_documents_that_may_not_have_a_share_are_dropped_not_an_error() -> None:
    """No budget would have done: every unit was ruled out."""
    found = contextual(16, allocation_strategy="threshold", min_per_document=1).compress_sync(
        [prose(5), SAMPLES["code"][:900]], "xyzzy"
    )
    assert found.text == ""
    assert len(found.dropped_documents) == 2


@pytest.mark.parametrize("how", ["abstractive", "hybrid"])
def test_pins_stay_where_a_model_summarizes_and_the_room_is_small(how: str) -> None:
    """A document whose pins were larger than its share was dropped with them."""
    texts, pinned = [prose(20), SAMPLES["table"]], [(1, 40, 90), (0, 0, 30)]
    for total in (3, 12, 60, 150):
        try:
            text = contextual(total, says_again).compress_sync(texts, "xyzzy", how, pinned=pinned).text
        except tersely.BudgetExceededError:
            continue
        for document, start, end in pinned:
            assert texts[document][start:end].strip() in text


def test_pins_of_documents_that_are_not_relevant_stay() -> None:
    texts = [prose(20), "Nothing of that is said here. The keeper of the lamp is called Amari."]
    for how in ("extractive", "abstractive"):
        found = contextual(60, says_again).compress_sync(texts, "granite crew", how, pinned=["called Amari"])
        assert "called Amari" in found.text


def test_separators_between_summaries_are_no_excess() -> None:
    """The text with its separators was held against the room without them."""
    texts = [f"{prose(6)} Number {number}." for number in range(6)]
    size = words("\n\n".join(texts))
    for total in range(size // 2, size, 23):
        found = contextual(total, says_again, "a b c d e f g h").compress_sync(texts, "", "hybrid")
        assert words(found.text) <= total


@pytest.mark.parametrize(
    "text",
    [
        "@@ -1,3 +1,3 @@ def f\n kept\n-old\n+new\n kept\n",
        "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n-old\n+new\n\n kept\n",
        "@@ -1 +1 @@\r-old\r+new\rdiff --git a/x b/x\r kept",
    ],
)
def test_units_of_a_diff_are_never_empty(text: str) -> None:
    units = Diff().read([Document(text)], None, 100)
    assert units is not None
    assert (units.table.start < units.table.end).all()
    assert (units.table.start[1:] >= units.table.end[:-1]).all()


def test_equal_chunks_are_given_to_a_model_once() -> None:
    """Which of two came from the cache was a race of two threads."""
    asked: list[str] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return "Report 100 says the copper shipment met the crew."

    chunks = [ContextChunk(str(number), prose(30), 1.0) for number in range(3)]
    options = CompressionOptions(min_confidence=0.0, preserve_numbers=False)
    report = Manager(options, llm=model).prepare_context(chunks, "copper", 240).report
    assert len(set(asked)) == len(asked)
    assert report.cache_misses == len(asked) == len({chunk.allocation for chunk in report.chunks}) < 3


def test_a_result_of_a_tool_is_not_taken_for_the_users_task() -> None:
    """In Anthropic's shape results come in messages of the user; one stayed without its call."""
    entries = read_messages(
        [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "42"}]},
            {"role": "user", "content": "Find the gate."},
        ]
    )
    costs = np.array([2, 3])
    alone = [(0, 1), (1, 2)]
    history = History([], entries, alone, costs, costs, resolve_counter(None), 0, {}, {}, range(2))
    assert shorten_held(history, 0, 1000).stays == {1: "task"}
    folded = shorten_held(replace(history, folded={1}), 0, 1000)
    assert folded.stays == {}, "what was folded does not come back, parted from its call"


def test_a_level_that_is_cut_is_cut_from_no_group() -> None:
    """Where no unit fitted, the head of a group's last unit was all that stood of a level."""
    text = "Why not? The crew of the gate came back before the long night had ended, and nobody saw it."
    group = [(0, text.index("The crew"), len(text))]
    prepared = tersely.prepare(text, counter=len, groups=[group])
    for larger in range(60, len(text)):
        results = prepared.levels([larger, 5])  # each is checked
        assert [result.tokens <= 5 for result in results[1:]] in ([True], [])


def test_a_check_of_pieces_that_stand_in_separators_takes_no_time() -> None:
    """A regular expression of all kept pieces tried every way to tell them from separators, for hours."""
    text = "a " * 400 + "\n\n" + "b c " * 300
    options = Extractive(level="character", window=1)  # type: ignore[arg-type]
    result = tersely.compress([text, text], budget=700, counter=len, strategy=options, separator="a b a b ")
    assert result.tokens <= 700


def test_what_pinned_units_need_counts_where_documents_have_least_tokens() -> None:
    """Pinned rows of JSON were written without the record that they stand in, to estimate their share."""
    text = "\n".join(f'{{"id": {number}, "note": "closed fee {number}"}}' for number in range(20))
    limits = {"min_per_document": 1, "max_per_document": 1, "allocation_strategy": "uniform"}
    found = contextual(400, **limits).compress_sync([text], " ", pinned=[(0, 300, 500)])
    assert text[300:500] in found.text


def test_white_space_of_which_characters_are_units_has_no_terms() -> None:
    result = tersely.compress(
        [
            Document("\u3000", name="notes", metadata={"content_type": "jsonl"}),
            Document("\u3000", name="a.py"),
        ],
        budget=1,
        counter=remainder,
        strategy=Auto(text=Extractive(level="character", window=7, scoring="centrality")),  # type: ignore[arg-type]
    )
    assert result.tokens <= 1


def test_what_touches_a_sign_that_opens_no_tag_is_shown_with_the_whole_of_its_text() -> None:
    """Of "a < b" a piece and "< b]]>" were both kept."""
    page = '<case id="42"><![CDATA[a < b]]></case>'
    group = [(0, page.index(" b"), page.index("]]")), (0, page.index("]>"), page.index("]>") + 1)]
    for budget in range(4, len(page), 5):
        try:
            result = tersely.compress(page, budget=budget, counter=len, strategy="html", groups=[group])
        except tersely.BudgetExceededError:
            continue
        spans = sorted((span.start, span.end) for span in [*result.kept, *result.dropped])
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
