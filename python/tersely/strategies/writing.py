"""A model writes a text, and everything about it is checked before anyone sees it."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from tersely.documents import check_text
from tersely.errors import ModelReplyError
from tersely.facts import Fact, FactReport
from tersely.stages.count import count
from tersely.stages.facts import PRESERVABLE, facts_after
from tersely.stages.render import render
from tersely.stages.select import mark_groups, mark_pinned
from tersely.stages.verify import verify
from tersely.strategies.asking import Reply
from tersely.strategies.drafts import NO_ROWS, Piece, code_blocks, generated_places, joined, with_source_code
from tersely.strategies.grounding import written_confidence
from tersely.strategies.parts import Part, split
from tersely.strategies.prompt import compression_prompt, read_reply
from tersely.strategies.reinsertion import Bools, reinsert, whole_groups
from tersely.tables import Int64s, SegmentTable, UInt8s
from tersely.types import Compressed, Request, Spans

__all__ = ["Refusal", "Writing", "write"]

# What a segment that a model was given became. The first two are those of stages/select.py.
REASONS = ("budget", "redundant", "rewritten", "copied", "reinserted", "pinned")
_REWRITTEN, _COPIED, _REINSERTED, _PINNED = range(2, 6)

_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no text: a reason code, and what the model raised."""

    reason: str
    error: Exception | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Writing:
    """What is to be written.

    Attributes:
        request: its budget is not None.
        table: segments of all its documents.
        status: uint8[n], 2 for the segments that the model reads; for the others why it does not (an index
            into REASONS).
        original: tokens of the whole input.
        preserve: names of what must not get lost (`tersely.stages.facts.PRESERVABLE`).
        min_confidence: in [0, 1].
        strict: whether a lost fact refuses the text.
        max_prompt_tokens: a longer prompt is split; None: never.
    """

    request: Request
    table: SegmentTable
    status: UInt8s
    original: int
    preserve: tuple[str, ...]
    min_confidence: float
    strict: bool
    max_prompt_tokens: int | None
    texts: list[str] = field(init=False)

    def __post_init__(self) -> None:
        """Take the texts out of the request."""
        object.__setattr__(self, "texts", [document.text for document in self.request.documents])

    @property
    def budget(self) -> int:
        """Tokens allowed."""
        return self.request.budget or 0

    @property
    def query(self) -> str:
        """The query, or ""."""
        return (self.request.query or "").strip()

    def tokens(self, text: str) -> int:
        """Tokens of a text."""
        return count(self.request.counter, text)

    def facts(self, text: str, rows: Int64s = NO_ROWS) -> FactReport:
        """What `text`, with `rows` put back into it, did to the facts of the texts, and what it made up."""
        table = self.table
        back = [(int(table.document[row]), int(table.start[row]), int(table.end[row])) for row in rows]
        return facts_after(self.texts, text, back)

    def concerned(self, report: FactReport) -> FactReport:
        """Of a report, the facts that are to be preserved, and those that were made up."""
        return FactReport(list(filter(self._concerns, report.facts)))

    def _concerns(self, fact: Fact) -> bool:
        if fact.outcome == "unsupported" or any(fact.kind in PRESERVABLE[name] for name in self.preserve):
            return True
        source = self.texts[fact.document]
        in_backticks = source[max(fact.start - 1, 0)] == "`" == source[fact.end : fact.end + 1]
        return in_backticks and "code" in self.preserve  # an identifier, a path, ...


def write(task: Writing) -> Generator[list[str], list[Reply], Compressed | Refusal]:
    """Prompts go out, replies come in; returns a text within the budget, or why there is none.

    A reply that is empty or over its share of the budget is asked for once more. Pinned segments are put
    behind what the model wrote, and so are segments with facts that it lost, as far as the budget goes.
    """
    group = mark_groups(task.table, task.request.groups)
    pinned = whole_groups(mark_pinned(task.table, task.request.pinned).astype(bool), group)
    fixed = render(task.texts, task.table, np.flatnonzero(pinned), task.request.separator)
    room = task.budget - (task.tokens(task.request.separator + fixed) if fixed else 0)
    parts = split(task, room)
    if isinstance(parts, str):
        return Refusal(parts)
    replies = yield from _replies(task, parts)
    if isinstance(replies, Refusal):
        return replies
    pieces = _draft(task, replies, room)
    if pieces is None:
        return Refusal("reply_too_long")
    written = "".join(piece.text for piece in pieces if piece.rows is None)
    if not written.strip():
        return Refusal("empty_reply")
    pieces, back = reinsert(task, pieces, pinned)
    text = joined(pieces)
    if task.tokens(text) > task.budget:
        return Refusal("reply_too_long")
    every = task.facts(text, back)
    report = task.concerned(every)
    if task.strict and report.of("lost"):
        return Refusal("facts_lost")
    trust = written_confidence(task.texts, text, written, task.query, report.retention, every)
    if trust < task.min_confidence:
        return Refusal("low_confidence")
    return _result(task, pieces, pinned, back, report, trust)


def _replies(task: Writing, parts: Sequence[Part]) -> Generator[list[str], list[Reply], list[str] | Refusal]:
    """The text written for each part; each is asked for twice at most."""
    texts: dict[int, str] = {}
    refused = dict.fromkeys(range(len(parts)), "")
    targets = [part.target for part in parts]
    reason = ""
    for _ in range(_ATTEMPTS):
        todo = sorted(refused)
        prompts = [
            compression_prompt(
                parts[i].text, targets[i], query=task.query, preserve=task.preserve, refused=refused[i]
            )
            for i in todo
        ]
        replies = yield prompts
        refused = {}
        for i, reply in zip(todo, replies, strict=True):
            text = _text_of(reply, parts[i].text, task.query)
            if isinstance(text, Exception):
                return Refusal("model_failed", text)
            tokens = task.tokens(text)
            if not text:
                reason, refused[i] = "empty_reply", "it was empty"
            elif tokens > parts[i].target:
                reason, refused[i] = "reply_too_long", f"it had {tokens} tokens"
                targets[i] = max(parts[i].target // 2, parts[i].target * parts[i].target // tokens, 1)
            else:
                texts[i] = text
        if not refused:
            return [texts[i] for i in range(len(parts))]
    return Refusal(reason)


def _text_of(reply: Reply, content: str, query: str) -> str | Exception:
    """The text in a reply; "" where there is none that could be used."""
    if isinstance(reply, ModelReplyError):
        return ""
    if isinstance(reply, Exception):
        return reply
    try:
        check_text(reply, "the reply")
    except ValueError:
        return ""
    return read_reply(reply, content, query)


def _draft(task: Writing, replies: Sequence[str], room: int) -> list[Piece] | None:
    """The replies with the source's own code in them; None where they do not fit into the room."""
    blocks = list(code_blocks(task.texts, task.table)) if "code" in task.preserve else []
    for restore in (True, False):
        pieces: list[Piece] = []
        used: set[int] = set()  # first rows of blocks: each comes once in all
        for reply in replies:
            if pieces:
                pieces.append(Piece(task.request.separator, NO_ROWS))
            if "code" not in task.preserve:
                pieces.append(Piece(reply))
                continue
            for piece in with_source_code(reply, task.texts, blocks, restore=restore):
                if piece.rows is None or int(piece.rows[0]) not in used:
                    pieces.append(piece)
                    used.update(() if piece.rows is None else piece.rows[:1].tolist())
        if task.tokens(joined(pieces)) <= room:
            return pieces
    return None


def _result(
    task: Writing, pieces: Sequence[Piece], pinned: Bools, back: Int64s, report: FactReport, trust: float
) -> Compressed:
    request = task.request
    status = task.status.copy()
    for piece in pieces:
        if piece.rows is not None:
            status[piece.rows] = _REINSERTED if piece.altered else _COPIED
    status[back] = _REINSERTED
    status[pinned] = _PINNED
    text = joined(pieces)
    warnings = ["facts_lost"] if report.of("lost") else []
    warnings += ["unsupported_facts"] if report.of("unsupported") else []
    warnings += ["code_restored"] if any(piece.altered for piece in pieces) else []
    warnings += ["empty_query"] if request.query is not None and not task.query else []
    receipt = verify(
        budget=task.budget,
        tokens=task.tokens(text),
        original_tokens=task.original,
        counter=str(getattr(request.counter, "name", type(request.counter).__name__)),
        status=status,
        reasons=REASONS,
        first_kept=_COPIED,
        recounts=1,
        warnings=warnings,
    )
    receipt = replace(receipt, facts=report, used_llm=True, confidence=trust)
    scores = np.zeros(len(status), dtype=np.float32)
    kept = Spans(task.table, np.flatnonzero(status >= _COPIED), REASONS, status, scores)
    dropped = Spans(task.table, np.flatnonzero(status < _COPIED), REASONS, status, scores)
    return Compressed(text, request.documents, kept, dropped, receipt, generated_places(pieces))
