"""POST /compress: a real server on a real port, called over plain HTTP."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
import tersely

pytest.importorskip("mcp")

import http_servers
from http_servers import served
from tersely.mcp.text_tools import text_tools

LOG = "The worker started and wrote a row.\n" * 900 + "ERROR payment 4711 timed out\n"
JSON = {"content-type": "application/json"}


ask = partial(http_servers.ask, path="/compress")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(text_tools(), body=200_000) as url:
        yield url


def test_a_text_is_compressed(address: str) -> None:
    status, answer = ask(address, body={"text": LOG, "query": "which payment timed out?", "budget": 60})
    assert status == 200 and answer["tokens"] <= 60 and "ERROR payment 4711 timed out" in answer["text"]
    kept = "".join(LOG[start:end] for start, end in answer["kept"])
    assert "4711" in kept and answer["original_tokens"] > 5000


def test_all_of_a_budget_is_for_the_text(address: str) -> None:
    text = "Keys rotate every 24 hours. The job runs at 01:50. It was written in 2019."
    status, answer = ask(address, body={"text": text, "budget": 1000})
    assert status == 200 and answer["text"] == text
    assert ask(address, body={"text": text, "budget": answer["tokens"]}) == (status, answer)
    short = tersely.compress(text, "When does the job run?", budget=10)
    status, answer = ask(address, body={"text": text, "query": "When does the job run?", "budget": 10})
    assert status == 200 and answer["text"] == short.text and answer["tokens"] <= 10


def test_a_result_of_a_tool_comes_back_in_its_shape(address: str) -> None:
    result = {"content": [{"type": "text", "text": LOG}], "isError": False}
    status, answer = ask(address, body={"result": result, "budget": 80, "name": "read_log"})
    assert status == 200 and answer["status"] == "compressed" and answer["tokens"] <= 80
    assert set(answer["result"]) == set(result) and "4711" in answer["result"]["content"][0]["text"]
    status, answer = ask(address, body={"result": result, "budget": 80, "name": "read_file"})
    assert status == 200 and answer["status"] == "kept" and answer["result"] == result
    rows = [{"row": row} for row in range(500)]
    status, answer = ask(address, body={"result": rows, "budget": 200})
    assert status == 200 and isinstance(answer["result"], list) and len(answer["result"]) < 500


@pytest.mark.parametrize(
    ("body", "headers", "status", "said"),
    [
        (b"{", {}, 400, "is not JSON"),
        (b"\xff", {}, 400, "the body cannot be read: 'utf-8' codec can't decode byte 0xff"),
        (b"[" * 100_000, {}, 400, "nested too deeply; 500 levels are allowed"),
        (b'{"result": {"share": NaN}}', {}, 400, "NaN is no number of JSON"),
        (b'{"result": [-Infinity]}', {}, 400, "-Infinity is no number of JSON"),
        (b'{"result": [1e999]}', {}, 400, "1e999 is no number of JSON"),
        (b'{"result": {"row": 1, "row": 2}}', {}, 400, "has the key 'row' twice"),
        ([], {}, 400, "must be an object"),
        ({}, {}, 400, 'either "text" or "result"'),
        ({"text": "a", "result": "a"}, {}, 400, 'either "text" or "result"'),
        ({"text": 1}, {}, 400, "text must be of type string"),
        ({"text": "a", "budget": 0}, {}, 400, "budget"),
        ({"text": "a", "budget": 9, "ratio": 0.3}, {}, 400, "budget and ratio both say how much stays"),
        ({"text": "a", "path": "/etc/passwd"}, {}, 400, "unknown argument 'path'"),
        ({"text": "a"}, {"content_type": "text/plain"}, 415, "application/json"),
        ({"text": "a" * 200_000}, {}, 413, "at most 200,000 bytes"),
    ],
)
def test_what_is_wrong_is_said(
    address: str, body: Any, headers: dict[str, str], status: int, said: str
) -> None:
    found, answer = ask(address, body=body, **headers)
    assert found == status and said in (answer["error"] if isinstance(answer, dict) else answer)


@pytest.mark.parametrize(
    "given",
    [
        b'{"result": ' + b"[" * 450 + b"]" * 450 + b"}",
        b'{"result": ' + b'{"a":' * 800 + b"[]" + b"}" * 800 + b"}",
        b'{"result": "short", "arguments": ' + b"[" * 800 + b"]" * 800 + b"}",
        b'{"result": {"a\\ud800": 1, "a\\ud801": ["\\udfff", "\\ud83d\\ude00"]}}',
    ],
    ids=["lists", "objects", "arguments", "surrogates"],
)
def test_a_result_that_fits_comes_back_as_it_came(address: str, given: bytes) -> None:
    status, answer = ask(address, body=given[:-1] + b', "budget": 100000}')
    assert status == 200 and answer["result"] == json.loads(given)["result"]


def test_other_methods_are_refused(address: str) -> None:
    assert ask(address, body=b"", method="GET")[0] == 405 and ask(address, body=b"", method="PUT")[0] == 405


def test_a_body_without_a_length_is_limited_too(address: str) -> None:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=30)
    try:
        connection.request("POST", "/compress", (b"a" * 1000 for _ in range(300)), JSON, encode_chunked=True)
        assert connection.getresponse().status == 413
    except (BrokenPipeError, ConnectionResetError):  # it was cut off before all was sent
        pass
    finally:
        connection.close()


def test_a_long_call_ends_at_the_deadline() -> None:
    with served(text_tools(), deadline=0.001) as url:
        status, answer = ask(url, body={"text": LOG * 50, "budget": 60})
        assert status == 504 and "longer than 0.001 seconds" in answer["error"]
