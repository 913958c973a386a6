"""How much smaller each kind of content gets, at the profiles' defaults and at what is expected of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any, Literal

import tersely
from tersely.engine.strategies import Auto
from tersely.strategies import CompressionOptions, ExtractiveCompressor, profile

from benchmarks import checks, data as development, tokens
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_LEAST = 500  # tokens: shorter ones are hardly worth it
_SHARE = 0.7  # of the budget that error lines may take
_MOST = 40  # texts of a kind
_EXPECTED = {"source_code": 3.0, "documentation": 5.0, "conversation": 4.0, "tool_output": 2.0}
_COLUMNS = [
    Column("content"),
    Column("texts"),
    Column("tokens", "", ","),
    Column("goal"),
    Column("asked", "asked N:1", ".2f"),
    Column("reached", "reached N:1", ".2f"),
    Column("entities", "names and numbers kept", ".3f"),
    Column("confidence", "", ".3f"),
]
_AUTO = [
    Column("content"),
    Column("texts"),
    Column("tokens", "", ","),
    Column("reached", "reached N:1", ".2f"),
]


def report(report: Report, data: Path) -> None:
    """A row a kind and goal; the total over all kinds at the options' own default of 0.3."""
    kinds = {kind: _sized(texts(data)) for kind, texts in _TEXTS.items()}
    rows = [_row(kind, texts, goal) for kind, texts in kinds.items() for goal in ("default", "expected")]
    rows = [row for row in rows if row["goal"] == "default" or row["content"] in _EXPECTED]
    mixed = _compressed("mixed", [text for texts in kinds.values() for text in texts], 0.3)
    report.table("Ratios by content type, extractive, no query", _COLUMNS, [*rows, mixed])
    told = [_as_what_it_is(kind, kinds[kind]) for kind in _EXPECTED]
    report.table("The same at what is expected, each text as what it is (strategy Auto)", _AUTO, told)
    errors = _error_lines(data)
    report.targets.append(Target("tool_output at 2:1, error lines kept", 1.0, errors, "", at_most=False))
    for row in told:
        name = f"{row['content']} as what it is, original/compressed"
        report.targets.append(Target(name, _EXPECTED[row["content"]], row["reached"], ": 1", False))
    for row in rows:
        if row["goal"] == "expected":
            name = f"{row['content']}, original/compressed"
            report.targets.append(Target(name, _EXPECTED[row["content"]], row["reached"], ": 1", False))
    report.targets.append(Target("mixed content, original/compressed", 3.0, mixed["reached"], ": 1", False))


def _as_what_it_is(kind: str, texts: list[str]) -> dict[str, Any]:
    results = [tersely.compress(text, strategy=Auto(goal="expected")) for text in texts]
    for result in results:
        checks.check_compressed(result, result.receipt.budget)
    original = sum(result.original_tokens for result in results)
    reached = original / sum(result.tokens for result in results)
    return {"content": kind, "texts": len(texts), "tokens": original, "reached": reached}


def _error_lines(data: Path) -> float:
    """Share of the error lines of tools' output that stay at 2:1; mean over texts where they fit well."""
    kept = []
    for row in development.rows(data, "tool_output"):
        if tokens.count(row["text"]) < _LEAST:
            continue
        result = tersely.compress(row["text"], strategy=Auto(goal="expected"))
        lines = [row["text"][line["start"] : line["end"]].strip() for line in row["error_lines"]]
        if lines and sum(map(tokens.count, lines)) <= _SHARE * result.receipt.budget:
            kept.append(mean(line in result.text for line in lines))
    return mean(kept)


def _row(kind: str, texts: list[str], goal: Literal["default", "expected"]) -> dict[str, Any]:
    return {**_compressed(kind, texts, profile(kind, goal).ratio), "goal": goal}


def _compressed(kind: str, texts: list[str], ratio: float) -> dict[str, Any]:
    compressor = ExtractiveCompressor()
    made = [compressor.compress(text, CompressionOptions(target_ratio=ratio)) for text in texts]
    for one in made:
        assert one.result is not None
        checks.check_compressed(one.result, one.result.receipt.budget)
    original = sum(one.original.token_count for one in made if one.original)
    return {
        "content": kind,
        "texts": len(texts),
        "tokens": original,
        "goal": "0.3",
        "asked": 1 / ratio,
        "reached": original / sum(one.token_count for one in made),
        "entities": mean(_kept(one) for one in made),
        "confidence": mean(one.metadata.confidence_score for one in made),
    }


def _kept(made: Any) -> float:
    from tersely.strategies.contexts import entities

    named = entities(made.original.content)
    return len(made.metadata.preserved_entities) / len(named) if named else 1.0


def _sized(texts: Iterator[str]) -> list[str]:
    found: list[str] = []
    for text in texts:
        if tokens.count(text) >= _LEAST:
            found.append(text)
        if len(found) == _MOST:
            break
    return found


def _documentation(data: Path) -> Iterator[str]:
    for name in ("longdoc_chunk_eval", "sum_gov_report"):
        for row in development.rows(data, name):
            yield row["documents"][0]["text"] if "documents" in row else development.text_of(row)


def _conversations(data: Path) -> Iterator[str]:
    for row in development.rows(data, "conv_qmsum"):
        yield "\n".join(f"{entry['speaker']}: {entry['text']}" for entry in row["entries"])


def _of_rows(name: str) -> Callable[[Path], Iterator[str]]:
    return lambda data: (row["text"] for row in development.rows(data, name))


_TEXTS: dict[str, Callable[[Path], Iterator[str]]] = {
    "source_code": _of_rows("code_files"),
    "documentation": _documentation,
    "conversation": _conversations,
    "tool_output": _of_rows("tool_output"),
    "error_logs": lambda data: ("\n".join(row["lines"]) for row in development.rows(data, "logs_loghub")),
}
