"""Documents and a query, cut and read once for all scoring methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tersely.stages.question import Question, read_question
from tersely.stages.segment import analyze
from tersely.tables import Analysis, Level, SegmentTable
from tersely.types import Document

__all__ = ["Prepared", "prepare"]


@dataclass(frozen=True, eq=False, slots=True)
class Prepared:
    """A call's texts, cut and read.

    Attributes:
        documents: as given.
        query: not blank.
        question: what the query asks for.
        analysis: segments and terms; the rows after the segments' are the question's and the titles'.
    """

    documents: tuple[Document, ...]
    query: str
    question: Question
    analysis: Analysis

    @property
    def table(self) -> SegmentTable:
        """The segments."""
        return self.analysis.table

    def segment_texts(self) -> list[str]:
        """The text of each segment, verbatim."""
        texts = [document.text for document in self.documents]
        table = self.table
        rows = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
        return [texts[index][start:end] for index, start, end in rows]


def prepare(documents: Sequence[Document], query: str, level: Level, window: int = 200) -> Prepared:
    """Cut the documents into segments and read the terms of segments, query and titles."""
    question = read_question(query)
    titles = [document.title or "" for document in documents]
    texts = [document.text for document in documents]
    return Prepared(
        tuple(documents), query, question, analyze(texts, [question.text, *titles], level, window)
    )
