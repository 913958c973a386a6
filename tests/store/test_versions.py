"""Originals, compressed versions, and the way back."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tersely.errors import StoreError, UnknownIdError, VersionConflictError
from tersely.store import CompressionRecord, Store

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
NOON = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


def test_a_record_has_its_fields_and_survives_a_restart(path: Path) -> None:
    with Store.open(path, clock=lambda: NOON) as store:
        store.put("the original text", id="msg_123", metadata={"file_path": "src/auth.py"})
        preserved = {"file_path": "src/auth.py", "line": 0}
        version = store.replace("msg_123", "short", compression_ratio=0.25, preserved_metadata=preserved)
    assert version.version == 2
    with Store.open(path) as store:
        assert store.records("msg_123") == (
            CompressionRecord(
                compressed_id="msg_123@2",
                original_id="msg_123",
                original_text="the original text",
                compressed_at=NOON,
                compression_ratio=0.25,
                preserved_metadata={"file_path": "src/auth.py", "line": 0},
                version=2,
                original_version=1,
            ),
        )


def test_the_id_stays_and_both_ids_expand(path: Path) -> None:
    with Store.open(path) as store:
        store.put("root", id="msg_123")
        store.replace("msg_123", "r", compressed_id="c1")
        assert store.get("msg_123").text == store.get("c1").text == "r"
        assert store.expand("msg_123") == store.expand("c1") == "root"
        assert store.get("msg_123", 1).text == "root"
        assert store.records("c1") == store.records("msg_123")


def test_compressed_three_times_expands_to_the_first_bytes(path: Path) -> None:
    root = "root\r\nwith\x00nul and \U0001f600 e\u0301"
    with Store.open(path) as store:
        store.put(root, id="a")
        for text in ("one", "two", "three"):
            store.replace("a", text)
        names = [record.compressed_id for record in store.records("a")]
        assert [record.original_text for record in store.records("a")] == [root] * 3
        for name in ("a", *names):
            assert store.expand(name) == root
        assert [store.get(name).text for name in names] == ["one", "two", "three"]
        store.replace(names[0], "from the first")  # by a compressed id: still the root's newest version
        assert store.get("a").text == "from the first" and store.expand("a", 5) == root


def test_a_new_original_is_a_new_root(path: Path) -> None:
    with Store.open(path) as store:
        store.put("first", id="a")
        store.replace("a", "f")
        assert store.put("second", id="a").version == 3
        store.replace("a", "s")
        assert (store.expand("a"), store.expand("a", 2), store.expand("a@4")) == ("second", "first", "second")


def test_times_have_a_zone(path: Path) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        assert store.get("a").created.utcoffset() == timedelta(0)
        there = datetime(2026, 1, 15, 14, 0, tzinfo=timezone(timedelta(hours=2)))
        store.replace("a", "t", compressed_at=there)
        assert store.records("a")[0].compressed_at == NOON
        assert store.records("a")[0].compressed_at.isoformat().endswith("+00:00")
        with pytest.raises(ValueError, match="zone"):
            store.replace("a", "u", compressed_at=datetime(2026, 1, 15))
    with (
        Store.open(path, clock=lambda: datetime(2026, 1, 15)) as store,
        pytest.raises(ValueError, match="zone"),
    ):
        store.put("other")


def test_putting_again_is_no_new_version(path: Path) -> None:
    with Store.open(path) as store:
        first = store.put("text", metadata={"a": 1})
        assert store.put("text", metadata={"a": 1}) == first
        assert store.put("text", metadata={"a": 2}).version == 2
        assert store.ids() == (first.id,) and len(store) == 1
        assert first.id in store and "other" not in store


def test_many_are_stored_all_or_none(path: Path) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        store.replace("a", "t", compressed_id="taken")
        with pytest.raises(ValueError, match="taken"):
            store.put_many([{"text": "new", "id": "b"}, {"text": "x", "id": "taken"}])
        assert store.ids() == ("a",)
        made = store.put_many(["plain", {"text": "named", "id": "b", "metadata": {"k": [1, None]}}])
        assert [store.get(version.id).text for version in made] == ["plain", "named"]
        assert store.get("b").metadata == {"k": [1, None]} and store.put_many([]) == []


def test_unknown_ids_and_versions_are_said_to_be(path: Path) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        for call in (store.get, store.expand, store.records, lambda id: store.replace(id, "t")):
            with pytest.raises(UnknownIdError, match="'missing'"):
                call("missing")
        with pytest.raises(LookupError, match="version 7"):
            store.get("a", 7)
        assert issubclass(UnknownIdError, StoreError) and store.ids() == ("a",)


def test_ids_of_compressed_versions_are_unique(path: Path) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        store.put("other", id="a@2")
        assert store.replace("a", "t").version == 2
        assert store.records("a")[0].compressed_id == "a@2.1"
        for taken in ("a", "a@2", "a@2.1"):
            with pytest.raises(ValueError, match="taken"):
                store.replace("a", "u", compressed_id=taken)
        with pytest.raises(ValueError, match="taken"):
            store.put("third", id="a@2.1")
        assert [version.version for version in map(store.get, ("a", "a@2"))] == [2, 1]


@pytest.mark.parametrize(
    ("original", "short", "ratio"), [("", "", 1.0), ("", "x", 1.0), ("äöü!", "ä", 2 / 7)]
)
def test_a_ratio_that_nobody_gave_is_of_bytes(path: Path, original: str, short: str, ratio: float) -> None:
    with Store.open(path) as store:
        store.put(original, id="a")
        store.replace("a", short)
        assert store.records("a")[0].compression_ratio == ratio and store.expand("a") == original
        for wrong in (-0.1, float("nan")):
            with pytest.raises(ValueError, match="compression_ratio must be a finite number from 0"):
                store.replace("a", short, compression_ratio=wrong)


def test_an_id_may_be_a_uuid(path: Path) -> None:
    name = uuid.uuid5(uuid.NAMESPACE_URL, "a")
    with Store.open(path) as store:
        store.put("text", id=name)
        assert store.expand(name) == store.expand(str(name)) == "text" and name in store


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"text": b"bytes"}, TypeError, "bytes"),
        ({"id": ""}, ValueError, "1 to 512"),
        ({"id": 7}, TypeError, "int"),
        ({"id": "\udc00"}, ValueError, "surrogate"),
        ({"metadata": [1]}, TypeError, "list"),
        ({"metadata": {"a": {1}}}, TypeError, "JSON"),
        ({"metadata": {"a": float("nan")}}, ValueError, "JSON"),
    ],
)
def test_wrong_arguments_are_named(
    path: Path, change: dict[str, object], error: type[Exception], words: str
) -> None:
    with Store.open(path) as store:
        with pytest.raises(error, match=words):
            store.put(**{"text": "text", **change})  # type: ignore[arg-type]
        assert len(store) == 0


@settings(max_examples=20)
@given(steps=st.lists(st.tuples(st.sampled_from("ab"), st.booleans(), TEXT), max_size=12))
def test_any_history_expands_to_its_root(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, bool, str]]
) -> None:
    path = tmp_path_factory.mktemp("store") / "texts.sqlite"
    history: dict[str, list[tuple[str, str]]] = {}  # id -> (text, root text) of each version
    with Store.open(path) as store:
        for id, compress, text in steps:
            versions = history.setdefault(id, [])
            if compress and versions:
                store.replace(id, text)
                versions.append((text, versions[-1][1]))
            elif not versions or versions[-1] != (text, text) or not store.get(id).is_original:
                store.put(text, id=id)
                versions.append((text, text))
    with Store.open(path, read_only=True) as store:
        for id, versions in history.items():
            for number, (text, root) in enumerate(versions, 1):
                assert (store.get(id, number).text, store.expand(id, number)) == (text, root)
            if versions:
                assert store.expand(id) == versions[-1][1]


def test_a_version_that_is_no_longer_the_newest_changes_nothing(path: Path) -> None:
    with Store.open(path) as store:
        with pytest.raises(VersionConflictError, match="the newest version of 'a' is 0, not 1"):
            store.put("first", id="a", expected_version=1)
        assert "a" not in store
        assert store.put("first", id="a", expected_version=0).version == 1
        assert store.replace("a", "short", expected_version=1).version == 2
        for stale in (0, 1, 3):
            with pytest.raises(VersionConflictError, match=f"is 2, not {stale}"):
                store.replace("a", "shorter", expected_version=stale)
            with pytest.raises(VersionConflictError, match=f"is 2, not {stale}"):
                store.put("second", id="a", expected_version=stale)
        assert (store.get("a").text, store.get("a").version) == ("short", 2)
        assert store.put("second", id="a", expected_version=2).version == 3
