"""Accounts are true: what is said to be stated is looked up in what is sent, and nothing is lost unsaid."""

from __future__ import annotations

import re
from typing import Any

import pytest
from growth import MOST, growth
from histories import pictures
from hypothesis import given, settings, strategies as st
from tersely import BudgetExceededError
from tersely.agents.audit import audit
from tersely.memory import Compactor, compact_messages
from tersely.memory.compaction import CompactedMessages
from tersely.memory.messages import Entry, read_messages

SAID = st.sampled_from(
    ["", "ok", "done\nok", "Look at src/part_{n}/a.py:12, please.", "It is `load_rates_{n}` of OPS-47{n}.",
     "ERROR E{n}: shard-{n} refused", "The build failed: job-{n} ran {n} s", "version 1.{n} of 2024-05-1{n}",
     '{{"rows": [{{"id": "K{n}X", "name": "Mia Li"}}]}}', "step {n} of 80 is fine\n" * 20,
     "anchor mismatch at line 10{n}", "def rate_{n}(x):\n    raise ValueError('{n}')\n" * 9, "Grüße 日本 {n}"]
)  # fmt: skip
STEP = st.tuples(SAID, st.integers(0, 9), st.sampled_from(["user", "assistant", "call", "failed", "picture"]))
PICTURE = {
    "type": "image",
    "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 40},
}
SIGNED = {"type": "thinking", "thinking": "Let me see.", "signature": "c2ln"}


def history(steps: list[tuple[str, int, str]]) -> list[dict[str, Any]]:
    """Messages of Anthropic: texts, and calls with results that failed, or hold a picture."""
    messages: list[dict[str, Any]] = []
    for number, (said, n, role) in enumerate(steps):
        text = said.format(n=n)
        if role in ("user", "assistant"):
            messages.append({"role": role, "content": text})
            continue
        content = [{"type": "text", "text": text}, *([PICTURE] if role == "picture" else [])]
        call = {"type": "tool_use", "id": f"t{number}", "name": "get_log", "input": {"svc": n}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": content}
        messages.append({"role": "assistant", "content": [SIGNED, call]})
        messages.append({"role": "user", "content": [{**result, "is_error": role == "failed"}]})
    return messages


def text_of(entries: list[Entry]) -> str:
    return "\n".join(piece.text for entry in entries for piece in entry.pieces if piece.kind != "picture")


def stands(words: str, text: str) -> bool:
    """Whether each line of the words stands in the text, as no part of a longer word."""
    lines = [line.strip() for line in words.split("\n") if line.strip()]
    return all(
        re.search(
            rf"(?<!\w){re.escape(line)}(?!\w)"
            if line[0].isalnum() and line[-1].isalnum()
            else re.escape(line),
            text,
        )
        for line in lines
    )


def assert_true(messages: list[Any], result: CompactedMessages) -> None:
    before, sent = read_messages(messages), read_messages(result.messages)
    text, lost = text_of(sent), []
    for account, entry in zip(result.accounts, before, strict=True):
        pieces = [piece.text for piece in entry.pieces]
        for piece, start, end in account.kept:
            assert stands(pieces[piece][start:end], text)
        for piece, start, end in account.lost:
            assert account.outcome != "verbatim" and start < end
            lost.append(pieces[piece][start:end])
        if account.outcome == "dropped":
            said = [line for piece in pieces for line in piece.split("\n") if line.strip()]
            assert (account.reason == "empty") == (not said and not entry.opaque)
            if account.reason == "stated_elsewhere":
                assert said and not pictures(entry) and all(stands(line, text) for line in said)
    for statement in audit(messages, result.messages).lost():
        assert statement.text in "\n".join(lost), f"{statement.text!r} is lost, and no account says so"
    assert ("facts_left_out" in result.warnings) == bool(lost)
    shown = sum(pictures(entry) for entry in sent)
    assert shown + sum(account.pictures for account in result.accounts) == sum(
        pictures(entry) for entry in before
    )


@settings(max_examples=150, deadline=None)
@given(
    st.lists(STEP, max_size=30),
    st.integers(60, 900),
    st.sampled_from([20, 100]),
    st.sampled_from([None, "shard-3"]),
)
def test_accounts_are_true(
    steps: list[tuple[str, int, str]], budget: int, picture_tokens: int, query: str | None
) -> None:
    messages = history(steps)
    try:
        result = compact_messages(messages, budget=budget, picture_tokens=picture_tokens, query=query)
    except BudgetExceededError as error:
        result = compact_messages(
            messages, budget=int(error.required), picture_tokens=picture_tokens, query=query
        )
    assert_true(messages, result)


@settings(max_examples=40, deadline=None)
@given(st.lists(STEP, max_size=30), st.integers(150, 600))
def test_accounts_of_a_history_that_grows_are_true(steps: list[tuple[str, int, str]], budget: int) -> None:
    compactor = Compactor(budget, picture_tokens=30)
    for many in range(0, len(steps) + 1, 3):
        messages = history(steps[:many])
        try:
            assert_true(messages, compactor.compact(messages))
        except BudgetExceededError as error:
            assert_true(messages, Compactor(int(error.required), picture_tokens=30).compact(messages))


GROWING = {
    "failed": ("ERROR E{n}: shard-{n} refused", "failed"),
    "pictures": ("clicked {n}", "picture"),
    "the same lines": ("a line that is said again and again\n" * 9, "assistant"),
    "facts": ("It is `load_rates_{n}` of OPS-47{n}, see src/part_{n}/a.py:12.", "user"),
    "empty": ("", "user"),
}


@pytest.mark.growth
@pytest.mark.parametrize("kind", GROWING)
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_time_grows_with_the_history(kind: str, share: float) -> None:
    said, role = GROWING[kind]

    def made(size: int) -> list[dict[str, Any]]:
        return history([(said, number, role) for number in range(size // 100)])

    def compact(messages: list[dict[str, Any]]) -> None:
        budget = 100 + int(share * 10 * len(messages))
        compact_messages(messages, budget=budget, picture_tokens=30)

    assert growth(made, compact) < MOST
