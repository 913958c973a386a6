"""Count tokens exactly and offline; find the counter that a caller passes, or the one of a model's name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely import checks, models
from tersely._native import TokenMarks, TokenTable, Utf8
from tersely.errors import needs
from tersely.protocols import BatchTokenCounter, TokenCounter

if TYPE_CHECKING:
    from tersely.types import Document

__all__ = ["COUNTERS", "CallableCounter", "CharacterCounter", "TokenizersCounter", "resolve_counter"]


class Texts(list[str]):
    """Texts whose UTF-8 is made once, when a native call first asks for it; not to be changed after that."""

    __slots__ = ("marks", "utf8")
    marks: tuple[str, TokenMarks]  # of an encoding, once their tokens were counted
    utf8: Utf8  # of all of them, U+FFFD for lone surrogates

    def __reduce__(self) -> tuple[type[Texts], tuple[list[str]]]:
        """Copy and pickle the texts alone: their UTF-8 is made again when it is asked for."""
        return Texts, (list(self),)

    def __getattr__(self, name: str) -> Any:
        """Make the UTF-8 when it is first asked for. O(characters)."""
        if name != "utf8":
            raise AttributeError(name)
        self.utf8 = Utf8(self)
        return self.utf8


def texts_of(documents: Iterable[Document]) -> Texts:
    """Return the texts of documents, with their UTF-8. O(characters)."""
    texts = Texts(map(_TEXT, documents))
    texts.utf8 = Utf8(texts)
    return texts


_TEXT = attrgetter("text")
TOKTOK_ENCODINGS = ("qwen3.5", "jev")
_FEW = 8  # texts up to which separate calls are cheaper: each batch asks the system for its CPUs (30 us)
_NO_LIMIT = 2**60  # tokens


@dataclass(frozen=True, slots=True)
class ToktokCounter:
    """Counts with one of toktok's encodings; the text of special tokens counts as ordinary text.

    Raises MissingExtraError if toktok-rs is not installed.
    """

    name: str

    def __post_init__(self) -> None:
        _import()

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`. Releases the GIL."""
        total: int = _import().truncate(text, _NO_LIMIT, self.name)[1]
        return total

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text. Releases the GIL.

        One thread: more of toktok's own, which share a cache, take twice the CPU and as long.
        """
        if len(texts) <= _FEW:
            return [self.count(text) for text in texts]
        counts: list[int] = _import().batch_count(texts, self.name, threads=1)
        return counts


def _import() -> Any:
    with needs("toktok-rs", "toktok"):
        import toktok
    return toktok


#: Start of a model's name -> its encoding; the longest one holds. More may follow after "-" or ":", and
#: anything where it ends with a ".".
MODELS = {
    name: encoding
    for encoding, names in {
        "o200k_base": "gpt-5 gpt-5. gpt-4.5 gpt-4.1 gpt-4o chatgpt-4o o1 o3 o4-mini",
        "o200k_harmony": "gpt-oss",
        "cl100k_base": "gpt-4 gpt-3.5 gpt-35 davinci-002 babbage-002 text-embedding-ada-002 "
        "text-embedding-3-small text-embedding-3-large",
    }.items()
    for name in names.split()
}
#: Starts of names of models whose tokenizer is not here: their tokens are estimated, as those of o200k_base.
ESTIMATED = ("claude", "gemini", "gemma", "llama", "mistral", "mixtral", "deepseek", "grok")


def encoding_of(model: str) -> str | None:
    """Return the encoding of a model, None if unknown. "openai/ft:GPT-4o" is a "gpt-4o"."""
    name = _bare(model)
    found = [
        start
        for start in MODELS
        if name.startswith(start) and (name[len(start) :][:1] in ("", "-", ":") or start.endswith("."))
    ]
    return MODELS[max(found, key=len)] if found else None


def estimated(model: str) -> bool:
    """Return whether a model's tokens are estimated. "us.anthropic.claude-3" is a "claude"."""
    parts = _bare(model).split(".")
    return any(part.startswith(ESTIMATED) for part in parts)


def _bare(model: str) -> str:
    """The name in small letters, without who serves it."""
    return model.rpartition("/")[2].lower().removeprefix("ft:")


ENCODINGS = {  # and the file of each, in the folder of models
    "o200k_base": "o200k_base.bin",
    "cl100k_base": "cl100k_base.bin",
    "o200k_harmony": "o200k_base.bin",  # has other special tokens, whose text is ordinary text here
}
_DIGESTS = {"o200k_base.bin": "c3d97c6f", "cl100k_base.bin": "4b68ba41"}  # `file_digest` of each


@dataclass(frozen=True, slots=True)
class BytePairCounter:
    """Counts as tiktoken's `encode_ordinary` does; the text of special tokens counts as ordinary text."""

    encoding: str = "o200k_base"  #: one of `ENCODINGS`
    name: str = "o200k_base"  #: what a receipt calls it

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`. Releases the GIL; O(bytes)."""
        return TOKEN_TABLES[self.encoding].count_one(text)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text, in one call."""
        counts: list[int] = TOKEN_TABLES[self.encoding].count(list(texts)).tolist()
        return counts


class _TokenTables(dict[str, TokenTable]):
    """The table of each encoding: its file, mapped when it is first asked for, and checked: 0.3 to 0.7 ms.

    Raises ValueError for a file that is damaged.
    """

    def __missing__(self, encoding: str) -> TokenTable:
        """Open the file: threads that do so at once get one table, and so do encodings of one file."""
        file = ENCODINGS[encoding]
        first = next(name for name in ENCODINGS if ENCODINGS[name] == file)
        return self.setdefault(encoding, _open(file) if first == encoding else self[first])


TOKEN_TABLES = _TokenTables()


def _open(file: str) -> TokenTable:
    from tersely.files import file_digest, map_bytes  # `import tersely` need not

    path = Path(models.__file__).with_name(file)
    if (found := file_digest(path)) != _DIGESTS[file]:
        raise ValueError(
            f"{path} is damaged: its CRC-32 is {found}, not {_DIGESTS[file]}; install tersely again"
        )
    return TokenTable(map_bytes(path))


@dataclass(frozen=True, slots=True)
class CharacterCounter:
    """A token counter that estimates a quarter of the characters, rounded up."""

    name: str = "chars/4"

    def count(self, text: str) -> int:
        """Return a quarter of the number of characters, rounded up."""
        return -(-len(text) // 4)

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Return `[count(text) for text in texts]`."""
        return [-(-len(text) // 4) for text in texts]


@dataclass(frozen=True, slots=True)
class CallableCounter:
    """A token counter that calls a function `str -> int`."""

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
    """Counts with a tokenizer of `tokenizers` or `transformers`, without special tokens, and never cut."""

    tokenizer: Any
    name: str = "tokenizers"

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        return self.count_batch([text])[0]

    def count_batch(self, texts: Sequence[str]) -> Sequence[int]:
        """Return the number of tokens of each text."""
        if hasattr(self.tokenizer, "encode_batch"):
            found = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
            return [len(encoding.ids) for encoding in found]
        found = self.tokenizer(list(texts), add_special_tokens=False, truncation=False, verbose=False)
        return list(map(len, found["input_ids"]))


_DEFAULT = BytePairCounter()

COUNTERS: dict[str, Callable[[], BatchTokenCounter]] = {
    **{name: (lambda name=name: BytePairCounter(name, name)) for name in ENCODINGS},  # type: ignore[misc]
    **{name: (lambda name=name: ToktokCounter(name)) for name in TOKTOK_ENCODINGS},  # type: ignore[misc]
    "chars/4": CharacterCounter,
}


def resolve_counter(counter: Any) -> BatchTokenCounter:
    """Return the token counter for a name, a tokenizer or a function.

    Takes None (o200k_base), a name, a tiktoken Encoding, a tokenizers.Tokenizer, a tokenizer of transformers,
    a callable or a TokenCounter. A name is an encoding's or a model's (models/counters.py); models whose
    tokenizer is not here are counted as o200k_base, and the counter's name, which receipts show, says so.
    Raises ValueError for an unknown name, MissingExtraError for one of toktok's that is not installed, and
    TypeError for anything else.
    """
    if counter is None:
        return _DEFAULT
    if isinstance(counter, str):
        return _named(counter)
    if isinstance(counter, (BytePairCounter, BatchTokenCounter)):  # the quicker one first
        return counter
    library = {kind.__module__.partition(".")[0] for kind in type(counter).__mro__}
    if "transformers" in library:
        return TokenizersCounter(counter, str(getattr(counter, "name_or_path", "") or "transformers"))
    if isinstance(counter, TokenCounter) and not isinstance(counter, Sequence):  # list.count is another thing
        return CallableCounter(counter.count, _name_of(counter))
    if "tiktoken" in library:
        return CallableCounter(lambda text: len(counter.encode_ordinary(text)), str(counter.name))
    if "tokenizers" in library:
        return TokenizersCounter(counter)
    if callable(counter):
        return CallableCounter(counter, _name_of(counter))
    raise TypeError(
        "counter must be None, a name, a callable str -> int, a tiktoken Encoding, a tokenizers.Tokenizer, "
        f"a tokenizer of transformers or an object with count(text), not {type(counter).__name__}"
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
