"""Options of extractive compression: how text is cut, valued and chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tersely.core import checks
from tersely.core.documents import to_level
from tersely.core.tables import Level
from tersely.core.types import Compressed, Request
from tersely.engine.facts import check_names
from tersely.engine.prepare import Prepared
from tersely.engine.relevance import RERANK_SHARE

__all__ = ["Extractive"]

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
            `tersely.providers.embedders.resolve_embedder` takes.
        reranker: an embedder or a cross-encoder that reads the best segments again; None: nobody does.
        rerank_share: how much of the text it reads, in (0, 1].
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
        """Check the options."""
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
        checks.share(self.preserve_share, "preserve_share")

    def compress(self, request: Request) -> Compressed:
        """Fit the documents into the budget, all read as text.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit, or, if
        `strict_preserve`, some facts. O(characters + segments log segments).
        """
        return Prepared(request, self).fit()
