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
    "prose": (PROSE, Kind.PROSE),
    "prose without marks": ("the winch is new", Kind.PROSE),
    "atx 1": ("# Winches", Kind.HEADING),
    "atx 6": ("###### Winches", Kind.HEADING),
    "atx with a stop": ("## Winches and ropes.", Kind.HEADING),
    "seven marks": ("####### Winches", Kind.PROSE),
    "no space": ("#Winches", Kind.PROSE),
    "setext 1": ("Winches\n=======", Kind.HEADING),
    "setext 2": ("Winches\n-------", Kind.HEADING),
    "dash item": ("- oil the winch", Kind.LIST_ITEM),
    "star item": ("* oil the winch", Kind.LIST_ITEM),
    "plus item": ("+ oil the winch", Kind.LIST_ITEM),
    "bullet": ("• oil the winch", Kind.LIST_ITEM),
    "numbered item": ("1. oil the winch", Kind.LIST_ITEM),
    "bracket item": ("2) oil the winch", Kind.LIST_ITEM),
    "letter item": ("a) oil the winch", Kind.LIST_ITEM),
    "no item": ("-oil the winch", Kind.PROSE),
    "quote": ("> oil the winch", Kind.QUOTE),
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
}


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


@pytest.mark.parametrize("heading", ["2.1 Methods", "3 Results", "WINCHES AND ROPES"])
def test_plain_headings_stand_above_a_blank_line(heading: str) -> None:
    assert blocks(f"{heading}\n\n{PROSE}") == [(heading, Kind.HEADING), (PROSE, Kind.PROSE)]


@pytest.mark.parametrize("line", ["WINCHES AND ROPES", "2.1 Methods"])
def test_plain_headings_need_the_blank_line(line: str) -> None:
    assert Kind.HEADING not in [kind for _, kind in blocks(f"{line}\nare what we sell here.")]


def test_indented_code_after_a_blank_line() -> None:
    text = f"{PROSE}\n\n    winch.oil()\n\n    winch.stop()\n\n{PROSE}"
    assert [kind for _, kind in blocks(text)] == [Kind.PROSE, Kind.CODE, Kind.PROSE]
    assert blocks(text)[1][0] == "winch.oil()\n\n    winch.stop()"


@pytest.mark.parametrize(
    ("indent", "kind"), [("   ", Kind.PROSE), ("    ", Kind.CODE), ("\t", Kind.CODE), ("  \t", Kind.CODE)]
)
def test_four_columns_make_code(indent: str, kind: Kind) -> None:
    assert blocks(f"{PROSE}\n\n{indent}oil the winch\n\n{PROSE}")[1] == ("oil the winch", kind)


def test_indented_text_under_a_list_item_is_not_code() -> None:
    kinds = [kind for _, kind in blocks("- oil the winch\n\n    every week")]
    assert Kind.CODE not in kinds


def test_speakers_need_a_second_turn() -> None:
    talk = "Mara Quist: is it new?\nTom Hale: since spring."
    assert [kind for _, kind in blocks(talk)] == [Kind.CHAT_TURN, Kind.CHAT_TURN]
    assert [kind for _, kind in blocks("Mara Quist: is it new?")] == [Kind.PROSE]


@pytest.mark.parametrize("role", ["user", "USER", "Interviewee", "tool", "ai"])
def test_a_role_in_any_case_needs_no_second_turn(role: str) -> None:
    assert [kind for _, kind in blocks(f"{role}: is it new?")] == [Kind.CHAT_TURN]


@pytest.mark.parametrize("label", ["Note", "NOTE", "Keywords", "References"])
def test_a_label_is_no_speaker(label: str) -> None:
    assert Kind.CHAT_TURN not in [kind for _, kind in blocks(f"{label}: it is new.\n{label}: since spring.")]


def test_each_log_line_is_a_block() -> None:
    lines = ["2031-04-05 06:07:08 INFO up", "2031-04-05 06:07:09 ERROR down", "2031-04-05 06:07:10 INFO up"]
    assert blocks("\n".join(lines)) == [(line, Kind.LOG_LINE) for line in lines]


def test_a_rule_is_not_a_heading_nor_a_list() -> None:
    assert [kind for _, kind in blocks(f"{PROSE}\n\n---\n\n{PROSE}")] == [Kind.PROSE] * 3
    assert [kind for _, kind in blocks("* * *")] != [Kind.HEADING]


def test_a_fence_inside_a_paragraph_is_its_own_block() -> None:
    text = f"{PROSE}\n```\ncode. Code.\n```\n{PROSE}"
    assert [kind for _, kind in blocks(text)] == [Kind.PROSE, Kind.FENCED_CODE, Kind.PROSE]


@pytest.mark.parametrize("text", ["\x00", "\x00\x00\x00", "\x00 winch", "\x001. winch"])
def test_nul_is_an_ordinary_character(text: str) -> None:
    assert blocks(text) == [(text, Kind.PROSE)]
