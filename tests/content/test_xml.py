"""XML data: failures and elements unlike their siblings stay; every kept piece is the source's."""

from __future__ import annotations

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given
from hypothesis import strategies as st
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


def test_the_failed_test_stays_with_its_name_and_message() -> None:
    result = tersely.compress(REPORT, budget=120, strategy="auto")
    assert result.receipt.content_types == ("xml",) and result.tokens <= 120
    assert 'name="test_refund"' in result.text and 'message="expected 3, got 4"' in result.text
    for span in result.kept:
        assert REPORT[span.start : span.end] in result.text


def test_the_element_that_is_unlike_its_siblings_stays_with_its_name() -> None:
    items = [f"<item><id>i-{n}</id><state>open</state><note>{'x' * 30}</note></item>" for n in range(60)]
    items[33] = items[33].replace("open", "lost")
    result = tersely.compress(f"<rows>{''.join(items)}</rows>", budget=90, strategy=Xml())
    assert "<state>lost</state>" in result.text and "<id>i-33</id>" in result.text


def test_the_element_that_a_query_names_stays() -> None:
    result = tersely.compress(REPORT, "How long did test_47 take?", budget=80, strategy="auto")
    assert CASES[47].partition("></")[0] in result.text


def test_documents_are_no_data() -> None:
    assert is_data("<?xml version='1.0'?><!-- a --><testsuites/>") and is_data("<rss><channel/></rss>")
    assert not is_data("<html/>") and not is_data("<book/>") and not is_data("<!DOCTYPE x>")


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


@pytest.mark.growth
@pytest.mark.parametrize("piece", ["<a>", "<a b='1'/>", "</a>", "<a>x</a>\n", "x &amp; y ", "<![CDATA["])
def test_time_is_linear(piece: str) -> None:
    def run(text: str) -> object:
        return _native.tree_units([text], "", True)

    assert growth(lambda size: "<r>" + piece * (size // len(piece)), run) < MOST
