"""`tersely index` and `tersely search`: index a folder, and print results for a query within a budget."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from functools import partial

from tersely.cli.arguments import Commands, add_command, add_counter
from tersely.cli.terminal import say, show_progress, write, write_json

_NOTES_SHOWN = 10


_EXAMPLES = """examples:
  tersely index docs/                                       # makes docs/.tersely; again: what changed
  tersely index docs/ --check                               # checks whether any file is damaged
  tersely search docs/ "how are tokens rotated?" --budget 2000
  tersely search docs/ "retry policy" --top-n 10 --json

The name of a file ends with one colon more than any line of the results ("guide.md:", or "guide.md::" if a
line ends with a colon itself), so no text can pass for the name of a file.
"""
_BUDGET = 2000  # tokens of what is found


def add_index(commands: Commands) -> None:
    """Add the subcommand `index`: folder, output, limits."""
    text = "index a folder of Markdown, text, HTML, reStructuredText, code, notebooks, Word and PDF"
    parser = add_command(commands, "index", text, _EXAMPLES)
    parser.flag("folder DIR", "folder whose files are indexed, except hidden ones")
    parser.flag("-o --output INDEX", "folder of the index (DIR/.tersely)")
    parser.flag("--largest-file MB", "larger files are left out (16)", default=16)
    parser.flag("--check", "do not index: read the whole index, and list its damaged files (exit code 1)")
    parser.flag("--json", "print what was done as JSON")


def add_search(commands: Commands) -> None:
    """Add the subcommand `search`: index, query, sizes."""
    text = "find chunks of an indexed folder; print what answers, within a budget"
    parser = add_command(commands, "search", text, _EXAMPLES)
    parser.flag("folder DIR", "a folder that was indexed, or its index")
    parser.flag("query QUERY", "any text; nothing in it is syntax")
    parser.flag("-n --top-n N", "chunks to find (5)", default=5)
    text = f"tokens allowed for what is printed ({_BUDGET})"
    parser.flag("-b --budget N", text)
    add_counter(parser)
    parser.flag("--json", "print results, scores and files as JSON")


def run_index(arguments: argparse.Namespace) -> int:
    """Index a folder, or check its index; the report goes to stderr, or as JSON to stdout."""
    from tersely.retrieval.index import Index

    if arguments.check:
        return _check(arguments)
    if not 0 < arguments.largest_file < 2**40:
        raise ValueError(f"--largest-file must be more than 0 MB, not {arguments.largest_file}")
    with show_progress() as show:
        index = Index.build(
            arguments.folder,
            arguments.output,
            largest_file=max(int(arguments.largest_file * 2**20), 1),
            progress=partial(show, "indexing"),
        )
    report = index.report
    assert report is not None
    if arguments.json:
        write_json(asdict(report))
    for note in report.notes[:_NOTES_SHOWN]:
        say(f"note: {note.path}: {note.reason.replace('_', ' ')}")
    if len(report.notes) > _NOTES_SHOWN:
        more = len(report.notes) - _NOTES_SHOWN
        say(f"note: {more} more files have notes; --json has them all")
    if report.anew is not None:
        say(f"note: made anew ({report.anew.replace('_', ' ')})")
    files = f"{report.added} added, {report.changed} changed, {report.removed} removed"
    say(
        f"{report.files:,} {'file' if report.files == 1 else 'files'} ({files}), "
        f"{report.chunks:,} {'chunk' if report.chunks == 1 else 'chunks'} in {index.folder}, "
        f"{report.seconds:.1f} s"
    )
    return 0


def _check(arguments: argparse.Namespace) -> int:
    """Read the whole index and name what is damaged; return the exit code."""
    from tersely.retrieval.index import Index

    damaged = [str(path) for path in Index.check(arguments.output or arguments.folder)]
    if arguments.json:
        write_json({"damaged": damaged})
    for path in damaged:
        say(f"{path} is damaged or gone")
    found = "index the folder again: that makes them anew" if damaged else "all is as it was written"
    say(found)
    return 1 if damaged else 0


def run_search(arguments: argparse.Namespace) -> None:
    """Print the parts of the best chunks that answer the query."""
    from tersely.retrieval.index import Index, extract

    index = Index.open(arguments.folder)
    results = index.search(arguments.query, arguments.top_n)
    named = index.search(arguments.query, 1, method="lexical")
    budget = _BUDGET if arguments.budget is None else arguments.budget
    found = extract(results, arguments.query, budget=budget, counter=arguments.counter)
    if arguments.json:
        write_json({"query": arguments.query, **asdict(found)})
    else:
        write(found.text + "\n" if found.text else "")
    if not results:
        say("note: nothing found")
    elif not named:
        note = "no word of the query stands in the index; these chunks are what comes nearest to it"
        say(f"note: {note}")
    elif arguments.budget is None and found.tokens < found.original_tokens:
        say(
            f"note: no --budget was given, so {found.tokens:,} of {found.original_tokens:,} tokens stand in "
            f"{_BUDGET:,}"
        )
    elif sys.stderr.isatty():
        say(
            f"{len(found.results)} of {len(results)} results, "
            f"{found.tokens} of {found.original_tokens} tokens"
        )
