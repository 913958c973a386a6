"""budget and ratio: what they mean and refuse, how far they are used, cuts, receipts."""

from __future__ import annotations

import pickle
import random
import unicodedata
from typing import Any

import numpy as np
import odd_counters
import pytest
import tersely
from result_checks import check_result
from sample_texts import prose
from tersely import BudgetExceededError, CompressionError, Extractive
from tersely.engine.finish import broken_promises, fates_of, make_receipt
from tersely.models.counters import resolve_counter
from tersely.retrieval import CompressionConfig, ContextualCompressor, TokenBudgetConfig
from tersely.types import Document, Level, Receipt, Request

TEXT = prose(40)


def test_ratios_are_rounded_down_and_keep_one_token_at_least() -> None:
    result = tersely.compress("word " * 99, ratio=0.2, counter=odd_counters.words)
    assert result.receipt.budget == 19
    result = tersely.compress("word. " * 100, counter=odd_counters.words)
    assert result.receipt.budget == 30
    result = tersely.compress("One two three. Four five six.", ratio=1e-9, counter=odd_counters.words)
    assert result.receipt.budget == 1
    assert result.tokens == 1


def test_ratio_one_and_a_huge_budget_keep_everything() -> None:
    assert tersely.compress(TEXT, ratio=1).text == TEXT
    assert tersely.compress(TEXT, budget=10**40).text == TEXT


@pytest.mark.parametrize("budget", [np.int64(60), np.uint8(60)])
def test_whole_numbers_of_numpy(budget: object) -> None:
    assert tersely.compress(TEXT, budget=budget).receipt.budget == 60


def row_of(number: int) -> str:
    return f"| part {number} | ferry {number * 37 % 11} | {number * 53 % 900} |"


HEAD = "| part | ferry | cost |\n|---|---|---|\n"
NAMES = ["rope", "winch", "ferry", "salt", "tide", "buoy"]
WORDS = " ".join(f"{NAMES[n * n % 6]} {n * 7 % 5}" for n in range(400))
LARGER = {  # than the room that what is small leaves
    "a table of one segment": f"The costs.\n\n{HEAD}" + "\n".join(map(row_of, range(16))) + "\n\nIn May.",
    "rows longer than the room": HEAD + "\n".join(f"| {n} | {WORDS} | 7 |" for n in range(3)) + "\n\nIn May.",
    "words without a full stop": f"A note.\n\n{WORDS}",
    "lines of a section": "# Calls\n## All\n" + "\n".join(
        f"id={n} GET https://ferry.example/{n * 7919:x}/{n * 31 % 97}.js [{'failed' if n == 12 else 'done'}]"
        for n in range(40)
    ),
    "items of a list": "What there is:\n\n" + "\n".join(f"- {WORDS}" for _ in range(3)),
    "a document beside a note": ["A note.", WORDS],
}  # fmt: skip


@pytest.mark.parametrize("kind", LARGER)
@pytest.mark.parametrize("query", [None, "Which ferry failed?"])
@pytest.mark.parametrize("strategy", ["auto", "extractive", "hierarchical"])
def test_what_is_larger_than_the_room_is_cut_where_most_of_the_budget_is_left(
    kind: str, query: str | None, strategy: str
) -> None:
    result = tersely.compress(LARGER[kind], query, budget=100, strategy=strategy)
    assert 50 <= result.tokens <= 100
    if strategy == "extractive":
        assert set(result.receipt.warnings) - {"query_without_matches"} == {"segments_cut"}
    assert broken_promises(result) == []


TIED = "".join(f"10:00:0{n} INFO tied {n}\n" for n in range(9))
TORN = f"{TIED}10:01:00 ERROR it tore: {WORDS}\n{TIED.replace('10:00', '10:02')}"


def line_of_torn(result: tersely.Compressed) -> str:
    (line,) = [line for line in result.text.split("\n") if "ERROR it tore: rope 0 winch 2" in line]
    return line


@pytest.mark.parametrize("budget", [200, 400])
def test_the_best_line_is_cut_in_its_place_where_it_is_larger_than_most_of_the_budget(budget: int) -> None:
    result = tersely.compress(TORN, budget=budget, strategy="log")
    line = line_of_torn(result)
    assert line.endswith(" …") and line.removesuffix(" …") in TORN
    assert 0.8 * budget <= result.tokens <= budget
    assert "segments_cut" in result.receipt.warnings
    assert result.receipt.reasons["kept:cut"] == 1
    assert broken_promises(result) == []


@pytest.mark.parametrize("budget", [200, 400])
def test_a_long_line_of_a_tool_that_failed_is_kept_in_pieces_as_far_as_there_is_room(budget: int) -> None:
    result = tersely.compress(TORN, budget=budget, strategy="tool_output")
    line = line_of_torn(result)
    assert all(part.strip() in TORN for part in line.split(" …"))
    assert 0.6 * budget <= result.tokens <= budget
    assert broken_promises(result) == []


def test_a_table_that_is_cut_keeps_whole_rows_under_its_head() -> None:
    text = LARGER["a table of one segment"]
    result = tersely.compress(text, "What does part 11 cost?", budget=80, strategy="extractive")
    head, *rows = [line for line in result.text.split("\n") if line.startswith("|")]
    assert [head, *rows[:1]] == HEAD.splitlines()
    assert row_of(11) in rows and set(rows[1:]) <= set(text.split("\n"))


@pytest.mark.parametrize("budget", [40, 60, 90])
def test_of_a_table_without_room_the_row_that_answers_is_kept_under_its_head(budget: int) -> None:
    rows = [f"| E{n:02} | the {NAMES[n % 6]} failed | call {n} |" for n in range(1, 13)]
    head = ["| Code | Meaning | Do |", "|---|---|---|"]
    about = (
        "The boiler heats water for six people. It was built in Leeds.\n\nA code there means that it stopped."
    )
    end = "## Warranty\n\nIt runs for two years. It covers parts and work, no damage by frost. Keep the bill."
    text = f"# Boiler\n\n{about}\n\n" + "\n".join([*head, *rows]) + f"\n\n{end}"
    result = tersely.compress(text, "What does E07 mean?", budget=budget)
    table = [line for line in result.text.split("\n") if line.startswith("|")]
    assert table[:2] == head and rows[6] in table and set(table[2:]) < set(rows)
    assert result.receipt.warnings == ("segments_cut",)
    assert broken_promises(result) == []
    for options in Extractive(piece=0), Extractive(preserve_structure=True):
        whole = tersely.compress(text, "What does E07 mean?", budget=budget, strategy=options)
        assert "|" not in whole.text and "segments_cut" not in whole.receipt.warnings
    levels = tersely.prepare(text, query="What does E07 mean?").levels([budget, 40])
    assert [rows[6] in level.text for level in levels] == [True, True]


@pytest.mark.parametrize("block", ["```\n" + WORDS.replace(" 3", "\n") + "\n```", f"- {WORDS}\n- {WORDS}"])
def test_where_structure_is_preserved_code_and_items_are_not_cut(block: str) -> None:
    text = f"A note.\n\n{block}\n\nAn end."
    whole = Extractive(preserve_structure=True)
    assert tersely.compress(text, budget=100, strategy=whole).text == "A note.\n\nAn end."
    assert tersely.compress(text, budget=100, strategy=Extractive()).tokens > 50
    assert tersely.compress(text, budget=100, strategy=Extractive(piece=0)).text == "A note.\n\nAn end."


def test_budgets_that_nothing_fits_into() -> None:
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(TEXT, budget=0)
    assert caught.value.budget == 0
    assert caught.value.required >= 1
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress("One. Two. Three.", budget=10, counter=lambda text: 2**62)
    assert caught.value.required == 2**62
    strategy = Extractive(level=Level.CHARACTER, window=1)
    with pytest.raises(BudgetExceededError):
        tersely.compress("00 0", budget=0, counter=lambda text: len(text.split()), strategy=strategy)
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(TEXT, budget=5, pinned=[(0, 400)])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, CompressionError)
    assert str(copy) == str(caught.value)
    assert (copy.required, copy.budget) == (caught.value.required, 5)
    documents = ["a b c", "d e f", "g h i", "j k l"]  # 12 words, and 3 separators of 2 words
    fits = tersely.compress(documents, budget=18, counter=odd_counters.words, separator=" - - ")
    assert fits.text == "a b c - - d e f - - g h i - - j k l"
    over = tersely.compress(documents, budget=17, counter=odd_counters.words, separator=" - - ")
    assert over.tokens <= 17
    assert len(over.kept) == 3


@pytest.mark.parametrize("text", ["", "  \n "])
def test_nothing_within_no_budget_and_something_in_nothing(text: str) -> None:
    result = tersely.compress(text, budget=0, counter=odd_counters.words)
    assert result.tokens == 0
    assert list(result.kept) == []
    with pytest.raises(BudgetExceededError) as caught:
        tersely.compress(text, budget=0, counter=odd_counters.lines)
    assert (caught.value.required, caught.value.budget) == (1, 0)


def test_white_space_over_the_budget_and_in_pins() -> None:
    result = tersely.compress(" \n" * 100, budget=3, counter=odd_counters.characters)
    assert result.text == ""
    assert result.receipt.warnings == ("nothing_to_keep",)
    text = " ".join(["word"] * 40)
    result = tersely.compress(text, budget=10, counter=odd_counters.words)
    assert 0 < odd_counters.words(result.text) <= 10
    assert result.receipt.warnings == ("segment_cut",)
    text = _WIDELY_PARTED["prose"].format(gap=_WIDE[0])
    result = tersely.compress(f"{text} Later. " * 2, budget=200, pinned=[(5, len(text) - 5)])
    assert text[5:-5] in result.text
    with pytest.raises(tersely.BudgetExceededError):
        tersely.compress(f"{text} Later. ", budget=40, pinned=[(5, len(text) - 5)])


NOUNS = "harbour keeper storm ledger anchor lantern ferry willow copper granite signal compass rope tide"


def shuffled(seed: int, sentences: int) -> str:
    rng = random.Random(seed)
    lines = [
        " ".join(rng.choices(NOUNS.split(), k=rng.randint(3, 24))).capitalize()
        + rng.choice([".", "!", f" {rng.random():.3f}."])
        for _ in range(sentences)
    ]
    return rng.choice([" ", "\n", "\n\n"]).join(lines)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("query", [None, "Which signal warns the ferry?"])
def test_most_of_the_budget_is_used(seed: int, query: str | None) -> None:
    text = shuffled(seed, 150)
    for budget in (200, 500, 1000):
        result = tersely.compress(text, query, budget=budget)
        assert 0.9 * budget <= result.tokens <= budget


class Tight:
    """Counts like o200k_base, and one more for each line break: every first estimate is too low."""

    name = "tight"

    def __init__(self) -> None:
        self.inner = resolve_counter("o200k_base")

    def count(self, text: str) -> int:
        return self.inner.count(text) + 7 * text.count("\n")

    def count_batch(self, texts: list[str]) -> list[int]:
        return [self.count(text) for text in texts]


@pytest.mark.parametrize("seed", range(5))
def test_also_where_every_estimate_is_too_low(seed: int) -> None:
    result = tersely.compress(shuffled(seed, 150), budget=600, counter=Tight())
    assert 400 <= result.tokens <= 600


WIDE = " and between them " * 3
SHORT = "".join(f"Gate {number} is open. Yes. " for number in range(9))  # one of two repeats itself


def test_every_other_word_pinned_and_all_of_a_level_is_all() -> None:
    """Of what is relevant to a query, and what is pinned, and of a level: no more than the text itself."""
    text, pins = "gate shut winch oiled crew gone lamp lit", [(0, at, at + 1) for at in (10, 22, 32)]

    def found(budget: int) -> tuple[str, int]:
        config = CompressionConfig(segment_size="word", min_relevance_threshold=0.5, token_budget=budget)
        limits = TokenBudgetConfig(total_budget=budget, reserve_for_response=0, min_per_document=1)
        made = ContextualCompressor(
            config=config, budget=limits, counter=odd_counters.words, separator=WIDE
        ).compress_sync([text], "gate", "extractive", pinned=pins)
        return made.text, made.compressed_token_count

    assert found(20) == (text, 8)
    with pytest.raises(BudgetExceededError) as caught:
        found(5)
    assert caught.value.required == 8
    largest = tersely.prepare(SHORT, separator=WIDE).levels([1000, 10])[0]
    assert largest.text == SHORT.strip()
    assert largest.tokens <= largest.original_tokens


LONG = "The harbour keeper counted every boat that came in before the storm and wrote each name down"


def test_a_cut_ends_at_a_word_with_its_mark_where_that_fits() -> None:
    result = tersely.compress(LONG, budget=30, counter=odd_counters.characters)
    assert result.text == "The harbour keeper counted…"
    (head,), (rest,) = result.kept, result.dropped
    assert (head.start, head.end, head.reason) == (0, 26, "cut")
    assert (rest.start, rest.end, rest.reason) == (26, len(LONG), "cut")
    check_result(result, odd_counters.characters)
    result = tersely.compress(LONG, budget=1, counter=odd_counters.characters)
    assert result.text == "T"
    result = tersely.compress("x" * 50, budget=4, counter=odd_counters.utf8_bytes)
    assert result.text == "x…"


@pytest.mark.parametrize("budget", range(1, 40))
def test_a_cut_fits_at_every_budget(budget: int) -> None:
    result = tersely.compress(LONG, budget=budget, counter=odd_counters.characters)
    check_result(result, odd_counters.characters)
    assert LONG.startswith(result.text.removesuffix("…"))
    assert len(result.text) >= budget // 2


@pytest.mark.parametrize("budget", range(2, 20))
def test_a_cut_never_parts_a_letter_from_its_accents(budget: int) -> None:
    text = "e\u0301\u0323" * 30
    result = tersely.compress(text, budget=budget, counter=odd_counters.characters)
    head = result.kept[0]
    if budget >= 3:
        assert not unicodedata.combining(text[head.end])
    check_result(result, odd_counters.characters)


REASONS = ("budget", "redundant", "selected", "pinned")
STATUS = np.array([0, 2, 2, 1, 3, 0], dtype=np.uint8)


def receipt_of(tokens: int = 9, status: np.ndarray = STATUS, counter: Any = odd_counters.words) -> Receipt:
    request = Request((Document("Rope."),), None, 10, 0.3, resolve_counter(counter))
    return make_receipt(
        request, 10, tokens, 40, status, ["empty_query"], recounts=3, fates=fates_of(REASONS, 2)
    )


def test_a_receipt_counts_the_reasons_within_the_budget() -> None:
    receipt = receipt_of()
    assert receipt.segments == 6
    assert receipt.reasons == {
        "dropped:budget": 2,
        "dropped:redundant": 1,
        "kept:selected": 2,
        "kept:pinned": 1,
    }
    assert (receipt.budget, receipt.tokens, receipt.original_tokens) == (10, 9, 40)
    assert (receipt.counter, receipt.recounts, receipt.warnings) == ("words", 3, ("empty_query",))
    assert receipt_of(status=STATUS[:0]).reasons == {}
    with pytest.raises(ValueError, match="11 tokens for a budget of 10: the token counter words"):
        receipt_of(11)
    with pytest.raises(AssertionError, match="11 tokens for a budget of 10"):
        receipt_of(11, counter=None)


@pytest.mark.parametrize("blank", ["\u3000", "\u0085"], ids=["wide space", "next line"])
def test_a_line_of_white_space_is_not_cut(blank: str) -> None:
    text = f"It is so.\n{blank * 8000}\nIt is not so."
    result = tersely.compress(text, budget=50, strategy="tool_output")  # as prose they would touch
    assert "It is so." in result.text and "It is not so." in result.text


_WIDE = [" " * 8000, "\n" * 8000, "\n" + " " * 8000, " \r\n" * 2000]
_WIDELY_PARTED = {
    "prose": "The gate was opened at dawn.{gap}The lock was shut at noon.",
    "markdown": "# Gates\n\n- The gate is open.\n{gap}\n- The lock is shut.\n",
    "json": '{{"gate": "is open",{gap}"lock": "is shut"}}',
    "code": "import os\n\ndef gate(x):\n    return x + 1\n{gap}\ndef lock(y):\n    return y - 2\n",
    "tool_output": "error: the gate failed at 3\n{gap}\nerror: the lock failed at 4\n",
}


@pytest.mark.parametrize("gap", _WIDE, ids=["blanks", "lines", "indent", "lines of a blank"])
@pytest.mark.parametrize("kind", _WIDELY_PARTED)
def test_white_space_between_neighbours_takes_no_budget_from_them(kind: str, gap: str) -> None:
    text = _WIDELY_PARTED[kind].format(gap=gap)
    result = tersely.compress(text, budget=40, strategy=kind)
    assert not result.dropped and len(result.text) < 200, result.text
    assert None not in result.places
