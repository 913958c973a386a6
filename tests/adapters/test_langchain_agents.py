"""LangChain's agent middleware, in a real agent with a scripted model."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from tersely.providers.counters import resolve_counter

pytest.importorskip("langchain.agents.middleware", reason="pip install 'tersely[langchain-agents]'")

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from tersely.adapters.langchain_agents import TerselyMiddleware

COUNT = resolve_counter(None).count
LOG = (
    "\n".join(f"2026-01-{day % 28 + 1:02d} 10:00:00 INFO worker {day} started" for day in range(300))
    + "\n2026-01-29 10:00:00 ERROR payment 4711 timed out"
)


@tool
def read_log() -> str:
    """Read the log."""
    return LOG


class Scripted(GenericFakeChatModel):
    """Answers from a script and writes down what it was sent."""

    seen: list[list[BaseMessage]] = []  # noqa: RUF012  pydantic copies it

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.seen.append(list(messages))
        return super()._generate(messages, *args, **options)

    def bind_tools(self, tools: Any, **options: Any) -> Scripted:
        return self


def call(number: int) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "read_log", "args": {}, "id": f"call-{number}"}])


def run(later: bool) -> tuple[list[list[BaseMessage]], list[BaseMessage]]:
    model = Scripted(messages=iter([call(1), call(2), AIMessage("Payment 4711 timed out.")]))
    agent = create_agent(model, [read_log], middleware=[TerselyMiddleware(100)])
    question = {"messages": [HumanMessage("which payment timed out?")]}
    state = asyncio.run(agent.ainvoke(question)) if later else agent.invoke(question)
    return model.seen, state["messages"]


@pytest.mark.parametrize("later", [False, True])
def test_the_model_is_sent_less_and_the_state_keeps_all(later: bool) -> None:
    seen, state = run(later)
    kept = [message for message in state if isinstance(message, ToolMessage)]
    assert [message.content for message in kept] == [LOG, LOG]
    assert [type(message) for message in seen[-1]] == [type(message) for message in state[:-1]]
    for sent in (message for message in seen[-1] if isinstance(message, ToolMessage)):
        assert isinstance(sent.content, str)
        assert COUNT(sent.content) <= 100 < COUNT(LOG)
        assert "ERROR payment 4711 timed out" in sent.content
        told = sent.response_metadata["tersely"]
        assert (told["tokens"], told["original_tokens"]) == (COUNT(sent.content), COUNT(LOG))
        assert all(LOG[start:end] in sent.content for start, end in told["spans"])
    assert [m.tool_call_id for m in seen[-1] if isinstance(m, ToolMessage)] == ["call-1", "call-2"]


def test_what_was_sent_once_is_sent_the_same_again() -> None:
    seen, _ = run(False)
    assert len(seen) == 3
    for before, after in pairwise(seen):
        assert [message.content for message in after[: len(before)]] == [m.content for m in before]


def test_other_messages_are_the_same_objects() -> None:
    given = [HumanMessage("hello " * 500), call(1), ToolMessage("short", tool_call_id="call-1")]
    blocks = ToolMessage([{"type": "text", "text": LOG}], tool_call_id="call-2")
    sent = TerselyMiddleware(100).compress_messages([*given, blocks])
    assert all(after is before for after, before in zip(sent, [*given, blocks], strict=True))


def test_what_cannot_be_shortened_is_sent_whole_and_says_so() -> None:
    long = ToolMessage("word " * 50, tool_call_id="call-1")
    (sent,) = TerselyMiddleware(1, counter=lambda text: 2 + len(text)).compress_messages([long])
    assert sent.content == long.content
    assert "not_compressed" in sent.response_metadata["tersely"]
    with pytest.raises(ValueError, match="tool_budget"):
        TerselyMiddleware(0)
