"""`tersely dedup`: find the near-duplicates among the rows of Parquet or JSON lines; progress on stderr."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from tersely.cli.arguments import Commands, add_command
from tersely.cli.batch import add_places, do_job

if TYPE_CHECKING:
    from tersely.scale.report import Report

__all__ = ["add_dedup", "run_dedup"]

_EXAMPLES = """examples:
  tersely dedup corpus.parquet out/                      # which rows are one: cluster, kept, similarity
  tersely dedup "corpus/*.jsonl.gz" out/ --kept          # only the rows that stay, with their text
  tersely dedup corpus/ out/ --score-column quality --threshold 0.9 --workers 8
  tersely dedup corpus/ out/ --resume                    # goes on after anything
  tersely dedup corpus/ out/ --status                    # how far it is, from anywhere
"""


def add_dedup(commands: Commands) -> None:
    """Add the subcommand: source, output, threshold, columns, workers."""
    text = (
        "find near-duplicates in a corpus of any size, and nothing that differs in a number, name or negation"
    )
    parser = add_command(commands, "dedup", text, _EXAMPLES)
    parser.add_argument(
        "-t", "--threshold", type=float, default=0.85, metavar="T", help="least similarity, -1 to 1 (0.85)"
    )
    parser.add_argument("--kept", action="store_true", help="write only the rows that stay, with their text")
    parser.add_argument("--text-column", default="text", metavar="NAME", help="what is compared (text)")
    parser.add_argument(
        "--score-column",
        metavar="NAME",
        help="a number: of duplicates the highest stays (the first row stays)",
    )
    add_places(parser)


def run_dedup(arguments: argparse.Namespace) -> None:
    """Do the job, or say how far it is.

    Raises InputError for unusable files and what is not installed, ValueError for unusable arguments.
    """

    def job(progress: Callable[[Report], object] | None) -> Report:
        from tersely.scale import dedup_dataset

        return dedup_dataset(
            arguments.source,
            arguments.out,
            text=arguments.text_column,
            threshold=arguments.threshold,
            score=arguments.score_column,
            keep=arguments.keep,
            id=arguments.id_column,
            kept_only=arguments.kept,
            on=arguments.on,
            workers=arguments.workers,
            progress=progress,
        )

    do_job(arguments, job, "deduplicating")
