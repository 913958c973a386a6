"""tersely and its peers behind one shape. A peer that is not installed is listed, not an error."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tersely

from benchmarks import checks, tokens

__all__ = [
    "Compressor",
    "Splitter",
    "llmslim",
    "llmslim_counter",
    "pysbd_splitter",
    "sentencex_splitter",
    "tersely_compressor",
    "tersely_splitter",
    "textcrusher",
]

Call = Callable[[list[str], "str | None", int, float], Any]  # documents, query, budget, ratio -> answer


@dataclass(frozen=True, slots=True)
class Compressor:
    """A system that makes text shorter.

    Attributes:
        name: as it stands in the tables.
        call: what is timed; None where the package is missing.
        text: the compressed text of an answer.
        check: raises where the answer breaks what the system promises; called with (answer, budget).
    """

    name: str
    call: Call | None
    text: Callable[[Any], str] = str
    check: Callable[[Any, int], None] = lambda answer, budget: None

    def __call__(self, documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
        """One call."""
        if self.call is None:
            raise ImportError(f"{self.name} is not installed")
        return self.call(documents, query, budget, ratio)


@dataclass(frozen=True, slots=True)
class Splitter:
    """A system that cuts text into sentences: (text, two-letter language) -> sentences, in order."""

    name: str
    split: Callable[[str, str], list[str]] | None


def tersely_compressor(
    name: str = "tersely", *, encoding: str = tokens.O200K, strategy: Any = None
) -> Compressor:
    """Keeps the budget, counted in `encoding`; documents are given as documents."""

    def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
        return tersely.compress(documents, query, budget=budget, counter=encoding, strategy=strategy)

    def check(answer: Any, budget: int) -> None:
        checks.check_compressed(answer, budget, encoding)

    return Compressor(name, call, lambda answer: str(answer.text), check)


def textcrusher() -> Compressor:
    """headroom's extractive compressor; it takes a ratio."""
    name = "TextCrusher"
    if not _installed("headroom"):
        return Compressor(name, None)
    module = importlib.import_module("headroom.transforms.text_crusher")

    def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
        crusher = module.TextCrusher(module.TextCrusherConfig(target_ratio=ratio))
        return crusher.compress("\n\n".join(documents), query or "", ratio)

    return Compressor(name, call, lambda answer: str(answer.compressed))


def llmslim() -> Compressor:
    """It takes a ratio, too; counts with tiktoken where the vocabulary is at hand."""
    name = "llmslim"
    if not _installed("llmslim"):
        return Compressor(name, None)
    _offer_vocabulary()
    compress = importlib.import_module("llmslim").compress

    def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
        return compress("\n\n".join(documents), target_ratio=ratio, query=query)

    return Compressor(name, call, lambda answer: str(answer.compressed_text))


def llmslim_counter() -> str:
    """How llmslim counts here: "tiktoken" or "heuristic"."""
    if not _installed("llmslim"):
        return "not installed"
    return str(importlib.import_module("llmslim.tokens").get_active_token_counter_name())


def tersely_splitter() -> Splitter:
    """tersely's segments; it is not told the language."""

    def split(text: str, language: str) -> list[str]:
        return [text[start:end] for _, start, end, _ in tersely.segment(text)]

    return Splitter("tersely", split)


def pysbd_splitter() -> Splitter:
    """The rules of the Pragmatic Segmenter in Python."""
    if not _installed("pysbd"):
        return Splitter("pysbd", None)
    pysbd = importlib.import_module("pysbd")
    made: dict[str, Any] = {}

    def split(text: str, language: str) -> list[str]:
        if language not in made:
            made[language] = pysbd.Segmenter(language=language, clean=False)
        return list(made[language].segment(text))

    return Splitter("pysbd", split)


def sentencex_splitter() -> Splitter:
    """Wikimedia's splitter, in Rust."""
    if not _installed("sentencex"):
        return Splitter("sentencex", None)
    segment = importlib.import_module("sentencex").segment
    return Splitter("sentencex", lambda text, language: list(segment(language, text)))


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _offer_vocabulary() -> None:
    """Point tiktoken to the cl100k_base file that litellm ships, so that it needs no network."""
    found = importlib.util.find_spec("litellm")
    if found is not None and found.submodule_search_locations:
        folder = Path(found.submodule_search_locations[0]) / "litellm_core_utils" / "tokenizers"
        if folder.is_dir():
            os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
