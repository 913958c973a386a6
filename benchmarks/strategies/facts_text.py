"""Texts of different content, and facts planted into them."""

from __future__ import annotations

import hashlib
import random
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks import data as development
from benchmarks.quality.halves import REPORTED, TUNED

__all__ = ["CONTENTS", "HOSTS", "MOST_PLANTED", "documentation", "plant", "texts"]

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

#: By half (benchmarks/quality/halves.py): kind, sentence with what is to be found verbatim in brackets.
#: {n}, {d}, {e} and {m} are numbers of three, two and one digit, and a name, of their own for each text.
PLANTED = {
    TUNED: (
        ("number", "The pump of station {n} failed after [{n}.5 hours] of service."),
        ("number", "Humidity in the lower store stood at [{d}.{e} per cent]."),
        ("amount", "Storage for the archive costs [${n},250] a year."),
        ("amount", "The insurer has offered [{n} million yen] as a settlement."),
        ("date", "The licence for the new site runs out on [{d} March 2027]."),
        ("date", "The next drill is planned for [{d}:45 on Tuesday]."),
        ("deadline", "Claims can be sent in [until {d} November 2028] at the latest."),
        ("version", "All of the readers were moved to firmware [4.{d}.{e}] in the end."),
        ("id", "The complaint was filed under number [QX-{n}-{e}] by the clerk."),
        ("id", "The spare crate bears the label [{m}{d}/{n}] on its lid."),
        ("path", "The list of exceptions is kept in [config/site{n}/limits.yaml] by the operators."),
        ("url", "Copies can be had from [https://files.example.org/archive/{n}] by anybody."),
        ("code", "Whoever restarts it has to set [RETRY_LIMIT={d}] first."),
        ("name", "The samples were carried to the laboratory by [Ottoline {m}] in person."),
        ("name", "Most of the instruments had been lent by the [Tessmouth {m} Institute] before."),
        ("name", "The night shift is led by [Dr. Ilse {m}] from now on."),
        ("decision", "Decision: [the second survey is put off until the harvest of field {n} is in]."),
        ("decision", "The board [chose the {m} quarry over the other two]."),
        ("obligation", "Visitors [must wear a helmet in hall {n}] at all times."),
        ("obligation", "Every driver [has to sign the {m} register] on arrival."),
        ("negation", "The valve in shaft {n} [was never closed] that night."),
        ("negation", "Do not [store solvents next to boiler {e}]."),
    ),
    REPORTED: (
        ("number", "About [{n}.{e} tonnes] of gravel were brought to the site."),
        ("number", "The reservoir was [{d}% full] when it was inspected."),
        ("amount", "In total the repair came to [EUR {n},480] for the town."),
        ("amount", "Renting the hall for an evening costs [{n} crowns]."),
        ("date", "A first inspection took place on [2019-0{e}-{d}], before the snow."),
        ("date", "The ferry leaves at [{d}.20 on weekdays], weather permitting."),
        ("deadline", "Objections have to arrive [by 3{e} May 2031] in writing."),
        ("version", "It only works with release [2.{e}.{d}] of the driver."),
        ("id", "Please quote reference [HB{n}{e}-K] in every letter about this."),
        ("id", "Seat [{d}{e}C] in the third carriage was booked twice."),
        ("path", "What went wrong is written down in [src/loader_{n}.py:88] in a comment."),
        ("url", "Questions go to [desk{n}@records.example.net] as before."),
        ("code", "The trial is switched on by [--sample-every={n}] alone."),
        ("name", "Nobody knew the river as well as [Ambrose {m}] did."),
        ("name", "The keys are with [Greymoor {m} Limited] for the time being."),
        ("name", "A copy was left with [Judge {m} of Harrow] for her comments."),
        ("decision", "After a long debate [we agreed to close gate {n} during the winter]."),
        ("decision", "It was settled that [the {m} barn will be sold first]."),
        ("obligation", "Samples of [batch {n} have to be kept below freezing]."),
        ("obligation", "Guests [are required to hand their {m} badge back] when they leave."),
        ("negation", "There is [no record of a second visit to farm {n}]."),
        ("negation", "Line {e} [cannot be used for goods] any more."),
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
_DOCUMENTATION = Path("/usr/share/doc")
MOST_PLANTED, _ROOM = 12, 400  # sentences a text, characters of it for each
_PARAGRAPH = re.compile(r"\n\n(?=\w)")
_SENTENCE = re.compile(r"[.!?] (?=[A-Z])|[.!?]\n(?=\w)")
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


def documentation() -> list[str]:
    """Descriptions of installed packages and Markdown of /usr/share/doc, in a fixed order."""
    found = {(one.read_text("METADATA") or "").partition("\n\n")[2] for one in metadata.distributions()}
    for path in _DOCUMENTATION.rglob("*.md"):
        found.add(path.read_text("utf-8", "replace"))
    fitting = [text[:_LONGEST] for text in found if len(text) >= _SHORTEST]
    return sorted(fitting, key=lambda text: hashlib.sha256(text.encode()).digest())


def plant(text: str, seed: int, half: str, apart: bool = False) -> tuple[str, list[tuple[str, str]]]:
    """The text with sentences of the half at random sentence ends; (kind, what to find) of each.

    `apart`: as paragraphs of their own, outside fences.
    """
    generator = random.Random(seed)
    ends = [match.end() for match in (_PARAGRAPH if apart else _SENTENCE).finditer(text)]
    if apart:
        ends = [end for end in ends if text.count("```", 0, end) % 2 == 0]
    most = min(MOST_PLANTED, len(text) // _ROOM, len(ends))
    chosen = generator.sample(PLANTED[half], most)
    pieces, facts, last = [], [], 0
    for at, (kind, sentence) in zip(sorted(generator.choices(ends, k=most)), chosen, strict=True):
        values = {
            "n": generator.randrange(113, 989),
            "m": generator.choice(_NAMES),
            "d": generator.randrange(11, 29),
            "e": generator.randrange(3, 9),
        }
        before, fact, behind = re.split(r"[\[\]]", sentence.format(**values))
        facts.append((kind, fact))
        pieces += [text[last:at], before, fact, behind, "\n\n" if apart else " "]
        last = at
    return "".join(pieces) + text[last:], facts
