"""The arguments of `tersely distill`."""

from __future__ import annotations

import argparse

__all__ = ["add_distill"]


def add_distill(parser: argparse.ArgumentParser) -> None:
    """Model, texts, output and sizes."""
    parser.add_argument("model", metavar="MODEL_DIR", help="folder with an ONNX model and tokenizer.json")
    parser.add_argument(
        "texts", metavar="TEXT_DIR", help="folder of .txt, .md, .rst and .html files (or .gz)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the .npz file to write")
    parser.add_argument("--name", help="the table's name (the file's)")
    parser.add_argument(
        "--about", metavar="FILE", help="JSON object for the provenance: licence, corpus, ..."
    )
    parser.add_argument(
        "--dimensions", type=int, default=238, metavar="N", help="columns, even (238: 30,522 words in 4 MB)"
    )
    parser.add_argument(
        "--sentences", type=int, default=200_000, metavar="N", help="sentences to read at most (200000)"
    )
    parser.add_argument("--threads", type=int, metavar="N", help="of the model (those this process may use)")
    parser.add_argument(
        "--work",
        metavar="DIR",
        help="where the model's vectors are kept, so that a stopped run goes on (FILE.work)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
