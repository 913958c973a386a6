"""What units are worth beside others (csrc/kernels/relevance/standing.hpp), against slow oracles."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, strategies as st
from tersely import _native
from tersely.types import Kind

TEXT, PASTED, QUOTED = range(3)
CODE, ITEM = int(Kind.FENCED_CODE), int(Kind.LIST_ITEM)
SCORES = st.sampled_from([0.0, 0.25, 0.5, 0.5, 1.0, 3.0])


@st.composite
def units(draw: st.DrawFn) -> dict[str, Any]:
    """Units of documents in regions, with what readers say of them."""
    regions, rows, document = [], [], 0
    for _ in range(draw(st.integers(1, 5))):
        document += draw(st.integers(0, 1))
        first, form = len(rows), draw(st.integers(0, 2))
        for _ in range(draw(st.integers(1, 5))):
            flags = [draw(st.booleans()) for _ in range(3)]
            rows.append((document, draw(st.integers(1, 9)), draw(SCORES), *flags, draw(SCORES), draw(SCORES)))
        regions.append((first, len(rows), form))
    follows = [draw(st.integers(-1, row - 1)) if draw(st.booleans()) else -1 for row in range(len(rows))]
    return {"regions": regions, "rows": rows, "follows": follows}


def standing_of(region: tuple[int, int, int], rows: list[Any]) -> list[float]:
    """The share of the characters of its region that is worth no more than each unit."""
    first, last, form = region

    def key(row: int) -> tuple[bool, float, int]:
        return rows[row][3], rows[row][6] if form == TEXT else rows[row][2], -row

    own = range(first, last)
    all_characters = sum(rows[row][1] for row in own)
    found = []
    for row in own:
        share = sum(rows[other][1] for other in own if key(other) <= key(row)) / all_characters
        if any(rows[other][3] for other in own):
            share = 0.75 * share + 0.25 * rows[row][3]
        found.append(1 - (1 - share) / 4 if form == TEXT else share)
    return found


def worth_of(given: dict[str, Any], by_query: bool) -> tuple[list[float], int]:
    rows, regions = given["rows"], given["regions"]
    standing = [share for region in regions for share in standing_of(region, rows)]
    worth = list(standing)
    if by_query:
        beside = {rows[first][0] for first, _, form in regions if form != TEXT}
        top = max(row[7] for row in rows) or 1.0
        for first, last, form in regions:
            for row in range(first, last):
                own = standing[row] if rows[row][0] in beside else 0.0
                worth[row] = rows[row][7] / top + 0.3 * own
            if form != TEXT and all(rows[row][4] for row in range(first, last)):
                best = sorted(range(first, last), key=lambda row: -rows[row][2])
                for row, value in zip(best, sorted(worth[first:last], reverse=True), strict=True):
                    worth[row] = value
    worth = [0.0 if row[5] else float(np.float32(value)) for row, value in zip(rows, worth, strict=True)]
    best_row = worth.index(max(worth))
    pasted = any(first <= best_row < last for first, last, form in regions if form == PASTED)
    followed = [worth[row if of < 0 else of] for row, of in enumerate(given["follows"])]
    return followed, best_row if pasted else -1


@given(units(), st.booleans())
def test_the_worth_of_units_beside_others(given: dict[str, Any], by_query: bool) -> None:
    rows = given["rows"]
    column = {
        name: np.array([row[at] for row in rows], dtype=dtype)
        for at, (name, dtype) in enumerate(
            [("document", np.int32), ("size", np.int64), ("own", np.float32)]
            + [(name, np.uint8) for name in ("essential", "ordered", "bulk")]
            + [("text", np.float32), ("relevance", np.float32)]
        )
    }
    segments, start = np.arange(len(rows)), np.zeros(len(rows), dtype=np.int64)
    found, best = _native.worth_beside(
        column["document"],
        start,
        start + column["size"],
        segments,
        segments,
        np.array(given["regions"], dtype=np.int64).ravel(),
        column["own"],
        column["essential"],
        column["ordered"],
        column["bulk"],
        np.array(given["follows"], dtype=np.int32),
        column["text"],
        column["relevance"] if by_query else np.empty(0, dtype=np.float32),
    )
    assert (found.tolist(), best) == (
        pytest.approx(worth_of(given, by_query)[0]),
        worth_of(given, by_query)[1],
    )


@given(st.lists(st.tuples(st.integers(0, 1), st.booleans(), SCORES), min_size=1, max_size=12))
def test_units_are_pulled_towards_the_mean_of_their_documents(steps: list[tuple[int, bool, float]]) -> None:
    document = np.cumsum([step for step, _, _ in steps]).tolist()
    wanted = [False] * (document[-1] + 1)
    for number, (_, one, _) in zip(document, steps, strict=True):
        wanted[number] = one
    worth = [value for *_, value in steps]
    means = {}
    for number in set(document):
        own = [value for of, value in zip(document, worth, strict=True) if of == number]
        means[number] = sum(own) / len(own) if wanted[number] else 0.0
    top = max((value for of, value in zip(document, worth, strict=True) if wanted[of]), default=0.0)
    best = max(means.values())
    expected = [
        0.95 * means[of] * top / best + 0.05 * value if wanted[of] and best else value
        for of, value in zip(document, worth, strict=True)
    ]
    columns = np.array(worth, dtype=np.float32), np.array(document, dtype=np.int32)
    assert _native.pulled_to_documents(*columns, np.array(wanted, dtype=np.uint8)).tolist() == pytest.approx(
        expected, rel=1e-6
    )


@given(
    st.lists(
        st.tuples(
            st.integers(0, 1), st.integers(0, 1), st.sampled_from([0, CODE, ITEM]), st.booleans(), SCORES
        ),
        min_size=1,
        max_size=14,
    )
)
def test_short_lists_and_code_are_led_to(steps: list[tuple[int, int, int, bool, float]]) -> None:
    document = np.cumsum([step[0] for step in steps]).tolist()
    block = np.cumsum([step[0] | step[1] for step in steps]).tolist()
    kind, scores = [step[2] for step in steps], [step[4] for step in steps]
    heading = [row - 1 if row and step[3] and not step[0] else -1 for row, step in enumerate(steps)]
    size = 300
    runs: list[list[int]] = []
    for row in range(len(steps)):
        goes_on = row > 0 and document[row] == document[row - 1]
        alike = row > 0 and kind[row] == kind[row - 1] in (CODE, ITEM)
        if goes_on and (block[row] == block[row - 1] or alike):
            runs[-1].append(row)
        else:
            runs.append([row])
    expected = list(scores)
    for number, run in enumerate(runs):
        before = runs[number - 1] if number and document[runs[number - 1][0]] == document[run[0]] else []
        for row in run:
            leads = []
            if kind[row] in (CODE, ITEM) and len(run) * size <= 800:
                leads = [scores[one] for one in before]
            if kind[row] == ITEM:
                above = heading[row]
                while above >= 0:
                    leads.append(scores[above])
                    above = heading[above]
            if leads and max(leads) >= 0.7 * max(scores):
                share = np.float32(0.7 if kind[row] == ITEM else 0.5)
                expected[row] = max(scores[row], float(share * np.float32(max(leads))))
    start = np.arange(len(steps)) * size
    table = (
        np.array(document, dtype=np.int32),
        start,
        start + size,
        np.array(kind, dtype=np.uint8),
        np.array(block, dtype=np.int32),
        np.array(heading, dtype=np.int32),
    )
    texts = ["x" * size * len(steps)] * (document[-1] + 1)
    assert _native.led_to(table, np.array(scores, dtype=np.float32), texts).tolist() == expected


@pytest.mark.parametrize(("mark", "opens"), [("[40]", "[40] "), ("[^loss]", "[^loss]: ")])
def test_a_note_stays_with_the_sentence_that_refers_to_it(mark: str, opens: str) -> None:
    notes = [f"[{n}] Berg {n}. Trials of the north. J Field Res." for n in range(1, 40)]
    said = [f"Uptake of barley rose with shade in trial {n} [{n}]." for n in range(1, 40)]
    text = " ".join(said[:20]) + f" Zinc cut the loss of clover by 37% {mark}. " + " ".join(said[20:])
    text += "\n\n## References\n\n" + "\n".join(
        [*notes[:30], f"{opens}Dahl, Field notes of 2020.", *notes[30:]]
    )
    short = tersely.compress(text, "By how much did zinc cut the loss of clover?", ratio=0.1).text
    assert f"37% {mark}" in short and f"{opens}Dahl, Field notes of 2020." in short


@given(st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=6), st.data())
def test_chosen_units_have_the_terms_of_their_segments(rows: list[list[int]], data: st.DataObject) -> None:
    ids = np.array([term for row in rows for term in row], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, rows)])
    segment = sorted(data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=6)))
    chosen = [data.draw(st.booleans()) for _ in segment]
    of = np.array(segment, dtype=np.int64), np.array(chosen, dtype=bool)
    found, ends = _native.terms_of_units(ids, offsets, *of)
    made = [found[low:high].tolist() for low, high in pairwise(ends.tolist())]
    assert made == [rows[row] if one else [] for row, one in zip(segment, chosen, strict=True)]
