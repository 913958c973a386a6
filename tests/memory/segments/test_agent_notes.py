"""Notes in many wordings: what is read from them, and what a shorter form still says (seed 004, 6 and 7)."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tersely.memory.segments
from agent_notes import DEVELOPED_ON, FIRST_HALF, HELD_ASIDE, SECOND_HALF, AgentNote
from growth import MOST, growth
from segment_samples import NOTE, note
from tersely.memory import SegmentMemory, check_preserved, extract_preserved_metadata, paraphrase
from tersely.memory.segments.reading import says
from tersely.store import Store

ALL = [*DEVELOPED_ON, *HELD_ASIDE]


def stated(text: str, sample: AgentNote) -> int:
    """How many facts of a note a text states."""
    return sum(says(text, fact) for fact in sample.stated)


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_e014_fields_of_notes(sample: AgentNote) -> None:
    found = extract_preserved_metadata(note(sample.text))
    assert {name: found.get(name) for name in sample.values} == sample.values


@pytest.mark.parametrize("sample", ALL, ids=lambda sample: sample.name)
def test_e016_e017_a_form_is_shorter_and_says_where_and_what(sample: AgentNote) -> None:
    short = paraphrase(sample.text).text
    assert len(short) < len(sample.text)
    assert "Next: " in short and "I'm currently" not in short
    assert check_preserved(note(sample.text), short).passed


def test_e016_forms_state_what_they_must() -> None:
    for samples in (DEVELOPED_ON, HELD_ASIDE):
        facts = sum(len(sample.stated) for sample in samples)
        assert sum(stated(paraphrase(sample.text).text, sample) for sample in samples) >= 0.9 * facts


def test_e016_segments_lose_nothing_that_was_read(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I'm editing the Makefile, line 12.", {"file_path": "Makefile", "line_number": 12}),
        ("Now in Dockerfile:9.", {"file_path": "Dockerfile", "line_number": 9}),
        ("I'm in build/Makefile.", {"file_path": "build/Makefile"}),
        ("Editing Dockerfile.dev now.", {"file_path": "Dockerfile.dev"}),
        ("Editing .gitignore.", {"file_path": ".gitignore"}),
        ("I'm in docs/überblick.md at line 3.", {"file_path": "docs/überblick.md", "line_number": 3}),
        ("I am editing 文档/说明.md, line 4.", {"file_path": "文档/说明.md", "line_number": 4}),
        ("I'm in файл/пример.txt:8.", {"file_path": "файл/пример.txt", "line_number": 8}),
        ("I'm in the function parse now.", {"function_name": "parse"}),
        ("I'm in the resize method.", {"function_name": "resize"}),
        ("I'm editing fn verify_chain.", {"function_name": "verify_chain"}),
        ("Function: drainQueue\nLine: 92\nFile: a/b.go", {"function_name": "drainQueue", "line_number": 92}),
        ("I'm in the `flush` method of the writer.", {"function_name": "flush"}),
        ("I'm in Cart::total, src/cart.cpp line 5.", {"function_name": "Cart::total", "line_number": 5}),
        ("I'm looking at the new method, which is the main function here.", {"function_name": None}),
        ("I'm testing what the function returns and how the method works.", {"function_name": None}),
        ("I'm on line 1,204 of x.csv.", {"line_number": 1204, "file_path": "x.csv"}),
        ("I'm on line 1.5 of the poem.", {"line_number": None}),
        ("The makefiles and Makefiles of others.", {"file_path": None}),
        ("Editing データ/読込.py, line 3.", {"file_path": "データ/読込.py", "line_number": 3}),
        (
            "I'm in app/[slug]/page.tsx at line 7.",
            {"file_path": "app/[slug]/page.tsx", "function_name": None},
        ),
        ("I'm editing go.mod now.", {"file_path": "go.mod", "function_name": None}),
        ("Editing BUILD.bazel, line 9.", {"file_path": "BUILD.bazel", "function_name": None}),
        (
            "I'm in C:\\Program Files\\x\\y.cs:4.",
            {"file_path": "C:\\Program Files\\x\\y.cs", "line_number": 4},
        ),
    ],
)
def test_e014_places(text: str, found: dict[str, Any]) -> None:
    values = extract_preserved_metadata(note(text))
    assert {name: values.get(name) for name in found} == found


def understood(text: str, wanted: dict[str, Any]) -> bool:
    """Whether each field of a note says the words that are wanted, among others."""
    found = extract_preserved_metadata(note(text), [*wanted])
    return all(says(str(found.get(name, "")), words) for name, words in wanted.items())


@pytest.mark.parametrize(("text", "wanted"), FIRST_HALF)
def test_e016_e019_ordinary_wordings_are_understood(text: str, wanted: dict[str, Any]) -> None:
    assert understood(text, wanted)


def test_e016_e019_so_are_most_of_those_that_nobody_looked_at() -> None:
    assert sum(understood(*one) for one in SECOND_HALF) >= 22


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("I'm going with option 2", "Decision: option 2."),
        ("We've settled on Redis because it is fast and known.", "Decision: Redis (fast, known)."),
        ("It was decided to ship.", "Decision: ship."),
        ("Approach B was chosen in the end.", "Decision: Approach B was chosen in the end."),
        ("I'm going to rename the chosen file.", ""),
        ("We haven't decided yet. That's how it is.", ""),
    ],
)
def test_e019_decisions_in_other_words(text: str, decision: str) -> None:
    assert paraphrase(text, "decision").text == decision


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The function is read_block", "read_block"),
        ("The helper I'm editing is called slugify.", "slugify"),
        ("The function is called twice.", None),
        ("The method is called recursively.", None),
        ("The function is slow and fails if the flag is use_cache.", None),
    ],
)
def test_e016_functions_in_other_words(text: str, name: str | None) -> None:
    assert extract_preserved_metadata(note(text), ["function_name"]).get("function_name") == name


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("I fixed the cache. What remains is to test it.", "Done: fixed the cache. Next: test it."),
        ("I fixed the cache. What remains is the disk.", "Done: fixed the cache. Next: the disk."),
        ("What's left is that logs fill the disk up.", "Next: logs fill the disk up."),
        (
            "Done:\n- the cache\n- the disk\n\nNext steps:\n1. a test",
            "Done: the cache; the disk. Next: a test.",
        ),
        ("## Finished\n- cache\n\n## To do\n- disk", "Done: cache. Next: disk."),
        ("The cache is done. Remaining: the disk.", "Done: cache is done. Next: disk."),
        (
            "The cache has been rewritten. The disk isn't supported yet.",
            "Next: disk isn't supported yet.",
        ),
        ("To finish this, I need to add a test.", "Next: add a test."),
        ("Let's look at the disk. I still want to test it.", "Next: look at the disk; test it."),
        ("The test that we need to fix broke.", ""),
    ],
)
def test_e017_what_is_done_and_what_remains(text: str, short: str) -> None:
    written = paraphrase(text, "progress").text
    assert short in written if short else written == ""


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (
            "The error message was 'Token expired' and it came up at line 42 in the resize method of a.py.",
            "Error: 'Token expired' at a.py:42 in resize().",
        ),
        (
            "make stops in the Makefile on line 9 with \"No rule to make target 'x'\".",
            "Error: No rule to make target 'x' at Makefile:9.",
        ),
        ("Last error: out of memory after 30s", "Error: out of memory after 30s."),
        (
            "It used to reject with 'TypeError: x is null', which nobody saw.",
            "Error: 'TypeError: x is null'.",
        ),
        ("The snippet shows how `Parser` is used.", ""),
    ],
)
def test_e018_errors_in_other_words(text: str, short: str) -> None:
    assert paraphrase(text, "error").text == short


def test_e019_what_was_not_chosen_is_left_out() -> None:
    text = "In the end we went with Redis rather than with RabbitMQ, because it is deployed and we know it."
    assert paraphrase(text, "decision").text == "Decision: Redis (deployed, we know it)."
    assert check_preserved(note(text), "Decision: Redis (deployed, we know it).").passed


def test_what_is_left_out_of_a_form_has_no_facts() -> None:
    text = (
        "I'm editing a/b.py, which Mr. Smith wrote. I moved the cache to disk, as was agreed with all, "
        "and the tests are green in 3 s. Next I have to check that it does not grow, as there is no limit."
    )
    terse = paraphrase(text, "terse").text
    assert "as was agreed" not in terse
    assert all(fact in terse for fact in ("3 s", "not grow", "no limit"))
    contrast = "I fixed it so that it works for RSA, not yet for DSA."
    assert "for RSA, not yet for DSA" in paraphrase(contrast, "terse").text


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Each compiled pattern of the room, with its name."""
    for module in pkgutil.iter_modules(tersely.memory.segments.__path__, "tersely.memory.segments."):
        for name, value in vars(importlib.import_module(module.name)).items():
            values = (
                value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else [value]
            )
            flat = [part for one in values for part in (one if isinstance(one, tuple) else [one])]
            yield from ((f"{module.name}.{name}", one) for one in flat if isinstance(one, re.Pattern))


def test_no_pattern_repeats_a_repetition_without_end() -> None:
    found = list(patterns())
    assert len(found) > 40
    parser = re._parser  # type: ignore[attr-defined]
    for name, pattern in found:
        for _, inner in repeats(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)):
            assert not [most for most, _ in repeats(inner) if most > 1000], name


def repeats(tree: Any) -> Iterator[tuple[int, Any]]:
    """(most times, what is repeated) of the repetitions without end, or of all of these within one."""
    for operation, argument in tree:
        if "REPEAT" in str(operation) and int(argument[1]) > 1000:
            yield int(argument[1]), argument[2]
        elif "REPEAT" in str(operation):
            yield from repeats(argument[2])
        elif str(operation) == "SUBPATTERN":
            yield from repeats(argument[3])
        elif str(operation) == "BRANCH":
            for branch in argument[1]:
                yield from repeats(branch)
        elif str(operation) in ("ASSERT", "ASSERT_NOT"):
            yield from repeats(argument[1])


@pytest.mark.growth
@pytest.mark.parametrize(
    "piece",
    [
        f"{NOTE}\n\n",
        " ",
        "_",
        "edit",
        "editing ",
        "because ",
        ", because ",
        "rather than a ",
        "we a ",
        "I'm not ",
        "need to ",
        "line 1,",
        "f(",
        "a_b ",
        "a.b::",
        "the a method ",
        "Makefile/",
        "é.c ",
        "文/文.c",
        "a:\n- b\n",
        "stops '",
        "500 Ab ",
        "Fixed the case\n",
        "[a]/.b",
        "/a.読[b]",
        "'a b/",
        "C:\\a ",
    ],
)
def test_time_grows_with_the_text(piece: str) -> None:
    def run(text: str) -> None:
        paraphrase(text, "terse")
        check_preserved(note(text, counter=len), text[: len(text) // 2])

    assert growth(lambda size: piece * (size // len(piece)), run) < MOST
