"""`tersely distill`: make a static table of token vectors; progress on stderr, the report on stdout."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tersely.cli.arguments import Commands, add_command
from tersely.cli.files import read_text
from tersely.cli.terminal import InputError, show_progress, write
from tersely.text import parse_json

if TYPE_CHECKING:
    from tersely.distill import DistillReport

_EXAMPLES = """examples:
  tersely distill all-MiniLM-L6-v2/ my-texts/ -o table.npz
  tersely distill all-MiniLM-L6-v2/ my-texts/ -o small.npz --dimensions 64 --sentences 20000

It needs `pip install 'tersely[distill]'`. In Python: tersely.StaticEmbedder("table.npz").
"""
_ROWS = {
    "start": "start, single tokens",
    "fitted": "least squares",
    "final": "the table",
    "shipped": "the table of tersely",
}


def add_distill(commands: Commands) -> None:
    """Add the subcommand: model, texts, output and sizes."""
    text = "make a static table of token vectors from a sentence model and your own text"
    parser = add_command(commands, "distill", text, _EXAMPLES)
    parser.flag("model MODEL_DIR", "folder with an ONNX model and tokenizer.json")
    parser.flag("texts TEXT_DIR", "folder of .txt, .md, .rst and .html files (or .gz)")
    parser.flag("-o --output FILE", "the .npz file to write", required=True)
    parser.flag("--name NAME", "the table's name (the file's)")
    parser.flag("--about FILE", "JSON object for the provenance: licence, corpus, ...")
    parser.flag("--dimensions N", "columns, even (238: 30,522 words in 4 MB)", default=238)
    parser.flag("--sentences N", "sentences to read at most (200000)", default=200_000)
    parser.flag("--threads N", "of the model (those this process may use)")
    parser.flag("--work DIR", "where the model's vectors are kept, so that a stopped run goes on (FILE.work)")
    parser.flag("--json", "print the report as JSON")


def run_distill(arguments: argparse.Namespace) -> None:
    """Make the table, and print what it gained.

    Raises ValueError for unusable arguments, InputError for unusable files.
    """
    from tersely.distill import distill

    try:
        with show_progress() as show:
            report = distill(
                arguments.model,
                arguments.texts,
                arguments.output,
                name=arguments.name,
                about=_read_about(arguments.about),
                dimensions=arguments.dimensions,
                sentences=arguments.sentences,
                threads=arguments.threads,
                work=arguments.work,
                progress=show,
            )
    except OSError as error:
        raise InputError(str(error)) from error
    told = json.dumps({"file": arguments.output, **asdict(report)}) if arguments.json else _table(report)
    write(told + "\n")


def _read_about(path: str | None) -> dict[str, object]:
    if path is None:
        return {}
    entries = parse_json(read_text(Path(path)), path)
    if not isinstance(entries, dict):
        raise ValueError(f"{path} must hold a JSON object, not {type(entries).__name__}")
    return entries


def _table(report: DistillReport) -> str:
    rows = [
        f"{report.words} words, {report.dimensions} dimensions, {report.bytes} bytes; "
        f"fitted on {report.sentences} sentences, measured on {report.held_out} others",
        f"{'':24}{'cosine to the teacher':>24}{'ten nearest shared':>22}",
    ]
    for kind, name in _ROWS.items():
        if kind in report.ranking:
            cosine = f"{report.cosine[kind]:.3f}" if kind in report.cosine else "-"
            rows.append(f"{name:24}{cosine:>24}{report.ranking[kind]:>22.3f}")
    return "\n".join(rows)
