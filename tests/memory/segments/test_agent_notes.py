"""Notes in many wordings: what is read from them, and what a shorter form still says (seed 004, 6 and 7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_notes import DEVELOPED_ON, FIRST_HALF, HELD_ASIDE, SECOND_HALF, AgentNote, read
from growth import MOST, growth
from segment_samples import NOTE, note
from tersely.memory import SegmentMemory, check_preserved, extract_preserved_metadata, paraphrase
from tersely.memory.segments.paraphrases import LEVELS, Form
from tersely.memory.segments.reading import read as read_note, says
from tersely.store import Store

ALL = [*DEVELOPED_ON, *HELD_ASIDE]


def stated(text: str, sample: AgentNote) -> int:
    """How many facts of a note a text states."""
    return sum(says(text, fact) for fact in sample.stated)


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_fields_of_notes(sample: AgentNote) -> None:
    found = extract_preserved_metadata(note(sample.text))
    assert {name: found.get(name) for name in sample.values} == sample.values


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_a_form_is_shorter_and_says_where_and_what(sample: AgentNote) -> None:
    short = paraphrase(sample.text).text
    assert len(short) < len(sample.text)
    assert "Next: " in short and "I'm currently" not in short
    assert check_preserved(note(sample.text), short).passed


def test_forms_state_what_they_must() -> None:
    for samples in (DEVELOPED_ON, HELD_ASIDE):
        facts = sum(len(sample.stated) for sample in samples)
        assert sum(stated(paraphrase(sample.text).text, sample) for sample in samples) >= 0.9 * facts


def test_segments_lose_nothing_that_was_read(tmp_path: Path) -> None:
    with Store.open(tmp_path / "notes.sqlite") as store:
        memory = SegmentMemory(store)
        for sample in ALL:
            memory.store_context_segment(sample.text, segment_id=sample.name)
        result = memory.compress_context_segment([sample.name for sample in ALL])
        by_name = {sample.name: sample for sample in ALL}
        done = [(by_name[one.segment_id], one) for one in result.compressed_segments]
        assert len(done) >= 14
        for sample, one in done:
            short = memory.get(one.segment_id).text
            assert one.compression_ratio <= 0.6 and check_preserved(note(sample.text), short).passed
            assert all(says(short, str(sample.values[name])) for name in ("file_path", "line_number"))
        kept = sum(stated(memory.get(sample.name).text, sample) for sample, _ in done)
        assert kept >= 0.9 * sum(len(sample.stated) for sample, _ in done)
        for error in result.errors:  # dense notes: how near the shortest form came, and nothing was changed
            assert error.code == "not_compressed_enough" and not error.lost
            assert error.compression_ratio is not None and error.compression_ratio > 0.6
            assert memory.get(error.segment_id).text == by_name[error.segment_id].text


@pytest.mark.parametrize("sample", read("fields.jsonl"), ids=lambda sample: sample["text"][:40])
def test_what_is_read_of_places_errors_and_steps(sample: dict[str, Any]) -> None:
    """Places in any language and script, functions, errors as people tell them, what is done and next."""
    values = extract_preserved_metadata(note(sample["text"]))
    assert {name: values.get(name) for name in sample["found"]} == sample["found"]


@pytest.mark.parametrize("sample", read("paraphrases.jsonl"), ids=lambda sample: sample["text"][:40])
def test_forms_in_other_words(sample: dict[str, Any]) -> None:
    """The seed's four rewritings (E016 to E019), and more; what is said of two things is not put together."""
    path = sample.get("file_path")
    assert paraphrase(sample["text"], sample["strategy"], file_path=path).text == sample["short"]


def understood(text: str, wanted: dict[str, Any]) -> bool:
    """Whether each field of a note says the words that are wanted, among others."""
    found = extract_preserved_metadata(note(text), [*wanted])
    return all(says(str(found.get(name, "")), words) for name, words in wanted.items())


@pytest.mark.parametrize(("text", "wanted"), FIRST_HALF)
def test_ordinary_wordings_are_understood(text: str, wanted: dict[str, Any]) -> None:
    assert understood(text, wanted)


def test_so_are_most_of_those_that_nobody_looked_at() -> None:
    assert sum(understood(*one) for one in SECOND_HALF) >= 22


def test_what_is_left_out_of_a_form_has_no_facts() -> None:
    text = (
        "I'm editing a/b.py, which Mr. Smith wrote. I moved the cache to disk, as was agreed with all, "
        "and the tests are green in 3 s. Next I have to check that it does not grow, as there is no limit."
    )
    terse = Form(read_note(text), LEVELS[-1]).text()
    assert "as was agreed" not in terse
    assert all(fact in terse for fact in ("3 s", "not grow", "no limit"))
    contrast = "I fixed it so that it works for RSA, not yet for DSA."
    assert "for RSA, not yet for DSA" in Form(read_note(contrast), LEVELS[-1]).text()


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        f"{NOTE}\n\n", " ", "_", "edit", "editing ", "because ", ", because ", "rather than a ",
        "we a ", "I'm not ", "need to ", "line 1,", "f(", "a_b ", "a.b::", "the a method ",
        "Makefile/", "é.c ", "文/文.c", "a:\n- b\n", "stops '", "500 Ab ", "Fixed the case\n",
        "[a]/.b", "/a.読[b]", "'a b/", "C:\\a ",
    ],
)  # fmt: skip
def test_time_grows_with_the_text(piece: str) -> None:
    def run(text: str) -> None:
        Form(read_note(text), LEVELS[-1]).text()
        check_preserved(note(text, counter=len), text[: len(text) // 2])

    assert growth(lambda size: piece * (size // len(piece)), run, first=500) < MOST
