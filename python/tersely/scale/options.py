"""Options of a job with a corpus: columns that are read, and how rows are compressed or merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Self

import tersely
from tersely import checks
from tersely.models.counters import resolve_counter
from tersely.types import AnyStrategyName

__all__ = ["OWN_COLUMNS", "Columns", "DedupOptions", "RowOptions", "dedup_options", "row_options"]

#: Columns of the output that are not the source's.
OWN_COLUMNS = (
    "id",
    "text",
    "tokens",
    "original_tokens",
    "budget",
    "segments",
    "content_types",
    "warnings",
    "spans",
    "error",
)
_DEDUP_COLUMNS = ("id", "text", "cluster", "kept", "similarity", "error")  # of the output of dedup_dataset
_COUNTER = "o200k_base"  # what None stands for everywhere
_USUAL = {"id": "id", "query": "query", "budget": "budget"}  # columns that may be missing


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a source that are read: by what they are for, and those that go to the output."""

    roles: Mapping[str, str]
    keep: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys([*self.roles.values(), *self.keep]))

    def check(self, known: Sequence[str], source: str) -> None:
        """Check that the source, as errors call it, has the columns; some of the usual names may be missing.

        Raises ValueError that names what there is.
        """
        if not known:
            raise ValueError(f'{source} has no columns: JSON lines must be objects, as {{"text": "..."}}')
        for role, name in [*self.roles.items(), *(("keep", name) for name in self.keep)]:
            if name not in known and _USUAL.get(role) != name:
                raise ValueError(
                    f"{role} must be a column of {source}, one of {', '.join(known)}; "
                    f"not {checks.shown(name)}"
                )


class _JobOptions:
    """Options of a job as plain JSON, so that a plan can hold them and any process can do it."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}  # type: ignore[call-overload]

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Make options of what `to_dict` returned."""
        return cls(**{name: tuple(v) if isinstance(v, list) else v for name, v in fields.items()})


@dataclass(frozen=True, slots=True)
class RowOptions(_JobOptions):
    """How each row is compressed.

    `id`, `text`, `query` and `keep` name columns of the source; `budget` a column, or tokens for all rows.
    """

    job: ClassVar[str] = "compress"

    text: str = "text"
    query: str = "query"
    budget: str | int = "budget"
    ratio: float = 0.3
    keep: tuple[str, ...] = ()
    id: str = "id"
    spans: bool = False
    counter: str = _COUNTER
    strategy: AnyStrategyName | None = None
    pinned: tuple[str, ...] = ()
    separator: str = "\n\n"

    @property
    def columns(self) -> Columns:
        """The columns of the source that are read."""
        budget = {"budget": self.budget} if isinstance(self.budget, str) else {}
        return Columns({"text": self.text, "query": self.query, **budget, "id": self.id}, self.keep)


@dataclass(frozen=True, slots=True)
class DedupOptions(_JobOptions):
    """How rows are merged.

    `text`, `score`, `id` and `keep` name columns of the source. `partitions`: of the shuffle; None: as many
    as there are units, fewer of little text. `heavy_bytes`: texts of one guard of more are divided further.
    """

    job: ClassVar[str] = "dedup"

    text: str = "text"
    threshold: float = 0.85
    score: str | None = None
    keep: tuple[str, ...] = ()
    id: str = "id"
    kept_only: bool = False
    partitions: int | None = None
    heavy_bytes: int = 64 << 20

    @property
    def columns(self) -> Columns:
        """The columns of the source that are read."""
        score = {} if self.score is None else {"score": self.score}
        return Columns({"text": self.text, **score, "id": self.id}, self.keep)


def row_options(
    *,
    text: str = "text",
    query: str = "query",
    budget: str | int = "budget",
    ratio: float | None = None,
    keep: Sequence[str] = (),
    id: str = "id",
    spans: bool = False,
    counter: str | None = None,
    strategy: AnyStrategyName | None = None,
    pinned: Sequence[str] = (),
    separator: str = "\n\n",
) -> RowOptions:
    """Check the options of a caller. Raises ValueError or TypeError that names the wrong one."""
    kept = _kept_columns(keep, OWN_COLUMNS)
    for value, name in ((counter, "counter"), (strategy, "strategy")):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be a name, which a plan can say, not {type(value).__name__}")
    resolve_counter(counter)
    tersely.prepare("", strategy=strategy)  # refuses unknown names, and those that ask a model
    return RowOptions(
        text=checks.text(text, "text"),
        query=checks.text(query, "query"),
        budget=budget if isinstance(budget, str) else checks.whole_number(budget, "budget"),
        ratio=0.3 if ratio is None else checks.share(ratio, "ratio"),
        keep=kept,
        id=checks.text(id, "id"),
        spans=checks.flag(spans, "spans"),
        counter=_COUNTER if counter is None else counter,
        strategy=strategy,
        pinned=tuple(checks.texts(pinned, "pinned")),
        separator=checks.text(separator, "separator"),
    )


def dedup_options(
    *,
    text: str = "text",
    threshold: float = 0.85,
    score: str | None = None,
    keep: Sequence[str] = (),
    id: str = "id",
    kept_only: bool = False,
    partitions: int | None = None,
    heavy_bytes: int | None = None,
) -> DedupOptions:
    """Check the options of a caller. Raises ValueError or TypeError that names the wrong one."""
    usual = DedupOptions()
    return DedupOptions(
        text=checks.text(text, "text"),
        threshold=checks.number(threshold, "threshold", least=-1, most=1),
        score=None if score is None else checks.text(score, "score"),
        keep=_kept_columns(keep, _DEDUP_COLUMNS),
        id=checks.text(id, "id"),
        kept_only=checks.flag(kept_only, "kept_only"),
        partitions=None if partitions is None else checks.whole_number(partitions, "partitions", least=1),
        heavy_bytes=usual.heavy_bytes
        if heavy_bytes is None
        else checks.whole_number(heavy_bytes, "heavy_bytes", least=1),
    )


def _kept_columns(keep: Sequence[str], own: Sequence[str]) -> tuple[str, ...]:
    kept = tuple(checks.texts(keep, "keep"))
    for name in kept:
        if name in own:
            raise ValueError(f"keep cannot have {name!r}: the output has a column of this name")
    if len(set(kept)) < len(kept):
        raise ValueError(f"keep must name each column once, not {checks.shown(list(kept))}")
    return kept
