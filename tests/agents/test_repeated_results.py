"""A result that came before in a session becomes a reference, and the store gives it back."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from result_shapes import LOG, MAPPINGS, texts_of
from tersely.agents import compress_tool, compress_tool_result
from tersely.agents.tool_results import ToolResultReport
from tersely.cli import main
from tersely.models.counters import resolve_counter
from tersely.store import Store

COUNT = resolve_counter(None).count
SAME = "to the letter, as an earlier result"
EVENT = {
    "hook_event_name": "PostToolUse",
    "session_id": "one",
    "tool_name": "Bash",
    "tool_input": {"command": "make test"},
    "tool_response": {"stdout": LOG, "stderr": "", "interrupted": False},
}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "texts.sqlite") as opened:
        yield opened


def compress(result: Any, store: Store, **options: Any) -> tuple[Any, ToolResultReport]:
    told: list[ToolResultReport] = []
    options = {"session": "one", "budget": 300, "report": told.append, **options}
    return compress_tool_result(result, store=store, **options), told[0]


@pytest.mark.parametrize("name", MAPPINGS)
def test_a_text_that_comes_again_is_told_in_its_own_shape_and_expands(name: str, store: Store) -> None:
    result = MAPPINGS[name]
    first, told = compress(result, store)
    again, repeated = compress(result, store)
    assert type(again) is type(result) and told.id == repeated.id
    assert repeated.tokens <= 300 and repeated.original_tokens == told.original_tokens
    if repeated.status == "compressed":  # records stay records
        assert again == first and not any(text == LOG for text in texts_of(result))
    else:
        assert repeated.status == "repeated" and repeated.tokens < 100
        (line,) = (text for text in texts_of(again) if SAME in text)
        assert line.endswith(f"tersely expand {told.id}]")
        assert LOG in store.expand(told.id) or "module_899" in store.expand(told.id)
    assert [use.tokens_out for use in store.uses()] == [told.tokens, repeated.tokens]


@pytest.mark.parametrize(
    "other",
    [{"session": "two"}, {"session": ""}, {"query": "which payment?"}, {"pinned": ["payment 4711"]}],
    ids=str,
)
def test_elsewhere_and_for_another_question_it_is_shortened(other: dict[str, Any], store: Store) -> None:
    compress(LOG, store)
    made, told = compress(LOG, store, **other)
    assert told.status == "compressed" and "payment 4711" in made


def test_what_differs_by_a_letter_or_was_deleted_is_shortened(store: Store) -> None:
    _, told = compress(LOG, store)
    assert compress(LOG + "!", store)[1].status == "compressed"
    store.delete(told.id)
    assert compress(LOG, store)[1].status == "compressed"
    assert compress(LOG, store)[1].status == "repeated"


def test_decorated_tools_refer_and_expanded_results_are_whole(store: Store) -> None:
    tool = compress_tool(budget=300, store=store, session="one")(lambda: LOG)
    assert "payment 4711" in tool() and SAME in tool()
    way = "tersely expand {id} --store /srv/agents/of/the/whole/department/results.sqlite"
    made, told = compress(LOG, store, budget=60, expand_with=way)
    assert told.tokens == COUNT(made) <= 60
    _, told = compress(LOG, store)
    again, kept = compress(LOG, store, name="Bash", arguments={"command": f"tersely expand {told.id}"})
    assert again is LOG and kept.status == "kept"


def test_a_hook_refers_within_a_session_unless_told_not_to(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def answered(*options: str, **more: str) -> str:
        given = json.dumps({**EVENT, **more}).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        assert main(["hook", "-b", "300", "--store", str(tmp_path / "s.db"), *options]) == 0
        answer = json.loads(capfd.readouterr().out)
        return str(answer["hookSpecificOutput"]["updatedToolOutput"]["stdout"])

    assert "payment 4711" in answered()
    assert SAME in answered()
    assert "payment 4711" in answered("--no-references")
    assert "payment 4711" in answered(session_id="two")
    assert "payment 4711" in answered(agent_id="subagent")  # has not seen it
    id = answered().rpartition("expand ")[2].partition(" ")[0]
    assert main(["expand", id, "--store", str(tmp_path / "s.db")]) == 0
    assert capfd.readouterr().out == LOG
