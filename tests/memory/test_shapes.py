"""Shapes of messages: LangChain's and SDK's objects, odd contents, what is counted, what may be parted."""

from __future__ import annotations

from typing import Any

import pytest
from histories import SAID, openai_chat, read_message
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from openai.types.chat import ChatCompletionMessage
from tersely.memory import compact_messages
from tersely.memory.groups import atomic_groups, count_entries
from tersely.memory.messages import read_messages
from tersely.models.counters import resolve_counter


def langchain() -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage("You are an operator. Be careful.")]
    for number, (role, said) in enumerate(SAID):
        if role == "call":
            call = {"name": said[0], "args": said[1], "id": f"call_{number}"}
            messages.append(AIMessage("", tool_calls=[call]))
        elif role == "result":
            messages.append(ToolMessage(said, tool_call_id=f"call_{number - 1}", name="tool"))
        else:
            messages.append((HumanMessage if role == "user" else AIMessage)(said))
    return messages


def test_langchain_messages_stay_langchain_messages() -> None:
    messages = langchain()
    before = [message.model_copy(deep=True) for message in messages]
    whole = compact_messages(messages, budget=10**9).tokens
    for share in (0.3, 0.5, 0.7, 0.9):
        result = compact_messages(messages, budget=int(whole * share))
        assert messages == before
        assert all(isinstance(message, BaseMessage) for message in result.messages)
        assert result.messages[0] is messages[0]
        calls = [c["id"] for m in result.messages if isinstance(m, AIMessage) for c in m.tool_calls]
        answers = [m.tool_call_id for m in result.messages if isinstance(m, ToolMessage)]
        assert calls == answers
        made = [m for m in result.messages if isinstance(m, HumanMessage) and m not in messages]
        assert len(made) <= 1
        assert any("/srv/jobs/nightly/rates.py:118" in str(m.content) for m in result.messages)


def test_a_shortened_langchain_result_keeps_its_call() -> None:
    messages = [
        AIMessage("", tool_calls=[{"name": "logs", "args": {}, "id": "x"}]),
        ToolMessage("INFO fine\n" * 3000 + "ERROR disk full\n", tool_call_id="x", name="logs"),
    ]
    result = compact_messages(messages, budget=400)
    short = result.messages[-1]
    assert isinstance(short, ToolMessage) and (short.tool_call_id, short.name) == ("x", "logs")
    assert "ERROR disk full" in str(short.content)


def test_langchain_and_openai_say_the_same() -> None:
    for one, other in zip(read_messages(langchain()), read_messages(openai_chat()), strict=True):
        assert (one.role, one.calls == (), one.answers == ()) == (
            other.role,
            other.calls == (),
            other.answers == (),
        )
        texts = [[p.text.replace(" ", "") for p in entry.pieces if p.text] for entry in (one, other)]
        assert texts[0] == texts[1]


def test_objects_of_the_openai_sdk_stand_beside_mappings() -> None:
    said = ChatCompletionMessage(role="assistant", content="It is in `src/a.py`. " * 200)
    messages = [
        {"role": "user", "content": "Where is it?"},
        said,
        {"role": "user", "content": "Thanks. And b?"},
    ]
    result = compact_messages(messages, budget=200)
    assert "src/a.py" in str(result.messages)
    assert compact_messages(messages, budget=10**6).messages[1] is said


@pytest.mark.parametrize(
    ("message", "held"),
    [
        ({"role": "developer", "content": "rules"}, "system"),
        ({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}, "picture"),
        ({"role": "user", "content": [{"type": "text", "text": "a", "cache_control": {}}]}, "cache_marker"),
        ({"role": "user", "content": [{"type": "hologram"}]}, ""),
        ({"role": "user", "content": [{"text": "a"}, {"cachePoint": {"type": "default"}}]}, "cache_marker"),
        ({"kind": "request", "parts": [{"part_kind": "system-prompt", "content": "a"}]}, "system"),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}, ""),
        ({"role": "assistant", "content": None}, ""),
        ({"role": "tool", "tool_call_id": "x", "content": [{"type": "text", "text": "a"}]}, ""),
        ({"role": "assistant", "content": "", "function_call": {"name": "f", "arguments": "{}"}}, ""),
    ],
)
def test_what_must_stay_as_it_is(message: dict[str, Any], held: str) -> None:
    assert read_message(message).held == held


def test_everything_that_is_sent_is_counted() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "find_file", "arguments": '{"name": "a.py"}'}}
    thinking = {"type": "thinking", "thinking": "well " * 50, "signature": "s"}
    pairs: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"role": "user", "content": "a"}, {"role": "user", "content": "a", "name": "Ann"}),
        ({"role": "assistant", "content": "a"}, {"role": "assistant", "content": "a", "tool_calls": [call]}),
        ({"role": "user", "content": "a"}, {"role": "user", "content": [{"type": "image"}]}),
        ({"role": "assistant", "content": "a"}, {"role": "assistant", "content": [thinking]}),
    ]
    for less, more in pairs:
        counts = count_entries(resolve_counter(None), read_messages([less, more]), 1000)
        assert counts[0] < counts[1]


def test_groups_reach_from_a_call_to_its_last_result() -> None:
    def call(*ids: str) -> dict[str, Any]:
        calls = [{"id": key, "function": {"name": "f", "arguments": ""}} for key in ids]
        return {"role": "assistant", "content": None, "tool_calls": calls}

    def answer(key: str) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": key, "content": "x"}

    user = {"role": "user", "content": "x"}
    messages = [
        user,
        call("a", "b"),
        answer("b"),
        answer("a"),
        call("c"),
        user,
        answer("c"),
        answer("z"),
        user,
    ]
    assert atomic_groups(read_messages(messages)) == [(0, 1), (1, 4), (4, 7), (7, 8), (8, 9)]
    reasoning = {"type": "reasoning", "id": "r", "summary": []}
    items = [reasoning, {"type": "function_call", "call_id": "a", "name": "f", "arguments": ""},
             {"type": "function_call_output", "call_id": "a", "output": "x"}, reasoning, user]  # fmt: skip
    assert atomic_groups(read_messages(items)) == [(0, 3), (3, 5)]
