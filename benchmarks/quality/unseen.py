"""Whole families of questions that nothing in tersely was ever fitted or tuned on: what a stranger will see.

Weights, trees, probabilities and thresholds come from other sets. A command that fits anything takes its
questions from `fitting_questions`, which refuses these.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from heapq import nsmallest
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchmarks import data
from benchmarks.distractors import Distractors
from benchmarks.quality.halves import BOTH
from benchmarks.quality.tasks import Question, questions

__all__ = ["UNSEEN", "fitting_questions", "refuse_unseen", "unseen_questions"]

#: Sets by name, and what their questions ask for. One that anything was fitted on must leave this list.
UNSEEN = {
    "selqa": "a sentence of Wikipedia; English",
    "quoref_contrast": "a sentence that names someone in other words; English",
    "conditionalqa_sentences": "several lines of a government's page; English",
    "expertqa_par": "the paragraph of a web page that supports a claim; English",
    "commit_hunks": "the changes of code that a commit's subject names; English",
    "wikitablequestions": "a row of a table; English",
    "swequad_sv": "a sentence about an occupation; Swedish",
    "heq_he": "a sentence of Wikipedia or of news; Hebrew",
    "jaquad_ja": "a sentence of Wikipedia; Japanese",
}

#: Sets from the package index (benchmarks/package_sets.py); nothing is fitted on them either.
DERIVED = ("docs_sections", "code_functions")


def unseen_questions(directory: Path, rows: int) -> list[Question]:
    """`rows` questions of each unseen set that the directory has, those whose digests are the smallest.

    A row of passages ({"q", "p", "t", "e"}) becomes one of documents, ten with the passages of other titles.
    """
    chosen: list[Question] = []
    for name in (name for name in data.names(directory) if name in UNSEEN):
        every = {_query(row): row for row in data.rows(directory, name)}
        titles = {
            text: title
            for row in every.values()
            for text, title in zip(row.get("p", ()), row.get("t", ()), strict=True)
        }
        near = Distractors(list(titles))
        for query in nsmallest(rows, every, key=_digest):
            row = every[query] if "documents" in every[query] else _of_passages(every[query], titles, near)
            chosen.append(Question(name, row, row, 0, BOTH))
    return chosen


def fitting_questions(directory: Path, sets: re.Pattern[str]) -> dict[str, list[Question]]:
    """Questions to fit something on; raises ValueError where one is of an unseen family."""
    found = questions(directory, sets)
    for name, asked in found.items():
        refuse_unseen(name, (str(question.content["query"]) for question in asked))
    return found


def refuse_unseen(name: str, queries: Iterable[str]) -> None:
    """Raise ValueError where a set is an unseen one by its name, or has a question that is reported."""
    family = next((family for family in (*UNSEEN, *DERIVED) if family in name), None)
    kept = {digest: family for family, digests in _reported().items() for digest in digests}
    family = family or next((kept[digest] for digest in map(_digest, queries) if digest in kept), None)
    if family:
        raise ValueError(f"{name} is of {family}, which nothing may be fitted or tuned on (UNSEEN)")


def _reported() -> dict[str, list[str]]:
    """Digests of the questions whose figures are reported, by family."""
    text = files("benchmarks.quality").joinpath("unseen.json").read_text(encoding="utf-8")
    return {name: digests.split() for name, digests in json.loads(text).items()}


def _query(row: dict[str, Any]) -> str:
    return str(row["query"] if "query" in row else row["q"])


def _digest(query: str) -> str:
    return hashlib.sha256(" ".join(query.casefold().split()).encode()).hexdigest()[:12]


def _of_passages(row: dict[str, Any], titles: dict[str, str], near: Distractors) -> dict[str, Any]:
    evidence = [(row["p"][at], start, end) for at, start, end in row["e"]]
    said = [text[start:end] for text, start, end in evidence]

    def fits(text: str) -> bool:
        other = not titles[text] or titles[text] not in row["t"]
        return other and not any(piece in text for piece in said)

    shown = near.among(row["q"], list(dict.fromkeys(row["p"])), fits)
    return {
        "id": _digest(row["q"]),
        "query": row["q"],
        "documents": [{"title": titles[text], "text": text} for text in shown],
        "evidence": [
            {"doc": shown.index(text), "start": start, "end": end, "text": text[start:end], "kind": "passage"}
            for text, start, end in evidence
        ],
    }
