"""compact_messages: budget, shape, atomic calls, what stays, the account."""

from __future__ import annotations

import copy
import json
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
    pictures,
    tokens_of,
    tool_turn,
)
from hypothesis import given, settings, strategies as st
from python_calls import python_calls
from tersely import BudgetExceededError
from tersely.memory import Compactor, compact_messages
from tersely.memory.compaction import CompactedMessages
from tersely.memory.groups import REPLY_TOKENS
from tersely.memory.messages import HEADER, read_messages

SHAPES = [openai_chat, openai_responses, anthropic]
FACTS = ["/srv/jobs/nightly/run.log", "/srv/jobs/nightly/rates.py:118", "web-17", "OPS-4711", "exit code 3",
         "ValueError: unknown currency 'XTS'", "load_rates", "currency_codes", "currencies.csv"]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.8, 0.99])
def test_the_budget_is_exact_and_calls_keep_their_results(
    shape: Callable[[int], list[dict[str, Any]]], share: float
) -> None:
    messages = shape(3)
    before = copy.deepcopy(messages)
    whole = tokens_of(messages)
    result = compact_messages(messages, budget=int(share * whole))
    assert messages == before
    assert result.tokens == tokens_of(result.messages) <= result.budget < whole == result.original_tokens
    assert_pairs(result.messages)
    assert [account.index for account in result.accounts] == list(range(len(messages)))
    assert sum(account.tokens for account in result.accounts) + REPLY_TOKENS == whole


@pytest.mark.parametrize("shape", SHAPES)
def test_what_fits_is_left_alone(shape: Callable[[int], list[dict[str, Any]]]) -> None:
    messages = shape(1)
    result = compact_messages(messages, budget=tokens_of(messages))
    assert all(one is other for one, other in zip(result.messages, messages, strict=True))
    assert {account.reason for account in result.accounts} == {"fits"}
    assert result.ratio == 1.0


@pytest.mark.parametrize("shape", SHAPES)
def test_facts_stay_stated_in_half_of_the_tokens(shape: Callable[[int], list[dict[str, Any]]]) -> None:
    messages = shape(1)
    text = all_text(compact_messages(messages, budget=tokens_of(messages) // 2).messages)
    for fact in FACTS:
        assert fact in text


def test_a_path_that_several_messages_name_outlives_newer_ones_that_one_names() -> None:
    def said(role: str, text: str) -> dict[str, Any]:
        return {"role": role, "content": text}

    messages = [said("user", "Mend the importer.")]
    for turn in range(40):
        path = "src/core/importer.py" if 10 <= turn < 16 else f"lib/part_{turn}/setting_{turn}.py"
        messages += [said("assistant", f"Step {turn}: look at {path}"), said("user", "nothing")]
    result = compact_messages(messages, budget=tokens_of(messages) // 4)
    text = all_text(result.messages)
    assert "src/core/importer.py" in text and "lib/part_18/setting_18.py" not in text


def test_the_newest_stay_word_for_word_and_older_ones_are_folded_into_one() -> None:
    messages = openai_chat(4)
    result = compact_messages(messages, budget=tokens_of(messages) // 3)
    assert result.messages[0] is messages[0]  # the system prompt
    assert result.messages[-1] is messages[-1]
    outcomes = [account.outcome for account in result.accounts]
    last_folded = max(i for i, outcome in enumerate(outcomes) if outcome in ("folded", "dropped"))
    assert all(outcome in ("verbatim", "compressed") for outcome in outcomes[last_folded + 1 :])
    assert sum(str(message["content"]).startswith(HEADER) for message in result.messages) == 1
    assert result.accounts[0].reason == "system" and result.accounts[1].reason == "task"


def test_folded_places_are_word_for_word_and_originals_come_back() -> None:
    messages = anthropic(3)
    result = compact_messages(messages, budget=tokens_of(messages) // 4)
    assert any(account.outcome == "folded" for account in result.accounts)
    assert_places_are_word_for_word(messages, result)
    assert all(result.expand(index) is message for index, message in enumerate(messages))


def test_what_is_held_is_never_touched_nor_its_partners() -> None:
    messages = anthropic(2)
    messages[3]["content"][0]["cache_control"] = {"type": "ephemeral"}  # a result: its call stays as well
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
    messages[8]["content"] = [picture, {"type": "text", "text": "Look at this."}]
    del messages[9]
    result = compact_messages(messages, budget=tokens_of(messages) // 2)
    for index in (2, 3, 8):
        assert any(message is messages[index] for message in result.messages)
    reasons = [account.reason for account in result.accounts]
    assert (reasons[2], reasons[3], reasons[8]) == ("with_held", "cache_marker", "picture")


@pytest.mark.parametrize("pinned", [[7, -2], lambda message: "ticket is" in str(message.get("content"))])
def test_pinned_messages_stay(pinned: Any) -> None:
    messages = openai_chat(2)
    result = compact_messages(messages, budget=tokens_of(messages) // 2, pinned=pinned)
    chosen = [account for account in result.accounts if account.reason == "pinned"]
    assert len(chosen) >= 2
    for account in chosen:
        assert any(message is messages[account.index] for message in result.messages)
    assert_pairs(result.messages)


def test_keep_last_keeps_the_newest_or_raises() -> None:
    messages = openai_chat(2)
    result = compact_messages(messages, budget=tokens_of(messages) // 2, keep_last=5)
    assert all(one is other for one, other in zip(result.messages[-5:], messages[-5:], strict=True))
    with pytest.raises(BudgetExceededError) as error:
        compact_messages(messages, budget=100, keep_last=5)
    assert error.value.required > 100 == error.value.budget
    required = int(error.value.required)
    assert compact_messages(messages, budget=required, keep_last=5).tokens <= required


def test_tools_are_counted() -> None:
    messages = openai_chat(2)
    tools = [{"type": "function", "function": {"name": "grep", "parameters": {"type": "object"}}}]
    result = compact_messages(messages, budget=tokens_of(messages) // 2, tools=tools)
    assert result.tokens == tokens_of(result.messages, tools=tools) <= result.budget
    with pytest.raises(BudgetExceededError):
        compact_messages(messages, budget=400, tools=tools * 200)


def test_a_long_result_of_the_newest_turn_is_compressed_in_its_place() -> None:
    log = "".join(f"INFO request {n} took {n % 7} ms\n" for n in range(3000)) + "ERROR disk full on /dev/sda1"
    result = compact_messages([*openai_chat(1), *tool_turn("x", log)], budget=2500)
    assert result.accounts[-1].outcome == "compressed"
    short = result.messages[-1]
    assert short["tool_call_id"] == "x" and "ERROR disk full on /dev/sda1" in short["content"]
    assert result.tokens == tokens_of(result.messages) <= 2500


ROWS = range(400)
RESULTS = {
    "log": "\n".join(f"2024-05-01 10:00:{n % 60:02} INFO request {n} took {n % 7} ms" for n in ROWS),
    "json": json.dumps(
        [{"id": n, "name": f"user {n}", "state": "ok" if n != 77 else "broken"} for n in ROWS]
    ),
    "python": "\n\n".join(f"def rate_{n}(value):\n    return value * {n}" for n in ROWS),
    "table": "id,city,rate\n" + "\n".join(f"{n},Bern {n},{n / 7:.3f}" for n in ROWS),
    "html": "<html><body>"
    + "".join(f"<p>Point {n} of the <b>plan</b>.</p>" for n in ROWS)
    + "</body></html>",
    "diff": "--- a/x\n+++ b/x\n" + "".join(f"@@ -{n} +{n} @@\n-old {n}\n+new {n}\n" for n in ROWS),
    "prose": " ".join(f"The bridge number {n} was built in the year {1500 + n} by its town." for n in ROWS),
    "one word": "a" * 20_000,
}


def with_calls(messages: list[dict[str, Any]], results: list[str]) -> list[dict[str, Any]]:
    """The history, and calls in one message with their results."""
    calls = [
        {"id": f"x{n}", "type": "function", "function": {"name": "look", "arguments": f"[{n}]"}}
        for n in range(len(results))
    ]
    answers = [
        {"role": "tool", "tool_call_id": call["id"], "content": text}
        for call, text in zip(calls, results, strict=True)
    ]
    return [*messages, {"role": "assistant", "content": None, "tool_calls": calls}, *answers]


@pytest.mark.parametrize("kind", RESULTS)
@pytest.mark.parametrize("budget", [300, 700, 1500, 3000])
def test_a_result_of_any_kind_shrinks_within_the_budget(kind: str, budget: int) -> None:
    messages = with_calls(openai_chat(1), [RESULTS[kind]])
    result = compact_messages(messages, budget=budget)
    assert result.tokens == tokens_of(result.messages) <= budget
    assert_pairs(result.messages)
    if budget > 1000 and kind != "one word":
        assert result.accounts[-1].outcome == "compressed"
        assert tokens_of(result.messages) > 0.9 * budget
        assert "seeds/currencies.csv" in all_text(result.messages)  # old and new share the budget


def test_results_share_what_is_left_and_short_ones_stay() -> None:
    messages = with_calls(openai_chat(1), [RESULTS["log"], "the disk is full", RESULTS["json"]])
    result = compact_messages(messages, budget=3000, query="which user is broken?")
    assert result.tokens == tokens_of(result.messages) <= 3000
    *_, log, short, rows = result.messages
    assert short is messages[-2]
    assert '"user 77"' in rows["content"] and len(log["content"]) > 1000
    assert [account.outcome for account in result.accounts[-3:]] == ["compressed", "verbatim", "compressed"]


def read_twice(newer: str, references: bool = True) -> CompactedMessages:
    older = "\n".join(f"line {n} of the file, as it was" for n in range(60))
    messages: list[dict[str, Any]] = []
    for key, text in (("a", older), ("b", newer or older)):
        messages += tool_turn(key, text, "read", '{"path": "a.py"}')
    return compact_messages(messages, budget=tokens_of(messages) - 100, references=references)


def test_a_file_that_was_read_twice_is_kept_once() -> None:
    same = read_twice("")
    assert same.messages[1]["content"] == "[The same as the next result of this call]"
    assert same.accounts[1].reason == "repeated"
    changed = "\n".join(f"line {n} of the file, as it {'is' if n == 7 else 'was'}" for n in range(60))
    other = read_twice(changed)
    assert other.messages[3]["content"] == changed
    assert "+line 7 of the file, as it was" in other.messages[1]["content"]
    assert len(other.messages[1]["content"]) < 200
    assert "The same as" not in all_text(read_twice("", references=False).messages)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"budget": 1.5}, TypeError),
        ({"budget": -1}, ValueError),
        ({"budget": 100, "keep_last": -1}, ValueError),
        ({"budget": 100, "pinned": [99]}, ValueError),
        ({"budget": 100, "pinned": ["a"]}, TypeError),
        ({"budget": 100, "pinned": "a"}, TypeError),
        ({"budget": 100, "pinned": 3}, TypeError),
        ({"budget": 100, "query": 5}, TypeError),
        ({"budget": 100, "strategy": "log"}, TypeError),
        ({"budget": 100, "picture_tokens": -1}, ValueError),
        ({"budget": 100, "picture_tokens": "many"}, TypeError),
        ({"budget": 100, "counter": "no such"}, ValueError),
        ({"budget": 100, "references": "no"}, TypeError),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        compact_messages(openai_chat(1), **arguments)


@pytest.mark.parametrize("messages", [None, "text", {"messages": []}, iter(openai_chat(1))])
def test_what_is_no_list_of_messages_is_named(messages: Any) -> None:
    for compact in (lambda: compact_messages(messages, budget=5), lambda: Compactor(5).compact(messages)):
        with pytest.raises(TypeError, match="messages must be a list of messages, not"):
            compact()


@pytest.mark.parametrize(
    "odd",
    [
        {"role": "assistant", "content": "", "tool_calls": ["call", 3]},
        {"role": "assistant", "content": "", "tool_calls": "call"},
        {"role": "assistant", "content": "", "tool_calls": {"id": "a"}},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "grep"}]},
        {"role": "user", "content": "hello", "name": 5},
        {"role": "user", "content": [{"type": "tool_result", "content": {"a": "words " * 40}}]},
        {"type": "function_call_output", "call_id": "a", "output": {"a": "words " * 40}},
        {"type": "function_call_output", "call_id": "a", "output": ["words " * 40]},
    ],
)  # fmt: skip
def test_messages_of_no_known_shape_are_counted_and_cost_no_history(odd: dict[str, Any]) -> None:
    (entry,) = read_messages([odd])
    whole = " ".join([entry.opaque, *(piece.text for piece in entry.pieces)])
    assert all(word in whole for word in ("words words words",) if "words" in str(odd))
    assert pictures(entry) == 0
    messages = [*openai_chat(6), odd, *openai_chat(6)]
    result = compact_messages(messages, budget=4000, counter="chars/4")
    assert result.tokens <= 4000 and result.originals == messages


@pytest.mark.parametrize("message", [3, "text", {"content": "x"}, {"role": None}, None])
def test_what_is_no_message_is_named(message: Any) -> None:
    with pytest.raises(TypeError, match=r"messages\[1\]"):
        compact_messages([{"role": "user", "content": "x"}, message], budget=5)


CONTENT = st.text(max_size=80) | st.sampled_from(
    ["", "\n\n", "a/b.py:3 ValueError: x\n" * 9, '{"k": "v-17"}', "`" * 9]
)
ROLES = st.sampled_from(["user", "assistant", "system"])
MESSAGES = st.lists(
    st.builds(lambda role, content: {"role": role, "content": content}, ROLES, CONTENT), max_size=12
)


@settings(max_examples=60, deadline=None)
@given(MESSAGES, st.integers(0, 200), st.sampled_from([None, "chars/4", len]))
def test_any_history_fits_or_says_what_it_needs(messages: list[Any], budget: int, counter: Any) -> None:
    try:
        result = compact_messages(messages, budget=budget, counter=counter)
    except BudgetExceededError as error:
        assert error.required > budget
        return
    assert result.tokens == tokens_of(result.messages, counter) <= budget
    again = compact_messages(messages, budget=budget, counter=counter)
    assert again.messages == result.messages


def test_a_query_says_what_stays() -> None:
    talk = [f"We spoke about the garden, bed {n}, and its roses." for n in range(60)]
    said = ["Now the invoices.", "The invoice of May is wrong.", "By how much?", "Forty euros too many."]
    talk[20:24] = said
    messages = [{"role": ("user", "assistant")[n % 2], "content": words} for n, words in enumerate(talk)]
    whole = tokens_of(messages)
    result = compact_messages(messages, budget=whole // 4, query="What is wrong with the invoice of May?")
    assert result.tokens == tokens_of(result.messages) <= whole // 4
    text = all_text(result.messages)
    assert all(words in text for words in said)
    assert "Forty euros" not in all_text(compact_messages(messages, budget=whole // 4).messages)


def test_a_query_fits_where_json_stands_beside_lists_that_a_line_leads_into() -> None:
    flight = "- Flight {n}: SFO to IAH\n  - Number: HAT{n:03}\n  - Departure: 0{n}:00\n  - Price: ${n}\n\n"
    flights = "".join([flight.format(n=n) for n in (1, 2)])
    asks = "Please say which payment method you would like to use. Here are your payment methods:\n\n"
    visas = "".join([f"- Visa ending in {n}\n" for n in range(1161, 1165)])
    cards = f"- Mastercard ending in 1160\n{visas}- Certificate with $100 balance\n"
    ends = "Let me know your choice, and I'll proceed with the booking!"
    said = f"The total cost is $957. Here are the details:\n\n{flights}{asks}{cards}\n{ends}"
    rows = json.dumps([{"order": n, "items": [{"name": "lamp", "price": 10 + n}] * 3} for n in range(40)])
    messages = [{"role": "user", "content": "Book the flights, please."}, *tool_turn("a", rows)]
    messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "Which of them?"}]
    result = compact_messages(messages, budget=900, query="where is the lamp?")
    assert result.tokens == tokens_of(result.messages) <= 900


@pytest.mark.parametrize(("query", "warning"), [(" ", "empty_query"), ("zyx", "query_without_matches")])
def test_a_query_that_says_nothing_is_reported(query: str, warning: str) -> None:
    messages = openai_chat(2)
    result = compact_messages(messages, budget=2000, query=query)
    assert result.warnings[0] == warning and not result.accounts[-1].lost
    assert result.messages == compact_messages(messages, budget=2000).messages


def test_a_lone_surrogate_is_read_as_a_replacement_character_and_told() -> None:
    half = [{"role": "user", "content": f"Gate {n} was opened \ud83d in file{n}.py."} for n in range(60)]
    whole = [{**one, "content": one["content"].replace("\ud83d", "\ufffd")} for one in half]
    made, read = (compact_messages(given, budget=300) for given in (half, whole))
    assert made.warnings == ("characters_replaced", *read.warnings)
    assert made.tokens == read.tokens and made.originals == half
    for one, other in zip(made.messages, read.messages, strict=True):
        assert one in half or one == other
    compactor = Compactor(300)
    assert "characters_replaced" in compactor.compact(half).warnings


def test_a_result_is_read_as_what_its_call_says_it_is() -> None:
    commits = [
        f"commit {n:07x}{'a0' * 16}\nAuthor: A. Writer <a@example.org>\n\n    Change number {n}\n\n"
        + "".join(f" src/module_{n}/part_{part}.py | {part + 3} ++--\n" for part in range(12))
        for n in range(12)
    ]

    def shortened(command: str) -> str:
        said = tool_turn("c1", "\n".join(commits), "bash", json.dumps({"command": command}))
        messages = [{"role": "user", "content": "What changed?"}, *said]
        return str(compact_messages(messages, budget=400).messages[-1]["content"])

    one_of_all = "… ×144"  # lines of all commits that are alike, as a log shows them
    assert one_of_all in shortened("cd app && git log --stat") and one_of_all in shortened("git log")
    assert one_of_all not in shortened("./history")
    assert one_of_all not in shortened("\ud800")  # no command; the call's own tokens differ


@pytest.mark.parametrize("blank", ["\t", "\n", "\r", "\xa0", " \n"])
def test_a_long_result_of_nothing_but_white_space_is_no_fault(blank: str) -> None:
    messages = [
        {"role": "user", "content": "Which gate was opened?"},
        *tool_turn("c", blank * (50_000 // len(blank))),
        {"role": "user", "content": "Go on."},
    ]
    for budget in range(60, 520, 90):  # from where nothing of it fits to where all does
        assert compact_messages(messages, budget=budget).tokens <= budget


@pytest.mark.parametrize("budget", [5, 20, 40])
def test_a_history_of_which_nothing_fits_is_refused_and_a_budget_that_does_is_said(budget: int) -> None:
    messages = [{"role": "user", "content": "Fix bug E12 in a.py. " + "x " * 500}]
    with pytest.raises(BudgetExceededError, match="nothing of 1 messages fits") as caught:
        compact_messages(messages, budget=budget)
    made = compact_messages(messages, budget=caught.value.required)
    assert made.messages and made.tokens <= caught.value.required
    assert "E12" in str(made.messages)


def test_messages_cost_no_python_calls_each() -> None:
    history = [{"role": "user", "content": f"Step {i}: part_{i}.py has error E{i}. " * 5} for i in range(400)]
    few = python_calls(lambda: compact_messages(history[:200], budget=1000))
    assert few < 500
    assert python_calls(lambda: compact_messages(history, budget=1000)) - few < 100


def test_a_part_of_a_file_that_a_newer_result_has_is_told_by_its_lines() -> None:
    lines = [f"def step_{n}(value): return value * {n} + offset_{n % 7}" for n in range(120)]
    messages = [{"role": "user", "content": "Mend the steps."}]
    for call, some in (("a", lines[40:80]), ("b", [*lines[40:60], "pass"]), ("c", lines)):
        messages += tool_turn(
            call, "\n".join(some), "read_file", json.dumps({"path": "steps.py", "call": call})
        )
    result = compact_messages(messages, budget=tokens_of(messages) - 100)
    assert result.messages[2]["content"] == (
        '[The same as lines 41 to 80 of the next result of read_file {"path": "steps.py", "call": "c"}]'
    )
    assert result.messages[4:] == messages[4:]  # a line more is no part
    assert result.expand(2) is messages[2] and result.accounts[2].reason == "repeated"


def test_the_newest_message_of_the_user_stays_a_message_in_the_smallest_room() -> None:
    history = [
        {"role": "system", "content": "You help."},
        {"role": "user", "content": "Which payment timed out?"},
        {
            "role": "assistant",
            "content": "Payment 4711 timed out in x.py, as the log of the worker says. " * 9,
        },
        {"role": "user", "content": "And now?"},
    ]
    for budget in (20, 30, 45, 60, 100):
        assert compact_messages(history, budget=budget, counter="chars/4").messages[-1] == history[-1]
