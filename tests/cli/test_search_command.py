"""`tersely index` and `tersely search`."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tersely.cli import main
from tersely.models.counters import resolve_counter
from tersely.retrieval.index import Index, extract


def lines(name: str, part: int) -> str:
    """Five lines; no sentence stands twice."""
    return "".join(
        f"Tide {part}.{n} of {name} turns at six, and the ferry waits. Ägir rules sea {part}.{n} of {name}. "
        f"The pilot boards {name} {part}.{n} at noon.\n"
        for n in range(5)
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("tides", "pilots", "cranes"):
        text = "".join(
            f"## Part {n} of {name}\n\n{lines(name, n)}The {name} have number {n}.\n\n" for n in range(4)
        )
        (tmp_path / f"{name}.md").write_text(f"# On {name}\n\n{text}", encoding="utf-8")
    return tmp_path


def test_index_and_search(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert out == "" and "3 files (3 added, 0 changed, 0 removed)" in err
    assert main(["search", str(folder), "which number have the cranes?", "--budget", "150"]) == 0
    out, _ = capsys.readouterr()
    assert out.startswith("cranes.md:\nSection: On cranes > Part ")
    assert "The cranes have number" in out
    assert resolve_counter(None).count(out[:-1]) <= 150
    assert main(["search", str(folder), "which number have the cranes?", "--top-n", "40"]) == 0
    out, err = capsys.readouterr()
    assert "note: no --budget was given, so " in err and resolve_counter(None).count(out[:-1]) <= 2000


def test_a_query_without_matches_is_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", str(folder)]) == 0
    capsys.readouterr()
    for query, noted in (("zxqv blorf", True), ("cranes blorf", False)):
        assert main(["search", str(folder), query, "--budget", "150"]) == 0
        assert ("no word of the query stands in the index" in capsys.readouterr().err) == noted


def test_search_prints_json_and_takes_the_index_itself(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = folder.parent / f"{folder.name}-index"
    assert main(["index", str(folder), "-o", str(index), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["added"], report["files"], report["notes"]) == (3, 3, [])
    assert (
        main(
            ["search", str(index), '"pilots OR NEAR(', "--json", "--budget", "90", "-n", "2", "-c", "chars/4"]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert (
        found["tokens"] <= 90 < found["original_tokens"] and found["results"][0]["file_path"] == "pilots.md"
    )
    whole = Index.open(index).chunk(found["results"][0]["chunk_id"]).content
    assert all(piece in whole for piece in found["results"][0]["content"].split("\n\n"))


@pytest.mark.parametrize("counter", [None, "chars/4", len])
@pytest.mark.parametrize("budget", [60, 100, 150, 300, 700, 5000])
def test_what_is_printed_never_exceeds_the_budget(folder: Path, budget: int, counter: object) -> None:
    index = Index.build(folder)
    query = "when does the pilot board?"
    results = index.search(query, top_n=6)
    found = extract(results, query, budget=budget * (4 if counter is len else 1), counter=counter)
    limit = budget * (4 if counter is len else 1)
    assert resolve_counter(counter).count(found.text) == found.tokens <= limit
    assert found.results and [result.chunk_id for result in found.results] == [
        result.chunk_id
        for result in results
        if any(result.chunk_id == other.chunk_id for other in found.results)
    ]
    if found.original_tokens > limit >= 100:
        assert found.tokens >= 0.6 * limit
    if found.original_tokens <= limit:
        assert [result.content for result in found.results] == [result.content for result in results]


def test_wrong_use_is_exit_code_2_and_too_small_a_budget_1(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", str(folder), "x"]) == 2
    assert "holds no index" in capsys.readouterr().err
    assert main(["index", str(folder / "tides.md")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert main(["index", str(folder)]) == 0
    assert main(["search", str(folder), "tides", "--budget", "0"]) == 2
    assert main(["search", str(folder), "tides", "--top-n", "0"]) == 2
    capsys.readouterr()
    assert main(["search", str(folder), "tides", "--budget", "3"]) == 1
    assert "budget" in capsys.readouterr().err
    assert main(["search", str(folder), "zzzz qqqq", "--budget", "50"]) == 0


def test_a_terminal_sees_progress(folder: Path) -> None:
    main_end, other_end = pty.openpty()
    command = [sys.executable, "-m", "tersely", "index", str(folder)]
    done = subprocess.run(command, stderr=other_end, stdout=subprocess.PIPE, check=True)
    os.close(other_end)
    seen = os.read(main_end, 10_000).decode()
    os.close(main_end)
    assert done.stdout == b"" and "indexing" in seen and "3 files" in seen
