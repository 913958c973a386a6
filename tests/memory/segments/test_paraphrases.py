"""Shorter forms by rules (seed 004, section 7)."""

from __future__ import annotations

import pytest
from growth import MOST, growth
from hypothesis import given, strategies as st
from segment_samples import MESSAGE, NOTE, SCENARIO
from tersely.memory import paraphrase
from tersely.memory.segments.clauses import read_clauses
from tersely.memory.segments.paraphrases import PARAPHRASES
from tersely.memory.segments.reading import read


def test_e016_active_state() -> None:
    text = (
        "I'm currently editing src/auth.py at line 45. I've been working on the authenticate_user function. "
        "I just fixed the token check."
    )
    short = paraphrase(text, "active_state").text
    assert short == "Editing src/auth.py:45, authenticate_user(). Fixed the token check."
    assert len(short) < len(text) and "I'm currently" not in short
    cut = text.replace(" the token check.", "...")
    assert paraphrase(cut, "active_state").text.startswith(
        "Editing src/auth.py:45, authenticate_user(). Fixed"
    )


def test_e017_progress() -> None:
    text = (
        "I fixed the token expiration bug with a pre-validation check. The issue was an early query. Now I "
        "need to handle invalid token formats. Specifically, I need to change the handling at line 50."
    )
    assert paraphrase(text, "progress").text == (
        "Done: fixed the token expiration bug with a pre-validation check. "
        "Next: handle invalid token formats; change the handling at line 50."
    )
    assert "Done:" in paraphrase(MESSAGE, "progress").text
    assert paraphrase(MESSAGE, "progress").text.endswith("line 50.")


def test_e018_error() -> None:
    text = (
        "I encountered an error. The error message was 'Token expired' and it occurred at line 42 in the "
        "authenticate_user function{}."
    )
    wanted = "Error: 'Token expired' at src/auth.py:42 in authenticate_user()."
    assert paraphrase(text.format(" of src/auth.py"), "error").text == wanted
    assert paraphrase(text.format(""), "error", file_path="src/auth.py").text == wanted
    assert paraphrase(SCENARIO, "error").text == "Error: 'Token expired' at src/auth.py:42."


def test_e019_decision() -> None:
    text = (
        "After discussing the options, I decided to use approach A because it's simpler and more "
        "maintainable. The alternative approach B would have needed a server."
    )
    assert paraphrase(text, "decision").text == "Decision: use approach A (simpler, more maintainable)."
    assert "approach B" not in paraphrase(text).text


@pytest.mark.parametrize("strategy", PARAPHRASES)
def test_what_rules_wrote_is_labelled(strategy: str) -> None:
    for text in (NOTE, "Nothing of the kind.", ""):
        made = paraphrase(text, strategy)
        assert made.generated == (((0, len(made.text)),) if made.text else ())
        assert made.strategy == strategy
    with pytest.raises(ValueError, match=r"strategy must be one of active_state, .*, not 'best'"):
        paraphrase(NOTE, "best")


def test_nothing_is_said_where_nothing_was() -> None:
    for strategy in PARAPHRASES:
        assert paraphrase("The sky is blue. Grass grows.", strategy).text == ""
    german = "Ich bearbeite gerade src/auth.py."
    assert paraphrase(german).text == ""  # the rules know English; other texts are extracted


@pytest.mark.growth
@pytest.mark.parametrize("piece", [NOTE + "\n\n", "x, now ", "XError("])
def test_reading_takes_time_in_proportion(piece: str) -> None:
    assert growth(lambda size: piece * (size // len(piece)), read) < MOST


@pytest.mark.growth
def test_facts_elsewhere_cost_nothing() -> None:
    def make(size: int) -> str:
        return "It is so. " * (size // 20) + "Next: a.py. " * (size // 24)

    assert growth(make, read) < MOST


@given(st.text() | st.lists(st.sampled_from([*NOTE.split(), "\n", ";", ", now "]), max_size=60).map(" ".join))
def test_clauses_are_pieces_of_their_text(text: str) -> None:
    at = 0
    for clause in read_clauses(text):
        assert clause.start >= at
        assert text[clause.start : clause.start + len(clause.text)] == clause.text
        start, end = clause.core
        assert clause.start <= start <= end <= clause.end and text[start:end] == clause.message
        at = clause.start + len(clause.text)
    for strategy in PARAPHRASES:
        paraphrase(text, strategy)
