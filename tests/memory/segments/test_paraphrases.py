"""Clauses of notes, and shorter forms made of them by rules (seed 004, E002 and section 7)."""

from __future__ import annotations

import textwrap

import pytest
from growth import MOST, growth
from hypothesis import given, strategies as st
from segment_samples import MESSAGE, NOTE, note
from tersely.memory import SegmentMemory, check_preserved, extract_preserved_metadata, paraphrase
from tersely.memory.segments.clauses import Role, read_clauses
from tersely.memory.segments.paraphrases import PARAPHRASES
from tersely.memory.segments.reading import read
from tersely.store import Store

STATE = (
    "I'm editing src/auth.py, currently at line 45",
    "Fixed the token validation issue, now working on expiration handling",
    "Last error was: 'Token expired' at line 42, I added a check",
)
#: How the lines of a note can stand: what is in front of each, and between them.
FORMS = {
    "lines": ("{}", "\n"),
    "lines of Windows": ("{}", "\r\n"),
    "paragraphs": ("{}", "\n\n"),
    "sentences": ("{}.", " "),
    "items": ("- {}", "\n"),
    "stars": ("* {}", "\n"),
    "loose items": ("- {}", "\n\n"),
    "quoted items": ('- "{}"', "\n"),
    "quoted": ("> {}", "\n"),
    "rows": ("| {} |", "\n"),
}
CLAUSES = {
    "Editing src/shop/cart.py at line 12": Role.ACTIVE,
    "Now working on the retry logic": Role.ACTIVE,
    "Fixed the rounding of prices": Role.DONE,
    "I removed the old endpoint": Role.DONE,
    "Next I have to write a test": Role.NEXT,
    "We decided to keep the cache": Role.DECISION,
    "The office has a red door": Role.OTHER,
}


def written(form: str, lines: tuple[str, ...] | list[str]) -> str:
    """Lines in one of the FORMS."""
    each, between = FORMS[form]
    return between.join(each.format(line) for line in lines)


@pytest.mark.parametrize("form", FORMS)
def test_the_scenario_keeps_its_task_in_every_form(
    form: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = written(form, STATE)
    assert extract_preserved_metadata(note(text))["active_task"].endswith("expiration handling")
    short = paraphrase(text).text
    with Store.open(tmp_path_factory.mktemp("store") / "s.sqlite") as store:
        memory = SegmentMemory(store)
        memory.store_context_segment(text, segment_id="one")
        assert memory.compress_context_segment(["one"]).compressed_segments  # at the ratio of the default
        for said in (short, memory.get("one").text):
            assert check_preserved(note(text), said).passed
            assert all(part in said for part in ("src/auth.py", "45", "Token expired", "42", "expiration"))
    lost = check_preserved(note(text), short.replace("expiration handling", "it"))
    assert "active_task" in lost.lost


@given(st.lists(st.sampled_from(sorted(CLAUSES)), min_size=1, max_size=6), st.sampled_from(sorted(FORMS)))
def test_each_line_says_what_it_says_alone(lines: list[str], form: str) -> None:
    roles = [(clause.text.rstrip("."), clause.role) for clause in read_clauses(written(form, lines))]
    assert roles == [(line, CLAUSES[line]) for line in lines]


@given(
    st.lists(st.sampled_from([*CLAUSES, *NOTE.split("\n"), *MESSAGE.split("\n")]), min_size=4, max_size=9),
    st.integers(60, 100),
)
def test_what_a_program_wrapped_is_read_as_one(sentences: list[str], width: int) -> None:
    text = " ".join(
        f"{' '.join(sentence.split()).rstrip('.')}, and so on and so forth." for sentence in sentences
    )

    def said(text: str) -> list[tuple[str, Role]]:
        return [(" ".join(clause.text.split()), clause.role) for clause in read_clauses(text)]

    wrapped = textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
    assert len(said(wrapped)) <= len(said(text)) + wrapped.count("\n") / 4


@given(st.permutations(sorted(CLAUSES)), st.integers(1, 6))
def test_whatever_a_short_form_leaves_out_is_told(lines: list[str], kept: int) -> None:
    report = check_preserved(note("\n".join(lines)), "\n".join(lines[:kept]))
    told = " ".join(
        [
            *(fact.text for fact in report.dropped),
            *(str(item.value) for item in report.items if item.outcome == "lost"),
        ]
    )
    assert all(" ".join(line.split()[-3:]) in told for line in lines[kept:])


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
        assert clause.message in clause.text
        at = clause.start + len(clause.text)
    for strategy in PARAPHRASES:
        paraphrase(text, strategy)
