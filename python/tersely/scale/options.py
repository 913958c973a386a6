"""Options of a job with a corpus, each written once: default, check, flag of the command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Self, TypedDict, TypeVar

import tersely
from tersely import checks
from tersely.models.counters import resolve_counter
from tersely.types import AnyStrategyName

T = TypeVar("T")

_COUNTER = "o200k_base"  # what None stands for everywhere
_HEAVY_BYTES = 64 << 20
_USUAL = {"id": "id", "query": "query", "budget": "budget"}  # columns that may be missing


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a source to read: by their use, and those copied to the output."""

    roles: Mapping[str, str]
    keep: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Each once."""
        return tuple(dict.fromkeys([*self.roles.values(), *self.keep]))

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns copied to the output: the id, and those of `keep`."""
        return (*([self.roles["id"]] if "id" in self.roles else []), *self.keep)

    def check(self, known: Sequence[str], source: str) -> None:
        """Check that the source, as errors call it, has the columns; some of the usual names may be missing.

        Raises ValueError that names what there is.
        """
        if not known:
            raise ValueError(
                f'{source} has no columns: a line must be an object with a text, as {{"text": "..."}}'
            )
        for role, name in [*self.roles.items(), *(("keep", name) for name in self.keep)]:
            if name not in known and _USUAL.get(role) != name:
                raise ValueError(
                    f"{role} must be a column of {source}, one of {', '.join(known)}; "
                    f"not {checks.shown(name)}"
                )


def option(default: T, *flags: tuple[str, str]) -> T:
    """A field of options with its flags, each with its help: `("-b --budget N", "tokens ...")`.

    What follows the names says what the flag takes: N a whole number, R a number, NAME a text; nothing: it is
    a switch. A flag of a tuple may be repeated.
    """
    made: T = field(default=default, metadata={"flags": flags})
    return made


@dataclass(frozen=True, slots=True)
class JobOptions:
    """Options that every job has. A wrong value raises ValueError or TypeError, which names it."""

    job: ClassVar[str]
    own: ClassVar[tuple[str, ...]]  # columns of the output that are not the source's

    text: str = option("text", ("--text-column NAME", "column of the texts (text)"))
    id: str = option("id", ("--id-column NAME", "column of the ids (id; without: file and row number)"))
    keep: tuple[str, ...] = option((), ("--keep NAME...", "a column to carry along (repeatable)"))

    def _check(self, **values: Any) -> None:
        """Take the checked values for those that were given, and check the names of the output's columns."""
        for name in ("text", "id"):
            values[name] = checks.text(getattr(self, name), name)
        values["keep"] = tuple(checks.texts(self.keep, "keep"))
        for name, value in values.items():
            object.__setattr__(self, name, value)
        taken = list(self.own)
        for role, name in (("text", self.text), ("id", self.id), *(("keep", name) for name in self.keep)):
            if name in taken:
                raise ValueError(f"{role} cannot be {name!r}: the output has another column of this name")
            taken.append(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the options as JSON."""
        return {name: list(v) if isinstance(v, tuple) else v for name, v in asdict(self).items()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """Make options from the dict of `to_dict`."""
        return cls(**fields)


class RowArguments(TypedDict, total=False):
    """Options of `compress_dataset` and `compress_table`, as keywords."""

    text: str
    query: str
    budget: str | int
    ratio: float | None
    keep: Sequence[str]
    id: str
    spans: bool
    counter: str | None
    strategy: AnyStrategyName | None
    pinned: Sequence[str]
    separator: str


@dataclass(frozen=True, slots=True)
class RowOptions(JobOptions):
    """How each row is compressed (`compress_dataset`)."""

    job = "compress"
    own = ("tokens", "original_tokens", "budget", "segments", "content_types", "warnings", "spans", "error")

    query: str = option("query", ("--query-column NAME", "column of the queries (query, if there is one)"))
    budget: str | int = option(
        "budget",
        ("-b --budget N", "tokens allowed for each row"),
        ("--budget-column NAME", "column of the budget of each row (budget)"),
    )
    ratio: float = option(0.3, ("-r --ratio R", "share of the tokens of rows without a budget (0.3)"))
    spans: bool = option(False, ("--spans", "also write which characters were kept, and their positions"))
    counter: str = option(_COUNTER, ("-c --counter NAME", "tokenizer: an encoding or a model (o200k_base)"))
    strategy: AnyStrategyName | None = option(None, ("--strategy NAME", "how to compress (auto)"))  # noqa: RUF009
    pinned: tuple[str, ...] = option((), ("--pin TEXT...", "text that each row must keep (repeatable)"))
    separator: str = "\n\n"

    def __post_init__(self) -> None:
        for value, name in ((self.counter, "counter"), (self.strategy, "strategy")):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{name} must be a name, which a plan can say, not {type(value).__name__}")
        resolve_counter(self.counter)
        tersely.prepare("", strategy=self.strategy)  # refuses unknown names, and those that ask a model
        self._check(
            query=checks.text(self.query, "query"),
            budget=self.budget
            if isinstance(self.budget, str)
            else checks.whole_number(self.budget, "budget", least=1),
            ratio=0.3 if self.ratio is None else checks.share(self.ratio, "ratio"),
            spans=checks.flag(self.spans, "spans"),
            counter=self.counter or _COUNTER,
            pinned=tuple(checks.texts(self.pinned, "pinned")),
            separator=checks.text(self.separator, "separator"),
        )

    @property
    def columns(self) -> Columns:
        """The columns of the source that are read."""
        budget = {"budget": self.budget} if isinstance(self.budget, str) else {}
        return Columns({"text": self.text, "query": self.query, **budget, "id": self.id}, self.keep)


class DedupArguments(TypedDict, total=False):
    """Options of `dedup_dataset`, as keywords."""

    text: str
    threshold: float
    score: str | None
    keep: Sequence[str]
    id: str
    kept_only: bool
    partitions: int | None
    heavy_bytes: int | None


@dataclass(frozen=True, slots=True)
class DedupOptions(JobOptions):
    """How rows are merged (`dedup_dataset`).

    `partitions`: of the shuffle; None: by the bytes of the source. `heavy_bytes`: texts of one guard of more
    are divided further.
    """

    job = "dedup"
    own = ("cluster", "kept", "similarity", "error")

    threshold: float = option(0.85, ("-t --threshold R", "least similarity, -1 to 1 (0.85)"))
    score: str | None = option(
        None, ("--score-column NAME", "column of numbers: the duplicate with the highest is kept (the first)")
    )
    kept_only: bool = option(False, ("--kept", "write only the rows that are kept, with their text"))
    partitions: int | None = option(
        None, ("--partitions N", "number of parts of the texts: more take less memory (by size)")
    )
    heavy_bytes: int = _HEAVY_BYTES

    def __post_init__(self) -> None:
        self._check(
            threshold=checks.number(self.threshold, "threshold", least=-1, most=1),
            score=None if self.score is None else checks.text(self.score, "score"),
            kept_only=checks.flag(self.kept_only, "kept_only"),
            partitions=None
            if self.partitions is None
            else checks.whole_number(self.partitions, "partitions", least=1),
            heavy_bytes=_HEAVY_BYTES
            if self.heavy_bytes is None
            else checks.whole_number(self.heavy_bytes, "heavy_bytes", least=1),
        )

    @property
    def columns(self) -> Columns:
        """The columns of the source that are read."""
        score = {} if self.score is None else {"score": self.score}
        return Columns({"text": self.text, **score, "id": self.id}, self.keep)
