"""Haystack's compactor of chats, with the real library."""

from __future__ import annotations

import asyncio

import pytest
from sample_texts import SAID
from tersely import BudgetExceededError
from tersely.memory import compact_messages

pytest.importorskip("haystack", reason="pip install 'tersely[haystack]'")

from haystack import Pipeline
from haystack.dataclasses import ChatMessage, ToolCall
from tersely.integrations.haystack_chat import TerselyCompactor

LOG = "\n".join(f"2026-01-{day % 28 + 1:02d} 10:00:00 INFO worker {day} started" for day in range(100))


def history(turns: int = 8) -> list[ChatMessage]:
    messages = [ChatMessage.from_system("Answer briefly."), ChatMessage.from_user("Which payment timed out?")]
    for number in range(turns):
        call = ToolCall("read_log", {"path": f"/srv/pay/{number}.log"}, id=f"call-{number}")
        messages.append(ChatMessage.from_assistant(tool_calls=[call]))
        messages.append(
            ChatMessage.from_tool(f"{LOG}\nERROR payment {number}", origin=call, meta={"n": number})
        )
    return [*messages, ChatMessage.from_assistant("Payment 4711."), ChatMessage.from_user("In which file?")]


def tokens(messages: list[ChatMessage]) -> int:
    return compact_messages([m.to_openai_dict_format() for m in messages], budget=10**6).tokens


@pytest.mark.parametrize("budget", [700, 3000])
def test_a_history_keeps_to_the_budget(budget: int) -> None:
    given = history()
    found = TerselyCompactor(budget, keep_last=2).run(given)
    sent, report = found["messages"], found["report"]
    assert tokens(sent) == report["tokens"] <= budget < tokens(given)
    assert sent[0] is given[0]
    assert [after is before for after, before in zip(sent[-2:], given[-2:], strict=True)] == [True, True]
    called = [call.id for message in sent for call in message.tool_calls]
    answered = [result.origin.id for message in sent for result in message.tool_call_results]
    assert called == answered
    by_id = {m.tool_call_results[0].origin.id: m for m in given if m.tool_call_results}
    for message in sent:
        if message.tool_call_results:
            (result,) = message.tool_call_results
            before = by_id[result.origin.id]
            assert (result.origin, message.meta) == (before.tool_call_results[0].origin, before.meta)
    assert len(report["accounts"]) == len(given)
    assert given == history()
    assert asyncio.run(TerselyCompactor(budget, keep_last=2).run_async(given)) == found


@pytest.mark.parametrize("budget", [500, 1500])
def test_what_the_user_said_in_the_middle_stands_word_for_word(budget: int) -> None:
    given = history(12)
    for number, said in enumerate(SAID):
        given.insert(6 + 7 * number, ChatMessage.from_user(f"Yes, go on. {said}"))
    sent = TerselyCompactor(budget).run(given)["messages"]
    text = "\n".join(message.text or "" for message in sent)
    assert [said for said in SAID if said not in text] == []


def test_results_of_tools_are_shortened_in_place_and_what_fits_is_the_same() -> None:
    given = history(1)
    found = TerselyCompactor(tokens(given) // 2).run(given)
    outcomes = [account["outcome"] for account in found["report"]["accounts"]]
    assert outcomes == ["verbatim", "verbatim", "verbatim", "compressed", "verbatim", "verbatim"]
    (short,) = found["messages"][3].tool_call_results
    assert len(short.result) < len(LOG)
    assert "ERROR payment 0" in short.result
    given = history()
    found = TerselyCompactor(10**6).run(given)["messages"]
    assert all(after is before for after, before in zip(found, given, strict=True))
    assert TerselyCompactor(10).run([])["messages"] == []
    with pytest.raises(BudgetExceededError):
        TerselyCompactor(5).run(given)
    with pytest.raises(TypeError, match="counter"):
        TerselyCompactor(5, counter=len)  # type: ignore[arg-type]


def test_results_in_blocks_are_shortened_in_their_blocks() -> None:
    contents = pytest.importorskip("haystack.dataclasses", reason="blocks of results came with Haystack 2.22")
    if not hasattr(contents, "FileContent"):
        pytest.skip("this Haystack has results of text alone")
    call = ToolCall("read_log", {}, id="call-0")
    blocks = [contents.TextContent(f"{LOG}\nERROR payment 0"), contents.TextContent("Read to its end.")]
    given = [ChatMessage.from_user("Why?"), ChatMessage.from_assistant(tool_calls=[call])]
    given += [ChatMessage.from_tool(blocks, origin=call), ChatMessage.from_user("And now?")]
    sent = TerselyCompactor(tokens(given) // 2).run(given)["messages"]
    (result,) = sent[2].tool_call_results
    assert [type(block) for block in result.result] == [type(block) for block in blocks]
    assert "ERROR payment 0" in result.result[0].text and len(result.result[0].text) < len(LOG)
    assert result.result[1] == blocks[1] and result.origin == call


def test_in_a_pipeline_that_was_written_to_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HAYSTACK_DESERIALIZATION_ALLOWLIST", "tersely.*")
    pipeline = Pipeline()
    pipeline.add_component("compactor", TerselyCompactor(700, counter="cl100k_base", keep_last=1))
    again = Pipeline.loads(pipeline.dumps())
    inputs = {"compactor": {"messages": history()}}
    assert again.run(inputs) == pipeline.run(inputs)
