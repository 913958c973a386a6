"""Time grows with the input, not with its square, at each door and on inputs made to provoke it."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import tersely
import wordpieces
from growth import MOST, MOST_INSTRUCTIONS, Kernel, growth
from odd_counters import quarters
from sample_texts import ALL, REPEATED, prose
from tersely import Document, Extractive
from tersely.agents import compress_tool_result
from tersely.content.blocks import long_blocks
from tersely.content.code import Code
from tersely.content.diff import Diff
from tersely.content.json import Json
from tersely.content.lines import outcome_grades, read_lines
from tersely.content.registry import CONTENT_TYPES
from tersely.documents import to_documents
from tersely.engine.facts import find_facts
from tersely.engine.finish import broken_promises
from tersely.engine.reading import segment, to_spans
from tersely.integrations.llmlingua import PromptCompressor
from tersely.mcp.text_tools import text_tools
from tersely.memory import check_preserved, compact_messages, new_segment
from tersely.models.counters import resolve_counter
from tersely.strategies import ContextChunk, HierarchicalCompressor, Manager
from tersely.types import Level, Request

pytestmark = pytest.mark.growth
WORD_PIECES = wordpieces.table(wordpieces.trained())


def repeat(piece: str, size: int) -> str:
    return piece * (size // len(piece) + 1)


#: Kernel -> what its text begins with, and pieces that are repeated behind that.
PIECES: dict[str, tuple[str, list[str]]] = {
    "code": ("", [
        *("'\\", '"""\\', "/[/", "`${", "f'{'''\n", "f'{\n", 'r#"', "((", "[{", "x = \\\n", "a,\n", "> "),
        *("}\n//\n", "#if\n", "#if\n{\n#else\n#endif\n", 'R"x', "export {", "if a:\n", "@a(\n", "{\n"),
        "\n \n#",
    ]),
    "html": ("", [
        "<p>a</p>", "<", "<!--", "<a b='", "<script>", "</", "<svg>", "<![CDATA[", "a<b ", "<nav>x",
    ]),
    "xml": ("<r>", ["<a>", "<a b='1'/>", "</a>", "<a>x</a>\n", "x &amp; y ", "<![CDATA["]),
    "table": ("", ["a,b\n", '"', '"a""', ",", "|x\n", "1,2,3\n4,5,6\n", "a  1  b\n"]),
    "lines": ("", [
        *("2024-01-02 10:00:00 INFO x=1\n", "\r", "a\r", '"', "'a ", "`"),
        *("\x1b[", "a.b:", "a.b.c.d.", "x", "word ", "\x1b]"),
    ]),
}  # fmt: skip


@pytest.mark.growth("kernel")
@pytest.mark.parametrize(
    ("kernel", "piece"), [(kernel, piece) for kernel, (_, pieces) in PIECES.items() for piece in pieces]
)
def test_readers(kernel: str, piece: str) -> None:
    head = PIECES[kernel][0]
    assert growth(lambda size: head + repeat(piece, size), Kernel(kernel)) < MOST_INSTRUCTIONS


def by(strategy: Any, query: str | None = None) -> Callable[[str], object]:
    return lambda text: tersely.compress(text, query, budget=200, counter="chars/4", strategy=strategy)


def read_diff(text: str) -> object:
    return Diff().read([Document(text)], "a", 1 << 40)


DIFF = "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
ROW = '{"id": 7, "name": "seven"}, '
JSON = ['{"a":', "[1,", ROW, '"\\u00e9\\ud83d', "\\\\", '{"k": [[], {}, 1]}\n', "x y\n"]
CODE = ["{\n", "f(", "def f():\n  x\n", "if a {\n x;\n}\n", '"""\n', "a = [\n", "  " * 40 + "if x:\n"]
HUNKS = [
    "@@ -1 +1 @@\n-a\n+b\n", "diff --git a/x b/x\n", "--- a\n+++ b\n", "@@ -1,99999 +1,99999 @@\n", "+\n",
    "@@ -1,9 +1,9 @@\n x\n", "commit 0123456789\n", "Index: x\ny\n",
    "diff --git a/x b/x\nGIT binary patch\nliteral 9\nx\n",
]  # fmt: skip
#: What is called -> it, what stands before and behind what is repeated, and pieces.
REPEATS: dict[str, tuple[Callable[[str], object], str, str, list[str]]] = {
    "facts": (lambda text: find_facts([text], segment([text])), "", "", [
        *("1=", "“", '"a ', "`", "`a", "error: ", "not x ", "a/", "A ", "[1, ", "(", "must b, ", "exit "),
        *("http://a", "We decided not to go. "),
    ]),
    "rust": (by(Code("rust")), "", "", CODE),
    "python": (by(Code("python")), "", "", CODE),
    "diff": (read_diff, "", "", HUNKS),
    "hunk": (read_diff, "--- a\n+++ b\n@@ -1,900000 +1,900000 @@\n", "", HUNKS),
    "blanks": (read_diff, "", DIFF, [" "]),
    "json": (by("json", "seven"), "", "", JSON),
    "array": (by("json", "seven"), "[", "0]", JSON),
    "string": (by("json", "seven"), '["', '"]', JSON),
    "records": (by(Json(tables=True)), "[", "0]", [ROW]),
    "rows": (by(Json(tables=True)), "[", ROW.strip(", ") + "]", [ROW]),
    "blocks": (long_blocks, "", "", [
        "[\n", "{\n", '{"a": [\n', '{"a": 1}\n', "[1, 2\n", "}\n", "```\n", '["\n',
    ]),
    "outcomes": (lambda text: outcome_grades(read_lines([text], None, 4096)), "", "", [
        said * 40 + "\n" for said in ("level=", "error: ", "not ok ", "3 failed ", "[E_A-b] ", "a.b:1: X_Y ")
    ]),
    "word pieces": (WORD_PIECES.ids, "", "", [
        "x", "\u0301", "\u302e\u1b44", "각", "[CLS", "\0", ".", "unfathomable ",
    ]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "piece"), [(what, piece) for what, (*_, pieces) in REPEATS.items() for piece in pieces]
)
def test_repeated_pieces(what: str, piece: str) -> None:
    run, before, behind, _ = REPEATS[what]
    assert growth(lambda size: before + repeat(piece, size) + behind, run) < MOST


KERNELS = [(name, kernel) for name in REPEATED for kernel in ("sentences", "terms")] + [
    (name, level)
    for level in ("words", "clauses", "sections", "characters", "pieces")
    for name in ("spaces", "words", "sentences", "headings", "cjk", "marks", "emoji")
]


@pytest.mark.growth("kernel")
@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_segments_and_terms(name: str, kernel: str) -> None:
    assert growth(lambda size: repeat(REPEATED[name], size), Kernel(kernel)) < MOST_INSTRUCTIONS


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
    "pieces of one block": Extractive(piece=32),
    "lead": Extractive(scoring="lead"),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_compressing_with_a_strategy(name: str) -> None:
    whole = (" " if "one block" in name else "\n\n").join(ALL)

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


def test_compressing_one_group_and_a_long_query() -> None:
    run = lambda part: tersely.compress(part, ratio=0.9, counter=quarters, pinned="copper")  # noqa: E731
    text = prose(60_000)
    assert growth(lambda size: text[:size], run) < MOST

    def run(text: str) -> None:
        groups = [[(at, at + 5) for at in range(0, len(text) - 200, 300)]]
        tersely.compress(text, ratio=0.5, counter=quarters, groups=groups, strategy=Extractive(context=1))

    text = prose(60_000)
    assert growth(lambda size: text[:size], run) < MOST
    text = prose(60_000)
    run = lambda part: tersely.compress(part, part, ratio=0.3, counter=quarters)  # noqa: E731
    assert growth(lambda size: text[:size], run) < MOST


Call = Callable[[], object]

NO_WIDTH = "\u00ad\u180e\u200b\u200c\u200d\u2060\ufeff"
WHITE_SPACE = [chr(code) for code in range(sys.maxunicode) if chr(code).isspace()] + list(NO_WIDTH)


def names(characters: list[str]) -> list[str]:
    return [f"U+{ord(one):04X} {unicodedata.name(one, '')}".strip() for one in characters]


def is_linear(make: Callable[[int], Call], first: int) -> bool:
    return bool(growth(make, lambda call: call(), first) < MOST)


@pytest.mark.parametrize("one", WHITE_SPACE, ids=names(WHITE_SPACE))
def test_runs_of_one_white_space(one: str) -> None:
    assert is_linear(lambda size: lambda: tersely.compress(f"a.{one * size}b.", ratio=0.2), 8_000)


def as_type(name: str, text: str) -> object:
    return tersely.compress(Document(text, metadata={"content_type": name}), "a b", ratio=0.2)


def through_tool(text: str) -> object:
    return text_tools()[0].run({"text": text, "ratio": 0.2})


RUNS: dict[str, Callable[[str], object]] = {
    **{name: partial(as_type, name) for name in CONTENT_TYPES},
    "count": resolve_counter(None).count,
    "cl100k_base": lambda text: tersely.compress(text, ratio=0.2, counter="cl100k_base"),
    "facts": tersely.find_facts,
    "tool": through_tool,
    "message": lambda text: compact_messages([{"role": "user", "content": f"a {text} b"}] * 3, budget=300),
    "result of a tool": lambda text: compress_tool_result({"a": text}, budget=300),
    "manager": lambda text: Manager().prepare_context([ContextChunk("a", text)], "a", 50),
    "levels": lambda text: HierarchicalCompressor().compress(text),
}


@pytest.mark.parametrize("door", RUNS)
@pytest.mark.parametrize(
    "piece", ["\u3000", "\u0085", "0", "word "], ids=["wide", "next line", "digits", "words"]
)
def test_long_runs_at_each_door(door: str, piece: str) -> None:
    def make(size: int) -> Call:
        text = f"It is so.\n{piece * size}\nIt is not so."
        return lambda: RUNS[door](text)

    assert is_linear(make, 8_000)


def reports(count: int) -> str:
    return " ".join(f"Report {i} says the crane k{i} lifts {i * 7 % 991} tons." for i in range(count))


def rows(count: int) -> str:
    return "[" + ",".join(f'{{"id":{i},"v":"text {i}"}}' for i in range(count)) + "]"


def pins(count: int) -> list[str]:
    return [f"k{i} lifts" for i in range(0, count, 3)]


def shares_a_string(count: int) -> list[list[str]]:
    return [[f"k{i} lifts", "Report 1 says"] for i in range(count)]


def deep(count: int) -> str:
    return '{"a":' * count + "1" + "}" * count


def contexts(count: int) -> list[str]:
    return [f"Report {i} says k{i} lifts. It is {i} tons." for i in range(count)]


def lingua_ids(count: int) -> Call:
    compressor = PromptCompressor()
    ids = list(range(0, count, 2))
    return lambda: compressor.compress_prompt(
        contexts(count), question="crane", rate=0.9, force_context_ids=ids, reorder_context="sort"
    )


def of_many(count: int, strategy: Any = None) -> Call:
    named = [(i, 0, 5) for i in range(0, count, 2)]
    return lambda: tersely.compress(contexts(count), "crane", ratio=0.9, pinned=named, strategy=strategy)


def preserved(line: str) -> Callable[[int], Call]:
    def make(count: int) -> Call:
        text = "".join(line.format(i=i) for i in range(count))
        segment = new_segment("a", text)
        return lambda: check_preserved(segment, text)

    return make


def checked_pins(count: int) -> Call:
    (document,) = documents = to_documents(reports(count))
    spans = to_spans(pins(count), documents)
    result = tersely.compress(document.text, ratio=1.0, pinned=spans)
    request = Request(documents, None, None, 1.0, resolve_counter(None), spans)
    return lambda: broken_promises(result, request)


MANY: dict[str, tuple[Callable[[int], Call], int]] = {
    "pins of prose": (lambda n: lambda: tersely.compress(reports(n), ratio=0.9, pinned=pins(n)), 200),
    "pins of everything": (
        lambda n: lambda: tersely.compress(reports(n), budget=10**6, pinned=[(0, 1000)] * n),
        200,
    ),
    "pins that are checked": (checked_pins, 200),
    "pins within each other": (
        lambda n: lambda: tersely.compress("a" * n, ratio=1.0, pinned=["a" * i for i in range(1, 200)]),
        8_000,
    ),
    "groups": (
        lambda n: lambda: tersely.compress(reports(n), ratio=0.3, groups=[[f"k{i} lifts"] for i in range(n)]),
        200,
    ),
    "groups that share": (
        lambda n: lambda: tersely.compress(reports(n), ratio=1.0, groups=shares_a_string(n)),
        200,
    ),
    "documents": (of_many, 100),
    "nested levels": (lambda n: lambda: tersely.compress(deep(n), ratio=0.3, strategy="json"), 2_000),
    "context ids": (lingua_ids, 100),
    "pins of results": (
        lambda n: (
            lambda: compress_tool_result(
                [{"type": "text", "text": text * 8} for text in contexts(n)], budget=n * 90, pinned=pins(n)
            )
        ),
        50,
    ),
    "rules": (preserved("Do not restart server_{i}.\n"), 25),
    "errors": (preserved("ValueError: wrong value {i} in a{i}.py:{i}\n"), 25),
    "facts": (
        lambda n: lambda: tersely.compress(reports(n), ratio=0.3, strategy=Extractive(preserve=("all",))),
        200,
    ),
}


@pytest.mark.parametrize("what", MANY)
def test_many(what: str) -> None:
    make, first = MANY[what]
    assert is_linear(make, first)
