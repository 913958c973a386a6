"""Segments, what of them must survive, and the gate that sees to it (seed 004, sections 2 to 6)."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime

import pytest
import tersely.memory as memory
from hypothesis import given, strategies as st
from segment_samples import (
    MESSAGE,
    MESSAGE_SHORT,
    NOON,
    NOTE,
    NOTE_SHORT,
    NOTE_SUMMARY,
    SCENARIO,
    SCENARIO_SUMMARY,
    note,
)
from tersely.memory import (
    CompressionState,
    ContextSegment,
    SegmentMetadata,
    check_preserved,
    extract_preserved_metadata,
    inject_preserved_metadata,
    new_segment,
    should_compress_segment,
)
from tersely.memory.segments.preservation import FIELDS, fields_to_preserve
from tersely.memory.segments.reading import says, says_line
from tersely.models.counters import resolve_counter


def names(kind: type) -> list[str]:
    return [field.name for field in fields(kind)]  # type: ignore[arg-type]


def test_fields() -> None:
    assert note().compression_state == CompressionState(False, None, None, None, {})
    assert names(ContextSegment) == ["segment_id", "text", "type", "metadata", "compression_state"]
    assert names(SegmentMetadata) == ["file_path", "line_number", "timestamp", "topic", "tokens"]
    assert names(CompressionState) == [
        "is_compressed",
        "original_id",
        "compressed_at",
        "compression_ratio",
        "preserved_metadata",
    ]


@pytest.mark.parametrize("counter", [None, "cl100k_base", "chars/4", len])
def test_tokens_are_the_counters(counter: object) -> None:
    segment = note(counter=counter, file_path="src/auth.py", line_number=45, topic="authentication")
    assert segment.metadata.tokens == segment.tokens == resolve_counter(counter).count(NOTE)
    assert (segment.metadata.file_path, segment.metadata.line_number) == ("src/auth.py", 45)


def test_times_have_their_zone() -> None:
    assert note().metadata.timestamp.isoformat().endswith("+00:00")
    assert new_segment("a", "b", clock=lambda: NOON).metadata.timestamp == NOON
    assert new_segment("a", "b").metadata.timestamp.utcoffset() is not None
    with pytest.raises(ValueError, match="time zone"):
        note(timestamp=datetime(2024, 1, 1))


def test_segments_refuse_what_they_cannot_hold() -> None:
    with pytest.raises(ValueError, match=r"type must be one of conversation_message, .*, not 'chat'"):
        note(type="chat")
    with pytest.raises(ValueError, match="segment_id"):
        new_segment(" ", "text")
    with pytest.raises(ValueError, match="segment_id must be a name that UTF-8 can write"):
        new_segment("\ud800", "text")
    with pytest.raises(ValueError, match="line_number must be a whole number from 0, not -1"):
        note(line_number=-1)


def test_the_lists() -> None:
    assert memory.PRESERVE_ALWAYS == [
        "file_path",
        "line_number",
        "function_name",
        "active_task",
        "last_error",
        "error_location",
        "progress_state",
    ]
    assert memory.RECENCY_METADATA == ["current_file", "cursor_position", "recent_changes", "pending_work"]
    assert memory.DEFAULT_PRESERVE_METADATA == ["file_path", "line_number", "active_state"]


def test_which_fields_apply() -> None:
    always, recent = memory.PRESERVE_ALWAYS, memory.RECENCY_METADATA
    assert fields_to_preserve(["topic"], False) == [*always, "topic"]
    assert fields_to_preserve([], False) == always
    assert fields_to_preserve(None, False) == [*always, "active_state"]
    assert fields_to_preserve([], True) == [*always, "active_state", *recent]
    assert fields_to_preserve(["error", "file_path"], False) == always  # the seed's own example says "error"
    with pytest.raises(ValueError, match=r"preserve_metadata must be one of file_path, .*, not 'colour'"):
        fields_to_preserve(["colour"])
    with pytest.raises(TypeError, match="preserve_metadata must be a list of str, not one str"):
        fields_to_preserve("file_path")


def test_extraction() -> None:
    wanted = ["file_path", "line_number"]
    here = {"file_path": "src/auth.py", "line_number": 45}
    assert extract_preserved_metadata(note("editing src/auth.py ... line 45"), wanted) == here
    assert extract_preserved_metadata(note(NOTE), wanted) == here
    assert extract_preserved_metadata(note("Now I'm editing src/auth.py:45."), wanted) == here
    assert extract_preserved_metadata(note("Nothing to see."), wanted) == {}
    known = note("Nothing to see.", file_path="a.py", line_number=0)
    assert extract_preserved_metadata(known, wanted) == {"file_path": "a.py", "line_number": 0}
    with pytest.raises(ValueError, match=r"preserve_list must be one of file_path, .*, not 'colour'"):
        extract_preserved_metadata(note(), ["colour"])


def test_all_fields_of_the_message() -> None:
    found = extract_preserved_metadata(note(MESSAGE))
    assert found["function_name"] == "authenticate_user"
    assert found["active_task"].startswith("handling\nthe case where the token format is invalid")
    assert " ".join(found["last_error"].split()) == "500 Internal Server Errors"
    assert found["current_file"] == "src/auth.py" and found["cursor_position"] == "src/auth.py:45"
    assert found["recent_changes"].startswith("finished fixing a bug")
    assert found["pending_work"].endswith("around line 50")
    error = extract_preserved_metadata(note(SCENARIO), ["last_error", "error_location"])
    assert error == {"last_error": "Token expired", "error_location": "src/auth.py:42"}


def test_injection() -> None:
    both = {"file_path": "src/auth.py", "line_number": 45}
    assert inject_preserved_metadata("Fixed.", both) == "[File: src/auth.py, Line: 45] Fixed."
    whole = inject_preserved_metadata("Fixed.", {"active_state": "testing", **both})
    assert whole == "[File: src/auth.py, Line: 45, State: testing] Fixed."
    assert inject_preserved_metadata("Fixed.", {}) == "Fixed."
    assert inject_preserved_metadata("Fixed.", {"file_path": None}) == "Fixed."


def test_zero_is_a_line_and_nothing_is_said_twice() -> None:
    assert inject_preserved_metadata("Fixed.", {"line_number": 0}) == "[Line: 0] Fixed."
    told = "Editing src/auth.py:45."
    assert inject_preserved_metadata(told, {"file_path": "src/auth.py", "line_number": 45}) == told
    assert inject_preserved_metadata(told, {"line_number": 4}) == f"[Line: 4] {told}"
    same = {"file_path": "src/auth.py", "current_file": "src/auth.py"}
    assert inject_preserved_metadata("Fixed.", same) == "[File: src/auth.py] Fixed."
    every = {name: f"value{place}" for place, name in enumerate(FIELDS)}
    labels = [label for label, _ in FIELDS.values()]
    assert len(set(labels)) == len(labels) >= 12
    assert all(f"{label}: value" in inject_preserved_metadata("x", every) for label in labels)


@pytest.mark.parametrize("place", ["²", "a.py:²", "1" * 5000, ":", "a.py:"])
def test_a_place_without_the_number_of_a_line_is_said_as_it_is(place: str) -> None:
    assert inject_preserved_metadata("line 2", {"error_location": place}).endswith(f"{place}] line 2")


@given(st.text(), st.dictionaries(st.sampled_from(list(FIELDS)), st.none() | st.integers(0, 99) | st.text()))
def test_injection_keeps_the_text_and_is_done_once(text: str, values: dict[str, object]) -> None:
    once = inject_preserved_metadata(text, values)
    assert once.endswith(text)
    assert once == text or once.startswith("[")


def test_the_summary_of_the_scenario_loses_where_we_are() -> None:
    lost = check_preserved(note(SCENARIO), SCENARIO_SUMMARY)
    assert {"file_path", "line_number", "last_error", "error_location"} <= set(lost.lost)


def test_the_paraphrase_passes_and_the_summary_does_not() -> None:
    good = check_preserved(note(NOTE), NOTE_SHORT)
    assert good.passed and not good.lost
    bad = check_preserved(note(NOTE), NOTE_SUMMARY)
    assert not bad.passed
    assert {"src/auth.py", "45", "401", "500"} <= set(bad.missing)


def test_the_messages_key_elements_are_kept() -> None:
    report = check_preserved(note(MESSAGE), MESSAGE_SHORT)
    assert all(
        says(MESSAGE_SHORT, part) for part in ("src/auth.py", "50", "500", "401", "Editing", "Current")
    )
    assert says_line(MESSAGE_SHORT, 45) and says_line(MESSAGE_SHORT, 50)
    elements = ["file_path", "line_number", "active_state", "progress_state", "last_error", "pending_work"]
    assert {item.name: item.outcome for item in report.items if item.name in elements} == dict.fromkeys(
        elements, "kept"
    )


def test_the_ratio_is_the_tokenizers() -> None:
    for counter in (None, "cl100k_base", "chars/4"):
        ratio = note(MESSAGE_SHORT, counter=counter).tokens / note(MESSAGE, counter=counter).tokens
        assert 0.2 <= ratio <= 0.35


@pytest.mark.parametrize(
    ("gone", "instead", "lost"),
    [
        ("src/auth.py:45", "line 45", "file_path"),
        (":45", "", "line_number"),
        (", authenticate_user()", "", "function_name"),
        ("line 50", "the end", "progress_state"),
        ("500", "an error", "last_error"),
        ("Current: handling invalid token format (malformed Bearer prefix) at", "At", "active_task"),
    ],
)
def test_what_is_missing_fails_the_check(gone: str, instead: str, lost: str) -> None:
    text = " ".join(MESSAGE_SHORT.split())
    assert gone in text
    report = check_preserved(note(MESSAGE), text.replace(gone, instead))
    assert not report.passed and report.lost[0] == lost
    assert lost != "file_path" or report.lost == [lost]  # a path is held against one field


def test_what_is_made_up_fails_the_check() -> None:
    report = check_preserved(note(MESSAGE), MESSAGE_SHORT + " See src/other.py and port 8080.")
    assert not report.passed and not report.lost
    assert {"src/other.py", "8080"} <= set(report.unsupported)


@pytest.mark.parametrize(
    "text",
    [
        "The sky is blue over the harbor. Grass grows on the hill behind the old mill, and nobody mows it.",
        NOTE,
        "2024-01-15 10:00:00 INFO shard 1 was moved\n" * 30,
        "Die Prüfung lief nach der Abfrage, deshalb kam der Fehler. Jetzt prüfe ich das Format.",
        "日本語の文章はここにあります。次の作業は検索の改善です。",
        "!!! ???",
    ],
)
def test_nothing_kept_does_not_pass(text: str) -> None:
    for short in ("OK", "The user wrote something.", "[Topic: a note] Done.", "Summary: see above.", "-"):
        report = check_preserved(note(text, topic="a note", type="document"), short, [])
        assert "content" in report.lost and not report.passed
    half = text[: len(text) // 2 + 1]
    assert "content" in check_preserved(note(text, type="document"), half, []).kept


def test_decisions_are_critical() -> None:
    text = "We decided to use SQLite because it needs no server. " + NOTE
    assert check_preserved(note(text), NOTE_SHORT).lost == ["decision"]
    assert check_preserved(note(text), NOTE_SHORT + " Decision: SQLite (no server needed).").passed


@given(st.text(max_size=300))
def test_a_text_states_what_it_says_itself(text: str) -> None:
    segment = note(text)
    for name in ("file_path", "function_name", "last_error"):
        value = extract_preserved_metadata(segment, [name]).get(name)
        assert value is None or value in text
    assert not check_preserved(segment, text).unsupported


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_line_is_not_another(line: int, other: int) -> None:
    assert says_line(f"in a.py:{line}", line)
    assert says_line(f"[Line: {line}] x", line)
    assert says_line(f"in a.py:{line}", other) == (line == other)


def test_a_text_is_no_segment() -> None:
    for call in (extract_preserved_metadata, should_compress_segment):
        with pytest.raises(TypeError, match=r"segment must be a ContextSegment, such as .* not 'Nothing'"):
            call("Nothing")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="segment must be a ContextSegment"):
        check_preserved("Nothing", "Nothing")  # type: ignore[arg-type]
