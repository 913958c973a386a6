"""`tersely segment`: show how text is cut."""

from __future__ import annotations

import argparse
import json

import tersely
from tersely.cli.arguments import FILES, Commands, add_command, add_encoding, add_level
from tersely.cli.files import read_files, write
from tersely.types import Kind

_EXAMPLES = """examples:
  tersely segment notes.md --level paragraph
  cat notes.md | tersely segment --json
"""
_AT_ONCE = 1024  # lines that are written together


def add_segment(commands: Commands) -> None:
    """Add the subcommand `segment`."""
    text = "show how text is cut: one line a segment, or JSON lines"
    parser = add_command(commands, "segment", text, _EXAMPLES)
    parser.flag(*FILES, nargs="*")
    add_encoding(parser)
    add_level(parser)
    parser.flag("--json", "one JSON object a line, with the text")


def run_segment(arguments: argparse.Namespace) -> None:
    """Write a line for each segment of the files."""
    documents = read_files(arguments.files, arguments.encoding)
    names = [kind.name.lower() for kind in Kind]
    table = tersely.segment(documents, arguments.level)
    columns = (table.document, table.start, table.end, table.kind)
    lines = []
    for index, start, end, kind in zip(*(column.tolist() for column in columns), strict=True):
        name, text = documents[index].id, documents[index].text[start:end]
        if arguments.json:
            row = {"document": name, "start": start, "end": end, "kind": names[kind], "text": text}
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            shown = " ".join(text.split())
            shown = shown if len(shown) <= 100 else shown[:99] + "…"
            lines.append(f"{name}:{start}-{end}\t{names[kind]}\t{shown}\n")
    for first in range(0, len(lines), _AT_ONCE):
        write("".join(lines[first : first + _AT_ONCE]))
