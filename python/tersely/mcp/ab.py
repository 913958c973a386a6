"""Compare the two search tools: which replies hold the answer, and at how many tokens."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
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

    questions: int
    full: int
    compressed: int
    only_full: int
    only_compressed: int
    full_tokens: int
    compressed_tokens: int

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON types."""
        return asdict(self)


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
    counting = resolve_counter(counter)
    limits = {"min_score": min_score, "similarity_threshold": similarity_threshold}
    held: list[tuple[bool, bool]] = []
    tokens = [0, 0]
    for question in questions:
        arguments: dict[str, Any] = {"query": question.query, "top_n": top_n}
        calls: tuple[tuple[Callable[[dict[str, Any]], ToolReply], dict[str, Any]], ...] = (
            (tools.query_documents, arguments),
            (tools.query_documents_compressed, arguments | limits),
        )
        replies = [call(given) for call, given in calls]
        held.append((_holds(replies[0], question), _holds(replies[1], question)))
        for side, reply in enumerate(replies):
            tokens[side] += count(counting, reply.text)
    return Comparison(
        questions=len(held),
        full=sum(full for full, _ in held),
        compressed=sum(compressed for _, compressed in held),
        only_full=sum(full and not compressed for full, compressed in held),
        only_compressed=sum(compressed and not full for full, compressed in held),
        full_tokens=tokens[0],
        compressed_tokens=tokens[1],
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _holds(reply: ToolReply, question: Question) -> bool:
    text = "\n".join(_plain(one["content"]) for one in reply.data["results"])
    return any(_plain(answer) in text for answer in question.answers)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
