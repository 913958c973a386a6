"""`tersely segment` and `tersely count`: show how text is cut, and how many tokens it has."""

from __future__ import annotations

import argparse

import tersely
from tersely.cli.arguments import FILES, Commands, add_command, add_counter, add_encoding, add_level
from tersely.cli.files import read_files
from tersely.cli.terminal import write
from tersely.models.counters import resolve_counter
from tersely.text import clipped, json_bytes
from tersely.types import Kind

_SEGMENT = """examples:
  tersely segment notes.md --level paragraph
  cat notes.md | tersely segment --json
"""
_AT_ONCE = 1024  # lines that are written together


def add_segment(commands: Commands) -> None:
    """Add the subcommand `segment`."""
    text = "show how text is cut: one line a segment, or JSON lines"
    parser = add_command(commands, "segment", text, _SEGMENT)
    parser.flag(*FILES, nargs="*")
    add_encoding(parser)
    add_level(parser)
    parser.flag("--json", "print one JSON object per line, with the text")


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
            lines.append(json_bytes(row).decode() + "\n")
        else:
            shown = clipped(" ".join(text.split()), 100)
            lines.append(f"{name}:{start}-{end}\t{names[kind]}\t{shown}\n")
    for first in range(0, len(lines), _AT_ONCE):
        write("".join(lines[first : first + _AT_ONCE]))


_COUNT = """examples:
  tersely count docs/*.md --counter cl100k_base
"""


def add_count(commands: Commands) -> None:
    """Add the subcommand `count`."""
    parser = add_command(commands, "count", "count the tokens of files", _COUNT)
    parser.flag(*FILES, nargs="*")
    add_encoding(parser)
    add_counter(parser)


def run_count(arguments: argparse.Namespace) -> None:
    """Write the tokens of each file, and of all."""
    from tersely.engine.reading import count_batch

    documents = read_files(arguments.files, arguments.encoding)
    texts = [document.text for document in documents]
    counts = count_batch(resolve_counter(arguments.counter), texts).tolist()
    for document, tokens in zip(documents, counts, strict=True):
        write(f"{tokens}\t{document.id}\n")
    if len(documents) > 1:
        write(f"{sum(counts)}\ttotal\n")
