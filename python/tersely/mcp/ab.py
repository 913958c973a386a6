"""Compare the two search tools: which replies hold the answer, and at how many tokens."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tersely.engine.reading import count
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import ToolReply
from tersely.models.counters import resolve_counter
from tersely.text import parse_json

__all__ = ["Comparison", "Question", "compare", "read_questions"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the texts that answer it, any of them."""

    query: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """How many questions each tool's results answer, and at how many tokens.

    Attributes:
        questions: how many.
        full, compressed: of how many the results of query_documents, of query_documents_compressed hold an
            answer (white space, case and Unicode form apart).
        only_full, only_compressed: of how many just the one does.
        full_tokens, compressed_tokens: of all replies, as the counter counts them.
    """

    questions: int = 0
    full: int = 0
    compressed: int = 0
    only_full: int = 0
    only_compressed: int = 0
    full_tokens: int = 0
    compressed_tokens: int = 0


def read_questions(lines: Iterable[str]) -> list[Question]:
    """Read questions, one JSON object a line: {"query": str, "answers": [str, ...]} or "answer": str.

    Raises ValueError that names the line.
    """
    questions = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        row = parse_json(line, f"line {number}")
        row = row if isinstance(row, dict) else {}
        query, answers = row.get("query"), row.get("answers", [row.get("answer")])
        if not isinstance(query, str) or not query.strip():
            raise ValueError(f'line {number} must have a "query"')
        if not isinstance(answers, list) or not answers or not all(map(_is_text, answers)):
            raise ValueError(f'line {number} must have "answers": a list of texts')
        questions.append(Question(query, tuple(answers)))
    if not questions:
        raise ValueError("there are no questions")
    return questions


def compare(
    tools: QueryTools,
    questions: Sequence[Question],
    *,
    top_n: int = 5,
    min_score: float = 0.3,
    similarity_threshold: float = 0.85,
    counter: Any = None,
) -> Comparison:
    """Ask both tools every question, and count whose results hold an answer."""
    counting, totals = resolve_counter(counter), Counter[str]()
    limits = {"min_score": min_score, "similarity_threshold": similarity_threshold}
    for question in questions:
        asked: dict[str, Any] = {"query": question.query, "top_n": top_n}
        whole, shorter = tools.query_documents(asked), tools.query_documents_compressed(asked | limits)
        full, compressed = _holds(whole, question), _holds(shorter, question)
        totals.update(
            questions=1,
            full=full,
            compressed=compressed,
            only_full=full and not compressed,
            only_compressed=compressed and not full,
            full_tokens=count(counting, whole.text),
            compressed_tokens=count(counting, shorter.text),
        )
    return Comparison(**totals)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _holds(reply: ToolReply, question: Question) -> bool:
    text = "\n".join(_plain(one["content"]) for one in reply.data["results"])
    return any(_plain(answer) in text for answer in question.answers)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
