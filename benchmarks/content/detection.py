"""What texts are taken for, beside what they are.

The development sets say what their texts are: a set of source files is code of the language that each row
names, one of logs is logs (whole, and in pieces of 200 lines), and so on; documentation pages put together
from their sections are Markdown. Values of the JSON sets, 20 to a text and a line each, are JSON lines. Files
of a folder are what their extensions say, which is not always right.
"""

from __future__ import annotations

import base64
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import tersely

from benchmarks import data as development
from benchmarks.report import Column, Report, Target

__all__ = ["report", "report_files"]

Labelled = tuple[str, str, set[str], str | None, str]  # set, name, kinds, language, text

_PROSE = (
    "longdoc_contracts",
    "longdoc_covidqa",
    "needle_abstracts",
    "qa_hotpotqa_sentences",
    "qa_musique_paragraphs",
    "qa_nq_20docs",
    "qa_xquad_multilingual",
)
_EXTENSIONS: dict[str, tuple[set[str], str | None]] = {
    ".py": ({"code"}, "python"),
    ".c": ({"code"}, "c"),
    ".h": ({"code"}, None),
    ".hpp": ({"code"}, None),
    ".js": ({"code"}, "javascript"),
    ".ts": ({"code"}, "typescript"),
    ".go": ({"code"}, "go"),
    ".rs": ({"code"}, "rust"),
    ".pl": ({"code"}, "perl"),
    ".sh": ({"code"}, "shell"),
    ".php": ({"code"}, "php"),
    ".css": ({"code"}, "css"),
    ".sql": ({"code"}, "sql"),
    ".yaml": ({"code"}, "yaml"),
    ".toml": ({"code"}, "toml"),
    ".json": ({"json"}, None),
    ".md": ({"markdown"}, None),
    ".rst": ({"markdown"}, None),
    ".html": ({"html"}, "html"),
    ".xml": ({"html"}, "xml"),
    ".csv": ({"table"}, None),
    ".log": ({"log", "tool_output"}, None),
    ".patch": ({"diff"}, None),
    ".diff": ({"diff"}, None),
}
_SHORT = 2_000  # characters: the time of shorter texts is that of a call
_MOST_FILES = 60  # of an extension, and 3 of a folder
_BORDERS = (0.0, 0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 1.01)
_CALIBRATION = [
    Column("from", "", ".2f"),
    Column("texts"),
    Column("said", "", ".3f"),
    Column("right", "", ".3f"),
]
_COLUMNS = [
    Column("set"),
    Column("texts"),
    Column("accuracy", "", ".3f"),
    Column("language", "language right", ".3f"),
    Column("speed", "us per 10 KB", ".0f"),
    Column("wrong", "wrong ones"),
]


def report(report: Report, data: Path) -> None:
    """A row a set, and the mean over texts."""
    _report(report, "Content types, development sets", list(_labelled(data)))


def report_files(report: Report, folder: Path) -> None:
    """The same for files, by extension."""
    _report(report, f"Content types, files of {folder}", list(_files(folder)), asked=False)


def _report(report: Report, title: str, texts: list[Labelled], asked: bool = True) -> None:
    groups: dict[str, list[Labelled]] = defaultdict(list)
    for row in texts:
        groups[row[0]].append(row)
    table = [_row(name, rows) for name, rows in groups.items()]
    right = sum(row["accuracy"] * row["texts"] for row in table) / len(texts)
    speeds = [row["speed"] for row in table if "speed" in row]
    speed = median(speeds)
    mean = sum(row["accuracy"] for row in table) / len(table)
    table.append({"set": "all texts", "texts": len(texts), "accuracy": right, "speed": speed})
    table.append({"set": "mean over sets", "texts": len(texts), "accuracy": mean, "speed": speed})
    report.table(title, _COLUMNS, table)
    _report_calibration(report, texts)
    if asked:
        report.targets.append(Target("content type, accuracy over texts", 0.97, right, "", False))
        report.targets.append(Target("content type, mean over sets", 0.97, mean, "", False))
        report.targets.append(Target("content type, slowest set", 100, max(speeds), "us per 10 KB", True))


def _report_calibration(report: Report, texts: list[Labelled]) -> None:
    """How often a kind is right, by the confidence that it is told with."""
    told = [(tersely.detect(text), kinds) for _, _, kinds, _, text in texts]
    rows = []
    for low, high in pairwise(_BORDERS):
        some = [
            (look.confidence, look.kind in kinds) for look, kinds in told if low <= look.confidence < high
        ]
        if some:
            said, right = (sum(column) / len(some) for column in zip(*some, strict=True))
            rows.append({"from": low, "texts": len(some), "said": said, "right": right})
    report.table("Confidence of content types: said, and the share that is right", _CALIBRATION, rows)


def _row(name: str, rows: list[Labelled]) -> dict[str, Any]:
    wrong, languages, seconds, read = [], [], 0.0, 0
    for _, text_name, kinds, language, text in rows:
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            found = tersely.detect(text)
            best = min(best, time.process_time() - start)
        seconds, read = seconds + best, read + min(len(text), 12_288)
        if found.kind not in kinds:
            wrong.append(f"{text_name[-40:]}: {found.kind}")
        elif language is not None:
            languages.append(found.language == language)
    row = {
        "set": name,
        "texts": len(rows),
        "accuracy": 1 - len(wrong) / len(rows),
        "wrong": "; ".join(wrong[:3]) + (f"; {len(wrong) - 3} more" if len(wrong) > 3 else ""),
    }
    if read >= _SHORT * len(rows):
        row["speed"] = seconds / read * 1e10
    return {**row, "language": sum(languages) / len(languages)} if languages else row


def _labelled(data: Path) -> Iterator[Labelled]:
    for row in development.rows(data, "code_files"):
        yield "code_files", row["id"], {"code"}, row["language"], row["text"]
    for row in development.rows(data, "logs_loghub"):
        lines = row["lines"]
        parts = [lines, *(lines[at : at + 200] for at in range(0, len(lines), 200))]
        for number, part in enumerate(parts):
            yield "logs_loghub", f"{row['id']} {number}", {"log"}, None, "\n".join(part)
    for row in development.rows(data, "tool_output"):
        agent = row["source"].startswith("SWE-agent")  # its output is the log of a program
        yield "tool_output", row["id"], {"tool_output", *(["log"] if agent else [])}, None, row["text"]
    for name in ("json_webhooks", "json_mcp_tool_schemas"):
        values = [row["json"] for row in development.rows(data, name)]
        for number, value in enumerate(values):
            yield name, str(number), {"json"}, None, value
        lines = [json.dumps(json.loads(value)) for value in values]
        for at in range(0, len(lines) - 20, 20):
            yield f"{name}, lines", str(at), {"jsonl"}, None, "\n".join(lines[at : at + 20])
    for row in development.rows(data, "adversarial_json"):
        text = base64.b64decode(row["base64"]).decode("utf-8", "replace").strip()
        if row["expect"] == "accept" and text[:1] in ("{", "["):
            yield "adversarial_json", row["id"], {"json"}, None, text
    for row in development.rows(data, "needle_kv_json"):
        yield "needle_kv_json", row["id"], {"json"}, None, row["documents"][0]["text"]
    yield from _words(data)


def _words(data: Path) -> Iterator[Labelled]:
    """Prose, Markdown, conversations."""
    for row in development.rows(data, "conv_qmsum"):
        turns = [f"{entry['speaker']}: {entry['text']}" for entry in row["entries"]]
        yield "conv_qmsum", row["id"], {"conversation"}, None, "\n".join(turns)
    for row in development.rows(data, "sum_dialogsum"):
        yield "sum_dialogsum", row["id"], {"conversation"}, None, row["text"]
    for name in ("sum_gov_report", "sum_news", "sum_scitldr"):
        for row in development.rows(data, name):
            yield name, row["id"], {"prose"}, None, development.text_of(row)
    for name in _PROSE:
        for number, row in zip(range(60), development.rows(data, name), strict=False):
            for document in row["documents"][:3]:
                yield name, f"{row['id']} {number}", {"prose"}, None, document["text"]
    pages: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in development.rows(data, "neardup_docs_etcd_chunks"):
        pages[row["version"], row["page"]].append(row["text"])
    for page, chunks in pages.items():
        yield "neardup_docs_etcd", " ".join(page), {"markdown"}, None, "\n\n".join(chunks)


def _files(folder: Path) -> Iterator[Labelled]:
    many: dict[str, int] = defaultdict(int)
    beside: dict[tuple[str, Path], int] = defaultdict(int)
    for path in sorted(folder.rglob("*")):
        extension = path.suffix
        if extension not in _EXTENSIONS or many[extension] >= _MOST_FILES or path.is_symlink():
            continue
        beside[extension, path.parent] += 1
        if beside[extension, path.parent] > 3 or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if len(text) >= 300:
            many[extension] += 1
            kinds, language = _EXTENSIONS[extension]
            yield extension, str(path), kinds, language, text
