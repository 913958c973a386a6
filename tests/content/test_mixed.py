"""Text with long blocks, between fences or of JSON: each block as what it is."""

from __future__ import annotations

import json

import pytest
import tersely
from tersely.content.blocks import LONG, Mixed, long_blocks
from tersely.models.counters import resolve_counter

LOG = "\n".join(
    f"2024-05-01 10:{n // 60:02}:{n % 60:02} INFO served /items/{n} in {n * 7 % 90} ms" for n in range(200)
)
LOG = LOG.replace("INFO served /items/150 in 60 ms", "ERROR payment timeout for order 9")
REPLY = json.dumps({"orders": [{"id": n, "state": "paid", "total": n * 3} for n in range(80)]}, indent=1)
BEFORE = "# Report\n\nWe saw failures in checkout. The log below has one error."
AFTER = "We will add retries. The deadline is Friday. " + "It was a long day for all. " * 10
PAGE = f"{BEFORE}\n\n```log\n{LOG}\n```\n\n{AFTER}\n"


def check(result: tersely.Compressed, budget: int) -> None:
    """What else is promised of it conftest.py has checked of every result."""
    assert result.tokens == resolve_counter(None).count(result.text) <= budget


@pytest.mark.parametrize("query", [None, "payment timeout"])
@pytest.mark.parametrize("strategy", ["auto", "mixed", Mixed()])
def test_a_fenced_log_is_a_log(query: str | None, strategy: object) -> None:
    result = tersely.compress(PAGE, query, budget=250, strategy=strategy)
    check(result, 250)
    assert "ERROR payment timeout for order 9" in result.text
    assert "We will add retries." in result.text
    assert "```log\n" in result.text and result.text.count("```") == 2
    assert any("lines" in result.text[start:end] for start, end in result.generated)
    assert "query_without_matches" not in result.receipt.warnings
    assert result.tokens > 200


def test_blocks_go_their_own_way() -> None:
    page = f"{PAGE}\nThe reply:\n\n~~~json\n{REPLY}\n~~~\n\nThat is all.\n"
    result = tersely.compress(page, budget=500, strategy="auto")
    check(result, 500)
    inside = result.text.split("~~~json\n", 1)[1].split("~~~", 1)[0]
    assert json.loads(inside)["orders"]
    assert "ERROR payment timeout for order 9" in result.text
    lines = "".join(f"2024-05-01 10:00:{n % 60:02} INFO served /items/{n}\n" for n in range(90))
    page = f"# Incident\n\nThe payment timed out.\n\n```log\n{lines}```\n\nWe will add retries.\n"
    result = tersely.compress(page, budget=300, strategy="auto")
    check(result, 300)
    assert "The payment timed out.\n\n```log\n" in result.text and "\n\n\n" not in result.text


def test_blocks_that_go_texts_without_and_facts() -> None:
    block = "\n".join(f"layer_{n}/                 what stands in layer {n}, and no other" for n in range(40))
    page = f"{AFTER}\n\n```\n{block}\n```\n\n" + "The counter goes to the providers. " * 8 + AFTER * 20
    result = tersely.compress(page, "Where does the counter go?", budget=60, strategy="auto")
    check(result, 60)
    assert "The counter goes to the providers." in result.text
    assert "```\n\n```" not in result.text
    assert sum(result.receipt.reasons.values()) == result.receipt.segments
    assert tersely.compress(PAGE, budget=10_000, strategy="mixed").text == PAGE
    short = f"{AFTER}\n\n```\npip install x\n```\n\n{AFTER}"
    told = tersely.compress(short, budget=40, strategy="mixed")
    assert told.text == tersely.compress(short, budget=40).text
    assert tersely.compress(PAGE, budget=2, strategy="mixed").tokens <= 2
    sentences = f"{AFTER}\n\n```\n{AFTER * 5}\n```\n"
    assert 0 < tersely.compress(sentences, budget=40, strategy="mixed").tokens <= 40
    strategy = Mixed(text=tersely.Extractive(preserve=("numbers",)))
    page = PAGE.replace("The deadline is Friday.", "The deadline is 12 March 2026.")
    result = tersely.compress(page, budget=300, strategy=strategy, pinned=["served /items/77 in"])
    check(result, 300)
    assert "INFO served /items/77 in 89 ms" in result.text and "12 March 2026" in result.text
    assert result.receipt.facts is not None
    for fact in result.receipt.facts.of("kept"):
        assert page[fact.start : fact.end] == fact.text


@pytest.mark.parametrize(
    ("opening", "closing", "blocks"),
    [
        ("```", "```", 1), ("~~~ log", "~~~~", 1), ("   ```", "```  ", 1), ("````", "```", 0),
        ("```", "~~~", 0), ("``", "``", 0), ("    ```", "```", 0), ("``` a`b", "```", 0),
        ("```", "``` log", 0),
    ],
)  # fmt: skip
def test_fences_are_commonmarks(opening: str, closing: str, blocks: int) -> None:
    body = "x " * LONG
    text = f"a\n{opening}\n{body}\n{closing}\nb"
    assert [text[block.start : block.end] for block in long_blocks(text)] == [body] * blocks


ODD = REPLY.replace('"id": 50,\n   "state": "paid"', '"id": 50,\n   "state": "refused"')
ROWS = "\n".join(map(json.dumps, json.loads(ODD)["orders"]))


@pytest.mark.parametrize(
    "before", ["HTTP/1.1 200 OK\r\nX-Id: 7\r\n\r\n", "warning: two rules exclude each other\n"]
)
@pytest.mark.parametrize("body", [ODD, ROWS])
@pytest.mark.parametrize("after", ["", "\n* Connection left intact\n"])
def test_json_among_other_lines_is_json(before: str, body: str, after: str) -> None:
    text = before + body + after
    assert tersely.detect(text).kind == "mixed"
    result = tersely.compress(text, ratio=0.2)
    check(result, result.receipt.budget)
    inside = result.text.removeprefix(before)[: result.text.rindex(body[-1]) + 1 - len(before)]
    values = json.loads(inside)["orders"] if body is ODD else list(map(json.loads, inside.split("\n")))
    assert {"id": 50, "state": "refused", "total": 150} in values


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"a\n{REPLY}\nb", [REPLY]),
        (f"{ROWS}\nb\n{REPLY}", [ROWS, REPLY]),
        (f"a\n{REPLY[:-1]}\nb", []),  # never closed
        (f"a\n{REPLY} b\nc", []),
        (f"a {REPLY}", []),
        (f"{{ not this\n{REPLY}", [REPLY]),
        (f"```\n{ROWS}\n```", [ROWS]),  # between fences, once
    ],
)
def test_blocks_of_json_are_whole_lines(text: str, found: list[str]) -> None:
    assert [text[block.start : block.end] for block in long_blocks(text)] == found


DECLINED = "alert: the card was declined"
FORMS = {  # blocks that look like nothing known, with a place for one line that does not stand often
    "a tree of a page": (["- generic [ref=e{n}]:", '  - link "Part {n}"', "    - /url: /c/{n}"], "  - {odd}"),
    "a tree by spaces": (['uid=1_{n} link "Part {n}"', '  uid=2_{n} text "Part {n}"'], "  uid=9 {odd}"),
    "numbers": (["{n} {n}.5 {n}7"], "{odd}"),
    "paths": (["src/part/mod{n}.py"], "{odd}"),
    "tags": (["<li><a href='/c/{n}'>{n}</a></li>"], "<p>{odd}</p>"),
}


@pytest.mark.parametrize("language", ["", "text", "yaml", "console"])
@pytest.mark.parametrize("form", FORMS)
def test_a_block_that_looks_like_nothing_known_is_read_as_lines(form: str, language: str) -> None:
    often, odd = FORMS[form]
    lines = [line.format(n=n) for n in range(90) for line in often]
    lines.insert(len(lines) * 2 // 3, odd.format(odd=DECLINED))
    block = "\n".join(lines)
    page = f"### Page state\n\n```{language}\n{block}\n```\n"
    budget = resolve_counter(None).count(page) // 5
    result = tersely.compress(page, budget=budget)
    check(result, budget)
    assert DECLINED in result.text
    assert result.text.count("```") == 2
