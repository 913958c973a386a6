"""Vocabularies, the reference tokenizer over them, and made-up static tables."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
import sample_texts
from tersely import _native
from tokenizers import BertWordPieceTokenizer, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

Reference = Callable[[Sequence[str]], list[list[int]]]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


@functools.cache
def trained() -> tuple[str, ...]:
    """About 700 words and pieces, learned by the reference's own trainer from the sample texts."""
    tokenizer = BertWordPieceTokenizer()
    texts = [*sample_texts.ALL, sample_texts.prose(60)]
    tokenizer.train_from_iterator(texts, vocab_size=700, min_frequency=1, show_progress=False)
    return tuple(sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__))


def reference(words: Sequence[str]) -> Reference:
    """The ids that the package `tokenizers` gives, without [CLS] and [SEP]."""
    tokenizer = Tokenizer(WordPiece({word: line for line, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.add_special_tokens([word for word in SPECIAL if word in set(words)])
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    return lambda texts: _ids_of(tokenizer, texts)


def _ids_of(tokenizer: object, texts: Sequence[str]) -> list[list[int]]:
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)  # type: ignore[attr-defined]
    return [encoding.ids for encoding in encodings]


def codes(words: Sequence[str], dimensions: int, seed: int = 1) -> tuple[npt.NDArray, npt.NDArray]:
    """Random rows and scales, some of them negative or zero."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 256, (len(words), dimensions // 2), dtype=np.uint8)
    scales = random.normal(size=len(words)).astype(np.float32)
    scales[::17] = 0
    return rows, scales


def table(words: Sequence[str], dimensions: int = 2, seed: int = 1) -> _native.StaticTable:
    return _native.StaticTable("\n".join(words).encode(), *codes(words, dimensions, seed))


def decoded(rows: npt.NDArray, scales: npt.NDArray) -> npt.NDArray[np.float64]:
    """The rows that codes and scales stand for."""
    values = np.concatenate([rows & 15, rows >> 4], axis=1).astype(np.float64) - 8
    return values * scales.astype(np.float64)[:, None]


def strings(value: object) -> Iterator[str]:
    """Every string in what JSON gives."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from strings(part)
