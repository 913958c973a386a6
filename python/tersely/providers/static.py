"""Embed texts by summing rows of a table of token vectors: the built-in embedder, which runs no model."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tersely._native import StaticTable
from tersely.core import checks
from tersely.core.tables import Float32s, Int32s, Int64s
from tersely.providers.utf8 import native_texts

__all__ = ["SHIPPED", "StaticEmbedder"]

SHIPPED = Path(__file__).parents[1] / "models" / "static.npz"

_Loaded = tuple[StaticTable, str, dict[str, Any]]
_lock = threading.Lock()
_shipped: _Loaded | None = None


class StaticEmbedder:
    """An embedder that sums the rows of a text's tokens, in a fraction of a millisecond, without a model.

    Knows neither word order nor negation. Safe to use from several threads at once; pickles as its path.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """Load the table in `path`, or the one that comes with tersely (once a process).

        Raises OSError where the file cannot be read and ValueError where it is not a static table
        (providers/static_file.py says what is).
        """
        self._path = None if path is None else os.fspath(path)
        self._table, self._name, self._meta = _load_shipped() if self._path is None else _load(self._path)

    @property
    def name(self) -> str:
        """The table's name and the checksums of its content: tables that differ have other names."""
        return self._name

    @property
    def dimensions(self) -> int:
        """Columns of the vectors."""
        return self._table.dimensions

    @property
    def meta(self) -> dict[str, Any]:
        """Where the table comes from: name, teacher, licence, corpus, parameters. A copy."""
        return dict(self._meta)

    def embed(self, texts: Sequence[str]) -> Float32s:
        """Return float32 (len(texts), dimensions): rows of length one, zeros for a text without words.

        Raises TypeError for a single str or an item that is not one. O(characters + tokens * dimensions) time
        on one thread without the GIL; the same bits on every CPU.
        """
        return self._table.embed(checks.texts(texts, "texts"))

    def similarity(self, query: str, texts: Sequence[str]) -> Float32s:
        """float32 (len(texts),) in [-1, 1]: cosine of each text with the query; keeps no vectors.

        0 for a text without words. Cost and bits as for `embed`.
        """
        return self._table.similarity(query, checks.texts(texts, "texts"))

    def similarity_spans(
        self, query: str, texts: Sequence[str], document: Int32s, start: Int64s, end: Int64s
    ) -> Float32s:
        """`similarity` of each `texts[document][start:end]`; makes no strings."""
        return self._table.similarity_spans(query, native_texts(texts), document, start, end)

    def __repr__(self) -> str:
        """Its name and width."""
        return f"StaticEmbedder({self.name!r}, dimensions={self.dimensions})"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as the path; the file is read again."""
        return type(self), (self._path,)


def _load(path: str) -> _Loaded:
    from tersely.providers import static_file  # brings json and zipfile: `import tersely` need not

    file = static_file.load(path)
    try:
        table = StaticTable(file.words, file.rows, file.scales)
    except ValueError as error:
        raise ValueError(f"{path} is not a static table: {error}") from error
    return table, f"{file.meta['name']}-{file.checksum}", file.meta


def _load_shipped() -> _Loaded:
    global _shipped  # noqa: PLW0603
    with _lock:
        if _shipped is None:
            _shipped = _load(str(SHIPPED))
        return _shipped
