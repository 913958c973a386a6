"""The same calls by every wire: the library, MCP, HTTP, hooks, the command. All say the same, in JSON."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any
from unittest import mock

import tersely
from result_shapes import MAPPINGS
from tersely.agents import compress_tool_result
from tersely.agents.hook import AGENTS
from tersely.cli.main import main
from tersely.documents import to_documents
from tersely.mcp.compress_door import compress_routes
from tersely.mcp.gateway import Gateway
from tersely.mcp.text_tools import text_tools

from promises.arguments import query, tokens_of
from promises.check import Call, Door, budget_for
from promises.documents import as_read, document, words
from promises.histories import SHAPES, steps_of
from promises.results import strict_json
from promises.tool_results import with_texts_of

_ODD = [
    float("nan"), float("inf"), -float("inf"), 10**30, -0.0, 1e-320, "\ud800", "\x00", "\u2028", "", None,
]  # fmt: skip


def _odd(random: Random, depth: int = 0) -> Any:
    """Data that is at the border of JSON, or over it."""
    kind = random.random()
    if depth > 3 or kind < 0.4:
        return random.choice([*_ODD, words(random), document(random)[:2000]])
    if kind < 0.7:
        return [_odd(random, depth + 1) for _ in range(random.randrange(6))]
    return {
        random.choice(["a", "b", "\ud800", "", "role", "content"]): _odd(random, depth + 1) for _ in range(4)
    }


def _deep(random: Random) -> Any:
    value: Any = document(random)[:1000]
    for _ in range(random.choice([10, 100, 400, 900])):
        value = [value] if random.random() < 0.5 else {"a": value}
    return value


def _result(random: Random) -> Any:
    kind = random.random()
    if kind < 0.5:
        given = with_texts_of(random, MAPPINGS[random.choice(list(MAPPINGS))])
        return as_read(given.decode("utf-8", "replace")) if isinstance(given, (bytes, bytearray)) else given
    if kind < 0.8:
        return {"stdout": document(random), "data": _odd(random)}
    return random.choice([_odd, _deep])(random)


def _sendable(value: Any) -> Any:
    """What other wires than the library's get: JSON as its standard has it, or None."""
    try:
        return strict_json(json.dumps(value))
    except (ValueError, RecursionError):
        return None


def post(path: str, body: Any) -> tuple[int, Any]:
    """The status and the strict JSON of an answer of the application of HTTP."""
    import anyio
    from starlette.applications import Starlette

    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": data}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"content-type", b"application/json"), (b"host", b"localhost")]
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    anyio.run(Starlette(routes=compress_routes(gateway=Gateway())), scope, receive, send)
    return sent[0]["status"], strict_json(sent[1]["body"])


@contextmanager
def _streams(given: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Standard streams of a command, and a home folder of its own."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        tempfile.TemporaryDirectory() as home,
        mock.patch.dict(os.environ, {"HOME": home, "XDG_STATE_HOME": home}),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(given))),
        mock.patch.object(sys, "stdout", io.TextIOWrapper(out, "utf-8", write_through=True)),
        mock.patch.object(
            sys, "stderr", io.TextIOWrapper(err, "utf-8", "backslashreplace", write_through=True)
        ),
    ):
        yield out, err


def command(given: bytes, *words: str) -> tuple[int, bytes, str]:
    """Exit code, output and errors of a command that reads standard input."""
    with _streams(given) as (out, err):
        try:
            code = main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, out.getvalue(), err.getvalue().decode()


def _said_so(error: str) -> bool:
    """Whether an error of a budget says which one would do."""
    return "would do" in error


def text(random: Random) -> Call:
    """A text by HTTP, MCP and the command: what the library makes of it."""
    said = as_read(document(random)).replace("\ufeff", "")
    asked = query(random, [said])
    asked = None if asked is None else as_read(asked).replace("\x00", "") or None
    by_mcp = random.random() < 0.3

    def run(budget: int) -> Any:
        library: Any = None
        try:
            library = tersely.compress(to_documents(said), asked, budget=budget)
        except tersely.BudgetExceededError as error:
            library = error
        arguments = {"text": said, "budget": budget} | ({"query": asked} if asked else {})
        options = ["--query=" + asked] if asked else []
        return (
            library,
            post("/compress", arguments),
            command(said.encode(), "compress", "-", f"--budget={budget}", *options),
            command(said.encode(), "compress", "-", f"--budget={budget}", "--json", *options),
            _mcp(arguments) if by_mcp else None,
        )

    def check(made: Any, budget: int) -> list[str]:
        library, (status, answer), (code, out, err), (json_code, json_out, json_err), reply = made
        wrong = [f"{said} on standard error" for said in (err, json_err) if "Traceback" in said]
        if isinstance(library, tersely.BudgetExceededError):
            if status != 400 or not _said_so(answer["error"]) or (code, json_code) != (1, 1):
                wrong.append(f"{status} {answer}, exit codes {code}, {json_code} for {library}")
            return wrong
        if status != 200 or answer["text"] != library.text:
            wrong.append(f"HTTP gives {status} {str(answer)[:300]}")
        ends = "" if not library.text or library.text.endswith("\n") else "\n"
        if code or out.decode() != library.text + ends:
            wrong.append(f"the command gives {code} {out[:300]!r} {err[:300]}")
        told = {} if json_code else strict_json(json_out)
        if told.get("text") != library.text or told.get("kept") != library.to_dict()["kept"]:
            wrong.append(f"the command's JSON is another result: {json_code} {json_err[:300]}")
        if reply is not None and not reply.is_error:
            tokens = tokens_of([reply.content[0].text], "", "o200k_base")
            wrong += [f"{tokens} tokens by MCP for {budget}"] if tokens > budget else []
            strict_json(json.dumps(reply.structured_content))
        elif reply is not None and not _said_so(reply.content[0].text):
            wrong.append(f"MCP gives {reply.content[0].text[:300]}")
        return wrong

    return Call(
        run,
        max(budget_for(random, tokens_of([said], "", "o200k_base")), 1),
        check,
        lambda made: (str(getattr(made[0], "text", made[0])), made[1], made[2][:2], made[3][:2]),
        told={"text": said, "query": asked},
    )


def _mcp(arguments: Any) -> Any:
    from server_calls import call

    return call(text_tools(), "compress_text", **arguments)


def result(random: Random) -> Call:
    """A tool's result by HTTP and a hook: what the library makes of it, in strict JSON."""
    given = _result(random)
    sendable, name = _sendable(given), random.choice(["bash", "grep", "mcp__x__y"])
    chosen = {"query": random.choice([None, words(random, 4)]), "name": name}
    agent = random.choice(list(AGENTS))

    def run(budget: int) -> Any:
        body = {"result": given, "budget": budget} | {key: value for key, value in chosen.items() if value}
        event = {
            "hook_event_name": AGENTS[agent].event,
            "tool_name": name,
            "toolName": name,
            "tool_input": {"command": "ls"},
            "tool_response": given,
            "tool_output": json.dumps(given),
            "toolResult": {"resultType": "success", "textResultForLlm": json.dumps(given)},
        }
        try:
            made: Any = (
                compress_tool_result(sendable, budget=budget, **chosen) if sendable is not None else None
            )
        except tersely.BudgetExceededError as error:
            made = error
        event_words = ["hook", f"--agent={agent}", f"--budget={budget}"]
        return made, post("/compress", body), command(json.dumps(event).encode(), *event_words)

    def check(found: Any, budget: int) -> list[str]:
        made, (status, answer), (code, out, err) = found
        wrong = [] if code == 0 else [f"the hook's exit code is {code}: {err[:300]}"]
        if not isinstance(strict_json(out), dict):
            wrong.append(f"the hook answers {out[:300]!r}")
        if status not in (200, 400):
            wrong.append(f"HTTP gives {status} {str(answer)[:300]}")
        if sendable is None:
            return wrong
        if isinstance(made, tersely.BudgetExceededError):
            return wrong if status == 400 and _said_so(answer["error"]) else [*wrong, f"{status} for {made}"]
        if status == 200 and answer["result"] != made:
            wrong.append("HTTP gives another result than the library")
        elif status == 400:
            wrong.append(f"HTTP refuses what the library takes: {answer}")
        return wrong

    return Call(
        run, random.choice([5, 50, 300, 2000]), check, repr, told={"result": given, "agent": agent, **chosen}
    )


def history(random: Random) -> Call:
    """A history by a gateway and the command: what its provider takes, in strict JSON."""
    shapes = [(shape, rules) for shape, rules in SHAPES.items() if shape.__name__ != "_langchain"]
    shape, rules = random.choice(shapes)
    given = [message for step in steps_of(random, random.randint(1, 12)) for message in shape(step)]
    given = strict_json(as_read(json.dumps(given, ensure_ascii=False)))

    def run(budget: int) -> Any:
        body = {"messages": given, "token_budget": budget, "model": "gpt-4o"}
        written = command(
            json.dumps(given).encode(), "compact", "-", f"--budget={budget}", "--counter=o200k_base"
        )
        return post("/v1/compress", body), written

    def check(made: Any, budget: int) -> list[str]:
        (status, answer), (code, out, err) = made
        wrong = ["a traceback"] if "Traceback" in err else []
        if status == 200:
            wrong += [f"gateway: {broken}" for broken in rules(answer["messages"])]
        elif status != 400 or not _said_so(answer["error"]):
            wrong.append(f"the gateway gives {status} {answer}")
        if code == 0:
            wrong += [f"command: {broken}" for broken in rules(strict_json(out))]
        elif code != 1 or not _said_so(err):
            wrong.append(f"the command gives {code}: {err[:300]}")
        return wrong

    return Call(
        run,
        budget_for(random, tokens_of([json.dumps(given)], "", "o200k_base")) + 1,
        check,
        repr,
        told={"shape": shape.__name__, "history": given},
    )


def bytes_of_a_file(random: Random) -> Call:
    """Bytes of any sort on standard input of a command: it says what is wrong, without a traceback."""
    data = random.choice([as_read(document(random)).encode(), random.randbytes(random.randrange(400))])
    at = random.randint(0, len(data))
    data = (
        data[:at] + random.choice([b"", b"\xff", b"\x00", b"\xed\xa0\x80", b"\r\n", b"\x1b[2J"]) + data[at:]
    )
    commands: list[Callable[[int], list[str]]] = [
        lambda budget: ["compress", "-", f"--budget={budget}", "--json"],
        lambda budget: ["compress", "-", "--ratio=0.3", "--json", "--as=json"],
        lambda budget: ["segment", "-"],
        lambda budget: ["count", "-"],
        lambda budget: ["compact", "-", f"--budget={budget}"],
        lambda budget: ["hook", f"--budget={budget}"],
        lambda budget: ["hook", "--failures"],
    ]
    chosen = random.choice(commands)

    def check(made: Any, _: int) -> list[str]:
        code, out, err = made
        wrong = [] if code in (0, 1, 2) and "Traceback" not in err else [f"exit code {code}: {err[-500:]}"]
        if code == 0 and chosen(1)[0] in ("compress", "hook", "compact"):
            strict_json(out)
        return wrong + ([] if err or not code else ["it fails, and nothing says why"])

    return Call(
        lambda budget: command(data, *chosen(budget)),
        random.choice([1, 5, 100, 2000]),
        check,
        repr,
        told={"bytes": data, "words": chosen(7)},
    )


def wires_doors() -> dict[str, tuple[Door, int]]:
    """These doors, and how often each is tried."""
    return {
        "a text by every wire": (text, 4),
        "a result by every wire": (result, 4),
        "a history by every wire": (history, 2),
        "bytes to a command": (bytes_of_a_file, 3),
    }
