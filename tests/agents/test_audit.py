"""`tersely audit`: what was stated before a compaction and is stated no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from growth import MOST, growth
from hypothesis import given, settings, strategies as st
from tersely.agents.audit import audit, read_history
from tersely.cli import main
from tersely.report.page import audit_page

LOG = "step 3 done\nValueError: bad amount\n  at src/pay/x.py:12\n"
BEFORE = [
    {"role": "system", "content": "You must answer in German."},
    {"role": "user", "content": "Never restart the east pool before the backup has finished. Look at 4711."},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "read_log", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "a", "content": LOG},
    {"role": "assistant", "content": "We decided to use Postgres instead of SQLite for the ledger tables."},
]  # fmt: skip
SUMMARY = (
    "The east pool may be restarted before the backup has finished. For the ledger tables it was decided to "
    "use Postgres instead of SQLite.\n- src/pay/x.py:12 raised ValueError: bad amount\n"
    "- You must answer in German."
)


def lost(before: Any, after: Any) -> set[tuple[str, str, int]]:
    return {(one.kind, one.text, one.message) for one in audit(before, after).lost()}


def test_what_is_lost_is_named_by_kind_and_place_and_what_is_reworded_is_not() -> None:
    after = [{"role": "user", "content": SUMMARY}]
    never = "Never restart the east pool before the backup has finished."
    assert lost(BEFORE, after) == {("instructions", never, 1), ("facts", "4711", 1), ("facts", "read_log", 2)}
    made = audit(BEFORE, after)
    assert made.counts()["decisions"] == (1, 0) and made.counts()["errors"] == (1, 0)
    assert made.counts()["paths"] == (1, 0) and made.counts()["instructions"] == (2, 1)
    (error,) = [one for one in made.statements if one.kind == "errors"]
    assert (error.message, error.speaker) == (3, "read_log")
    assert LOG[error.start : error.end] == error.text == "ValueError: bad amount"
    nothing = audit(BEFORE, [{"role": "user", "content": "It went on."}])
    assert nothing.counts()["paths"] == (1, 1) and nothing.counts()["decisions"] == (1, 1)
    page = audit_page(made)
    assert " allowed" not in page
    assert never in page and "default-src 'none'" in page and "lost" in page


def test_orders_without_must_or_not_count_and_what_is_told_does_not() -> None:
    orders = [
        "Leave port 9443 alone.",
        "Prod is read-only for you.",
        "Ask me before you touch Stripe.",
        "Always run the linter.",
        "Wait for my OK before deploying.",
        "🚫 Check with Tom prior to any change ⚠️.",
        "Bitte buche nur am Fenster.",
        "Demande-moi avant de publier.",
        "Deja el puerto 9443 en paz.",
        "Use tabs in Makefiles, spaces elsewhere.",
        "必ずテストを実行してからコミットしてください。",
        "提交前必须运行测试。",
        "커밋하기 전에 반드시 테스트를 실행해 주세요.",
    ]
    told = ["We always had two of them.", "The trains stop at noon.", "Keep going.", "Did you leave it on?"]
    told += ["My flight leaves before noon.", "Ich war immer da.", "The shop is at work until noon."]
    told += ["Users prefer tabs.", "これは必ずですか。"]
    history = [{"role": "user", "content": " ".join(orders + told)}]
    assert lost(history, [{"role": "user", "content": orders[0]}]) >= {
        ("instructions", one, 0) for one in orders[1:]
    }
    assert audit(history, history).counts()["instructions"] == (len(orders), 0)


TEXTS = st.lists(
    st.sampled_from(
        ["Never restart pool 7.", "We decided to use Postgres.", "a/b.py:3 failed", "ok", LOG, "\ud83d"]
    ),
    max_size=4,
).map(" ".join)
HISTORY = st.lists(st.tuples(st.sampled_from(["user", "assistant", "system"]), TEXTS), max_size=4)


@settings(max_examples=60, deadline=None)
@given(HISTORY, HISTORY)
def test_the_same_history_and_a_longer_one_lose_nothing(one: Any, other: Any) -> None:
    history = [{"role": role, "content": text} for role, text in one]
    more = [{"role": role, "content": text} for role, text in other]
    assert not lost(history, history) and not lost(history, [*more, *history])
    made = audit(history, more)
    assert all(made.texts[0][each.message][each.start : each.end] == each.text for each in made.statements)


@pytest.mark.growth
def test_time_grows_as_the_histories_do() -> None:
    def make(size: int) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
        said = "Never restart pool {n}. We decided to use db{n}. See a/b{n}.py:{n}. "
        before = [{"role": "user", "content": said.format(n=n)} for n in range(size // 64)]
        return before, [{"role": "user", "content": said.format(n=n).lower()} for n in range(size // 128)]

    assert growth(make, lambda given: audit(*given), 20_000) < MOST


def claude(role: str, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "type": role,
        "uuid": "u",
        "sessionId": "s",
        "message": {"role": role, "content": content},
        **more,
    }


def codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-11-27T10:00:00Z", "type": kind, "payload": payload}


def said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


NEVER = "Never restart the east pool."
USE = {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "make"}}
GIVEN = {"type": "tool_result", "tool_use_id": "a", "content": LOG}
FILES = {
    "claude.jsonl": [
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
        claude("user", NEVER),
        claude("assistant", [USE]),
        claude("user", [GIVEN], toolUseResult={"stdout": LOG}),
        claude("assistant", "A subagent must not count: z/z.py:1", isSidechain=True),
        {"type": "system", "subtype": "compact_boundary", "uuid": "b", "content": "Conversation compacted"},
        claude("user", "There was an error in src/pay/x.py:12.", isCompactSummary=True),
        claude("assistant", "I go on."),
    ],
    "codex.jsonl": [
        codex("session_meta", id="s", cwd="/"),
        codex("response_item", **said("user", NEVER)),
        codex("response_item", type="function_call", call_id="a", name="Bash", arguments="{}"),
        codex("response_item", type="function_call_output", call_id="a", output=LOG),
        codex("event_msg", type="token_count"),
        codex("compacted", message="", replacement_history=[said("user", "An error in src/pay/x.py:12.")]),
    ],
    "openai.jsonl": [
        said("user", NEVER),
        {"type": "function_call", "call_id": "a", "name": "Bash", "arguments": '{"command": "make"}'},
        {"type": "function_call_output", "call_id": "a", "output": LOG},
        {"type": "compaction", "encrypted_content": "gAAAAB", "id": "c"},
        said("user", "There was an error in src/pay/x.py:12."),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_its_compaction_is_enough(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    whole = "".join(json.dumps(row) + "\n" for row in FILES[name])
    path.write_bytes(whole.encode() + b'{"type": "user", "mess\xff')  # it is written still
    assert main(["audit", str(path), "--json"]) == 0
    out, err = capfd.readouterr()
    told = json.loads(out)
    assert told["counts"]["instructions"] == [1, 1] and told["counts"]["errors"] == [1, 1]
    assert told["counts"]["paths"] == [1, 0] and "1 lines" in err
    (error,) = [one for one in told["statements"] if one["kind"] == "errors"]
    assert error["speaker"] == "Bash" and not error["stated"]


def test_broken_json_is_an_error_that_names_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    broken, good = tmp_path / "broken.json", tmp_path / "good.json"
    broken.write_text('[{"role": "user", "content": "Never restart it."}, ')
    good.write_text(json.dumps(BEFORE))
    for files in ((broken, good), (good, broken)):
        assert main(["audit", *map(str, files)]) != 0
        assert "broken.json is not JSON" in capfd.readouterr().err


def test_files_of_any_shape_and_summaries_are_read_and_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before, page = tmp_path / "before.json", tmp_path / "page.html"
    before.write_text(json.dumps({"messages": BEFORE, "model": "m"}))
    for name, text in (
        ("summary.md", SUMMARY),
        ("summary.json", json.dumps(SUMMARY)),
        ("after.json", json.dumps([{"role": "user", "content": SUMMARY}])),
        (
            "anthropic.json",
            json.dumps([{"role": "assistant", "content": [{"type": "compaction", "content": SUMMARY}]}]),
        ),
    ):
        (tmp_path / name).write_text(text)
        assert main(["audit", str(before), str(tmp_path / name), "--report", str(page)]) == 0
        out, _ = capfd.readouterr()
        assert (
            "instructions         2        1" in out and "message 1 (user), 0: Never restart the east" in out
        ), name
        assert "Never restart the east" in page.read_text(encoding="utf-8")
    assert main(["audit", str(before)]) == 2 and "has no compaction" in capfd.readouterr().err
    before.write_text("[1, 2]")
    assert main(["audit", str(before), str(before)]) == 2 and "no history" in capfd.readouterr().err
    assert read_history('{"a": 1}\nnot json\n', "x").messages[0]["content"].startswith("{")
