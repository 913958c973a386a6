"""`tersely mcp`: serve tools to agents, or wrap another server; `tersely ab`: compare two search tools."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.cli.arguments import Commands, Parser, add_command
from tersely.cli.files import read_text
from tersely.cli.loading import model_of
from tersely.cli.store import result_store
from tersely.cli.terminal import InputError, say, write
from tersely.text import parse_json

if TYPE_CHECKING:
    from tersely.agents.tool_results import ToolResultReport
    from tersely.mcp.query_tools import QueryTools
    from tersely.retrieval.index import Index

TOKEN = "TERSELY_MCP_TOKEN"  # environment variable

_MCP_EXAMPLES = f"""examples:
  tersely mcp --index docs/.tersely
  tersely mcp --index docs/.tersely --http --port 8765      # GET /health and /ready for monitoring
  tersely mcp --store context.sqlite --model gpt-4o-mini
  tersely mcp --wrap -- npx -y some-mcp-server --its-own options
  tersely mcp --wrap --budget 1000 --store results.sqlite -- python server.py
  tersely mcp --http                          # compress_text, and POST /compress for callers without MCP;
                                              # /v1/compress and /v1/retrieve for gateways such as LiteLLM's
  {TOKEN}=$(cat token) tersely mcp --index docs/.tersely --http --host 0.0.0.0
"""
_AB_EXAMPLES = """questions.jsonl has one JSON object a line: {"query": "...", "answers": ["...", "..."]}

examples:
  tersely ab --index docs/.tersely questions.jsonl
  tersely ab --index docs/.tersely questions.jsonl --top-n 10
"""


def add_mcp(commands: Commands) -> None:
    """Add the subcommand `mcp`."""
    text = "serve an index, and notes of an agent, over MCP (Model Context Protocol)"
    parser = _command(commands, "mcp", text, _MCP_EXAMPLES)
    parser.flag("--store FILE", "keep segments of the agent's context there; adds the tools for it")
    parser.flag(
        "--wrap",
        "wrap the server that the command after -- starts: pass everything through, and shorten results over "
        "the budget; adds the tool expand (--store: where whole results are kept)",
    )
    text = "tokens of a wrapped result, and of one in a history for /v1/compress (2000)"
    parser.flag("-b --budget N", text, default=2000)
    parser.flag("server", "of the wrapped server", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    parser.flag("--http", "listen for HTTP; without it: standard input")
    parser.flag("--host HOST", "address to listen on (127.0.0.1)", default="127.0.0.1")
    parser.flag("--port N", "port to listen on (8765)", default=8765)
    text = f"file with the bearer token that callers must show (or {TOKEN}); needed for other hosts"
    parser.flag("--token-file FILE", text)
    parser.flag("--origin URL...", "web origin whose pages may call, besides the server's own (repeatable)")
    parser.flag(
        "--model NAME",
        "model that writes short forms of segments (--store); the key is read from OPENAI_API_KEY",
    )
    parser.flag("--base-url URL", "server of the model (OPENAI_BASE_URL)")
    parser.flag("--threads N", "calls that run at a time; others wait (8)", default=8)
    parser.flag("--deadline SECONDS", "a call may run so long (60)", default=60.0)


def add_ab(commands: Commands) -> None:
    """Add the subcommand `ab`."""
    text = "compare compressed and full search results: answers that they contain, and tokens"
    parser = _command(commands, "ab", text, _AB_EXAMPLES)
    parser.flag("questions FILE", "questions with their answers, JSON lines")
    parser.flag("--top-n N", "results a question (5)", default=5)


def _command(commands: Commands, name: str, text: str, examples: str) -> Parser:
    parser = add_command(commands, name, text, examples)
    parser.flag("--index DIR", "a folder that was indexed, or its index", required=name == "ab")
    parser.flag("--pool N", "candidates of a compressed search, at least (20)", default=20)

    return parser


def run_mcp(arguments: argparse.Namespace) -> None:
    """Serve until standard input ends, or until interrupted."""
    from tersely.mcp.text_tools import text_tools

    if arguments.wrap:
        _wrap(arguments)
        return
    if arguments.server:
        raise ValueError(f"a command goes with --wrap: {' '.join(arguments.server)}")
    if arguments.index is None and arguments.store is None and not arguments.http:
        raise ValueError(
            "what is there to serve? Pass --index DIR, or --store FILE, or both; or --http alone"
        )
    if (arguments.model or arguments.base_url) and arguments.store is None:
        raise ValueError("--model and --base-url go with --store: no model writes for a search")
    tools = text_tools()
    ready: list[Callable[[], object]] = []
    with ExitStack() as stack:
        if arguments.index is not None:
            index = _open(arguments.index)
            tools += _query_tools(index, arguments).tools()
            ready.append(partial(len, index))
        if arguments.store is not None:
            from tersely.mcp.memory_tools import MemoryTools
            from tersely.memory import SegmentMemory
            from tersely.store import Store

            store = stack.enter_context(Store.open(arguments.store, embedder=None))
            tools += MemoryTools(SegmentMemory(store, model=model_of(arguments))).tools()
            ready.append(partial(store.__contains__, ""))
        if not arguments.http:
            from tersely.mcp.application import serve_stdio

            serve_stdio(tools, threads=arguments.threads, deadline=arguments.deadline)
            return
        from tersely.mcp.gateway import Gateway
        from tersely.mcp.http import serve_http

        serve_http(
            tools,
            host=arguments.host,
            port=arguments.port,
            token=_token(arguments.token_file),
            origins=arguments.origin,
            threads=arguments.threads,
            deadline=arguments.deadline,
            ready=ready,
            gateway=Gateway(partial(result_store, arguments.store), arguments.budget),
        )


def _wrap(arguments: argparse.Namespace) -> None:
    from tersely.agents.tool_results import ToolResultCompressor
    from tersely.mcp.wrap import serve_wrapped

    command = arguments.server[1:] if arguments.server[:1] == ["--"] else arguments.server
    if not command:
        raise ValueError("which server? tersely mcp --wrap -- COMMAND ...")
    if arguments.index is not None or arguments.http:
        raise ValueError("--wrap goes with --budget and --store, not with --index or --http")
    if shutil.which(command[0]) is None:
        raise ValueError(f"cannot start {command[0]}: there is no such command")
    with result_store(arguments.store) as store:
        compressor = ToolResultCompressor(arguments.budget, store, keep_files=True, report=_report)
        serve_wrapped(command, compressor, store)


def _report(told: ToolResultReport) -> None:
    if told.problem:
        say(f"a result stays as it is: {told.problem}", "tersely mcp")


def run_ab(arguments: argparse.Namespace) -> None:
    """Ask both tools every question, and print how often each held the answer, and the tokens."""
    from tersely.mcp.ab import compare

    tools = _query_tools(_open(arguments.index), arguments)
    try:
        lines = enumerate(read_text(Path(arguments.questions)).split("\n"), 1)
        questions = [parse_json(line, f"line {number}") for number, line in lines if line.strip()]
        if not all(isinstance(one, dict) for one in questions):
            raise ValueError('each line must be an object with "query" and "answers"')
        found = compare(tools, questions, top_n=arguments.top_n)
    except (TypeError, ValueError) as error:
        raise InputError(f"{arguments.questions}: {error}") from error
    of = found["questions"]
    told = f"{of} questions{'answer contained':>32}{'only here':>12}{'tokens':>12}\n"
    for name, kind in (("query_documents", "full"), ("query_documents_compressed", "compressed")):
        share = f"{found[kind]} ({found[kind] / of:.1%})"
        told += f"{name:<28}{share:>17}{found[f'only_{kind}']:>12}{found[f'{kind}_tokens']:>12,}\n"
    write(told)


def _query_tools(index: Index, arguments: argparse.Namespace) -> QueryTools:
    from tersely.mcp.query_tools import QueryTools

    return QueryTools(index, arguments.pool)


def _open(folder: str) -> Index:
    from tersely.retrieval.index import Index

    for path in Index.check(folder):  # it is open for long, and answers many
        raise InputError(f"{path} is damaged or gone; index the folder again")
    return Index.open(folder)


def _token(file: str | None) -> str | None:
    """Return the token, from the file or the environment; never from the arguments, which others can see."""
    if file is not None:
        from tersely.mcp.http import checked_token

        return checked_token(read_text(Path(file)).strip(), f"the bearer token in {file}")
    return os.environ.get(TOKEN) or None
