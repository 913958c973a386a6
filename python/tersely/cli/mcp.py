"""`tersely mcp`: serve tools to agents, or wrap another server; `tersely ab`: compare two search tools."""

from __future__ import annotations

import argparse
import json
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.cli.arguments import Commands, add_command
from tersely.cli.files import InputError, read_text, say, write
from tersely.cli.model import model_of

if TYPE_CHECKING:
    from tersely.agents.tool_results import ToolResultReport
    from tersely.mcp.query_tools import QueryTools
    from tersely.mcp.tools import Tool
    from tersely.retrieval.index import Index
    from tersely.store import Store

TOKEN = "TERSELY_MCP_TOKEN"  # environment variable
WRAPPED_TOKEN = "TERSELY_WRAPPED_TOKEN"  # environment variable: what a wrapped server is shown

_MCP_EXAMPLES = f"""examples:
  tersely mcp --index docs/.tersely
  tersely mcp --index docs/.tersely --model gpt-4o-mini
  tersely mcp --index docs/.tersely --http --port 8765
  tersely mcp --index docs/.tersely --http --workers 4       # GET /health and /ready for whoever watches it
  tersely mcp --store context.sqlite
  tersely mcp --wrap -- npx -y some-mcp-server --its-own options
  tersely mcp --wrap -- https://mcp.example.org/mcp   # its bearer token, if any: {WRAPPED_TOKEN}
  tersely mcp --wrap --budget 1000 --store results.sqlite -- python server.py
  tersely mcp --wrap --tools-budget 3000 -- npx -y some-mcp-server-of-many-tools
  tersely mcp --http                          # compress_text, and POST /compress for callers without MCP;
                                              # /v1/compress and /v1/retrieve for gateways such as LiteLLM's
  {TOKEN}=$(cat token) tersely mcp --index docs/.tersely --http --host 0.0.0.0
"""
_AB_EXAMPLES = """questions.jsonl has one JSON object a line: {"query": "...", "answers": ["...", "..."]}

examples:
  tersely ab --index docs/.tersely questions.jsonl
  tersely ab --index docs/.tersely questions.jsonl --top-n 10 --json > ab.json
"""


def add_mcp(commands: Commands) -> None:
    """Add the subcommand `mcp`."""
    parser = _command(
        commands, "mcp", "serve an index, and a memory, to agents (Model Context Protocol)", _MCP_EXAMPLES
    )
    parser.add_argument(
        "--store", metavar="FILE", help="keep segments of the agent's context there; adds the tools for it"
    )
    parser.add_argument(
        "--wrap",
        action="store_true",
        help="stand in front of the server that the command after -- starts, or whose URL stands there, pass "
        "everything through, and shorten results over the budget; adds the tool expand (--store: where whole "
        "results are kept)",
    )
    parser.add_argument(
        "-b",
        "--budget",
        type=int,
        default=2000,
        metavar="N",
        help="tokens of a wrapped result, and of one in a history for /v1/compress (2000)",
    )
    parser.add_argument(
        "--tools-budget",
        type=int,
        metavar="N",
        help="tokens of a wrapped server's list of tools: definitions of rarely called ones become shorter",
    )
    parser.add_argument(
        "server", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="of the wrapped server, or its URL"
    )
    parser.add_argument("--http", action="store_true", help="listen for HTTP; without it: standard input")
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="processes that serve with --http; they share the index in memory (1)",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8765, metavar="N", help="port to listen on (8765)")
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=f"file with the bearer token that callers must show (or {TOKEN}); needed for other hosts",
    )
    parser.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="URL",
        help="web origin whose pages may call, besides the server's own (repeatable)",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="model that writes; the key is read from OPENAI_API_KEY"
    )
    parser.add_argument("--base-url", metavar="URL", help="server of the model (OPENAI_BASE_URL)")
    parser.add_argument(
        "--threads", type=int, default=8, metavar="N", help="calls that run at a time; others wait (8)"
    )
    parser.add_argument(
        "--deadline", type=float, default=60.0, metavar="SECONDS", help="a call may run so long (60)"
    )


def add_ab(commands: Commands) -> None:
    """Add the subcommand `ab`."""
    text = "compare compressed with full search results: which hold the answers, at how many tokens"
    parser = _command(commands, "ab", text, _AB_EXAMPLES)
    parser.add_argument("questions", metavar="FILE", help="questions with their answers, JSON lines")
    parser.add_argument("--top-n", type=int, default=5, metavar="N", help="results a question (5)")
    parser.add_argument(
        "--min-score", type=float, default=0.3, metavar="S", help="of compressed results (0.3)"
    )
    parser.add_argument(
        "--similarity-threshold", type=float, default=0.85, metavar="T", help="of duplicates (0.85)"
    )
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.set_defaults(model=None, base_url=None)  # nothing is written


def run_mcp(arguments: argparse.Namespace) -> None:
    """Serve until standard input ends, or until interrupted."""
    from tersely.mcp.text_tools import text_tools

    if arguments.workers != 1 and not arguments.http:
        raise ValueError("--workers goes with --http")
    if arguments.wrap:
        _wrap(arguments)
        return
    if arguments.tools_budget is not None:
        raise ValueError("--tools-budget goes with --wrap")
    if arguments.server:
        raise ValueError(f"a command goes with --wrap: {' '.join(arguments.server)}")
    if arguments.index is None and arguments.store is None and not arguments.http:
        raise ValueError(
            "what is there to serve? Pass --index DIR, or --store FILE, or both; or --http alone"
        )
    tools = text_tools()
    ready: list[Callable[[], object]] = []
    with ExitStack() as stack:
        if arguments.index is not None:
            index = _open(arguments.index)
            tools += _query_tools(index, arguments).tools()
            ready.append(partial(len, index))
        if arguments.store is not None:
            store = _open_store(arguments.store, stack)
            tools += _memory_tools(store, arguments)
            ready.append(partial(store.__contains__, ""))
        _serve(tools, ready, arguments)


def _wrap(arguments: argparse.Namespace) -> None:
    from tersely.agents.tool_results import ToolResultCompressor
    from tersely.cli.store import result_store
    from tersely.errors import MissingExtraError
    from tersely.mcp.wrap import checked_url, serve_wrapped

    command = arguments.server[1:] if arguments.server[:1] == ["--"] else arguments.server
    if not command:
        raise ValueError("which server? tersely mcp --wrap -- COMMAND ..., or a URL in its place")
    if arguments.index is not None or arguments.http:
        raise ValueError("--wrap goes with --budget and --store, not with --index or --http")
    is_url = len(command) == 1 and "://" in command[0]
    if is_url:
        checked_url(command[0])
    elif shutil.which(command[0]) is None:
        raise ValueError(f"cannot start {command[0]}: there is no such command")
    server = command[0] if is_url else command
    if arguments.tools_budget is not None and arguments.tools_budget < 1:
        raise ValueError(f"--tools-budget must be at least 1, not {arguments.tools_budget}")
    token = os.environ.get(WRAPPED_TOKEN) or None
    with result_store(arguments.store) as store:
        compressor = ToolResultCompressor(arguments.budget, store, keep_files=True, report=_report)
        try:
            serve_wrapped(server, compressor, store, token=token, tools_budget=arguments.tools_budget)
        except MissingExtraError as error:
            raise ValueError(str(error)) from error
        except ConnectionError as error:
            raise InputError(str(error)) from error


def _report(told: ToolResultReport) -> None:
    if told.problem:
        say(f"a result stays as it is: {told.problem}", "tersely mcp")


def _serve(
    tools: Sequence[Tool], ready: Sequence[Callable[[], object]], arguments: argparse.Namespace
) -> None:
    from tersely.errors import MissingExtraError

    try:
        if not arguments.http:
            from tersely.mcp.application import serve_stdio

            serve_stdio(tools, threads=arguments.threads, deadline=arguments.deadline)
            return
        from tersely.cli.store import result_store
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
            workers=arguments.workers,
            ready=ready,
            gateway=Gateway(partial(result_store, arguments.store), arguments.budget),
        )
    except MissingExtraError as error:
        raise ValueError(str(error)) from error


def run_ab(arguments: argparse.Namespace) -> None:
    """Ask both tools every question, and print how often each held the answer."""
    from tersely.mcp.ab import compare, read_questions

    try:
        questions = read_questions(read_text(Path(arguments.questions)).split("\n"))
    except ValueError as error:
        raise InputError(f"{arguments.questions}: {error}") from error
    found = compare(
        _query_tools(_open(arguments.index), arguments),
        questions,
        top_n=arguments.top_n,
        min_score=arguments.min_score,
        similarity_threshold=arguments.similarity_threshold,
    )
    if arguments.json:
        write(json.dumps(found.to_dict()) + "\n")
        return
    rows = (
        ("query_documents", found.full, found.only_full, found.full_tokens),
        ("query_documents_compressed", found.compressed, found.only_compressed, found.compressed_tokens),
    )
    told = [f"{found.questions} questions{'answer contained':>32}{'only here':>12}{'tokens':>12}\n"]
    for name, held, only, tokens in rows:
        share = f"{held} ({held / found.questions:.1%})"
        told.append(f"{name:<28}{share:>17}{only:>12}{tokens:>12,}\n")
    write("".join(told))


def _command(commands: Commands, name: str, text: str, examples: str) -> argparse.ArgumentParser:
    parser = add_command(commands, name, text, examples)
    parser.add_argument(
        "--index", required=name == "ab", metavar="DIR", help="a folder that was indexed, or its index"
    )
    parser.add_argument(
        "--pool",
        type=int,
        default=20,
        metavar="N",
        help="candidates that compression looks at, at least (20)",
    )
    parser.add_argument(
        "--reply-budget",
        type=int,
        metavar="TOKENS",
        help="most tokens of a reply of query_documents_compressed (half of what whole results take)",
    )
    return parser


def _query_tools(index: Index, arguments: argparse.Namespace) -> QueryTools:
    from tersely.mcp.answers import Answerer
    from tersely.mcp.query_tools import QueryTools

    return QueryTools(index, Answerer(model_of(arguments)), arguments.pool, arguments.reply_budget)


def _memory_tools(store: Store, arguments: argparse.Namespace) -> list[Tool]:
    from tersely.mcp.memory_tools import MemoryTools
    from tersely.memory import SegmentMemory

    return MemoryTools(SegmentMemory(store, model=model_of(arguments))).tools()


def _open_store(path: str, stack: ExitStack) -> Store:
    from tersely.store import Store

    return stack.enter_context(Store.open(path, embedder=None))


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
