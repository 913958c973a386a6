"""Messages of every interface and of none: all counts, and what becomes shorter keeps its shape."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from histories import read_message, rows, tokens_of
from hypothesis import given, settings, strategies as st
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, messages_to_dict
from tersely import BudgetExceededError
from tersely.memory import Compactor, compact_messages
from tersely.memory.groups import REPLY_TOKENS
from tersely.memory.messages import read_messages, read_result
from tersely.models.counters import resolve_counter

LOG = "The worker started and wrote a row.\n" * 900 + "ERROR payment 4711 timed out in /srv/pay/x.py:12\n"
ASKED, ARGUMENTS = "Which payment timed out?", {"path": "/srv/pay/run.log"}


def dumped(messages: list[BaseMessage], how: str) -> list[dict[str, Any]]:
    if how == "constructor":
        return [dumpd(message) for message in messages]
    return messages_to_dict(messages) if how == "data" else [message.model_dump() for message in messages]


LANGCHAIN: list[BaseMessage] = [
    HumanMessage(ASKED),
    AIMessage("", tool_calls=[{"name": "read_log", "args": ARGUMENTS, "id": "c1"}]),
    ToolMessage(LOG, tool_call_id="c1"),
    HumanMessage("And now?"),
]
KNOWN = {"log": LOG, "asked": ASKED, "arguments": ARGUMENTS, "json": json.dumps(ARGUMENTS)}
SHAPES: dict[str, list[dict[str, Any]]] = {
    **{row["shape"]: row["messages"] for row in rows("shapes.jsonl", **KNOWN)},
    **{f"langchain {how}": dumped(LANGCHAIN, how) for how in ("constructor", "data", "model_dump")},
}


def structure(value: Any) -> Any:
    """The value with every string emptied."""
    if isinstance(value, dict):
        return {key: structure(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [structure(inner) for inner in value]
    return "" if isinstance(value, str) else value


@pytest.mark.parametrize("shape", SHAPES)
def test_messages_of_every_interface_say_the_same(shape: str) -> None:
    entries = read_messages(SHAPES[shape])
    said = [
        (piece.kind, piece.text)
        for entry in entries
        for piece in entry.pieces
        if piece.text and piece.kind != "data"
    ]
    call = f"read_log {json.dumps(ARGUMENTS)}".replace('": "', '":"')
    assert [(kind, text.replace('": "', '":"')) for kind, text in said] == [
        ("text", ASKED), ("call", call), ("result", LOG), ("text", "And now?")
    ]  # fmt: skip
    assert [call for entry in entries for call in entry.calls] == [
        answer for entry in entries for answer in entry.answers
    ]
    assert not any(entry.held or entry.unknown for entry in entries)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_long_result_becomes_shorter_in_its_shape(shape: str) -> None:
    messages = SHAPES[shape]
    before = copy.deepcopy(messages)
    result = compact_messages(messages, budget=600)
    assert messages == before
    assert result.tokens == tokens_of(result.messages) <= 600 < result.original_tokens
    assert [account.outcome for account in result.accounts].count("compressed") == 1
    assert structure(result.messages) == structure(messages)
    assert "ERROR payment 4711 timed out" in json.dumps(result.messages)
    assert result.warnings == ()


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_folded_stands_in_a_message_of_the_same_shape(shape: str) -> None:
    messages = [*SHAPES[shape], *SHAPES[shape][:1] * 40]
    result = compact_messages(messages, budget=200)
    assert result.tokens == tokens_of(result.messages) <= 200
    made = [message for message in result.messages if message not in messages]
    assert made and all(read_message(message).pieces[0].kind == "excerpts" for message in made)
    assert any("/srv/pay/x.py:12" in json.dumps(message) for message in made)
    known = {key for message in messages for key in message}
    assert all(set(message) <= known for message in made)


ANYWHERE = {
    "a field beside the content": {"role": "user", "content": "hi", "note": LOG},
    "a field of a block": {"role": "user", "content": [{"type": "text", "text": "hi", "n": [{"a": LOG}]}]},
    "a block": {"role": "assistant", "content": [{"type": "hologram", "rays": {"deep": [LOG]}}]},
    "an item": {"type": "item_reference", "id": LOG},
    "a part": {"role": "user", "parts": [LOG]},
    "a field of a call": {"role": "assistant", "tool_calls": [{"function": {"name": "f"}, "x": LOG}]},
    "a role": {"role": LOG, "content": "hi"},
    "an identity": {"role": "user", "content": "hi", "id": LOG},
    "a key": {"role": "user", "content": "hi", LOG: 1},
    "a result": {"role": "tool", "payload": LOG},
    "a result within": {"role": "tool", "payload": {"rows": [{"said": LOG}]}},
    "a title": {"role": "user", "content": [{"type": "document", "title": LOG}]},
    "a document of text": {"role": "user",
                           "content": [{"type": "document", "source": {"type": "text", "data": LOG}}]},
    "a thought": {"role": "assistant", "content": [{"type": "thinking", "thinking": LOG}]},
    "additional_kwargs": HumanMessage("hi", additional_kwargs={"more": LOG}),
    "usage": {"role": "assistant", "content": "hi", "usage": {"note": LOG}},
}  # fmt: skip


@pytest.mark.parametrize("where", ANYWHERE)
def test_a_string_counts_wherever_it_stands(where: str) -> None:
    message = ANYWHERE[where]
    least = resolve_counter(None).count(LOG)
    assert tokens_of([message]) >= least
    history = [{"role": "user", "content": ASKED}, message, {"role": "user", "content": "And now?"}]
    for compact in (
        lambda budget: compact_messages(history, budget=budget),
        lambda budget: Compactor(budget).compact(history),
    ):
        try:
            result = compact(600)
        except BudgetExceededError as error:  # a picture stays
            result = compact(int(error.required))
            assert result.tokens <= error.required
        assert result.tokens == tokens_of(result.messages)
        assert len(str(result.messages)) < len(LOG) or result.tokens >= least


def test_what_is_not_known_is_told() -> None:
    history = [
        {"role": "user", "content": [{"type": "hologram", "rays": LOG}]},
        {"role": "user", "content": "a"},
    ]
    for budget in (100, 10**6):
        assert "unknown_shape" in compact_messages(history, budget=budget).warnings
        assert "unknown_shape" in Compactor(budget).compact(history).warnings
    folded = compact_messages(history, budget=200)
    assert folded.accounts[0].outcome == "folded" and "other 0: " in str(folded.messages[0])


def test_a_message_within_itself_is_named() -> None:
    around: list[Any] = []
    around.append(around)
    with pytest.raises(ValueError, match=r"messages\[0\] is nested too deeply"):
        compact_messages([{"role": "user", "content": around}], budget=5)


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_tools_that_are_nested_too_deeply_are_named(depth: int) -> None:
    tools: list[Any] = []
    for _ in range(depth):
        tools = [tools]
    with pytest.raises(ValueError, match="data of type list is nested too deeply; 500 levels are allowed"):
        compact_messages([{"role": "user", "content": "Hello"}], budget=9_000_000, tools=tools)


@pytest.mark.parametrize("content", [LOG, [{"type": "text", "text": LOG}]])
def test_a_result_with_a_cache_marker_becomes_shorter_and_keeps_it(content: Any) -> None:
    marker = {"type": "ephemeral"}
    block = {"type": "tool_result", "tool_use_id": "t", "content": content, "cache_control": marker}
    call = {"type": "tool_use", "id": "t", "name": "read_log", "input": {}}
    messages = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [block]},
        {"role": "user", "content": "And now?"},
    ]
    whole = tokens_of(messages)
    for compact in (
        lambda budget: compact_messages(messages, budget=budget),
        lambda budget: Compactor(budget).compact(messages),
    ):
        result = compact(600)
        assert result.tokens == tokens_of(result.messages) <= 600 < result.original_tokens
        (sent,) = result.messages[2]["content"]
        assert (sent["cache_control"], sent["tool_use_id"]) == (marker, "t")
        assert structure(sent) == structure(block) and "ERROR payment 4711" in str(sent)
        account = result.accounts[2]
        assert (account.outcome, account.reason) == ("compressed", "cache_marker")
        assert sum(account.tokens for account in result.accounts) + REPLY_TOKENS == whole
        assert compact(whole).messages[2] is messages[2], "it is whole where it fits"
        with pytest.raises(BudgetExceededError) as error:
            compact(30)
        assert compact(int(error.value.required)).tokens <= error.value.required


TEXTS = st.text(max_size=20) | st.sampled_from(["a/b.py:3 ValueError: x\n" * 9, "words " * 300, LOG[-400:]])
FIELDS = st.sampled_from(["type", "text", "content", "id", "cache_control", "toolResult", "functionCall",
                          "output", "source", "role", "name", "parts", "input", "tool_calls"])  # fmt: skip
TYPES = st.sampled_from(["text", "tool_use", "tool_result", "image", "document", "tool-x", "tool-result",
                         "human", "tool", "constructor", "function_call_output", "x_call"])  # fmt: skip
VALUES = st.recursive(
    TEXTS | st.none() | st.integers() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(FIELDS, inner, max_size=4)
        | st.builds(
            lambda what, fields: {**fields, "type": what}, TYPES, st.dictionaries(FIELDS, inner, max_size=3)
        )
    ),
    max_leaves=8,
)
MESSAGES = st.builds(
    lambda named, fields: {**fields, **named},
    st.builds(lambda role: {"role": role}, st.sampled_from(["user", "assistant", "tool", "model", "critic"]))
    | st.builds(lambda what: {"type": what}, TYPES)
    | st.builds(lambda kind: {"kind": kind}, st.sampled_from(["request", "response"])),
    st.dictionaries(
        st.sampled_from(["content", "parts", "output", "result", "data", "kwargs", "tool_calls", "extra"]),
        VALUES,
        max_size=3,
    ),
)  # fmt: skip


@settings(max_examples=80, deadline=None)
@given(
    st.lists(MESSAGES, max_size=6), st.sampled_from([40, 300, 2000]), st.sampled_from([None, "chars/4", len])
)
def test_any_mapping_fits_or_says_what_it_needs(messages: list[Any], budget: int, counter: Any) -> None:
    before = copy.deepcopy(messages)
    for compact in (
        lambda room: compact_messages(messages, budget=room, counter=counter),
        lambda room: Compactor(room, counter=counter).compact(messages),
    ):
        room = budget
        try:
            result = compact(room)
        except BudgetExceededError as error:
            assert error.required > budget
            room = int(error.required)
            result = compact(room)
        assert result.tokens == tokens_of(result.messages, counter) <= room
        assert messages == before


def test_data_whose_type_or_role_is_a_list_is_no_message() -> None:
    assert read_result('{"type": ["a"], "role": ["b"], "content": "c"}').role == "tool"


def test_pairs_of_a_role_and_a_text_are_messages_as_in_langchain() -> None:
    turns = [(f"Part {n} has rates and seeds of the month.", f"And part {n + 1}?") for n in range(30)]
    messages: list[Any] = [("system", "Be brief."), ("human", "Never use port 9443.")]
    messages += [pair for said, asks in turns for pair in (("ai", said), ("human", asks))]
    result = compact_messages(messages, budget=160)
    assert result.tokens <= 160
    assert all(isinstance(message, tuple) for message in result.messages)
    assert result.messages[0] == messages[0] and result.messages[-1] == messages[-1]
    assert any(message == messages[1] or "port 9443" in message[1] for message in result.messages)
    with pytest.raises(TypeError, match=r"messages\[0\] must be"):
        compact_messages([("human", 3)], budget=9)
