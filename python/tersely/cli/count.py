"""`tersely count`: count the tokens of files."""

from __future__ import annotations

import argparse

from tersely.cli.arguments import FILES, Commands, add_command, add_counter, add_encoding
from tersely.cli.files import read_files, write
from tersely.engine.reading import count_batch
from tersely.models.counters import resolve_counter

_EXAMPLES = """examples:
  tersely count docs/*.md --counter cl100k_base
"""


def add_count(commands: Commands) -> None:
    """Add the subcommand `count`."""
    parser = add_command(commands, "count", "count the tokens of files", _EXAMPLES)
    parser.flag(*FILES, nargs="*")
    add_encoding(parser)
    add_counter(parser)


def run_count(arguments: argparse.Namespace) -> None:
    """Write the tokens of each file, and of all."""
    documents = read_files(arguments.files, arguments.encoding)
    texts = [document.text for document in documents]
    counts = count_batch(resolve_counter(arguments.counter), texts).tolist()
    for document, tokens in zip(documents, counts, strict=True):
        write(f"{tokens}\t{document.id}\n")
    if len(documents) > 1:
        write(f"{sum(counts)}\ttotal\n")
