"""`tersely compress --store` and `tersely expand`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tersely.cli import main
from tersely.store import Store

TEXT = "# Tides\r\n\r\nHigh water is at six. The ferry waits. Ägir rules the sea. Low water is at noon.\r\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "tides.md"
    path.write_bytes(TEXT.encode())
    return path


def kept(page: Path, store: Path, capfd: pytest.CaptureFixture[str]) -> str:
    assert main(["compress", str(page), str(page), "--budget", "12", "--store", str(store)]) == 0
    out, err = capfd.readouterr()
    assert out and out.strip() not in err
    found = re.search(r"tersely expand ([0-9a-f]{32}) --store (\S+)", err)
    assert found and found.group(2) == str(store)
    return found.group(1)


def test_e023_what_was_kept_is_expanded(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "texts.sqlite"
    id = kept(page, store, capfd)
    target = tmp_path / "out.md"
    assert main(["expand", id, "--store", str(store), "--document", "1", "-o", str(target)]) == 0
    assert target.read_bytes() == TEXT.encode()
    monkeypatch.setenv("TERSELY_STORE", str(store))
    capfd.readouterr()
    assert main(["expand", id]) == 0
    assert main(["expand", f"{id}@2", "--version", "1"]) == 1  # a version is one of an id
    assert "nothing is stored" in capfd.readouterr().err


def test_expand_says_what_is_wrong(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TERSELY_STORE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    store = tmp_path / "texts.sqlite"
    id = kept(page, store, capfd)
    for arguments, code, words in (
        (["x"], 2, "Pass --store FILE, or set TERSELY_STORE"),
        (["x", "--store", str(tmp_path / "none")], 2, "there is no store"),
        (["x", "--store", str(page)], 2, "not a database"),
        (["x", "--store", str(store)], 1, "nothing is stored under the id 'x'"),
        ([id, "--store", str(store), "--document", "2"], 2, "document 2 of 2"),
    ):
        assert main(["expand", *arguments]) == code
        out, err = capfd.readouterr()
        assert out == "" and words in err
    assert not (tmp_path / "none").exists()


def test_masked_originals_are_printed_only_when_asked(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "texts.sqlite"
    with Store.open(path, mask_secrets=True) as store:
        store.put("password=hunter22", id="a")
    assert main(["expand", "a", "--store", str(path)]) == 1
    assert "secrets were masked" in capfd.readouterr().err
    assert main(["expand", "a", "--store", str(path), "--masked"]) == 0
    assert capfd.readouterr().out == "password=[masked: password]"


def test_json_says_under_which_id_the_original_is_kept(
    page: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "texts.sqlite"
    assert main(["compress", str(page), "-b", "20", "--json", "--store", str(store)]) == 0
    told = json.loads(capfd.readouterr().out)
    assert main(["expand", told["id"], "--store", str(store)]) == 0
    assert capfd.readouterr().out == page.read_bytes().decode("utf-8")
