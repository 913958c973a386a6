"""What matching segments lead to: names that are asked for in a second step of a question.

"Who is the wife of the director of Vertigo?" finds the segment that says who the director is. Where his wife
stands, there may be no word of the question, but his name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from tersely import _native
from tersely.types import Analysis, Float32s, Int32s, Int64s

_LEAST_TERMS, _MOST_TERMS = 6, 64  # of a question: shorter ones seldom take two steps, longer ones are texts
_LEAST_BLOCKS = 4  # paragraphs, or documents of one paragraph
_BEST = 2  # segments whose names are taken
_MOST_NAMES = 8
_MOST_CHARACTERS = 2000  # of a segment, to look for names
_ASKS = re.compile(r"[?？؟]|\b(?:who|whose|whom|what|which|where|when|how|why)\b", re.I)
_WORD = re.compile(r"\w[\w'’-]*")
_BEFORE = " \t\"'“„«(["  # may stand between the end of a sentence and the next
_MOST_BEFORE = 8  # characters
_SENTENCE_ENDS = ".!?:;\n"


class SecondStep(NamedTuple):
    """The second question: about names in the best segments."""

    text: str  #: the names, and the words of the first question that the best segment lacks
    terms: Int32s  #: int32, their ids in the vocabulary of the analysis
    left: float  #: in (0, 1], the share of the first question's terms that the best segment lacks


def second_step(
    analysis: Analysis, query_row: int, question: str, texts: Sequence[str], scores: Float32s
) -> SecondStep | None:
    """Make the second question from the best segments.

    A name has to stand in a second paragraph, and in no more than half of them. `texts`: of the
    documents; `question`: the text of row `query_row`. O(terms).

    Returns None where it is no question or a short one, the best segment holds all of its terms, or no name
    leads on.
    """
    ids, offsets = analysis.term_ids, analysis.term_offsets
    block = analysis.table.block
    asked = dict.fromkeys(ids[offsets[query_row] : offsets[query_row + 1]].tolist())
    if not (_LEAST_TERMS <= len(asked) <= _MOST_TERMS and _ASKS.search(question)):
        return None
    if not len(block) or block[-1] - block[0] + 1 < _LEAST_BLOCKS:
        return None
    best = (-scores).argsort(kind="stable")[:_BEST].tolist()
    held = set(ids[offsets[best[0]] : offsets[best[0] + 1]].tolist())
    left = [term for term in asked if term not in held]
    if not left:
        return None
    table = analysis.table
    ends = [min(table.end[row], table.start[row] + _MOST_CHARACTERS) for row in best]
    said = [texts[table.document[row]][table.start[row] : end] for row, end in zip(best, ends, strict=True)]
    names = list(dict.fromkeys(chain.from_iterable(map(_names_in, said))))
    words = _WORD.findall(question)
    terms_of = _terms_of_words(ids, offsets, [*best, query_row], [*said, question], [*names, *words])
    of_names = [(name, terms - asked.keys()) for name, terms in zip(names, terms_of, strict=False)]
    new = {term for _, terms in of_names for term in terms}
    leads = _leading_on(ids[: offsets[len(block)]], offsets, block, new)
    found = [(name, terms & leads) for name, terms in of_names if terms & leads][:_MOST_NAMES]
    if not found:
        return None
    of_words = zip(words, terms_of[len(names) :], strict=True)
    lacking = [word for word, terms in of_words if not terms.isdisjoint(left)]
    terms = dict.fromkeys([term for _, some in found for term in sorted(some)] + left)
    return SecondStep(
        " ".join([name for name, _ in found] + lacking),
        np.array(list(terms), dtype=np.int32),
        len(left) / len(asked),
    )


def _names_in(text: str) -> list[str]:
    """Return the words that begin with a capital letter and no sentence."""
    found = []
    for word in _WORD.finditer(text):
        name, start = word[0], word.start()
        if len(name) > 1 and name[0].isupper():
            before = text[max(start - _MOST_BEFORE, 0) : start].rstrip(_BEFORE)
            if before and before[-1] not in _SENTENCE_ENDS:
                found.append(name)
    return found


def _terms_of_words(
    ids: Int32s, offsets: Int64s, rows: Sequence[int], texts: Sequence[str], words: Sequence[str]
) -> list[set[int]]:
    """Return the ids of each word's terms in a vocabulary, as far as the given rows' texts have them."""
    own, ends, _ = _native.read_terms([*texts, *words])
    known = np.full(len(own), -1, dtype=np.int32)  # by the ids of these texts
    for row, begin, end in zip(rows, ends[:-1], ends[1:], strict=False):
        of_row = ids[offsets[row] : offsets[row + 1]][: end - begin]  # a text may have been cut
        known[own[begin : begin + len(of_row)]] = of_row
    found, limits = known[own].tolist(), ends[len(texts) :].tolist()
    return [set(found[begin:end]) - {-1} for begin, end in pairwise(limits)]


def _leading_on(ids: Int32s, offsets: Int64s, block: Int32s, terms: set[int]) -> set[int]:
    """Select terms by the number of blocks that hold them: at least two, at most half of all."""
    wanted = np.zeros(int(ids.max()) + 1, dtype=bool)
    wanted[list(terms)] = True
    places = wanted[ids].nonzero()[0]
    in_block = block[offsets.searchsorted(places, side="right") - 1]
    held = dict.fromkeys(zip(ids[places].tolist(), in_block.tolist(), strict=True))
    blocks = Counter(map(itemgetter(0), held))
    most = max(2, int(block[-1] - block[0] + 1) // 2)
    return {term for term, count in blocks.items() if 2 <= count <= most}
