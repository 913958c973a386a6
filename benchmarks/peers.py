"""tersely and its peers behind one shape. A peer that cannot run here is listed, with the reason."""

from __future__ import annotations

import importlib
import importlib.util
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tersely

from benchmarks import checks, tokens
from benchmarks.report import MISSING

__all__ = [
    "CODE",
    "COUNTED_AS",
    "TEXT",
    "Compressor",
    "Splitter",
    "chonkie_splitter",
    "code_peers",
    "installed",
    "json_peers",
    "llmslim",
    "llmslim_counter",
    "offline",
    "pysbd_splitter",
    "sentencex_splitter",
    "tersely_compressor",
    "tersely_splitter",
    "text_peers",
    "textcrusher",
    "why_missing",
]

Call = Callable[[list[str], "str | None", int, float], Any]  # documents, query, budget, ratio -> answer
#: The model that peers which count for a model are told.
COUNTED_AS = "gpt-4o"
#: Packages of the peers for text, and of those for source code.
TEXT = ("trimwise", "headroom-ai", "llmslim", "tiktoken", "furl-ctx", "litellm", "ctxprune")
CODE = ("headroom-ai", "llmslim", "furl-ctx", "tree-sitter-language-pack")


@dataclass(frozen=True, slots=True)
class Compressor:
    """A system that makes text shorter."""

    name: str  #: as it stands in the tables
    call: Call | None  #: what is timed; None where it cannot run here
    text: Callable[[Any], str] = str  #: the compressed text of an answer
    #: raises where the answer breaks what the system promises; called with (answer, budget)
    check: Callable[[Any, int], None] = lambda answer, budget: None
    without: str = MISSING  #: why it cannot run here
    key: str = ""  #: its name on the command line; empty: its name in the tables
    package: str = ""  #: whose version its answers depend on

    def __call__(self, documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
        """One call."""
        if self.call is None:
            raise ImportError(f"{self.name}: {self.without}")
        return self.call(documents, query, budget, ratio)


@dataclass(frozen=True, slots=True)
class Splitter:
    """A system that cuts text into sentences: (text, two-letter language) -> sentences, in order."""

    name: str
    split: Callable[[str, str], list[str]] | None
    without: str = MISSING


def why_missing(error: Exception) -> str:
    """What the tables say of a system that raised when it was set up."""
    if isinstance(error, ImportError):
        return f"{MISSING} ({error.name})" if error.name else f"{MISSING} ({error})"
    return f"cannot start ({type(error).__name__})"


def offline() -> None:
    """Keep peers from fetching anything: what they need is here before, or they are listed as missing."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    _offer_vocabulary()


def _peer(
    name: str, make: Callable[[], tuple[Call, Callable[[Any], str]]], key: str = "", package: str = ""
) -> Compressor:
    """A peer from what imports it and gives its call and the text of its answers."""
    offline()
    try:
        call, text = make()
    except (ImportError, OSError) as error:
        return Compressor(name, None, without=why_missing(error), key=key, package=package)
    return Compressor(name, call, text, key=key, package=package)


def tersely_compressor(
    name: str = "tersely", *, encoding: str = tokens.O200K, strategy: Any = None, pruner: Any = None
) -> Compressor:
    """Keeps the budget, counted in `encoding`; documents are given as documents."""

    def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
        return tersely.compress(
            documents, query, budget=budget, counter=encoding, strategy=strategy, pruner=pruner
        )

    def check(answer: Any, budget: int) -> None:
        checks.check_compressed(answer, budget, encoding)

    return Compressor(name, call, lambda answer: str(answer.text), check)


def text_peers() -> list[Compressor]:
    """All that shorten text for a question."""
    return [_trimwise(), llmslim(), textcrusher(), _furl(), _litellm(), _ctxprune()]


def _trimwise() -> Compressor:
    """`trim_context` of the documents by its default strategy, without the extra that loads a model."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        module = importlib.import_module("trimwise")
        trimmer = module.Trimmer(module.TrimConfig(token_encoding="cl100k_base"))
        trimmer.trim("The vocabulary is loaded once.", 3)

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            return trimmer.trim_context(documents, budget, query=query, separator="\n\n")

        return call, lambda answer: str(answer.text)

    return _peer("trimwise", make, "trimwise", "trimwise")


def textcrusher() -> Compressor:
    """headroom's extractive compressor; it takes a ratio."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        module = importlib.import_module("headroom.transforms.text_crusher")

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            crusher = module.TextCrusher(module.TextCrusherConfig(target_ratio=ratio))
            return crusher.compress("\n\n".join(documents), query or "", ratio)

        return call, lambda answer: str(answer.compressed)

    return _peer("TextCrusher", make, "textcrusher", "headroom-ai")


def llmslim() -> Compressor:
    """It takes a ratio, too; counts with tiktoken where the vocabulary is at hand."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        compress = importlib.import_module("llmslim").compress

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            return compress("\n\n".join(documents), target_ratio=ratio, query=query)

        return call, lambda answer: str(answer.compressed_text)

    return _peer("llmslim", make, "llmslim", "llmslim")


def _furl() -> Compressor:
    """`compress_to` of a question and a tool's result, the documents; it comes as near a budget as it can."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        compress_to = importlib.import_module("furl_ctx").compress_to

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            return compress_to(_tool_result("\n\n".join(documents), query), budget, model=COUNTED_AS)

        return call, lambda answer: str(answer.messages[-1]["content"])

    return _peer("furl compress_to", make, "furl", "furl-ctx")


def _litellm() -> Compressor:
    """Its own `compress` leaves whole messages out: each document is one, the question the last."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        compress = importlib.import_module("litellm.compression.compress").compress

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            messages = [{"role": "user", "content": text} for text in (*documents, query or "")]
            found = compress(messages, COUNTED_AS, compression_trigger=1, compression_target=budget)
            return found["messages"][:-1]

        return call, lambda answer: "\n\n".join(str(message["content"]) for message in answer)

    return _peer("litellm compress", make, "litellm", "litellm")


def _ctxprune() -> Compressor:
    """Its model shortens a text by a rate, without a question; the weights have to be there."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        prune = importlib.import_module("ctxprune").prune
        prune("The weights are loaded once.")

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            return prune("\n\n".join(documents), keep=ratio)

        return call, str

    return _peer("ctxprune", make, "ctxprune", "ctxprune")


def json_peers() -> list[Compressor]:
    """What writes JSON in fewer tokens: headroom's and furl's ways for results of tools, terse and TOON.

    None takes a budget but furl; terse and TOON lose nothing, which `benchmarks.content` asserts.
    """

    def crusher() -> tuple[Call, Callable[[Any], str]]:
        made = importlib.import_module("headroom.transforms.smart_crusher").SmartCrusher()

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            return made.crush(documents[0], query or "")

        return call, lambda answer: str(answer.compressed)

    return [
        _peer("headroom SmartCrusher", crusher, package="headroom-ai"),
        _furl(),
        _lossless("terse", "terse.transforms", "compress", "decompress", "terse-mcp"),
        _lossless("TOON (toons)", "toons", "dumps", "loads", "toons"),
    ]


def _lossless(name: str, module: str, write: str, read: str, package: str) -> Compressor:
    """A format for JSON values; every answer is read back and must be the value."""
    import json

    def make() -> tuple[Call, Callable[[Any], str]]:
        found = importlib.import_module(module)
        dumps, loads = getattr(found, write), getattr(found, read)

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            value = json.loads(documents[0])
            text = dumps(value)
            checks.require(loads(text) == value, f"{name} lost something")
            return text

        return call, str

    return _peer(name, make, package=package)


def code_peers(language: str) -> list[Compressor]:
    """What shortens source code; headroom needs a tree-sitter-language-pack for it."""

    def make() -> tuple[Call, Callable[[Any], str]]:
        module = importlib.import_module("headroom.transforms.code_compressor")
        if not module.is_tree_sitter_available():
            raise ImportError("headroom-ai[code]")

        def call(documents: list[str], query: str | None, budget: int, ratio: float) -> Any:
            config = module.CodeCompressorConfig(target_compression_rate=ratio)
            return module.CodeAwareCompressor(config).compress(documents[0], language=language)

        return call, lambda answer: str(answer.compressed)

    return [
        _peer("headroom CodeAwareCompressor", make, package="headroom-ai"),
        _furl(),
        textcrusher(),
        llmslim(),
    ]


def installed(peers: Sequence[Compressor]) -> list[Compressor]:
    """Those that can run here."""
    return [peer for peer in peers if peer.call is not None]


def llmslim_counter() -> str:
    """How llmslim counts here: "tiktoken" or "heuristic"."""
    try:
        return str(importlib.import_module("llmslim.tokens").get_active_token_counter_name())
    except ImportError as error:
        return why_missing(error)


def tersely_splitter() -> Splitter:
    """tersely's segments; it is not told the language."""

    def split(text: str, language: str) -> list[str]:
        return [text[start:end] for _, start, end, _ in tersely.segment(text)]

    return Splitter("tersely", split)


def pysbd_splitter() -> Splitter:
    """The rules of the Pragmatic Segmenter in Python."""

    def make() -> Callable[[str, str], list[str]]:
        pysbd = importlib.import_module("pysbd")
        made: dict[str, Any] = {}

        def split(text: str, language: str) -> list[str]:
            if language not in made:
                made[language] = pysbd.Segmenter(language=language, clean=False)
            return list(made[language].segment(text))

        return split

    return _splitter("pysbd", make)


def sentencex_splitter() -> Splitter:
    """Wikimedia's splitter, in Rust."""

    def make() -> Callable[[str, str], list[str]]:
        segment = importlib.import_module("sentencex").segment
        return lambda text, language: list(segment(language, text))

    return _splitter("sentencex", make)


def chonkie_splitter() -> Splitter:
    """chonkie's SentenceChunker with chunks of one sentence each; it knows no language."""

    def make() -> Callable[[str, str], list[str]]:
        chunker = importlib.import_module("chonkie").SentenceChunker(
            tokenizer="character",
            chunk_size=1,
            chunk_overlap=0,
            min_sentences_per_chunk=1,
            min_characters_per_sentence=1,
        )
        return lambda text, language: [chunk.text for chunk in chunker.chunk(text)]

    return _splitter("chonkie", make)


def _splitter(name: str, make: Callable[[], Callable[[str, str], list[str]]]) -> Splitter:
    try:
        return Splitter(name, make())
    except ImportError as error:
        return Splitter(name, None, why_missing(error))


def _tool_result(text: str, query: str | None) -> list[dict[str, Any]]:
    """A question, a call of a tool and its result, as OpenAI writes them."""
    call = {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    return [
        {"role": "user", "content": query or "What is in it?"},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": text},
    ]


def _offer_vocabulary() -> None:
    """Point tiktoken to the cl100k_base file that litellm ships, so that it needs no network."""
    found = importlib.util.find_spec("litellm")
    if found is not None and found.submodule_search_locations:
        folder = Path(found.submodule_search_locations[0]) / "litellm_core_utils" / "tokenizers"
        if folder.is_dir():
            os.environ.setdefault("TIKTOKEN_CACHE_DIR", str(folder))
