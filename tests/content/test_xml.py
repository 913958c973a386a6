"""XML data: failures and elements unlike their siblings stay; every kept piece is the source's."""

from __future__ import annotations

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import _native
from tersely.content.xml import Xml, is_data

CASES = [f'<testcase classname="shop.Cart" name="test_{n}" time="0.{n:03}"></testcase>' for n in range(80)]
FAILED = """<testcase classname="shop.Cart" name="test_refund" time="0.120">
<failure message="expected 3, got 4" type="AssertionError">cart.py:12</failure>
</testcase>"""
REPORT = "\n".join(
    [
        '<?xml version="1.0"?>',
        '<testsuite name="shop" tests="81">',
        *CASES[:50],
        FAILED,
        *CASES[50:],
        "</testsuite>",
    ]
)


def test_failures_of_test_reports_stay() -> None:
    result = tersely.compress(REPORT, budget=120, strategy="auto")
    assert result.receipt.content_types == ("xml",) and result.tokens <= 120
    assert 'name="test_refund"' in result.text and 'message="expected 3, got 4"' in result.text
    for span in result.kept:
        assert REPORT[span.start : span.end] in result.text
    part = "\n".join(f'<property name="p{n}" value="{"v" * 20}" />' for n in range(40))
    case = '<test-case id="7" name="Refunds" fullname="Shop.Cart.Refunds" result="Failed" seed="9"><failure>'
    case += "<message><![CDATA[wrong total of the cart]]></message></failure></test-case>"
    report = (
        f'<test-run id="2" total="1"><environment><properties>{part}</properties></environment>'
        f'<test-suite name="Shop">{case}</test-suite></test-run>'
    )
    result = tersely.compress(report, budget=60, strategy=Xml())
    assert 'name="Refunds"' in result.text and "wrong total of the cart" in result.text, result.text
    cases = [
        *CASES[:40],
        '<testcase classname="shop.Cart" name="raises_error" time="0.1"></testcase>',
        *CASES[40:],
    ]
    result = tersely.compress(f"<testsuite>{''.join(cases)}{FAILED}</testsuite>", budget=70, strategy=Xml())
    assert "expected 3, got 4" in result.text


def test_the_totals_of_a_report_with_failures_stay() -> None:
    counts = 'errors="0" failures="1" skipped="2" tests="81"'
    result = tersely.compress(REPORT.replace('tests="81"', counts), budget=120)
    assert result.receipt.content_types == ("xml",) and counts in result.text


def test_odd_elements_and_names_that_nothing_closes() -> None:
    items = [f"<item><id>i-{n}</id><state>open</state><note>{'x' * 30}</note></item>" for n in range(60)]
    items[33] = items[33].replace("open", "lost")
    result = tersely.compress(f"<rows>{''.join(items)}</rows>", budget=90, strategy=Xml())
    assert "<state>lost</state>" in result.text and "<id>i-33</id>" in result.text
    result = tersely.compress(REPORT, "How long did test_47 take?", budget=80, strategy="auto")
    assert CASES[47].partition("></")[0] in result.text
    message = "first words of what failed " + "and much more " * 200
    result = tersely.compress(
        f"<r>{''.join(CASES)}{failing('buys', message)}</r>", budget=200, strategy=Xml()
    )
    assert 'message="first words of what failed' in result.text and result.tokens <= 200
    rows = "\n".join(f'<case id="{n}"><name>step {n}</name>' for n in range(20))
    units = _native.tree_units([f'{rows}\n<case id="20"><name>step 20</name></case>'], "", 1)
    depth = np.asarray(units[4])
    assert all(depth[row] < 0 for row in range(len(depth)) if units[9][row])
    failed = (
        '<failure message="{0} == {1}" type="CHECK">FAILED:\n  {0} == {1}\nat a.cpp:<line number>\n</failure>'
    )
    case = '<testcase name="case {0}" time="0.1">' + failed + "</testcase>"
    # Cut off at its start, as a part of a longer report is.
    rows = ["at a.cpp:<line number>", "</failure>", failed.format("first", 1), "</testcase>"]
    rows += [case.format(f"f{n}", n) for n in range(12)] + CASES
    text = "\n".join(rows)
    result = tersely.compress(text, budget=370, strategy=Xml())
    assert sum(f'message="f{n} == {n}"' in result.text for n in range(12)) == 12
    assert 'message="first == 1"' in result.text and result.text.count("<line number>") < 3
    assert is_data("<?xml version='1.0'?><!-- a --><testsuites/>") and is_data("<rss><channel/></rss>")
    assert not is_data("<html/>") and not is_data("<book/>") and not is_data("<!DOCTYPE x>")


def failing(name: str, message: str) -> str:
    head = f'<testcase id="{name}-7" name="{name}" owner="team-shop" host="ci-7.example.net" time="0.1">'
    text = "\n".join(
        [message, "  at shop.Cart.run (cart.py:12)", "  at shop.main (main.py:3)"] + ["  at x"] * 20
    )
    return f'{head}\n<failure message="{message}" type="AssertionError">{text}</failure>\n</testcase>'


@pytest.mark.parametrize("name", ["polyline", "path"])
def test_the_words_of_a_drawing_come_before_its_lines(name: str) -> None:
    lines = "".join(
        f'<{name} d="{" ".join(f"L{n * k % 977} {n * k * 7 % 991}" for k in range(1, 40))}" fill="#{n:06x}"/>'
        for n in range(40)
    )
    words = "".join(f'<text x="{n}" y="4">Berth {n}: {n * 7}%</text>' for n in range(6))
    kept = tersely.compress(f"<svg><title>Load by quay</title>{lines}{words}</svg>", ratio=0.1).text
    assert "Load by quay" in kept and all(f"Berth {n}: {n * 7}%" in kept for n in range(6))


@pytest.mark.parametrize(
    "text",
    ["<a><b>1</b>", "</a><b>1</b>", "<a b='1", "<a><![CDATA[ x", "<a>&amp;</a", "<a><!-- x", "<a x=1 y/>"],
)
def test_what_is_cut_off_is_read_as_far_as_it_goes(text: str) -> None:
    whole = text + "<row k='v'>words</row>" * 40
    result = tersely.compress(whole, budget=30, strategy=Xml())
    assert result.tokens <= 30


@given(st.text(st.sampled_from("<>/ab='\" \n&;!-[]?CDAT")))
def test_any_text_is_cut_into_units(text: str) -> None:
    _, start, end, kind, needs, *_ = _native.tree_units([text], "", True)
    after = 0
    for row, (a, b) in enumerate(zip(start.tolist(), end.tolist(), strict=True)):
        assert after <= a < b <= len(text) and not text[after:a].strip() and needs[row] < row
        after = b
    assert not text[after:].strip() and len(kind) == len(start)


@pytest.mark.parametrize("findings", [1, 2])
def test_findings_that_are_all_called_errors_are_told_apart_by_their_severity(findings: int) -> None:
    mild = '<error line="{}" column="3" severity="warning" message="Missing a comment." source="Comment"/>\n'
    severe = (
        '<error line="88" column="3" severity="error" message="Method is 412 lines long." source="Length"/>\n'
    )
    files = [
        f'<file name="/srv/part/a{n}.java">\n'
        + "".join(mild.format(n + one) for one in range(findings))
        + "</file>\n"
        for n in range(50)
    ]
    files.insert(21, f'<file name="/srv/cart/Total.java">\n{severe}</file>\n')
    kept = tersely.compress(
        f'<?xml version="1.0"?>\n<checkstyle>\n{"".join(files)}</checkstyle>', ratio=0.1
    ).text
    assert "/srv/cart/Total.java" in kept and "Method is 412 lines long." in kept
