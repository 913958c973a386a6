"""`tersely compact` fits a chat history into a token budget; `tersely audit` lists what a compaction lost."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tersely import checks
from tersely.cli.arguments import OUTPUT, PAGE, QUIET, Commands, add_command, add_counter
from tersely.cli.files import read_history_file
from tersely.cli.terminal import note_warnings, say, write, write_json
from tersely.text import clipped, json_bytes, parse_json, percent

if TYPE_CHECKING:
    from tersely.agents.audit import Audit, History

_ALLOWED = "JSON: a list of messages, an object with `messages` or `input`, or a message a line"
_COMPACT = """examples:
  tersely compact history.json --budget 8000 --counter o200k_base > shorter.json
  tersely compact history.jsonl --budget 8000 --tools tools.json --keep-last 4 --report what.json
  cat request.json | tersely compact - --budget 8000 --pin "never restart"
"""


def add_compact(commands: Commands) -> None:
    """Add the subcommand: a chat history, a budget, and what must stay."""
    text = "fit a chat history into a token budget, in its own format"
    parser = add_command(commands, "compact", text, _COMPACT)
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


_MOST = 10  # of a kind that are listed
_WIDTH = 100  # characters of one

_AUDIT = """examples:
  tersely audit before.json after.json
  tersely audit before.jsonl summary.md --report lost.html
  tersely audit ~/.claude/projects/my-project/SESSION.jsonl     # its last compaction
  tersely audit ~/.codex/sessions/2026/11/27/rollout-1.jsonl --json

Files are sessions of Claude Code, rollouts of Codex, messages or items as JSON (a list, an object, or a line
each), or any text, such as a summary that a provider wrote. An instruction or a decision counts as kept if
one sentence has four fifths of its words, its negations and its numbers; everything else, if it is there word
for word.
"""


def add_audit(commands: Commands) -> None:
    """Add the subcommand `audit`."""
    text = "list what a compaction of a history lost"
    parser = add_command(commands, "audit", text, _AUDIT)
    parser.flag("before BEFORE", "the history before; -: stdin")
    parser.flag("after AFTER", "the history after, or a summary; without: BEFORE has both", nargs="?")
    parser.flag("--all", f"list all that was lost, not {_MOST} of a kind")
    parser.flag(*PAGE)
    parser.flag("--json", "print every statement as JSON")


def run_audit(arguments: argparse.Namespace) -> None:
    """Print what was lost as a table or JSON, and write the report page. Raises ValueError for no history."""
    from tersely.agents.audit import audit

    before = _read(arguments.before)
    after = before if arguments.after is None else _read(arguments.after)
    if arguments.after is None:
        if not before.compacted:
            raise ValueError(
                f"{arguments.before} has no compaction: name a file with the history after it, too"
            )
        old = before.messages[: before.compacted]
    else:
        old = before.messages
    made = audit(old, after.messages[after.compacted :])
    note_warnings(made.warnings)
    if arguments.report is not None:
        from tersely.report.page import audit_page

        write(audit_page(made), None if arguments.report == "-" else arguments.report)
        if arguments.report == "-":
            return
    if arguments.json:
        statements = [asdict(statement) for statement in made.statements]
        write_json({"counts": made.counts(), "statements": statements})
    else:
        write(_table(made, None if arguments.all else _MOST))


def _read(name: str) -> History:
    from tersely.agents.audit import read_history

    history = read_history(read_history_file(name), name)
    if history.broken:
        say(f"note: {history.broken} lines of {name} are no JSON and were left out")
    return history


def _table(made: Audit, most: int | None) -> str:
    lines = [f"{'':14}{'stated':>8}{'no more':>9}"]
    lines += [f"{kind:14}{stated:>8,}{lost:>9,}" for kind, (stated, lost) in made.counts().items()]
    lost = made.lost()
    for kind in made.counts():
        some = [statement for statement in lost if statement.kind == kind]
        for statement in some[:most]:
            text = clipped(" ".join(statement.text.split()), _WIDTH)
            lines.append(
                f"{kind}: message {statement.message} ({statement.speaker}), {statement.start}: {text}"
            )
        if len(some) > len(some[:most]):
            lines.append(f"{kind}: {len(some) - len(some[:most]):,} more (--all)")
    return "\n".join(lines) + "\n"
