"""Texts as bags of tokens, with the tokenizer that reads them when the table is used."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tersely._native import StaticTable
from tersely.errors import MissingExtraError
from tersely.tables import Int64s

__all__ = ["bags", "read_words", "sparse"]

MOST_TOKENS = 256  # of a text, as sentence models read


def read_words(tokenizer: Path) -> list[str]:
    """The vocabulary of a tokenizer.json, by id.

    Raises ValueError where it is not an uncased WordPiece tokenizer (BERT's), which reads static tables.
    """
    try:
        stated = json.loads(tokenizer.read_text(encoding="utf-8"))
        model, normalizer = stated["model"], stated["normalizer"] or {}
        words = sorted(model["vocab"], key=model["vocab"].__getitem__)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{tokenizer} is not the file of a WordPiece tokenizer: {error!r}") from error
    uncased = normalizer.get("type") == "BertNormalizer" and normalizer.get("lowercase") is True
    kind = model.get("type", "WordPiece")
    if kind != "WordPiece" or not uncased or model.get("continuing_subword_prefix", "##") != "##":
        found = f"{kind}, {normalizer.get('type')}"
        raise ValueError(f"{tokenizer} must be an uncased WordPiece tokenizer (BERT's), not {found}")
    if [model["vocab"][word] for word in words] != list(range(len(words))):
        raise ValueError(f"{tokenizer}: token ids must be 0, 1, 2, ... without gaps")
    return words


def bags(texts: Sequence[str], words: Sequence[str]) -> Any:
    """scipy.sparse.csr_matrix (texts, words) of float32: each token's share of its text, rows of sum one.

    At most the first 256 tokens of a text count; a text without any has a row of zeros.
    Raises MissingExtraError without scipy.
    """
    blank = np.full((len(words), 1), 0x88, np.uint8)
    tokenizer = StaticTable("\n".join(words).encode(), blank, np.ones(len(words), np.float32))
    ids = [tokenizer.ids(text)[:MOST_TOKENS] for text in texts]
    lengths = np.array([len(row) for row in ids], np.int64)
    columns = np.concatenate(ids) if ids else np.zeros(0, np.int32)
    shares = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
    rows = sparse().csr_matrix((shares, columns, _starts(lengths)), shape=(len(texts), len(words)))
    rows.sum_duplicates()
    return rows


def _starts(lengths: Int64s) -> Int64s:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def sparse() -> Any:
    """The module scipy.sparse."""
    try:
        import scipy.sparse
    except ImportError as error:
        raise MissingExtraError("scipy", "distill") from error
    return scipy.sparse
