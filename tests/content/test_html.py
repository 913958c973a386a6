"""HTML: text between tags, verbatim; markup first to go; the oracle is Python's own parser."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
import tersely
from growth import MOST, growth
from hypothesis import given, strategies as st
from tersely import _native
from tersely.content.html import Html, PageText

PAGE = """<!DOCTYPE html>
<html><head><title>Dams &amp; gates</title><script>if (a < b) { x("</p>") }</script></head>
<body><nav><ul><li><a href="/">Home</a></li></ul></nav>
<h1 title='a > b'>Gates</h1><p>The <b>first</b> gate was closed in 1953. It has held since then.</p>
<!-- <p>not this</p> --><ul><li>oak</li><li>steel</li></ul>
<table><tr><th>gate</th><th>year</th></tr><tr><td>first</td><td>1953</td></tr></table>
<p>5 < 7</p><svg><text>drawn</text></svg><noscript>off</noscript><footer>Imprint</footer></body></html>"""


class Oracle(HTMLParser):
    """Words between tags, outside of what is never shown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.words: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in ("script", "style", "noscript", "svg", "template", "math")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style", "noscript", "svg", "template", "math")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.words.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")


def pieces_of(page: str) -> list[str]:
    start, end, _, _ = _native.html_texts([page])
    return [page[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True)]


def oracle(page: str) -> str:
    parser = Oracle()
    parser.feed(page)
    parser.close()
    return "".join("".join(parser.words).split())


def test_the_text_of_a_page_is_the_sources() -> None:
    result = tersely.compress(PAGE, budget=90, strategy=Html())
    assert result.text == (
        "Dams &amp; gates\n\nGates\n\nThe first gate was closed in 1953. It has held since then.\n\n"
        "oak\nsteel\n\ngate\tyear\nfirst\t1953\n\n5 < 7"
    )
    assert {span.reason for span in result.dropped} == {"markup"}
    page = "".join(
        f"<p>Gate {n} is <b>closed</b> &amp; locked on day {n}. Nobody has seen it.</p>" for n in range(50)
    )
    result = tersely.compress(page, "Which gate is locked on day 17?", budget=60, strategy=Html())
    assert not any("<" in page[span.start : span.end] for span in result.kept)
    assert "Gate 17" in result.text and result.tokens <= 60 < result.original_tokens
    assert result.expand(result.kept[0], context=3).startswith("<p>")


def test_pins_and_groups_are_places_of_the_source() -> None:
    page = "".join(f"<p>Gate {n} is <i>closed</i> on day {n}.</p>\n\n" for n in range(50))
    result = tersely.compress(page, budget=40, pinned=["Gate 33 is <i>closed"], strategy=Html())
    assert "<p>Gate 33 is <i>closed</i> on day 33.</p>" in result.text
    assert result.receipt.warnings == ("markup_kept",)  # the tags of what is pinned stand in the text, too
    plain = tersely.compress(page, budget=40, pinned=["on day 33."], strategy=Html())
    assert "on day 33." in plain.text and "<" not in plain.text and plain.receipt.warnings == ()
    tag = tersely.compress("<p id='x9'></p>\n\n" + page, budget=60, pinned=["id='x9'"], strategy=Html())
    assert "id='x9'" in tag.text and "markup_kept" in tag.receipt.warnings
    page = f"<script>let key = 'k-71'; {'load(); ' * 400}</script><p>Text.</p><!-- {'note ' * 400} n-5 -->"
    found = tersely.compress(page, budget=40, pinned=["'k-71'", "n-5"], strategy=Html())
    assert found.text.split() == ["'k-71'", "Text.", "n-5"]
    page = "<p>One gate.</p>\n\n" * 30
    assert tersely.compress(page, budget=20, groups=[[(0, 16, 18)]], strategy=Html()).tokens <= 20
    said = [f"https://example.org/doc/{n}?x" for n in (5, 50)]
    places = [(_ONE_LINE.index(url), _ONE_LINE.index(url) + len(url)) for url in said]
    seen = set()
    for budget in range(20, 600, 20):
        found = tersely.compress(_ONE_LINE, "harbour 50?", budget=budget, strategy=Html(), groups=[places])
        assert (said[0] in found.text) == (said[1] in found.text)
        seen.add(said[0] in found.text)
    assert seen == {True, False}


_LINKS = "".join(
    f'<li><a href="https://example.org/doc/{n}?x={n}">Paper {n}</a> is about harbour {n}.</li>'
    for n in range(60)
)
_ONE_LINE = f"<html><body><nav>Home of gate 7</nav><h1>List</h1><p>Intro.</p><ul>{_LINKS}</ul></body></html>"


@pytest.mark.growth
def test_many_pins_in_tags_take_linear_time() -> None:
    def run(page: str) -> None:
        PageText.read(page, [(at, at + 9) for at in range(0, len(page) - 9, 40)])

    assert growth(lambda size: _LINKS * (size // 1_000), run) < MOST
    assert growth(lambda size: "<p>" + "a <b>b</b> " * (size // 10), run) < MOST  # one block


def test_text_that_is_navigation_xml_or_preformatted() -> None:
    page = "<nav>" + "".join(f"<a href='/{n}'>Page {n}</a> " for n in range(60)) + "</nav>"
    assert "Page" in tersely.compress(page, budget=40, strategy=Html()).text
    book = "<?xml version='1.0'?><book>" + "".join(
        f"<para><id>{n}</id><note><![CDATA[a < {n}]]></note></para>" for n in range(40)
    )
    result = tersely.compress(book + "</book>", budget=60, strategy="auto")
    assert result.receipt.content_types == ("html",) and "<para" not in result.text
    code = "def f(x):\n    if x:\n        return 1\n\n    return 2"
    marked = (
        code.replace("def", "<b>def</b>")
        .replace("if", "<i class='k'>if</i>")
        .replace("return", "<b>return</b>")
    )
    page = PageText.read(f"<p>See\n here:</p><pre>\n<span></span>{marked}\n</pre><p>So.</p>")
    assert page.plain == f"See\n here:\n\n{code}\n\nSo."


ATTRIBUTES = [
    " href=x/y",
    ' title="1 > 0"',
    " alt='a \"quoted\" <b>'",
    " data-x = '>'",
    " checked\n",
    ' class=""',
]
WORDS = ["Gate 7 is shut.", "5 < 7 & 8 > 3", "&lt;b&gt; &#8212; &nbsp;", "Tor 9 fährt auf", " \n\t"]
SINGLE = [
    "<br>",
    "<img src='a>b.png'>",
    "<!-- a <p> -->",
    "<!DOCTYPE html>",
    "<script>if (a</b/.c) { x('<p>') }</script>",
]
pages = st.recursive(
    st.sampled_from(WORDS + SINGLE),
    lambda inner: st.builds(
        lambda name, attributes, parts: f"<{name}{''.join(attributes)}>{''.join(parts)}</{name}>",
        st.sampled_from(["p", "DIV", "b", "li", "td", "pre", "h1", "svg", "noscript", "x-card"]),
        st.lists(st.sampled_from(ATTRIBUTES), max_size=3),
        st.lists(inner, max_size=4),
    ),
    max_leaves=30,
)


@given(pages)
def test_pages_as_pythons_parser_reads_them(page: str) -> None:
    assert "".join("".join(pieces_of(page)).split()) == oracle(page)


@pytest.mark.parametrize(
    (
        "tag",
        "rest",
    ),  # of the tag: where it ends as HTML's tokenizer reads it, Python's parser being of many minds
    [
        ("<p a=b'>'>", "'>"),  # a quote within a value
        ('<p a==">">', '">'),  # the value begins with the second "="
        ("<p ='>'>", "'>"),  # a name begins with "="
        ("<p a='b'='>'>", "'>"),  # after a value: a name
        ("<p a/='>'>", "'>"), ("<p/a='>'>", ""), ("<p a\n=\t'>'>", ""), ("<p a='b'c='>'>", ""),
        ('<p a">', ""),  # a quote within a name
        ("<p '>'>", "'>"), ("<p a=>", ""), ("<p a= >", ""), ("<p a=/>", ""), ("</p a='>'>", ""),
    ],
)  # fmt: skip
def test_a_malformed_tag_ends_where_html_says(tag: str, rest: str) -> None:
    assert "".join(pieces_of(f"<div>one</div>{tag}two</p>")) == f"one{rest}two"


@given(
    st.lists(
        st.one_of(
            st.sampled_from(["<pre>", "</pre>", "<b>", " \n  "]), st.sampled_from("<>/!-=\"' apbé\n[]&;?")
        )
    ).map("".join)
)
def test_any_text_is_read(page: str) -> None:
    start, end, glue, aside = _native.html_texts([page])
    after = 0
    for a, b in zip(start.tolist(), end.tolist(), strict=True):
        indentation = not page[a:b].strip(" \t\r\f\v") and page[a - 1] == "\n"
        assert after <= a < b <= len(page) and (indentation or page[a:b] == page[a:b].strip(" \n\t\r\f\v"))
        after = b
    assert (glue <= 4).all() and (aside <= 1).all()
