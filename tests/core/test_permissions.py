"""Files that keep what people said are whole, and their owner's alone at once, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tersely.cli import main
from tersely.files import make_folder, renamed
from tersely.memory import SegmentMemory
from tersely.models.recorded import Recorder
from tersely.retrieval.index import Index
from tersely.store import Store


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o377], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    try:
        yield request.param
    finally:
        os.umask(before)


def modes(folder: Path) -> set[tuple[str, int]]:
    """(kind, permissions) of all there is below a folder."""
    found = set()
    for path in folder.rglob("*"):
        status = path.lstat()
        found.add(("folder" if stat.S_ISDIR(status.st_mode) else "file", stat.S_IMODE(status.st_mode)))
    return found


def test_all_that_is_kept_is_private(tmp_path: Path, umask: int) -> None:
    place, docs = tmp_path / "kept", tmp_path / "docs"
    place.mkdir()
    place.chmod(0o700)
    docs.mkdir()
    docs.chmod(0o700)
    (docs / "a.md").write_text("# Ferry\n\nThe ferry leaves at six.", encoding="utf-8")
    (docs / "a.md").chmod(0o600)
    with Store.open(place / "store.sqlite", embedder=None) as store:
        SegmentMemory(store).store_context_segment("The ferry leaves at six.")
        store.backup(place / "copy.sqlite")
        Index.build(docs, place / "deep" / "index")
        Index.open(place / "deep" / "index")
        Recorder(lambda _: "yes", place / "replies.sqlite", name="m").complete("?")
        assert {path.name for path in place.glob("store.sqlite*")} == {
            "store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.sqlite-lock"
        }  # fmt: skip
        assert modes(place) == {("file", 0o600), ("folder", 0o700)}


def test_a_file_is_never_open_to_others_not_even_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    opened = os.open

    def watch(path: str, flags: int, mode: int = 0o777, **options: int) -> int:
        handle = opened(path, flags, mode, **options)
        if flags & os.O_CREAT:
            seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
        return handle

    before = os.umask(0)
    try:
        monkeypatch.setattr(os, "open", watch)
        with Store.open(tmp_path / "store.sqlite") as store:
            store.put("text")
    finally:
        os.umask(before)
    assert seen and set(seen) == {0o600}


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o666])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_store_that_others_may_read_is_told_of(tmp_path: Path, mode: int, read_only: bool) -> None:
    path = tmp_path / "store.sqlite"
    Store.open(path).close()
    path.chmod(mode)
    with pytest.warns(UserWarning, match=rf"store\.sqlite \(its mode is {mode:o}\).*chmod 600"):
        Store.open(path, read_only=read_only).close()
    assert stat.S_IMODE(path.stat().st_mode) == mode, "a file that is shared on purpose stays so"


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared").chmod(0o755)
    make_folder(tmp_path / "shared" / "a" / "b")
    found = [stat.S_IMODE((tmp_path / part).stat().st_mode) for part in ("shared", "shared/a", "shared/a/b")]
    assert found == [0o755, 0o700, 0o700]
    (tmp_path / "file").touch()
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "file")


def test_a_file_gets_its_name_at_once_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), renamed(path) as fresh:
        fresh.write_text("half of the ne")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with renamed(path) as fresh:
        fresh.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_settings_of_an_agent_keep_their_permissions(
    tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = tmp_path / ".claude" / "settings.json"
    make_folder(path.parent)
    for mode in (0o600, 0o644):  # of a new one; of one that is there
        assert main(["hook", "install", "claude-code", "--yes", "--budget", str(mode)]) == 0
        assert modes(path.parent) == {("file", mode)}
        path.chmod(0o644)
