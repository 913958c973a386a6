"""What records are worth: the odd one of a list stays with its name, ids and counters do not stand out."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import tersely
from tersely import _native

HEAD = "id,owner,state,took"


def standing(rows: list[str]) -> list[float]:
    """How much each row of a table stands out."""
    found = _native.table_rows(["\n".join([HEAD, *rows])], ",", True)[5]
    return [float(one) for one in found[1:]]


def rows_of(size: int, owners: int) -> list[list[str]]:
    chance = random.Random(size)
    return [
        [str(n), f"team-{chance.randrange(owners)}", "ok", f"{chance.gauss(50, 2):.2f}"] for n in range(size)
    ]


@pytest.mark.parametrize("owners", [1, 5, 20, 50, 200])
def test_one_rare_value_stands_out_whatever_the_other_columns_are_like(owners: int) -> None:
    rows = rows_of(200, owners)
    rows[71][2] = "draining"
    found = standing([",".join(row) for row in rows])
    assert max(found) == found[71] > 0 and sum(one >= found[71] for one in found) == 1
    assert sum(one > 0 for one in found) <= 20


def test_odd_rows_stand_out_alone_and_by_their_reasons() -> None:
    rows = [f"{n},team-a,{'held' if n == 6 else 'ok'},{n * 7}" for n in range(10)]
    found = standing(rows)
    assert found[6] > 0 and sum(one > 0 for one in found) == 1
    rows = [f"{n},team-{n % 3},ok,{n * 7}" for n in range(300)]
    assert not any(standing(rows))
    rows = rows_of(200, 4)
    rows[30][3], rows[60][3] = "9000.00", "n/a"
    found = standing([",".join(row) for row in rows])
    assert found[30] > 0 and found[60] > 0 and sum(one > 0 for one in found) <= 6
    rows = rows_of(200, 4)
    rows[30][2], rows[60][2] = "paused", "CrashLoopBackOff"
    found = standing([",".join(row) for row in rows])
    assert found[60] > found[30] > 0
    rows = rows_of(60, 3)
    for n in (50, 51):
        rows[n][1:3] = "fibre", "paused"
    rows[20][2] = "orphaned"
    found = standing([",".join(row) for row in rows])
    assert found[50] > found[51] > 0 and found[20] > found[51]
    for n in (50, 51):
        rows[n][2] = "failed"  # each tells of its own
    found = standing([",".join(row) for row in rows])
    assert found[50] == found[51] > found[20]


def test_odd_texts_and_failed_events_stand_out() -> None:
    rows = [f"{n},web-{n % 7},POST /push/{n * 31} (200) in {n + 3}.5ms" for n in range(100)]
    rows[41] = "41,web-3,GET /debug/lock (200) in 44.5ms"
    found = standing(rows)
    assert found[41] > 0 and sum(one > 0 for one in found) == 1
    ids = [f"{n},a{n * 7919:x}-{n * 104729:x}z" for n in range(300)]
    assert not any(standing(ids))
    chance = random.Random(4)
    codes = ["".join(chance.choices("abcdefghij", k=3)) for _ in range(60)]
    codes[23] = "held"
    found = standing([f"{n},team-a,{code},{n * 7}" for n, code in enumerate(codes)])
    assert found[23] > 0 and sum(one > 0 for one in found) == 1
    names = ["".join(chance.choices("abcdefghij", k=chance.randrange(3, 12))) for _ in range(300)]
    assert not any(standing([f"{n},team-a,{name},{n * 7}" for n, name in enumerate(names)]))
    events = [{"level": 30, "time": 1_700_000_000 + n, "msg": f"served {n}"} for n in range(200)]
    events[90]["level"] = 50
    result = tersely.compress("\n".join(map(json.dumps, events)), ratio=0.1, strategy="auto")
    assert '"level": 50' in result.text and "1700000090" in result.text
    events = [{"Action": "output", "Test": f"T{n}", "Output": f"=== RUN   T{n}\n"} for n in range(60)]
    events[37]["Output"] = "    cart_test.go:19: sums with 2 lines were 1+1 = 3, and not 2\n"
    short = tersely.compress("\n".join(map(json.dumps, events)), ratio=0.1).text
    assert "cart_test.go:19: sums with 2 lines were 1+1 = 3, and not 2" in short


@pytest.mark.parametrize("severities", [["info", "low", "medium", "high"], ["LOW", "HIGH", "CRITICAL"]])
@pytest.mark.parametrize("column", ["severity", "Current Risk", "issue.priority"])
def test_the_highest_severity_stands_out_most(severities: list[str], column: str) -> None:
    often = [60, 60, 60, 20][-len(severities) :]
    rows = [
        f"{n},{name}"
        for n, name in enumerate(s for s, many in zip(severities, often, strict=True) for s in [s] * many)
    ]
    rows = [f"{row},{'odd' if n == 7 else 'plain'}" for n, row in enumerate(rows)]
    found = _native.table_rows(["\n".join([f"id,{column},note", *rows])], ",", True)[5][1:]
    highest = [one for one, row in zip(found, rows, strict=True) if severities[-1] in row]
    others = [one for one, row in zip(found, rows, strict=True) if severities[-1] not in row]
    assert min(highest) > sorted(others)[-2] and min(highest) > 0


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("lines", [False, True])
def test_the_odd_record_of_json_stays_with_its_name(deep: bool, lines: bool) -> None:
    def record(n: int) -> dict[str, Any]:
        state = {"state": "degraded" if n == 57 else "ready", "zone": f"zone-{n % 4}", "note": "x" * 40}
        inner = {"status": {"detail": state}} if deep else state
        return {"name": f"node-{n:03}", "owner": f"team-{n % 25}", **inner}

    records = [record(n) for n in range(100)]
    text = "\n".join(map(json.dumps, records)) if lines else json.dumps({"items": records}, indent=1)
    result = tersely.compress(text, ratio=0.1, strategy="auto")
    assert "degraded" in result.text and "node-057" in result.text


@pytest.mark.parametrize("size", [4, 9, 31, 32, 90])
def test_alike_members_of_a_small_object_are_compared(size: int) -> None:
    """One of them is critical, whatever their number."""
    packages = {
        f"pkg-{chr(97 + n % 26)}{n}": {
            "name": f"pkg{n}",
            "severity": "low",
            "fix": False,
            "via": [f"dep-{n * 7}"],
        }
        for n in range(size)
    }
    packages[list(packages)[size // 2]].update(severity="critical", fix={"version": "9.9.9"})
    text = json.dumps({"auditReportVersion": 2, "vulnerabilities": packages}, indent=1)
    short = tersely.compress(text, ratio=0.5 if size < 9 else 0.25).text
    assert '"severity": "critical"' in short and "9.9.9" in short


@pytest.mark.parametrize(
    "query", ["Which orders were not shipped?", "orders not yet shipped", "unshipped orders"]
)
def test_a_word_that_most_records_have_asks_for_the_others(query: str) -> None:
    orders = [{"order": f"o-{n}", "total": n * 37 % 91, "state": "shipped"} for n in range(120)]
    for n, state in ((31, "held at customs"), (77, "returned")):
        orders[n]["state"] = state
    short = tersely.compress(json.dumps(orders, indent=1), query, ratio=0.1).text
    assert all(word in short for word in ("held at customs", "returned", '"o-31"', '"o-77"'))
