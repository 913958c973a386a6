"""Extractive(preserve=...): facts before all else, the budget before facts, and what became of each."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from sample_texts import ALL, GUIDE, prose
from tersely import BudgetExceededError, Extractive
from tersely.cli import main
from tersely.engine.facts import (
    facts_after,
    facts_kept,
    find_facts,
)
from tersely.engine.reading import segment
from tersely.types import FactKind, FactReport
from text_strategies import texts
from typed_samples import SAMPLES

LONG = prose(120)


def planted(seed: int, *facts: str) -> str:
    """Plain sentences, every fact at the end of a random paragraph."""
    generator = random.Random(seed)
    paragraphs = [
        " ".join(
            generator.choices(["The quay was wet.", "Gulls cried over it.", "A rope lay there, coiled."], k=6)
        )
        for _ in range(30)
    ]
    for fact in facts:
        at = generator.randrange(len(paragraphs))
        paragraphs[at] += "\n\n" + fact if "\n" in fact else " " + fact
    return "\n\n".join(paragraphs)


@pytest.mark.parametrize("seed", range(5))
def test_planted_facts_are_found_verbatim(seed: int) -> None:
    facts = (
        "The pump failed after 3.5 hours.",
        "The list is in config/site/limits.yaml now.",
        "It was carried by Ottoline Brackwater in person.",
        "We agreed to close gate 7 in winter.",
        "See src/loader.py:88 for it.",
    )
    text = planted(seed, *facts)
    names = ("numbers", "paths", "names", "decisions")
    result = tersely.compress(text, ratio=0.3, strategy=Extractive(preserve=names))
    assert all(fact in result.text for fact in facts)
    assert result.receipt.facts is not None and result.receipt.facts.retention == 1.0
    assert "facts_lost" not in result.receipt.warnings


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.6])
def test_lost_numbers_are_those_of_the_receipt(ratio: float) -> None:
    result = tersely.compress(LONG, ratio=ratio, strategy=Extractive(preserve=("numbers",)))
    report = result.receipt.facts
    numbers = [set(re.findall(r"\b\d+\b", text)) for text in (LONG, result.text)]
    assert report is not None
    assert numbers[0] - numbers[1] == {fact.text for fact in report.of("lost")}
    assert ("facts_lost" in result.receipt.warnings) == bool(report.of("lost"))
    assert {fact.reason for fact in report.of("lost")} <= {"budget", "redundant"}


def test_which_facts_come_first() -> None:
    text = planted(4, *(f"It took {n} days." for n in range(2, 30)))
    result = tersely.compress(text, ratio=0.5, strategy=Extractive(preserve=("numbers",)))
    assert result.receipt.facts is not None and not result.receipt.facts.of("lost")
    text = planted(
        5, *(["Pay 5 crowns now, at once, here."] * 20), *(f"Add {n} to it." for n in range(10, 26))
    )
    result = tersely.compress(text, budget=150, strategy=Extractive(preserve=("numbers",)))
    report = result.receipt.facts
    assert report is not None and report.retention == 1.0
    text = planted(
        6,
        *(f"The barge weighs {n} tons." for n in range(10, 50)),
        *(f"The crane lifts {n} stones." for n in range(50, 90)),
    )
    result = tersely.compress(
        text, "What does the crane lift?", budget=250, strategy=Extractive(preserve="numbers")
    )
    assert result.text.count("crane") > 2 * result.text.count("barge")


def test_pins_nothing_and_strict_preservation() -> None:
    plain, nothing = (
        tersely.compress(GUIDE, budget=90, strategy=s) for s in (Extractive(), Extractive(preserve=()))
    )
    assert plain.text == nothing.text and nothing.receipt.facts is None
    assert "preserved" not in {span.reason for span in plain.kept}
    text = planted(7, *(f"It took {n} days." for n in range(20, 90)), "Nobody knows why.")
    result = tersely.compress(
        text, budget=40, pinned=["Nobody knows why."], strategy=Extractive(preserve="all")
    )
    assert "Nobody knows why." in result.text
    assert [span.reason for span in result.kept].count("pinned") == 1
    assert any(span.reason == "preserved" for span in result.kept)
    strict = Extractive(preserve=("numbers",), strict_preserve=True)
    message = r"^what must be preserved \(.+ and \d+ more\) does not fit into a budget of 60; "
    with pytest.raises(BudgetExceededError, match=message) as raised:
        tersely.compress(LONG, budget=60, strategy=strict)
    assert raised.value.budget == 60
    enough = tersely.compress(LONG, budget=int(raised.value.required), strategy=strict)
    assert enough.receipt.facts is not None and enough.receipt.facts.retention == 1.0


@pytest.mark.parametrize("kind", ["log", "tool_output", "jsonl", "table", "diff", "stack_trace"])
def test_numbers_of_our_own_markers_are_neither_made_up_nor_kept(kind: str) -> None:
    """ "… 51 more" was a fact that no original has, or stood for a lost 51."""
    result = tersely.compress(SAMPLES[kind], ratio=0.3)
    assert result.generated
    report = tersely.check_facts(result)
    assert report.of("unsupported") == []
    kept = "\n".join(SAMPLES[kind][span.start : span.end] for span in result.kept)
    assert all(fact.text in kept for fact in report.of("kept"))


def test_the_command_preserves_and_says_what_is_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.txt"
    page.write_text(LONG, encoding="utf-8")
    assert main(["compress", str(page), "--ratio", "0.2", "--preserve", "numbers,code"]) == 0
    out, err = capsys.readouterr()
    strategy = Extractive(preserve=("numbers", "code"))
    assert out == tersely.compress(LONG, ratio=0.2, strategy=strategy).text + "\n"
    assert (
        "tersely: note: Some facts that were to be preserved are not in the compressed text.\n" in err
        and err.count("note: lost number: ") == 10
        and "--json has them" in err
    )
    assert main(["compress", str(page), "--ratio", "0.2", "--preserve", "numbers", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)["receipt"]["facts"]
    assert {fact["outcome"] for fact in facts} == {"kept", "lost"}
    assert main(["compress", str(page), "--preserve", "jokes"]) == 2
    assert "not 'jokes'" in capsys.readouterr().err


REASONS = ("budget", "redundant", "selected")
SOURCE = (
    "We paid Anna Smith 1,204 crowns on 2024-01-31. See src/x.py:12 and https://example.org/a. "
    '"Never hurry the pilot," she said. Use `foo(1)` here.\n\n```py\nx = 1\n```\n'
)


def found(report: FactReport, outcome: str) -> set[str]:
    return {fact.text for fact in report.of(outcome)}


@given(st.lists(texts, min_size=1, max_size=3), st.data())
def test_kept_where_all_segments_of_an_occurrence_are(documents: list[str], data: st.DataObject) -> None:
    table = segment(documents)
    facts = find_facts(documents, table)
    status = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=len(table), max_size=len(table))), dtype=np.uint8
    )
    report = facts_kept(documents, facts, status, REASONS, 2)
    last = facts.last
    assert len(report.facts) == facts.keys
    for key, fact in enumerate(report.facts):
        rows = np.flatnonzero(facts.key == key)
        kept = any((status[facts.segment[row] : last[row] + 1] == 2).all() for row in rows)
        assert fact.outcome == ("kept" if kept else "lost")
        assert documents[fact.document][fact.start : fact.end] == fact.text
        assert fact.start == facts.start[rows[0]]
        whole = status[facts.segment[rows[0]] : last[rows[0]] + 1]
        assert fact.reason == ("" if kept else next(REASONS[code] for code in whole if code < 2))


@pytest.mark.parametrize("text", ALL)
def test_the_same_text_keeps_everything(text: str) -> None:
    report = facts_after([text], text)
    assert report.retention == 1.0 and {fact.outcome for fact in report.facts} <= {"kept"}
    assert len(report.facts) == len(set(find_facts([text], segment([text])).key.tolist()))


def test_a_rewritten_text_is_compared_fact_by_fact() -> None:
    report = facts_after([SOURCE], "")
    assert {fact.outcome for fact in report.facts} == {"lost"} and report.retention == 0.0
    assert {fact.reason for fact in report.facts} == {"rewritten"}
    assert facts_after([], "").retention == 1.0
    report = facts_after([SOURCE], "On 2024-01-31 anna smith got 1204 crowns (src/x.py, line 12); foo(1).")
    assert found(report, "kept") == {"Anna Smith", "1,204", "2024-01-31", "src/x.py:12", "`foo(1)`"}
    assert found(report, "lost") == {
        "https://example.org/a",
        '"Never hurry the pilot,"',
        "```py\nx = 1\n```",
    } | {fact.text for fact in report.facts if fact.kind is FactKind.NEGATION}
    text = "Anna Brown paid 1,205 crowns on 2024-02-01 for v2.1.0, see src/y.py and set max_size."
    report = facts_after([SOURCE], text)
    made_up = {"Anna Brown", "1,205", "2024-02-01", "v2.1.0", "src/y.py", "max_size"}
    assert found(report, "unsupported") == made_up
    assert {fact.document for fact in report.of("unsupported")} == {-1}
    report = facts_after([SOURCE], "They paid 1,204 crowns. See src/x.py:12.", [(0, 47, 62)])
    assert found(report, "reinserted") == {"src/x.py:12"} and "1,204" in found(report, "kept")


@pytest.mark.parametrize(
    ("source", "text", "supported"),
    [
        ("It cost 12.7 kg.", "It cost 13 kg.", False),  # rounding is making up
        ("It cost 12.7 kg.", "It cost 12 kg.", False),
        ("It cost 12 GB.", "It cost 12.", True),
        ("It cost 120.", "It cost 12.", False),
        ("Ask Anna Smith, and Bob.", "They met Bob Smith there.", True),  # all its words stand there
        ("Ask Anna Smith.", "They met Carla Smith there.", False),
        ("See a/b.py:12 there.", "It is in a/b.py there.", True),
        ("It was on 2024-01-31.", "It was in 2024.", True),
        ("It was 5%.", "It was 5.", False),
        ("It was 5.", "It was 5. Then 6.", False),
        ("It was 5.", "They say that it was 5.", True),
        ("See a/b.py there.", "It is in a/c.py there.", False),
        ("Not `max_size` here.", "Set max_size here.", True),
    ],
)
def test_support_of_what_is_preserved(source: str, text: str, supported: bool) -> None:
    assert (not facts_after([source], text).of("unsupported")) is supported
