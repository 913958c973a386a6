"""LlamaIndex's memory block, in a real Memory."""

from __future__ import annotations

import asyncio
from typing import Any

import odd_counters
import pytest
from sample_texts import SAID
from tersely import BudgetExceededError
from tersely.models.counters import resolve_counter

pytest.importorskip("llama_index.core", reason="pip install 'tersely[llama-index]'")

from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.memory import Memory
from sqlalchemy.ext.asyncio import create_async_engine
from tersely.integrations.llama_index_memory import TerselyMemoryBlock

FILLER = "We went through the list again, and nobody had anything to add to what was said before. "


def turns(count: int) -> list[ChatMessage]:
    messages = []
    for number in range(count):
        messages.append(
            ChatMessage(role="user", content=f"{FILLER * 2}Look at /srv/pay/{number}.log please.")
        )
        messages.append(
            ChatMessage(role="assistant", content=f"{FILLER * 2}Payment {4700 + number} timed out.")
        )
    return messages


def put(block: TerselyMemoryBlock, messages: list[ChatMessage]) -> str:
    async def run() -> str:
        await block.aput(messages)
        return await block.aget()

    return asyncio.run(run())


@pytest.mark.parametrize("counter", [None, *odd_counters.ALL])
@pytest.mark.parametrize("budget", [1, 300, 1200])
def test_what_is_told_keeps_to_the_budget(counter: Any, budget: int) -> None:
    block = TerselyMemoryBlock(budget=budget, counter=counter)
    try:
        told = put(block, turns(20))
    except BudgetExceededError as error:
        assert error.required > error.budget
        assert budget == 1
    else:
        assert resolve_counter(counter).count(told) <= budget
    assert [entry["content"] for entry in block.history] == [message.content for message in turns(20)]


def test_statements_and_other_messages_are_told() -> None:
    told = put(TerselyMemoryBlock(budget=600), turns(20))
    assert sum(f"/srv/pay/{number}.log" in told for number in range(20)) >= 18
    assert put(TerselyMemoryBlock(), []) == ""
    messages = [
        ChatMessage(role=MessageRole.SYSTEM, content="Be brief."),
        ChatMessage(role="user", blocks=[TextBlock(text="What is this?"), ImageBlock(url="http://x/y.png")]),
        ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [{"name": "look"}]}),
    ]
    told = put(TerselyMemoryBlock(), messages)
    assert (
        told == "user: (system)\nBe brief.\n\nuser: What is this?\n[image]\n\nassistant: \n[{'name': 'look'}]"
    )


@pytest.mark.parametrize("budget", [300, 900])
def test_what_the_user_said_in_the_middle_is_told_word_for_word(budget: int) -> None:
    messages = turns(20)
    for number, said in enumerate(SAID):
        messages.insert(6 + 8 * number, ChatMessage(role="user", content=f"Yes, go on. {said}"))
    told = put(TerselyMemoryBlock(budget=budget), messages)
    assert [said for said in SAID if said not in told] == []


@pytest.mark.parametrize("less", [0, 50, 10**6])
def test_it_can_be_cut_further(less: int) -> None:
    block = TerselyMemoryBlock(budget=600)
    told = put(block, turns(20))
    count = resolve_counter(None).count
    shorter = asyncio.run(block.atruncate(told, less))
    assert shorter is None if less == 10**6 else count(shorter or "") <= count(told) - less


def test_in_a_memory() -> None:
    async def run() -> tuple[list[ChatMessage], TerselyMemoryBlock]:
        block = TerselyMemoryBlock(budget=400)
        engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        memory = Memory.from_defaults(
            session_id="one",
            token_limit=1500,
            token_flush_size=300,
            memory_blocks=[block],
            async_engine=engine,
        )
        await memory.aput_messages(turns(20))
        sent = await memory.aget()
        await engine.dispose()
        return sent, block

    sent, block = asyncio.run(run())
    assert block.history, "the short-term memory let something go"
    assert "/srv/pay/0.log" in str(sent[0].content)
    assert "Payment 4719" in str(sent[-1].content)
