"""The openai client against a real HTTP server on this machine."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from tersely.errors import MissingExtraError, ModelReplyError
from tersely.providers.cached import CachedEmbedder
from tersely.providers.embedders import resolve_embedder
from tersely.providers.language_models import complete_all, resolve_language_model
from tersely.providers.openai import OpenAIEmbedder, OpenAILanguageModel
from tersely.relevance import RelevanceScorer, ScoringMethod

openai = pytest.importorskip("openai", reason="openai is not installed")


def letters(text: str) -> list[float]:
    return [1.0 + text.count("a"), 1.0 * text.count("b")]


class Server(ThreadingHTTPServer):
    """Answers as told; `statuses` are given first, one a request."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Endpoint)
        self.requests: list[tuple[str, Any]] = []
        self.statuses: list[int] = []
        self.delay = 0.0
        self.embeddings: Any = lambda texts: [
            {"object": "embedding", "index": index, "embedding": letters(text)}
            for index, text in reversed(list(enumerate(texts)))
        ]
        self.choices: Any = [{"index": 0, "message": {"role": "assistant", "content": "1: 10"}}]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news."""


class Endpoint(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, request))
        time.sleep(self.server.delay)
        status = self.server.statuses.pop(0) if self.server.statuses else 200
        if status != 200:
            self.answer(status, {"error": {"message": "not now"}})
        elif self.path == "/v1/embeddings":
            self.answer(200, {"object": "list", "data": self.server.embeddings(request["input"])})
        else:
            self.answer(200, {"id": "1", "object": "chat.completion", "choices": self.server.choices})

    def answer(self, status: int, content: Any) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def embedder(server: Server) -> Iterator[OpenAIEmbedder]:
    made = OpenAIEmbedder("small", base_url=server.url, api_key="none", batch_size=2)
    yield made
    made.client.close()


@pytest.fixture
def model(server: Server) -> Iterator[OpenAILanguageModel]:
    made = OpenAILanguageModel("chat", base_url=server.url, api_key="none", timeout=5)
    yield made
    made.client.close()


def test_vectors_come_in_the_order_of_the_texts(server: Server, embedder: OpenAIEmbedder) -> None:
    texts = ["aab", "b", "abbb", "", "bb"]
    assert embedder.embed(texts).tolist() == [letters(text) for text in texts]
    assert [len(request["input"]) for _, request in server.requests] == [2, 2, 1]
    assert {(path, request["model"]) for path, request in server.requests} == {("/v1/embeddings", "small")}


def test_no_texts_are_no_request(server: Server, embedder: OpenAIEmbedder) -> None:
    assert resolve_embedder(embedder).embed([]).shape == (0, 0)
    assert server.requests == []


def test_a_busy_server_is_asked_again(server: Server, embedder: OpenAIEmbedder) -> None:
    server.statuses = [429, 500]
    assert len(embedder.embed(["a"])) == 1
    assert len(server.requests) == 3


def test_a_server_that_stays_down_is_the_clients_error(server: Server, embedder: OpenAIEmbedder) -> None:
    server.statuses = [500] * 9
    with pytest.raises(openai.InternalServerError):
        embedder.embed(["a"])
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    "data",
    [
        [],
        None,
        "vectors",
        [{"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 7, "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": [], "embedding": [2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [2.0, 3.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": "text"}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": None}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [None]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [{}]}],
        [{"index": 0, "embedding": []}, {"index": 1, "embedding": []}],
        [1, 2],
    ],
)
def test_replies_that_are_no_vectors(server: Server, embedder: OpenAIEmbedder, data: Any) -> None:
    server.embeddings = lambda texts: data
    with pytest.raises(ModelReplyError):
        resolve_embedder(embedder).embed(["a", "b"])


def test_a_cache_saves_requests(server: Server, embedder: OpenAIEmbedder, tmp_path: Any) -> None:
    cache = CachedEmbedder(embedder, path=tmp_path / "vectors")
    first = cache.embed(["a", "b"])
    assert np.array_equal(cache.embed(["b", "a"]), first[::-1])
    assert len(server.requests) == 1
    assert embedder.name == f"openai:{server.url}/:small:"
    cache.close()


def test_a_prompt_is_one_user_message(server: Server, model: OpenAILanguageModel) -> None:
    assert model.complete("How many?") == "1: 10"
    assert server.requests == [
        (
            "/v1/chat/completions",
            {"model": "chat", "temperature": 0, "messages": [{"role": "user", "content": "How many?"}]},
        )
    ]


@pytest.mark.parametrize(
    "choices",
    [
        [],
        None,
        "choices",
        [{}],
        [{"message": None}],
        [{"message": {"content": None}}],
        [{"message": {"content": " \n"}}],
        [{"message": {"content": ["a"]}}],
    ],
)
def test_replies_without_text(server: Server, model: OpenAILanguageModel, choices: Any) -> None:
    server.choices = choices
    with pytest.raises(ModelReplyError, match="chat gave a reply without text"):
        model.complete("How many?")


def test_a_slow_server_times_out(server: Server) -> None:
    server.delay = 0.5
    with openai.OpenAI(base_url=server.url, api_key="none", timeout=0.05, max_retries=0) as client:
        model = OpenAILanguageModel("chat", client=client)
        started = time.monotonic()
        (reply,) = complete_all(resolve_language_model(model), ["How many?"], 1)
        assert isinstance(reply, openai.APITimeoutError)
        assert time.monotonic() - started < 0.4


def test_a_client_alone_does_not_say_which_model(server: Server) -> None:
    with (
        openai.OpenAI(base_url=server.url, api_key="none") as client,
        pytest.raises(TypeError, match=r"use tersely\.providers\.openai\.OpenAILanguageModel\(model"),
    ):
        resolve_language_model(client)


def test_relevance_over_http(server: Server, model: OpenAILanguageModel) -> None:
    server.choices = [{"message": {"content": "1: 10\n2: 1\n"}}]
    scores = RelevanceScorer("llm", llm=model).score_sync(["the fee", "the rain"], "what does it cost?")
    assert [score.overall_score for score in scores] == [1.0, 0.0]
    assert {score.method for score in scores} == {ScoringMethod.LLM}
    server.statuses = [500] * 9
    scores = RelevanceScorer("llm", llm=model).score_sync(["the fee", "the rain"], "what does it cost?")
    assert scores.warnings == ("llm_failed",)
    assert "InternalServerError" in str(scores.fallback_reason)


def test_a_missing_package_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"openai is not installed.*'tersely\[openai\]'"):
        OpenAIEmbedder("small")
