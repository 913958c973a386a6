"""Compression over HTTP with a server that misbehaves: the result is right, or the error is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tersely
from model_server import Server, running
from sample_texts import prose
from tersely import SummarizationError
from tersely.memory import MemoryCompactor, REPLHistory
from tersely.models.counters import resolve_counter
from tersely.models.openai import OpenAILanguageModel
from tersely.models.recorded import Recorder, Replayer
from tersely.retrieval import ContentSummarizer
from tersely.strategies import AbstractiveCompressor, CompressionOptions, Hybrid, HybridCompressor
from written_checks import check_written, first_sentences

openai = pytest.importorskip("openai", reason="openai is not installed")

TEXT = prose(120)
count = resolve_counter(None).count
OPTIONS = CompressionOptions(min_confidence=0.5)


@pytest.fixture
def server() -> Iterator[Server]:
    with running() as made:
        made.reply = first_sentences
        yield made


@pytest.fixture
def model(server: Server) -> Iterator[OpenAILanguageModel]:
    made = OpenAILanguageModel("chat", base_url=server.url, api_key="sk-secret", timeout=5, max_retries=1)
    yield made
    made.client.close()


def compress(model: Any, **options: Any) -> tersely.Compressed:
    strategy = Hybrid(model, min_confidence=0.5, **options)
    result = tersely.compress(TEXT, strategy=strategy)
    check_written(result, count)
    return result


@pytest.mark.parametrize("mishap", [429, 500, 401, "cut", "garbage"])
def test_a_server_that_stays_broken_costs_nothing(
    server: Server, model: OpenAILanguageModel, mishap: int | str
) -> None:
    server.mishaps = [mishap] * 9
    result = compress(model)
    assert result.receipt.fallback_reason == "model_failed" and not result.receipt.used_llm
    assert result.text == tersely.compress(TEXT, strategy=Hybrid()).text
    server.mishaps = [mishap] * 9
    with pytest.raises(SummarizationError) as raised:
        AbstractiveCompressor(model).compress(TEXT)
    assert raised.value.__cause__ is not None
    assert "sk-secret" not in f"{raised.value}"


def test_a_reply_that_ended_at_the_limit_of_tokens(
    server: Server, model: OpenAILanguageModel, tmp_path: Path
) -> None:
    half = {"message": {"role": "assistant", "content": "Half of a"}, "finish_reason": "length"}
    server.reply, server.choices = None, [{"index": 0, **half}]
    recorder = Recorder(model, tmp_path / "replies.sqlite", name="chat")
    assert compress(recorder).receipt.fallback_reason == "reply_truncated"
    assert len(server.requests) == 2 and "cut off at the model's limit of tokens" in server.prompts[1]
    assert compress(Replayer(recorder.path)).receipt.fallback_reason == "reply_truncated"
    summarizer = ContentSummarizer(model)
    with pytest.raises(SummarizationError, match="reply_truncated"):
        summarizer.summarize_sync(TEXT)
    history = REPLHistory()
    for number in range(12):
        history = history.append(f"Step {number}", "x", "ok")
    assert MemoryCompactor(model=model).compact(history).fallback_reason == "reply_truncated"


def test_a_recorded_run_is_repeated_without_the_server(
    server: Server, model: OpenAILanguageModel, tmp_path: Path
) -> None:
    path = tmp_path / "replies.sqlite"
    server.mishaps = [500, 500]  # the first prompt's error is recorded too
    recorder = Recorder(model, path, name="chat")
    contents = [TEXT, prose(105), "short"]
    recorded = [HybridCompressor(recorder).compress(content, OPTIONS) for content in contents]
    asked = len(server.requests)
    replayer = Replayer(path)
    assert [HybridCompressor(replayer).compress(content, OPTIONS) for content in contents] == recorded
    assert [result.fallback_reason for result in recorded] == ["model_failed", None, None]
    assert len(server.requests) == asked
    recorder.close()
    assert b"sk-secret" not in path.read_bytes()
