"""Facts as csrc/kernels/text/facts.hpp says, by example, beside a slow oracle, and for any text."""

from __future__ import annotations

from collections import Counter
from math import log2

import numpy as np
import pytest
from facts_oracle import PATTERNS, facts_of, slow_facts
from hypothesis import given, strategies as st
from sample_texts import ALL
from tersely import _native
from tersely.engine.facts import fact_keys, find_facts
from tersely.engine.reading import segment
from tersely.types import FactKind, FactTable
from text_strategies import texts

K = FactKind
EXAMPLES = [
    ("They paid $1,200 or 40% of -5 °C and 3.5 ms.", K.NUMBER, ["$1,200", "40%", "-5 °C", "3.5 ms"]),
    ("It takes 12 GB, 1e-5, 9 km/h, US$5, USD 500 million, <3% and 3-5 days.", K.NUMBER,
     ["12 GB", "1e-5", "9 km/h", "US$5", "USD 500 million", "<3%", "3-5 days"]),
    ("今年は3億円、去年は2.5万人。", K.NUMBER, ["3億円", "2.5万人"]),
    ("1. It is known [12] and [3, 4-6] that 7 are left.", K.NUMBER, ["7"]),
    ("2.1 Methods of 5 kinds", K.NUMBER, ["5"]),
    ("On 12 March 2024, March 12, 2024 and Jan 2023 at 10:30 am.", K.DATE,
     ["12 March 2024", "March 12, 2024", "Jan 2023", "10:30 am"]),
    ("From 2024-01-31T10:30:00Z to 31/12/2024, the 3rd of May, Monday.", K.DATE,
     ["2024-01-31T10:30:00Z", "31/12/2024", "3rd of May", "Monday"]),
    ("2024年1月31日に会う。", K.DATE, ["2024年1月31日"]),
    ("リスト.csv から data.csv へ。 看./src/a.py 和 .env", K.PATH,
     ["リスト.csv", "data.csv", "./src/a.py", ".env"]),
    ("In app/[slug]/page.tsx, src/(a)/@b/[...c].vue or f(x).csv.", K.PATH,
     ["app/[slug]/page.tsx", "src/(a)/@b/[...c].vue"]),
    ("データ/読込.py と、次にデータ/表.csv。", K.PATH, ["データ/読込.py", "データ/表.csv"]),
    ("데이터/읽기.py, ข้อมูล/อ่าน.py, файл/пример.txt.", K.PATH,
     ["데이터/읽기.py", "ข้อมูล/อ่าน.py", "файл/пример.txt"]),
    ("Makefile, go.mod, .clang-format, core/BUILD.", K.PATH,
     ["Makefile", "go.mod", ".clang-format", "core/BUILD"]),
    ("x.test.ts a.tar.gz app.log.1 .env.local Dockerfile.dev", K.PATH,
     ["x.test.ts", "a.tar.gz", "app.log.1", ".env.local", "Dockerfile.dev"]),
    ("In C:\\Program Files (x86)\\a b\\c.txt; copy C:\\a D:\\b.", K.PATH,
     ["C:\\Program Files (x86)\\a b\\c.txt", "C:\\a", "D:\\b"]),
    ("Open \"/srv/me/my notes/a b.md\", `C:\\a b\\c d.txt` and 'src/My Docs/Read.md'.", K.PATH,
     ["/srv/me/my notes/a b.md", "C:\\a b\\c d.txt", "src/My Docs/Read.md"]),
    ('Run `python a b/main.py`, say "see a/b.py or c/d.py".', K.PATH, ["a/b.py", "c/d.py"]),
    ("データ/読込.py:8, Makefile:12 and app/[id]/x.ts(3,4).", K.PATH_LINE,
     ["データ/読込.py:8", "Makefile:12", "app/[id]/x.ts(3,4)"]),
    ("From v1.2.3 over 2.0-rc1 and 3.13.0a1 to V2.", K.VERSION, ["v1.2.3", "2.0-rc1", "3.13.0a1", "V2"]),
    ("We met Dr. Anna Smith in New York, at the University of California.", K.NAME,
     ["Dr. Anna Smith", "New York", "University of California"]),
    ("Yesterday NASA, J. K. Rowling and Jean-Luc saw COVID-19 in Paris.", K.NAME,
     ["NASA", "J. K. Rowling", "Jean-Luc", "COVID-19", "Paris"]),
    ("Kettles boil. Water is wet.", K.NAME, []),
    ("Kettles boil. They know that Kettles boil.", K.NAME, ["Kettles", "Kettles"]),
    ('"This is it," she said. “So it is.” «C\'est tout» "one" 「四五六七」', K.QUOTE,
     ['"This is it,"', "“So it is.”", "«C'est tout»", "「四五六七」"]),
    ('{"a key": "some text here", "b": ["c d", "e f"]}', K.QUOTE, []),
    ("Text.\n\n```py\nx = 'a b' + 1\n\ny = 2\n```\n\nMore.", K.FENCED_CODE,
     ["```py\nx = 'a b' + 1\n\ny = 2\n```"]),
    ("Use `a + b`, ``c ` d`` and `src/y.py`.", K.INLINE_CODE, ["`a + b`", "``c ` d``"]),
    ("In /etc/passwd, src/x.py, ./run, C:\\x\\y and setup.py, and/or km/h.", K.PATH,
     ["/etc/passwd", "src/x.py", "./run", "C:\\x\\y", "setup.py"]),
    ('At a/b.py:12, a.py:12:5: and File "c/d.py", line 3, E.java:[4,5] x.cs(6,7).', K.PATH_LINE,
     ["a/b.py:12", "a.py:12:5", 'c/d.py", line 3', "E.java:[4,5]", "x.cs(6,7)"]),
    ("See https://example.org/a_(b)?c=1. Or (www.example.org), me@example.org.", K.URL,
     ["https://example.org/a_(b)?c=1", "www.example.org", "me@example.org"]),
    ("Call foo_bar(), os.path.join, fooBar, MAX_SIZE, std::vector, --dry-run, #12, @user and 10.0.0.1.",
     K.IDENTIFIER, ["foo_bar()", "os.path.join", "fooBar", "MAX_SIZE", "std::vector", "--dry-run", "#12",
     "@user", "10.0.0.1"]),
    ("ValueError: bad thing\nThe end", K.ERROR, ["ValueError: bad thing"]),
    ("src/x.c:3: error: no such file", K.ERROR, ["error: no such file"]),
    ("error[E0308]: mismatched types", K.ERROR, ["error[E0308]: mismatched types"]),
    ("It exited with code 137 and E1234.", K.ERROR, ["exited with code 137", "E1234"]),
    ("2024-03-05 10:11:15,007 ERROR sluice 3 failed", K.ERROR, ["ERROR sluice 3 failed"]),
    ("It is red, not blue; he can't see it.", K.NEGATION, ["not blue", "he can't see it."]),
    ("这样做不可以，谢谢。", K.NEGATION, ["这样做不可以"]),
    ("You must not go, but you have to wait.", K.OBLIGATION, ["You must not go", "but you have to wait."]),
    ("We talked. We decided not to go. Decision: it stays. We will see.", K.DECISION,
     ["We decided not to go.", "Decision: it stays.", "We will see."]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "wanted"), EXAMPLES)
def test_what_counts(text: str, kind: FactKind, wanted: list[str]) -> None:
    assert [found for _, found in facts_of(text, (kind,))] == wanted


def test_one_thing_counts_once() -> None:
    assert facts_of("It is 2024-01-31 at https://example.org/a/b.py:3 in `f(1)`.") == [
        (K.DATE, "2024-01-31"),
        (K.URL, "https://example.org/a/b.py:3"),
        (K.INLINE_CODE, "`f(1)`"),
    ]
    assert facts_of("```\nAnna paid 5 dollars\n```") == [(K.FENCED_CODE, "```\nAnna paid 5 dollars\n```")]
    assert facts_of("We agreed not to pay.") == [(K.DECISION, "We agreed not to pay.")]


@pytest.mark.parametrize(
    "equal",
    [
        ("It is 1,200 here.", "It was 1200 then."),
        ("It took 3.5 ms.", "It took 3.5ms."),
        ("We saw Anna  Smith.", "We saw ANNA SMITH today."),
        ("In a/b.py:12 it is.", 'File "a/b.py", line 12'),
        ("Use v1.2.3 now.", "Use 1.2.3 now."),
        ("Call foo_bar() now.", "Call foo_bar now."),
        ("Look at `a/b.py` now.", "Look at a/b.py now."),
        ('He said "so it is" twice.', "He said “So it is” twice."),
        ("It is red, not blue.", "It is green, Not  blue!"),
    ],
)
def test_equal_facts_have_one_key(equal: tuple[str, str]) -> None:
    table = segment(list(equal))
    facts = find_facts(list(equal), table)
    assert set(facts.key[facts.document == 0]) & set(facts.key[facts.document == 1])


@pytest.mark.parametrize(
    "different", [("Pay 12 GB.", "Pay 12 MB."), ("Pay 5 now.", "Pay -5 now."), ("a 1.5.", "a 1.50.")]
)
def test_different_facts_have_two(different: tuple[str, str]) -> None:
    facts = find_facts(list(different), segment(list(different)))
    numbers = facts.kind == K.NUMBER
    assert len(set(facts.key[numbers])) == 2 == numbers.sum()


WORDS = st.sampled_from(["the", "pump", "was", "near", "a", "green", "door", "while", "some", "men", "went"])
NUMBERS = st.integers(0, 10**7).flatmap(
    lambda n: st.sampled_from(
        [f"{n}", f"{n:,}", f"-{n}", f"${n:,}", f"{n}%", f"<{n}", f"{n}.25", f"{n % 99}e-5"]
    )
)
TOKENS = st.sampled_from(
    """https://a.example/b?c=d 2024-02-29 2024-02-29T10:30:00Z 9:05 10:30:59 Monday a/b.py c.py:12
    x/y/z.rs:3:4 ./q.md /usr/local C:\\a\\b v2 v1.2.3 1.2.3 2.0-rc1 3.1beta2 ValueError KeyException foo_bar
    MAX_SIZE --dry-run fooBar os.path.join() call() ms MB days million %""".split()  # noqa: SIM905
)
ENDS = st.sampled_from(["", "", "", ",", ";"])


@given(st.lists(st.tuples(st.one_of(WORDS, NUMBERS, TOKENS), ENDS), max_size=25))
def test_tokens_are_those_of_the_oracle(parts: list[tuple[str, str]]) -> None:
    text = " ".join(["we saw", *(token + end for token, end in parts), "there"])
    kinds = {kind for kind, _ in PATTERNS}
    assert facts_of(text, tuple(kinds)) == slow_facts(text)


TOKEN_KINDS = (*range(K.QUOTE), *range(K.FENCED_CODE, K.ERROR))


#: Signs of paths, whose facts must not overlap.
PATHS = st.text("a/\\.:[](){} '`\"C読を1-", max_size=60)


@given(st.lists(st.one_of(texts, PATHS), min_size=1, max_size=3))
def test_rows_are_in_order_in_their_segments(documents: list[str]) -> None:
    table = segment(documents)
    facts = find_facts(documents, table)
    order = np.lexsort((facts.kind, -facts.end, facts.start, facts.document))
    assert order.tolist() == list(range(len(facts)))
    assert (table.document[facts.segment] == facts.document).all()
    assert (table.start[facts.segment] <= facts.start).all() and (
        facts.start < table.end[facts.segment]
    ).all()
    assert (table.document[facts.last] == facts.document).all()
    assert (table.start[facts.last] < facts.end).all() and (facts.end <= table.end[facts.last]).all()
    assert all(
        0 <= s < e <= len(documents[d])
        for d, s, e in zip(facts.document, facts.start, facts.end, strict=True)
    )
    _, first = np.unique(facts.key, return_index=True)
    assert len(first) == facts.keys and (np.diff(first) > 0).all()
    for document in range(len(documents)):
        rows = (facts.document == document) & np.isin(facts.kind, TOKEN_KINDS)
        assert (facts.start[rows][1:] >= facts.end[rows][:-1]).all()


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        ("document", np.array([1], np.int32)),
        ("document", np.array([-1], np.int32)),
        ("start", np.array([5], np.int64)),
        ("end", np.array([9], np.int64)),
        ("kind", np.array([9], np.uint8)),
        ("block", np.empty(0, np.int32)),
    ],
)
@pytest.mark.parametrize("text", ["a b 5", "ä b 5"])
def test_bad_segments_are_refused(text: str, name: str, bad: object) -> None:
    columns = {
        "document": np.array([0], np.int32),
        "start": np.array([0], np.int64),
        "end": np.array([5], np.int64),
        "kind": np.array([0], np.uint8),
        "block": np.array([0], np.int32),
    }
    assert len(_native.find_facts([text], **columns)[0]) == 1
    with pytest.raises(ValueError, match="must"):
        _native.find_facts([text], **{**columns, name: bad})  # type: ignore[arg-type]


def test_keys_are_those_of_equal_facts_and_bad_ones_are_refused() -> None:
    text = "It took 1,200 ms, then 1200 ms. Use `a b` and `a b`."
    facts = find_facts([text], segment([text]))
    keys = fact_keys([text], facts)
    assert len(set(keys)) == facts.keys < len(facts)
    assert [keys.index(key) for key in keys] == [facts.key.tolist().index(key) for key in facts.key]
    for kind, texts_given in ((15, ["a"]), (0, [""]), (0, [])):
        with pytest.raises(ValueError, match="must"):
            _native.fact_keys(np.array([kind], np.uint8), texts_given)


def test_facts_weigh_what_they_are_hard_to_recover() -> None:
    text = "In 2019 we met Anna Berg, 3 INV-2291, $480, 12 March 2024, v1.2.3, src/a.py, www.a.org, Monday."
    facts = find_facts([text], segment([text]))
    spans = zip(facts.start.tolist(), facts.end.tolist(), facts.weight.tolist(), strict=True)
    weight = {text[start:end]: value for start, end, value in spans}
    hard = [weight[fact] for fact in ("INV-2291", "$480", "12 March 2024", "v1.2.3", "src/a.py", "www.a.org")]
    assert min(hard) > 2 * weight["Anna Berg"] > 2 * weight["2019"] > 2 * weight["3"]
    assert weight["Monday"] < weight["Anna Berg"]
    assert facts.weight.dtype == np.float32
    assert (facts.weight >= 0.3).all()
    assert (facts.weight <= 3).all()


FOLDERS = (
    "src", "データ", "app", "[slug]", "(auth)", "{id}", "файл", "데이터", "a-b_c", "v2", "@ui", "[...all]",
)  # fmt: skip
FILES = (
    "page.tsx", "読込.py", "index.test.ts", "a.tar.gz", "[id].ts", "Makefile", "main.rs", "go.mod", "x.log.1",
)  # fmt: skip


@given(
    st.lists(st.sampled_from(FOLDERS), max_size=4),
    st.sampled_from(FILES),
    st.sampled_from(["", ":12", "(3,4)"]),
)
def test_a_path_is_found_whole_whatever_its_parts_are(folders: list[str], file: str, line: str) -> None:
    path = "/".join([*(["src"] if folders and folders[0][0] in "[({@" else []), *folders, file]) + line
    kind = K.PATH_LINE if line else K.PATH
    assert facts_of(f"I am in {path} now.") == [(kind, path)]


def weights_in_text(facts: FactTable, segments: int) -> list[float]:
    """facts.hpp."""
    likes = [(kind, round(weight / 0.05)) for kind, weight in zip(facts.kind, facts.weight, strict=True)]
    held = Counter(like for like, _ in set(zip(likes, facts.segment.tolist(), strict=True)))
    return [w * log2((segments + 4) / (held[like] + 2)) for like, w in zip(likes, facts.weight, strict=True)]


@pytest.mark.parametrize("sample", ALL)
def test_facts_weigh_less_the_more_of_their_like_a_text_has(sample: str) -> None:
    table = segment([sample])
    facts = find_facts([sample], table)
    found = _native.weights_in_text(facts.kind, facts.segment, facts.weight, len(table))
    np.testing.assert_allclose(found, weights_in_text(facts, len(table)), rtol=1e-5)
