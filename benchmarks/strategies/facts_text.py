"""Texts of different content, and facts planted into them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from benchmarks import data as development

__all__ = ["CONTENTS", "PLANTED", "plant", "texts"]

CONTENTS = {
    "prose": (
        "longdoc_covidqa",
        "longdoc_contracts",
        "longdoc_chunk_eval",
        "sum_gov_report",
        "sum_news",
        "qa_hotpotqa_paragraphs",
        "needle_abstracts",
    ),
    "conversation": ("conv_qmsum", "sum_dialogsum", "agent_traces"),
    "code": ("code_files",),
    "tool output": ("tool_output", "logs_loghub"),
}
_LONGEST = 40_000  # characters of a text
_SHORTEST = 4_000  # shorter ones are put together
_SEED = 7

#: (kind, sentence, what has to be found verbatim); {n} is a number of its own for each text.
PLANTED = (
    ("number", "The pump of station {n} failed after {n}.5 hours of service.", "{n}.5 hours"),
    ("number", "Storage for the archive costs ${n},250 a year.", "${n},250"),
    (
        "path",
        "The list of exceptions is kept in config/site{n}/limits.yaml by the operators.",
        "config/site{n}/limits.yaml",
    ),
    ("path", "What went wrong is written down in src/loader_{n}.py:88 in a comment.", "src/loader_{n}.py:88"),
    (
        "name",
        "The samples were carried to the laboratory by Ottoline Brackwater{m} in person.",
        "Ottoline Brackwater{m}",
    ),
    (
        "name",
        "Most of the instruments had been lent by the Tessmouth {m} Institute before.",
        "Tessmouth {m} Institute",
    ),
    (
        "decision",
        "Decision: the second survey is put off until the harvest of field {n} is in.",
        "the second survey is put off until the harvest of field {n} is in",
    ),
    (
        "decision",
        "After a long debate we agreed to close gate {n} during the winter.",
        "we agreed to close gate {n} during the winter",
    ),
)
_NAMES = (
    "Vorley",
    "Aldane",
    "Quillan",
    "Merrowby",
    "Tansk",
    "Ustrel",
    "Fenwright",
    "Ordavi",
    "Pellagro",
    "Zinnow",
)


def texts(data: Path, name: str, how_many: int) -> list[str]:
    """Texts of one set, in a fixed random order: long ones cut at a line end, short ones put together."""
    rows = list(development.rows(data, name))
    random.Random(_SEED).shuffle(rows)
    found: list[str] = []
    waiting: list[str] = []
    for row in rows:
        waiting.append(_text(row))
        if sum(map(len, waiting)) < _SHORTEST:
            continue
        text = "\n\n".join(waiting)
        waiting = []
        found.append(
            text
            if len(text) <= _LONGEST
            else text[: text.rfind("\n", _LONGEST // 2, _LONGEST) + 1 or _LONGEST]
        )
        if len(found) == how_many:
            break
    return found


def _text(row: dict[str, Any]) -> str:
    if "documents" in row:
        return "\n\n".join(document["text"] for document in row["documents"])
    if "entries" in row:
        return "\n\n".join(
            f"{entry.get('speaker', entry.get('role'))}: {entry['text']}" for entry in row["entries"]
        )
    return "\n".join(row["lines"]) if "lines" in row else development.text_of(row)


def plant(text: str, seed: int) -> tuple[str, list[tuple[str, str]]]:
    """The text with every sentence of PLANTED at a random paragraph end; (kind, what to find) of each."""
    generator = random.Random(seed)
    paragraphs = text.split("\n\n")
    facts = []
    for kind, sentence, fact in PLANTED:
        values = {"n": generator.randrange(113, 989), "m": generator.choice(_NAMES)}
        at = generator.randrange(len(paragraphs))
        paragraphs[at] = f"{paragraphs[at]} {sentence.format(**values)}"
        facts.append((kind, fact.format(**values)))
    return "\n\n".join(paragraphs), facts
