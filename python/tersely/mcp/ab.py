"""Compare the two search tools: which replies hold the answer, and at how many tokens."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from tersely import checks
from tersely.mcp.answers import count_tokens
from tersely.mcp.query_tools import QueryTools
from tersely.mcp.tools import ToolReply

__all__ = ["compare"]


def compare(
    tools: QueryTools, questions: Iterable[Mapping[str, Any]], *, top_n: int = 5, **limits: float
) -> dict[str, int]:
    """Ask both search tools each question, and count the replies that contain an answer.

    Args:
        tools: over an index, or any retriever.
        questions: each with a "query" and its "answers", texts any of which answers it.
        top_n: the number of results per question.
        limits: `min_score` and `similarity_threshold` of query_documents_compressed.

    Returns counts: "questions"; "full" and "compressed", of which the results of query_documents, and of
    query_documents_compressed, hold an answer (white space, case and Unicode form apart); "only_full" and
    "only_compressed"; "full_tokens" and "compressed_tokens" of all replies (o200k_base).

    Raises ValueError that names, from 1, a question without a query or answers, and for none at all.
    """
    totals = Counter[str]()
    for number, one in enumerate(questions, 1):
        name = f"question {number}"
        query, answers = checks.text(one.get("query"), f"the query of {name}"), one.get("answers")
        answers = checks.texts(() if answers is None else answers, f"the answers of {name}")
        if not query.strip() or not answers or not all(map(str.strip, answers)):
            raise ValueError(f'{name} must have a "query" and "answers", texts that are not blank')
        whole = tools.query_documents({"query": query, "top_n": top_n})
        short = tools.query_documents_compressed(
            {"query": query, "top_n": top_n, "min_score": 0.3, "similarity_threshold": 0.85, **limits}
        )
        full, compressed = _holds(whole, answers), _holds(short, answers)
        totals.update(
            questions=1,
            full=full,
            compressed=compressed,
            only_full=full and not compressed,
            only_compressed=compressed and not full,
            full_tokens=count_tokens(whole.text),
            compressed_tokens=count_tokens(short.text),
        )
    if not totals:
        raise ValueError("there are no questions")
    return {name: int(count) for name, count in totals.items()}


def _holds(reply: ToolReply, answers: Iterable[str]) -> bool:
    text = "\n".join(_plain(one["content"]) for one in reply.data["results"])
    return any(_plain(answer) in text for answer in answers)


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())
