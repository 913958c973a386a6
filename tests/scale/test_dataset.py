"""Every row of a corpus is compressed once, and the bytes are a function of the plan."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import tersely

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from row_corpus import bytes_of, make_rows, read_out, write_lines, write_parquet  # noqa: E402
from tersely.errors import StoreError  # noqa: E402
from tersely.scale import compress_dataset, dataset_status, dedup_dataset, plan, rows  # noqa: E402
from tersely.scale.dataset import Report  # noqa: E402
from tersely.scale.options import RowOptions  # noqa: E402
from tersely.scale.plan import plan_job  # noqa: E402
from tersely.scale.rows import read_lines  # noqa: E402

SMALL = 4096  # bytes of a unit


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return write_parquet(tmp_path / "in.parquet", make_rows(64))


def test_each_row_is_what_compress_gives(source: Path, tmp_path: Path) -> None:
    told: list[Report] = []
    report = compress_dataset(
        source, tmp_path / "out", keep=["number"], spans=True, workers=0, progress=told.append
    )
    rows = read_out(tmp_path / "out")
    for given, row in zip(make_rows(64), rows, strict=True):
        wanted = tersely.compress(given["text"], given["query"], budget=given["budget"])
        assert (row["id"], row["number"], row["error"]) == (given["id"], given["number"], None)
        assert (row["text"], row["tokens"], row["budget"]) == (wanted.text, wanted.tokens, given["budget"])
        assert row["original_tokens"] == wanted.original_tokens
        assert row["segments"] == wanted.receipt.segments and row["content_types"] == ["prose"]
        spans = [(span["document"], span["start"], span["end"]) for span in row["spans"]]
        assert spans == [(span.document, span.start, span.end) for span in wanted.kept]
    assert report.finished and (report.rows, report.errors, report.done) == (64, 0, report.units)
    assert report.tokens == sum(row["tokens"] for row in rows)
    assert told[-1].rows == 64 and told[-1].share == 1.0
    assert dataset_status(tmp_path / "out").digest == report.digest


@pytest.mark.parametrize("workers", [2, *(pytest.param(many, marks=pytest.mark.slow) for many in (1, 7))])
def test_bytes_do_not_depend_on_the_workers(source: Path, tmp_path: Path, workers: int) -> None:
    compress_dataset(source, tmp_path / "here", workers=0, unit_bytes=SMALL)
    compress_dataset(source, tmp_path / "many", workers=workers, unit_bytes=SMALL)
    assert len(bytes_of(tmp_path / "here")) > 4
    assert bytes_of(tmp_path / "here") == bytes_of(tmp_path / "many")


def test_rows_do_not_depend_on_the_units(source: Path, tmp_path: Path) -> None:
    outs = []
    for size in (1, SMALL, 7 * SMALL, 1 << 30):
        report = compress_dataset(source, tmp_path / str(size), unit_bytes=size, workers=0)
        outs.append((report.units, read_out(tmp_path / str(size))))
    assert [units for units, _ in outs] == sorted([units for units, _ in outs], reverse=True)
    assert outs[0][0] == 64 and outs[-1][0] == 1  # a unit a row; one of all
    assert all(rows == outs[0][1] for _, rows in outs)


def test_lines_in_every_form_give_what_parquet_gives(source: Path, tmp_path: Path) -> None:
    rows = make_rows(64)
    plain = write_lines(tmp_path / "plain.jsonl", rows)
    with gzip.open(tmp_path / "packed.jsonl.gz", "wb") as file:
        file.write(plain.read_bytes()[:5000])
    with gzip.open(tmp_path / "packed.jsonl.gz", "ab") as file:  # a second member, as `cat` makes
        file.write(plain.read_bytes()[5000:])
    with pa.output_stream(str(tmp_path / "packed.ndjson.zst"), compression="zstd") as stream:
        stream.write(plain.read_bytes())
    compress_dataset(source, tmp_path / "out", workers=0)
    wanted = read_out(tmp_path / "out")
    for name in ("plain.jsonl", "packed.jsonl.gz", "packed.ndjson.zst"):
        report = compress_dataset(tmp_path / name, tmp_path / f"{name}.out", workers=0, unit_bytes=SMALL)
        assert report.units > 4
        assert read_out(tmp_path / f"{name}.out") == wanted


@pytest.mark.parametrize("ending", ["\n", ""])
def test_each_line_belongs_to_one_range(tmp_path: Path, ending: str) -> None:
    written = [json.dumps({"text": "x" * (n % 7), "number": n}) for n in range(12)]
    path = tmp_path / "lines.jsonl"
    path.write_text("\n\n".join(written) + ending, encoding="utf-8")
    size = path.stat().st_size
    columns, types = RowOptions(keep=("number",)).columns, {"id": pa.string(), "number": pa.int64()}
    for cut in range(size + 1):
        halves = [(0, cut), (cut, size)]
        kept = [
            row
            for start, stop in halves
            for rows in read_lines(path, "lines", start, stop, columns, types)
            for row in rows.kept["number"].to_pylist()
        ]
        assert kept == list(range(12)), cut


@pytest.mark.parametrize("cut", [0, 1, 2_000_000, 5_000_000])
def test_a_row_that_is_too_long_is_an_error_and_never_held_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int
) -> None:
    """The limit is exact, the rows around stay, and each half of the file gives its own."""
    most = 1_500_000
    monkeypatch.setattr(rows, "MOST_ROW", most)
    texts = ["first", "x" * (most - 12), "y" * (most - 11), "z" * 5_000_000, "last"]
    path = write_lines(tmp_path / "long.jsonl", [{"text": text} for text in texts])
    assert [len(line) for line in path.read_bytes().splitlines()][1:3] == [most, most + 1]
    halves = [(0, cut), (cut, path.stat().st_size)]
    errors = [
        error
        for start, stop in halves
        for rows in read_lines(path, "long", start, stop, RowOptions().columns, {"id": pa.string()})
        for error in rows.errors
    ]
    too_long = "the line has more bytes than the 1,500,000 that a row may have"
    assert errors == [None, None, too_long, too_long, None]
    assert max(len(line) for _, line in rows._lines(path, 0, 2**62)) <= most + 2 * rows._CHUNK


def test_folders_and_patterns(tmp_path: Path) -> None:
    rows = make_rows(12)
    write_parquet(tmp_path / "data" / "b" / "two.parquet", rows[4:8])
    write_parquet(tmp_path / "data" / "a.parquet", rows[:4])
    write_parquet(tmp_path / "data" / "c.parquet", rows[8:])
    write_parquet(tmp_path / "data" / "_hidden.parquet", rows)
    (tmp_path / "data" / "readme.txt").write_text("no rows", encoding="utf-8")
    compress_dataset(tmp_path / "data", tmp_path / "folder", workers=0)
    assert [row["id"] for row in read_out(tmp_path / "folder")] == [row["id"] for row in rows]
    compress_dataset(str(tmp_path / "data" / "*.parquet"), tmp_path / "pattern", workers=0)
    assert len(read_out(tmp_path / "pattern")) == 20  # the hidden one is named by the pattern
    compress_dataset([tmp_path / "data" / "c.parquet", tmp_path / "data" / "b"], tmp_path / "list", workers=0)
    assert len(read_out(tmp_path / "list")) == 8


def test_an_output_inside_the_source_is_no_input(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet", make_rows(4))
    first = compress_dataset(tmp_path, tmp_path / "out", workers=0)
    assert compress_dataset(tmp_path, tmp_path / "out", workers=0).digest == first.digest
    assert len(read_out(tmp_path / "out")) == 4


def test_rows_without_ids_are_called_by_their_place(tmp_path: Path) -> None:
    rows = [{"text": row["text"]} for row in make_rows(8)]
    write_parquet(tmp_path / "rows.parquet", rows, group=3)
    compress_dataset(tmp_path / "rows.parquet", tmp_path / "out", workers=0, unit_bytes=1500)
    assert [row["id"] for row in read_out(tmp_path / "out")] == [f"rows.parquet#{n}" for n in range(8)]
    lines = write_lines(tmp_path / "rows.jsonl", rows)
    compress_dataset(lines, tmp_path / "lines", workers=0)
    starts = [0, *[n + 1 for n, byte in enumerate(lines.read_bytes()) if byte == 10]][:8]
    assert [row["id"] for row in read_out(tmp_path / "lines")] == [f"rows.jsonl#{at}" for at in starts]


def test_columns_of_lines_have_the_type_of_what_files_begin_with(tmp_path: Path) -> None:
    """Integers, numbers and truth values; what is otherwise later on is an error, not another value."""
    rows: list[dict[str, Any]] = [
        {"id": n, "text": "Gates open at seven.", "score": n, "sure": n > 1, "what": [n]} for n in range(200)
    ]
    rows[3]["score"] = 0.5
    rows[150] |= {"id": 1.5}
    rows[160] |= {"score": "high"}
    rows[170] |= {"id": 2**63, "sure": None}
    path = write_lines(tmp_path / "in.jsonl", rows)
    compress_dataset(path, tmp_path / "out", keep=["score", "sure", "what"], ratio=1.0, workers=0)
    table = pq.read_table(tmp_path / "out")
    types = [str(table.schema.field(name).type) for name in ("id", "score", "sure", "what")]
    assert types == ["int64", "double", "bool", "string"]
    found = table.to_pylist()
    wrong = [(n, row["error"]) for n, row in enumerate(found) if row["error"] is not None]
    assert [n for n, _ in wrong] == [150, 160, 170]
    assert wrong[0][1] == "TypeError: id is 1.5, and int64 in the first lines" and found[150]["id"] is None
    for n in set(range(200)) - {150, 160, 170}:
        assert found[n]["id"] == n and found[n]["score"] == rows[n]["score"] and found[n]["what"] == f"[{n}]"
    one, other = tmp_path / "ids" / "one.jsonl", tmp_path / "ids" / "other.jsonl"
    write_lines(one, [{"id": 1, "text": "a"}]), write_lines(other, [{"id": "b", "text": "b"}, {"text": "c"}])
    compress_dataset(tmp_path / "ids", tmp_path / "text", workers=0)
    assert [row["id"] for row in read_out(tmp_path / "text")] == ["1", "b", "other.jsonl#25"]


def test_units_are_of_a_size_that_many_workers_have_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "_UNIT_BYTES", 256)
    write_lines(tmp_path / "in.jsonl", make_rows(64))
    assert compress_dataset(tmp_path / "in.jsonl", tmp_path / "out", workers=0).units > 16
    with gzip.open(tmp_path / "in.jsonl.gz", "wb") as file:
        file.write((tmp_path / "in.jsonl").read_bytes())
    assert compress_dataset(tmp_path / "in.jsonl.gz", tmp_path / "packed", workers=0).units == 1


def test_rows_of_any_size_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is too large has an error, and its text is never a Python object."""
    monkeypatch.setattr(rows, "MOST_ROW", 50_000)
    given = make_rows(9)
    given[4]["text"] = "x" * 60_000
    given[5]["text"] = "y" * 40_000
    write_parquet(tmp_path / "in.parquet", given)
    compress_dataset(tmp_path / "in.parquet", tmp_path / "out", workers=0)
    found = read_out(tmp_path / "out")
    assert [n for n, row in enumerate(found) if row["error"] is not None] == [4]
    assert found[4]["error"] == "the row has more bytes than the 50,000 that a row may have"
    assert [row["id"] for row in found] == [row["id"] for row in given]


def test_fifty_thousand_rows_make_one_part(tmp_path: Path) -> None:
    text = " ".join(f"Gate {n} opens." for n in range(80))
    pq.write_table(pa.table({"text": [f"{n} {text}" for n in range(50_000)]}), tmp_path / "in.parquet")
    _, plan = plan_job(tmp_path / "in.parquet", tmp_path, RowOptions(), 128 << 20)
    assert sum(plan.weights) > 50 << 20 and len(plan.units) == 1


def test_a_job_goes_on_from_where_its_source_lies_now(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options: dict[str, Any] = {"budget": 30, "keep": ["number"], "unit_bytes": SMALL, "workers": 0}
    compress_dataset(source, out, **options)
    wanted = bytes_of(out)
    (out / "part-000001.parquet").unlink()
    moved = source.rename(tmp_path / "in2.parquet")
    with pytest.raises(FileNotFoundError):
        compress_dataset(source, out, **options)
    with pytest.raises(ValueError, match="no longer in the source"):
        compress_dataset(moved, out, **options)
    elsewhere = moved.rename(write_parquet(tmp_path / "new" / "in.parquet", []))
    assert compress_dataset(elsewhere, out, **options).finished and bytes_of(out) == wanted
    with pytest.raises(
        ValueError, match="budget is 30 there and that of the column 'budget' here; give what"
    ):
        compress_dataset(elsewhere, out, **(options | {"budget": "budget"}))


POISON: list[Any] = [
    None,
    {"text": None},
    {"text": 3},
    {"text": {"a": 1}},
    {"text": "Gates open.", "budget": "many"},
    {"text": "Gates open at seven.", "budget": 0},
    {"text": "Gates open.", "query": 5},
    {"id": "\udfff", "text": 1},
]


def test_poison_rows_go_to_the_error_column(tmp_path: Path) -> None:
    rows = make_rows(4)
    lines = [json.dumps(row) for row in rows]
    poison = [json.dumps(row) if row else "{not JSON" for row in POISON]
    path = tmp_path / "in.jsonl"
    path.write_bytes(
        "\n".join([*lines[:2], *poison, *lines[2:]]).encode() + b'\n{"text": "\xff\xfe\xf0\xf1"}\n[1]\n'
    )
    report = compress_dataset(path, tmp_path / "out", workers=0)
    found = read_out(tmp_path / "out")
    assert report.finished and report.errors == len(POISON) + 2 and report.rows == len(POISON) + 6
    assert [row["error"] is None for row in found] == [True] * 2 + [False] * 8 + [True] * 2 + [False] * 2
    assert all((row["text"] is None) == (row["error"] is not None) for row in found)
    assert found[2]["error"].startswith("the line is not JSON") and "not list" in found[-1]["error"]
    assert found[9]["id"] == "\\udfff"
    assert dataset_status(tmp_path / "out").errors == report.errors


JOBS = pytest.mark.parametrize("job", [compress_dataset, dedup_dataset])


@JOBS
def test_a_job_is_gone_on_with_and_parts_that_are_there_stay(source: Path, tmp_path: Path, job: Any) -> None:
    out = tmp_path / "out"
    first = job(source, out, workers=0, unit_bytes=SMALL)
    wanted = bytes_of(out)
    for name in ("part-000001.parquet", "part-000003.parquet"):
        (out / name).unlink()
    (out / ".part-000001.parquet.0123.45-67.tmp").write_bytes(b"left over")
    before = (out / "part-000000.parquet").stat().st_mtime_ns
    status = dataset_status(out)
    assert not status.finished and status.units - status.done == 2
    report = job(source, out, workers=0, unit_bytes=SMALL)
    assert report.done - report.skipped == 2 and report.rows == 64 and report.digest == first.digest
    assert bytes_of(out) == wanted
    assert (out / "part-000000.parquet").stat().st_mtime_ns == before


def test_another_job_is_refused_and_what_differs_is_said(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    compress_dataset(source, out, workers=0)
    before = bytes_of(out)
    with pytest.raises(ValueError, match=r"another job: ratio is 0\.3 there and 0\.5 here"):
        compress_dataset(source, out, ratio=0.5)
    with pytest.raises(ValueError, match="unit_bytes is 8388608 there and 99 here"):
        compress_dataset(source, out, unit_bytes=99)
    other = write_parquet(tmp_path / "other.parquet", make_rows(3))
    with pytest.raises(ValueError, match=r"in\.parquet is no longer in the source; other\.parquet is new"):
        compress_dataset(other, out)
    write_parquet(source, make_rows(65))
    with pytest.raises(ValueError, match=r"in\.parquet had \d+ bytes and has \d+"):
        compress_dataset(source, out)
    assert bytes_of(out) == before


def test_a_folder_that_holds_something_else_is_refused(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_parquet(out / "part-000000.parquet", make_rows(1))
    with pytest.raises(ValueError, match=r"has part-000000\.parquet and no _tersely\.parquet"):
        compress_dataset(source, out)
    (out / "_tersely.parquet").write_text("[]", encoding="utf-8")
    with pytest.raises(StoreError, match="is no plan of this version"):
        compress_dataset(source, out)
    with pytest.raises(FileNotFoundError, match="no job was begun there"):
        dataset_status(tmp_path)


def test_wrong_arguments_and_types_name_what_is_allowed(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=r"query must be a column of .*, one of .*not 'question'"):
        compress_dataset(source, out, query="question")
    with pytest.raises(TypeError, match="source must be a path, a pattern or a list of these, not 5"):
        compress_dataset(5, out)
    with pytest.raises(FileExistsError, match=r"out must be a folder, and .*in\.parquet is a file"):
        compress_dataset(source, source)
    with pytest.raises(ValueError, match="text must be a column of "):
        compress_dataset(write_lines(tmp_path / "x.jsonl", [{"body": "x"}]), out)
    for name in ("tokens", "text", "id"):
        with pytest.raises(ValueError, match=f"keep cannot be '{name}'"):
            compress_dataset(source, out, keep=[name])
    with pytest.raises(ValueError, match="id cannot be 'text'"):
        compress_dataset(source, out, id="text")
    with pytest.raises(TypeError, match="counter must be a name, which a plan can say"):
        compress_dataset(source, out, counter=len)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="strategy must be one that reads documents"):
        compress_dataset(source, out, strategy="abstractive")
    with pytest.raises(ValueError, match="on must be local, ray or the address"):
        compress_dataset(source, out, on="mars")
    with pytest.raises(FileNotFoundError, match="no file or folder"):
        compress_dataset(tmp_path / "nothing.parquet", out)
    (tmp_path / "text.txt").write_text("x", encoding="utf-8")
    with pytest.raises(ValueError, match=r"files that end in \.parquet"):
        compress_dataset(tmp_path / "text.txt", out)
    (tmp_path / "bad.parquet").write_text("no Parquet", encoding="utf-8")
    with pytest.raises(ValueError, match="is no Parquet file"):
        compress_dataset(tmp_path / "bad.parquet", out)
    write_parquet(tmp_path / "data" / "a.parquet", make_rows(2))
    write_parquet(tmp_path / "data" / "b.parquet", [{**row, "number": "1"} for row in make_rows(2)])
    with pytest.raises(ValueError, match=r"'number'.* is int64 in a\.parquet and string in b\.parquet"):
        compress_dataset(tmp_path / "data", tmp_path / "out", keep=["number"])


def test_kept_columns_of_every_kind_come_along(tmp_path: Path) -> None:
    table = pa.table(
        {
            "id": pa.array([7, 8]),
            "text": ["Gates open at seven.", "Gates close at nine."],
            "when": pa.array([1, 2], pa.timestamp("ns")),  # more than Python's own can say
            "kind": pa.array(["a", "b"]).dictionary_encode(),
            "deep": [[{"x": 1}], []],
        }
    )
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=1)
    compress_dataset(tmp_path / "in.parquet", tmp_path / "out", keep=["when", "kind", "deep"], workers=0)
    made = pq.read_table(tmp_path / "out" / "part-000000.parquet")
    assert made["id"].to_pylist() == [7, 8]
    assert made["when"].cast(pa.int64()).to_pylist() == [1, 2] and made["kind"].to_pylist() == ["a", "b"]
    assert made["deep"].to_pylist() == [[{"x": 1}], []]


def test_a_text_may_be_several_documents(tmp_path: Path) -> None:
    texts = [row["text"] for row in make_rows(3)]
    write_parquet(tmp_path / "in.parquet", [{"chunks": texts, "query": "station gates?"}])
    compress_dataset(tmp_path / "in.parquet", tmp_path / "out", text="chunks", budget=50, workers=0)
    wanted = tersely.compress(texts, "station gates?", budget=50).text
    assert read_out(tmp_path / "out")[0]["chunks"] == wanted


@JOBS
def test_a_source_without_rows_gives_no_parts(tmp_path: Path, job: Any) -> None:
    write_lines(tmp_path / "in.jsonl", [])
    with pytest.raises(ValueError, match=" has no columns: a line must be an object with a text"):
        job(tmp_path / "in.jsonl", tmp_path / "lines")
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "in.parquet")
    report = job(tmp_path / "in.parquet", tmp_path / "out")
    assert report.finished and (report.units, report.rows, report.kept) == (0, 0, 0)
