"""`tersely compact`: fit a chat history into a token budget, in its own format."""

from __future__ import annotations

import argparse
import json
from typing import Any

from tersely import checks
from tersely.cli.arguments import OUTPUT, QUIET, Commands, add_command, add_counter
from tersely.cli.files import read_history_file
from tersely.cli.terminal import note_warnings, say, write, write_json
from tersely.text import json_bytes, parse_json, percent

_ALLOWED = "JSON: a list of messages, an object with `messages` or `input`, or a message a line"
_EXAMPLES = """examples:
  tersely compact history.json --budget 8000 --counter o200k_base > shorter.json
  tersely compact history.jsonl --budget 8000 --tools tools.json --keep-last 4 --report what.json
  cat request.json | tersely compact - --budget 8000 --pin "never restart"
"""


def add_compact(commands: Commands) -> None:
    """Add the subcommand: a chat history, a budget, and what must stay."""
    text = "fit a chat history into a token budget, in its own format"
    parser = add_command(commands, "compact", text, _EXAMPLES)
    parser.flag(
        "file FILE", "JSON: a list of messages, an object with `messages` or `input`, or JSON lines; -: stdin"
    )
    parser.flag("-b --budget N", "tokens allowed", required=True)
    add_counter(parser)
    parser.flag("--tools FILE", "JSON of the tools that are sent along")
    parser.flag("--keep-last N", "number of the newest messages that must stay (0)", default=0)
    parser.flag("--pin TEXT...", "messages with TEXT must stay (repeatable)")
    parser.flag(*OUTPUT)
    parser.flag("--report FILE", "also write an entry for each message, as JSON")
    parser.flag(*QUIET)


def run_compact(arguments: argparse.Namespace) -> None:
    """Compact the history; the output has the form of the input. Raises ValueError for what is no history."""
    from tersely.memory import compact_messages

    given, key, lines = _parsed(read_history_file(arguments.file), arguments.file)
    messages = given if key is None else given[key]
    tools = None if key is None else given.get("tools")
    if arguments.tools is not None:
        tools = parse_json(read_history_file(arguments.tools), arguments.tools)

    result = compact_messages(
        messages,
        budget=arguments.budget,
        counter=arguments.counter,
        tools=tools,
        pinned=_pinned(messages, arguments.pin),
        keep_last=arguments.keep_last,
    )
    if lines:
        write(b"".join([json_bytes(message) + b"\n" for message in result.messages]), arguments.output)
    else:
        write_json(result.messages if key is None else {**given, key: result.messages}, arguments.output)
    if arguments.report is not None:
        write_json(result.to_dict(), arguments.report)
    note_warnings([code for code in result.warnings if code != "facts_left_out"])  # the last line has them
    if not arguments.quiet:
        lost = sum(len(account.lost) for account in result.accounts)
        say(
            f"{result.original_tokens:,} tokens to {result.tokens:,} ({percent(result.ratio)}; "
            f"budget {result.budget:,}): {len(result.messages):,} of {len(messages):,} messages"
            + (f", {lost:,} facts left out" if lost else "")
        )


def _pinned(messages: list[Any], pins: list[str]) -> set[int]:
    """Find the messages that hold one of the texts. Raises ValueError for a text that none holds."""
    texts = [json.dumps(message, ensure_ascii=False) for message in messages] if pins else []
    pinned: set[int] = set()
    for pin in pins:
        within = json.dumps(pin, ensure_ascii=False)[1:-1]
        found = {index for index, text in enumerate(texts) if within in text}
        if not found:
            raise ValueError(f"--pin: {pin[:60]!r} occurs in no message")
        pinned |= found
    return pinned


def _parsed(text: str, name: str) -> tuple[Any, str | None, bool]:
    """Parse a history: the JSON, the key of the messages in it, whether it was JSON lines."""
    if not text.strip():
        raise ValueError(f"{name} is empty, and must be {_ALLOWED}")
    try:
        given = parse_json(text, name)
    except ValueError as error:
        if "Extra data" not in str(error):
            raise
        lines = enumerate(text.split("\n"), 1)
        rows = [parse_json(line, f"line {number} of {name}") for number, line in lines if line.strip()]
    else:
        if isinstance(given, list):
            return given, None, False
        for key in ("messages", "input"):
            if isinstance(given, dict) and isinstance(given.get(key), list):
                return given, key, False
        rows = [given]
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not ("role" in row or "type" in row):
            what = f"message {number}, {checks.shown(row)}, has no role"
            raise ValueError(f"{name} must be {_ALLOWED}; {what}")
    return rows, None, True
