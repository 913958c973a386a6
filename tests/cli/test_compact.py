"""`tersely compact`: histories in, histories out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tersely.cli import main
from tersely.memory import compact_messages


def history(count: int = 30) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [
        {"role": roles[n % 2], "content": f"Message {n} about src/part_{n}.py, and much more besides. " * 8}
        for n in range(count)
    ]


def run(folder: Path, content: str, *more: str, budget: int = 600) -> tuple[int, str]:
    (folder / "history.json").write_text(content, encoding="utf-8")
    arguments = [
        "compact",
        str(folder / "history.json"),
        "--budget",
        str(budget),
        "-o",
        str(folder / "out"),
        *more,
    ]
    code = main(arguments)
    out = folder / "out"
    return code, out.read_text(encoding="utf-8") if out.exists() else ""


def test_a_list_of_messages(tmp_path: Path) -> None:
    code, text = run(tmp_path, json.dumps(history()), "--counter", "cl100k_base")
    assert code == 0
    assert json.loads(text) == compact_messages(history(), budget=600, counter="cl100k_base").messages


def test_a_request_keeps_its_other_keys_and_its_tools_count(tmp_path: Path) -> None:
    request = {"model": "m", "messages": history(), "tools": [{"name": "grep", "description": "search"}]}
    code, text = run(tmp_path, json.dumps(request), "--report", str(tmp_path / "report.json"))
    made = json.loads(text)
    assert code == 0 and (made["model"], made["tools"]) == ("m", request["tools"])
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    expected = compact_messages(history(), budget=600, tools=request["tools"])
    assert report == expected.to_dict() and made["messages"] == expected.messages


def test_json_lines_stay_json_lines(tmp_path: Path) -> None:
    code, text = run(tmp_path, "\n".join(map(json.dumps, history())))
    assert code == 0
    assert [json.loads(line) for line in text.splitlines()] == compact_messages(
        history(), budget=600
    ).messages


def test_pins_and_the_newest_stay(tmp_path: Path) -> None:
    code, text = run(tmp_path, json.dumps(history()), "--pin", "part_7.py", "--keep-last", "2")
    messages = json.loads(text)
    assert code == 0 and history()[7] in messages and messages[-2:] == history()[-2:]


@pytest.mark.parametrize("content", ["nonsense", '{"a": 1}', "[3]", '{"role": "x"}\n7'])
def test_what_is_no_history_is_refused(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, content, budget=5)[0] == 2
    assert capsys.readouterr().err.startswith("tersely: ")


def test_what_does_not_fit_is_exit_code_1(tmp_path: Path) -> None:
    assert run(tmp_path, json.dumps(history()), "--keep-last", "20")[0] == 1


def test_a_pin_that_no_message_has_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, json.dumps(history()), "--pin", "Message 3 ", "--pin", "never restart")[0] == 2
    assert capsys.readouterr().err == "tersely: --pin: 'never restart' occurs in no message\n"
