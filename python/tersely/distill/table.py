"""Distill a sentence model into a static table of token vectors, with the user's own texts."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tersely.core import checks
from tersely.core.tables import Float32s
from tersely.distill.fitting import (
    bags,
    centred,
    fit_ridge,
    mean_cosine,
    mean_vectors,
    principal_basis,
    ranking_agreement,
    read_words,
    refine_ranking,
    sparse,
    start_table,
)
from tersely.distill.teacher import cached_vectors
from tersely.distill.texts import make_queries, sample_sentences
from tersely.providers.onnx import OnnxEmbedder
from tersely.providers.static import SHIPPED, StaticEmbedder
from tersely.providers.static_file import quantize, save

__all__ = ["DistillReport", "Progress", "distill"]

Progress = Callable[[str, int, int], object]  # what is being done, how much of it is, of how much

_RIDGE = 0.01
_ITERATIONS = 24
_STEPS = 3000  # of refining, at most
_TEXTS_A_STEP = 32  # so few texts do not get steps that learn them by heart
_LEAST_TEXTS = 50
_MOST_HELD_OUT = 2000
_HELD_OUT_SHARE = 20  # one text in so many


@dataclass(frozen=True, slots=True)
class DistillReport:
    """How a table was fitted, and how near it is to its teacher on sentences held out from the fit.

    Attributes:
        sentences, held_out: numbers of sentences fitted on, and measured on.
        words, dimensions, bytes: rows and columns of the table, and size of its file.
        cosine: mean cosine to the teacher's vector: "start" (from single tokens only), "fitted", "final"
            (after refining the order and taking out the mean, which both cost cosine, and rounding).
        ranking: share of the teacher's ten nearest texts among the table's ten nearest, for the same and for
            "shipped", the table that comes with tersely.
    """

    sentences: int
    held_out: int
    words: int
    dimensions: int
    bytes: int
    cosine: Mapping[str, float]
    ranking: Mapping[str, float]


def distill(
    model: str | os.PathLike[str],
    texts: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    name: str | None = None,
    about: Mapping[str, Any] | None = None,
    dimensions: int = 238,
    sentences: int = 200_000,
    threads: int | None = None,
    work: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> DistillReport:
    """Make a static table for `StaticEmbedder` of what a sentence model says of the user's own texts.

    Args:
        model: a folder with an ONNX sentence model and its tokenizer.json, as for `OnnxEmbedder`; the
            tokenizer must be BERT's (uncased WordPiece).
        texts: a folder of .txt, .md, .rst, .html and .htm files (each also as .gz). Each folder directly in
            it is one source; diverse sources help more than much text.
        out: the .npz file to write; it appears whole or not at all.
        name: the table's name; None: the file's.
        about: more entries of the file's provenance (licence, corpus, ...).
        dimensions: columns, even, at most the model's. 238 keep the file of a 30,522-word table under 4 MB.
        sentences: most sentences to read.
        threads: of the model; None: OMP_NUM_THREADS, else the CPUs this process may use.
        work: a folder for the teacher's vectors; a run that was stopped goes on from there. None: `out`
            with `.work` at its end. It can be deleted afterwards.
        progress: called with (stage, done, of all).

    The same texts, model and options give the same bytes, with the same versions of numpy and scipy on the
    same CPU. The model takes nearly all the time; memory is that of the vectors, 4 * width bytes a sentence.

    Raises:
        ValueError: an argument that cannot be used, no text, too few sentences, another kind of tokenizer.
        FileNotFoundError: no model, or no tokenizer.json.
        MissingExtraError: onnxruntime, tokenizers or scipy is not installed.
        OSError: a file cannot be read or written.
    """
    if checks.whole_number(dimensions, "dimensions", least=2) % 2:
        raise ValueError(f"dimensions must be an even number, not {dimensions}")
    checks.whole_number(sentences, "sentences", least=_LEAST_TEXTS)
    progress = checks.callable_or_none(progress, "progress") or (lambda stage, done, of: None)
    sparse()  # say that it is missing before the long part, not after
    target = Path(out)
    teacher = OnnxEmbedder(model, threads=threads)
    if dimensions > teacher.dimensions:
        raise ValueError(f"dimensions must be at most the model's {teacher.dimensions}, not {dimensions}")
    words = read_words(teacher.tokenizer_file)
    sample = sample_sentences(Path(texts), sentences, partial(progress, "reading files"))
    if len(sample) < _LEAST_TEXTS:
        raise ValueError(f"{texts} holds {len(sample)} sentences; at least {_LEAST_TEXTS} are needed")
    folder = Path(work) if work is not None else target.with_name(f"{target.name}.work")

    def embed(stage: str, these: Sequence[str]) -> Float32s:
        return cached_vectors(teacher, these, folder, partial(progress, stage))

    single = embed("words", [word.removeprefix("##") for word in words])
    vectors = embed("sentences", sample)
    held = np.arange(len(sample)) % _HELD_OUT_SHARE == 0
    held[np.flatnonzero(held)[_MOST_HELD_OUT:]] = False
    fitted_on = [sample[row] for row in np.flatnonzero(~held)]
    queries = make_queries(fitted_on)
    known = np.concatenate([vectors[~held], embed("queries", queries)]) if queries else vectors[~held]
    basis = principal_basis(known, dimensions)
    tables = _fit(bags([*fitted_on, *queries], words), known, single, basis, progress)
    meta = {
        **(about or {}),
        "name": name or target.stem,
        "teacher": teacher.name,
        "sentences": len(fitted_on),
        "queries": len(queries),
        "texts_sha256": hashlib.sha256("\n".join([*fitted_on, *queries]).encode()).hexdigest(),
        "parameters": {"ridge": _RIDGE, "iterations": _ITERATIONS, "steps": _steps(len(known))},
    }
    save(target, words, *quantize(tables.pop("final")), meta)
    held_out = [sample[row] for row in np.flatnonzero(held)]
    rows = bags(held_out, words)
    found = {kind: mean_vectors(rows, table) for kind, table in tables.items()}
    found["final"] = StaticEmbedder(target).embed(held_out)
    cosine = {kind: mean_cosine(found[kind], vectors[held], basis) for kind in found}
    if SHIPPED.is_file():
        found["shipped"] = StaticEmbedder().embed(held_out)
    ranking = {kind: ranking_agreement(found[kind], vectors[held]) for kind in found}
    size = target.stat().st_size
    return DistillReport(len(fitted_on), len(held_out), len(words), dimensions, size, cosine, ranking)


def _fit(
    rows: Any, vectors: Float32s, single: Float32s, basis: Float32s, progress: Progress
) -> dict[str, Float32s]:
    targets = vectors @ basis
    start = start_table(rows, single, targets)
    fitted = fit_ridge(rows, targets, start, _RIDGE, _ITERATIONS, partial(progress, "fitting"))
    refined = refine_ranking(fitted, rows, vectors, _steps(len(vectors)), partial(progress, "ranking"))
    return {"start": start, "fitted": fitted, "final": centred(rows, refined)}


def _steps(texts: int) -> int:
    return min(_STEPS, texts // _TEXTS_A_STEP)
