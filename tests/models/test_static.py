"""StaticEmbedder and its file."""

from __future__ import annotations

import io
import json
import pickle
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sample_texts
import tersely
import wordpieces
from hypothesis import given, strategies as st
from packed_table import save
from tersely.models import static, static as static_file
from tersely.protocols import Embedder

WORDS = wordpieces.trained()
META = {"name": "made-up", "licence": "Apache-2.0", "corpus": ["naïve", 1]}
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes a table; `seed` decides its rows."""

    def write(seed: int = 1, name: str = "table.npz", meta: dict[str, Any] = META) -> Path:
        save(tmp_path / name, WORDS, *wordpieces.codes(WORDS, 32, seed), meta)
        return tmp_path / name

    return write


def test_texts_and_spans_are_embedded_as_by_the_native_table(make: Make) -> None:
    embedder = tersely.StaticEmbedder(make())
    texts = [*sample_texts.ALL, ""]
    vectors = embedder.embed(texts)
    assert vectors.tobytes() == wordpieces.table(WORDS, 32).embed(texts).tobytes()
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(texts), embedder.dimensions) == (len(texts), 32)
    assert isinstance(embedder, Embedder)
    assert embedder.embed(tuple(texts)).tobytes() == vectors.tobytes()
    assert embedder.embed([]).shape == (0, 32)
    embedder, texts = tersely.StaticEmbedder(make()), [*sample_texts.ALL, ""]
    places = [
        (row, at, min(at + 40, len(text))) for row, text in enumerate(texts) for at in range(0, len(text), 31)
    ]
    places += [(len(texts) - 1, 0, 0), (0, 2, 2), *places[:3]]  # without a character, and out of order
    document, start, end = np.array(places).T
    given = document.astype(np.int32), np.ascontiguousarray(start), np.ascontiguousarray(end)
    alone = embedder.similarity("a copper lamp", [texts[of][one:other] for of, one, other in places])
    assert embedder.similarity_spans("a copper lamp", texts, *given).tobytes() == alone.tobytes()
    with pytest.raises(ValueError, match="spans must lie in their texts"):
        embedder.similarity_spans("a", ["abc"], np.zeros(1, np.int32), np.array([1]), np.array([4]))


def test_a_table_says_where_it_is_from_and_pickles_as_its_path(make: Make) -> None:
    embedder = tersely.StaticEmbedder(make())
    with pytest.raises(TypeError, match="texts must be a list of str, not one str"):
        embedder.embed("text")
    with pytest.raises(TypeError, match=r"texts\[1\] must be str, not int"):
        embedder.embed(["text", 3])  # type: ignore[list-item]
    embedder = tersely.StaticEmbedder(str(make()))
    assert embedder.meta == META
    embedder.meta["name"] = "changed"
    assert embedder.meta == META
    assert repr(embedder) == f"StaticEmbedder({embedder.name!r}, dimensions=32)"
    embedder = tersely.StaticEmbedder(make())
    pickled = pickle.dumps(embedder)
    assert len(pickled) < 1000
    assert pickle.loads(pickled).embed(["the"]).tobytes() == embedder.embed(["the"]).tobytes()
    file = static_file.load(make())
    rows, scales = wordpieces.codes(WORDS, 32)
    assert file.words.decode().split("\n") == list(WORDS)
    assert (file.rows == rows).all()
    assert (file.scales == scales).all()
    assert file.meta == META


def test_names_differ_where_tables_differ(make: Make) -> None:
    first, again = (tersely.StaticEmbedder(make(name=f"{i}.npz")).name for i in range(2))
    other = tersely.StaticEmbedder(make(seed=2)).name
    assert first == again
    assert first != other
    assert first.startswith("made-up-")
    assert other.startswith("made-up-")


def test_the_shipped_table_is_read_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    load = static_file.load

    def slow_load(path: str) -> static_file.StaticFile:
        reads.append(path)
        time.sleep(0.02)
        return load(path)

    monkeypatch.setattr(static, "SHIPPED", make())
    monkeypatch.setattr(static, "_shipped", None)
    monkeypatch.setattr(static_file, "load", slow_load)
    made: list[tersely.StaticEmbedder] = []
    threads = [threading.Thread(target=lambda: made.append(tersely.StaticEmbedder())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(reads) == 1
    assert len({embedder.name for embedder in made}) == 1
    assert len(made) == 8


def test_saving_gives_the_same_bytes_and_leaves_nothing_else(make: Make) -> None:
    assert make(name="a.npz").read_bytes() == make(name="b.npz").read_bytes()
    assert sorted(path.name for path in make().parent.iterdir()) == ["a.npz", "b.npz", "table.npz"]


ARRAYS = {
    "words": np.frombuffer(b"[UNK]\na", np.uint8),
    "rows": np.zeros((2, 4), np.uint8),
    "scales": np.ones(2, np.float32),
    "meta": np.frombuffer(json.dumps(META).encode(), np.uint8),
}


def header(shape: str, descr: str = "|u1") -> bytes:
    """The start of an .npy that claims more than it has."""
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


def zipped(compression: int = zipfile.ZIP_STORED, **arrays: Any) -> bytes:
    """An .npz by hand: members may be arrays or raw bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, array in arrays.items():
            content = io.BytesIO()
            if not isinstance(array, bytes):
                np.lib.format.write_array(content, np.asarray(array))
            archive.writestr(f"{name}.npy", array if isinstance(array, bytes) else content.getvalue())
    return file.getvalue()


def flipped(content: bytes) -> bytes:
    at = content.index(b"[UNK]")
    return content[:at] + b"{" + content[at + 1 :]


BAD_FILES = {
    "empty": b"",
    "text": b"not a table",
    "pickle": pickle.dumps({"words": 1}),
    "a bare array": header("(2, 2)") + bytes(4),
    "a broken array": b"\x93NUMPY\x01\x00" + bytes(100),
    "cut": zipped(**ARRAYS)[:-40],
    "a flipped bit": flipped(zipped(**ARRAYS)),
    "compressed": zipped(zipfile.ZIP_DEFLATED, **ARRAYS),
    "an array too few": zipped(**{name: ARRAYS[name] for name in ("words", "rows", "meta")}),
    "an array too many": zipped(**ARRAYS, more=np.zeros(1)),
    "objects": zipped(**{**ARRAYS, "scales": header("(2,)", "|O") + pickle.dumps([1, 2])}),
    "rows larger than the file": zipped(**{**ARRAYS, "rows": header("(99999999999, 128)")}),
    "rows beyond memory": zipped(**{**ARRAYS, "rows": header("(9999999999999999, 128)")}),
    "a flat shape": zipped(**{**ARRAYS, "rows": np.zeros(8, np.uint8)}),
    "a shape of commas": zipped(**{**ARRAYS, "rows": header("(,, , )") + bytes(8)}),
    "a shape of many digits": zipped(**{**ARRAYS, "rows": header(f"({'9' * 9000}, 4)") + bytes(8)}),
    "Fortran order": zipped(**{**ARRAYS, "rows": np.zeros((4, 2), np.uint8).T}),
    "a negative shape": zipped(**{**ARRAYS, "rows": header("(-1, 4)")}),
    "rows of floats": zipped(**{**ARRAYS, "rows": np.zeros((2, 4))}),
    "big-endian scales": zipped(**{**ARRAYS, "scales": np.ones(2, ">f4")}),
    "too few rows": zipped(**{**ARRAYS, "rows": np.zeros((1, 4), np.uint8)}),
    "too few scales": zipped(**{**ARRAYS, "scales": np.ones(1, np.float32)}),
    "a scale that is not finite": zipped(**{**ARRAYS, "scales": np.array([1, np.nan], np.float32)}),
    "words without [UNK]": zipped(**{**ARRAYS, "words": np.frombuffer(b"a\nb", np.uint8)}),
    "words that are not UTF-8": zipped(**{**ARRAYS, "words": np.frombuffer(b"[UNK]\n\xff", np.uint8)}),
    "meta that is not JSON": zipped(**{**ARRAYS, "meta": np.frombuffer(b"{", np.uint8)}),
    "meta without a name": zipped(**{**ARRAYS, "meta": np.frombuffer(b"{}", np.uint8)}),
    "meta of lists in lists": zipped(**{**ARRAYS, "meta": np.frombuffer(b"[" * 99999, np.uint8)}),
    "meta that is too long": zipped(**{**ARRAYS, "meta": np.zeros((1 << 20) + 1, np.uint8)}),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.npz"
    path.write_bytes(BAD_FILES[name])
    with pytest.raises(ValueError, match=r"bad\.npz is not a static table: .+"):
        tersely.StaticEmbedder(path)


@given(st.data())
def test_a_damaged_file_is_refused_or_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    good = zipped(**ARRAYS)
    content = bytearray(good)
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    del content[data.draw(st.integers(len(good) - 9, len(good))) :]
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(content)
    try:
        file = static_file.load(path)
    except ValueError as error:
        assert "is not a static table" in str(error)
    else:
        assert (file.words, file.scales.tolist(), file.meta) == (b"[UNK]\na", [1, 1], META)


def test_files_by_hand(tmp_path: Path) -> None:
    content = bytearray(zipped(**ARRAYS))
    at = content.rindex(b"PK\x05\x06") + 16  # where the central directory starts, by its own word
    content[at : at + 4] = (int.from_bytes(content[at : at + 4], "little") + 9).to_bytes(4, "little")
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a static table: an offset in it points before"):
        static_file.load(path)
    path = tmp_path / "good.npz"
    path.write_bytes(zipped(**ARRAYS))
    assert tersely.StaticEmbedder(path).dimensions == 8
    path = tmp_path / "large.npz"
    with path.open("wb") as file:
        file.truncate((256 << 20) + 1)
    with pytest.raises(ValueError, match="may have 268435456 at most"):
        tersely.StaticEmbedder(path)
    with pytest.raises(FileNotFoundError):
        tersely.StaticEmbedder(tmp_path / "missing.npz")
