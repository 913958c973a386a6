"""Turns of a conversation (seed 002; C026-C030, X39-X41)."""

from __future__ import annotations

import pytest
from histories import steps
from tersely.memory import CompactionConfig, ConversationMemory, MemoryCompactor


def talked(turns: int) -> ConversationMemory:
    memory = ConversationMemory()
    for number in range(turns):
        memory.add_turn(f"Question {number}?", f"Answer {number}.")
    return memory


def test_defaults_of_a_conversation() -> None:
    memory = ConversationMemory()
    assert isinstance(memory.compactor, MemoryCompactor) and memory.max_turns == 20
    with pytest.raises(ValueError, match="max_turns"):
        ConversationMemory(max_turns=0)


def test_the_older_half_is_compacted_from_the_21st_turn_on() -> None:
    assert not talked(20).get_context().startswith("[")
    memory = talked(21)
    assert memory.get_context().startswith("[Previous conversation (10 turns): Q: ")
    assert len(memory.turns) == 11


def test_previews_of_long_messages() -> None:
    memory = ConversationMemory()
    for number in range(21):
        memory.add_turn(f"{number}" + "q" * 200, f"{number}" + "a" * 200)
    line = memory.get_context().split("\n\n")[0]
    assert line.count("Q: ") == 3 and line.count(" | ") == 2
    assert f"Q: 0{'q' * 99}... A: 0{'a' * 99}..." in line and "q" * 100 not in line


def test_the_context_that_is_sent() -> None:
    assert talked(0).get_context() == ""
    assert talked(3).get_context() == "\n\n".join(
        f"User: Question {n}?\nAssistant: Answer {n}." for n in range(3)
    )
    text = talked(8).get_context()
    assert text.count("User: ") == text.count("Assistant: ") == 5 and text.startswith("User: Question 3?")
    memory = ConversationMemory(max_turns=3)
    for question, answer in [
        ("What's in the dataset?", "The dataset contains"),
        ("Find the outliers", "I found 12 outliers"),
        ("Show me a histogram of prices", "Here's the histogram showing..."),
        ("What's the median price?", "The median price is $45.50..."),
    ]:
        memory.add_turn(question, answer)
    assert memory.get_context() == (
        "[Previous conversation (2 turns): Q: What's in the dataset?... A: The dataset contains..."
        " | Q: Find the outliers... A: I found 12 outliers...]\n\n"
        "User: Show me a histogram of prices\nAssistant: Here's the histogram showing...\n\n"
        "User: What's the median price?\nAssistant: The median price is $45.50..."
    )


def test_clear_forgets_all() -> None:
    memory = talked(30)
    memory.clear()
    assert memory.get_context() == "" and memory.summary == ""


def test_compactions_add_up_and_lose_nothing() -> None:
    memory = talked(42)
    assert "(30 turns)" in memory.summary and "Question 0?" in memory.summary
    assert [turn.user_message for turn in [*memory.archive, *memory.turns]] == [
        f"Question {n}?" for n in range(42)
    ]
    assert len(talked(2000).summary) < 3000


def test_what_is_left_out_can_be_seen() -> None:
    memory = talked(21)
    assert "[6 turns omitted]" not in memory.get_context()
    assert "[6 turns omitted]" in memory.get_context(mark_omitted=True)
    assert memory.get_context(window=None, mark_omitted=True).count("User: ") == 11


def test_a_failing_model_does_not_cost_the_turn() -> None:
    def fail(prompt: str) -> str:
        raise TimeoutError("gone")

    history = steps(12)
    compactor = MemoryCompactor(CompactionConfig(fallback_to_deterministic=False), fail)
    memory = ConversationMemory(compactor, max_turns=2)
    for number in range(3):
        with pytest.raises(TimeoutError, match="gone"):
            memory.add_turn(f"Question {number}?", "a", history=history)
    kept = [*memory.archive, *memory.turns]
    assert [turn.user_message for turn in kept] == [f"Question {number}?" for number in range(3)]
    assert all(turn.history == history for turn in kept) and len(memory.turns) == 2


def test_steps_within_a_turn_are_compacted() -> None:
    history = steps(12, "Step {}: read the next chunk")
    memory = ConversationMemory()
    memory.add_turn("q", "a", history=history, task="Look")
    kept = memory.turns[0].history
    assert kept is not None and len(kept) == 3 and len(kept.expanded()) == 12


@pytest.mark.parametrize("turns", [60, 200])
def test_what_the_user_said_is_to_hold_stands_beside_the_previews(turns: int) -> None:
    said = [
        "Please never push to the branch release-7.",
        "I'm allergic to latex.",
        "We agreed on the blue theme.",
    ]
    memory = ConversationMemory()
    for turn in range(turns):
        number, at = divmod(turn, 9)
        memory.add_turn(said[number] if at == 4 and number < 3 else f"Page {turn}?", f"It has {turn} rows.")
    summary = memory.get_context().split("\n\n", 1)[0]
    assert [one for one in said if one not in summary] == [] and "Page" not in summary.split("\n")[1]
    memory.clear()
    assert memory.get_context() == ""
