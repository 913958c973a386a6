"""`tersely ab` and `tersely mcp` on the command line, over an index that a list stands in for."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from list_retriever import ListRetriever, chunk, ten
from tersely.cli import main
from tersely.cli_mcp import TOKEN
from tersely.server.ab import Question, compare, read_questions
from tersely.server.query_tools import QueryTools

QUESTIONS = [
    {"query": "How often do tokens rotate?", "answers": ["EVERY 24  hours", "daily"]},
    {"query": "What is for lunch?", "answer": "The menu of day 0"},
    {"query": "Who sings?", "answers": ["nobody knows"]},
]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that opens as a list of ten results."""
    module = ModuleType("tersely.retrieval.index")
    module.Index = SimpleNamespace(open=lambda folder: ListRetriever(ten()))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tersely.retrieval.index", module)
    (tmp_path / "index").mkdir()
    return tmp_path / "index"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, QUESTIONS)) + "\n\n")
    return path


def test_b022_both_tools_answer_the_same_questions(
    index: Path, questions: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["ab", "--index", str(index), str(questions), "--top-n", "10"]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["full"], found["compressed"]) == (3, 2, 1)
    assert (found["only_full"], found["only_compressed"]) == (1, 0)
    assert found["compressed_tokens"] < found["full_tokens"]
    assert main(arguments) == 0
    table = capsys.readouterr().out
    assert "query_documents_compressed" in table and "1 (33.3%)" in table and "2 (66.7%)" in table


def test_b022_duplicates_make_room_for_an_answer() -> None:
    copies = [chunk(f"c{row}", 0.9, "Tokens rotate every 24 hours.") for row in range(5)]
    tools = QueryTools(ListRetriever([*copies, chunk("last", 0.5, "Keys live in the vault.")]))
    found = compare(tools, [Question("where?", ("the vault",))])
    assert (found.full, found.compressed, found.only_compressed) == (0, 1, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no questions"),
        ("{", "line 1 is no JSON"),
        ('{"query": "x", "answers": ["y"]}\n[]', 'line 2 must have a "query"'),
        ('{"query": "x"}', 'line 1 must have "answers"'),
        ('{"query": "x", "answers": []}', 'line 1 must have "answers"'),
        ('{"query": "x", "answers": [""]}', 'line 1 must have "answers"'),
    ],
)
def test_b022_what_is_no_question_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_questions(text.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "nowhere"], "nowhere is no folder; make an index with: tersely index DIR"),
        (["--http", "--host", "0.0.0.0"], "needs a bearer token"),
        (["--http", "--token-file", "missing"], "cannot read missing"),
        (["--base-url", "http://localhost:1"], "--base-url needs --model"),
        (["--model", "some-model"], "needs a key in OPENAI_API_KEY"),
    ],
)
def test_mcp_says_what_is_wrong(
    index: Path,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", TOKEN):
        monkeypatch.delenv(name, raising=False)
    folder = [] if arguments[0] == "--index" else ["--index", str(index)]
    assert main(["mcp", *folder, *arguments]) == 2
    out, err = capsys.readouterr()
    assert message in err and out == ""
