"""Whoever reads a measured figure can print it: beside it stands the command, and the day it was run.

A measured figure is a time, a rate, a percentage, a share such as .93, or so many times as much. The
paragraph that has one, the one before or the one after (a table belongs to the paragraph above it) names a
command that exists (`python -m benchmarks...`, `pytest tests/...`, a file of tools), and the section a
date. Figures in code are examples, no measurements.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_blocks import ROOT

PAGES = [
    *sorted(page for page in ROOT.glob("*.md") if page.name != "CHANGELOG.md"),
    ROOT / "benchmarks" / "FIGURES.md",
    *sorted(page for folder in ("docs", "python") for page in (ROOT / folder).rglob("*.md")),
]
FIGURE = re.compile(
    r"(?<![\w.])\.\d{2,3}\b|\b\d[\d.]*%|\b\d[\d,.]* ?(?:ms|µs|us|MB/s|GB/s|core-hours)\b|\b\d+\.\d+ s\b"
    r"|\b[\d.]+ times (?:as|the|that|its|faster|slower)\b|\bx\d+\.\d+|\b[\d.]+ bytes (?:a|per|for a) byte"
)
COMMAND = re.compile(r"(?:python -m |pytest |`)(benchmarks(?:\.\w+)+|tests/[\w/.]+|tools/[\w/.]+)")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")


def sections(text: str) -> list[tuple[int, str]]:
    """The sections of a page by the line that they begin at, without the blocks of code."""
    plain = FENCE.sub(lambda block: re.sub(r"[^\n]", "", block.group()), text)
    starts = [0, *(match.start() for match in HEADING.finditer(plain)), len(plain)]
    return [(plain.count("\n", 0, start) + 1, plain[start:end]) for start, end in pairwise(starts)]


def unfounded(section: str) -> str:
    """What the first figure lacks that lacks something; "" where none does."""
    blocks = re.split(r"\n\s*\n(?!\|)", section)
    for number, block in enumerate(blocks):
        if not (found := FIGURE.search(CODE.sub("", block))):
            continue
        near = COMMAND.findall("\n".join(blocks[max(number - 1, 0) : number + 2]))
        if not near:
            return f"{found.group()!r}, and no command that prints it"
        if missing := [name for name in near if not there(name)]:
            return f"no command {missing[0]}"
        if not DATE.search(section):
            return f"{found.group()!r}, and no date"
    return ""


def there(name: str) -> bool:
    """Whether there is such a module of benchmarks, such a test or such a tool."""
    path = ROOT / (name.replace(".", "/") if name.startswith("benchmarks") else name)
    return path.exists() or path.with_suffix(".py").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_measured_figures_stand_with_their_command(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    lacking = [(line, what) for line, section in sections(text) if (what := unfounded(section))]
    assert not lacking, "\n".join(f"{page.relative_to(ROOT)}:{line}: {what}" for line, what in lacking)
