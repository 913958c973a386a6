"""Detect the content type of each document and compress it accordingly, under one budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from tersely.content.blocks import holds_blocks
from tersely.content.detect import detect_each, hinted_detection
from tersely.content.registry import CONTENT_TYPES, named_type, trusted_kind
from tersely.content.units import ContentReader
from tersely.core.options import CompressionMethod, Profile, profile
from tersely.core.protocols import Strategy
from tersely.core.tables import Level
from tersely.core.types import Compressed, Document, Request
from tersely.engine.count import count_batch
from tersely.engine.extractive import Extractive
from tersely.engine.prepare import Prepared
from tersely.engine.reading import Reading
from tersely.engine.render import Rendered
from tersely.engine.worth import favour_whole
from tersely.providers.utf8 import Texts

__all__ = ["Auto", "fit_as", "prepare_by"]

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
        """Check the options."""
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
        revise: Callable[[Reading], None] | None = None,
        original_tokens: int | None = None,
    ) -> Prepared:
        """The documents, each as what it is, for any number of budgets; other arguments: as of `Prepared`."""
        texts = Texts([document.text for document in request.documents])
        if self.as_type is not None and not isinstance(self.as_type, str):
            kinds = [self.as_type.kind] * len(request.documents)
            pieces = _pieces_of_code(kinds, request.documents)
            readers: list[ContentReader | None] = [self.as_type] * len(request.documents)
        else:
            kinds, looks = self._kinds(request.documents)
            pieces = _pieces_of_code(kinds, request.documents)
            whole_blocks = "code" in self.text.preserve or "all" in self.text.preserve
            options: dict[str, dict[str, Any]] = {"code": {"looks": looks}}
            if self.as_type is None:
                options["conversation"] = {"with_query": False}
            readers = _readers(kinds, texts, pieces, whole_blocks, options)
        if self.goal is not None and request.budget is None:
            request = replace(request, budget=_budget_of(request, kinds, self.goal))

        def favour(reading: Reading) -> None:
            favour_whole(reading, np.array(pieces))
            if revise is not None:
                revise(reading)

        return Prepared(
            request,
            self._options(readers),
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
                return text
        return self.text

    def _kinds(self, documents: Sequence[Document]) -> tuple[list[str], dict[str, str]]:
        """What each document is, and which languages those look like that look like code."""
        if isinstance(self.as_type, str):
            return [self.as_type] * len(documents), {}
        named = [named_type(one.metadata) if one.metadata else None for one in documents]
        unknown = [one.text for one, kind in zip(documents, named, strict=True) if kind is None]
        looks = iter(detect_each(unknown))
        kinds: list[str] = []
        languages: dict[str, str] = {}
        for given, one in zip(named, documents, strict=True):
            if given is not None:
                kinds.append(given)
                continue
            found = next(looks)
            if found.kind == "code":
                languages[one.text] = found.language or ""
            if one.name or one.command or one.id or one.metadata:
                found = hinted_detection(found, one.file_name, one.command_line)
            kinds.append(trusted_kind(found, one.text))
        return kinds, languages


def prepare_by(
    strategy: Strategy,
    request: Request,
    original_tokens: int | None = None,
    revise: Callable[[Reading], None] | None = None,
) -> Prepared | None:
    """The documents as `strategy` prepares them; None where it does not leave the fitting to the engine."""
    if isinstance(strategy, Auto):
        return strategy.prepare(request, revise, original_tokens)
    if isinstance(strategy, Extractive):
        return Prepared(request, strategy, revise=revise, original_tokens=original_tokens)
    return None


def fit_as(written: Callable[[Rendered], int], strategy: Strategy, request: Request) -> Compressed:
    """The documents as `strategy` fits them, where `written` says how many tokens a choice has as it is sent.

    A strategy that does not leave the fitting to the engine is asked again for so much less as it was over.
    """

    def revise(reading: Reading) -> None:
        reading.measure = written

    prepared = prepare_by(strategy, request, revise=revise)
    if prepared is not None:
        return prepared.fit()
    budget = request.budget or 0
    while True:
        result = strategy.compress(request)
        over = written(Rendered(result.text, result.parts, result.generated)) - budget
        if over <= 0:
            return result
        request = replace(request, budget=max((request.budget or 0) - over, 0))


def _readers(
    kinds: Sequence[str],
    texts: Texts,
    pieces: Sequence[bool],
    whole_blocks: bool,
    options: Mapping[str, Mapping[str, Any]],
) -> list[ContentReader | None]:
    """What reads each document; one reader a type, so that documents of one type are read together.

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


def _pieces_of_code(kinds: Sequence[str], documents: Sequence[Document]) -> list[bool]:
    """Whether each of several documents is a short piece of code or a diff: as text its lines are ranked
    together."""
    return [
        kind in ("code", "diff") and len(kinds) > 1 and len(document.text) < _SHORT_CODE
        for kind, document in zip(kinds, documents, strict=True)
    ]


def _profiles(result: Compressed) -> list[Profile]:
    """How the content types of a result's documents are compressed by their profiles."""
    return [CONTENT_TYPES[kind].profile for kind in result.receipt.content_types]


def _budget_of(request: Request, kinds: Sequence[str], goal: Literal["default", "expected"]) -> int:
    """Tokens that the content types of the documents allow together."""
    sizes = count_batch(request.counter, [document.text for document in request.documents]).tolist()
    ratios = [profile(CONTENT_TYPES[kind].content, goal).ratio for kind in kinds]
    return max(1, int(sum(size * ratio for size, ratio in zip(sizes, ratios, strict=True)) + 1e-9))
