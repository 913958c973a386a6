"""The line diff: what it says, and that its places tile both texts."""

from __future__ import annotations

import pytest
from growth import MOST, growth
from hypothesis import given, strategies as st
from tersely.engine.incremental import compare, compute_diff
from tersely.strategies import Diff

lines = st.lists(st.sampled_from(["a", "b", "cc", "", "  ", "é\r", "d1", "d2", "d3"]), max_size=12)
texts = lines.map("\n".join)


def check(old: str, new: str) -> None:
    diff, places = compare(old, new)
    left = right = 0
    for place in places:
        assert left <= place.old_start <= place.old_end
        assert right <= place.new_start <= place.new_end
        assert old[left : place.old_start] == new[right : place.new_start]
        left, right = place.old_end, place.new_end
    assert old[left:] == new[right:]
    assert (old == new) == (not places)
    assert (diff.change_ratio == 0) == (old == new)
    assert diff.change_ratio <= 2
    kept = new.split("\n")
    for line in diff.added:
        kept.remove(line)
    before = old.split("\n")
    for line in diff.removed:
        before.remove(line)
    assert sorted(kept) == sorted(before)


@given(texts, texts)
def test_a046_diff_tiles_both_texts(old: str, new: str) -> None:
    check(old, new)


@given(texts, st.data())
def test_a046_diff_of_small_edits(old: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(old)))
    until = data.draw(st.integers(at, min(len(old), at + 4)))
    check(old, old[:at] + data.draw(st.sampled_from(["", "x", "\n", "a\nb", "\n\n"])) + old[until:])


def test_a046_diff_names_added_and_removed_lines() -> None:
    assert compute_diff("a\nb", "a\nc") == Diff(("c",), ("b",), 2 / 3)
    assert compute_diff("a", "a") == Diff((), (), 0.0)
    assert compute_diff("", "") == Diff((), (), 0.0)
    assert compute_diff("a\nb", "a") == Diff((), ("b",), 2 / 3)
    assert compute_diff("a", "a\nb") == Diff(("b",), (), 2 / 3)


def test_a045_change_ratio_counts_characters_of_changed_lines() -> None:
    old = "\n".join(["The ferry leaves."] * 100)
    assert compute_diff(old, old + "\nThe ferry leaves." * 5).change_ratio == pytest.approx(5 / 105, rel=0.01)
    changed = old.split("\n")
    changed[10:90:20] = ["The train leaves."] * 4
    assert compute_diff(old, "\n".join(changed)).change_ratio == pytest.approx(0.08, rel=0.01)
    ten = "".join(f"line {i:04}\n" for i in range(100))
    assert compute_diff(ten, ten.replace("0\n", "1\n", 5)).change_ratio == 0.1


@pytest.mark.growth
@pytest.mark.parametrize("line", ["same", "line {}"])
def test_x19_diff_is_linear_where_lines_repeat(line: str) -> None:
    def texts(size: int) -> tuple[str, str]:
        old = [line.format(i) for i in range(size // 5)]
        return "\n".join(old), "\n".join(text if i % 7 else "other" for i, text in enumerate(old))

    assert growth(texts, lambda given: compute_diff(*given)) < MOST
