"""The report page: nothing of a text becomes markup, nothing of it is lost, and what is said is so."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from markdown_blocks import ROOT
from odd_counters import quarters
from read_page import ATTACKS, HARBOUR, Page, forged, plain
from tersely.report import pieces as words, to_html, write_html
from tersely.report.pieces import heading_of, titles_of
from tersely.types import Document, Fact, FactKind, FactReport, Level, Span
from text_strategies import fragments, some_texts
from typed_samples import SAMPLES


def check_page(result: tersely.Compressed, query: str | None = None) -> Page:
    page = Page(to_html(result, query))
    assert page.texts == [document.text for document in result.documents]
    assert page.result == result.text
    return page


@given(some_texts.filter(bool), st.one_of(st.none(), fragments), st.integers(0, 60), st.sampled_from(Level))
def test_texts_come_through_whole_and_as_text(
    texts: list[str], query: str | None, budget: int, level: Level
) -> None:
    attacked = [f"{text} {ATTACKS[len(text) % len(ATTACKS)]}" if len(text) % 3 else text for text in texts]
    try:
        result = tersely.compress(attacked, query, budget=budget, strategy=tersely.Extractive(level=level))
    except tersely.BudgetExceededError:
        result = tersely.compress(attacked, query, ratio=1.0)
    check_page(result, query)


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_that_a_caller_gives_becomes_markup(attack: str) -> None:
    check_page(forged(attack), f"ferry {attack}")


def test_the_policy_allows_our_script_and_without_it_there_is_the_text() -> None:
    page = Page(to_html(tersely.compress(HARBOUR, budget=12)))
    policies = [given["content"] for tag, given in page.elements if tag == "meta" and "http-equiv" in given]
    rules = dict(rule.strip().split(" ", 1) for rule in str(policies[0]).split(";"))
    assert len(policies) == 1 and rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for tag in ("script", "style"):
        digest = base64.b64encode(hashlib.sha256(page.inside[tag].encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
        assert "url(" not in page.inside[tag] and "innerHTML" not in page.inside[tag]
    attributes = [name for _, given in page.elements for name in given]
    assert not [name for name in attributes if name.startswith("on") or name in ("style", "src", "srcset")]
    query = "ferry <b>permit</b>"
    result = tersely.compress([f"{HARBOUR} <b>", "Otters."], query, budget=14)
    said = Page(to_html(result, query)).inside["pre"]
    assert said.startswith("2 documents\n\n") and said.endswith(f"\n\nCompressed\n\n{result.text}")
    assert f"{result.tokens} o200k_base tokens, of 14 allowed" in said


def test_kept_dropped_and_generated_parts_say_why() -> None:
    result = tersely.compress(
        [HARBOUR, "# Rules\n\nNo swimming."], "ferry", budget=12, pinned=["No swimming"]
    )
    page = check_page(result, "ferry")
    assert [plain(piece["text"]) for piece in page.kept()] == [result.expand(span) for span in result.kept]
    (pinned,) = page.kept("r-pinned")
    assert pinned["text"] == ["No swimming."]
    assert pinned["tip"].startswith("Kept: pinned: you asked for it (1 segment")
    assert {piece["tip"].split(" (")[0] for piece in page.dropped()} == {"Dropped: no tokens left for it"}
    assert [run[0] for run in page.marks("q")].count("ferry") == 3  # query, source, compressed
    assert page.twins() == {piece["number"]: plain(piece["text"]) for piece in page.kept()}
    log = "".join(f"2024-05-01 10:00:{n % 60:02} INFO served /items/{n} in {n % 90} ms\n" for n in range(300))
    result = tersely.compress(log, budget=200, strategy="log")
    assert result.generated and not result.receipt.used_llm
    page = check_page(result)
    assert not re.search("ritten by a model|model wrote", page.inside["data"])
    assert {run[2] for run in page.marks("gen")} == {"Says that something was left out: not in the source"}
    assert page.data["panel"]["mono"]  # what stands between lines is set as they are
    plain_page = check_page(tersely.compress(HARBOUR, budget=8))
    assert not plain_page.data["panel"]["mono"] and not plain_page.data["tables"]  # no word of facts


def test_words_repeats_and_bars() -> None:
    query = "please describe ferries and zebras"
    page = check_page(tersely.compress(HARBOUR, query, budget=12), query)
    assert page.marks("q")[0][0] == "ferries"
    assert page.data["query"][1] == ["zebras"]
    result = tersely.compress([HARBOUR, f"{HARBOUR} Otters float."], budget=26)
    assert result.receipt.reasons["dropped:redundant"] == 4
    page = check_page(result)
    (redundant,) = page.dropped("r-redundant")
    assert "(4 segments" in redundant["tip"] and plain(redundant["text"]).strip() == HARBOUR
    result = tersely.compress([{"text": HARBOUR, "title": "Harbour"}, HARBOUR.upper(), "Otters."], budget=30)
    page = check_page(result)
    (table,) = page.data["tables"]
    assert sum(row[1]["bar"] for row in table["rows"]) == pytest.approx(result.tokens / 30)
    assert [row[0]["text"] for row in table["rows"]] == ["Harbour", "Document 2", "Document 3"]


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Missouri–Kansas lies there.", "Kansas", "Kansas"),
        ("Die HÄFEN schließen.", "hafen", "HÄFEN"),
        ("今天北京的天气很好。", "北京天气", "北京"),
        ("See api/harbour_list.py now.", "harbour", "harbour_list"),
        ("İSTANBUL is far.", "istanbul", "İSTANBUL"),
    ],
)
def test_words_of_the_query_are_marked_where_they_stand(text: str, query: str, marked: str) -> None:
    page = check_page(tersely.compress(text, query, ratio=1.0), query)
    assert marked in [run[0] for run in page.marks("q")][1:]


def facts_of(text: str) -> FactReport:
    def at(part: str, kind: FactKind, outcome: str, reason: str = "") -> Fact:
        return Fact(kind, part, 0, text.index(part), text.index(part) + len(part), outcome, reason)

    return FactReport(
        [
            at("six", FactKind.NUMBER, "kept"),
            at("March", FactKind.DATE, "lost", "budget"),
            at("common in March", FactKind.QUOTE, "lost", "budget"),
            at("needs a permit", FactKind.OBLIGATION, "reinserted"),
            Fact(FactKind.NUMBER, "4711", -1, -1, -1, "unsupported"),
        ]
    )


def test_facts_and_generated_text_are_marked() -> None:
    result = tersely.compress(HARBOUR, "harbour", budget=8)
    text = f"{result.text} needs a permit. 4711b. Or 4711."
    receipt = replace(result.receipt, facts=facts_of(HARBOUR), used_llm=True)
    end = len(text)
    changed = replace(result, text=text, generated=((end - 8, end),), receipt=receipt)
    page = check_page(changed)
    assert [(run[0], run[1]) for run in page.marks("f")] == [
        ("six", "f kept"),
        ("common in ", "f lost"),
        ("March", "f lost"),
        ("needs a permit", "f reinserted"),
        ("needs a permit", "f reinserted"),
        ("4711", "gen f unsupported"),
    ]
    assert [run[2] for run in page.marks("lost")] == [
        "Fact, quote: is not in the compressed text (budget)",
        "Fact, date: is not in the compressed text (budget)",
    ]
    assert page.data["notes"] == ["A model wrote parts of the compressed text; they are marked."]
    assert page.data["figures"][-1] == ["50%", ["of the facts stand in it"]]
    (table,) = page.data["tables"]
    assert [one["title"] for one in table["lists"]] == ["Lost: 2", "Unsupported: 1"]
    anchors = {run[3] for run in page.marks("f") if len(run) > 3}
    assert {item["anchor"] for one in table["lists"] for item in one["items"]} - {""} <= anchors
    ends = [HARBOUR.index("common in March"), HARBOUR.index("March")]
    assert page.data["map"]["ticks"][1] == [
        "gone", [[ends[0], ends[0] + len("common in March")], [ends[1], ends[1] + len("March")]]
    ]  # fmt: skip


def test_pieces_that_are_cut_rewritten_or_unlisted() -> None:
    result = tersely.compress("one long sentence without any end " * 5, budget=5)
    page = check_page(result)
    (cut,) = page.kept("r-cut")
    assert plain(cut["text"]) == result.expand(result.kept[0])
    span = Span(0, 0, len(HARBOUR), tersely.Kind.PROSE, "rewritten", 0.0)
    made = tersely.compress(HARBOUR, budget=40)
    rewritten = replace(made, text="Fog.", kept=[], dropped=[span], generated=((0, 4),))
    assert not check_page(rewritten).kept()
    check_page(tersely.compress("", budget=4))
    check_page(tersely.compress(["", " \n ", HARBOUR], budget=8))
    check_page(tersely.compress([], budget=4))
    result = tersely.compress(HARBOUR, budget=40)
    page = check_page(replace(result, kept=list(result.kept)[1:3], text=""))
    unlisted = [plain(piece["text"]) for piece in page.dropped("r-unlisted")]
    assert unlisted == ["The harbour opens at six. ", " Gulls steal chips."]


def test_long_sources_and_many_documents_are_drawn_in_part() -> None:
    text = " ".join(f"Sentence number {number} says nothing much about anything." for number in range(40_000))
    result = tersely.compress(text, ratio=0.1)
    html = to_html(result)
    page = Page(html)
    assert len(html) < 5_000_000
    assert page.result == result.text
    drawn = len(page.texts[0])
    assert page.data["notes"][0].startswith(
        f"This page leaves out {len(text) - drawn:,} of the source’s {len(text):,} characters"
    )
    kept = [plain(piece["text"]) for piece in page.kept()]
    assert "".join(kept) and all(piece in text for piece in kept)
    texts = [f"Document {number} is dull." for number in range(2_000)]
    texts[1_999] = "The ferry needs a permit."
    result = tersely.compress(texts, "ferry permit", budget=40)
    page = Page(to_html(result, "ferry permit"))
    assert "The ferry needs a permit." in page.texts
    assert len(page.texts) == len({span.document for span in result.kept})


@pytest.mark.growth
@pytest.mark.parametrize("level", [Level.SENTENCE, Level.WORD])
def test_time_is_linear(level: Level) -> None:
    def result(size: int) -> tersely.Compressed:
        text = " ".join(f"Sentence {number} says {number % 97} things." for number in range(size // 25))
        strategy = tersely.Extractive(level=level)
        return tersely.compress(text, "things", ratio=0.3, strategy=strategy, counter=quarters)

    assert growth(result, lambda made: to_html(made, "things")) < MOST


def test_names_and_texts_may_be_what_no_utf8_can_say(tmp_path: Path) -> None:
    result = tersely.compress([{"text": HARBOUR, "id": "bad\udcff.txt"}], budget=12)
    path = tmp_path / "page.html"
    write_html(result, path)
    assert path.read_bytes().decode("utf-8") == to_html(result)
    page = to_html(tersely.compress(HARBOUR + "\ud83d", budget=12), "gate\ud800")
    assert "gate\ufffd" in page and page.encode("utf-8")


@pytest.mark.parametrize("wrong", ["text", None, {"text": "x"}])
def test_wrong_arguments_are_named(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(wrong).__name__}"):
        to_html(wrong)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("budget", [6, 60, 150])
def test_what_the_page_counts_and_links_is_what_the_spans_say(name: str, budget: int) -> None:
    result = tersely.compress(SAMPLES[name], budget=budget, strategy=name)
    kept, dropped = len(result.kept), len(result.dropped)
    assert result.receipt.segments == kept + dropped
    page = check_page(result)
    counted = {"Kept": 0, "Dropped": 0}
    for piece in page.pieces:
        if match := re.match(r"(Kept|Dropped): .*\((\d+) segments?", piece.get("tip", "")):
            counted[match[1]] += int(match[2])
    assert counted == {"Kept": kept, "Dropped": dropped}
    assert any(f"of {kept + dropped:,} segments kept" in what for _, (what,) in page.data["figures"])
    assert page.data["places"] == len(page.kept())  # no second count of what is kept
    assert page.twins() == {piece["number"]: plain(piece["text"]) for piece in page.kept()}


#: Codes of scorers, summaries and pins of tool results: no page is made of those.
ELSEWHERE = {
    "cross_encoder_failed", "scorer_failed", "llm_failed", "llm_reply_unusable", "llm_passage_shortened",
    "texts_truncated", "summary_too_long", "summary_too_short", "pins_not_found",
}  # fmt: skip


def test_every_warning_has_a_sentence_here_and_a_line_in_the_guide() -> None:
    guide = (ROOT / "docs" / "guide" / "warnings.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| (`[^|]+)\|", guide.partition("\n## Warnings")[2].partition("\n## ")[0], re.MULTILINE
    )
    listed = {code for row in rows for code in re.findall(r"`(\w+)`", row)}
    assert listed - ELSEWHERE == set(words._WARNINGS)


def named(*ids: str) -> list[Document]:
    return [Document("Text.", id=one) for one in ids]


@pytest.mark.parametrize(
    ("ids", "short"),
    [
        (("/data/notes/tides.md",), ["tides.md"]),
        (("a/tides.md", "b/tides.md", "b/fog.md"), ["a/tides.md", "b/tides.md", "fog.md"]),
        (("x/a/t.md", "y/a/t.md"), ["x/a/t.md", "y/a/t.md"]),
        (("t.md", "t.md"), ["t.md", "t.md"]),
        ((r"C:\notes\tides.md", "chunk-17"), ["tides.md", "chunk-17"]),
        (("https://example.org/a/tides.html?page=2",), ["tides.html"]),
    ],
)
def test_as_much_of_a_path_as_tells_it_apart(ids: tuple[str, ...], short: list[str]) -> None:
    assert [title.short for title in titles_of(named(*ids))] == short


def test_documents_are_called_by_title_metadata_or_number() -> None:
    documents = [
        Document("a", id="x/y.md", title="Tides"),
        Document("b", metadata={"source": "/data/fog.txt"}),
        Document("c"),
    ]
    titles = titles_of(documents)
    assert [title.short for title in titles] == ["Tides", "fog.txt", "Document 3"]
    assert titles[1] == ("fog.txt", "/data/fog.txt")
    assert heading_of(documents, titles) == "3 documents"
    documents = [{"text": "High water.", "id": "north/tides.md"}, {"text": "Low water.", "id": "fog.md"}]
    page = Page(to_html(tersely.compress(documents, budget=8)))
    assert page.inside["title"] == "tides.md, fog.md – tersely"
    assert [one["title"] for one in page.data["documents"]] == [
        ["tides.md", "north/tides.md"],
        ["fog.md", ""],
    ]


def test_the_map_says_where_kept_text_and_words_of_the_query_lie() -> None:
    texts = [HARBOUR, "Otters float. " * 20, f"{HARBOUR} The ferry is late."]
    result = tersely.compress(texts, "ferry permit", budget=14)
    page = check_page(result, "ferry permit")
    starts = [0, *itertools.accumulate(map(len, texts))]
    drawn = page.data["map"]
    assert {span.document for span in result.kept} == {2}  # neighbours, which are one place
    assert drawn["places"] == [[starts[2] + result.kept[0].start, starts[2] + result.kept[-1].end]]
    assert [piece["at"] for piece in page.kept()] == [start for start, _ in drawn["places"]]
    joined = "".join(texts)
    assert {joined[start:end] for start, end in drawn["ticks"][0][1]} == {"ferry", "permit"}
    assert page.data["sizes"] == list(map(len, texts))
    assert [one["at"] for one in page.data["documents"]] == starts[:3]


@pytest.mark.parametrize(("size", "only"), [(100, False), (30_000, True)])
def test_long_sources_show_only_what_was_kept_at_first(size: int, only: bool) -> None:
    text = "".join(f"Boat {n} is late. " for n in range(size // 17))
    assert Page(to_html(tersely.compress(text, budget=20))).data["only"] is only
