"""Questions with known evidence, as compression tasks, and the score of an answer."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks import data, tokens

__all__ = ["ENCODING", "RATIOS", "SENTENCE", "Task", "evidence_recall", "make_tasks", "set_tasks"]

ENCODING = "cl100k_base"
RATIOS = (0.1, 0.2, 0.3, 0.5)
SENTENCE = re.compile(r".+?(?:[.!?][\"')\]]*(?=\s)|\n+|$)", re.DOTALL)
_QUESTIONS = re.compile(r"(only_)?(qa|longdoc|needle)_")
_SEED = 7
_SHORTEST = 4  # characters of a part of the evidence that is looked for on its own


@dataclass(frozen=True, slots=True)
class Task:
    """Keep what answers the query, at one ratio.

    Attributes:
        id: set, row, question and ratio.
        any_evidence: one of the pieces of evidence is enough (places where the answer stands).
    """

    id: str
    set: str
    ratio: float
    query: str
    documents: list[str]
    total: int
    budget: int
    evidence: list[str]
    any_evidence: bool
    language: str


def make_tasks(directory: Path, rows: int) -> Iterator[Task]:
    """`rows` random questions of each set, the same ones each time, at each of the ratios."""
    generator = random.Random(_SEED)
    for name in _question_sets(directory):
        questions = list(_questions(directory, name))
        generator.shuffle(questions)
        for row, question, number in questions[:rows]:
            yield from _at_ratios(name, row, question, number, RATIOS)


def set_tasks(directory: Path, name: str, rows: int, ratio: float) -> Iterator[Task]:
    """Random questions of one set at one ratio."""
    questions = list(_questions(directory, name))
    random.Random(_SEED).shuffle(questions)
    for row, question, number in questions[:rows]:
        yield from _at_ratios(name, row, question, number, (ratio,))


def evidence_recall(text: str, task: Task) -> float:
    """Share of the evidence that stands in the text, up to case and white space.

    A piece of several sentences counts by the share of its sentences.
    """
    given = _normal(text)
    shares = []
    for piece in task.evidence:
        found = (_normal(match.group()) for match in SENTENCE.finditer(piece))
        parts = [part for part in found if len(part) >= _SHORTEST] or [_normal(piece)]
        shares.append(mean(part in given for part in parts))
    return max(shares) if task.any_evidence else mean(shares)


def _question_sets(directory: Path) -> list[str]:
    """Names of the sets that hold questions with evidence."""
    return [name for name in data.names(directory) if _QUESTIONS.match(name)]


def _questions(directory: Path, name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], int]]:
    for row in data.rows(directory, name):
        for number, question in enumerate(row.get("queries") or [row]):
            if question.get("evidence"):
                yield row, question, number


def _at_ratios(
    name: str, row: dict[str, Any], question: dict[str, Any], number: int, ratios: tuple[float, ...]
) -> Iterator[Task]:
    documents = [document["text"] for document in row["documents"]]
    total = tokens.count("\n\n".join(documents), ENCODING)
    for ratio in ratios:
        yield Task(
            id=f"{name}|{row['id']}|{question.get('id', number)}|{ratio}",
            set=name,
            ratio=ratio,
            query=question["query"],
            documents=documents,
            total=total,
            budget=int(total * ratio),
            evidence=[piece["text"] for piece in question["evidence"]],
            any_evidence=question["evidence"][0].get("kind") == "answer_span",
            language=(question.get("meta") or {}).get("lang", ""),
        )


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().lower()
