"""Texts of different content, and facts planted into them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from benchmarks import data as development
from benchmarks.quality.halves import REPORTED, TUNED

__all__ = ["CONTENTS", "HOSTS", "PLANTED", "plant", "texts"]

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

#: By half (benchmarks/quality/halves.py): kind, sentence, what is to be found verbatim. {n}, {d}, {e} and {m}
#: are numbers of three, two and one digit, and a name, of their own for each text.
PLANTED = {
    TUNED: (
        ("number", "The pump of station {n} failed after {n}.5 hours of service.", "{n}.5 hours"),
        ("amount", "Storage for the archive costs ${n},250 a year.", "${n},250"),
        ("date", "The licence for the new site runs out on {d} March 2027.", "{d} March 2027"),
        ("version", "All of the readers were moved to firmware 4.{d}.{e} in the end.", "4.{d}.{e}"),
        ("id", "The complaint was filed under number QX-{n}-{e} by the clerk.", "QX-{n}-{e}"),
        (
            "path",
            "The list of exceptions is kept in config/site{n}/limits.yaml by the operators.",
            "config/site{n}/limits.yaml",
        ),
        (
            "url",
            "Copies can be had from https://files.example.org/archive/{n} by anybody.",
            "https://files.example.org/archive/{n}",
        ),
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
            "obligation",
            "Visitors must wear a helmet in hall {n} at all times.",
            "must wear a helmet in hall {n}",
        ),
        ("negation", "The valve in shaft {n} was never closed that night.", "shaft {n} was never closed"),
    ),
    REPORTED: (
        ("number", "About {n}.{e} tonnes of gravel were brought to the site.", "{n}.{e} tonnes"),
        ("amount", "In total the repair came to EUR {n},480 for the town.", "EUR {n},480"),
        ("date", "A first inspection took place on 2019-0{e}-{d}, before the snow.", "2019-0{e}-{d}"),
        ("version", "It only works with release 2.{e}.{d} of the driver.", "2.{e}.{d}"),
        ("id", "Please quote reference HB{n}{e}-K in every letter about this.", "HB{n}{e}-K"),
        (
            "path",
            "What went wrong is written down in src/loader_{n}.py:88 in a comment.",
            "src/loader_{n}.py:88",
        ),
        ("url", "Questions go to desk{n}@records.example.net as before.", "desk{n}@records.example.net"),
        ("name", "Nobody knew the river as well as Ambrose Feldkirch{m} did.", "Ambrose Feldkirch{m}"),
        ("name", "The keys are with Greymoor {m} Limited for the time being.", "Greymoor {m} Limited"),
        (
            "decision",
            "After a long debate we agreed to close gate {n} during the winter.",
            "we agreed to close gate {n} during the winter",
        ),
        (
            "obligation",
            "Samples of batch {n} have to be kept below freezing.",
            "batch {n} have to be kept below freezing",
        ),
        (
            "negation",
            "There is no record of a second visit to farm {n}.",
            "no record of a second visit to farm {n}",
        ),
    ),
}
#: Sets that facts are planted into.
HOSTS = (
    "needle_abstracts",
    "longdoc_covidqa",
    "longdoc_contracts",
    "longdoc_chunk_eval",
    "sum_gov_report",
    "sum_news",
    "qa_hotpotqa_paragraphs",
    "conv_qmsum",
)
_FEW_PARAGRAPHS = 12  # a text that has fewer gets the sentences at line ends
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


def plant(text: str, seed: int, half: str) -> tuple[str, list[tuple[str, str]]]:
    """The text with every sentence of the half at a random paragraph end; (kind, what to find) of each."""
    generator = random.Random(seed)
    gap = "\n\n" if text.count("\n\n") + 1 >= _FEW_PARAGRAPHS else "\n"
    paragraphs = text.split(gap)
    facts = []
    for kind, sentence, fact in PLANTED[half]:
        values = {
            "n": generator.randrange(113, 989),
            "m": generator.choice(_NAMES),
            "d": generator.randrange(11, 29),
            "e": generator.randrange(3, 9),
        }
        at = generator.randrange(len(paragraphs))
        paragraphs[at] = f"{paragraphs[at]} {sentence.format(**values)}".strip()
        facts.append((kind, fact.format(**values)))
    return gap.join(paragraphs), facts
