"""tersely.guard_keys: a corpus divided by them is deduplicated as if it were whole."""

from __future__ import annotations

import subprocess
import sys

import pytest
import tersely
from hypothesis import given, strategies as st

SENTENCES = st.builds(
    "{}{} {} {} the {} {} {}.".format,
    st.sampled_from(["", "", "Today ", "In May "]),
    st.sampled_from(["The pump", "The old pump", "the pump", "Pump A1", "A pump"]),
    st.sampled_from(["drains", "does not drain", "drained", "never drains", "drains"]),
    st.sampled_from(["", "", "slowly", "very slowly"]),
    st.sampled_from(["shaft", "deep shaft", "shaft\nthen", "shaft  then"]),
    st.sampled_from(["before noon", "after noon", "at 7", "at 12", "at twelve", "with `--force`"]),
    st.sampled_from(["again", "once more", "again and again", ""]),
)


def dedup_in_parts(texts: list[str], scores: list[float], parts: int) -> tuple[list[int], list[float]]:
    """What the docstring says: merge copies, divide by keys, deduplicate each part, number the clusters."""
    order = sorted(range(len(texts)), key=lambda row: -scores[row])
    best: dict[str, int] = {}
    for row in order:
        best.setdefault(" ".join(texts[row].split()), row)
    rows = sorted(best.values())
    keys = tersely.guard_keys([texts[row] for row in rows])
    stands: dict[int, tuple[int, float]] = {}
    for part in range(parts):
        mine = [row for row, key in zip(rows, keys, strict=True) if key[0] % parts == part]
        if mine:
            found = tersely.dedup([texts[row] for row in mine], scores=[scores[row] for row in mine])
            for row, label, similar in zip(mine, found.labels, found.similarity, strict=True):
                stands[row] = (mine[found.representatives[label]], float(similar))
    numbers = {
        row: n for n, row in enumerate(row for row in order if row in stands and stands[row][0] == row)
    }
    of_all = [stands[best[" ".join(text.split())]] for text in texts]
    return [numbers[row] for row, _ in of_all], [similar for _, similar in of_all]


@given(st.lists(SENTENCES, min_size=1, max_size=24), st.data())
def test_parts_by_keys_give_the_labels_and_similarities_of_all(texts: list[str], data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=len(texts), max_size=len(texts)))
    whole = tersely.dedup(texts, scores=scores)
    for parts in (1, 2, 7):
        labels, similarity = dedup_in_parts(texts, scores, parts)
        assert labels == whole.labels.tolist()
        assert similarity == whole.similarity.tolist()


def test_keys_tell_facts_apart_and_words_not() -> None:
    keys = tersely.guard_keys(
        [
            "Tokens rotate every 24 hours.",
            "Tokens rotate in every 24 hours",
            "Tokens rotate every 12 hours.",
            "",
        ]
    )
    assert keys[0] == keys[1] != keys[2] and len({len(key) for key in keys}) == 1
    assert keys[3] == tersely.guard_keys(["rotation"])[0]
    assert tersely.guard_keys([]) == []


def test_a_key_is_the_same_alone_and_in_another_process() -> None:
    texts = ["Do not use --force at 7.", "Rotate 3 keys before noon.", "It is so."]
    together = tersely.guard_keys(texts)
    assert together == [tersely.guard_keys([text])[0] for text in texts]
    code = f"import tersely; print([key.hex() for key in tersely.guard_keys({texts!r})])"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str([key.hex() for key in together])


def test_one_text_is_no_list() -> None:
    with pytest.raises(TypeError, match="texts must be a list of texts, not one str"):
        tersely.guard_keys("one")
