"""The plugs in examples/harnesses/ with the real packages, where they are; BERGEN's clone on PYTHONPATH."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest
import tersely
from markdown_blocks import ROOT

FOLDER = ROOT / "examples" / "harnesses"
QUERY = "How often do keys rotate?"
TEXTS = [
    "Keys rotate every 24 hours. The job runs at 01:50. It was written in 2019, long before the move.",
    "The machine on floor two is broken. Milk is in the small fridge. Coffee is out until Monday.",
]
# Their frameworks warn of much that is not ours.
pytestmark = pytest.mark.filterwarnings("default")


def count(texts: list[str]) -> int:
    return tersely.compress("\n\n".join(filter(None, texts)), ratio=1.0, counter="cl100k_base").tokens


def test_each_plug_is_short_and_listed() -> None:
    listed = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    for path in FOLDER.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 60 and f"harnesses/{path.name}" in listed


def test_bergen() -> None:
    pytest.importorskip("models.context_processors.context_processor")
    made = runpy.run_path(str(FOLDER / "bergen_processor.py"))["Tersely"](ratio=0.3)
    (kept,), metrics = made.process([TEXTS], [QUERY])
    assert len(kept) == 2 and kept[0].startswith("Keys rotate every 24 hours.")
    assert count(kept) <= 0.3 * count(TEXTS) + 1 and metrics["context_compression"] > 50
    assert made.name == "tersely_0.3"


def test_autorag(tmp_path: Path) -> None:
    pytest.importorskip("autorag")
    import pandas as pd
    from autorag.nodes.passagecompressor.run import run_passage_compressor_node
    from autorag.schema.module import Module

    plug = runpy.run_path(str(FOLDER / "autorag_compressor.py"))["Tersely"]
    module: Any = Module.from_dict({"module_type": "tersely", "budget": 12})
    assert module.module.__name__ == plug.__name__ == "Tersely"
    (tmp_path / "data").mkdir()
    ids = ["keys", "coffee"]
    qa = {"qid": ["q"], "query": [QUERY], "retrieval_gt": [[["keys"]]], "generation_gt": [["24 hours"]]}
    corpus = {"doc_id": ids, "contents": TEXTS, "metadata": [{"a": 1}] * 2}
    pd.DataFrame(qa).to_parquet(tmp_path / "data" / "qa.parquet")
    pd.DataFrame(corpus).to_parquet(tmp_path / "data" / "corpus.parquet")
    hits = {"retrieved_contents": [TEXTS], "retrieved_ids": [ids], "retrieve_scores": [[1.0, 0.5]]}
    found = pd.DataFrame({"qid": ["q"], "query": [QUERY]} | hits)
    best = run_passage_compressor_node(
        [module.module], [module.module_param], found, str(tmp_path / "line" / "node"),
        {"metrics": ["retrieval_token_recall"]},
    )  # fmt: skip
    (kept,) = best["retrieved_contents"]
    assert list(kept) == ["Keys rotate every 24 hours."] and count(list(kept)) <= 12
    assert best["passage_compressor_retrieval_token_recall"][0] > 0


def test_squeez(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("squeez")
    lines = [f"tests/test_{n}.py::test_{n} PASSED" for n in range(200)]
    lines[120] = "tests/test_ferry.py::test_permit FAILED - AssertionError: no permit from the harbour office"
    row = {
        "query": "Which test failed?",
        "tool_output": "\n".join(lines),
        "gold_spans": [{"start_line": 121, "end_line": 121}],
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["squeez_rows.py", str(path), "--ratio", "0.05"])
    runpy.run_path(str(FOLDER / "squeez_rows.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "1 rows at 5%" in said and "recall       1.000" in said
