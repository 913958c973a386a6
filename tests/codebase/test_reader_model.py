"""`benchmarks.quality --parts reader-model` asks a model of an OpenAI-compatible server, and scores it."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import model_server
import pytest

pytest.importorskip("openai")

HOUSES = 6
FILLER = " ".join(f"Lamp {number} hangs in room {number} above the stairs." for number in range(40))


@pytest.fixture
def server() -> Iterator[model_server.Server]:
    with model_server.running() as made:
        made.reply = reader
        yield made


def reader(prompt: str) -> str:
    """The name that follows "is called" in the text; what the instruction says where none does."""
    said = prompt.partition(" is called ")[2].partition(".")[0]
    return said or "Unknown."


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    rows = []
    for number in range(HOUSES):
        evidence = (
            f"The keeper of house {number}, behind the old mill by the river, is called Person{number}."
        )
        text = f"{FILLER} {evidence} {FILLER}"
        found = {"doc": 0, "text": evidence, "start": text.index(evidence)}
        rows.append(
            {
                "id": str(number),
                "query": f"Who is the keeper of house {number}?",
                "documents": [{"id": "a", "title": "", "text": text}],
                "evidence": [found],
                "answers": [f"Person{number}" if number else "nobody of this text"],
            }
        )
    with gzip.open(tmp_path / "qa_houses.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    return tmp_path


def run(root: Path, sets: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.quality", "--data", str(sets), "--reference"]
    command += ["--systems", "tersely,lead", "--parts", "reader-model", *more]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    return subprocess.run(
        command, check=False, cwd=root, env=kept, capture_output=True, text=True, timeout=120
    )


def test_the_answers_of_a_model_are_scored_beside_the_whole_and_asked_once(
    root: Path, sets: Path, server: model_server.Server
) -> None:
    said = (
        "--reader",
        "small",
        "--reader-url",
        server.url,
        "--price",
        "2",
        "--replies",
        str(sets / "said.jsonl"),
    )
    made = run(root, sets, *said, "--json", str(sets / "all.json"))
    assert made.returncode == 0, made.stderr
    table = json.loads((sets / "all.json").read_text(encoding="utf-8"))["tables"][0]
    ours, lead, whole = table["rows"]
    assert [row["system"] for row in table["rows"]] == ["tersely", "lead", "the whole documents"]
    assert (ours["model f1"], lead["model f1"], whole["model f1"]) == (1, 0, 1)
    assert (ours["unknown"], lead["unknown"]) == (0, 1)
    assert whole["cost"] == pytest.approx(whole["read"] * 1_000 * 2 / 1e6)
    asked = len(server.requests)
    assert asked == 3 * (HOUSES - 1)  # a question without an answer in its documents is not asked
    assert all("follow instructions" in prompt for prompt in server.prompts)
    again = run(root, sets, *said)
    assert again.returncode == 0, again.stderr
    assert len(server.requests) == asked


def test_a_server_that_refuses_is_one_line(root: Path, sets: Path, server: model_server.Server) -> None:
    server.mishaps = [401] * 9
    made = run(root, sets, "--reader", "small", "--reader-url", server.url)
    assert made.returncode == 1
    assert "Traceback" not in made.stderr
    assert "small" in made.stderr.splitlines()[-1]
