"""A small extractive reader: what a program answers from a text, whole or compressed.

It is no language model: a linear model over about a hundred features of spans of up to eight words, in the
sentences that share most with the question (BM25). It was fitted on the tuned half of the question sets that
come with answers, English only, and is weak: an F1 of .2 on whole texts. What counts is the difference
between what it answers from the whole text and from a compressed one.

Examples:
    python -m benchmarks.quality.reader --data DIR                fits it and writes reader.json
    python -m benchmarks.quality.reader --data DIR --dry-run      says how well it does on the other half
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.arguments import make_parser
from benchmarks.progress import Progress
from benchmarks.quality.halves import REPORTED, TUNED
from benchmarks.quality.sentence_peers import bm25, sentences
from benchmarks.quality.tasks import Question, sampled
from benchmarks.quality.unseen import fitting_questions
from benchmarks.report import Column, Report

__all__ = ["Reader", "answer_f1", "fitted", "normal", "states"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
_SENTENCES = 8  # that are looked into
_LONGEST = 8  # words of an answer
_STEM = 6  # letters
_SETS = re.compile(r"(?:only_)?qa_|longdoc_covidqa")  # whose answers are short
_ROWS = 150  # questions of a set to fit on
_STEPS, _RATE, _DECAY = 300, 0.05, 1e-4  # of Adam
_FILE = "reader.json"

_OPENING = ("(", "[", '"', "“", "‘", "'", "«")
_WORD = re.compile(r"\w+(?:[.,:/'’\-]\w+)*|[^\w\s]")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_MARKS = re.compile(r"[^\w\s]+")
_YEAR = re.compile(r"(?:1\d|20)\d\d")
_MONTHS = """
january february march april may june july august september october november december
"""
_STOP = """
a an the of in on at by for to from with and or but is are was were be been being has have had do does did it
its this that these those as which who whom whose what when where why how than then there their his her he she
they we you i not no if so such into over after before about also can could may might will would
"""
_DATES, _PLAIN = frozenset(_MONTHS.split()), frozenset(_STOP.split())
_BEFORE = ("in", "on", "at", "by", "of", "from", "to", "the", "a", "is", "was", "as", "for", "and", "called")
_MEASURES = "many|much|long|far|often|old|tall|large|big|high"
_PLACES = "city|country|state|place|town"
#: Kinds of questions, by what they hold; the first that fits.
_ASKED = (
    ("when", re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day|month|century)\b")),
    ("how many", re.compile(rf"\bhow (?:{_MEASURES})\b|\bwhat (?:percent|number)")),
    ("who", re.compile(r"\bwho(?:se|m)?\b")),
    ("where", re.compile(rf"\bwhere\b|\b(?:what|which) (?:{_PLACES})\b")),
    ("why", re.compile(r"\bwhy\b|\bhow\b")),
    ("which", re.compile(r"\bwhich\b")),
    ("what", re.compile(r"")),
)
_SHAPES = ("names", "name", "number", "year", "number and words", "word", "words")


def normal(text: str) -> str:
    """Lower case, without punctuation, articles and further white space, as SQuAD compares answers."""
    return " ".join(_ARTICLES.sub(" ", _MARKS.sub(" ", text.casefold())).split())


def states(text: str, answers: Sequence[str]) -> bool:
    """Whether one of the answers stands in the text, in whole words."""
    given = f" {normal(text)} "
    return any(f" {found} " in given for answer in answers if (found := normal(answer)))


def answer_f1(said: str, answers: Sequence[str]) -> float:
    """The F1 of the words of an answer, against the nearest of the answers that people gave."""
    return max((_f1(normal(said).split(), normal(answer).split()) for answer in answers), default=0.0)


def _f1(said: list[str], wanted: list[str]) -> float:
    common = (Counter(said) & Counter(wanted)).total()
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Spans:
    """Candidates of one question: their texts, and a row of features each."""

    texts: list[str]
    features: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Reader:
    """The fitted weights of the features."""

    weights: Floats

    def answer(self, text: str, question: str) -> str:
        """The span that scores best; "" where the text has no word. The first of equals."""
        spans = candidates(text, question)
        return spans.texts[int(np.argmax(spans.features @ self.weights))] if spans.texts else ""


@cache
def fitted() -> Reader:
    """The reader that reader.json holds."""
    text = files("benchmarks.quality").joinpath(_FILE).read_text(encoding="utf-8")
    return Reader(np.array(json.loads(text)["weights"]))


def candidates(text: str, question: str) -> Spans:
    """Spans that begin and end with a word of their own, in the sentences nearest to the question."""
    blocks = [sentences(block) for block in text.split("\n\n")]
    pieces = [piece for block in blocks for piece in block]
    asked = _stems(question)
    stems = [_stems(piece) for piece in pieces]
    alone = _scaled(bm25([" ".join(some) for some in stems], " ".join(asked)))
    by_block = _scaled(bm25([" ".join(_stems(" ".join(block))) for block in blocks], " ".join(asked)))
    around = [score for block, score in zip(blocks, by_block, strict=True) for _ in block]
    order = sorted(range(len(pieces)), key=lambda row: -alone[row] - around[row])[:_SENTENCES]
    counts = Counter(stem for some in stems for stem in set(some))
    rarity = {stem: np.log(max(len(pieces), 1) / max(counts[stem], 1)) for stem in (*counts, *asked)}
    kind = next(number for number, (_, said) in enumerate(_ASKED) if said.search(question.casefold()))
    texts: list[str] = []
    rows: list[Floats] = [np.zeros((0, len(NAMES)))]
    for rank, row in enumerate(order):
        found, features = _of_sentence(pieces[row], set(asked) - _PLAIN, rarity, kind)
        ranked = (alone[row], around[row], rank == 0, rank == 1, np.log1p(rank))
        features[:, : len(_SENTENCE_NAMES)] = ranked
        texts += found
        rows.append(features)
    return Spans(texts, np.concatenate(rows))


def _scaled(scores: Sequence[float]) -> list[float]:
    most = max(scores, default=0.0) or 1.0
    return [score / most for score in scores]


def _stems(text: str) -> list[str]:
    """The beginnings of the words, which their forms share."""
    return [word.casefold()[:_STEM] for word in _WORD.findall(text)]


_SENTENCE_NAMES = ("score", "score of the block", "best sentence", "second sentence", "rank")
_SPAN_NAMES = (
    *(f"{length} words" for length in range(1, _LONGEST + 1)),
    "capitals", "digits", "stop words", "rarity", "asked words", "place", "near", "just behind an asked word",
    "asked words within 3", "asked words within 6", "asked words of the sentence",
    "cut behind a capital", "cut before a capital", "in brackets or quotes",
    "mark behind", "mark before", "mark inside",
    *(f"behind {word!r}" for word in _BEFORE),
)  # fmt: skip
NAMES = (*_SENTENCE_NAMES, *_SPAN_NAMES, *(f"{kind}: {shape}" for kind, _ in _ASKED for shape in _SHAPES))


def _of_sentence(
    sentence: str, asked: set[str], rarity: dict[str, float], kind: int
) -> tuple[list[str], Floats]:
    """The spans of a sentence and their features, those of the sentence still 0."""
    places = [(match.start(), match.end()) for match in _WORD.finditer(sentence)]
    words = [sentence[start:end] for start, end in places]
    lower, stems, many = [word.casefold() for word in words], _stems(sentence), len(words)
    mark = np.array([not word[0].isalnum() for word in words], dtype=bool)
    stop = np.array([word in _PLAIN for word in lower], dtype=bool)
    capital = np.array([word[0].isupper() for word in words], dtype=bool)
    digit = np.array([any(map(str.isdigit, word)) for word in words], dtype=bool)
    date = np.array([word in _DATES or bool(_YEAR.fullmatch(word)) for word in lower], dtype=bool)
    sought = np.array([stem in asked for stem in stems], dtype=bool)
    rare = np.array([rarity[stem] for stem in stems])
    weighed, all_sought = sought * rare, sum(rarity[stem] for stem in asked) or 1.0

    ends = np.flatnonzero(~mark & ~stop)
    first, last = (grid.ravel() for grid in np.meshgrid(ends, ends, indexing="ij"))
    fits = (last >= first) & (last - first < _LONGEST)
    first, last = first[fits], last[fits]
    length = last - first + 1
    before = np.where(first > 0, first - 1, many)  # the row behind all words: none
    behind = np.where(last + 1 < many, last + 1, many)
    previous = [*lower, ""]
    opens = np.array([word in _OPENING for word in previous])
    capital, mark, sought = (np.append(flags, False) for flags in (capital, mark, sought))
    inside = partial(_inside, first=first, last=last)
    capitals, digits = inside(capital) / length, inside(digit) / length
    where = np.flatnonzero(sought)
    gaps = np.maximum(first[:, None] - where, where - last[:, None])
    away = gaps.min(axis=1) if len(where) else np.full(len(first), many)

    def near(reach: int) -> Floats:
        around = _inside(weighed, np.maximum(first - reach, 0), np.minimum(last + reach, many - 1))
        return around - inside(weighed)

    columns: list[npt.NDArray[Any]] = [length == size for size in range(1, _LONGEST + 1)]
    columns += [
        capitals, digits, inside(stop) / length, inside(rare) / length, inside(sought) / length,
        first / max(many, 1), np.log1p(np.maximum(away, 0)), sought[before],
        *(near(reach) / all_sought for reach in (3, 6)),
        np.full(len(first), weighed.sum() / all_sought),
        capital[before] & capital[first], capital[behind] & capital[last], opens[before],
        mark[behind], mark[before], inside(mark) > 0,
        *(np.array([previous[at] == word for at in before], dtype=bool) for word in _BEFORE),
    ]  # fmt: skip
    names = (capitals >= 0.5) & (length > 1)
    shape = np.select(
        [inside(date) > 0, digits == 1, digits > 0, names, capitals == 1, length == 1], [3, 2, 4, 0, 1, 5], 6
    )
    features = np.zeros((len(first), len(NAMES)))
    start = len(_SENTENCE_NAMES)
    for at, column in enumerate(columns, start):
        features[:, at] = column
    features[np.arange(len(first)), start + len(columns) + kind * len(_SHAPES) + shape] = 1.0
    spans = zip(first.tolist(), last.tolist(), strict=True)
    return [sentence[places[begin][0] : places[end][1]] for begin, end in spans], features


def _inside(values: npt.NDArray[Any], first: Rows, last: Rows) -> Floats:
    """The sum of the values of each span's words."""
    sums: Floats = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return sums[last + 1] - sums[first]


def _with_answers(asked: Sequence[Question]) -> Iterator[tuple[str, str, list[str]]]:
    """(text, question, answers) of the English questions whose answer stands in their documents."""
    for question in asked:
        answers = [str(answer) for answer in question.content.get("answers") or ()]
        text = "\n\n".join(document["text"] for document in question.row["documents"])
        if question.language in ("", "en") and states(text, answers):
            yield text, str(question.content["query"]), answers


def _fit(questions: Sequence[Question]) -> Reader:
    """Weights with the most likely answers: softmax over the spans of a question, Adam, no randomness."""
    examples: list[tuple[Floats, Floats]] = []
    with Progress("reading", len(questions)) as progress:
        for text, question, answers in _with_answers(questions):
            progress.step("")
            spans = candidates(text, question)
            right = np.array([answer_f1(said, answers) for said in spans.texts])
            if len(right) and (top := right.max()) > 0.5:
                examples.append((spans.features, (right == top) / (right == top).sum()))
    weights, mean_step, mean_square = (np.zeros(len(NAMES)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        slope = _DECAY * weights
        for features, wanted in examples:
            scores = features @ weights
            chances = np.exp(scores - scores.max())
            chances /= chances.sum()
            gold = chances * (wanted > 0)
            slope += features.T @ (chances - gold / gold.sum()) / len(examples)
        mean_step = 0.9 * mean_step + 0.1 * slope
        mean_square = 0.999 * mean_square + 0.001 * slope**2
        corrected = mean_step / (1 - 0.9**step), mean_square / (1 - 0.999**step)
        weights -= _RATE * corrected[0] / (np.sqrt(corrected[1]) + 1e-8)
    return Reader(np.round(weights, 4))


def main() -> None:
    """Fit the reader, say how well it reads whole texts of the half that it was not fitted on."""
    parser = make_parser(__doc__)
    parser.add_argument("--rows", type=int, default=_ROWS, help=f"questions of each set (default: {_ROWS})")
    parser.add_argument("--dry-run", action="store_true", help="write nothing")
    options = parser.parse_args()
    by_set = {
        name: [question for question in asked if question.content.get("answers")]
        for name, asked in fitting_questions(options.data, _SETS).items()
    }
    reader = _fit(sampled(by_set, options.rows, TUNED))
    report = Report("quality/reader", {"rows": options.rows}, ())
    rows = []
    for name, asked in by_set.items():
        read = [
            (answer_f1(reader.answer(text, question), answers), len(text))
            for text, question, answers in _with_answers(sampled({name: asked}, options.rows, REPORTED))
        ]
        if read:
            rows.append({"set": name, "questions": len(read), "f1": mean(f1 for f1, _ in read)})
    columns = [Column("set"), Column("questions"), Column("f1", "F1", ".3f")]
    report.table("Read from whole texts, the reported half", columns, rows)
    if not options.dry_run:
        path = Path(__file__).with_name(_FILE)
        path.write_text(json.dumps({"weights": reader.weights.tolist()}) + "\n", encoding="utf-8")
    report.finish(options.json)


if __name__ == "__main__":
    main()
