"""What the store knows of savings, and what `tersely hook doctor` says of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from result_shapes import LOG, ROWS
from tersely.agents import compress_tool_result
from tersely.agents.tool_results import ToolResultReport
from tersely.cli import main
from tersely.store import Store
from tersely.store.versions import sum_savings

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TERSELY_STORE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "texts.sqlite"


def filled(path: Path) -> list[ToolResultReport]:
    """Two results of one tool, the same on another day, one of another tool; one was expanded."""
    told: list[ToolResultReport] = []
    for day, result, tool in ((0, LOG, "grep"), (0, ROWS, "query"), (1, LOG, "grep"), (1, "short", "grep")):
        with Store.open(path, clock=lambda day=day: NOON + timedelta(days=day)) as store:
            compress_tool_result(result, budget=300, store=store, name=tool, report=told.append)
    with Store.open(path, clock=lambda: NOON + timedelta(days=1)) as store:
        assert store.note_expansion(told[0].id)
        assert not store.note_expansion("nothing has this id")
    return told


def test_what_was_saved_is_noted_every_time_and_after_a_restart(path: Path) -> None:
    told = filled(path)
    with Store.open(path, read_only=True) as store:
        uses = store.uses()
    assert [use.expanded for use in uses] == [False, False, False, True]
    assert [use.tool for use in uses] == ["grep", "query", "grep", "grep"]
    assert [(use.tokens_in, use.tokens_out) for use in uses[:3]] == [
        (report.original_tokens, report.tokens) for report in told[:3]
    ]
    assert uses[3].id == uses[0].id and uses[3].tokens_in == uses[0].tokens_in
    assert uses[2].created == NOON + timedelta(days=1)


def test_what_was_expanded_went_in_again_and_other_results_are_not_counted(path: Path) -> None:
    with Store.open(path) as store:
        id = store.put("text").id
        assert not store.note_expansion(id) and store.uses() == ()
    told = filled(path)
    with Store.open(path) as store:
        total = sum_savings(store.uses())
    assert (total.results, total.expanded, total.tokens_back) == (3, 1, told[0].original_tokens)
    out = sum(report.tokens for report in told[:3])
    assert total.saved == told[1].original_tokens + told[2].original_tokens - out


def test_deleting_a_text_keeps_what_it_saved(path: Path) -> None:
    told = filled(path)
    with Store.open(path) as store:
        assert store.delete(told[0].id)
        assert [use.id for use in store.uses()] == ["", told[1].id, "", ""]
        assert store.check() == []


def test_a_call_that_is_made_again_within_minutes_counts_as_not_saved(path: Path) -> None:
    def ran(minute: int, command: str, result: str = LOG, **more: str) -> ToolResultReport:
        told: list[ToolResultReport] = []
        with Store.open(path, clock=lambda: NOON + timedelta(minutes=minute)) as store:
            call = {"command": command, **more}
            compress_tool_result(
                result, budget=300, store=store, name="Bash", arguments=call, report=told.append
            )
        return told[0]

    first = ran(0, "make test", description="Run the tests")
    again = ran(3, "make test", LOG + "one more line\n", description="Run them again")
    ran(3, "make lint")
    late = ran(20, "make test")
    with Store.open(path, read_only=True) as store:
        total = sum_savings(store.uses())
    assert (total.results, total.again, total.tokens_back) == (4, 1, again.original_tokens)
    whole = first.original_tokens - first.tokens
    assert total.saved == 3 * whole - again.tokens and late.tokens == first.tokens


def test_the_doctor_says_what_was_saved(
    path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["hook", "doctor"]) == 0
    assert "saved" not in capfd.readouterr().out
    users = tmp_path / "state" / "tersely" / "results.sqlite"
    users.parent.mkdir(parents=True)
    told = filled(users)
    assert main(["hook", "doctor"]) == 0
    with Store.open(users) as store:
        assert f"saved: {sum_savings(store.uses())}\n" in capfd.readouterr().out
    assert main(["expand", told[1].id]) == 0
    with Store.open(users) as store:
        assert [use.expanded for use in store.uses()][-1], "expanding is noted"


def test_an_expansion_that_cannot_be_noted_is_an_expansion(
    path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told = filled(path)
    whole = Store.open

    def refuse(path: Path, **options: object) -> Store:
        return whole(path, **{**options, "read_only": True})

    monkeypatch.setattr(Store, "open", refuse)
    assert main(["expand", told[0].id, "--store", str(path)]) == 0
    assert capfd.readouterr().out == LOG
