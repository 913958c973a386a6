"""Compactor: a growing history, whose start stays the same bytes while it fits."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from histories import (
    all_text,
    anthropic,
    assert_pairs,
    assert_places_are_word_for_word,
    openai_chat,
    openai_responses,
    tokens_of,
    tool_turn,
)
from tersely import BudgetExceededError
from tersely.memory import Compactor, compact_messages
from tersely.memory.messages import read_messages

SHAPES = [openai_chat, openai_responses, anthropic]


def turns(messages: list[Any]) -> list[int]:
    """Lengths at which all calls have their results."""
    ends = []
    open_calls: set[str] = set()
    for length, entry in enumerate(read_messages(messages), 1):
        open_calls = (open_calls | set(entry.calls)) - set(entry.answers)
        if not open_calls and not entry.leads:
            ends.append(length)
    return ends


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("headroom", [0.0, 0.5])
def test_each_turn_fits_and_the_start_stays(
    shape: Callable[[int], list[dict[str, Any]]], headroom: float
) -> None:
    messages = shape(7)
    compactor = Compactor(4000, headroom=headroom)
    before: list[Any] = []
    shares = []
    for length in turns(messages):
        result = compactor.compact(messages[:length])
        assert result.tokens == tokens_of(result.messages) <= 4000
        assert result.original_tokens == tokens_of(messages[:length])
        assert [account.index for account in result.accounts] == list(range(length))
        same = 0
        while same < min(len(before), len(result.messages)) and before[same] == result.messages[same]:
            same += 1
        if before:
            shares.append(tokens_of(before[:same]) / tokens_of(before))
        before = result.messages
        assert_pairs(before)
        assert_places_are_word_for_word(messages, result)
        assert result.accounts[-1].outcome in ("verbatim", "compressed")  # the next answer is to it
    if headroom:
        assert sum(shares) / len(shares) > 0.9
    assert min(shares) < 1  # it was compacted


def test_facts_of_the_start_are_still_stated_at_the_end() -> None:
    messages = openai_chat(12)
    compactor = Compactor(4000)
    facts = ("/srv/jobs/nightly/run.log", "/srv/jobs/nightly/rates.py:118", "OPS-4711")
    stated = []
    for length in turns(messages)[8:]:
        result = compactor.compact(messages[:length])
        text = all_text(result.messages)
        stated.append(all(fact in text for fact in facts))
    assert sum(stated) >= 0.8 * len(stated)  # all but those at which old excerpts are made anew
    assert "OPS-4711" in text and "OPS-4722" in text
    assert result.expand(5) == messages[5]


def test_a_history_that_was_edited_is_compacted_anew() -> None:
    messages = openai_chat(6)
    compactor = Compactor(3000)
    compactor.compact(messages)
    edited = copy.deepcopy(messages)
    edited[1]["content"] = "Something else: look at /etc/hosts."
    assert compactor.compact(edited).messages == Compactor(3000).compact(edited).messages
    edited[1]["content"] = "No, look at /etc/group."  # in place, which is noticed, too
    assert compactor.compact(edited).messages == Compactor(3000).compact(edited).messages
    assert compactor.compact(messages[:4]).messages == messages[:4]


def test_pinned_messages_stay_and_too_many_raise() -> None:
    messages = openai_chat(6)
    compactor = Compactor(3000, pinned=lambda message: "Is the table" in str(message["content"]))
    for length in turns(messages):
        result = compactor.compact(messages[:length])
    kept = [message for message in result.messages if "Is the table" in str(message["content"])]
    assert len(kept) == 6
    with pytest.raises(BudgetExceededError):
        Compactor(300, pinned=range(20)).compact(messages)


@pytest.mark.parametrize("budget", [5, 40, 60])
def test_a_budget_for_next_to_nothing_gives_what_one_compaction_does(budget: int) -> None:
    messages = [
        {"role": "user", "content": "Why does the test fail on Windows? " * 5},
        {"role": "assistant", "content": "The separator in loader.py line 12 is wrong. " * 5},
    ] * 3
    try:
        once = compact_messages(messages, budget=budget)
    except BudgetExceededError as error:
        with pytest.raises(BudgetExceededError, match=str(error)):
            Compactor(budget).compact(messages)
    else:
        assert Compactor(budget).compact(messages).messages == once.messages != []


@pytest.mark.parametrize("wrong", [{"budget": -1}, {"budget": 10, "headroom": 1.0}])
def test_wrong_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Compactor(**wrong)


def test_references_can_be_switched_off() -> None:
    messages = openai_chat(1)[:2]
    for key in "abcd":
        messages += tool_turn(
            key, "\n".join(f"row {n} of the table" for n in range(80)), "read", '{"path": "t"}'
        )
    messages += openai_chat(1)[-1:]
    for references in (True, False):
        sent = Compactor(tokens_of(messages) - 50, references=references).compact(messages).messages
        assert ("next result of this call]" in all_text(sent)) is references
