"""`tersely mcp`: serve tools over an index to agents; `tersely ab`: compare the two search tools."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.cli.arguments import Commands, add_command

if TYPE_CHECKING:
    from tersely.providers.language_models import CheckedLanguageModel
    from tersely.search.chunks import Retriever
    from tersely.server.query_tools import QueryTools
    from tersely.server.tools import Tool

__all__ = ["add_ab", "add_mcp", "run_ab", "run_mcp"]

TOKEN = "TERSELY_MCP_TOKEN"  # environment variable

_MCP_EXAMPLES = f"""examples:
  tersely mcp --index docs/.tersely
  tersely mcp --index docs/.tersely --model gpt-4o-mini
  tersely mcp --index docs/.tersely --http --port 8765
  tersely mcp --store context.sqlite
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
    parser.add_argument("--http", action="store_true", help="listen for HTTP; without it: standard input")
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
        help="web origin that may call, besides this machine's (repeatable)",
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


def run_mcp(arguments: argparse.Namespace) -> None:
    """Serve until standard input ends, or until interrupted."""
    from tersely.server.text_tools import text_tools

    if arguments.index is None and arguments.store is None:
        raise ValueError("what is there to serve? Pass --index DIR, or --store FILE, or both")
    tools = [*text_tools(), *(_query_tools(arguments).tools() if arguments.index is not None else ())]
    with ExitStack() as stack:
        if arguments.store is not None:
            tools += _memory_tools(arguments, stack)
        _serve(tools, arguments)


def _serve(tools: Sequence[Tool], arguments: argparse.Namespace) -> None:
    from tersely.core.errors import MissingExtraError

    try:
        if not arguments.http:
            from tersely.server.stdio import serve_stdio

            serve_stdio(tools, threads=arguments.threads, deadline=arguments.deadline)
            return
        from tersely.server.http import serve_http

        serve_http(
            tools,
            host=arguments.host,
            port=arguments.port,
            token=_token(arguments.token_file),
            origins=arguments.origin,
            threads=arguments.threads,
            deadline=arguments.deadline,
        )
    except MissingExtraError as error:
        raise ValueError(str(error)) from error


def run_ab(arguments: argparse.Namespace) -> None:
    """Ask both tools every question, and print how often each held the answer."""
    from tersely.server.ab import compare, read_questions

    try:
        lines = Path(arguments.questions).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read {arguments.questions}: {error}") from error
    found = compare(
        _query_tools(arguments),
        read_questions(lines),
        top_n=arguments.top_n,
        min_score=arguments.min_score,
        similarity_threshold=arguments.similarity_threshold,
    )
    if arguments.json:
        print(json.dumps(found.to_dict()))
        return
    rows = (
        ("query_documents", found.full, found.only_full, found.full_tokens),
        ("query_documents_compressed", found.compressed, found.only_compressed, found.compressed_tokens),
    )
    print(f"{found.questions} questions{'answer contained':>32}{'only here':>12}{'tokens':>12}")
    for name, held, only, tokens in rows:
        print(f"{name:<28}{f'{held} ({held / found.questions:.1%})':>17}{only:>12}{tokens:>12,}")


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
        help="tokens of a reply of query_documents_compressed; without it: whole results",
    )
    return parser


def _query_tools(arguments: argparse.Namespace) -> QueryTools:
    from tersely.server.answers import Answerer
    from tersely.server.query_tools import QueryTools

    retriever, answerer = _open(arguments.index), Answerer(_model(arguments))
    return QueryTools(retriever, answerer, arguments.pool, arguments.reply_budget)


def _memory_tools(arguments: argparse.Namespace, stack: ExitStack) -> list[Tool]:
    from tersely.memory import SegmentMemory
    from tersely.server.memory_tools import MemoryTools
    from tersely.store import Store

    model = _model(arguments)
    store = stack.enter_context(Store.open(arguments.store, embedder=None))
    return MemoryTools(SegmentMemory(store, model=model)).tools()


def _model(arguments: argparse.Namespace) -> CheckedLanguageModel | None:
    from tersely.providers.language_models import resolve_language_model

    if getattr(arguments, "model", None):
        from tersely.providers.openai import language_model_from_environment

        return resolve_language_model(language_model_from_environment(arguments.model, arguments.base_url))
    if getattr(arguments, "base_url", None):
        raise ValueError("--base-url needs --model")
    return None


def _open(folder: str) -> Retriever:
    from tersely.core.errors import StoreError
    from tersely.search.index import Index

    try:
        return Index.open(folder)
    except StoreError as error:
        raise ValueError(str(error)) from error


def _token(file: str | None) -> str | None:
    """Return the token, from the file or the environment; never from the arguments, which others can see."""
    if file is not None:
        try:
            return Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"cannot read {file}: {error}") from error
    return os.environ.get(TOKEN) or None
