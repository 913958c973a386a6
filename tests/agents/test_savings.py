"""What the store knows of savings, and `tersely savings`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from result_shapes import LOG, ROWS
from tersely.agents import compress_tool_result
from tersely.agents.savings import read_prices, savings_table, sum_savings
from tersely.agents.tool_results import ToolResultReport
from tersely.cli import main
from tersely.store import Store
from tersely.store.versions import Use

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("TERSELY_STORE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
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


def test_other_results_are_not_counted(path: Path) -> None:
    with Store.open(path) as store:
        id = store.put("text").id
        assert not store.note_expansion(id) and store.uses() == ()


def test_deleting_a_text_keeps_what_it_saved(path: Path) -> None:
    told = filled(path)
    with Store.open(path) as store:
        assert store.delete(told[0].id)
        assert [use.id for use in store.uses()] == ["", told[1].id, "", ""]
        assert store.check() == []


def test_sums_by_day_and_tool(path: Path) -> None:
    told = filled(path)
    with Store.open(path) as store:
        uses = store.uses()
    rows = sum_savings(uses)
    assert [(row.day, row.tool, row.results, row.expanded) for row in rows] == [
        ("2026-03-31", "grep", 1, 0),
        ("2026-03-31", "query", 1, 0),
        ("2026-04-01", "grep", 1, 1),
        ("", "total", 3, 1),
    ]
    assert rows[2].saved == -told[0].tokens, "what was expanded went in again"
    assert rows[3].saved == sum(row.saved for row in rows[:3])
    assert [(row.day, row.results) for row in sum_savings(uses, "day")[:-1]] == [
        ("2026-03-31", 2),
        ("2026-04-01", 1),
    ]
    assert [row.tool for row in sum_savings(uses, "tool")] == ["grep", "query", "total"]
    assert [row.tool for row in sum_savings([Use("", NOON, False, "", 9, 1)])] == ["?", "total"]


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
        *_, total = sum_savings(store.uses())
    assert (total.results, total.again, total.tokens_back) == (4, 1, again.original_tokens)
    whole = first.original_tokens - first.tokens
    assert total.saved == 3 * whole - again.tokens and late.tokens == first.tokens
    assert "again" in savings_table([total], {}).splitlines()[0]


def test_the_command_prints_a_table_and_json(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    filled(path)
    prices = path.with_name("prices.json")
    prices.write_text('{"large": 10, "small": 0.5}')
    arguments = ["savings", "--store", str(path), "--prices", str(prices)]
    assert main(arguments) == 0
    lines = capfd.readouterr().out.splitlines()
    assert lines[0].split()[-4:] == ["$", "large", "$", "small"] and len(lines) == 5
    assert main([*arguments, "--json", "--by", "tool"]) == 0
    rows = json.loads(capfd.readouterr().out)
    assert [row["tool"] for row in rows] == ["grep", "query", "total"]
    assert rows[2]["dollars"] == {
        "large": pytest.approx(rows[2]["saved"] * 10 / 1e6),
        "small": pytest.approx(rows[2]["saved"] * 0.5 / 1e6),
    }


def test_the_users_store_and_prices_are_found(
    path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["savings"]) == 2
    assert "nothing was made shorter yet" in capfd.readouterr().err
    users = tmp_path / "state" / "tersely" / "results.sqlite"
    users.parent.mkdir(parents=True)
    told = filled(users)
    assert main(["savings"]) == 0
    assert "$" not in capfd.readouterr().out
    table = tmp_path / "config" / "tersely" / "prices.json"
    table.parent.mkdir(parents=True)
    table.write_text('{"large": "much"}')
    assert main(["savings"]) == 2
    assert "the price of 'large' must be a number" in capfd.readouterr().err
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


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("{", ValueError, "is not JSON"),
        ("[1]", ValueError, "must be an object"),
        ('{"a": true}', TypeError, "the price of 'a' must be a number, not True"),
        ('{"a": -1}', ValueError, "the price of 'a' must be a finite number from 0, not -1"),
        ('{"a": Infinity}', ValueError, "Infinity is no number"),
    ],
)
def test_prices_that_are_none_are_named(text: str, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        read_prices(text)


def test_a_name_of_a_tool_cannot_break_the_table() -> None:
    rows = sum_savings([Use("", NOON, False, "a\nb\ttotal", 1000, 10)])
    assert savings_table(rows, {}).count("\n") == 3


def test_the_page_has_every_row_as_data(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    filled(path)
    with Store.open(path, clock=lambda: NOON) as store:
        compress_tool_result(LOG, budget=300, store=store, name="<script>alert(1)</script>")
    page = path.with_name("savings.html")
    assert main(["savings", "--store", str(path), "--report", str(page)]) == 0
    assert "total" in capsys.readouterr().out
    html = page.read_text(encoding="utf-8")
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)" in html and "default-src 'none'" in html
    data = json.loads(html.partition('id="data">')[2].partition("</script>")[0])
    with Store.open(path, read_only=True) as store:
        rows = sum_savings(store.uses())
    days, table = data["tables"]
    assert [row[-1] for row in [*table["rows"], *table["foot"]]] == [f"{row.saved:,}" for row in rows]
    assert len(days["rows"]) == 2
    assert [f"{rows[-1].saved:,}", ["tokens saved"]] in data["figures"]
    assert main(["savings", "--store", str(path), "--report", "-", "--by", "tool"]) == 0
    assert capsys.readouterr().out.startswith("<!doctype html>")
