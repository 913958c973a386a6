"""Where a shorter text says something else than its source (`tersely.memory.segments.agreement`)."""

from __future__ import annotations

from typing import Any

import pytest
from agent_notes import read
from growth import MOST, growth
from hypothesis import given, strategies as st
from tersely import _native
from tersely.memory.segments.agreement import contradictions, exact_words, keys_of, opposites_of, same_as

STATE = (
    "The parser reads src/a.py up to line 120, and the writer starts at line 340 of src/b.py. Retries went "
    "from 3 to 5. The cache is not cleared on a restart. I have moved the settings to the environment. "
    "Open 8 AM to 9 PM."
)


def test_exact_words_are_numbers_paths_and_names() -> None:
    text = "1. See src/a.py:12 (1,204 rows) for parse_row() and HAT110, e = 0.5."
    assert exact_words(text) == ["src/a.py", "12", "1204", "parse_row", "hat110", "0.5"]


OUTCOMES = (
    "The build failed on arm64. The parser fails to read gzip. Telemetry is not enabled in tests. Paths are "
    "closed before the merge; then opened. Give the first name, last name and age. I cannot start without "
    "the key. Once I have the key, I start. Unused locks are kept. Der Import ist fehlgeschlagen. "
    "I failed to reproduce the crash on musl."
)
SOURCES = {"state": STATE, "outcomes": OUTCOMES}


@pytest.mark.parametrize("sample", read("agreement.jsonl"), ids=lambda sample: sample["short"][:40])
def test_e030_what_says_something_else_is_told_from_the_same_in_other_words(sample: dict[str, Any]) -> None:
    found = contradictions(SOURCES[sample["source"]], sample["short"])
    assert not found if sample["agrees"] else found


def test_no_negation_is_two_words_that_a_line_break_joined() -> None:
    known = set(_native.negations())
    joined = [one for one in known for at in range(2, len(one) - 1) if {one[:at], one[at:]} <= known]
    assert joined == [] and {"werent", "wont", "mustnt"} <= known


@pytest.mark.parametrize(
    ("denied", "negation"),
    [
        ("La migration n'est pas terminée.", "n'est pas "),
        ("El índice no fue borrado.", "no "),
        ("Миграция не завершена.", "не "),
        ("De migratie is niet klaar.", "niet "),
    ],
)
def test_e030_negations_are_those_that_facts_and_guards_know(denied: str, negation: str) -> None:
    assert contradictions(denied, denied.replace(negation, ""))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("enabled", "disabled"),
        ("before", "after"),
        ("increases", "decreased"),
        ("added", "removing"),
        ("open", "closed"),
        ("min", "max"),
        ("supported", "unsupported"),
        ("valid", "invalid"),
        ("useful", "useless"),
        ("gültig", "ungültig"),
        ("öffnen", "öffnen"),
    ],
)
def test_opposites_are_so_in_both_directions(one: str, two: str) -> None:
    keys = keys_of([one, two])
    assert (keys[two] in opposites_of(keys[one])) is (keys[one] in opposites_of(keys[two])) is (one != two)


def test_no_word_says_the_same_as_its_opposite() -> None:
    for word in ("drop", "raise", "last", "left", "up", "missing"):
        key = keys_of([word])[word]
        assert key in same_as(key) and not same_as(key) & opposites_of(key)


@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([*OUTCOMES.split(), *STATE.split(), "\n", "off", "on", "not"])).map(" ".join)
)
def test_a_text_agrees_with_itself(text: str) -> None:
    assert contradictions(text, text) == []


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [STATE, "a ", "1 ", "not ", "a/b.c ", "x1, ", "or not 1 a_b\n", "“ ", "open: on off ", "a b1 on. "],
)
def test_time_grows_with_the_text(piece: str) -> None:
    def run(text: str) -> None:
        contradictions(text, text[: len(text) // 2])

    assert growth(lambda size: piece * (size // len(piece)), run, first=500) < MOST
