"""Doors of agent frameworks that shorten results of tools: the real packages, with scripted models."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any

import pytest
from tersely.agents.tool_results import ResultShortener, ToolResultCompressor
from tersely.memory.messages import to_json
from tersely.models.counters import resolve_counter

COUNT = resolve_counter(None).count
LOG = "The worker started and wrote a row.\n" * 900 + "ERROR payment 4711 timed out\n"
QUESTION = "Which payment timed out?"


def short(text: Any) -> bool:
    return isinstance(text, str) and COUNT(text) <= 300 and "ERROR payment 4711 timed out" in text


def chat(name: str = "read_log") -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": LOG},
    ]


def test_histories_keep_their_bytes_and_their_files() -> None:
    messages = chat()
    before = copy.deepcopy(messages)
    first = ResultShortener(ToolResultCompressor(300)).shorten(messages)
    assert first[0] is messages[0] and first[1] is messages[1] and messages == before
    assert short(first[2]["content"]) and first[2]["tool_call_id"] == "c1"
    later = [
        *messages,
        {"role": "assistant", "content": "4711."},
        {"role": "user", "content": "And now?"},
        *chat(),
    ]
    second = ResultShortener(ToolResultCompressor(300)).shorten(later)
    assert second[:3] == first and second[-1] == first[2]
    shortener = ResultShortener(ToolResultCompressor(300))
    files = chat("read_file")
    assert shortener.shorten(files)[2] is files[2]
    for odd in ([object()], [{"role": "user", "content": "\ud800"}]):
        assert shortener.shorten(odd) == odd


ROWS = "day,amount\n" + "".join(f"2026-11-{row % 28 + 1:02},{row}\n" for row in range(900))


def with_results(*calls: tuple[str, dict[str, Any], str]) -> list[dict[str, Any]]:
    """One message with the results of several calls, as Anthropic's interface has them."""
    made = [
        {"type": "tool_use", "id": f"c{number}", "name": name, "input": arguments}
        for number, (name, arguments, _) in enumerate(calls)
    ]
    results = [
        {"type": "tool_result", "tool_use_id": f"c{number}", "content": text}
        for number, (_, _, text) in enumerate(calls)
    ]
    return [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": made},
        {"role": "user", "content": [*results, {"type": "text", "text": "And now?"}]},
    ]


@pytest.mark.parametrize("order", [1, -1])
def test_results_in_one_message_are_of_their_own_tools(order: int) -> None:
    calls = [("Bash", {"command": "cat run.log"}, LOG), ("Read", {"file_path": "run.log"}, LOG)][::order]
    messages = with_results(*calls)
    sent = ResultShortener(ToolResultCompressor(300)).shorten(messages)[2]["content"]
    bash, read = sent[:2][::order]
    assert short(bash["content"]) and read["content"] == LOG
    assert sent[2] == messages[2]["content"][2] and [block["tool_use_id"] for block in sent[:2]] == [
        "c0",
        "c1",
    ]


def test_results_in_one_message_have_the_whole_budget_each() -> None:
    messages = with_results(("Bash", {}, LOG), ("Bash", {"cwd": "/srv"}, LOG), ("Bash", {"cwd": "/"}, LOG))
    sent = ResultShortener(ToolResultCompressor(300)).shorten(messages)[2]["content"]
    alone = ResultShortener(ToolResultCompressor(300)).shorten(with_results(("Bash", {}, LOG)))[2]["content"]
    assert [block["content"] for block in sent[:3]] == [alone[0]["content"]] * 3
    rows = [{"id": row, "state": "failed" if row == 77 else "done"} for row in range(900)]
    result = {"functionResponse": {"name": "rows", "response": {"rows": rows}}}
    messages = [
        {"role": "user", "parts": [{"text": "Which one failed?"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "rows", "args": {}}}]},
        {"role": "user", "parts": [result, result]},
    ]
    for block in ResultShortener(ToolResultCompressor(300)).shorten(messages)[2]["parts"]:
        kept = block["functionResponse"]["response"]["rows"]
        assert rows[77] in kept and COUNT(to_json(kept)) <= 300


@pytest.mark.parametrize("arguments", [{"path": "book.csv"}, {"command": "cat book.csv"}, {}])
def test_results_in_histories_are_read_as_what_their_calls_say(arguments: dict[str, Any]) -> None:
    told: list[dict[str, Any]] = []

    class Compressor(ToolResultCompressor):
        def compress_or_leave(
            self, result: Any, query: str | None = None, name: str | None = None, arguments: Any = None
        ) -> Any:
            told.append({"query": query, "name": name, "arguments": arguments})
            return super().compress_or_leave(result, query, name, arguments)

    ResultShortener(Compressor(300)).shorten(with_results(("show", arguments, ROWS)))
    assert told == [
        {"query": QUESTION, "name": "show", "arguments": json.dumps(arguments, separators=(",", ":"))}
    ]


def test_openai_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("agents.items", reason="pip install 'tersely[openai-agents]'")
    from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage, function_tool
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
    from tersely.integrations.openai_agents import shorten_model_input

    seen: list[list[Any]] = []

    class Scripted(Model):
        async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
            seen.append(copy.deepcopy(options["input"] if "input" in options else args[1]))
            if len(seen) < 3:
                call = ResponseFunctionToolCall(
                    call_id=f"c{len(seen)}", name="read_log", arguments="{}", type="function_call"
                )
                return ModelResponse(output=[call], usage=Usage(), response_id=None)
            text = ResponseOutputText(text="4711.", type="output_text", annotations=[])
            said = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **options: Any) -> Any:
            raise NotImplementedError

    @function_tool
    def read_log() -> str:
        """Read the log."""
        return LOG

    agent = Agent(name="a", model=Scripted(), tools=[read_log])
    config = RunConfig(call_model_input_filter=shorten_model_input(300), tracing_disabled=True)
    result = asyncio.run(Runner.run(agent, QUESTION, run_config=config))
    assert result.final_output == "4711."
    outputs = [item for item in seen[2] if item.get("type") == "function_call_output"]
    assert len(outputs) == 2 and all(short(item["output"]) for item in outputs)
    assert seen[2][: len(seen[1])] == seen[1], "what was sent stays the same"
    whole = [item for item in result.to_input_list() if item.get("type") == "function_call_output"]
    assert all(item["output"] == LOG for item in whole)


def test_pydantic_ai() -> None:
    pytest.importorskip("pydantic_ai.capabilities", reason="pip install 'tersely[pydantic-ai]'")
    from pydantic_ai import Agent
    from pydantic_ai.capabilities import ProcessHistory
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
    from pydantic_ai.models.function import FunctionModel
    from tersely.integrations.pydantic_ai import shorten_history

    seen: list[list[Any]] = []

    def scripted(messages: list[Any], _: Any) -> ModelResponse:
        seen.append(copy.deepcopy(messages))
        done = len(seen) == 3
        return ModelResponse(parts=[TextPart("4711.") if done else ToolCallPart("read_log", {})])

    agent = Agent(FunctionModel(scripted), capabilities=[ProcessHistory(shorten_history(300))])

    @agent.tool_plain
    def read_log() -> str:
        return LOG

    result = asyncio.run(agent.run(QUESTION))  # its run_sync leaves a loop open
    assert result.output == "4711."

    def returned(messages: list[Any]) -> list[Any]:
        return [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]

    assert [len(returned(messages)) for messages in seen] == [0, 1, 2]
    assert all(short(part.content) for part in returned(seen[2]))
    assert returned(seen[2])[0] == returned(seen[1])[0], "what was sent stays the same"


def test_litellm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # asks nobody
    pytest.importorskip("litellm", reason="pip install 'tersely[litellm]'")
    from litellm.integrations.custom_logger import CustomLogger
    from tersely.integrations.litellm import TerselyHook

    hook = TerselyHook(300)
    assert isinstance(hook, CustomLogger)
    items = [
        {"type": "message", "role": "user", "content": QUESTION},
        {"type": "function_call", "call_id": "c1", "name": "read_log", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": LOG},
    ]
    for key, given in (("messages", chat()), ("input", items)):
        data = {"model": "m", key: given, "stream": True}
        sent = asyncio.run(hook.async_pre_call_hook(None, None, data, "completion"))
        assert short(sent[key][2].get("content", sent[key][2].get("output")))
        assert {**sent, key: given} == data and data[key][2] == given[2]
    text = {"model": "m", "input": "one text"}
    assert asyncio.run(hook.async_pre_call_hook(None, None, text, "embeddings")) == text
