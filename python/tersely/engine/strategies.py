"""The strategies that need no model: extractive, by content type (auto), several sizes (hierarchical)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, ClassVar, Literal

import numpy as np

from tersely import checks
from tersely.checks import whole_number
from tersely.content.blocks import holds_blocks
from tersely.content.detect import detect_each, hinted_detection
from tersely.content.registry import CONTENT_TYPES, named_type, trusted_kind
from tersely.content.units import ContentReader
from tersely.documents import to_level
from tersely.engine.count import count_batch, count_sent
from tersely.engine.facts import check_names
from tersely.engine.prepare import Prepared, with_required
from tersely.engine.reading import Reading
from tersely.engine.relevance import PRUNER_SHARE, RERANK_SHARE
from tersely.engine.worth import with_wholes
from tersely.errors import BudgetExceededError
from tersely.models.counters import Texts, texts_of
from tersely.models.embedders import resolve_pruner
from tersely.options import CompressionMethod, Profile, profile
from tersely.protocols import Strategy
from tersely.types import Compressed, Document, Level, Request

Scoring = Literal["auto", "relevance", "lexical", "centrality", "lead"]
_SCORINGS = ("auto", "relevance", "lexical", "centrality", "lead")


@dataclass(frozen=True, slots=True)
class Extractive:
    """Keeps the segments worth most per token.

    Attributes:
        level: how finely the text is cut. CLAUSE keeps parts of sentences, with "…" where others of a
            paragraph are left out: for `preserve` under a tight budget, as they hold more facts per token.
        scoring: "relevance" (to the query, by terms and vectors), "lexical" (by terms alone), "centrality"
            (without a query), "auto" (relevance where there is a query that has to do with the text, else
            centrality), "lead" (1 - 0.01 i, + 0.3 for sentences of 6 to 49 words).
        embedder: makes the vectors: None (the table of token vectors that comes with tersely), or what
            `tersely.models.embedders.resolve_embedder` takes.
        reranker: an embedder or a cross-encoder that reads the best segments again; None: nobody does.
        rerank_share: how much of the text it reads, in (0, 1].
        pruner: a model that reads the best segments in windows, with the query, and says how probably each
            is to be kept (`tersely.protocols.Pruner`, `OnnxPruner`); None: nobody does.
        pruner_share: how much of the text it reads, in (0, 1].
        redundancy: 0 to 1; how much less a segment is worth when chosen ones hold its terms. Above 0, a
            word-for-word repeat is worth nothing. None: 0.2 with relevance (the evidence of one question
            shares its terms), 1 without.
        context: neighbours kept on each side of a selected segment, as far as the budget allows.
        preserve_structure: selected segments bring the headings above them, items of a list the sentence that
            leads into it.
        preserve: facts to keep as far as the budget allows: without a query before everything else but what
            is pinned, those first whose like is rare in the text; with one, where the segment has to do with
            it, for a tenth of the budget. Names
            from "code" (fenced and in backticks), "quotes", "numbers" (with dates and versions), "names",
            "paths" (with path:line), "urls", "identifiers", "errors", "negations", "obligations",
            "decisions", "all". One occurrence of each is enough. `receipt.facts` says what became of them.
        preserve_share: where not all of them fit, without a query: the share of the budget, in (0, 1], that
            is theirs before others, at least; the less they exceed the budget, the more. 1: all of it.
        strict_preserve: raise BudgetExceededError where not all of them fit.
        window: characters of a CHARACTER segment.
        position_decay, position_floor: of "lead".
    """

    level: Level = Level.SENTENCE
    scoring: Scoring = "auto"
    embedder: Any = None
    reranker: Any = None
    rerank_share: float = RERANK_SHARE
    pruner: Any = None
    pruner_share: float = PRUNER_SHARE
    redundancy: float | None = None
    context: int = 0
    preserve_structure: bool = False
    preserve: tuple[str, ...] = ()
    preserve_share: float = 1.0
    strict_preserve: bool = False
    window: int = 200
    position_decay: float = 0.01
    position_floor: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", to_level(self.level))
        object.__setattr__(self, "preserve", check_names(self.preserve))
        checks.whole_number(self.context, "context")
        checks.whole_number(self.window, "window", least=1)
        checks.one_of(self.scoring, "scoring", _SCORINGS)
        if self.redundancy is not None:
            checks.number(self.redundancy, "redundancy", least=0, most=1)
        checks.number(self.position_decay, "position_decay")
        if self.position_floor is not None:
            checks.number(self.position_floor, "position_floor")
        checks.share(self.rerank_share, "rerank_share")
        checks.share(self.pruner_share, "pruner_share")
        if self.pruner is not None:
            resolve_pruner(self.pruner)
        checks.share(self.preserve_share, "preserve_share")

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget, all read as text.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit, or, if
        `strict_preserve`, some facts. O(characters + segments log segments).
        """
        return Prepared(request, self).fit()


_SHORT_CODE = (
    3000  # characters: one of several pieces of code or diffs that are shorter is read as text, whole lines
)
_MAY_HOLD_BLOCKS = frozenset({"prose", "markdown", "mixed"})


@dataclass(frozen=True, slots=True)
class Auto:
    """Finds out what each document is, and reads it as that; all share one budget by what they are worth.

    What a document is: `as_type`, else its `metadata["content_type"]` (a name of CONTENT_TYPES or a media
    type such as "text/html"), else what `tersely.detect` says, if it is confident of it, else lines or prose;
    `receipt.content_types` says what came of it. Long fenced blocks in text are read as what they are.

    Attributes:
        as_type: the content type of all documents, a name of CONTENT_TYPES or a reader such as
            `tersely.content.logs.Logs()`; None: found out for each.
        text: how text is read, valued and chosen.
        goal: None: the request's ratio, where there is no budget. "default", "expected": each document's
            content type says how much of it is kept (`tersely.strategies.profile`). Where it says that a
            model writes, the receipt says that none did ("no_model").
    """

    as_type: str | ContentReader | None = None
    text: Extractive = field(default_factory=Extractive)
    goal: Literal["default", "expected"] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.as_type, str) and self.as_type not in CONTENT_TYPES:
            raise ValueError(f"as_type must be one of {', '.join(CONTENT_TYPES)}, not {self.as_type!r}")
        if self.as_type is not None and not isinstance(self.as_type, (str, ContentReader)):
            raise TypeError(f"as_type must be a name or a reader of a content type, not {self.as_type!r}")
        if self.goal not in (None, "default", "expected"):
            raise ValueError(f"goal must be 'default', 'expected' or None, not {self.goal!r}")

    @staticmethod
    def of_text(text: Extractive) -> Auto:
        """How a caller with options for text reads: each document as what it is; all as text, where the
        options cut it otherwise than into sentences."""
        return Auto(None if text.level is Level.SENTENCE else "prose", text=text)

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit.
        """
        result = self.prepare(request).fit()
        extractive = CompressionMethod.EXTRACTIVE
        if self.goal is None or all(told.method is extractive for told in _profiles(result)):
            return result
        return replace(result, receipt=result.receipt.without_model("no_model"))

    def prepare(
        self,
        request: Request,
        revise: Callable[[Reading], Reading] | None = None,
        original_tokens: int | None = None,
    ) -> Prepared:
        """The documents, each as what it is, for any number of budgets; other arguments: as of `Prepared`."""
        texts = texts_of(request.documents)
        readers: list[ContentReader | None]
        if self.as_type is not None and not isinstance(self.as_type, str):
            kinds = [self.as_type.kind] * len(texts)
            pieces = _pieces_of_code(kinds, texts)
            readers = [self.as_type] * len(texts)
        else:
            kinds, looks = self._kinds(request.documents, texts)
            pieces = _pieces_of_code(kinds, texts)
            whole_blocks = "code" in self.text.preserve or "all" in self.text.preserve
            options: dict[str, dict[str, Any]] = {"code": {"looks": looks}}
            if self.as_type is None:
                options["conversation"] = {"with_query": False}
            readers = _readers(kinds, texts, pieces, whole_blocks, options)
        if self.goal is not None and request.budget is None:
            request = replace(request, budget=_budget_of(request, kinds, self.goal))

        def favour(reading: Reading) -> Reading:
            reading = with_wholes(reading, np.array(pieces))
            return reading if revise is None else revise(reading)

        return Prepared(
            request,
            self._options(readers) if any(readers) else self.text,
            readers,
            tuple(kinds),
            revise=favour if request.query and sum(pieces) > 1 else revise,
            original_tokens=original_tokens,
            texts=texts,
        )

    def _options(self, readers: Sequence[ContentReader | None]) -> Extractive:
        """How text is read: as a reader says that has options for it."""
        for reader in readers:
            text = getattr(reader, "text", None)
            if isinstance(text, Extractive) and text != Extractive():
                mine = self.text
                if mine.pruner is None:
                    return text
                return replace(text, pruner=mine.pruner, pruner_share=mine.pruner_share)
        return self.text

    def _kinds(self, documents: Sequence[Document], texts: Texts) -> tuple[list[str], dict[str, str]]:
        """Return the type of each document, and the languages of those that look like code."""
        kinds = [self.as_type if isinstance(self.as_type, str) else ""] * len(documents)
        languages: dict[str, str] = {}
        unknown: list[int] = []
        for index, one in enumerate(documents):
            kinds[index] = kinds[index] or (one.metadata and named_type(one.metadata)) or ""
            if not kinds[index]:
                unknown.append(index)
        looks = detect_each(list(map(texts.__getitem__, unknown)))
        for index, found in zip(unknown, looks, strict=True):
            one = documents[index]
            if found.kind == "code":
                languages[one.text] = found.language or ""
            if one.name or one.command or one.id or one.metadata:
                found = hinted_detection(found, one.file_name, one.command_line)  # noqa: PLW2901
            own = CONTENT_TYPES.own and CONTENT_TYPES.kind_of(one.text, one.file_name, one.command_line)
            kinds[index] = own or trusted_kind(found, one.text)
        return kinds, languages


def prepare_by(
    strategy: Strategy,
    request: Request,
    original_tokens: int | None = None,
    revise: Callable[[Reading], Reading] | None = None,
) -> Prepared | None:
    """The documents as `strategy` prepares them; None where it does not leave the fitting to the engine."""
    if isinstance(strategy, Auto):
        return strategy.prepare(request, revise, original_tokens)
    if isinstance(strategy, Extractive):
        return Prepared(request, strategy, revise=revise, original_tokens=original_tokens)
    return None


def with_pruner(strategy: Strategy, pruner: Any) -> Strategy:
    """Return the strategy with a pruner as its second stage. Raises TypeError where it takes none."""
    if isinstance(strategy, Auto):
        return replace(strategy, text=replace(strategy.text, pruner=pruner))
    if isinstance(strategy, Extractive):
        return replace(strategy, pruner=pruner)
    raise TypeError(f"strategy must read documents where there is a pruner, not {type(strategy).__name__}")


def compress_framed(strategy: Strategy, request: Request) -> Compressed:
    """Compress a request whose result is sent in a frame, which the budget is for.

    A strategy that does not leave the fitting to the engine is asked again for so much less as it was over.
    """
    prepared = prepare_by(strategy, request)
    if prepared is not None:
        return prepared.fit()
    asked = replace(request, frame=None)
    while True:
        result = strategy.compress(asked)
        over = count_sent(request, result.text, result.parts) - (request.budget or 0)
        if over <= 0:
            return result
        asked = replace(asked, budget=max((asked.budget or 0) - over, 0))


def _readers(
    kinds: Sequence[str],
    texts: Texts,
    pieces: Sequence[bool],
    whole_blocks: bool,
    options: Mapping[str, Mapping[str, Any]],
) -> list[ContentReader | None]:
    """Return the reader of each document; one reader a type, so that documents of a type are read together.

    `pieces`: of each document, whether it is a piece of code. `whole_blocks`: code in text is to be preserved
    as it stands, so it is not read as what it is. `options`: of readers, by the name of what they read.
    """
    made: dict[str, ContentReader | None] = {}
    readers: list[ContentReader | None] = []
    text_alone = whole_blocks or _MAY_HOLD_BLOCKS.isdisjoint(kinds)
    blocks = [False] * len(texts) if text_alone else holds_blocks(texts)
    for kind, with_blocks, is_piece in zip(kinds, blocks, pieces, strict=True):
        name = kind
        if is_piece:
            name = "prose"
        elif kind in _MAY_HOLD_BLOCKS:
            name = "mixed" if with_blocks else "prose"
        if name not in made:
            make = CONTENT_TYPES[name].reader
            made[name] = None if make is None else make(**options.get(name, {}))
        readers.append(made[name])
    return readers


def _pieces_of_code(kinds: Sequence[str], texts: Texts) -> list[bool]:
    """Whether each of several documents is a short piece of code or a diff: as text its lines are ranked
    together."""
    if len(kinds) == 1:
        return [False]
    return [
        kind in ("code", "diff") and len(text) < _SHORT_CODE for kind, text in zip(kinds, texts, strict=True)
    ]


def _profiles(result: Compressed) -> list[Profile]:
    """How the content types of a result's documents are compressed by their profiles."""
    return [CONTENT_TYPES[kind].profile for kind in result.receipt.content_types]


def _budget_of(request: Request, kinds: Sequence[str], goal: Literal["default", "expected"]) -> int:
    """Tokens that the content types of the documents allow together."""
    sizes = count_batch(request.counter, [document.text for document in request.documents]).tolist()
    ratios = [profile(CONTENT_TYPES[kind].content, goal).ratio for kind in kinds]
    return max(1, int(sum(size * ratio for size, ratio in zip(sizes, ratios, strict=True)) + 1e-9))


def level_targets(original_tokens: int, levels: int) -> list[int]:
    """Tokens allowed for each level: a half, a quarter, ... of the original, at least 1."""
    return [max(1, original_tokens >> (level + 1)) for level in range(levels)]


@dataclass(frozen=True, slots=True)
class Hierarchical:
    """Levels of a half, a quarter, an eighth ... of the tokens, each a verbatim part of the one before.

    Under a budget, a level of its own is made for it, between the others.

    Attributes:
        levels: how many.
        extractive: how segments are read, scored and selected.
    """

    method: ClassVar[CompressionMethod] = CompressionMethod.HIERARCHICAL

    levels: int = 3
    extractive: Extractive = field(default_factory=Extractive)

    def __post_init__(self) -> None:
        whole_number(self.levels, "levels", least=1, most=30)
        if not isinstance(self.extractive, Extractive):
            raise TypeError(f"extractive must be Extractive, not {self.extractive!r}")

    def compress(self, request: Request) -> Compressed:
        """The level for the budget: a part of the levels that are larger, with all of those that are smaller.

        Raises BudgetExceededError as `Extractive` does.
        """
        prepared = Prepared(request, self.extractive)
        targets = level_targets(prepared.original_tokens, self.levels)

        def attempt(budget: int) -> Compressed:
            smaller = [target for target in targets if target < budget]
            while True:
                try:
                    return prepared.levels([budget, *smaller])[0]
                except BudgetExceededError:  # what is pinned is larger than the smallest level
                    if not smaller:
                        raise
                    smaller.pop()

        return with_required(attempt, prepared.allowed(None, None), prepared.original_tokens)


def _late(module: str, name: str) -> Callable[[], Strategy]:
    """A strategy whose module loads when it is made."""

    def make() -> Strategy:
        strategy: Strategy = getattr(import_module(module), name)()
        return strategy

    return make


STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "extractive": Extractive,
    "lead": lambda: Extractive(scoring="lead", redundancy=0.0),
    "abstractive": _late("tersely.writing.abstractive", "Abstractive"),
    "hybrid": _late("tersely.writing.hybrid", "Hybrid"),
    "hierarchical": _late("tersely.engine.strategies", "Hierarchical"),
    "manager": _late("tersely.strategies.manager", "ByDocument"),
}
