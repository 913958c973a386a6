"""Questions with known evidence and texts with human summaries, as compression tasks."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import data, tokens
from benchmarks.quality.halves import BOTH, document_names, half_of, halves_of

__all__ = [
    "ENCODING",
    "QUESTION_SETS",
    "RATIOS",
    "SENTENCE",
    "TRAINING_SETS",
    "Question",
    "Task",
    "at_ratios",
    "questions",
    "sampled",
    "summary_tasks",
]

ENCODING = "cl100k_base"
RATIOS = (0.1, 0.2, 0.3, 0.5)
SENTENCE = re.compile(r".+?(?:[.!?][\"')\]]*(?=\s)|\n+|$)", re.DOTALL)
QUESTION_SETS = re.compile(r"(only_)?(qa|longdoc|needle)_")
TRAINING_SETS = re.compile(r"train_")
_SUMMARIES = re.compile(r"(only_)?sum_")
_SEED = 7


@dataclass(frozen=True, slots=True)
class Task:
    """Keep what answers the query, or without one what matters, at one ratio."""

    id: str  #: set, row, question and ratio
    set: str
    ratio: float
    query: str | None
    documents: list[str]
    total: int  #: tokens of all the documents
    budget: int
    evidence: list[str]  #: what has to stay; empty where there are references instead
    any_evidence: bool = False  #: one of the pieces of evidence is enough (places where the answer stands)
    language: str = ""
    references: tuple[str, ...] = ()  #: human summaries
    answers: tuple[str, ...] = ()  #: what people answered, in their words; any is right


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a row, with the half it is in."""

    set: str
    row: dict[str, Any]
    content: dict[str, Any]
    number: int
    half: str

    @property
    def language(self) -> str:
        """Two letters, where the set has several languages."""
        return str((self.content.get("meta") or {}).get("lang", ""))


def questions(directory: Path, sets: re.Pattern[str] = QUESTION_SETS) -> dict[str, list[Question]]:
    """All questions with evidence by set, in the order of the files; `sets`: how the names of sets begin."""
    listed = [
        (name, row, content, number)
        for name in data.names(directory)
        if sets.match(name)
        for row in data.rows(directory, name)
        for number, content in enumerate(row.get("queries") or [row])
        if content.get("evidence")
    ]
    halves = halves_of([document_names(row, content) for _, row, content, _ in listed])
    found: dict[str, list[Question]] = {}
    for (name, row, content, number), half in zip(listed, halves, strict=True):
        found.setdefault(name, []).append(Question(name, row, content, number, half))
    return found


def sampled(by_set: dict[str, list[Question]], rows: int | None, half: str) -> list[Question]:
    """`rows` random questions a set out of one half, the same ones each time; fewer are the first of more.

    Both halves together are the reference sample: one generator shuffles the sets in turn.
    """
    generator = random.Random(_SEED)
    chosen: list[Question] = []
    for name in sorted(by_set):
        shuffled = list(by_set[name])
        generator.shuffle(shuffled)
        chosen += islice((one for one in shuffled if half in (BOTH, one.half)), rows)
    return chosen


def at_ratios(
    chosen: Iterable[Question], ratios: tuple[float, ...], encoding: str = ENCODING
) -> Iterator[Task]:
    """Each question as a task at each of the ratios, its budget counted in `encoding`."""
    for question in chosen:
        documents = [document["text"] for document in question.row["documents"]]
        total = tokens.count("\n\n".join(documents), encoding)
        evidence = question.content["evidence"]
        name = f"{question.set}|{question.row['id']}|{question.content.get('id', question.number)}"
        for ratio in ratios:
            yield Task(
                id=f"{name}|{ratio}",
                set=question.set,
                ratio=ratio,
                query=question.content["query"],
                documents=documents,
                total=total,
                budget=int(total * ratio),
                evidence=[piece["text"] for piece in evidence],
                any_evidence=evidence[0].get("kind") == "answer_span",
                language=question.language,
                answers=tuple(map(str, question.content.get("answers") or ())),
            )


def summary_tasks(directory: Path, rows: int | None, half: str, ratio: float) -> Iterator[Task]:
    """Texts with human summaries, the first `rows` of a set that are in the half, all without a query."""
    for name in data.names(directory):
        if _SUMMARIES.match(name):
            in_half = (
                row for row in data.rows(directory, name) if half in (BOTH, half_of(data.text_of(row)))
            )
            for row in islice(in_half, rows):
                yield _summary_task(name, row, ratio)


def _summary_task(name: str, row: dict[str, Any], ratio: float) -> Task:
    text = data.text_of(row)
    total = tokens.count(text, ENCODING)
    return Task(
        id=f"{name}|{row['id']}|{ratio}",
        set=name,
        ratio=ratio,
        query=None,
        documents=[text],
        total=total,
        budget=int(total * ratio),
        evidence=[],
        references=tuple(row["references"]),
    )
