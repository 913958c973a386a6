"""The types a caller's checker sees. Never run: ci/lint.sh gives it to mypy and pyright."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, assert_type

import tersely
from tersely.protocols import Pruner
from tersely.report import to_html
from tersely.retrieval import RelevanceScore, RelevanceScorer, ScoringMethod
from tersely.types import ContentTypeName, Request, SegmentTable, Span, StrategyName

result = tersely.compress("text", "query", budget=100)
assert_type(result, tersely.Compressed)
assert_type(result.text, str)
assert_type(result.tokens, int)
assert_type(result.ratio, float)
assert_type(result.kept[0], Span)
assert_type(result.kept[0].kind, tersely.Kind)
assert_type(result.receipt.warnings, tuple[str, ...])
assert_type(result.expand(result.dropped[0], context=40), str)

assert_type(tersely.compress_batch(["a", "b"], threads=2), list[tersely.Compressed | Exception])
assert_type(tersely.segment("text", level="paragraph"), SegmentTable)


class Words:
    """A caller's counter: satisfies the protocol without importing it."""

    def count(self, text: str) -> int:
        """White-space separated words."""
        return len(text.split())


class Fixed:
    """A caller's strategy."""

    def compress(self, request: Request) -> tersely.Compressed:
        """The same for everybody."""
        return result


counter: tersely.TokenCounter = Words()
tersely.compress(["a"], counter=counter, strategy=Fixed())
tersely.compress("text", budget="100")  # type: ignore[arg-type]
tersely.compress("text", 3)  # type: ignore[arg-type]


def spans(of: tersely.Compressed) -> Sequence[Span]:
    """Whatever stands in `kept` is a sequence of spans."""
    return of.kept


class Model:
    """A caller's models: satisfy the protocols without importing them."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One number a text."""
        return [[1.0] for _ in texts]

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """All the same."""
        return [0.5 for _ in texts]

    def prune(self, query: str, segments: Sequence[str]) -> list[float]:
        """All the same."""
        return [0.5 for _ in segments]

    def complete(self, prompt: str) -> str:
        """No thought."""
        return "5"


embedder: tersely.Embedder = Model()
cross_encoder: tersely.CrossEncoder = Model()
language_model: tersely.LanguageModel = Model()
pruner: Pruner = Model()
scorer = RelevanceScorer(ScoringMethod.EMBEDDING, embedder=embedder, llm=language_model)
scores = scorer.score_sync(["a"], "q")
assert_type(scores[0], RelevanceScore)
assert_type(scores[0].segment_scores[0].score, float)
assert_type(scores.fallback_reason, str | None)
scorer.score_sync(["a"], 5)  # type: ignore[arg-type]


async def ask(documents: Any) -> RelevanceScore:
    """The async form gives the same."""
    return (await scorer.score(documents, "q"))[0]


# Names of strategies and content types are known: a misspelt one is an error.
name: StrategyName = "lead"
kind: ContentTypeName = "jsonl"
tersely.compress("text", strategy=name)
tersely.compress("text", strategy=kind)
tersely.compress("text", strategy="auto")
tersely.compress("text", strategy="extractiv")  # type: ignore[arg-type]
tersely.segment("text", "paragraf")  # type: ignore[arg-type]
if tersely.detect("text").kind == "log":
    tersely.prepare("text", strategy="log")

# What comes out depends on what is done with errors.
assert_type(tersely.compress_batch(["a"], errors="raise"), list[tersely.Compressed])
assert_type(tersely.compress_batch(["a"], errors="return"), list[tersely.Compressed | Exception])
tersely.compress_batch(["a"], errors="ignore")  # type: ignore[call-overload]

# Every result has a page.
assert_type(to_html(result, "query"), str)
to_html("text")  # type: ignore[arg-type]
