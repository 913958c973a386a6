"""What a job writes is a data set: readers of data frames open its folder as it is, and ids join."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow")

from row_corpus import make_rows, write_lines, write_parquet
from tersely.scale import compress_dataset, dedup_dataset

pytestmark = pytest.mark.filterwarnings("default")  # of the readers' own


def read_pyarrow(out: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    return list(pq.read_table(out).to_pylist())


def read_pandas(out: Path) -> list[dict[str, Any]]:
    pandas = pytest.importorskip("pandas")
    return list(pandas.read_parquet(out).to_dict("records"))


def read_polars(out: Path) -> list[dict[str, Any]]:
    polars = pytest.importorskip("polars")
    assert polars.scan_parquet(out).collect().equals(polars.read_parquet(f"{out}/*.parquet"))
    return list(polars.read_parquet(out).to_dicts())


def read_duckdb(out: Path) -> list[dict[str, Any]]:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as connection:
        found = connection.execute(f"select * from '{out}/*.parquet'")
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def read_datasets(out: Path) -> list[dict[str, Any]]:
    datasets = pytest.importorskip("datasets")
    one = datasets.load_dataset("parquet", data_dir=str(out), cache_dir=str(out.parent / "cache"))["train"]
    other = datasets.load_dataset(str(out), cache_dir=str(out.parent / "cache"))["train"]
    assert one.to_list() == other.to_list()
    return list(one.to_list())


def read_spark(out: Path) -> list[dict[str, Any]]:
    sql = pytest.importorskip("pyspark.sql")
    spark = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        return [row.asDict(recursive=True) for row in spark.read.parquet(str(out)).collect()]
    finally:
        spark.stop()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folders of four jobs with rows whose ids are integers; one with a part that has no rows."""
    folder = tmp_path_factory.mktemp("readers")
    rows = [{"doc": 7 * n, "body": row["text"], "number": n / 2} for n, row in enumerate(make_rows(40))]
    rows += [{**row, "doc": row["doc"] + 1} for row in rows]
    parquet = write_parquet(folder / "in.parquet", rows)
    sources = {"parquet": parquet, "lines": write_lines(folder / "in.jsonl", rows)}
    options: dict[str, Any] = {"text": "body", "id": "doc", "keep": ["number"], "workers": 0}
    for name, source in sources.items():
        compress_dataset(source, folder / name, budget=40, spans=True, unit_bytes=9000, **options)
    dedup_dataset(parquet, folder / "marked", unit_bytes=9000, **options)
    dedup_dataset(parquet, folder / "kept", kept_only=True, unit_bytes=9000, **options)
    return {name: folder / name for name in ("parquet", "lines", "marked", "kept")}


@pytest.mark.parametrize(
    "read",
    [
        read_pyarrow,
        read_pandas,
        read_polars,
        read_duckdb,
        pytest.param(read_datasets, marks=pytest.mark.slow),
        pytest.param(read_spark, marks=pytest.mark.slow),
    ],
)
def test_the_folder_of_a_job_is_a_data_set(
    folders: dict[str, Path], read: Callable[[Path], list[dict[str, Any]]]
) -> None:
    for name, out in folders.items():
        assert len(list(out.glob("part-*.parquet"))) > 2
        found = sorted(read(out), key=lambda row: row["doc"])
        ids = [7 * n + more for n in range(40) for more in (0, 1)]
        assert [row["doc"] for row in found] == (ids[::2] if name == "kept" else ids)
        assert all(type(row["doc"]) is int and row["number"] == row["doc"] // 7 / 2 for row in found)
        if name in ("parquet", "lines"):
            assert all(row["body"] and row["tokens"] <= 40 and len(row["spans"]) for row in found)


def test_ids_join_with_the_source(folders: dict[str, Path]) -> None:
    import pyarrow.parquet as pq

    source = pq.read_table(folders["parquet"].parent / "in.parquet")
    for name in ("parquet", "lines", "marked"):
        joined = source.join(pq.read_table(folders[name]).select(["doc"]), "doc", join_type="inner")
        assert joined.num_rows == source.num_rows == 80
