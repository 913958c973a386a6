"""Gateways in front of models: POST /v1/compress, GET /v1/retrieve/HASH, and LiteLLM's guardrail."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from result_shapes import LOG

pytest.importorskip("mcp.server.lowlevel")
pytest.importorskip("mcp_types")

from http_servers import ask, served
from tersely.errors import StoreError
from tersely.mcp.gateway import Gateway
from tersely.mcp.text_tools import text_tools
from tersely.models.counters import resolve_counter
from tersely.store import Store

COUNT = resolve_counter(None).count
CALL = {"id": "a", "type": "function", "function": {"name": "run", "arguments": '{"command": "make test"}'}}
HISTORY = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "Which payment timed out?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "a", "content": LOG},
    {"role": "user", "content": "And now?"},
]


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    with served(text_tools(), gateway=Gateway(lambda: Store.open(tmp_path / "s.sqlite"), budget=300)) as url:
        yield url


def compress(address: str, **body: Any) -> Any:
    status, answer = ask(address, "/v1/compress", body)
    assert status == 200, answer
    return answer


def test_long_results_come_back_shorter_and_can_be_retrieved(address: str, tmp_path: Path) -> None:
    answer = compress(address, messages=HISTORY, model="gpt-4o", config={"mode": "ccr"})
    made = answer["messages"]
    assert [*made[:3], made[4]] == [*HISTORY[:3], HISTORY[4]] and made[3] == HISTORY[3] | {
        "content": made[3]["content"]
    }
    assert COUNT(made[3]["content"]) <= 300 and "ERROR payment 4711" in made[3]["content"]
    (hash,) = answer["ccr_hashes"]
    assert f"hash={hash}" in made[3]["content"] and not answer["warnings"]
    assert answer["tokens_before"] - answer["tokens_after"] == answer["tokens_saved"] > 1000
    assert answer["compression_ratio"] == answer["tokens_after"] / answer["tokens_before"]
    status, whole = ask(address, f"/v1/retrieve/{hash}?query=payment", None, "GET")
    assert status == 200 and whole["original_content"] == LOG and whole["original_tokens"] == COUNT(LOG)
    again = compress(address, messages=[*HISTORY, made[4]], model="gpt-4o", config={"mode": "ccr"})
    assert again["messages"][:5] == made and again["ccr_hashes"] == [hash]  # a provider's cache holds
    with Store.open(tmp_path / "s.sqlite") as store:
        assert [use.expanded for use in store.uses()] == [False, True]


def test_options_change_the_answer_or_it_says_why_not(address: str, tmp_path: Path) -> None:
    answer = compress(address, messages=HISTORY, model="who-knows", config={"target_ratio": 0.1}, user="x")
    assert answer["ccr_hashes"] == [] and "hash=" not in answer["messages"][3]["content"]
    said = ["target_ratio is not looked at", "counted as o200k_base", "user is not looked at"]
    assert all(words in warning for words, warning in zip(said, answer["warnings"], strict=True))
    for config in ({"frozen_message_count": 4}, {"protect_recent": 2}):
        assert compress(address, messages=HISTORY, config=config)["messages"] == HISTORY
    small = compress(address, messages=HISTORY, token_budget=150)
    assert small["tokens_after"] <= 150 and "4711" in json.dumps(small["messages"])
    for body, words in (
        ({"messages": HISTORY, "config": {"mode": "best"}}, "config.mode must be one of ccr"),
        ({"messages": HISTORY, "config": {"protect_recent": -1}}, "config.protect_recent must be"),
        ({"messages": HISTORY, "token_budget": 5}, "does not fit into a budget of 5; "),
        ({"messages": "hello"}, "messages must be of type array"),
        ({"model": "gpt-4o"}, "messages is required"),
        ([], "must be an object"),
    ):
        status, answer = ask(address, "/v1/compress", body)
        assert status == 400 and words in answer["error"], answer
        if enough := re.search(r"(\d+) would do", answer["error"]):
            compress(address, **body | {"token_budget": int(enough[1])})
    for hash in ("0" * 16, "a", "../../etc/passwd", "A" * 16, ""):
        assert ask(address, f"/v1/retrieve/{hash}", None, "GET")[0] == 404
    assert ask(address, "/v1/retrieve/aa", {}, "POST")[0] == 405
    assert ask(address, "/v1/compress", None, "GET")[0] == 405


def test_a_bad_byte_is_read_as_elsewhere(address: str) -> None:
    body = json.dumps({"messages": HISTORY}).encode().replace(b"And now", b"And n\xff \xe2\x9c\x85")
    status, answer = ask(address, "/v1/compress", body)
    assert status == 200 and answer["messages"][4]["content"] == "And n\ufffd ✅?"
    assert "characters_replaced" in answer["warnings"]


def test_without_a_store_results_are_shorter_all_the_same_and_it_is_said() -> None:
    def fail() -> Store:
        raise StoreError("the disk is full")

    for gateway in (Gateway(budget=300), Gateway(fail, budget=300)):
        with served(text_tools(), gateway=gateway) as url:
            answer = compress(url, messages=HISTORY, config={"mode": "ccr"})
            assert COUNT(answer["messages"][3]["content"]) <= 300 and answer["ccr_hashes"] == []
            assert answer["warnings"] == ["there is no store: nothing can be retrieved"]
            assert ask(url, "/v1/retrieve/" + "0" * 16, None, "GET")[0] == 404


def test_who_serves_tools_alone_answers_no_gateway() -> None:
    with served(text_tools()) as url:
        assert ask(url, "/v1/compress", {"messages": HISTORY})[0] == 404


def test_litellms_guardrail_speaks_to_it(address: str) -> None:
    """The guardrail `headroom` of LiteLLM's proxy, as it stands in the package."""
    headroom = pytest.importorskip("litellm.proxy.guardrails.guardrail_hooks.headroom.headroom")
    from litellm.types.guardrails import GuardrailEventHooks

    guardrail = headroom.HeadroomGuardrail(
        api_base=address.removesuffix("/mcp"),
        api_key=None,
        model=None,
        guardrail_name="tersely",
        event_hook=GuardrailEventHooks.pre_call,
        default_on=True,
    )
    other = {**CALL, "id": "b"}
    later = [
        {"role": "assistant", "content": "Payment 4711."},
        *HISTORY[4:],
        {"role": "assistant", "content": None, "tool_calls": [other]},
        {"role": "tool", "tool_call_id": "b", "content": "done"},
        {"role": "user", "content": "Which was it?"},
    ]
    messages = [*HISTORY[:4], *later]

    async def run() -> tuple[Any, str]:
        data: dict[str, Any] = {"model": "gpt-4o", "messages": messages, "metadata": {}}
        made = await guardrail.apply_guardrail({"structured_messages": messages}, data, "request")
        (hash,) = re.findall(r"hash=([0-9a-f]+)", made["structured_messages"][3]["content"])
        wanted = inspect.signature(guardrail._call_retrieve).parameters  # newer ones take a request, too
        given = {"hash_value": hash, "query": "payment"}
        return made, await guardrail._call_retrieve(**{name: given.get(name) for name in wanted})

    made, whole = asyncio.run(run())
    sent = made["structured_messages"]
    assert len(sent) == len(messages) and whole == LOG
    assert COUNT(sent[3]["content"]) <= 300 and "ERROR payment 4711" in sent[3]["content"]
    assert [message for n, message in enumerate(sent) if n != 3] == [*messages[:3], *messages[4:]]
    assert made["tools"][0]["function"]["name"] == "headroom_retrieve"
