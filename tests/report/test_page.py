"""The report page: nothing of a text becomes markup, nothing of it is lost, and what is said is so."""

from __future__ import annotations

import base64
import gzip
import hashlib
import itertools
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from odd_counters import quarters
from page_checks import check_safe
from read_page import Page, shown
from tersely.memory.compaction import CompactedMessages, compact_messages
from tersely.memory.repl import MemoryCompactor, REPLHistory
from tersely.report import pieces as words, to_html, write_html
from tersely.report.page import COLUMNS, STEPS, levels
from tersely.report.pieces import heading_of, titles_of
from tersely.report.views import view_of
from tersely.retrieval.contextual.compressor import ContextualCompressor
from tersely.types import Document, Fact, FactKind, FactReport, Level, Receipt, Span
from text_strategies import fragments, some_texts

HARBOUR = "The harbour opens at six. Fog is common in March. The ferry needs a permit. Gulls steal chips."
ATTACKS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!-- -->",
    "<![CDATA[x]]>",
    "&lt;b&gt; &amp;amp; &#60;script&#62;",
    "</div></section></main>",
    "</title><base href=//evil.example>",
    "<meta http-equiv=refresh content='0;url=//evil.example'>",
    "javascript:alert(1)",
    "$style ${script} %s {0} $$",
    "\u202ereversed\u202c \u2066isolate",
    "<plaintext>",
    "\x1b[31mred\x1b[0m \x08\x7f",
]


def check_page(result: tersely.Compressed, query: str | None = None) -> Page:
    page = Page(to_html(result, query))
    check_safe(page)
    assert page.texts == [shown(document.text) for document in result.documents]
    assert page.result == shown(result.text)
    return page


@given(
    some_texts.filter(bool),
    st.one_of(st.none(), fragments),
    st.integers(0, 60),
    st.sampled_from(Level),
)
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
    documents = [
        {"text": f"{HARBOUR} {attack}", "title": attack},
        {"text": attack, "id": attack},
        {"text": f"{attack}. {HARBOUR}"},
    ]

    def counter(text: str) -> int:
        return len(text.split())

    counter.__name__ = attack
    result = tersely.compress(documents, f"ferry {attack}", budget=12, counter=counter)
    facts = [
        Fact(FactKind.QUOTE, attack, 1, 0, len(attack), "lost", attack),
        Fact(FactKind.QUOTE, attack, -1, -1, -1, "unsupported", attack),
    ]
    receipt = replace(
        result.receipt,
        warnings=(attack,),
        fallback_reason=attack,
        used_llm=True,
        counter=attack,
        reasons={f"kept:{attack}": 1, attack: 2},
        facts=FactReport(facts),
    )
    kept = [replace(span, reason=attack) for span in result.kept]
    forged = replace(result, kept=kept, text=result.text + attack, generated=((0, 5),), receipt=receipt)
    check_page(forged, f"ferry {attack}")


def test_strings_that_are_known_for_trouble() -> None:
    if "TERSELY_DATA" not in os.environ:
        pytest.skip("TERSELY_DATA names no folder of texts")
    path = Path(os.environ["TERSELY_DATA"]) / "adversarial_strings.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    assert len(texts) > 500
    documents = [{"text": f"{HARBOUR} {text}", "title": text} for text in texts[:400]]
    check_page(tersely.compress(documents, texts[-1], ratio=0.3), texts[-1])
    for text in texts:
        check_page(tersely.compress(f"{text} {HARBOUR} {text}", text, ratio=0.5), text)


def test_the_policy_allows_our_script_and_style_and_nothing_else() -> None:
    page = Page(to_html(tersely.compress(HARBOUR, budget=12)))
    (policy,) = (e.attributes["content"] for e in page.all("meta") if "http-equiv" in e.attributes)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for tag in ("script", "style"):
        (element,) = page.all(tag)
        digest = base64.b64encode(hashlib.sha256(element.text.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
        assert "http" not in element.text
        assert "url(" not in element.text


def test_kept_and_dropped_say_why() -> None:
    result = tersely.compress(
        [HARBOUR, "# Rules\n\nNo swimming."], "ferry", budget=12, pinned=["No swimming"]
    )
    page = check_page(result, "ferry")
    kept = [e.text for e in page.all("span", "k") if "id" in e.attributes]
    assert kept == [result.expand(span) for span in result.kept]
    (pinned,) = (e for e in page.all("span", "k", "r-pinned") if "id" in e.attributes)
    assert pinned.text == "No swimming."
    assert pinned.attributes["title"].startswith("Kept: pinned: you asked for it (1 segment")
    dropped = [e for e in page.all("span", "d") if "title" in e.attributes]
    assert {e.attributes["title"].split(" (")[0] for e in dropped} == {"Dropped: no tokens left for it"}
    assert [e.text for e in page.all("mark", "q")].count("ferry") == 3  # query, source, compressed
    twins = {e.attributes["data-s"]: e.text for e in page.elements if "data-s" in e.attributes}
    assert twins == {e.attributes["id"][1:]: e.text for e in page.all("span", "k") if "id" in e.attributes}


def test_the_query_says_which_of_its_words_are_missing() -> None:
    query = "please describe ferries and zebras"
    html = to_html(tersely.compress(HARBOUR, query, budget=12), query)
    assert Page(html).all("mark", "q")[0].text == "ferries"
    assert '<bdi lang="">zebras</bdi>' in html
    assert "describe</bdi>" not in html


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
    assert marked in [e.text for e in page.all("mark", "q")][1:]


def test_a_repeat_links_to_what_stands_for_it() -> None:
    result = tersely.compress([HARBOUR, f"{HARBOUR} Otters float."], budget=26)
    assert result.receipt.reasons["dropped:redundant"] == 4
    page = check_page(result)
    kept = {f"#{e.attributes['id']}": e.text for e in page.all("span", "k") if "id" in e.attributes}
    repeated = [e.text for e in page.all("span", "d", "r-redundant") if "title" in e.attributes]
    assert [kept[link.attributes["href"]] for link in page.all("a", "x")] == repeated


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
    page = Page(to_html(changed))
    check_safe(page)
    assert page.texts == [HARBOUR]
    assert page.result == text
    marked = [
        (e.text, " ".join(sorted(e.classes - {"f"}))) for e in page.all("mark", "f") if e.text != "fact"
    ]
    assert marked == [
        ("six", "kept"),
        ("common in ", "lost"),
        ("March", "lost"),
        ("needs a permit", "reinserted"),
        ("needs a permit", "reinserted"),
        ("4711", "gen unsupported"),
    ]
    assert [e.attributes["title"] for e in page.all("mark", "lost") if "title" in e.attributes] == [
        "Fact, quote: does not stand in the compressed text (budget)",
        "Fact, date: does not stand in the compressed text (budget)",
    ]
    assert "A model wrote parts of the compressed text" in to_html(changed)
    assert "50%" in [e.text for e in page.all("dd")]
    assert {e.text for e in page.all("summary")} == {"Legend and keys", "Lost: 2", "Unsupported: 1"}


def test_what_was_left_out_is_not_said_to_be_written_by_a_model() -> None:
    log = "".join(f"2024-05-01 10:00:{n % 60:02} INFO served /items/{n} in {n % 90} ms\n" for n in range(300))
    result = tersely.compress(log, budget=200, strategy="log")
    assert result.generated and not result.receipt.used_llm
    html = to_html(result)
    assert "odel wrote" not in html and "written by a model" not in html
    page = Page(html)
    tips = {e.attributes["title"] for e in page.all("mark", "gen") if "title" in e.attributes}
    assert tips == {"Says that something was left out: not in the source"}
    assert page.all("div", "result", "mono")  # what stands between lines is set as they are
    assert not Page(to_html(tersely.compress(HARBOUR, budget=8))).all("div", "result", "mono")


def test_without_facts_there_is_no_word_of_them() -> None:
    assert "fact" not in " ".join(
        e.text
        for e in Page(to_html(tersely.compress(HARBOUR, budget=8))).all(
            "h2",
        )
    )


def test_a_cut_segment_shows_where() -> None:
    result = tersely.compress("one long sentence without any end " * 5, budget=5)
    page = check_page(result)
    (cut,) = (e for e in page.all("span", "k", "r-cut") if "id" in e.attributes)
    assert cut.text == result.expand(result.kept[0])


def test_nothing_kept_and_nothing_there() -> None:
    span = Span(0, 0, len(HARBOUR), tersely.Kind.PROSE, "rewritten", 0.0)
    made = tersely.compress(HARBOUR, budget=40)
    rewritten = replace(made, text="Fog.", kept=[], dropped=[span], generated=((0, 4),))
    page = Page(to_html(rewritten))
    check_safe(page)
    assert (page.texts, page.result) == ([HARBOUR], "Fog.")
    assert not [e for e in page.all("span", "k") if "id" in e.attributes]
    check_page(tersely.compress("", budget=4))
    check_page(tersely.compress(["", " \n ", HARBOUR], budget=8))
    check_page(tersely.compress([], budget=4))


def test_text_that_no_span_has_is_not_passed_off_as_kept() -> None:
    result = tersely.compress(HARBOUR, budget=40)
    page = Page(to_html(replace(result, kept=list(result.kept)[1:3], text="")))
    assert page.texts == [HARBOUR]
    unlisted = [e.text for e in page.all("span", "d", "r-unlisted") if "title" in e.attributes]
    assert unlisted == ["The harbour opens at six. ", " Gulls steal chips."]


@pytest.mark.parametrize(
    "text", ["one.\r\n\r\ntwo.\rthree.\n", "مرحبا بالعالم. كيف الحال؟ abc", "a\x85b\u2028c\x0bd"]
)
def test_line_ends_directions_and_control_characters(text: str) -> None:
    page = check_page(tersely.compress(text * 4, ratio=0.5))
    assert all(e.attributes["dir"] == "auto" for e in page.all("div", "text"))


def test_documents_have_bars_that_add_up_to_the_budget_used() -> None:
    result = tersely.compress([{"text": HARBOUR, "title": "Harbour"}, HARBOUR.upper(), "Otters."], budget=30)
    page = check_page(result)
    bars = [e.attributes["width"] for e in page.all("rect", "used")]
    shares = [float(width.rstrip("%")) for width in bars]
    assert len(shares) == 3
    assert sum(shares) == pytest.approx(100 * result.tokens / 30, abs=0.05)
    assert [e.text for e in page.all("th") if e.attributes.get("scope") == "row"] == [
        "Harbour",
        "Document 2",
        "Document 3",
    ]


def test_a_long_text_is_drawn_in_part_and_the_page_says_so() -> None:
    text = " ".join(f"Sentence number {number} says nothing much about anything." for number in range(40_000))
    result = tersely.compress(text, ratio=0.1)
    html = to_html(result)
    page = Page(html)
    check_safe(page)
    assert len(html) < 4_000_000
    assert page.result == result.text
    drawn = len(page.texts[0])
    assert f"This page leaves out {len(text) - drawn:,} of the source’s {len(text):,} characters" in html
    kept = [e.text for e in page.all("span", "k") if "id" in e.attributes]
    assert "".join(kept) and all(piece in text for piece in kept)


def test_of_many_documents_those_with_something_kept_are_drawn() -> None:
    texts = [f"Document {number} is dull." for number in range(2_000)]
    texts[1_999] = "The ferry needs a permit."
    result = tersely.compress(texts, "ferry permit", budget=40)
    page = Page(to_html(result, "ferry permit"))
    check_safe(page)
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


def test_names_may_be_what_no_utf8_can_say(tmp_path: Path) -> None:
    result = tersely.compress([{"text": HARBOUR, "id": "bad\udcff.txt"}], budget=12)
    path = tmp_path / "page.html"
    write_html(result, path)
    assert path.read_bytes().decode("utf-8") == to_html(result)


@pytest.mark.parametrize("wrong", ["text", None, {"text": "x"}])
def test_wrong_arguments_are_named(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(wrong).__name__}"):
        to_html(wrong)


def test_half_a_character_is_drawn_as_a_replacement_character() -> None:
    page = to_html(tersely.compress(HARBOUR + "\ud83d", budget=12), "gate\ud800")
    assert "gate\ufffd" in page and page.encode("utf-8")


def contents() -> dict[str, str]:
    """A text of each content type."""
    page = "".join(f"<p>Part {n} says <a href='/{n}'>word {n}</a> &amp; more.</p>\n" for n in range(20))
    return {
        "log": "\r\n".join(
            f"10:00:{n:02d} {'ERROR bad' if n % 17 == 3 else 'INFO'} request {n}" for n in range(50)
        ),
        "tool_output": "\n".join(f"src/a{n}.c:{n}: warning: unused" for n in range(40)),
        "html": f"<html><body><script>x</script>{page}</body></html>",
        "json": json.dumps([{"id": n, "name": f"user {n}", "tags": ["a", n]} for n in range(20)], indent=1),
        "table": "id,name\n" + "\n".join(f"{n},name {n}" for n in range(40)),
        "code": "\n".join(f"def f{n}(x):\n    y = x + {n}\n    return y\n" for n in range(20)),
        "diff": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n-- \n2.39\n" * 6,
        "stack_trace": 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nValueError: x\n' * 9,
        "prose": " ".join(f"Sentence {n} says something else." for n in range(40)),
    }


@pytest.mark.parametrize("name", sorted(contents()))
@pytest.mark.parametrize("budget", [6, 60, 150])
def test_what_the_page_counts_and_links_is_what_the_spans_say(name: str, budget: int) -> None:
    result = tersely.compress(contents()[name], budget=budget, strategy=name)
    kept, dropped = len(result.kept), len(result.dropped)
    assert result.receipt.segments == kept + dropped
    page = check_page(result)
    tips = [element.attributes.get("title", "") for element in page.all("span")]
    counted = {"Kept": 0, "Dropped": 0}
    for tip in tips:
        if match := re.match(r"(Kept|Dropped): .*\((\d+) segments?", tip):
            counted[match[1]] += int(match[2])
    assert counted == {"Kept": kept, "Dropped": dropped}
    assert any(f"of {kept + dropped:,} segments kept" in element.text for element in page.elements)
    source = {e.attributes["id"][1:]: e.text for e in page.all("span", "k") if "id" in e.attributes}
    (walked,) = (element.text for element in page.elements if element.attributes.get("id") == "where")
    assert (
        walked == f"{len(source)} place{'' if len(source) == 1 else 's'}"
    )  # no second count of what is kept
    shown_there = {e.attributes["data-s"]: e.text for e in page.all("span") if "data-s" in e.attributes}
    assert source == shown_there


def test_every_warning_that_a_receipt_names_has_a_sentence_of_its_own() -> None:
    listed = (Receipt.__doc__ or "").partition("warnings:")[2].partition("facts:")[0]
    codes = re.findall(r'"([a-z]+_[a-z_]+)"', listed)
    assert len(codes) > 9
    assert not [code for code in codes if code not in words._WARNINGS]


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


def test_titles_and_metadata_and_numbers() -> None:
    documents = [
        Document("a", id="x/y.md", title="Tides"),
        Document("b", metadata={"source": "/data/fog.txt"}),
        Document("c"),
    ]
    titles = titles_of(documents)
    assert [title.short for title in titles] == ["Tides", "fog.txt", "Document 3"]
    assert titles[1].html == '<bdi title="/data/fog.txt">fog.txt</bdi>'
    assert heading_of(documents, titles) == "3 documents"


def test_the_page_is_called_after_the_file_and_its_path_is_there_to_see() -> None:
    documents = [{"text": "High water.", "id": "north/tides.md"}, {"text": "Low water.", "id": "fog.md"}]
    page = Page(to_html(tersely.compress(documents, budget=8)))
    assert page.all("title")[0].text == "tides.md, fog.md – tersely"
    assert page.all("h3")[0].text == "tides.md"
    assert page.all("bdi")[1].attributes == {"title": "north/tides.md"}


TOPICS = {
    "tides": "High water is at six. The tide turns at noon. Low water uncovers the old pier. ",
    "fog": "Fog is common in March. The lighthouse burns a lamp of eighty candles. Ships wait outside. ",
    "gulls": "Gulls steal chips. They nest on the roof of the market. Nobody feeds them twice. ",
}


def contextual(**options: Any) -> Any:
    documents = [{"text": text * 3, "id": f"notes/{name}.md"} for name, text in TOPICS.items()]
    return ContextualCompressor(token_budget=30, **options).compress_sync(documents, "When is low water?")


def check_spans(result: Any) -> None:
    """Kept and dropped spans are in order, apart from each other, and are what the receipt counts."""
    made = view_of(result).result
    spans = sorted([*made.kept, *made.dropped], key=lambda span: (span.document, span.start))
    for one, other in itertools.pairwise(spans):
        assert one.document < other.document or one.end <= other.start
    assert all(0 <= span.start < span.end <= len(made.documents[span.document].text) for span in spans)
    assert made.receipt.segments == len(spans) == sum(made.receipt.reasons.values())


def test_contextual_results_show_each_document_with_its_relevance() -> None:
    result = contextual()
    check_spans(result)
    page = Page(to_html(result, "When is low water?"))
    check_safe(page)
    assert page.texts == [text * 3 for text in TOPICS.values()]
    assert page.result == result.text
    assert [e.text for e in page.all("h3")] == ["tides.md", "fog.md", "gulls.md"]
    pieces = [e.text for e in page.all("span", "k") if "id" in e.attributes]
    assert pieces and all(piece in result.text for piece in pieces)
    listed = [e.text for e in page.all("td")]
    assert all(f"{score.overall_score:.2f}" in listed for score in result.relevance_scores)
    assert f"of {result.usage.available} allowed" in to_html(result)


def history() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You watch the harbour."}]
    for number in range(12):
        log = "\n".join(f"berth {n} of pier {number}: boat-{number}-{n} is {n * 7} m long" for n in range(30))
        call = {"id": f"c{number}", "type": "function", "function": {"name": "berths", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": f"Which boats lie at pier {number}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": log},
            {
                "role": "assistant",
                "content": f"Thirty boats lie at pier {number}; permit P-{number}47 ends soon.",
            },
        ]
    return messages


def test_histories_show_what_became_of_each_message() -> None:
    result = compact_messages(history(), budget=900, query="What ends soon?")
    assert {account.outcome for account in result.accounts} >= {"verbatim", "folded"}
    check_spans(result)
    page = Page(to_html(result))
    check_safe(page)
    assert [e.text for e in page.all("h3")][:3] == ["0 system", "1 user", "2 assistant"]
    made = view_of(result).result
    assert page.texts == [shown(document.text) for document in made.documents]
    whole = {
        span.document
        for span in made.kept
        if span.end - span.start == len(made.documents[span.document].text)
    }
    assert whole >= {account.index for account in result.accounts if account.outcome == "verbatim"}
    for span in made.kept:
        text = made.documents[span.document].text[span.start : span.end]
        assert all(line.strip() in made.text for line in text.splitlines())


def test_of_a_shortened_result_of_a_tool_the_lines_that_are_left_are_kept() -> None:
    lines = [f"{n:03} {'ERROR berth is taken' if n % 50 == 7 else 'ok'} boat-{n}" for n in range(300)]
    messages = [
        {"role": "user", "content": "Why?"},
        {"role": "tool", "tool_call_id": "a", "content": "\n".join(lines)},
    ]
    result = compact_messages(messages, budget=200)
    assert isinstance(result, CompactedMessages)
    assert result.accounts[1].outcome == "compressed"
    check_spans(result)
    made = view_of(result).result
    kept = "".join(made.documents[1].text[s.start : s.end] for s in made.kept if s.document == 1).splitlines()
    assert kept == [line for line in lines if line in result.messages[-1]["content"].splitlines()]
    assert len(kept) > 3


def test_a_history_that_fits_is_kept_whole() -> None:
    result = compact_messages(history()[:3], budget=5000)
    check_spans(result)
    assert not view_of(result).result.dropped
    check_safe(Page(to_html(result)))


def test_steps_show_what_the_summary_stands_for() -> None:
    steps = REPLHistory()
    for number in range(12):
        steps = steps.append(
            f"Look at berth {number}.", f"print(berth({number}))", f"boat-{number} <b>late</b>"
        )
    result = MemoryCompactor().compact(steps, "find late boats", force=True)
    check_spans(result)
    page = Page(to_html(result))
    check_safe(page)
    made = view_of(result).result
    assert len(page.texts) == 12
    assert made.text.startswith(result.summary)
    assert [span.reason for span in made.dropped] == ["summarized"] * result.summarized_entries
    assert "characters" in to_html(result)
    untouched = MemoryCompactor().compact(steps)
    check_safe(Page(to_html(untouched)))


def test_what_is_no_result_is_named() -> None:
    with pytest.raises(TypeError, match="CompactedMessages or CompactionResult, not dict"):
        view_of({"text": "x"})  # type: ignore[arg-type]


def naive(places: list[tuple[int, int]], total: int) -> list[int]:
    """By characters' shares of each column, one character at a time."""
    covered = [0.0] * COLUMNS
    for character in itertools.chain.from_iterable(range(*place) for place in places):
        start, end = COLUMNS * character / total, COLUMNS * (character + 1) / total
        for column in range(int(start), min(int(end) + 1, COLUMNS)):
            covered[column] += max(min(end, column + 1) - max(start, column), 0.0)
    return [max(1, min(STEPS, round(STEPS * share))) if share > 1e-7 else 0 for share in covered]


@given(st.lists(st.integers(0, 3000), min_size=2, max_size=16, unique=True), st.integers(1, 500))
def test_a_column_is_as_high_as_it_is_full(cuts: list[int], more: int) -> None:
    cuts = sorted(cuts)[: len(cuts) // 2 * 2]
    places = list(zip(cuts[::2], cuts[1::2], strict=True))
    total = cuts[-1] + more
    ours, theirs = levels(places, total), naive(places, total)
    assert len(ours) == COLUMNS
    assert all(
        abs(one - other) <= 1 for one, other in zip(ours, theirs, strict=True)
    )  # halves round either way
    assert sum(one != other for one, other in zip(ours, theirs, strict=True)) <= len(cuts)


def test_one_kept_character_of_a_long_text_is_seen() -> None:
    seen = levels([(999_999, 1_000_000)], 1_000_000)
    assert seen == [0] * (COLUMNS - 1) + [1]
    assert levels([(0, 5)], 5) == [STEPS] * COLUMNS


def rectangles(page: Page, look: str) -> list[tuple[float, float]]:
    found = [e.attributes for e in page.all("rect", look)]
    return [(float(e["x"]) / COLUMNS, float(e["width"]) / COLUMNS) for e in found]


def test_kept_text_is_drawn_where_it_lies() -> None:
    texts = [HARBOUR, "Otters float. " * 20, f"{HARBOUR} The ferry is late."]
    result = tersely.compress(texts, "ferry permit", budget=14)
    page = Page(to_html(result, "ferry permit"))
    total = sum(map(len, texts))
    starts = [0, *itertools.accumulate(map(len, texts))]
    expected = [(starts[span.document] + span.start, span.end - span.start) for span in result.kept]
    drawn = rectangles(page, "in")
    assert [x for x, _ in drawn] == pytest.approx([start / total for start, _ in expected], abs=1e-4)
    assert [w for _, w in drawn] == pytest.approx([size / total for _, size in expected], abs=1e-4)
    edges = [x for x, _ in rectangles(page, "edge")]
    assert edges == pytest.approx([starts[1] / total, starts[2] / total], abs=1e-4)
    hits = [x for x, _ in rectangles(page, "hit")]
    assert hits[0] == pytest.approx(HARBOUR.index("ferry") / total, abs=1 / COLUMNS)


def test_each_piece_says_where_it_starts() -> None:
    texts = [HARBOUR, f"Otters float. {HARBOUR}"]
    result = tersely.compress(texts, "permit", budget=20)
    page = Page(to_html(result))
    joined = "".join(texts)
    pieces = [e for e in page.all("span", "k") if "data-at" in e.attributes]
    assert pieces
    assert all(joined.startswith(e.text, int(e.attributes["data-at"])) for e in pieces)
    assert [e.attributes["data-at"] for e in page.all("article")] == ["0", str(len(HARBOUR))]
    (drawn,) = (e for e in page.elements if e.attributes.get("id") == "map")
    assert drawn.attributes["data-total"] == str(len(joined))
    assert drawn.attributes["aria-valuemax"] == str(len(pieces))


def test_a_map_of_very_many_pieces_stays_small() -> None:
    text = " ".join(f"Boat {n} is {'late' if n % 2 else 'on time'}." for n in range(6000))
    result = tersely.compress(text, "late", ratio=0.3)
    page = Page(to_html(result, "late"))
    assert len(result.kept) > 1000
    assert len(page.all("rect")) < 3 * COLUMNS
    assert {e.attributes["height"] for e in page.all("rect", "in")} <= {
        str(4 * n) for n in range(1, STEPS + 1)
    }


def test_nothing_kept_and_nothing_there_have_a_map() -> None:
    for texts in ("", [], ["", " \n "]):
        page = Page(to_html(tersely.compress(texts, budget=4)))
        check_safe(page)
        assert not rectangles(page, "in")


@pytest.mark.parametrize(("size", "checked"), [(100, False), (30_000, True)])
def test_long_sources_show_only_what_was_kept_at_first(size: int, checked: bool) -> None:
    text = "".join(f"Boat {n} is late. " for n in range(size // 17))
    page = Page(to_html(tersely.compress(text, budget=20)))
    (box,) = (e for e in page.all("input") if e.attributes.get("id") == "only")
    (main,) = page.all("main")
    assert ("checked" in box.attributes, "only" in main.classes) == (checked, checked)
