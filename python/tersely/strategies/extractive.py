"""Extractive compression: whole segments, verbatim, in source order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from tersely.documents import to_level
from tersely.facts import FactTable
from tersely.providers.embedders import resolve_embedder, resolve_reranker
from tersely.relevance.hybrid import RERANK_SHARE, hybrid
from tersely.relevance.prepared import Prepared, prepare
from tersely.stages.count import count
from tersely.stages.facts import rows_at
from tersely.stages.question import read_question
from tersely.stages.score import centrality, lead, term_weights
from tersely.stages.segment import analyze, segment
from tersely.stages.select import REASONS, mark_groups, mark_pinned
from tersely.strategies.fitting import Fit, Prices, price
from tersely.strategies.preserving import MustKeep, check_names, fact_report, preserved_facts, with_facts
from tersely.strategies.scored import Scored, to_result
from tersely.tables import Analysis, Float32s, Level
from tersely.types import Compressed, Request

__all__ = ["Extractive"]

Scoring = Literal["auto", "relevance", "lexical", "centrality", "lead"]
_SCORINGS = ("auto", "relevance", "lexical", "centrality", "lead")
_FITS = REASONS.index("fits")


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
        preserve_structure: selected segments bring the headings above them.
        preserve: facts that go before everything else but what is pinned, as far as the budget allows: names
            from "code" (fenced and in backticks), "quotes", "numbers" (with dates and versions), "names",
            "paths" (with path:line), "urls", "identifiers", "errors", "negations", "obligations",
            "decisions", "all". One occurrence of each is enough. `receipt.facts` says what became of them.
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
    strict_preserve: bool = False
    window: int = 200
    position_decay: float = 0.01
    position_floor: float | None = None

    def __post_init__(self) -> None:
        """Check the options."""
        object.__setattr__(self, "level", to_level(self.level))
        object.__setattr__(self, "preserve", check_names(self.preserve))
        for name in ("context", "window"):
            if isinstance(getattr(self, name), bool) or not isinstance(getattr(self, name), int):
                raise TypeError(f"{name} must be a whole number, not {getattr(self, name)!r}")
        for name in ("redundancy", "position_decay", "position_floor", "rerank_share"):
            value = getattr(self, name)
            optional = value is None and name in ("redundancy", "position_floor")
            if not optional and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise TypeError(f"{name} must be a number, not {value!r}")
            if name != "redundancy" and value is not None and not math.isfinite(value):
                raise ValueError(f"{name} must be finite, not {value}")
        if self.scoring not in _SCORINGS:
            raise ValueError(f"scoring must be one of {', '.join(_SCORINGS)}, not {self.scoring!r}")
        if self.redundancy is not None and not 0 <= self.redundancy <= 1:
            raise ValueError(f"redundancy must lie in [0, 1], not {self.redundancy}")
        if not 0 < self.rerank_share <= 1:
            raise ValueError(f"rerank_share must lie in (0, 1], not {self.rerank_share}")
        if self.context < 0:
            raise ValueError(f"context must be 0 or more, not {self.context}")
        if self.window < 1:
            raise ValueError(f"window must be 1 or more, not {self.window}")

    def compress(self, request: Request, analysis: Analysis | None = None) -> Compressed:
        """Fit the documents into the budget. `analysis`: what `read` gave; None: they are read here.

        Raises BudgetExceededError when pinned content, or the smallest piece of any, does not fit, or, if
        `strict_preserve`, some facts.
        O(characters + segments log segments).
        """
        texts = [document.text for document in request.documents]
        whole = request.separator.join(texts)
        original = count(request.counter, whole)
        budget = request.budget if request.budget is not None else max(1, int(original * request.ratio))
        if original <= budget:
            return self.unchanged(request, whole, original, budget)
        scored = self.score(request, original, analysis)
        return scored.result(scored.fit(budget), budget)

    def read(self, request: Request) -> Analysis:
        """The segments and terms of a request's documents and query. O(characters)."""
        query = (request.query or "").strip()
        if query:
            return prepare(request.documents, query, self.level, self.window).analysis
        return analyze([document.text for document in request.documents], [], self.level, self.window)

    def score(self, request: Request, original: int, analysis: Analysis | None = None) -> Scored:
        """Read, count and score the segments once, for any number of budgets.

        `original`: tokens of the documents joined by the separator. `analysis`: as `compress` takes it.
        O(characters).
        """
        texts = [document.text for document in request.documents]
        if analysis is None:
            analysis = self.read(request)
        return self.score_read(request, original, analysis, price(request, texts, analysis.table))

    def score_read(
        self,
        request: Request,
        original: int,
        analysis: Analysis,
        prices: Prices,
        cosine: Float32s | None = None,
        facts: FactTable | None = None,
    ) -> Scored:
        """`score` for segments that were read and counted already.

        `analysis`: with a query that is not blank, the rows after the segments' are the question's and the
        titles' (relevance/prepared.py). `cosine`: None: the embedder reads the segments. `facts`: those that
        `preserve` names; None: they are looked for.
        """
        texts = [document.text for document in request.documents]
        table = analysis.table
        query = (request.query or "").strip()
        judged, sentences = analysis, None
        if self.level is Level.CLAUSE:  # says too little by itself: it is worth what its sentence is
            prepared = prepare(request.documents, query, Level.SENTENCE) if query else None
            judged, cosine = prepared.analysis if prepared else analyze(texts), None
            sentences = judged.table
        else:
            prepared = Prepared(request.documents, query, read_question(query), analysis) if query else None
        scores, by_query, warnings, cosine = self._scores(judged, texts, prepared, cosine)
        if sentences is not None:
            scores, cosine = scores[rows_at(texts, sentences, table.document, table.start)], None
        redundancy = self.redundancy if self.redundancy is not None else (0.2 if by_query else 1.0)
        if request.query is not None and not query:
            warnings.append("empty_query")
        pinned = mark_pinned(table, request.pinned)
        group = mark_groups(table, request.groups)
        must = None
        if self.preserve:
            if facts is None:
                facts = preserved_facts(texts, table, self.level, self.preserve, sentences)
            must = MustKeep(request, texts, table, facts, scores, group, self.preserve, self.strict_preserve)
        return Scored(
            request=request,
            texts=texts,
            original=original,
            analysis=analysis,
            scores=scores,
            weight=term_weights(analysis),
            pinned=pinned,
            group=group,
            prices=prices,
            redundancy=redundancy,
            context=self.context,
            headings=self.preserve_structure,
            warnings=tuple(warnings),
            cosine=cosine,
            must=must,
            clauses=self.level is Level.CLAUSE,
        )

    def unchanged(self, request: Request, whole: str, tokens: int, budget: int) -> Compressed:
        """The result for documents that fit as they are: `whole`, of so many tokens."""
        table = segment([document.text for document in request.documents], self.level, self.window)
        status = np.full(len(table), _FITS, dtype=np.uint8)
        fitted = Fit(whole, tokens, status, None, 1, ())
        scores = np.zeros(len(table), dtype=np.float32)
        result = to_result(request, table, scores, fitted, tokens, budget, ())
        return with_facts(result, fact_report(result, self.preserve)) if self.preserve else result

    def _scores(
        self, analysis: Analysis, texts: list[str], prepared: Prepared | None, cosine: Float32s | None
    ) -> tuple[Float32s, bool, list[str], Float32s | None]:
        """Scores, whether the query made them, warnings, and cosines with the query."""
        if self.scoring == "lead":
            table = analysis.table
            rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
            words = [len(texts[index][start:end].split()) for index, start, end in rows]
            return lead(words, self.position_decay, self.position_floor), False, [], None
        if self.scoring == "centrality" or prepared is None:
            return centrality(analysis), False, [], None
        embedder = None if self.scoring == "lexical" else resolve_embedder(self.embedder)
        reranker = None if self.reranker is None else resolve_reranker(self.reranker)
        found = hybrid(prepared, embedder, reranker, self.rerank_share, cosine)
        scores = found.segments if found.by_query else centrality(analysis)
        return scores, found.by_query, list(found.warnings), found.cosine
