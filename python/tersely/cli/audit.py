"""`tersely audit`: what a compaction of a history lost, by kind, with places."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from tersely.cli.arguments import PAGE, Commands, add_command
from tersely.cli.files import read_history_file
from tersely.cli.terminal import note_warnings, say, write, write_json
from tersely.text import clipped

if TYPE_CHECKING:
    from tersely.agents.audit import Audit, History

_MOST = 10  # of a kind that are listed
_WIDTH = 100  # characters of one

_EXAMPLES = """examples:
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
    parser = add_command(commands, "audit", text, _EXAMPLES)
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
        from tersely.report.audit import audit_page

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
