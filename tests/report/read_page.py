"""A page, read back: the data that its script draws, and the elements around it."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import tersely
from tersely.report import to_html
from tersely.types import Fact, FactKind, FactReport

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


def forged(attack: str) -> tersely.Compressed:
    """A result in which everything that somebody gives is an attack."""
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
    return replace(result, kept=kept, text=result.text + attack, generated=((0, 5),), receipt=receipt)


def plain(runs: list[Any]) -> str:
    """The text of runs, without what the page says itself."""
    return "".join(
        run if isinstance(run, str) else plain(run["text"]) if isinstance(run, dict) else run[0]
        for run in runs
        if not (isinstance(run, list) and run[1].startswith("x"))
    )


class Page(HTMLParser):
    """The data of a page; `texts` are the source's documents, `results` what was made of them.

    Whatever is on it, its elements are those of every page: text cannot become markup.
    """

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, str] = {}  # by id or tag
        self.here = ""
        self.feed(page)
        self.close()
        self.data: dict[str, Any] = json.loads(self.inside["data"])
        assert "<" not in self.inside["data"]
        assert self.elements == _ELEMENTS or not _ELEMENTS
        drawn = self.data.get("documents", [])
        self.pieces: list[dict[str, Any]] = [piece for one in drawn for piece in one["pieces"]]
        self.texts = [plain(one["pieces"]) for one in drawn]
        self.result = plain(self.data["panel"]["text"]) if "panel" in self.data else ""

    def kept(self, look: str = "") -> list[dict[str, Any]]:
        return self._of("k", look)

    def dropped(self, look: str = "") -> list[dict[str, Any]]:
        return self._of("d", look)

    def _of(self, fate: str, look: str) -> list[dict[str, Any]]:
        return [one for one in self.pieces if one.get("fate") == fate and look in ["", *one["look"].split()]]

    def marks(self, look: str) -> list[list[str]]:
        """The marked runs of query, source and compressed texts, in this order."""
        runs = [*(self.data["query"] or [[]])[0], *(run for piece in self.pieces for run in piece["text"])]
        for part in self.data["panel"]["text"]:
            runs += part["text"] if isinstance(part, dict) else [part]
        return [run for run in runs if isinstance(run, list) and look in run[1].split()]

    def twins(self) -> dict[int, str]:
        """The kept pieces of the compressed text by number."""
        parts = [part for part in self.data["panel"]["text"] if isinstance(part, dict)]
        return {part["number"]: plain(part["text"]) for part in parts}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.here = dict(attrs).get("id") or tag

    def handle_endtag(self, tag: str) -> None:
        self.here = ""

    def handle_data(self, data: str) -> None:
        self.inside[self.here] = self.inside.get(self.here, "") + data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


_ELEMENTS: list[tuple[str, dict[str, str | None]]] = []
_ELEMENTS = Page(to_html(tersely.compress("", budget=1))).elements
