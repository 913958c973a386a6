"""What a block is: headings, lists, quotes, tables, code, logs, chat."""

from __future__ import annotations

import pytest
import tersely
from tersely import Kind
from tersely.types import Level

PROSE = "The winch is new. It was paid for in spring."


def blocks(text: str) -> list[tuple[str, Kind]]:
    return [(text[start:end], kind) for _, start, end, kind in tersely.segment(text, Level.PARAGRAPH)]


ALONE: dict[str, tuple[str, Kind]] = {
    "prose": (PROSE, Kind.PROSE), "prose without marks": ("the winch is new", Kind.PROSE),
    "atx 1": ("# Winches", Kind.HEADING), "atx 6": ("###### Winches", Kind.HEADING),
    "atx with a stop": ("## Winches and ropes.", Kind.HEADING),
    "seven marks": ("####### Winches", Kind.PROSE), "no space": ("#Winches", Kind.PROSE),
    "setext 1": ("Winches\n=======", Kind.HEADING), "setext 2": ("Winches\n-------", Kind.HEADING),
    "reStructuredText 3": ("Winches\n~~~~~~~", Kind.HEADING),
    "reStructuredText 4": ("Winches\n^^^^^^^^", Kind.HEADING),
    "dash item": ("- oil the winch", Kind.LIST_ITEM), "star item": ("* oil the winch", Kind.LIST_ITEM),
    "plus item": ("+ oil the winch", Kind.LIST_ITEM), "bullet": ("• oil the winch", Kind.LIST_ITEM),
    "numbered item": ("1. oil the winch", Kind.LIST_ITEM),
    "bracket item": ("2) oil the winch", Kind.LIST_ITEM), "letter item": ("a) oil the winch", Kind.LIST_ITEM),
    "no item": ("-oil the winch", Kind.PROSE), "quote": ("> oil the winch", Kind.QUOTE),
    "quote of two lines": ("> oil the winch\n> every week", Kind.QUOTE),
    "table": ("| part | age |\n|------|-----|\n| rope | 2 |", Kind.TABLE),
    "table without outer pipes": ("part | age\n-----|----\nrope | 2", Kind.TABLE),
    "grid table": ("+------+-----+\n| part | age |\n+------+-----+", Kind.TABLE),
    "fence": ("```\nwinch.oil()\n```", Kind.FENCED_CODE),
    "formula": ("$$\nq = k \\, x^2,\n\\qquad x > 0 \\tag{1}\n$$", Kind.FENCED_CODE),
    "formula in brackets": ("\\[\nq = k x\n\\]", Kind.FENCED_CODE),
    "no formula": ("$$ is what it costs", Kind.PROSE),
    "formula without an end": ("$$\nis what it costs", Kind.PROSE),
    "fence with a language": ("```python\nwinch.oil()\n\nwinch.stop()\n```", Kind.FENCED_CODE),
    "tilde fence": ("~~~\n```\nwinch.oil()\n~~~", Kind.FENCED_CODE),
    "long fence": ("````\n```\n````", Kind.FENCED_CODE),
    "unclosed fence": ("```\nwinch.oil()\n\n# not a heading", Kind.FENCED_CODE),
    "json": ('{\n"part": "rope",\n"age": 2\n}', Kind.CODE),
    "log with a time": ("2031-04-05 06:07:08 winch stopped", Kind.LOG_LINE),
    "log with a T": ("2031-04-05T06:07:08Z winch stopped", Kind.LOG_LINE),
    "log in brackets": ("[2031-04-05 06:07:08] winch stopped", Kind.LOG_LINE),
    "log with a level": ("ERROR winch stopped at 3 m", Kind.LOG_LINE),
    "log with a level in brackets": ("[WARNING] winch is slow", Kind.LOG_LINE),
    "syslog": ("Apr  5 06:07:08 quay winchd[12]: stopped", Kind.LOG_LINE),
    "no log": ("The winch stopped at 06:07:08 again", Kind.PROSE),
    "chat": ("User: is the winch new?", Kind.CHAT_TURN),
    "chat with stars": ("**Assistant:** yes, since spring", Kind.CHAT_TURN),
    "numbered speaker": ("#Person1#: is the winch new?", Kind.CHAT_TURN),
    "label": ("Note: the winch is new", Kind.PROSE),
    "lower case label": ("remember: the winch is new", Kind.PROSE),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_kind_of_a_block_alone_and_between_paragraphs(name: str) -> None:
    text, kind = ALONE[name]
    assert blocks(text) == [(text, kind)]
    if name != "unclosed fence":
        whole = f"{PROSE}\n\n{text}\n\n{PROSE}\n"
        expected = [(PROSE, Kind.PROSE), (text, kind), (PROSE, Kind.PROSE)]
        assert blocks(whole) == expected
        kinds = [found for _, found in blocks(whole.replace("\n", "\r\n"))]
        assert kinds == [found for _, found in expected]


CODE, CHAT, HEADING, LIST = Kind.CODE, Kind.CHAT_TURN, Kind.HEADING, [Kind.PROSE] * 3
KINDS: dict[str, list[Kind]] = {
    **{
        f"{head}\n\n{PROSE}": [HEADING, Kind.PROSE]
        for head in ("2.1 Methods", "3 Results", "WINCHES AND ROPES")
    },
    f"{PROSE}\n\n    winch.oil()\n\n    winch.stop()\n\n{PROSE}": [Kind.PROSE, CODE, Kind.PROSE],
    f"{PROSE}\n\n   oil the winch\n\n{PROSE}": LIST,  # four columns make code
    **{
        f"{PROSE}\n\n{i}oil the winch\n\n{PROSE}": [Kind.PROSE, CODE, Kind.PROSE]
        for i in ("    ", "\t", "  \t")
    },
    "Mara Quist: is it new?\nTom Hale: since spring.": [CHAT, CHAT],
    "Mara Quist: is it new?": [Kind.PROSE],  # who speaks once is no speaker, but for a role
    **{f"{role}: is it new?": [CHAT] for role in ("user", "USER", "Interviewee", "tool", "ai")},
    f"{PROSE}\n\n---\n\n{PROSE}": LIST,
    f"{PROSE}\n```\ncode. Code.\n```\n{PROSE}": [Kind.PROSE, Kind.FENCED_CODE, Kind.PROSE],
    **{text: [Kind.PROSE] for text in ("\x00", "\x00\x00\x00", "\x00 winch", "\x001. winch")},
    "2031-04-05 06:07:08 INFO up\n2031-04-05 06:07:09 ERROR down\n2031-04-05 06:07:10 INFO up": [
        Kind.LOG_LINE
    ]
    * 3,
}


@pytest.mark.parametrize("text", KINDS)
def test_kinds_of_blocks_beside_each_other(text: str) -> None:
    found = blocks(text)
    assert [kind for _, kind in found] == KINDS[text]
    assert "".join("".join(piece for piece, _ in found).split()) == "".join(text.split())


NEVER = {
    "WINCHES AND ROPES\nare what we sell here.": HEADING,
    "2.1 Methods\nare what we sell here.": HEADING,
    "- oil the winch\n\n    every week": CODE,
    **{f"{label}: it is new.\n{label}: old.": CHAT for label in ("Note", "NOTE", "Keywords", "References")},
    "* * *": HEADING,
}


@pytest.mark.parametrize("text", NEVER)
def test_what_only_looks_like_a_kind(text: str) -> None:
    assert NEVER[text] not in [kind for _, kind in blocks(text)]
