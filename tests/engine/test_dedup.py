"""tersely.dedup: who stands for whom, and what stays apart; keys of guards."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from unittest import mock

import numpy as np
import pytest
import tersely
from bag_embedder import BagEmbedder
from hypothesis import given, strategies as st
from tersely import _native
from tersely.engine import dedup as dedup_module
from tersely.engine.dedup import ORDER, SHARE
from tersely.models.static import SHIPPED
from tersely.types import Deduplicated
from text_strategies import some_texts
from vector_oracles import TOLERANCE, cosines

EMBEDDER = BagEmbedder()
PLAIN = "The cellar pump drains the shaft before the morning shift arrives"


def dedup(texts: Any, threshold: float = 0.85, scores: Any = None, **options: Any) -> Deduplicated:
    return tersely.dedup(texts, threshold, scores, embedder=EMBEDDER, **options)


def merged(a: str, b: str, threshold: float = 0.5) -> bool:
    return len(dedup([a, b], threshold).representatives) == 1


def agree(a: str, b: str) -> bool:
    """agreement.hpp, slowly."""
    guard, _, ids, offsets, names, name_offsets, _ = _native.guards([a, b])
    if guard[0] != guard[1]:
        return False
    left, right = (ids[offsets[i] : offsets[i + 1]].tolist() for i in (0, 1))
    found = [set(names[name_offsets[i] : name_offsets[i + 1]].tolist()) for i in (0, 1)]
    if not found[0] <= set(right) or not found[1] <= set(left):
        return False
    shared, either = set(left) & set(right), set(left) | set(right)
    if len(shared) <= SHARE * len(either):
        return False
    once = [term for term in left if left.count(term) == 1 and right.count(term) == 1]
    places = [right.index(term) for term in once]
    longest: list[int] = []  # of the increasing subsequence that ends at each place
    for i, place in enumerate(places):
        longest.append(1 + max((longest[j] for j in range(i) if places[j] < place), default=0))
    return max(longest, default=0) >= ORDER * len(places)


def oracle(texts: list[str], threshold: float, scores: list[float]) -> tuple[list[int], list[int]]:
    """Labels and representatives by trying every representative, in the order of the scores."""
    keys = [" ".join(text.split()) for text in texts]
    order = sorted(range(len(texts)), key=lambda row: (-scores[row], row))
    cosine = cosines(EMBEDDER.embed(texts))
    representatives: list[int] = []
    stands: dict[str, int] = {}
    for row in order:
        if keys[row] in stands:
            continue
        rivals = [
            (-np.float32(cosine[row, other]), place)
            for place, other in enumerate(representatives)
            if cosine[row, other] >= threshold - TOLERANCE and agree(texts[row], texts[other])
        ]
        if not rivals:
            representatives.append(row)
        stands[keys[row]] = min(rivals)[1] if rivals else len(representatives) - 1
    return [stands[key] for key in keys], representatives


NOUNS = ["pump", "Anna", "Oslo", "shaft", "valve", "5", "6", "not", "before", "red"]
sentences = st.lists(st.sampled_from([*NOUNS, "drains", "opens", "slowly", "pump", "shaft"]), max_size=7).map(
    " ".join
)


@given(st.lists(sentences, max_size=9), st.sampled_from([0.3, 0.6, 0.85]), st.integers(0, 3))
def test_duplicates_are_those_of_the_oracle(texts: list[str], threshold: float, levels: int) -> None:
    scores = [float(len(text) % (levels + 1)) for text in texts]
    got = dedup(texts, threshold, scores)
    assert (got.labels.tolist(), got.representatives.tolist()) == oracle(texts, threshold, scores)
    assert got.sizes.tolist() == np.bincount(got.labels, minlength=len(got.representatives)).tolist()


@given(st.lists(sentences, max_size=9), st.sampled_from([-1.0, 0.3, 0.6, 0.85]))
def test_which_texts_are_read_changes_nothing(texts: list[str], threshold: float) -> None:
    found = []
    for products in (0, 10**9):  # all; those that have a similar one
        with mock.patch.object(dedup_module, "_PRODUCTS", products):
            found.append(dedup(texts, threshold))
    assert found[0].labels.tolist() == found[1].labels.tolist()
    assert found[0].representatives.tolist() == found[1].representatives.tolist()


@given(some_texts)
def test_any_text(texts: list[str]) -> None:
    got = dedup(texts, 0.4)
    assert (got.labels.tolist(), got.representatives.tolist()) == oracle(texts, 0.4, [0.0] * len(texts))


@given(some_texts, st.integers(0, 3))
def test_copies_merge_whatever_they_say(texts: list[str], which: int) -> None:
    text = (texts[which] if which < len(texts) else "") or "?!"
    got = dedup([*texts, text, f"  {text}\n"], 1.0)
    assert got.labels[-1] == got.labels[-2]


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("drains", "clears"),
        PLAIN + " today",
        PLAIN.lower(),
        PLAIN.replace("The cellar", "A cellar"),
        PLAIN.replace("pump drains", "pumps drained"),
    ],
)
def test_near_duplicates_merge(other: str) -> None:
    assert merged(PLAIN, other)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (PLAIN, PLAIN.replace("before", "after")), (PLAIN, PLAIN.replace("drains", "never drains")),
        (PLAIN, PLAIN.replace("morning", "evening")), (PLAIN, PLAIN.replace("cellar", "Oslo")),
        (PLAIN + " in 5 minutes", PLAIN + " in 5 hours"), (PLAIN + " at 10:30", PLAIN + " at 10:35"),
        (PLAIN + " on 2024-01-31", PLAIN + " on 2024-02-01"),
        (PLAIN + " with v1.2.3", PLAIN + " with v1.2.4"), (PLAIN + " at -5 bar", PLAIN + " at 5 bar"),
        ("Anna paid the pilot", "Maria paid the pilot"),
        ("The harbour pilot towed the barge", "The barge towed the harbour pilot"),
        ("the server calls open_file to start", "the server calls close_file to start"),
        ("run it with --force", "run it with --dry"), ("The NASA probe landed", "The ESA probe landed"),
    ],
)  # fmt: skip
def test_what_differs_stays_apart(a: str, b: str) -> None:
    assert not merged(a, b, -1.0)
    assert merged(a, a, 1.0)


def test_more_rows_than_one_step_on_any_number_of_threads() -> None:
    words = [f"w{'abcdefghij'[i % 10]}{'klmnopqrst'[i // 10]}x" for i in range(100)]
    texts = [f"{words[i % 97]} {words[(i * 7) % 89]} pump {words[i % 13]}" for i in range(3000)]
    got = dedup(texts, 0.75, threads=4)
    alone = dedup(texts, 0.75, threads=1)
    assert got.labels.tolist() == alone.labels.tolist()
    assert len(set(texts)) > 1500 > 0
    assert len(got.representatives) < len(set(texts))
    assert np.all(got.similarity >= 0.75 - 1e-6)


def test_copies_zero_rows_and_the_threshold() -> None:
    assert tersely.dedup(np.zeros((2, 3))).labels.tolist() == [0, 1]
    for nothing in ([], (), np.zeros((0, 4))):
        got = dedup(nothing) if not isinstance(nothing, np.ndarray) else tersely.dedup(nothing)
        assert [len(array) for array in (*got, got.sizes, got.similarity)] == [0, 0, 0, 0]
    assert dedup(["one"]).labels.tolist() == [0]
    assert dedup(["?!", "...", "?!"]).labels.tolist() == [0, 1, 0]
    vectors = np.array([[1.0, 0.0], [0.7, np.sqrt(1 - 0.49)]])
    assert tersely.dedup(vectors, 0.9).labels.tolist() == [0, 1]
    assert tersely.dedup(vectors, 0.5).labels.tolist() == [0, 0]
    assert dedup([PLAIN, PLAIN.lower()], 1.0).labels.tolist() == [0, 0]
    assert tersely.dedup(np.ones((2, 7)), 1.0).labels.tolist() == [0, 0]
    got = dedup([PLAIN, f" {PLAIN}", "another pump"], scores=[1, 3, 2])
    assert got.representatives.tolist() == [1, 2]
    assert got.labels.tolist() == [0, 0, 1]
    shares: list[float] = []
    got = dedup([{"text": PLAIN}, tersely.Document(PLAIN + ".")], progress=shares.append)
    assert got.labels.tolist() == [0, 0]
    assert all(0 <= share <= 1 for share in shares)
    vectors = [[1.0, 0.0, 0.0], [0.99, 0.14, 0.0], [0.0, 1.0, 0.0]]
    got = tersely.dedup(vectors, 0.85, scores=[0.2, 0.9, 0.5])
    assert got.labels.tolist() == [0, 0, 1]
    representatives, labels = got
    assert representatives.tolist() == [1, 2]
    assert labels is got.labels
    assert got.similarity.tolist() == pytest.approx([0.9901, 1.0, 1.0], abs=1e-3)
    assert [array.dtype for array in (labels, representatives, got.sizes)] == [np.int32] * 3
    assert got.similarity.dtype == np.float32
    texts = [f"{PLAIN} {noun}" for noun in ("here", "there")] + ["Bread is baked at night by seven bakers"]
    with mock.patch.object(_native, "guards", wraps=_native.guards) as guards:
        dedup(texts)
    guards.assert_called_once_with(texts[:2])


@pytest.mark.skipif(not SHIPPED.exists(), reason="the shipped table is not in this checkout")
def test_the_embedder_that_comes_with_tersely() -> None:
    texts = [PLAIN, PLAIN.replace("drains", "can drain"), PLAIN.replace("drains", "does not drain")]
    assert tersely.dedup(texts).labels.tolist() == [0, 0, 1]


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


def test_keys_tell_facts_apart_alone_and_in_another_process() -> None:
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
    texts = ["Do not use --force at 7.", "Rotate 3 keys before noon.", "It is so."]
    together = tersely.guard_keys(texts)
    assert together == [tersely.guard_keys([text])[0] for text in texts]
    code = f"import tersely; print([key.hex() for key in tersely.guard_keys({texts!r})])"
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == str([key.hex() for key in together])
