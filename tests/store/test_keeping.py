"""Results of compressions that are kept, backups, pruning, and how texts are written."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import tersely
from hypothesis import given, settings, strategies as st
from tersely.errors import MissingExtraError, StoreError, UnknownIdError
from tersely.store import Store, codec

TEXT = "Tokens rotate every 24 hours. The ferry waits at noon.\r\n" * 30
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=100)
NOON = datetime(2026, 1, 15, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "texts.sqlite"


def test_a_result_expands_after_a_restart(path: Path) -> None:
    result = tersely.compress(TEXT, "When does the ferry wait?", budget=40, counter="chars/4")
    with Store.open(path) as store:
        id = store.keep(result)
        assert store.keep(result) == id and store.get(id).version == 2  # nothing new
        assert (
            store.keep(tersely.compress(TEXT, budget=20, counter="chars/4")) == id
            and store.get(id).version == 3
        )
        assert store.get(id).version == 3
        assert store.keep(result, id="mine", metadata={"page": 1}) == "mine"
    with Store.open(path, read_only=True) as store:
        assert store.expand(id) == store.expand("mine") == TEXT
        assert store.get(id, 2).text == result.text
        record = store.records(id)[0]
        assert (record.original_text, record.compression_ratio) == (TEXT, result.ratio)
        assert store.get(id, 2).metadata["tokens"] == result.tokens
        assert store.get("mine", 1).metadata["page"] == 1


@pytest.mark.parametrize("what", ["text", None, 5])
def test_only_results_are_kept(path: Path, what: object) -> None:
    with Store.open(path) as store, pytest.raises(TypeError, match=r"must be a tersely\.Compressed, not "):
        store.keep(what)


@pytest.mark.parametrize("version", ["1", 1.0, True])
def test_a_version_is_a_whole_number(path: Path, version: object) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        with pytest.raises(ValueError, match="version must be a whole number from 1, not 0"):
            store.expand("a", 0)
        with pytest.raises(UnknownIdError, match="nothing is stored under the id 'a' of version"):
            store.expand("a", 2**70)
        with pytest.raises(TypeError, match="version must be a whole number, not "):
            store.expand("a", version)


@settings(max_examples=20)
@given(texts=st.lists(ANY, min_size=1, max_size=4))
def test_each_document_of_a_result_comes_back(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "documents.sqlite"
    with Store.open(path) as store:
        id = store.keep(
            tersely.compress([{"text": text, "id": str(n)} for n, text in enumerate(texts)], budget=30)
        )
        assert [store.expand(id, document=n) for n in range(len(texts))] == texts
        assert store.expand(id) == "\n\n".join(texts)
        for wrong in (len(texts), -1):
            with pytest.raises(IndexError, match=f"of {len(texts)}"):
                store.expand(id, document=wrong)


def test_where_documents_are_is_written_as_in_every_file_there_is(path: Path) -> None:
    with Store.open(path) as store:
        id = store.keep(tersely.compress([{"text": "one", "id": "a"}, {"text": "two", "id": "b"}], budget=30))
        places = [
            (place["id"], place["start"], place["end"])
            for place in store.get(id, 1).metadata["tersely.documents"]
        ]
        assert places == [("a", 0, 3), ("b", 5, 8)]


def test_a_text_that_was_put_is_one_document(path: Path) -> None:
    with Store.open(path) as store:
        store.put("text", id="a")
        assert store.expand("a", document=0) == "text"


def test_a_backup_is_whole_and_taken_while_the_store_is_used(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sqlite"
    with Store.open(path) as store:
        store.put(TEXT, id="a")
        store.replace("a", "short")
        store.backup(copy)
        store.put("later", id="b")
        with pytest.raises(StoreError, match="exists already"):
            store.backup(copy)
        with pytest.raises(StoreError, match="cannot back up"):
            store.backup(tmp_path / "no" / "copy.sqlite")
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "copy.sqlite",
        "texts.sqlite",
        "texts.sqlite-lock",
    ]
    with Store.open(copy) as store:
        assert (store.ids(), store.expand("a"), store.check()) == (("a",), TEXT, [])
        assert store.search("ferry")[0].id == "a"
        store.put("new", id="c")


def test_a_read_only_store_can_be_backed_up(path: Path, tmp_path: Path) -> None:
    Store.open(path).close()
    with Store.open(path, read_only=True) as store:
        store.backup(tmp_path / "copy.sqlite")
    with Store.open(tmp_path / "copy.sqlite") as store:
        assert len(store) == 0


def test_nothing_expires_unless_somebody_prunes(path: Path) -> None:
    now = NOON
    with Store.open(path, clock=lambda: now) as store:
        store.put("old and left alone", id="old")
        store.put("old, shared words", id="used")
        now = NOON + timedelta(days=3650)
        store.replace("used", "short")  # in use: its original stays, too
        store.put("old and left alone", id="same text")
        store.put("new", id="new")
        assert len(store) == 4
        assert store.prune(NOON + timedelta(days=1)) == 1
        assert store.prune(NOON + timedelta(days=1)) == 0
        assert store.ids() == ("used", "same text", "new")
        assert (
            store.expand("used") == "old, shared words"
            and store.get("same text").text == "old and left alone"
        )
        assert [found.id for found in store.search("left alone")] == ["same text"]
        assert store.delete("same text") and store.check() == []
        with pytest.raises(ValueError, match="zone"):
            store.prune(datetime(2026, 1, 1))
    assert b"left alone" not in path.read_bytes()


def test_a_dictionary_is_trained_once_and_old_texts_stay_readable(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tersely.store.codec._TRAIN_AT", (200,))
    texts = [
        f"src/module_{n % 17}.py:{n * 7}: error: token {n} of line {n * n} is not valid here"
        for n in range(400)
    ]
    with Store.open(path) as store:
        first = store.put_many(texts[:300])
        first += [store.put(text) for text in texts[300:]]
    with sqlite3.connect(path) as connection:
        forms = connection.execute("SELECT dictionary IS NOT NULL, avg(length(data)) FROM texts GROUP BY 1")
        before, after = (size for _, size in forms)
    connection.close()
    assert after < 0.75 * before
    with Store.open(path) as store:
        assert [store.get(version.id).text for version in first] == texts and store.check() == []


def test_without_zstd_texts_are_written_with_zlib(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path) as store:
        store.put(TEXT, id="zstd")
    with monkeypatch.context() as patch:
        patch.setattr("tersely.store.codec.zstd_module", lambda: None)
        with Store.open(path) as store:
            store.put(TEXT + "!", id="zlib")
            assert store.expand("zlib") == TEXT + "!"
            with pytest.raises(MissingExtraError, match=r"tersely\[store\]"):
                store.expand("zstd")
    with Store.open(path) as store:
        assert (store.expand("zlib"), store.expand("zstd")) == (TEXT + "!", TEXT)
    with sqlite3.connect(path) as connection:
        forms = connection.execute("SELECT form FROM texts ORDER BY number").fetchall()
    connection.close()
    assert forms == [(codec.ZSTD,), (codec.ZLIB,)]


@pytest.mark.parametrize("form", [codec.ZLIB, codec.ZSTD])
def test_packed_bytes_cannot_blow_up(form: int) -> None:
    zstd = codec.zstd_module()
    import zlib

    huge = b"\0" * 50_000_000
    packed = zlib.compress(huge) if form == codec.ZLIB else zstd.compress(huge)
    with pytest.raises(StoreError, match="has 101 bytes, not 100"):
        codec.Codec().decode(form, None, packed, 100, lambda key: b"")
    for size in (-5, codec.MAX_TEXT_BYTES + 1):
        with pytest.raises(StoreError, match=f"a text of {size} bytes"):
            codec.Codec().decode(form, None, packed, size, lambda key: b"")


@given(
    data=st.binary(max_size=2000) | st.text(max_size=300).map(lambda text: text.encode(errors="replace") * 9)
)
def test_what_is_packed_unpacks(data: bytes) -> None:
    coder = codec.Codec()
    form, key, packed = coder.encode(data, None, lambda key: b"")
    assert coder.decode(form, key, packed, len(data), lambda key: b"") == data and len(packed) <= len(data)
