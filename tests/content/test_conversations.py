"""Conversations keep their newest turns, whole, and what was decided."""

from __future__ import annotations

import pytest
import tersely
from tersely.content.conversation import Conversation
from tersely.engine.strategies import Auto
from tersely.models.counters import resolve_counter
from tersely.strategies import CompressionMethod, profile

_SAID = [
    "I looked at the numbers of last week again.",
    "They are not what we thought they would be.",
    "Maybe somebody should ask the harbour office about the ferry.",
    "I can do that on Monday, or my colleague can.",
]


def talk(turns: int, decision: int = 20) -> str:
    lines = []
    for n in range(turns):
        said = f"{_SAID[n % 4]} That was point {n}. {_SAID[(n + 1) % 4]}"
        lines.append(f"{('Anna', 'Ben', 'Chris')[n % 3]}: {said}")
    lines[decision] = "Ben: Decision: the ferry leaves at seven from pier four."
    return "\n".join(lines)


@pytest.mark.parametrize("query", [None, "What about the harbour office?"])
def test_the_newest_turns_and_decisions_stay(query: str | None) -> None:
    text = talk(60)
    told = profile("conversation")
    assert (told.method, told.ratio) == (CompressionMethod.HYBRID, 0.4)
    assert told.preserve == ("recent_turns", "decisions")
    for strategy in ("conversation", Auto()) if query is None else ("conversation",):
        result = tersely.compress(text, query, ratio=0.2, strategy=strategy)
        assert result.text.endswith("\n".join(text.split("\n")[-4:]))
        assert "Decision: the ferry leaves at seven from pier four." in result.text
        assert result.tokens <= 0.2 * result.original_tokens


def test_ratios_and_shares_of_turns() -> None:
    text = talk(400)
    result = tersely.compress(text, strategy=Auto(goal="expected"))
    assert result.original_tokens > 10_000
    assert result.original_tokens / result.tokens >= 4.0
    assert result.receipt.content_types == ("conversation",)
    plain = tersely.compress(talk(30), strategy=tersely.Extractive(preserve=("decisions",)))
    assert tersely.compress(talk(30), strategy=Conversation(recent=0)).text == plain.text
    assert tersely.compress(talk(30), strategy=Conversation(recent=1)).text != plain.text
    text = talk(30) + "\nAnna: " + " ".join(f"Word {n} was said." for n in range(80))
    result = tersely.compress(text, budget=120, strategy=Conversation())
    assert result.tokens <= 120
    assert "Decision: the ferry leaves" in result.text
    said = [result.documents[0].text[s.start : s.end] for s in result.kept if s.reason == "preserved"]
    assert "Word 3 was said." not in said  # of a turn that is longer than that, nothing goes first
    assert "kept:pinned" not in result.receipt.reasons
    text = talk(30)
    pinned = text.split("\n")[3]
    budget = resolve_counter(None).count(pinned) + 5
    result = tersely.compress(text, budget=budget, pinned=[pinned], strategy=Conversation())
    assert pinned in result.text and result.tokens <= budget


CHAT = [
    ("ann", "morning all"),
    ("ben", "hey"),
    ("ann", "so do we roll the new firmware out to all piers or only to pier 2?"),
    ("carl", "only 2 and 5, the others have the old modem"),
    ("ben", "ok"),
    ("ann", "agreed: piers 2 and 5 only, nobody touches the others"),
    ("carl", "lunch?"),
    ("ben", "sure, the fish place"),
]


def lines_of(form: str) -> list[str]:
    """The chat three times over, each turn in a form and a minute later."""
    return [form.format(n=10 + n, who=who, said=said) for n, (who, said) in enumerate(CHAT * 3)]


@pytest.mark.parametrize(
    "form",
    [
        "[09:{n}] {who}: {said}",
        "09:{n} <{who}> {said}",
        "24.11.26, 09:{n} - {who}: {said}",
        "(9:{n} AM) {who}: {said}",
    ],
)
def test_chats_with_times_are_conversations(form: str) -> None:
    lines = lines_of(form)
    text = "\n".join(lines)
    assert tersely.detect(text).kind == "conversation"
    result = tersely.compress(text, ratio=0.5)
    assert "nobody touches the others" in result.text and result.text.endswith(lines[-1])


@pytest.mark.parametrize(
    "form",
    [
        "2026-11-24 09:{n}:11 {who}: {said}",
        "[09:{n}:11] {who}: {said}",
        "[09:{n}] INFO: {said}",
        "[09:{n}] {said}",
    ],
)
def test_logs_with_times_are_none(form: str) -> None:
    assert tersely.detect("\n".join(lines_of(form))).kind != "conversation"


@pytest.mark.parametrize(
    ("recent", "error", "allowed"),
    [
        (-1, ValueError, " from 0, not -1"),
        (True, TypeError, ", not True"),
        (1.5, TypeError, ", not 1.5"),
        ("4", TypeError, ", not '4'"),
    ],
)
def test_recent_is_a_number_of_turns(recent: object, error: type[Exception], allowed: str) -> None:
    with pytest.raises(error, match=f"recent must be a whole number{allowed}$"):
        Conversation(recent=recent)  # type: ignore[arg-type]
