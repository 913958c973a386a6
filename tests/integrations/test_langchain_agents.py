"""LangChain's agent middleware, in a real agent with a scripted model."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from tersely import BudgetExceededError
from tersely.memory import compact_messages
from tersely.memory.compaction import CompactedMessages
from tersely.models.counters import resolve_counter

pytest.importorskip("langchain.agents.middleware", reason="pip install 'tersely[langchain-agents]'")

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from tersely.integrations.langchain_agents import TerselyMiddleware

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
    agent = create_agent(model, [read_log], middleware=[TerselyMiddleware(tool_budget=100)])
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
    assert [m.tool_call_id for m in seen[-1] if isinstance(m, ToolMessage)] == ["call-1", "call-2"]


def test_what_was_sent_once_is_sent_the_same_again() -> None:
    seen, _ = run(False)
    assert len(seen) == 3
    for before, after in pairwise(seen):
        assert [message.content for message in after[: len(before)]] == [m.content for m in before]
    history = long_history()[:-2]
    middleware = TerselyMiddleware(900)
    asked = [end for end, message in enumerate(history) if isinstance(message, AIMessage)]
    sent = [[message.content for message in sent_by(middleware, history[:end])] for end in asked]
    same = [after[: len(before)] == before for before, after in pairwise(sent)]
    assert any(len(contents) < end for contents, end in zip(sent, asked, strict=True)), "something was folded"
    assert same.count(True) >= 0.7 * len(same)


SCHEMA = convert_to_openai_tool(read_log)


def request(messages: list[BaseMessage], system: str | None = None) -> ModelRequest:
    model = Scripted(messages=iter([]))
    options = {"tool_choice": None, "response_format": None, "state": {"messages": messages}, "runtime": None}
    return ModelRequest(model=model, messages=messages, system_prompt=system, tools=[read_log], **options)


def taken(middleware: TerselyMiddleware, given: ModelRequest) -> ModelRequest:
    """The request that the model gets."""
    seen: list[ModelRequest] = []
    middleware.wrap_model_call(given, seen.append)
    return seen[0]


def sent_by(middleware: TerselyMiddleware, messages: list[BaseMessage]) -> list[BaseMessage]:
    return list(taken(middleware, request(messages)).messages)


def test_what_is_short_or_cannot_be_shortened_is_sent_as_it_is() -> None:
    picture = {"type": "image", "url": "https://example.org/a.png"}
    blocks = ToolMessage([{"type": "text", "text": "short"}, picture], tool_call_id="call-2")
    given = [HumanMessage("hello " * 500), call(1), ToolMessage("short", tool_call_id="call-1"), blocks]
    sent = sent_by(TerselyMiddleware(tool_budget=100), given)
    assert all(after is before for after, before in zip(sent, given, strict=True))
    history = long_history()
    sent = sent_by(TerselyMiddleware(10**6, report=pytest.fail), history)
    assert all(after is before for after, before in zip(sent, history, strict=True))
    long = ToolMessage("word " * 50, tool_call_id="call-1")
    (sent,) = sent_by(TerselyMiddleware(tool_budget=1, counter=lambda text: 2 + len(text)), [long])
    assert sent is long
    for options, error in (
        ({"tool_budget": 0}, ValueError),
        ({"budget": 0}, ValueError),
        ({"budget": True}, TypeError),
    ):
        with pytest.raises(error, match="budget"):
            TerselyMiddleware(**options)


PICTURE = {"type": "image", "url": "https://example.org/a.png"}


@pytest.mark.parametrize(
    "content",
    [
        [{"type": "text", "text": LOG, "id": "b1"}],
        [{"type": "text", "text": LOG}, PICTURE, {"type": "text", "text": "Nothing else of note."}],
        [LOG, {"type": "text", "text": LOG.replace("worker", "runner")}],
    ],
)
def test_results_in_blocks_become_shorter_in_their_blocks(content: list[Any]) -> None:
    given = [HumanMessage("which payment timed out?"), call(1), ToolMessage(content, tool_call_id="call-1")]
    before = [message.model_copy(deep=True) for message in given]
    sent = sent_by(TerselyMiddleware(tool_budget=100), given)
    assert given == before and sent[:2] == given[:2]
    result = sent[2]
    assert isinstance(result, ToolMessage) and result.tool_call_id == "call-1"
    assert isinstance(result.content, list)
    texts = [block if isinstance(block, str) else block.get("text", "") for block in result.content]
    assert sum(map(COUNT, texts)) <= 100 and "ERROR payment 4711 timed out" in str(texts)
    assert PICTURE not in content or PICTURE in result.content
    for block in result.content:
        if isinstance(block, dict) and "id" in block:
            assert {**block, "text": ""} == {**content[0], "text": ""}
    assert all(text or block == PICTURE for text, block in zip(texts, result.content, strict=True))


def long_history() -> list[BaseMessage]:
    history: list[BaseMessage] = [HumanMessage("Find out which payment timed out, and where.")]
    for number in range(12):
        history.append(call(number))
        history.append(
            ToolMessage(f"{LOG[: 400 + number]}\nsaw /srv/pay/{number}.log", tool_call_id=f"call-{number}")
        )
    return [*history, AIMessage("It was payment 4711."), HumanMessage("In which file?")]


@pytest.mark.parametrize("system", [None, "Answer briefly."])
def test_a_whole_request_keeps_to_the_budget(system: str | None) -> None:
    reports: list[CompactedMessages] = []
    history = long_history()
    middleware = TerselyMiddleware(900, report=reports.append)
    given = request(history, system)
    sent = list(taken(middleware, given).messages)
    (report,) = reports
    assert report.tokens <= 900 < report.original_tokens
    head = [SystemMessage(system)] if system else []
    assert compact_messages([*head, *sent], budget=10**6, tools=[SCHEMA]).tokens == report.tokens
    assert sent[-2:] == history[-2:]
    assert [report.expand(row) for row in range(len(report.originals))][len(head) :] == history
    called = {c["id"] for message in sent if isinstance(message, AIMessage) for c in message.tool_calls}
    assert called == {message.tool_call_id for message in sent if isinstance(message, ToolMessage)}
    assert given.messages == long_history(), "the state's messages are left alone"
    with pytest.raises(BudgetExceededError):
        taken(TerselyMiddleware(20), given)
