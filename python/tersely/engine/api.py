"""The front door: check the arguments, and hand them to the engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, overload

import numpy as np
import numpy.typing as npt

from tersely import checks, metrics
from tersely.content.registry import CONTENT_TYPES
from tersely.content.units import ContentReader
from tersely.documents import to_documents, to_level
from tersely.engine.dedup import dedup_texts, dedup_vectors, keys_of_guards
from tersely.engine.facts import check_names, fact_report, facts_after, list_facts
from tersely.engine.reading import segment as _segment, to_groups, to_spans
from tersely.engine.strategies import (
    STRATEGIES,
    Auto,
    Extractive,
    Prepared,
    compress_framed,
    prepare_by,
    with_pruner,
)
from tersely.models.counters import resolve_counter
from tersely.models.embedders import resolve_embedder
from tersely.protocols import Strategy
from tersely.threads import MOST_WAITING, TURNS, checked_timeout, default_threads, map_in_threads
from tersely.types import (
    AnyStrategyName,
    Compressed,
    Deduplicated,
    Fact,
    FactReport,
    Frame,
    Level,
    LevelName,
    Request,
    SegmentTable,
)

_DEFAULT = Auto()
_NOWHERE: tuple[Any, ...] = ()  # no places, which most calls name


def compress(
    documents: Any,
    query: str | None = None,
    *,
    budget: int | None = None,
    ratio: float | None = None,
    counter: Any = None,
    strategy: Strategy | ContentReader | AnyStrategyName | None = None,
    pinned: Any = (),
    groups: Any = (),
    separator: str = "\n\n",
    pruner: Any = None,
) -> Compressed:
    """Fit documents into a token budget, verbatim.

    Args:
        documents: a str, a list of str, or of objects or mappings with `text` (or `page_content`, `content`)
            and optional `id`, `title`, `name` (a path or file name), `command` (that wrote it), `score`,
            `metadata`: documents and nodes of LangChain, LlamaIndex and Haystack, with their scores.
        query: the question or task that decides what is relevant; None: what is central to the text is kept.
        budget: the most tokens that the final text may have, separators included. None: `ratio` decides.
        ratio: share of the original tokens, in (0, 1], instead of a budget; None: 0.3.
        counter: the tokenizer that counts: None (o200k_base), a name ("o200k_base", "cl100k_base",
            "o200k_harmony", "qwen3.5", "jev", "chars/4"), a callable str -> int, a tiktoken Encoding, a
            tokenizers.Tokenizer or a TokenCounter.
        strategy: None, "auto": each document is read by its content type (prose, code, a log, JSON, ...), and
            all compete for one budget (`engine.strategies.Auto`). Otherwise a name from
            `tersely.engine.strategies.STRATEGIES` ("extractive" reads all as text), a content type ("log",
            "json", ...) for all documents, a parser of one (`tersely.content.logs.Logs()`), or a strategy
            object.
        pinned: text that must be kept: strings, (start, end) or (document, start, end) in characters, or
            Spans. Each segment that touches one is kept whole.
        groups: lists of such spans; those of a list are kept or dropped together.
        separator: is written between kept pieces that do not touch in the source.
        pruner: a model that reads the best half of the text with the query (`Extractive.pruner`); None: none.

    Returns:
        A `Compressed` with text, spans and receipt.

    Raises:
        BudgetExceededError: pinned content, or the smallest piece of any, does not fit.
        ValueError, TypeError: a wrong argument; the message names it.

    O(characters + segments log segments); the GIL is released in the native stages.
    """
    request = _request(documents, query, budget, ratio, counter, pinned, groups, separator)
    chosen = _DEFAULT if strategy is None else _strategy(strategy)
    if pruner is not None:
        chosen = with_pruner(chosen, pruner)
    if metrics.switch.active is None:
        return chosen.compress(request)
    return _observed(chosen, chosen.compress, request)


def compress_in(
    frame: Frame,
    documents: Any,
    query: str | None = None,
    *,
    budget: int | None,
    ratio: float | None = None,
    counter: Any = None,
    strategy: Strategy | ContentReader | AnyStrategyName | None = None,
    pinned: Any = (),
    separator: str = "\n\n",
) -> Compressed:
    """Compress for a caller that sends the result in a `frame`, which the budget includes."""
    request = _request(documents, query, budget, ratio, counter, pinned, (), separator, frame)
    chosen = _strategy(strategy)
    made = partial(compress_framed, chosen)
    return made(request) if metrics.switch.active is None else _observed(chosen, made, request)


def _observed(strategy: Strategy, compress: Callable[[Request], Compressed], request: Request) -> Compressed:
    """Compress a request by a strategy, and report it to the metrics."""
    started = time.perf_counter()
    result = compress(request)
    seconds = time.perf_counter() - started
    metrics.observe(_method(strategy, result), result.original_tokens, result.tokens, seconds)
    return result


def prepare(
    documents: Any,
    query: str | None = None,
    *,
    counter: Any = None,
    strategy: Extractive | Auto | ContentReader | AnyStrategyName | None = None,
    pinned: Any = (),
    groups: Any = (),
    separator: str = "\n\n",
    pruner: Any = None,
) -> Prepared:
    """Read and score documents once, to fit them into any number of budgets.

    `prepare(...).fit(budget=...)` gives what `compress(..., budget=...)` does; another `fit` reads nothing
    again; `.levels([...])` gives results that are parts of one another. The arguments are `compress`'s;
    `strategy` must be one that reads documents, not one that asks a model.

    >>> import tersely
    >>> prepared = tersely.prepare("First. Second. Third.", "second?")
    >>> prepared.fit(budget=3).text
    'Second.'
    """
    chosen = _strategy(strategy) if pruner is None else with_pruner(_strategy(strategy), pruner)
    request = _request(documents, query, None, None, counter, pinned, groups, separator)
    prepared = prepare_by(chosen, request)
    if prepared is None:
        raise TypeError(f"strategy must be one that reads documents, not {type(chosen).__name__}")
    return prepared


async def acompress(
    documents: Any,
    query: str | None = None,
    *,
    timeout: float | None = None,
    waiting: int = MOST_WAITING,
    **options: Any,
) -> Compressed:
    """Run `compress` on a thread, so that the event loop is not blocked; the options are the same.

    As many calls run at a time as there are CPUs; the others wait for their turn.

    Args:
        documents, query, options: as for `compress`.
        timeout: seconds from the call on; None: no limit. A task that is cancelled stops its work as well.
        waiting: calls that may wait; one more is refused.

    Raises TimeoutError when the time is up; OverloadedError, at once, if `waiting` calls wait already or the
    calls before this one will take all of its time; and the errors of `compress`.
    """
    _refuse_unknown(options)
    seconds = None if timeout is None else checked_timeout(timeout)
    most = checks.whole_number(waiting, "waiting")
    return await TURNS.run(partial(compress, documents, query, **options), seconds, most)


@overload
def compress_batch(
    items: Iterable[Any],
    query: str | Sequence[str | None] | None = None,
    *,
    budget: int | Sequence[int | None] | None = None,
    ratio: float | Sequence[float] | None = None,
    pinned: Any = (),
    threads: int | None = None,
    errors: Literal["return"] = "return",
    **options: Any,
) -> list[Compressed | Exception]: ...
@overload
def compress_batch(
    items: Iterable[Any],
    query: str | Sequence[str | None] | None = None,
    *,
    budget: int | Sequence[int | None] | None = None,
    ratio: float | Sequence[float] | None = None,
    pinned: Any = (),
    threads: int | None = None,
    errors: Literal["raise"],
    **options: Any,
) -> list[Compressed]: ...
def compress_batch(
    items: Iterable[Any],
    query: str | Sequence[str | None] | None = None,
    *,
    budget: int | Sequence[int | None] | None = None,
    ratio: float | Sequence[float] | None = None,
    pinned: Any = (),
    threads: int | None = None,
    errors: Literal["return", "raise"] = "return",
    **options: Any,
) -> list[Compressed | Exception] | list[Compressed]:
    """Compress many inputs on several threads; results are in the order of the inputs.

    Args:
        items: each what `compress` takes as documents.
        query, budget, ratio: one for all, or a list with one per item; a ratio is for items whose budget is
            None.
        pinned: as for `compress`, for all; or a list of such lists, one per item.
        threads: worker threads; None: OMP_NUM_THREADS, or the CPUs that this process may use.
        errors: "return" puts the exception of a bad item in its place, so that one does not lose the
            others; "raise" raises the first after all are done.
        options: other keyword arguments of `compress`.
    """
    if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
        raise TypeError(f"items must be a list of what compress takes, not {type(items).__name__}")
    _refuse_unknown(options)
    todo = list(items)
    checks.one_of(errors, "errors", ("return", "raise"))
    checks.threads(threads)
    queries = _one_an_item(query, "query", len(todo), (str, type(None)))
    budgets = _one_an_item(budget, "budget", len(todo), None)
    if budgets and None not in budgets:
        checks.share_kept(budgets[0], ratio)  # raises where both are given
    ratios = _one_an_item(ratio, "ratio", len(todo), None)
    listed = isinstance(pinned, (list, tuple)) and bool(pinned) and all(isinstance(p, list) for p in pinned)
    pins = _one_an_item(pinned, "pinned", len(todo), None) if listed else [pinned] * len(todo)

    def one(item: tuple[Any, ...]) -> Compressed | Exception:
        documents, asked, tokens, share, pin = item
        try:
            share = share if tokens is None else None
            return compress(documents, asked, budget=tokens, ratio=share, pinned=pin, **options)
        except Exception as error:  # one bad item must not lose the others; it stands in the result
            return error

    work = list(zip(todo, queries, budgets, ratios, pins, strict=True))
    results = map_in_threads(one, work, threads or default_threads())
    if errors == "raise":
        for result in results:
            if isinstance(result, Exception):
                raise result
    return results


def _one_an_item(value: Any, name: str, items: int, single: Any) -> list[Any]:
    """One value for each item: those of a list, or the same for all."""
    if isinstance(value, single) if single else not isinstance(value, (list, tuple, np.ndarray)):
        return [value] * items
    values = list(value)
    if len(values) != items:
        raise ValueError(
            f"{name} must be one for all or have one entry an item: {len(values)} for {items} items"
        )
    return values


def _request(
    documents: Any,
    query: str | None,
    budget: int | None,
    ratio: float | None,
    counter: Any,
    pinned: Any,
    groups: Any,
    separator: str,
    frame: Frame | None = None,
) -> Request:
    """The arguments of a call, checked."""
    checked = to_documents(documents)
    if isinstance(budget, float) and 0 < budget < 1:
        raise TypeError(
            f"budget must be a whole number of tokens, not {budget}; ratio={budget} keeps a share"
        )
    return Request(
        checked,
        None if query is None else checks.text(query, "query"),
        None if budget is None else checks.whole_number(budget, "budget"),
        checks.share_kept(budget, ratio),
        resolve_counter(counter),
        () if pinned is _NOWHERE else to_spans(pinned, checked),
        () if groups is _NOWHERE else to_groups(groups, checked),
        checks.text(separator, "separator"),
        frame=frame,
    )


def _refuse_unknown(options: Iterable[str]) -> None:
    if unknown := set(options) - (compress.__kwdefaults__ or {}).keys():
        raise TypeError(f"compress has no option {', '.join(sorted(unknown))}")


def check_options(options: Mapping[str, Any]) -> None:
    """Raise ValueError or TypeError for options that `compress` takes for no text at all.

    Whether pins and groups stand in the documents is no such question.
    """
    _refuse_unknown(options)
    budget, ratio, counter = map(options.get, ("budget", "ratio", "counter"))
    _request("", None, budget, ratio, counter, (), (), options.get("separator", ""))
    _strategy(options.get("strategy"))


def segment(documents: Any, level: Level | LevelName = Level.SENTENCE, *, window: int = 200) -> SegmentTable:
    """Cut documents into segments: spans with kinds, which lose no text.

    Args:
        documents: as for `compress`.
        level: CHARACTER (fixed windows), WORD, SENTENCE, PARAGRAPH or SECTION, or its name.
        window: characters of a CHARACTER segment.

    O(characters), one native pass with the GIL released.
    """
    checks.whole_number(window, "window", least=1)
    return _segment([document.text for document in to_documents(documents)], to_level(level), window)


def dedup(
    texts: Any,
    threshold: float = 0.85,
    scores: npt.ArrayLike | None = None,
    *,
    embedder: Any = None,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> Deduplicated:
    """Merge near-duplicates, but never texts that differ in a recognized fact.

    Texts are taken in descending order of score. Each joins the earlier representative it is most similar to,
    or becomes one; no text joins through a third. It joins a representative if all of these hold:

    - their vectors have a cosine of at least `threshold`;
    - the numbers, dates, versions, units, signs and pieces of code are the same, in the same order;
    - so are negations (of about twenty languages) and words that come in opposites ("before", "disable";
      mostly English);
    - each text has all capitalised words of the other;
    - they share more than half of their terms, and of those that occur once in each, three quarters are in
      the same order.

    Copies that differ in white space only always merge. The decision about two texts depends on them alone,
    so the representatives deduplicate to themselves.

    Args:
        texts: a list of str or of other documents (as for `compress`); or vectors, an (n, d) array: these
            are merged by their cosine alone.
        threshold: cosine in [-1, 1], inclusive; decided as in double with a tolerance of 1e-9.
        scores: finite numbers, one per text; the best of a cluster represents it (ties, and None: the first).
        embedder: for texts: None (the one that comes with tersely), an object with `embed(list[str])`, a
            SentenceTransformer or a model2vec StaticModel.
        threads: None: OMP_NUM_THREADS, or the CPUs that this process may use; the same answer with any.
        progress: called with the share of the comparisons that is done, 0 to 1, up to fifty times a second.

    Returns:
        A `Deduplicated`; `representatives, labels = tersely.dedup(texts)` works too.

    Raises:
        ValueError, TypeError: a wrong argument; the message names it.

    O(characters + n k d) time for n texts in k clusters, O(characters + n d) memory, whatever the threshold;
    texts with different numbers or negations are not compared.
    """
    if _is_matrix(texts):
        if embedder is not None:
            raise ValueError("embedder is for texts, not for vectors")
        return dedup_vectors(texts, threshold, scores, threads=threads, progress=progress)
    if isinstance(texts, str):
        raise TypeError("texts must be a list of texts, not one str")
    contents = [document.text for document in to_documents(texts)]
    return dedup_texts(
        contents, resolve_embedder(embedder), threshold, scores, threads=threads, progress=progress
    )


def guard_keys(texts: Any) -> list[bytes]:
    """Return a key of 16 bytes for each text: `dedup` never merges texts with different keys.

    Two texts have the same key if their numbers, dates, units, code, negations and opposites are the same, in
    the same order. If `dedup` is called for the texts of each key, the clusters and similarities are those of
    one `dedup` of all texts, provided that copies that differ only in white space were merged before: a line
    break may change the key.

    Args:
        texts: a list of str or of other documents (as for `compress`).

    Returns:
        A key per text: the same on every machine, in every call, and whatever else is in the list.

    O(characters), one native pass with the GIL released.
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a list of texts, not one str")
    return keys_of_guards([document.text for document in to_documents(texts)])


def find_facts(documents: Any) -> list[Fact]:
    """Find the facts of documents by patterns: numbers, names, code, decisions and others.

    Args:
        documents: as for `compress`.

    Returns:
        Every occurrence, in source order: `fact.kind`, `fact.text`, and
        `documents[fact.document][fact.start:fact.end]`. A quote, an error, a clause or a decision may hold
        others. csrc/kernels/text/facts.hpp says what each kind is.

    O(characters), one native pass with the GIL released.
    """
    return list_facts([document.text for document in to_documents(documents)])


def check_facts(result: Compressed, preserve: str | Iterable[str] = "all") -> FactReport:
    """Report which distinct facts of a result's sources were kept, lost or invented.

    Args:
        result: of `compress`. If a model wrote a part of it, the report also names facts that no original
            has.
        preserve: which facts, by the names of `Extractive.preserve`; of a text that a model wrote, all.

    Returns:
        A `FactReport`: `report.retention`, `report.of("lost")`, `report.counts()`.
    """
    if not isinstance(result, Compressed):
        raise TypeError(f"result must be a Compressed, not {type(result).__name__}")
    names = check_names([preserve] if isinstance(preserve, str) else list(preserve))
    if result.receipt.used_llm:
        return facts_after([document.text for document in result.documents], result.text)
    return fact_report(result, names)


def _is_matrix(texts: Any) -> bool:
    if isinstance(texts, (list, tuple)):  # rows of numbers; a pair of a document and its score is none
        row = texts[0] if texts else None
        pair = isinstance(row, (list, tuple)) and row and not isinstance(row[0], (int, float, np.generic))
        return isinstance(row, (list, tuple, np.ndarray)) and not pair
    return hasattr(texts, "__array__") and np.asarray(texts).dtype.kind not in "OUST"


def _strategy(strategy: Strategy | ContentReader | str | None) -> Strategy:
    if strategy is None:
        return _DEFAULT
    if isinstance(strategy, str):
        if strategy in STRATEGIES:
            return STRATEGIES[strategy]()
        if strategy != "auto" and strategy not in CONTENT_TYPES:
            known = [*STRATEGIES, "auto", *CONTENT_TYPES]
            raise ValueError(
                f"unknown strategy {checks.shown(strategy)}; known names: {', '.join(known)}"
                f"{checks.meant(strategy, known)}"
            )
        return Auto(as_type=None if strategy == "auto" else strategy)
    strategy = getattr(strategy, "strategy", strategy)  # a compressor has one
    if isinstance(strategy, type):
        raise TypeError(f"strategy must be a name or an object with compress(request), not {strategy!r}")
    if isinstance(strategy, (Auto, Extractive, Strategy)):  # the quicker ones first
        return strategy
    if isinstance(strategy, ContentReader):
        return Auto(as_type=strategy)
    raise TypeError(f"strategy must be a name or an object with compress(request), not {strategy!r}")


def _method(strategy: Strategy, result: Compressed) -> str:
    """Return the method's name for metrics: the strategy's, else by whether a model wrote any of it."""
    if result.receipt.fallback_reason is not None and not result.receipt.used_llm:
        return "extractive"
    name = getattr(getattr(strategy, "method", None), "name", type(strategy).__name__).lower()
    if name in metrics.METHODS:
        return str(name)
    return "abstractive" if result.receipt.used_llm else "extractive"
