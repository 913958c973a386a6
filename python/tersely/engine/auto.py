"""Detect the content type of each document and compress it accordingly, under one budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tersely.content.conversation import Conversation
from tersely.content.detect import detect_each, hinted_detection
from tersely.content.fences import may_hold_blocks
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

__all__ = ["Auto", "prepare_by"]

_SHORT_CODE = (
    3000  # characters: one of several pieces of code that are shorter is read as text, whole lines of it
)
_MAY_HOLD_BLOCKS = frozenset({"prose", "markdown", "mixed"})


@dataclass(frozen=True, slots=True)
class Auto:
    """Finds out what each document is, and reads it as that; all share one budget by what they are worth.

    What a document is: `as_type`, else its `metadata["content_type"]` (a name of CONTENT_TYPES or a media
    type such as "text/html"), else what `tersely.detect` says, if it is confident of it;
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
        methods = {told.method for told in _profiles(result)} if self.goal else set()
        if methods <= {CompressionMethod.EXTRACTIVE}:
            return result
        return replace(result, receipt=replace(result.receipt, fallback_reason="no_model"))

    def prepare(
        self,
        request: Request,
        revise: Callable[[Reading], None] | None = None,
        original_tokens: int | None = None,
    ) -> Prepared:
        """The documents, each as what it is, for any number of budgets; other arguments: as of `Prepared`."""
        if self.as_type is not None and not isinstance(self.as_type, str):
            kinds = [self.as_type.kind] * len(request.documents)
            readers: list[ContentReader | None] = [self.as_type] * len(request.documents)
        else:
            kinds = self._kinds(request.documents)
            whole_blocks = "code" in self.text.preserve or "all" in self.text.preserve
            readers = _readers(kinds, request.documents, whole_blocks)
            if self.as_type is None:
                readers = [
                    replace(r, with_query=False) if isinstance(r, Conversation) else r for r in readers
                ]
        if self.goal is not None and request.budget is None:
            request = replace(request, budget=_budget_of(request, kinds, self.goal))
        return Prepared(
            request,
            self._options(readers),
            readers,
            tuple(kinds),
            revise=revise,
            original_tokens=original_tokens,
        )

    def _options(self, readers: Sequence[ContentReader | None]) -> Extractive:
        """How text is read: as a reader says that has options for it."""
        for reader in readers:
            text = getattr(reader, "text", None)
            if isinstance(text, Extractive) and text != Extractive():
                return text
        return self.text

    def _kinds(self, documents: Sequence[Document]) -> list[str]:
        if isinstance(self.as_type, str):
            return [self.as_type] * len(documents)
        named = [named_type(document.metadata) for document in documents]
        unknown = [document for document, kind in zip(documents, named, strict=True) if kind is None]
        looks = detect_each([document.text for document in unknown])
        told = iter(
            hinted_detection(found, document.file_name, document.command_line)
            for document, found in zip(unknown, looks, strict=True)
        )
        return [
            kind if kind is not None else trusted_kind(next(told), document.text)
            for kind, document in zip(named, documents, strict=True)
        ]


def prepare_by(strategy: Strategy, request: Request, original_tokens: int | None = None) -> Prepared | None:
    """The documents as `strategy` prepares them; None where it does not leave the fitting to the engine."""
    if isinstance(strategy, Auto):
        return strategy.prepare(request, original_tokens=original_tokens)
    if isinstance(strategy, Extractive):
        return Prepared(request, strategy, original_tokens=original_tokens)
    return None


def _readers(
    kinds: Sequence[str], documents: Sequence[Document], whole_blocks: bool
) -> list[ContentReader | None]:
    """What reads each document; one reader a type, so that documents of one type are read together.

    `whole_blocks`: code in text is to be preserved as it stands, so it is not read as what it is.
    """
    made: dict[str, ContentReader | None] = {}
    readers: list[ContentReader | None] = []
    for kind, document in zip(kinds, documents, strict=True):
        name = kind
        if kind == "code" and len(documents) > 1 and len(document.text) < _SHORT_CODE:
            name = "prose"
        elif kind in _MAY_HOLD_BLOCKS:
            name = "mixed" if not whole_blocks and may_hold_blocks(document.text) else "prose"
        if name not in made:
            make = CONTENT_TYPES[name].reader
            made[name] = None if make is None else make()
        readers.append(made[name])
    return readers


def _profiles(result: Compressed) -> list[Profile]:
    """How the content types of a result's documents are compressed by their profiles."""
    return [CONTENT_TYPES[kind].profile for kind in result.receipt.content_types]


def _budget_of(request: Request, kinds: Sequence[str], goal: Literal["default", "expected"]) -> int:
    """Tokens that the content types of the documents allow together."""
    sizes = count_batch(request.counter, [document.text for document in request.documents]).tolist()
    ratios = [profile(CONTENT_TYPES[kind].content, goal).ratio for kind in kinds]
    return max(1, int(sum(size * ratio for size, ratio in zip(sizes, ratios, strict=True)) + 1e-9))
