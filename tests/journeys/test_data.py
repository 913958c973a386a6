"""Whoever has a table of texts: compress it, read it, join it, lose the machine, merge what repeats."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # each step has a test of its own that is quick

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def tersely(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run the command in a folder; what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "tersely", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.fixture
def source(tmp_path: Path) -> list[dict[str, Any]]:
    """Tickets in Parquet and in JSON lines, under names of their own; every third says what another says."""
    rows = [
        {
            "ticket": 9_000_000_000 + n,
            "body": " ".join(
                f"Door {n % 40 if n % 3 else 7}.{part} at the harbour was found open at {part + 5}."
                for part in range(9)
            ),
            "asked": "Which door was open at 9?",
            "team": "harbour" if n % 2 else "bridge",
            "cost": n / 4,
        }
        for n in range(120)
    ]
    (tmp_path / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(rows[:80]), tmp_path / "data" / "one.parquet", row_group_size=20)
    lines = "".join(json.dumps(row) + "\n" for row in rows[80:])
    (tmp_path / "data" / "two.jsonl").write_text(lines, encoding="utf-8")
    return rows


def test_from_a_table_to_a_shorter_one_without_what_repeats(
    tmp_path: Path, source: list[dict[str, Any]]
) -> None:
    # A wrong name is a line that says the flag and what there is.
    said = tersely(tmp_path, "batch", "data", "short", "--workers", "1", code=2)
    assert (
        "--text-column must be a column of one.parquet and 1 more files, one of ticket, body, asked" in said
    )
    columns = ["--text-column", "body", "--id-column", "ticket"]
    asked = ["--query-column", "asked", "--budget", "40", "--keep", "team", "--keep", "cost", "--spans"]
    said = tersely(tmp_path, "batch", "data", *columns, *asked, "short", "--workers", "2")
    assert "120 rows" in said and "rows with an error" not in said

    # The folder is the data set: its types and names are the source's, and it joins with it.
    short = pq.read_table(tmp_path / "short")
    assert [str(short.schema.field(name).type) for name in ("ticket", "cost", "team")] == [
        "int64",
        "double",
        "string",
    ]
    whole = pa.Table.from_pylist(source).select(["ticket", "body"]).rename_columns(["ticket", "whole"])
    assert short.select(["ticket", "tokens"]).join(whole, "ticket", join_type="inner").num_rows == 120
    for row, given in zip(short.to_pylist(), source, strict=True):
        assert [row[name] for name in ("ticket", "team", "cost")] == [
            given[name] for name in ("ticket", "team", "cost")
        ]
        assert row["tokens"] <= 40 < row["original_tokens"]
        for span in row["spans"]:
            kept = given["body"][span["start"] : span["end"]]
            assert row["body"][span["text_start"] : span["text_end"]] == kept

    # The machine is lost in the middle; what is missing is made again, by the same command.
    before = {path.name: path.read_bytes() for path in (tmp_path / "short").glob("*.parquet")}
    (tmp_path / "short" / "part-000000.parquet").unlink()
    assert "not finished" in tersely(tmp_path, "batch", "short", "--status")
    assert "holds another job" in tersely(tmp_path, "batch", "data", "short", code=2)
    tersely(tmp_path, "batch", "data", *columns, *asked, "short")
    assert {path.name: path.read_bytes() for path in (tmp_path / "short").glob("*.parquet")} == before

    # What the first job wrote is the source of the second.
    tersely(tmp_path, "dedup", "short", "fewer", *columns, "--kept", "--keep", "team", "--workers", "1")
    fewer = pq.read_table(tmp_path / "fewer")
    assert fewer.column_names == ["ticket", "body", "cluster", "kept", "similarity", "error", "team"]
    assert 20 < fewer.num_rows < 120 and set(fewer["ticket"].to_pylist()) <= {one["ticket"] for one in source}
    kept = dict(zip(short["ticket"].to_pylist(), short["body"].to_pylist(), strict=True))
    assert all(kept[row["ticket"]] == row["body"] for row in fewer.to_pylist())

    # Frames read both as they are, and join them by their ids.
    if find_spec("pandas") is not None:
        import pandas

        frames = [pandas.read_parquet(tmp_path / name) for name in ("fewer", "short")]
        assert len(frames[0].merge(frames[1], on="ticket")) == fewer.num_rows
