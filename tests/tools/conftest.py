"""A tiny sentence model with a WordPiece tokenizer, and folders of text."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from tiny_models import WORDS, TinyModel


class WordPieceModel(TinyModel):
    """The tiny model, read by BERT's tokenizer."""

    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

        tokenizer = Tokenizer(models.WordPiece(self.vocabulary, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        return tokenizer


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with model.onnx and tokenizer.json."""
    for package in ("onnx", "onnxruntime", "tokenizers", "scipy"):
        pytest.importorskip(package, reason=f"{package} is not installed")
    folder = tmp_path_factory.mktemp("model")
    WordPieceModel().write(folder)
    return folder


def sentence(number: int) -> str:
    """Different words for each number below 10,000; always a sentence."""
    picked = [WORDS[number * step % len(WORDS)] for step in (1, 5, 7, 11)]
    ring = itertools.islice(itertools.cycle(WORDS), number // len(WORDS), None, 3)
    return " ".join([*picked, *itertools.islice(ring, 3 + number % 4)]).capitalize() + "."


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Three sources of a hundred paragraphs each."""
    folder = tmp_path / "texts"
    for source in range(3):
        (folder / f"source{source}").mkdir(parents=True)
        lines = [sentence(source * 100 + number) for number in range(100)]
        (folder / f"source{source}" / "page.txt").write_text("\n\n".join(lines), encoding="utf-8")
    return folder
