"""Audit a compaction: list lost statements by kind, with their places."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, islice
from typing import Any

from tersely import _native
from tersely.checks import brief
from tersely.engine.reading import segment
from tersely.memory.messages import Entry, calls_of, read_messages, warnings_of
from tersely.memory.statements import KINDS, SENTENCES, find_statements, read_transcript, stated_facts
from tersely.text import parse_json
from tersely.types import FactReport

_REWORDED = (
    0.8  # share of a sentence's words that a sentence of the new history has, from which it says the same
)
_WORDS = re.compile(r"\w+")
_TRIES = 200  # sentences that are compared with one
_SHORT = 3  # letters of words that say little


@brief
@dataclass(frozen=True, slots=True)
class History:
    """Messages of a file."""

    messages: list[Any]  #: in order
    compacted: int  #: number of the message that stands for those before it; 0 where none does
    broken: int  #: lines that are no JSON, as the last one of a session that is still written


@brief
@dataclass(frozen=True, slots=True)
class Statement:
    """A fact, decision or instruction of a history, its place, and whether the new history states it."""

    kind: str  #: one of KINDS
    text: str  #: as it stands there
    message: int  #: number of the message, from 0
    speaker: str  #: its role, or the tool's name
    start: int  #: with `end`: characters of the message's text
    end: int
    stated: bool  #: it is in the new history, too, perhaps in other words


@brief
@dataclass(frozen=True, slots=True)
class Audit:
    """Statements of a history."""

    statements: tuple[Statement, ...]  #: each once, by kind and then by place
    facts: FactReport  #: the same as a report, by message
    texts: tuple[list[str], str]  #: of the old history's messages, and of the new history
    speakers: list[str]  #: of the old history's messages
    #: what could not be read: "unknown_shape", "sealed" (the new history has encrypted parts)
    warnings: tuple[str, ...]

    def counts(self) -> dict[str, tuple[int, int]]:
        """For each kind how many were stated, and how many of these are stated no more."""
        every = Counter(statement.kind for statement in self.statements)
        lost = Counter(statement.kind for statement in self.lost())
        return {kind: (every[kind], lost[kind]) for kind in KINDS}

    def lost(self) -> list[Statement]:
        """The statements that are stated no more."""
        return [statement for statement in self.statements if not statement.stated]


def audit(before: Sequence[Any], after: Sequence[Any]) -> Audit:
    """Compare the statements of two histories.

    What is stated is found natively (csrc/kernels/text/facts.hpp). It is still stated where the new history
    has it in the same words, or, of an instruction or a decision, four fifths of its words in one sentence of
    the same negations and numbers. Instructions are those of the user and the system; what tools say is no
    decision. O(characters + facts).

    Raises TypeError and ValueError as `compact_messages` does.
    """
    entries, new = read_messages(before), read_messages(after)
    texts = [_text(entry) for entry in entries]
    called = calls_of(entries)
    speakers = [
        called.get(entry.answers[0] if entry.answers else "", "").partition(" ")[0]
        or entry.name
        or entry.role
        for entry in entries
    ]
    made = "\n\n".join(filter(None, map(_text, new)))
    transcript = read_transcript(entries)
    found = find_statements(transcript, stated_facts(transcript, made), made)
    reworded, kinds = _Sentences(made), list(KINDS)
    begins = [begin for entry in entries for begin in _begins(entry)]
    statements, facts = [], []
    for number, (kind, stays) in enumerate(zip(found.kind.tolist(), found.stands.tolist(), strict=True)):
        fact = found.facts.fact(transcript.texts, number, "kept")
        row, begin = int(transcript.owner[fact.document]), begins[fact.document]
        stated = stays or (fact.kind in SENTENCES and reworded.has(fact.text))
        start, end = begin + fact.start, begin + fact.end
        statements.append(Statement(kinds[kind], fact.text, row, speakers[row], start, end, stated))
        outcome, reason = ("kept", "") if stated else ("lost", "rewritten")
        facts.append(replace(fact, document=row, start=start, end=end, outcome=outcome, reason=reason))
    statements.sort(key=lambda one: (kinds.index(one.kind), one.message, one.start, one.end))
    sealed = ("sealed",) if any(entry.opaque for entry in new) else ()
    warnings = (*dict.fromkeys((*warnings_of(entries), *warnings_of(new))), *sealed)
    facts.sort(key=lambda fact: (fact.document, fact.start))
    return Audit(tuple(statements), FactReport(facts), (texts, made), speakers, warnings)


def _text(entry: Entry) -> str:
    return "\n\n".join(piece.text for piece in entry.pieces if piece.kind != "picture")


def _begins(entry: Entry) -> list[int]:
    """Where each piece begins in the text of its entry; of a picture, which is no text, where it would."""
    shown = [0 if piece.kind == "picture" else len(piece.text) + len("\n\n") for piece in entry.pieces]
    return [0, *accumulate(shown)][: len(shown)]


class _Sentences:
    """Sentences of a text by their words."""

    def __init__(self, text: str) -> None:
        table = segment([text])
        places = zip(table.start.tolist(), table.end.tolist(), strict=True)
        sentences = [text[start:end] for start, end in places]
        self._guards = _guards(sentences)
        self._words = [set(_words(sentence)) for sentence in sentences]
        self._having: dict[str, list[int]] = {}
        for number, words in enumerate(self._words):
            for word in words:
                self._having.setdefault(word, []).append(number)

    def has(self, sentence: str) -> bool:
        """Whether one of them has most of a sentence's words, its numbers, and the same negations.

        Such a one has one of the rarest words; of those that have it, so many are looked at at most.
        """
        words = set(_words(sentence))
        least = math.ceil(_REWORDED * len(words))
        having = sorted((self._having.get(word, []) for word in words), key=len)
        tried = dict.fromkeys(islice(chain.from_iterable(having[: len(words) - least + 1]), _TRIES))
        ((wanted, turns),) = _guards([sentence])
        return any(
            len(words & self._words[number]) >= least
            and wanted <= self._guards[number][0]
            and turns == self._guards[number][1]
            for number in tried
        )


def _guards(texts: list[str]) -> list[tuple[set[str], set[str]]]:
    """Numbers, names and negations of each text (csrc/kernels/text/guards.hpp)."""
    row, signatures, *_ = _native.guards(texts)
    lines = [signatures[one].split("\n") for one in row.tolist()]
    return [
        ({line for line in of if line[:1] != "~"} - {""}, {line for line in of if line[:1] == "~"})
        for of in lines
    ]


def _words(text: str) -> list[str]:
    return [word for word in _WORDS.findall(text.casefold()) if len(word) > _SHORT or word.isdigit()]


def read_history(text: str, name: str) -> History:
    """Read a history as it lies on a disk.

    Taken are sessions of Claude Code (JSON lines, without those of subagents), rollouts of Codex, messages or
    items as JSON (a list, an object with `messages` or `input`) or a line each; any other text is a summary,
    unless its name ends with .json or .jsonl.

    Raises ValueError for JSON that is no history, and for broken JSON.
    """
    try:
        given = parse_json(text, name)
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
        rows, broken = _rows(lines)
        if len(rows) <= broken:  # most lines are no JSON
            if text.strip() and name.lower().endswith((".json", ".jsonl")):
                raise
            return History([{"role": "user", "content": text}], 0, 0)
        return _of_rows(rows, broken)
    if isinstance(given, str):
        return History([{"role": "user", "content": given}], 0, 0)
    if isinstance(given, dict):
        given = next(
            (given[key] for key in ("messages", "input", "output") if isinstance(given.get(key), list)),
            [given],
        )
    if not isinstance(given, list) or not all(isinstance(row, dict) for row in given):
        raise ValueError(
            f"{name} is JSON, but no history: a list of messages, or an object with `messages` or `input`"
        )
    return _of_rows(given, 0)


def _rows(lines: Sequence[str]) -> tuple[list[dict[str, Any]], int]:
    rows, broken = [], 0
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, dict):
            rows.append(row)
        else:
            broken += 1
    return rows, broken


def _of_rows(rows: Sequence[Mapping[str, Any]], broken: int) -> History:
    messages: list[Any] = []
    compacted = 0
    for row in rows:
        inner, payload = row.get("message"), row.get("payload")
        if isinstance(payload, Mapping):  # Codex
            if row.get("type") == "response_item":
                messages.append(payload)
            elif row.get("type") == "compacted":
                compacted = len(messages)
                made = payload.get("replacement_history")
                said = {"role": "user", "content": payload.get("message") or ""}
                messages += made if isinstance(made, list) and made else [said]
        elif isinstance(inner, Mapping):  # Claude Code
            if row.get("isSidechain"):
                continue
            if row.get("isCompactSummary"):
                compacted = len(messages)
            messages.append(inner)
        elif "role" in row or ("type" in row and "uuid" not in row and "leafUuid" not in row):
            if row.get("type") in ("compaction", "compaction_summary"):  # what OpenAI puts there is sealed
                compacted = len(messages)
            messages.append(row)
    return History(messages, compacted, broken)
