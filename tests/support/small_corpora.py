"""Small corpora for the lexical kernels: rows of terms with documents, blocks, headings, a query, titles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from hypothesis import strategies as st

Row = list[str]


@dataclass
class Corpus:
    rows: list[Row]
    documents: list[int]
    blocks: list[int]
    headings: list[int]
    query: Row = field(default_factory=list)
    titles: list[Row] = field(default_factory=list)

    def terms(self, classes: Mapping[str, int] = MappingProxyType({})) -> tuple[object, ...]:
        """term_ids, term_offsets, term_class, document, block, heading of the native border."""
        numbers: dict[str, int] = {}
        every_row = [*self.rows, self.query, *self.titles]
        ids = [numbers.setdefault(term, len(numbers)) for row in every_row for term in row]
        offsets = np.cumsum([0, *map(len, every_row)])
        columns = (self.documents, self.blocks, self.headings)
        return (
            np.array(ids, dtype=np.int32),
            offsets.astype(np.int64),
            np.array([classes.get(term, 0) for term in numbers], dtype=np.uint8),
            *(np.array(column, dtype=np.int32) for column in columns),
        )

    def lengths(self) -> list[int]:
        return [3 + 5 * len(row) for row in self.rows]

    def asked(self, cosine: Sequence[float] | None = None, answer: int = 0) -> tuple[object, ...]:
        """What else the kernel of relevance is given: query, titles, kind of answer, cosines, places."""
        start, end = np.zeros(len(self.rows), np.int64), np.array(self.lengths(), np.int64)
        cosines = np.array(cosine or [], np.float32)
        return len(self.rows), self.title_rows(), answer, cosines, start, end

    def vocabulary(self) -> list[str]:
        return list(dict.fromkeys(term for row in [*self.rows, self.query, *self.titles] for term in row))

    def title_rows(self) -> np.ndarray:
        first = len(self.rows) + 1
        return np.array([first + i if title else -1 for i, title in enumerate(self.titles)], dtype=np.int64)


def flat(rows: Sequence[Sequence[str]], query: Sequence[str] = (), title: Sequence[str] = ()) -> Corpus:
    """One document, a block each row, no headings."""
    size = len(rows)
    return Corpus(
        [list(row) for row in rows], [0] * size, list(range(size)), [-1] * size, list(query), [list(title)]
    )


terms = st.lists(st.sampled_from("abcdefghijkl"), max_size=9)


@st.composite
def corpora(draw: st.DrawFn) -> Corpus:
    corpus = Corpus([], [], [], [])
    block = 0
    for document in range(draw(st.integers(1, 3))):
        first = len(corpus.rows)
        for row in draw(st.lists(terms, max_size=5)):
            corpus.headings.append(draw(st.sampled_from([-1, *range(first, len(corpus.rows))])))
            corpus.rows.append(row)
            corpus.documents.append(document)
            corpus.blocks.append(block)
            block += draw(st.booleans())
        block += 1
        corpus.titles.append(draw(st.lists(st.sampled_from("abcxyz"), max_size=3)))
    corpus.query = draw(st.lists(st.sampled_from("abcdxyz"), max_size=4))
    return corpus
