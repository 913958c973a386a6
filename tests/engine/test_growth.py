"""Time grows with the input, not with its square, on inputs made to provoke it."""

from __future__ import annotations

import pytest
import tersely
from growth import MOST, growth
from odd_counters import quarters
from sample_texts import ALL, prose
from tersely import Extractive, _native
from tersely.types import Level

pytestmark = pytest.mark.growth

REPEATED = {
    "spaces": " ",
    "newlines": "\n",
    "carriage returns": "\r",
    "brackets": "(",
    "closing brackets": ")",
    "square brackets": "[1",
    "stops": ".",
    "spaced stops": ". ",
    "ellipses": "... a",
    "question marks": "?",
    "quotes": '"',
    "curly quotes": "“",
    "backticks": "`",
    "stars": "*",
    "hashes": "# ",
    "greater than": ">",
    "greater than lines": ">\n",
    "dashes": "- ",
    "dash lines": "- \n",
    "numbers": "1. ",
    "number lines": "1. a\n",
    "letters": "a) ",
    "rows": "a|b\n",
    "pipes": "|",
    "fences": "```\n",
    "longer fences": "````\n```\n",
    "tilde fences": "~~~ a\n",
    "rules": "---\n",
    "underlines": "a\n==\n",
    "headings": "# a\n\n",
    "capitals": "ABCD\n\n",
    "indented": "    a\n\n",
    "indented and blank": "    a\n" + "\n" * 50,
    "braces": "{\n",
    "log lines": "2031-04-05 06:07:08 a\n",
    "turns": "User: a\n",
    "speakers": "Mara Quist: a\n\n",
    "words": "word ",
    "sentences": "A word. ",
    "abbreviations": "Dr. ",
    "initials": "A. B. ",
    "capital words": "Aa ",
    "numbers with marks": "1,",
    "identifiers": "aB_",
    "camel case": "aB",
    "underscores": "_",
    "cjk": "漢。",
    "cjk titles": "《",
    "thai": "ก ",
    "marks": "\u0301",
    "wide spaces": "\u3000",
    "emoji": "👍",
    "nul": "\x00",
    "links": "http://a.b/c?d=e. ",
    "emoticons": ". :)",
}


def repeat(piece: str, size: int) -> str:
    return piece * (size // len(piece) + 1)


LEVELS = [(name, Level.SENTENCE) for name in REPEATED] + [
    (name, level)
    for level in (Level.WORD, Level.CLAUSE, Level.SECTION, Level.CHARACTER)
    for name in ("spaces", "sentences", "headings", "cjk", "marks", "emoji")
]


@pytest.mark.parametrize(("name", "level"), LEVELS)
def test_segments(name: str, level: Level) -> None:
    make = lambda size: repeat(REPEATED[name], size)  # noqa: E731
    assert growth(make, lambda text: _native.segment([text], int(level), 200)) < MOST


@pytest.mark.parametrize("name", REPEATED)
def test_terms(name: str) -> None:
    make = lambda size: repeat(REPEATED[name], size)  # noqa: E731
    assert growth(make, lambda text: _native.terms([text])) < MOST


@pytest.mark.parametrize("query", [None, "copper crew"])
@pytest.mark.parametrize("ratio", [0.05, 0.5, 0.95])
def test_compressing_prose(query: str | None, ratio: float) -> None:
    text = prose(60_000)
    run = lambda part: tersely.compress(part, query, ratio=ratio, counter=quarters)  # noqa: E731
    assert growth(lambda size: text[:size], run) < MOST


STRATEGIES = {
    "structure": Extractive(preserve_structure=True),
    "context": Extractive(context=3),
    "no redundancy": Extractive(redundancy=0.0),
    "words": Extractive(level=Level.WORD),
    "clauses": Extractive(level=Level.CLAUSE, preserve=("all",)),
    "windows": Extractive(level=Level.CHARACTER, window=20),
    "lead": Extractive(scoring="lead"),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_compressing_with_a_strategy(name: str) -> None:
    whole = "\n\n".join(ALL)

    def run(text: str) -> None:
        tersely.compress(text, "storm fee", ratio=0.3, counter=quarters, strategy=STRATEGIES[name])

    assert growth(lambda size: repeat(whole, size), run) < MOST


def test_compressing_distinct_words() -> None:
    """Each sentence shares a little with many others: gains fall a little with each choice."""

    def make(size: int) -> str:
        sentences = (
            f"Item{i % 997} item{i * 7 % 1009} item{i * 31 % 1013} item{i} stands." for i in range(size // 40)
        )
        return " ".join(sentences)

    assert growth(make, lambda text: tersely.compress(text, ratio=0.5, counter=quarters)) < MOST


def test_many_documents() -> None:
    def run(text: str) -> None:
        tersely.compress(text.split("\n\n"), "copper", ratio=0.3, counter=quarters)

    text = prose(60_000)
    assert growth(lambda size: text[:size], run) < MOST


def test_many_pins() -> None:
    def run(text: str) -> None:
        pins = [(at, at + 5) for at in range(0, len(text) - 5, 300)]
        tersely.compress(text, ratio=0.9, counter=quarters, pinned=pins)

    text = prose(60_000)
    assert growth(lambda size: text[:size], run) < MOST


def test_a_pinned_word_that_occurs_everywhere() -> None:
    run = lambda part: tersely.compress(part, ratio=0.9, counter=quarters, pinned="copper")  # noqa: E731
    text = prose(60_000)
    assert growth(lambda size: text[:size], run) < MOST


def test_a_group_of_everything() -> None:
    def run(text: str) -> None:
        groups = [[(at, at + 5) for at in range(0, len(text) - 200, 300)]]
        tersely.compress(text, ratio=0.5, counter=quarters, groups=groups, strategy=Extractive(context=1))

    text = prose(60_000)
    assert growth(lambda size: text[:size], run) < MOST


def test_a_query_as_long_as_the_text() -> None:
    text = prose(60_000)
    run = lambda part: tersely.compress(part, part, ratio=0.3, counter=quarters)  # noqa: E731
    assert growth(lambda size: text[:size], run) < MOST
