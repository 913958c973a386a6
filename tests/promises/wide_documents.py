"""Random documents beside those of `documents`: trees, pages of one line, what was compressed, odd text."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, ClassVar

import tersely

from promises import documents as plain
from promises.documents import word, words


def _tree(random: Random, depth: int = 0) -> Any:
    """Maps and lists that lie deep in each other, and scalars."""
    kind = random.random()
    if depth > 4 or kind < 0.4:
        return random.choice([words(random, 6), random.randrange(10**6), True, None, "", word(random)])
    if kind < 0.7:
        return {f"{word(random)}{n}": _tree(random, depth + 1) for n in range(random.randrange(5))}
    return [_tree(random, depth + 1) for _ in range(random.randrange(5))]


def _yaml_lines(value: Any, indent: str = "") -> list[str]:
    if isinstance(value, dict) and value:
        return [
            line
            for key, inner in value.items()
            for line in (
                [f"{indent}{json.dumps(key)}:", *_yaml_lines(inner, indent + "  ")]
                if isinstance(inner, (dict, list)) and inner
                else [f"{indent}{key.replace(':', '')}: {json.dumps(inner, ensure_ascii=False)}"]
            )
        ]
    if isinstance(value, list) and value:
        return [
            line
            for inner in value
            for line in (
                [f"{indent}-", *_yaml_lines(inner, indent + "  ")]
                if isinstance(inner, (dict, list)) and inner
                else [f"{indent}- {json.dumps(inner)}"]
            )
        ]
    return [f"{indent}{json.dumps(value)}"]


def yaml_text(random: Random) -> str:
    parts = ["\n".join(_yaml_lines({"root": _tree(random), "more": _tree(random)})) for _ in range(3)]
    head = random.choice(["", "# " + words(random) + "\n", "---\n", "%YAML 1.2\n---\n"])
    block = random.choice(
        ["", f"\nscript: |\n  {words(random)}\n\n  {words(random)}\n", "\nanchor: &a 1\nref: *a\n"]
    )
    return head + parts[0] + block + random.choice(["", "\n---\n" + parts[1], "\n...\n"])


def xml_text(random: Random, depth: int = 0) -> str:
    name = random.choice(["case", "item", "a", "note", "ns:row"])
    attributes = "".join(f' {key}="{words(random, 3)}"' for key in random.sample(["id", "url", "name"], 2))
    if depth > 3 or random.random() < 0.3:
        said = random.choice(["", words(random), "a &lt; b", "<![CDATA[a < b]]>", "<!-- n -->"])
        return f"<{name}{attributes}>{said}</{name}>" if said else f"<{name}{attributes}/>"
    gap = random.choice(["", "\n" + "  " * depth])
    inside = gap.join(xml_text(random, depth + 1) for _ in range(random.randint(1, 5)))
    head = random.choice(['<?xml version="1.0"?>\n', ""]) if depth == 0 else ""
    return f"{head}<{name}{attributes}>{gap}{inside}{gap}</{name}>"


def page_of_links(random: Random) -> str:
    """A page, mostly of one line, that is full of addresses."""
    gap = random.choice(["", "", "\n"])
    parts = ["<nav>", *(f'<a href="/{n}">{word(random)}</a>' for n in range(3)), "</nav>"]
    for number in range(random.randint(1, 20)):
        link = (
            f'<a href="https://example.org/{word(random)}/{number}?q={word(random)}">{words(random, 4)}</a>'
        )
        parts.append(
            random.choice(
                [
                    f"<li>{link} {words(random)}",
                    f"<p>{words(random)} {link} {words(random)}.</p>",
                    f"<tr><td>{link}<td>{words(random)}</tr>",
                    f'<img src="/{number}.png" alt="{words(random, 3)}">',
                    f"<script>var a = '{words(random)}'</script><div>{words(random)}</div>",
                    f"<h2>{words(random, 4)}</h2><pre>{plain.code(random)}</pre>",
                ]
            )
        )
    return (
        random.choice(["<!DOCTYPE html>", "<html><body>"]) + gap.join(parts) + "<footer>end</footer></html>"
    )


def compressed(random: Random) -> str:
    """What compression made of a document: our own markers stand in it."""
    makers = [*plain.KINDS.values(), yaml_text, xml_text, page_of_links]
    text = random.choice(makers)(random)
    for _ in range(random.randint(1, 2)):
        try:
            text = tersely.compress(text, ratio=random.choice([0.2, 0.5, 0.8])).text
        except tersely.BudgetExceededError:
            break
    return text


def joined(random: Random) -> str:
    """Documents of several types in one text, as tools print them."""
    parts = [random.choice(list(plain.KINDS.values()))(random)[:2000] for _ in range(random.randint(2, 4))]
    heads = [
        random.choice(["", f"==> {word(random)} <==\n", "$ " + word(random) + "\n", "# A\n\n"]) for _ in parts
    ]
    return random.choice(["\n", "\n\n", "\r\n", "\u2028"]).join(map("".join, zip(heads, parts, strict=True)))


def endings(random: Random) -> str:
    """Lines that end in every way."""
    lines = random.choice(list(plain.KINDS.values()))(random).splitlines()
    return "".join(
        line + random.choice(["\n", "\r\n", "\r", "\r\r\n", "\u2028", "\u2029", "\x85", "\n\ufeff"])
        for line in lines
    )


def marks(random: Random) -> str:
    """Combining marks, joiners, directions, NULs: more of them than letters."""
    odd = [
        *[
            "\u0301",
            "\u0323\u0301" * 20,
            "\u200d",
            "\ufe0f",
            "\u202e",
            "\x00",
            "\ufeff",
            "\U000e0100",
            "\u00ad",
        ],
        *[
            "\U0010ffff",
            "\ufffe",
            "\uffff",
            "\u0345",
            "\u1160",
            "a",
            " ",
            "\n",
            ". ",
            "ﬁ",
            "ǆ",
            "İ",
            "ſ",
            "\u00ad",
        ],
    ]
    return "".join(random.choices(odd, k=random.randrange(200)))


WIDE_KINDS: dict[str, Callable[[Random], str]] = {
    "yaml": yaml_text,
    "xml": xml_text,
    "page of links": page_of_links,
    "compressed": compressed,
    "joined": joined,
    "endings": endings,
    "marks": marks,
}


class Wide(Random):
    """A random generator of which all documents are wide, whatever door asks for them."""

    kinds: ClassVar[dict[str, Callable[[Random], str]]] = WIDE_KINDS | plain.KINDS


def wide_document(random: Random) -> str:
    """A text of some kind, sometimes mutated; of the kinds of who asks, where they are no wide ones."""
    if getattr(random, "kinds", Wide.kinds) is not Wide.kinds:
        return plain.document(random)
    text = random.choice([*WIDE_KINDS.values(), plain.document])(random)
    while random.random() < 0.15:
        text = random.choice(list(plain.MUTATIONS.values()))(random, text)
    return text[:12_000]


def wide_documents(random: Random, most: int = 4) -> list[str]:
    """One text, or several, of which some are blank or the same."""
    found = [wide_document(random) for _ in range(random.choice([1, 1, 2, most]))]
    if random.random() < 0.15:
        found.insert(
            random.randint(0, len(found)), random.choice(["", " \n", "\ufeff", random.choice(found)])
        )
    return found


_BORDERS = "<>\"':,|&=/{}[]-#\n\r\t "


def wide_spans(
    random: Random, texts: Sequence[str], share: float, most: int = 4
) -> list[tuple[int, int, int]]:
    """Places: mostly none; from and to borders of syntax, or anywhere, over lines, or all of a text."""
    if random.random() >= share:
        return []
    spans = []
    for _ in range(random.randint(1, most)):
        index = random.randrange(len(texts))
        text = texts[index]
        if not text:
            continue
        start = random.randrange(len(text))
        if random.random() < 0.6:
            while start and text[start - 1] not in _BORDERS:
                start -= 1
        end = min(start + random.choice([1, 3, 12, 60, 600]), len(text))
        if random.random() < 0.6:
            while end < len(text) and text[end] not in _BORDERS:
                end += 1
        spans.append((index, start, end))
    return spans
