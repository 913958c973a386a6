"""What a model wrote: its length, its code, and how far it can be trusted."""

from __future__ import annotations

import numpy as np
import pytest
from sample_texts import GUIDE, prose
from tersely.engine.reading import segment
from tersely.engine.worth import confidence
from tersely.types import Fact, FactKind, FactReport
from tersely.writing.checks import (
    Piece,
    cut_to_fit,
    fenced_blocks,
    first_sentences,
    grounding,
    restore_code,
    written_confidence,
)

ONE = "```py\na = 1\nb = 2\nc = 3\n```"
TWO = "```py\nx = 1\ny = 2\n```"
LONG = "```\n" + "".join(f"line {i} of many\n" for i in range(300)) + "```"
SOURCE = f"First.\n\n{ONE}\n\nThen.\n\n{TWO}\n\nLast.\n\n{LONG}\n"
TABLE = segment([SOURCE, ONE])
BLOCKS = fenced_blocks([SOURCE, ONE], TABLE)


def text_of(pieces: list[Piece]) -> str:
    return "".join(piece.text for piece in pieces)


def test_blocks_are_whole_and_texts_are_cut_between_sentences() -> None:
    assert [text for text, _ in BLOCKS] == [ONE, TWO, LONG, ONE]
    assert len(BLOCKS[2][1]) > 1  # a segment is 2,048 bytes at most
    for text, rows in BLOCKS:
        source = [SOURCE, ONE][TABLE.document[rows[0]]]
        assert source[TABLE.start[rows[0]] : TABLE.end[rows[-1]]] == text
        assert np.array_equal(rows, np.arange(rows[0], rows[-1] + 1))
    pieces = restore_code(f"{ONE}\n\nagain\n\n{ONE}", [SOURCE, ONE], BLOCKS)
    assert text_of(pieces).count(ONE) == 1 and "again" in text_of(pieces)
    text = "It read 1.5 GB. Then it failed. It tried again."
    assert first_sentences(text, 2) == "It read 1.5 GB. Then it failed."
    assert first_sentences(text, 9) == text
    assert cut_to_fit(text, len, 31) == "It read 1.5 GB. Then it failed."
    assert cut_to_fit(text, len, 9) == "It read…"
    assert cut_to_fit(text, len, 0) == ""


@pytest.mark.parametrize(
    ("block", "becomes", "altered"),
    [
        (ONE, ONE, False),
        (LONG, LONG, False),
        (ONE.replace("b = 2", "b = 5"), ONE, True),
        ("```\ny = 2\nx = 1\n```", TWO, True),
        ("```py\nx = 1", TWO, True),  # the reply ended in it
        ("```py\nx = 1\nz = 3\nrm = 4\n```", None, False),
        ("```\n```", None, False),
    ],
)
def test_code_of_a_reply(block: str, becomes: str | None, altered: bool) -> None:
    pieces = restore_code(f"So:\n\n{block}\n", [SOURCE, ONE], BLOCKS)
    code = [piece for piece in pieces if piece.rows is not None]
    assert [(piece.text, piece.altered) for piece in code] == ([(becomes, altered)] if becomes else [])
    assert text_of(pieces).startswith(f"So:\n\n{becomes or ''}")
    left = restore_code(f"So:\n\n{block}\n", [SOURCE, ONE], BLOCKS, altered=False)
    assert [piece.text for piece in left if piece.rows is not None] == ([block] if block == becomes else [])


def test_grounding_and_unsupported_facts() -> None:
    source = ["The copper crew met the zinc shipment near the dock."]
    assert grounding(source, "Copper crew, zinc shipment.") == 1.0
    assert grounding(source, "Bananas ripen overnight.") == 0.0
    assert grounding(source, "") == grounding(source, "!?") == 0.0
    # copper crew copper crew ...: two of nine pairs are different
    assert grounding(source, "copper crew " * 5) == pytest.approx(2 / 9 / 0.5)
    # one of four terms is known
    assert grounding(source, "copper bananas ripen overnight") == pytest.approx(0.25 / 0.5)

    def report(unsupported: int) -> FactReport:
        made_up = [Fact(FactKind.NUMBER, str(i), -1, -1, -1, "unsupported") for i in range(unsupported)]
        return FactReport([Fact(FactKind.NUMBER, "7", 0, 0, 1, "kept"), *made_up])

    text = prose(3)
    honest = written_confidence([text], text, text, "", 1.0, report(0))
    assert honest == confidence([text], text, "", 1.0)
    assert written_confidence([text], text, text, "", 1.0, report(1)) == pytest.approx(honest / 2)
    assert written_confidence([text], text, text, "", 1.0, report(3)) == pytest.approx(honest / 4)


@pytest.mark.parametrize("text", [GUIDE, prose(60)])
def test_text_of_the_source_is_grounded(text: str) -> None:
    assert grounding([text], text[: len(text) // 3]) == 1.0
