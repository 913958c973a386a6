"""One function from table to table, and the engines that hand tables to it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from row_corpus import make_rows, read_out, write_parquet  # noqa: E402
from tersely.scale import compress_dataset, compress_table  # noqa: E402


def test_a_table_has_the_rows_that_a_dataset_has(tmp_path: Path) -> None:
    rows = make_rows(20)
    write_parquet(tmp_path / "in.parquet", rows)
    compress_dataset(tmp_path / "in.parquet", tmp_path / "out", keep=["number"], spans=True, workers=0)
    table = compress_table(pa.Table.from_pylist(rows), keep=["number"], spans=True)
    assert table.to_pylist() == read_out(tmp_path / "out")
    batch = pa.RecordBatch.from_pylist(rows)
    assert compress_table(batch, keep=["number"], spans=True).equals(table)


def test_rows_are_numbered_and_errors_stand_in_their_place() -> None:
    texts = pa.chunked_array([["Gates open at seven."] * 300, [None, "Gates close at nine."]])
    table = compress_table(pa.table({"text": texts}), budget=20)
    assert table["id"].to_pylist() == [str(n) for n in range(302)]
    assert table["error"].to_pylist()[300] == "ValueError: there is no text"
    assert table["error"].null_count == 301
    empty = compress_table(pa.table({"text": pa.array([], pa.string())}))
    assert empty.num_rows == 0 and empty.schema == table.schema
    with pytest.raises(TypeError, match="table must be a pyarrow Table or RecordBatch, not list"):
        compress_table([{"text": "x"}])
    with pytest.raises(ValueError, match="text must be a column of the table, one of body"):
        compress_table(pa.table({"body": ["x"]}))


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(make_rows(5))
    short = pl.from_arrow(compress_table(frame.to_arrow()))
    wanted = compress_table(pa.Table.from_pylist(make_rows(5)))
    assert short["text"].to_list() == wanted["text"].to_pylist()
    assert short["id"].to_list() == [f"row-{n}" for n in range(5)]


def test_duckdb(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    write_parquet(tmp_path / "in.parquet", make_rows(5))
    table = duckdb.sql(f"select id, text, query, budget from '{tmp_path}/in.parquet'").to_arrow_table()
    short = compress_table(table)
    wanted = compress_table(pa.Table.from_pylist(make_rows(5)))
    assert short.equals(wanted)
    assert duckdb.sql("select sum(tokens) from short").fetchall() == [(sum(wanted["tokens"].to_pylist()),)]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of Ray's own
def test_ray_data() -> None:
    pytest.importorskip("pandas")  # which Ray Data needs
    ray = pytest.importorskip("ray")
    wanted = compress_table(pa.Table.from_pylist(make_rows(20)), budget=50)
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        dataset = ray.data.from_arrow(pa.Table.from_pylist(make_rows(20)))
        short = dataset.map_batches(
            compress_table, batch_format="pyarrow", fn_kwargs={"budget": 50}, batch_size=7
        )
        rows = sorted(short.take_all(), key=lambda row: int(row["id"].removeprefix("row-")))
    finally:
        ray.shutdown()
    assert [row["text"] for row in rows] == wanted["text"].to_pylist()
    assert [row["tokens"] for row in rows] == wanted["tokens"].to_pylist()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # of Spark's own
def test_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")  # which mapInArrow needs
    sql = pytest.importorskip("pyspark.sql")
    wanted = compress_table(pa.Table.from_pylist(make_rows(20)), budget=50)

    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)

    def shorten(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            yield from compress_table(batch, budget=50).select(["id", "text", "tokens"]).to_batches()

    spark = sql.SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        frame = spark.createDataFrame(make_rows(20)).repartition(3)
        rows = frame.mapInArrow(shorten, "id string, text string, tokens bigint").collect()
    finally:
        spark.stop()
    found = {row["id"]: (row["text"], row["tokens"]) for row in rows}
    columns = (wanted[name].to_pylist() for name in ("id", "text", "tokens"))
    assert found == {id: (text, tokens) for id, text, tokens in zip(*columns, strict=True)}
