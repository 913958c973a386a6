"""Pictures in results of tools give way like other results; what failed is told apart in every shape."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from histories import filled, pictures, read_message, rows, tokens_of, tool_turn
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from tersely import BudgetExceededError
from tersely.memory import Compactor, compact_messages
from tersely.memory.messages import read_messages

DATA = "iVBORw0KGgo" * 1000
BYTES = len(DATA) * 3 // 4
SAMPLES = {row["shape"]: row for row in rows("pictures.jsonl", data=DATA, bytes=b"x" * BYTES)}
PICTURES: dict[str, dict[str, Any]] = {shape: row["picture"] for shape, row in SAMPLES.items()}


def turn(shape: str, number: int, picture: Any) -> list[Any]:
    """A call, and its result that holds a text and a picture."""
    if shape == "langchain":
        content = [{"type": "text", "text": f"clicked {number}"}, picture]
        call = {"name": "computer", "args": {}, "id": f"t{number}"}
        return [AIMessage("", tool_calls=[call]), ToolMessage(content, tool_call_id=f"t{number}")]
    made: list[Any] = filled(SAMPLES[shape]["turn"], n=str(number), picture=picture)
    return made


def said(messages: list[Any]) -> list[str]:
    return [piece.text for entry in read_messages(messages) for piece in entry.pieces]


@pytest.mark.parametrize("shape", [*PICTURES, "langchain"])
def test_the_oldest_pictures_of_tools_give_way_in_their_places(shape: str) -> None:
    picture = PICTURES["openai" if shape == "langchain" else shape]
    messages = [message for number in range(20) for message in turn(shape, number, picture)]
    before = copy.deepcopy(messages)
    assert sum(pictures(entry) for entry in read_messages(messages)) == 20
    for compact in (
        lambda budget: compact_messages(messages, budget=budget),
        lambda budget: Compactor(budget, headroom=0.0).compact(messages),
    ):
        result = compact(6000)
        assert messages == before
        assert result.tokens == tokens_of(result.messages) <= 6000
        shown = [pictures(entry) for entry in read_messages(result.messages) if not entry.calls]
        assert shown[-1] == 1 and 2 <= sum(shown) <= 5 and shown == sorted(shown)
        assert sum(account.pictures for account in result.accounts) == 20 - sum(shown)
        texts = said(result.messages)
        assert sum(" left out: " in text for text in texts) == 20
        assert "clicked 11" in texts and "clicked 19" in texts
    first = next(index for index, entry in enumerate(read_messages(messages)) if pictures(entry))
    sent = compact_messages(messages, budget=6000).messages
    made = read_message(sent[first])
    assert [piece.kind for piece in made.pieces][-1] == "result" and not made.unknown
    for index in range(0, len(messages), 2):  # calls, thoughts and signatures are sent as they came
        assert sent[index] is messages[index]


def test_pictures_that_somebody_showed_stay_while_they_fit_and_what_is_pinned_stays() -> None:
    shown = [{"type": "text", "text": "Like this."}, PICTURES["anthropic"]]
    messages = [{"role": "user", "content": shown}, *turn("anthropic", 1, PICTURES["anthropic"])]
    messages += [{"role": "user", "content": shown}, {"role": "user", "content": "Go on."}]
    assert [read_message(message).held for message in messages] == ["picture", "", "", "picture", ""]
    result = compact_messages(messages, budget=2500)
    assert [account.pictures for account in result.accounts] == [0, 0, 1, 0, 0]
    result = compact_messages(messages, budget=1500)
    assert [account.pictures for account in result.accounts] == [1, 0, 1, 0, 0]
    assert result.tokens == tokens_of(result.messages) <= 1500
    with pytest.raises(BudgetExceededError) as error:
        compact_messages(messages, budget=1500, pinned=[0, 3])
    required = int(error.value.required)
    assert compact_messages(messages, budget=required, pinned=[0, 3]).tokens <= required


@pytest.mark.parametrize(
    ("block", "words"),
    [
        (PICTURES["mcp audio"], f"[sound left out: audio/wav, {BYTES / 1000:.0f} kB]"),
        (PICTURES["document"], f"[file left out: application/pdf, {BYTES / 1000:.0f} kB]"),
        (PICTURES["bedrock"], f"[picture left out: {BYTES / 1000:.0f} kB]"),
        ({"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}, "[picture left out: https://x.org/a.png]"),
        ({"type": "input_file", "file_id": "file-8aF"}, "[picture left out: file-8aF]"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_said(block: dict[str, Any], words: str) -> None:
    (piece,) = read_message({"role": "user", "content": [block]}).pieces
    assert (piece.kind, piece.text) == ("picture", words)


FAILED: dict[str, Any] = {
    **{row["shape"]: row["message"] for row in rows("failed_results.jsonl")},
    "langchain": ToolMessage("no anchor", tool_call_id="t", status="error"),
    "langchain dumped": ToolMessage("no anchor", tool_call_id="t", status="error").model_dump(),
}


@pytest.mark.parametrize("shape", FAILED)
def test_a_result_that_failed_says_so_in_every_shape(shape: str) -> None:
    pieces = read_message(FAILED[shape]).pieces
    assert [piece.failed for piece in pieces if "no anchor" in piece.text] == [True]
    fine = json.loads(json.dumps(FAILED["anthropic"]).replace("true", "false"))
    assert not any(piece.failed for piece in read_message(fine).pieces)
    assert not any(piece.failed for piece in read_message(ToolMessage("ok", tool_call_id="t")).pieces)


def test_what_failed_is_kept_in_its_own_words_before_facts_of_what_did_not() -> None:
    messages: list[Any] = [{"role": "user", "content": "Rename User everywhere."}]
    for number in range(60):
        failed = number in (3, 20, 41)
        mismatch, saved = (
            f"mismatch at 1{number}: wanted <User{number}>",
            f"saved src/a_{number}/b_{number}.ts",
        )
        words = mismatch if failed else saved
        call = {"type": "tool_use", "id": f"t{number}", "name": "edit", "input": {"path": f"f{number}.ts"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": words}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [{**result, "is_error": failed}]})
    for budget in (300, 500, 900):
        result = compact_messages(messages, budget=budget)
        text = "\n".join(said(result.messages))
        assert all(f"mismatch at 1{number}: wanted <User{number}>" in text for number in (3, 20, 41))
        assert "facts_left_out" in result.warnings and "errors_left_out" not in result.warnings


@pytest.mark.parametrize("budget", [300, 600, 1200, 2400])
def test_errors_come_first_among_the_old_and_those_that_go_are_said(budget: int) -> None:
    messages: list[Any] = [{"role": "user", "content": "Find which service fails."}]
    for number in range(80):
        log = f"INFO service svc-{number} took {number * 7} ms\nERROR E{number}: shard-{number} refused"
        messages += tool_turn(f"c{number}", log, "get_log", json.dumps({"svc": number}))
    result = compact_messages(messages, budget=budget)
    text = "\n".join(said(result.messages))
    gone = [number for number in range(80) if f"ERROR E{number}: shard-{number} refused" not in text]
    assert gone == list(range(len(gone))), "the newest stay"
    assert ("errors_left_out" in result.warnings) == bool(gone)
    entries = read_messages(messages)
    lost, kept = (
        [
            entries[account.index].pieces[piece].text[start:end]
            for account in result.accounts
            for piece, start, end in getattr(account, name)
        ]
        for name in ("lost", "kept")
    )
    assert all(f"ERROR E{number}: shard-{number} refused" in lost for number in gone)
    assert not gone or len("".join(one for one in kept if "ERROR" not in one)) < 60, "what else fits"


def test_words_of_errors_in_code_that_a_tool_read_are_no_failures() -> None:
    code = "\n".join(
        f"def part_{n}(x):\n    if not x:\n        raise ValueError('part {n} failed')" for n in range(30)
    )
    messages: list[Any] = [{"role": "user", "content": "Mend it."}]
    for number, words in enumerate([code, "ERROR: disk full on /dev/sda1", *["fine"] * 20]):
        messages += turn("anthropic", number, {"type": "text", "text": words})
    text = "\n".join(said(compact_messages(messages, budget=220).messages))
    assert "ERROR: disk full on /dev/sda1" in text


def test_human_words_are_not_taken_for_a_tool() -> None:
    assert not any(piece.failed for piece in read_messages([HumanMessage("error")])[0].pieces)
