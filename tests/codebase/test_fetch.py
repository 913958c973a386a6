"""`python -m benchmarks.fetch` from a server of its own: it asks, checks what came, and writes sets."""

from __future__ import annotations

import functools
import hashlib
import importlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

TEXT = "The ferry leaves at six. A permit comes from the harbour office. Gulls steal chips."
PACKAGES = ("attrs-25.4.0", "click-8.3.0", "flask-3.1.2", "jinja2-3.1.6", "werkzeug-3.1.3")
PACKAGES = tuple(f"{name}.tar.gz" for name in PACKAGES)
LANGUAGES = ("en", "es", "ar", "hi", "zh")
ANSWER = "A permit comes from the harbour office."


@pytest.fixture(autouse=True)
def _importable(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(root))


def benchmark(name: str) -> Any:
    return importlib.import_module(f"benchmarks.{name}")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def published(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address at which a server gives its files."""
    folder = tmp_path / "published"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def squad(title: str | None) -> dict[str, Any]:
    """An article; the second answer stands a few characters beside where it says."""
    answers = [{"text": ANSWER, "answer_start": TEXT.index(ANSWER)}, {"text": "Gulls", "answer_start": 60}]
    asked = [
        {"id": 1, "question": "What comes from the office?", "answers": answers[:1]},
        {"id": 2, "question": "Who steals?", "answers": answers[1:]},
        {"id": 3, "question": "What is not told?", "answers": [{"text": "Nowhere", "answer_start": 0}]},
    ]
    told = {} if title is None else {"title": title}
    return {
        "data": [{**told, "paragraphs": [{"context": TEXT, "qas": asked}, {"context": "Rain.", "qas": []}]}]
    }


PAGE = """The Ferry
=========

It leaves at six. Gulls follow it, and nobody has ever asked them why they do so every morning.

How to get a permit
-------------------

The harbour office writes a permit for :meth:`~Ferry.board` within a day. Bring a photograph, a letter of the
owner, and the fee for the year in coins. The office is closed on Mondays and on every day on which it rains,
and it sends nobody home without a form.

Too short
~~~~~~~~~

No.
"""
MODULE = '''class Ferry:
    @property
    def places(self):
        """Count the places that are free on the next ferry.

        More words.
        """
        taken = sum(self.taken)
        free = self.size - taken
        if free < 0:
            raise ValueError
        return free

    def short(self):
        """Give the name of the ferry as it is painted."""
        return self.name
'''


def package(number: int) -> bytes:
    """A published source package; pages and modules are in the first one alone."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as opened:
        for name, text in {
            "p/docs/ferry.rst": PAGE,
            "p/src/ferry.py": MODULE,
            "p/docs/changes.rst": PAGE,
        }.items():
            content = (text if number == 0 else "").encode()
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            opened.addfile(entry, io.BytesIO(content))
    return made.getvalue()


def files() -> dict[str, bytes]:
    """A small file in the form of each that is published, by name."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("test.json", json.dumps(squad("Lease")))
    hotpot = {
        "_id": "h1", "question": "Who steals chips?", "answer": "gulls",
        "supporting_facts": [["Birds", 1]],
        "context": [["Rain", ["It rains."]], ["Birds", ["Birds fly.", " Gulls steal chips."]]],
    }  # fmt: skip
    qed = [
        {
            "example_id": number, "title_text": f"T{number}", "question_text": "when does the ferry leave",
            "paragraph_text": text, "original_nq_answers": [[{"start": 0, "end": 3, "string": "six"}]],
            "annotation": {"selected_sentence": {"start": 0, "end": 24, "string": text.partition(". ")[0]}},
        }
        for number, text in enumerate([TEXT, "The ferry is red. It is old.", "No ferry runs. It rains."])
    ]  # fmt: skip
    scitldr = {"paper_id": "p1", "source": ["We sail.", "It works."], "target": ["Sailing works."]}
    selqa = [
        {"article": f"A{at}", "question": f"When do {said}?", "answers": [1],
         "candidates": ["", f"Many {said}.", "They rest."]}
        for at, said in enumerate(["gulls rest", "ferries rest"])
    ]  # fmt: skip
    return {
        "data.zip": archive.getvalue(),
        "COVID-QA.json": json.dumps(squad(None)).encode(),
        "hotpot_dev_distractor_v1.json": json.dumps([hotpot]).encode(),
        "qed-dev.jsonlines": "\n".join(map(json.dumps, [*qed, {**qed[0], "annotation": {}}])).encode(),
        **dict.fromkeys([f"xquad.{code}.json" for code in LANGUAGES], json.dumps(squad("Ferry")).encode()),
        "test.jsonl": json.dumps(scitldr).encode(),
        **{name: package(number) for number, name in enumerate(PACKAGES)},
        "selqa-ass-test.json": json.dumps([*selqa, {**selqa[0], "answers": []}]).encode(),
    }  # fmt: skip


def small_sets(given: dict[str, bytes]) -> list[Any]:
    """The real sets with the sizes and digests of small files."""

    def small(source: Any) -> Any:
        content = given[source.name]
        return replace(source, size=len(content), sha256=hashlib.sha256(content).hexdigest())

    return [replace(one, sources=tuple(map(small, one.sources))) for one in benchmark("public_sets").SETS]


def test_sets_are_fetched_checked_and_read(
    published: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, address = published
    given, fetch = files(), benchmark("fetch")
    for name, content in given.items():
        (folder / name).write_bytes(content)
    data = tmp_path / "sets"
    arguments = ["--data", str(data), "--mirror", address, "--yes"]
    assert fetch.main(arguments, small_sets(given)) == 0
    said = capsys.readouterr().out
    assert "CC BY-SA 4.0 (HotpotQA)" in said and "curtis.ml.cmu.edu" in said and "MB in all" in said
    first = {path.name: path.read_bytes() for path in data.glob("*.gz")}
    for path in folder.iterdir():
        path.unlink()  # what is there is not fetched again
    assert fetch.main(arguments, small_sets(given)) == 0
    assert {path.name: path.read_bytes() for path in data.glob("*.gz")} == first

    found = benchmark("quality.tasks").questions(data)
    assert {name: len(questions) for name, questions in found.items()} == {
        "qa_docs_sections": 1, "qa_code_functions": 1,
        "longdoc_contracts": 2, "longdoc_covidqa": 2, "qa_hotpotqa_sentences": 1, "qa_nq_sentence": 3,
        "qa_xquad_multilingual": 10,
    }  # fmt: skip
    for questions in found.values():
        for question in questions:
            for piece in question.content["evidence"]:
                text = question.row["documents"][piece["doc"]]["text"]
                assert text[piece["start"] : piece["end"]] == piece["text"] != ""
    (section,), (function,) = found["qa_docs_sections"], found["qa_code_functions"]
    assert section.content["query"] == "How to get a permit"
    assert section.content["evidence"][0]["text"].endswith("within a day.")
    assert "How to get" not in section.row["documents"][0]["text"]
    assert function.content["query"] == "Count the places that are free on the next ferry."
    assert function.row["documents"][0]["text"].startswith(
        "    @property\n    def places(self):\n        taken"
    )
    (hotpot,) = found["qa_hotpotqa_sentences"]
    assert [piece["text"] for piece in hotpot.content["evidence"]] == ["Gulls steal chips."]
    qed = {question.row["id"]: question.row for question in found["qa_nq_sentence"]}
    assert len(qed["qed-0"]["documents"]) == 3 and len(qed["qed-1"]["documents"]) == 2, (
        "no other has the answer"
    )
    unseen = benchmark("quality.unseen").unseen_questions(data, 5)
    assert sorted(one.content["evidence"][0]["text"] for one in unseen) == [
        "Many ferries rest.",
        "Many gulls rest.",
    ]
    for one in unseen:
        (piece,) = one.content["evidence"]
        assert one.row["documents"][piece["doc"]]["text"][piece["start"] : piece["end"]] == piece["text"]
        assert len(one.row["documents"]) == 2
    assert benchmark("data").names(data) == sorted(one.name for one in benchmark("public_sets").SETS)


@pytest.mark.parametrize("wrong", [b"longer than what was published", b"short"])
def test_what_is_not_what_was_published_is_not_kept(
    wrong: bytes, published: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, address = published
    (folder / "test.jsonl").write_bytes(wrong)
    given, data = {**files(), "test.jsonl": b"{} right one"}, tmp_path / "sets"
    arguments = ["--data", str(data), "--mirror", address, "--yes", "--sets", "sum_scitldr"]
    assert benchmark("fetch").main(arguments, small_sets(given)) == 1
    assert "is not what was published" in capsys.readouterr().err
    assert [path for path in data.rglob("*") if path.is_file()] == []
