"""The base class of compressors, the cache of their results, and the description that a result has.

They are views: the engine compresses, and they put what it gives into a `CompressedContext`.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import marshal
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any, Generic, TypeVar

import numpy as np

from tersely import _native, checks, metrics
from tersely.cache import BoundedCache
from tersely.documents import read_document
from tersely.engine.facts import TextIndex, list_facts
from tersely.engine.incremental import Known
from tersely.engine.reading import count
from tersely.engine.strategies import Auto, Extractive, Prepared, prepare_by, with_required
from tersely.engine.worth import confidence
from tersely.errors import NotReversibleError
from tersely.models.counters import resolve_counter
from tersely.models.embedders import resolve_embedder
from tersely.options import CompressionMethod, CompressionOptions
from tersely.protocols import BatchTokenCounter, Strategy
from tersely.strategies.contexts import CompressedContext, CompressionMetadata, OriginalContext
from tersely.threads import default_threads, map_in_threads
from tersely.types import Compressed, Document, FactKind, Request, span_columns

_PUNCTUATION = ".,;:!?…()[]{}<>\"'`“”‘’«»*#|"


def describe(content: str, query: str, result: Compressed) -> CompressionMetadata:
    """Say what `result` made of `content`; each part is worked out when it is first read.

    The confidence of a text that was not changed is 1; of one that a model wrote it is the receipt's. Else
    the must-keep facts in its formula are those that were to be preserved, or, where nobody asked for any,
    the entities. O(characters) a part.
    """

    def score() -> float:
        if result.text == content:
            return 1.0
        if result.receipt.confidence is not None:
            return result.receipt.confidence
        if result.receipt.facts is not None:
            return confidence([content], result.text, query, result.receipt.facts.retention)
        named = entities(content)
        kept = len(made.preserved_entities)
        return confidence([content], result.text, query, kept / len(named) if named else 1.0)

    def kept_entities() -> tuple[str, ...]:
        return tuple(filter(TextIndex(result.text).stands, entities(content)))

    made = CompressionMetadata.build(
        {
            "preserved_entities": kept_entities,
            "key_concepts": lambda: key_concepts(words(result.text)),
            "dropped_sections": lambda: dropped_sections(result),
            "confidence_score": score,
        }
    )
    return made


def words(text: str) -> dict[str, int]:
    """Count the words of a text, without punctuation around them. O(characters)."""
    found: dict[str, int] = {}
    for spelled, times in Counter(text.split()).items():
        word = spelled.strip(_PUNCTUATION)
        found[word] = found.get(word, 0) + times
    found.pop("", None)
    return found


_OPENINGS = {  # of sentences, written large and no part of a name
    "Afterwards", "Also", "Although", "And", "Because", "Before", "Besides", "Between", "But",
    "Consequently", "Even", "Furthermore", "Hence", "Here", "However", "In", "Indeed", "Instead",
    "Later", "Meanwhile", "Moreover", "Nevertheless", "Next", "Nonetheless", "Now", "Often", "Once",
    "Only", "Otherwise", "Perhaps", "Since", "So", "Sometimes", "Soon", "Still", "Then", "There",
    "Therefore", "Though", "Thus", "Today", "Tomorrow", "When", "While", "Yesterday", "Yet",
}  # fmt: skip
_ENTITIES = {FactKind.NAME, FactKind.NUMBER, FactKind.DATE, FactKind.VERSION, FactKind.PATH,
             FactKind.PATH_LINE, FactKind.URL, FactKind.IDENTIFIER}  # fmt: skip


def entities(text: str) -> tuple[str, ...]:
    """List the names ("United States"), numbers, dates, paths, identifiers and the like of a text, each once,
    in the order in which they come. O(characters).

    An adverb or a stop word that opens a sentence is no part of the name behind it, and a word of a longer
    name ("Locke" of "John Locke") is told with that.
    """
    found: dict[str, bool] = {}
    for fact in list_facts([text]):
        if fact.kind in _ENTITIES:
            is_name = fact.kind is FactKind.NAME
            found.setdefault(_without_opening(fact.text) if is_name else fact.text, is_name)
    parts = {word for name, is_name in found.items() if is_name for word in name.split() if word != name}
    return tuple(name for name, is_name in found.items() if name and not (is_name and name in parts))


def _without_opening(name: str) -> str:
    """Return a name without an adverb or a stop word in front ("Meanwhile Paris")."""
    first, _, rest = name.partition(" ")
    opens = first in _OPENINGS or (first.endswith("ly") and len(first) > len("Only"))
    return rest if opens and rest else name


def key_concepts(listed: Mapping[str, int]) -> tuple[str, ...]:
    """The ten most frequent terms, as they are first spelled; ties: the first.

    `listed`: the `words` of a text. Without stop words and numbers. Of scripts without spaces the terms are
    pairs of letters. O(characters).
    """
    counts: dict[str, int] = {}
    spelled: dict[str, str] = {}
    for term, surface, times in _terms(listed):
        counts[term] = counts.get(term, 0) + times
        spelled.setdefault(term, surface)
    best = sorted(counts, key=lambda term: -counts[term])
    return tuple(spelled[term] for term in best[:10])


def _terms(listed: Mapping[str, int]) -> Iterator[tuple[str, str, int]]:
    """Return each term of words without digits, the letters that it was read from, and how often it comes."""
    texts = [word for word in listed if word.isalpha() or not any(map(str.isdigit, word))]
    found, offsets, names = _native.terms(texts)
    ids, ends = found.tolist(), offsets.tolist()
    for row, word in enumerate(texts):
        terms = ids[ends[row] : ends[row + 1]]
        for term in terms:
            surface = word if len(terms) == 1 else names[term]
            if surface in word:
                yield names[term], surface, listed[word]


def dropped_sections(result: Compressed) -> tuple[str, ...]:
    """The text of each run of dropped segments between kept ones, in source order. O(spans log spans)."""
    kept, dropped = span_columns(result.kept), span_columns(result.dropped)
    document, start, end, _ = np.concatenate([kept, dropped], axis=1)
    out = np.arange(len(document)) >= len(kept[0])
    order = np.lexsort((out, end, start, document))
    document, start, end, out = document[order], start[order], end[order], out[order]
    goes_on = np.zeros(len(out) + 1, dtype=bool)  # a run with the one before
    goes_on[1:-1] = out[1:] & out[:-1] & (document[1:] == document[:-1])
    first, last = np.flatnonzero(out & ~goes_on[:-1]), np.flatnonzero(out & ~goes_on[1:])
    places = zip(document[first].tolist(), start[first].tolist(), end[last].tolist(), strict=True)
    return tuple(result.documents[index].text[begin:close] for index, begin, close in places)


_SEGMENT_BYTES = 64  # a row of the table, its score and its code


class CompressionCache:
    """Compressed texts by key, in so many bytes; the least recently used ones make room. Thread-safe.

    A key must say all that the text depends on (`content_id`). The manager keeps
    readings of chunks in it, too, from which it makes contexts for any budget.
    """

    def __init__(self, nbytes: int = 64 * 2**20) -> None:
        """An empty cache of `nbytes` >= 0; with 0 it keeps nothing."""
        self._cache: BoundedCache[CompressedContext | Known] = BoundedCache(nbytes)

    def __len__(self) -> int:
        return len(self._cache)

    def get(self, key: str) -> CompressedContext | None:
        """The text of `key`, or None."""
        found = self._cache.get(key.encode("utf-8"))
        return found if isinstance(found, CompressedContext) else None

    def set(self, key: str, context: CompressedContext) -> None:
        """Keep a text."""
        texts = [context.compressed]
        if context.original is not None:
            texts += [context.original.content] * 2  # what is dropped of it stands in the metadata
        segments = context.result.receipt.segments if context.result is not None else 0
        nbytes = sum(map(sys.getsizeof, texts)) + _SEGMENT_BYTES * segments
        self._cache.put(key.encode("utf-8"), context, nbytes)

    def get_reading(self, key: str) -> Known | None:
        """Return what is remembered about the segments of a chunk, or None."""
        found = self._cache.get(key.encode("utf-8"))
        return found if isinstance(found, Known) else None

    def set_reading(self, key: str, reading: Known) -> None:
        """Keep what is known of the segments of a chunk."""
        self._cache.put(key.encode("utf-8"), reading, reading.nbytes)

    def clear(self) -> None:
        """Forget everything but the counts."""
        self._cache.clear()

    @property
    def nbytes(self) -> int:
        """Bytes in use."""
        return self._cache.nbytes

    @property
    def hits(self) -> int:
        """How often `get` found something."""
        return self._cache.hits

    @property
    def misses(self) -> int:
        """How often `get` found nothing."""
        return self._cache.misses

    @property
    def hit_rate(self) -> float:
        """hits / (hits + misses); 0.0 before the first `get`."""
        asked = self.hits + self.misses
        return self.hits / asked if asked else 0.0


T = TypeVar("T")

_OPTIONS = tuple(entry.name for entry in fields(CompressionOptions))


class Forms(Generic[T]):
    """Base class that adds batch and async forms of `compress`."""

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> T:
        """Compress one text."""
        raise NotImplementedError(f"{type(self).__name__} must say how to compress")

    def compress_batch(
        self,
        contents: Sequence[str],
        options: CompressionOptions | None = None,
        *,
        threads: int | None = None,
    ) -> list[T | Exception]:
        """Compress many texts side by side; an exception takes the place of a result.

        `threads`: None: OMP_NUM_THREADS, else the CPUs this process may use.
        """
        options = checked_options(options)
        checks.threads(threads)

        def one(content: str) -> T | Exception:
            try:
                return self.compress(content, options)
            except Exception as error:  # one bad text must not lose the others; it stands in the result
                return error

        return map_in_threads(one, _texts(contents), threads or default_threads())

    async def acompress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> T:
        """`compress` in a thread, for async callers."""
        import asyncio

        return await asyncio.to_thread(self.compress, content, options, source=source)

    async def acompress_batch(
        self, contents: Sequence[str], options: CompressionOptions | None = None
    ) -> list[T | Exception]:
        """`compress_batch` for async callers; once cancelled, texts that were not begun are left."""
        import asyncio

        options = checked_options(options)

        async def one(content: str) -> T | Exception:
            try:
                return await self.acompress(content, options)
            except Exception as error:
                return error

        return await asyncio.gather(*map(one, _texts(contents)))


@dataclass(frozen=True, slots=True)
class Call:
    """A checked call of a compressor.

    Attributes:
        options: what was asked.
        request: the same for a strategy, with the budget in tokens.
        tokens: of the text.
        strategy: what compresses it.
        lacks_model: whether a model should have had a part, and there is none.
        started: of `time.perf_counter`.
    """

    options: CompressionOptions
    request: Request
    tokens: int
    strategy: Strategy
    lacks_model: bool
    started: float

    @property
    def prepared(self) -> Prepared | None:
        """Return the text prepared for any budget; None where the engine does not compress it."""
        return prepare_by(self.strategy, self.request, self.tokens)

    def run(self) -> Compressed:
        """Compress the text."""
        prepared = self.prepared
        result = self.strategy.compress(self.request) if prepared is None else prepared.fit()
        if self.lacks_model:
            result = replace(result, receipt=result.receipt.without_model("no_model"))
        return result


class Compressor(Forms[CompressedContext]):
    """Base class of the compressors. A subclass chooses the strategy: `strategy_for`.

    Safe to use from many threads at once.

    Attributes:
        method: what its strategies do when nothing keeps them from it.
    """

    method = CompressionMethod.EXTRACTIVE
    model_name = ""  # says which model has a part in the results

    def __init__(
        self,
        *,
        embedder: Any = None,
        counter: Any = None,
        clock: Callable[[], datetime] | None = None,
        new_id: Callable[[], str] | None = None,
    ) -> None:
        """Options by keyword.

        Args:
            embedder: what makes the vectors (`tersely.models.embedders.resolve_embedder`); None: the table
                that comes with tersely.
            counter: the tokenizer that targets are meant in; as for `tersely.compress`.
            clock: gives timestamps, with a time zone; None: now, in UTC.
            new_id: gives ids; None: hashes of what was asked, the same for the same call.
        """
        if embedder is not None:
            resolve_embedder(embedder)  # say now what is wrong with it
        self.embedder = embedder
        self.counter: BatchTokenCounter = resolve_counter(counter)
        self._clock = clock or (lambda: datetime.now(UTC))
        self._new_id = new_id

    def strategy_for(self, options: CompressionOptions, original_tokens: int) -> Strategy:
        """The strategy for a text of so many tokens, which is more than the target."""
        raise NotImplementedError(f"{type(self).__name__} must say which strategy it stands for")

    def extractive_for(self, options: CompressionOptions) -> Auto:
        """The extractive strategy for these options: verbatim, each text read by its content type."""
        return Auto(text=Extractive(embedder=self.embedder, **options.preserving))

    def verbatim_for(self, options: CompressionOptions) -> Auto | None:
        """The strategy for these options where the engine alone compresses; else None."""
        own = type(self).compress is Compressor.compress
        strategy = self.strategy_for(options, 0) if own else None
        return strategy if isinstance(strategy, Auto) else None

    @property
    def lacks_model(self) -> bool:
        """Whether a model should have a part in the results, and there is none: they are extractive."""
        return getattr(self, "llm", self) is None

    def misses_model(self, options: CompressionOptions) -> bool:
        """Whether these options ask for a model and there is none."""
        verbatim = (CompressionMethod.EXTRACTIVE, CompressionMethod.HIERARCHICAL)
        return self.lacks_model and options.preferred_method not in verbatim

    @property
    def strategy(self) -> Strategy:
        """The strategy with default options: what `tersely.compress(..., strategy=compressor)` uses."""
        return self.strategy_for(CompressionOptions(), 0)

    def compress(
        self, content: str, options: CompressionOptions | None = None, *, source: str | None = None
    ) -> CompressedContext:
        """Compress one text; one that is within the target stays as it is.

        Args:
            content: the text.
            options: None: `CompressionOptions()`. `preferred_method` EXTRACTIVE asks no model.
            source: where the text is from; carried along.

        Raises:
            BudgetExceededError: nothing of the text fits into the target, or not all that is to be preserved
                with `strict_preserve`.
            ValueError, TypeError: a wrong argument.
        """
        call = self.call(content, options)

        def attempt(target: int) -> Compressed:
            same = target == call.request.budget
            retry = call if same else self.call(content, replace(call.options, target_tokens=target))
            return self.checked(retry.run())

        target = call.options.target(call.tokens)
        return self.finish(call, with_required(attempt, target, call.tokens), source)

    def checked(self, result: Compressed) -> Compressed:
        """Check a result against the options of the compressor, and return it."""
        return result

    def decompress(self, compressed: CompressedContext) -> str:
        """The original text. Raises NotReversibleError where `compressed` does not have it."""
        if compressed.original is None:
            raise NotReversibleError(f"compressed text {compressed.id[:12]!r} came without its original")
        return compressed.original.content

    def now(self) -> datetime:
        """The current time of the clock."""
        timestamp = self._clock()
        if timestamp.tzinfo is None:
            raise ValueError("clock must give timestamps with a time zone, such as datetime.now(UTC)")
        return timestamp

    def new_id(self, content: str, options: CompressionOptions) -> str:
        """The id of a compression: what `new_id` of the constructor gives, else `content_id`."""
        return self._new_id() if self._new_id else content_id(content, self.settings(options))

    def settings(self, options: CompressionOptions) -> str:
        """Describe everything but the text that a compression with these options depends on."""
        return f"{self._own_settings} {settings_of(*(getattr(options, name) for name in _OPTIONS))}"

    @cached_property
    def _own_settings(self) -> str:
        """Describe the settings of the compressor itself, without the options."""
        own = type(self)
        strategy = None if own.strategy_for is Compressor.strategy_for else self.strategy
        embedder = None if self.embedder is None else resolve_embedder(self.embedder).name
        parts = (self.method, self.model_name, strategy, embedder, self.embedder, self.counter)
        return settings_of(_native.__version__, own.__qualname__, *parts)

    def call(self, content: str, options: CompressionOptions | None = None) -> Call:
        """Check the arguments of a call and choose its strategy."""
        started = time.perf_counter()
        options = checked_options(options)
        document = read_document(Document(content), "content")
        tokens = count(self.counter, document.text)
        target = options.target(tokens)
        request = Request((document,), options.query_context or None, target, 1.0, self.counter)
        strategy = Extractive() if tokens <= target else self.strategy_for(options, tokens)
        lacks_model = tokens > target and self.misses_model(options)
        return Call(options, request, tokens, strategy, lacks_model, started)

    def context(
        self,
        call: Call,
        result: Compressed,
        source: str | None = None,
        *,
        id: str | None = None,
        kind: type[CompressedContext] = CompressedContext,
        **more: Any,
    ) -> CompressedContext:
        """Make the `CompressedContext` of a result.

        `id`: None: a new one. `kind`, `more`: a subclass of CompressedContext, and values of its fields.
        """
        options, receipt = call.options, result.receipt
        content, given = call.request.documents[0].text, result.expand()
        fell_back = receipt.fallback_reason is not None and not receipt.used_llm
        verbatim = fell_back or isinstance(call.strategy, (Auto, Extractive))
        method = CompressionMethod.EXTRACTIVE if verbatim else getattr(call.strategy, "method", self.method)
        metadata = describe(content, options.query_context, result)
        codes = list(receipt.warnings)
        if result.tokens < call.tokens and 0 < options.target_tokens < options.min_tokens:
            codes.append("target_tokens_below_min")

        def all_warnings() -> tuple[str, ...]:
            unsure = not receipt.used_llm and metadata.confidence_score < options.min_confidence
            low = ["low_confidence"] if unsure else []  # verbatim: there is nothing safer to fall back to
            return tuple(dict.fromkeys([*codes, *low]))

        return kind.build(
            {"warnings": all_warnings},
            id=self.new_id(given, options) if id is None else id,
            original=OriginalContext(given, result.original_tokens, source, self.now()),
            compressed=result.text,
            compression_ratio=result.ratio,
            token_count=result.tokens,
            method=method,
            metadata=metadata,
            used_llm=receipt.used_llm,
            fallback_reason=receipt.fallback_reason,
            result=result,
            **more,
        )

    def finish(
        self, call: Call, result: Compressed, source: str | None = None, **more: Any
    ) -> CompressedContext:
        """As `context`, and record the call in the metrics."""
        made = self.context(call, result, source, **more)
        metrics.observe(made.method, call.tokens, result.tokens, time.perf_counter() - call.started)
        return made


def checked_options(options: CompressionOptions | None) -> CompressionOptions:
    """The options, or the default ones for None. Raises TypeError for anything else."""
    if options is None:
        return CompressionOptions()
    if not isinstance(options, CompressionOptions):
        raise TypeError(f"options must be CompressionOptions or None, not {type(options).__name__}")
    return options


def content_id(content: str, settings: str) -> str:
    """SHA-256 of a text and all else that its compression depends on, as 64 hexadecimal digits."""
    digest = hashlib.sha256(settings.encode("utf-8", "surrogatepass") + b"\0")
    digest.update(content.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def settings_of(*parts: Any) -> str:
    """Options, strategies, models and tokenizers as JSON: what differs in what it does has another text."""
    return json.dumps([_to_json(part) for part in parts])


def _to_json(value: Any) -> Any:
    """Convert a value to plain JSON: dataclasses by field, models by name, functions by module and name.

    Functions inside others are told apart by their code and what they refer to. Unnamed objects are
    numbered as they are met: the first of a class has the same text in every process.
    """
    if value is None or (isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, (tuple, list)):
        return [_to_json(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return [
            type(value).__qualname__,
            *(_to_json(getattr(value, entry.name)) for entry in fields(value)),
        ]
    name = getattr(value, "name", None)
    if isinstance(name, str) and name:
        return name
    if isinstance(value, MethodType):
        return [value.__func__.__qualname__, _to_json(value.__self__)]
    if isinstance(value, FunctionType) and "<" in value.__qualname__:
        return [_code(value), *(_held(one) for one in _held_by(value))]
    if callable(value) and hasattr(value, "__qualname__"):
        return f"{value.__module__}.{value.__qualname__}"
    return _numbered(value)


def _code(function: FunctionType) -> str:
    """Name a function by its place and its code."""
    # Version 2 of marshal gives equal code equal bytes; later ones depend on who else refers to it.
    code = hashlib.sha256(marshal.dumps(function.__code__, 2)).hexdigest()
    return f"{function.__module__}.{function.__qualname__} {code}"


def _held_by(function: FunctionType) -> Iterator[Any]:
    """Yield the defaults and the outer variables of a function."""
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # a variable without a value, so far
            yield cell.cell_contents


def _held(value: Any) -> Any:
    """Convert what a function holds: plain values as they are, functions by their code, others by number."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return _code(value) if isinstance(value, FunctionType) else _numbered(value)


_numbers: dict[str, Iterator[int]] = {}
_texts_by_id: dict[int, str] = {}  # of objects that live
_numbering = threading.Lock()


def _numbered(value: Any) -> str:
    """Name an object by its class, and by its number where it is not the first of the class."""
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    with _numbering:
        if id(value) in _texts_by_id:
            return _texts_by_id[id(value)]
        try:
            weakref.finalize(value, _texts_by_id.pop, id(value), None).atexit = False
        except TypeError:  # of a class that cannot be watched
            return kind
        number = next(_numbers.setdefault(kind, itertools.count()))
        return _texts_by_id.setdefault(id(value), f"{kind} {number}" if number else kind)


def _texts(contents: Sequence[str]) -> list[str]:
    if isinstance(contents, str):
        raise TypeError("contents must be a list of str, not one str")
    return list(contents)
