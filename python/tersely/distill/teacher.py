"""Cache a teacher's vectors of many texts on disk, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tersely.core.files import make_folder, private, replace_file
from tersely.core.tables import Float32s
from tersely.providers.onnx import OnnxEmbedder

__all__ = ["cached_vectors"]

SHARD = 2048  # texts whose vectors share a file


def cached_vectors(
    embedder: OnnxEmbedder, texts: Sequence[str], folder: Path, progress: Callable[[int, int], object]
) -> Float32s:
    """Return `embedder.embed(texts)`, float32 (len(texts), d), from files of `folder` that are made once.

    The folder of one teacher and one list of texts is named by a digest of both, so that vectors of other
    texts are never taken for these; a file appears whole or not at all, and one that is damaged is made
    again. Memory is that of the result. Raises OSError where the folder cannot be written.
    """
    digest = hashlib.sha256(json.dumps([embedder.name, *texts]).encode()).hexdigest()
    place = folder / digest[:16]
    make_folder(place)
    about = {"teacher": embedder.name, "texts": len(texts), "sha256": digest, "texts_per_file": SHARD}
    _write(place / "manifest.json", lambda file: file.write(json.dumps(about, indent=1).encode()))
    shards = []
    for first in range(0, len(texts), SHARD):
        part = texts[first : first + SHARD]
        path = place / f"{first // SHARD:05d}.npy"
        vectors = _read(path, len(part))
        if vectors is None:
            vectors = np.ascontiguousarray(embedder.embed(part), dtype=np.float32)
            _write(path, _save(vectors))
        shards.append(vectors)
        progress(min(first + SHARD, len(texts)), len(texts))
    return np.concatenate(shards)


def _save(vectors: Float32s) -> Callable[[Any], None]:
    return lambda file: np.save(file, vectors, allow_pickle=False)


def _read(path: Path, rows: int) -> Float32s | None:
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    whole = vectors.ndim == 2 and len(vectors) == rows and vectors.dtype == np.float32
    return vectors if whole and np.isfinite(vectors).all() else None


def _write(path: Path, write: Callable[[Any], object]) -> None:
    """Write to a second file that takes the name at the end, once it is on disk."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with open(partial, "wb", opener=private) as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        replace_file(partial, path)
    finally:
        partial.unlink(missing_ok=True)
