"""Find the token counter that a caller passes: None, a name, a callable or a tokenizer of a library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.core import checks
from tersely.core.protocols import BatchTokenCounter, TokenCounter
from tersely.providers import byte_pairs, toktok
from tersely.providers.byte_pairs import BytePairCounter
from tersely.providers.model_names import ESTIMATED, MODELS, encoding_of, estimated
from tersely.providers.toktok import ToktokCounter

__all__ = ["COUNTERS", "CallableCounter", "CharacterCounter", "TokenizersCounter", "resolve_counter"]


@dataclass(frozen=True, slots=True)
class CharacterCounter:
    """ceil(characters / 4): the rough estimate many tools use. Counts CJK two to six times too low."""

    name: str = "chars/4"

    def count(self, text: str) -> int:
        """Return a quarter of the number of characters, rounded up."""
        return -(-len(text) // 4)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """`[count(text) for text in texts]`."""
        return [-(-len(text) // 4) for text in texts]


@dataclass(frozen=True, slots=True)
class CallableCounter:
    """A function `str -> int` as a counter."""

    function: Callable[[str], int]
    name: str = "callable"

    def count(self, text: str) -> int:
        """Return the function's answer."""
        return self.function(text)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Call the function for each text."""
        return [self.function(text) for text in texts]


@dataclass(frozen=True, slots=True)
class TokenizersCounter:
    """A `tokenizers.Tokenizer` as a counter, without the special tokens that models add around an input."""

    tokenizer: Any
    name: str = "tokenizers"

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        encodings = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [len(encoding.ids) for encoding in encodings]


_DEFAULT = BytePairCounter()

COUNTERS: dict[str, Callable[[], BatchTokenCounter]] = {
    **{name: (lambda name=name: BytePairCounter(name, name)) for name in byte_pairs.ENCODINGS},  # type: ignore[misc]
    **{name: (lambda name=name: ToktokCounter(name)) for name in toktok.TOKTOK_ENCODINGS},  # type: ignore[misc]
    "chars/4": CharacterCounter,
}


def resolve_counter(counter: Any) -> BatchTokenCounter:
    """Return the token counter that a caller passes.

    Takes None (o200k_base), a name, a tiktoken Encoding, a tokenizers.Tokenizer, a callable or a
    TokenCounter. A name is an encoding's or a model's (providers/model_names.py); models whose tokenizer is
    not here are counted as o200k_base, and the counter's name, which receipts show, says so. Raises
    ValueError for an unknown name, MissingExtraError for one of toktok's where it is not installed, and
    TypeError for anything else.
    """
    if counter is None:
        return _DEFAULT
    if isinstance(counter, str):
        return _named(counter)
    if isinstance(counter, (BytePairCounter, BatchTokenCounter)):  # the quicker one first
        return counter
    if isinstance(counter, TokenCounter) and not isinstance(counter, Sequence):  # list.count is another thing
        return CallableCounter(counter.count, _name_of(counter))
    library = type(counter).__module__.partition(".")[0]
    if library == "tiktoken":
        return CallableCounter(lambda text: len(counter.encode_ordinary(text)), str(counter.name))
    if library == "tokenizers":
        return TokenizersCounter(counter)
    if callable(counter):
        return CallableCounter(counter, _name_of(counter))
    raise TypeError(
        "counter must be None, a name, a callable str -> int, a tiktoken Encoding, a tokenizers.Tokenizer "
        f"or an object with count(text), not {type(counter).__name__}"
    )


def _named(name: str) -> BatchTokenCounter:
    if name in COUNTERS:
        return COUNTERS[name]()
    encoding = encoding_of(name)
    if encoding is not None:
        return BytePairCounter(encoding, encoding)
    if estimated(name):
        return BytePairCounter(name=f"o200k_base, an estimate for {name}")
    models = list(dict.fromkeys(start.rstrip(".") for start in MODELS))
    meant = checks.meant(name, [*COUNTERS, *models]) or ";"
    raise ValueError(
        f"unknown counter {checks.shown(name)}{meant} known names: {', '.join(COUNTERS)}, models of OpenAI "
        f"({', '.join(models)}) and, as estimates, models whose names start with {', '.join(ESTIMATED)}; "
        "or pass a tokenizer or a function"
    )


def _name_of(counter: Any) -> str:
    return str(getattr(counter, "name", None) or getattr(counter, "__name__", None) or type(counter).__name__)
