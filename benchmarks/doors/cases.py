"""Single documents with a question that only they answer: prose, JSON, source code, output of a tool."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import data

__all__ = ["CASES", "LONGEST", "Case", "cases", "window"]

LONGEST = 12_000  # characters of a source file and of the output of a tool
_QUESTION_SETS = ("qa_hotpotqa_sentences", "qa_nq_sentence")
_SEED = 7
_EACH = 3  # cases of one source
_LEAST_NAME = 6  # characters
_LONGEST_LINE = 300
_FILE = re.compile(r"[\w\-]+\.[A-Za-z]{1,5}\b")
_ERROR = re.compile(r"\b(error|fatal|failed|failure)\b", re.IGNORECASE)
_TEST = re.compile(r"^(?:ERROR|FAIL): (test\w+) \(.*$", re.MULTILINE)
_EXCEPTION = re.compile(r"^[\w.]*(?:Error|Exception): .+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Case:
    """A document and a question about it."""

    kind: str  #: of the document, a key of `CASES`
    source: str  #: where it is from; few cases come from the same one
    text: str
    query: str
    evidence: list[str]  #: strings of the text that answer the query


def cases(directory: Path, kind: str, count: int) -> list[Case]:
    """At most `count` cases of one kind, the same each time, at most three of one source."""
    found = list(CASES[kind](directory))
    random.Random(f"{_SEED} {kind}").shuffle(found)
    seen: Counter[str] = Counter()
    chosen = []
    for case in found:
        seen[case.source] += 1
        if seen[case.source] <= _EACH:
            chosen.append(case)
    return chosen[:count]


def window(text: str, start: int, end: int, longest: int = LONGEST) -> str:
    """Whole lines around text[start:end], together at most `longest` characters, as many before as after."""
    if len(text) <= longest:
        return text
    room = (longest - (end - start)) // 2
    first = max(min(start - room, len(text) - longest), 0)
    begin = 0 if first == 0 else text.find("\n", first, start) + 1 or start
    last = text.rfind("\n", end, begin + longest)
    return text[begin : last if last >= 0 else end]


def _prose(directory: Path) -> Iterator[Case]:
    """Paragraphs of Wikipedia, of which few answer a question; evidence: the sentences that people marked."""
    for name in _QUESTION_SETS:
        for row in data.rows(directory, name):
            text = "\n\n".join(document["text"] for document in row["documents"])
            yield Case("prose", row["id"], text, row["query"], [piece["text"] for piece in row["evidence"]])


def _json(directory: Path) -> Iterator[Case]:
    """A JSON object of many pairs of ids; evidence: the pair of the key that is asked for."""
    for row in data.rows(directory, "needle_kv_json"):
        evidence = [piece["text"] for piece in row["evidence"]]
        yield Case("json", row["id"], row["documents"][0]["text"], row["query"], evidence)


def _code(directory: Path) -> Iterator[Case]:
    """A source file and the name of one of its definitions; evidence: the line where its signature begins."""
    for row in data.rows(directory, "code_files"):
        names = Counter(definition["name"] for definition in row["definitions"])
        lines = row["text"].split("\n")
        for definition in row["definitions"] if len(row["text"]) <= LONGEST else ():
            name, line = definition["name"], lines[definition["line"] - 1].strip()
            if names[name] == 1 and len(name) >= _LEAST_NAME and not name.startswith("__") and name in line:
                yield Case("code", row["id"], row["text"], f"How is {name} declared?", [line])


def _tool(directory: Path) -> Iterator[Case]:
    """Output of a tool; evidence: the one line that says why a file, or a test, fails."""
    for row in data.rows(directory, "tool_output"):
        yield from _failed_files(row)
    for row in data.rows(directory, "agent_traces"):
        for entry in row["entries"]:
            if entry["kind"] == "observation":
                yield from _failed_tests(row["id"], entry["text"])


def _failed_files(row: dict[str, Any]) -> Iterator[Case]:
    """Files that one line of the whole output, and no other, says an error of."""
    text = row["text"]
    lines = [text[place["start"] : place["end"]].strip() for place in row["error_lines"]]
    for place, line in zip(row["error_lines"], lines, strict=True):
        name = next(iter(_FILE.findall(line)), None)
        if name is None or not _ERROR.search(line) or len(line) > _LONGEST_LINE:
            continue
        if text.count(line) == 1 and sum(name in other for other in lines) == 1:
            part = window(text, place["start"], place["end"])
            yield Case("tool", row["id"], part, f"Why does {name} fail?", [line])


def _failed_tests(source: str, text: str) -> Iterator[Case]:
    """Tests of Python's unittest: the exception at the end of the traceback under the test's name."""
    headers = list(_TEST.finditer(text))
    starts = [*(header.start() for header in headers), len(text)]
    names = Counter(header.group(1) for header in headers)
    for header, end in zip(headers, starts[1:], strict=True):
        found = _EXCEPTION.search(text, header.end(), end)
        if found is None or names[header.group(1)] > 1:
            continue
        line = found.group().strip()
        part = window(text, header.start(), found.end())
        if text.count(line) == 1 and line in part and len(line) <= _LONGEST_LINE:
            yield Case("tool", source, part, f"Why does {header.group(1)} fail?", [line])


#: What makes the cases of each kind of document.
CASES: dict[str, Callable[[Path], Iterator[Case]]] = {
    "prose": _prose,
    "json": _json,
    "code": _code,
    "tool": _tool,
}
