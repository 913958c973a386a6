"""JSON that stays JSON: validity, keys, the record that a query names, and speed.

Keys are names with the way to them; of arrays, the first value's count. Values of `json_webhooks` are put
into one array for the figures of speed, which are CPU time, the least of three.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tersely
from tersely import _native
from tersely.content.json import Json
from tersely.models.counters import resolve_counter

from benchmarks import data as development, peers, tokens
from benchmarks.report import Column, Report, Target

__all__ = ["report"]

_RATIOS = (0.1, 0.2, 0.3, 0.5)
_SETS = ("json_webhooks", "json_mcp_tool_schemas")
_COUNTER = "cl100k_base"
_LONG = 2_000  # characters
_NEARLY = 0.9  # of the tokens; what fits as it is stays as it is


def report(report: Report, data: Path) -> None:
    """Tables and targets."""
    table, valid = [], []
    for name in _SETS:
        texts = [row["json"] for row in development.rows(data, name)]
        for ratio in _RATIOS:
            for system, compress in _systems():
                found = [(text, compress(text, ratio)) for text in texts]
                share = sum(_is_valid(small) for _, small in found) / len(found)
                keys = sum(_keys_kept(text, small) for text, small in found) / len(found)
                row = {"set": name, "kept": ratio, "system": system, "valid": share, "keys": keys}
                table.append(row | {"used": _used(found)})
                if system.startswith("tersely"):
                    valid.append(share)
    columns = [
        Column("set"),
        Column("kept", form=".0%"),
        Column("system"),
        Column("valid", "valid JSON", ".1%"),
        Column("keys", "keys kept", ".3f"),
        Column("used", "tokens used", ".3f"),
    ]
    report.table("JSON", columns, table)
    _rewritten(report, data)
    valid.append(_adversarial(report, data))
    report.targets.append(Target("JSON, valid output", 1.0, min(valid), "", False))
    _records(report, data)
    _speed(report, data)


def _systems() -> Iterator[tuple[str, Any]]:
    yield "tersely", lambda text, ratio: _compress(text, ratio, Json())
    yield "tersely, minified", lambda text, ratio: _compress(text, ratio, Json(minify=True))
    for peer in peers.installed([peers.textcrusher(), peers.llmslim()]):
        yield peer.name, lambda text, ratio, peer=peer: peer.text(peer([text], None, 0, ratio))


def _compress(text: str, ratio: float, strategy: Json) -> str:
    return tersely.compress(text, ratio=ratio, strategy=strategy, counter=_COUNTER).text


def _rewritten(report: Report, data: Path) -> None:
    """What each way to write JSON needs, and how many of its strings and numbers still stand there.

    tersely has a budget that its tables mostly fit as a whole; peers are asked for the least that they make.
    """
    rows: list[dict[str, Any]] = []
    every = [row["json"] for name in _SETS for row in development.rows(data, name)]
    texts = [text for text in every if len(text) > _LONG]

    def ours(text: str) -> str:
        strategy = Json(minify=True, tables=True)
        return tersely.compress(text, ratio=_NEARLY, strategy=strategy, counter=_COUNTER).text

    ways: list[tuple[str, Any]] = [
        ("JSON without spaces", lambda text: json.dumps(json.loads(text), separators=(",", ":"))),
        ("tersely, tables", ours),
    ]
    for peer in peers.json_peers():
        if peer.call is None:
            rows.append({"system": peer.name, "valid": peer.without})
            continue
        ways.append((peer.name, lambda text, peer=peer: peer.text(peer([text], None, 0, 0.0))))
    for name, write in ways:
        found = [(text, write(text)) for text in texts]
        rows.append(
            {
                "system": name,
                "valid": sum(_is_valid(small) for _, small in found) / len(found),
                "values": sum(_values_kept(text, small) for text, small in found) / len(found),
                "used": _used(found),
            }
        )
    columns = [
        Column("system"),
        Column("valid", "valid JSON", ".1%"),
        Column("values", "strings kept", ".3f"),
        Column("used", "tokens used", ".3f"),
    ]
    report.table(f"{len(texts)} JSON texts of over {_LONG:,} characters in fewer tokens", columns, rows)


def _used(found: list[tuple[str, str]]) -> float:
    """Tokens of what was made, of those that there were."""
    before, after = (sum(tokens.counts([pair[side] for pair in found], _COUNTER)) for side in (0, 1))
    return after / before


def _values_kept(text: str, small: str) -> float:
    """The share of the distinct strings and numbers of a JSON text that stand in another text."""
    values = {str(value) for value in _leaves(json.loads(text)) if str(value)}
    plain = small.replace("\\/", "/")
    return sum(json.dumps(value, ensure_ascii=False)[1:-1] in plain for value in values) / max(len(values), 1)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield value


def _is_valid(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _keys_kept(text: str, small: str) -> float:
    """Share of the keys; 0 for what is no JSON."""
    if not _is_valid(small):
        return 0.0
    all_keys = set(_keys(json.loads(text)))
    return len(all_keys & set(_keys(json.loads(small)))) / max(len(all_keys), 1)


def _keys(value: Any, way: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*way, key)
            yield from _keys(inner, (*way, key))
    elif isinstance(value, list) and value:
        yield from _keys(value[0], (*way, "0"))


def _adversarial(report: Report, data: Path) -> float:
    """Share of the cases that are told right; what is valid must be valid afterwards."""
    right = total = 0
    for row in development.rows(data, "adversarial_json"):
        try:
            text = base64.b64decode(row["base64"]).decode()
        except UnicodeDecodeError:
            continue  # no str holds it
        if row["expect"] == "either" or not text.strip():
            continue
        result = tersely.compress(text, ratio=0.5, strategy=Json()) if len(text) > 40 else None
        fits = tersely.compress(text, ratio=1.0, strategy=Json())
        refused = Json().read([tersely.Document(text)], None, 1) is None
        good = refused == (row["expect"] == "reject")
        good &= refused or (_is_valid(fits.text) and (result is None or _is_valid(result.text)))
        right, total = right + good, total + 1
    report.note(f"adversarial_json: {right} of {total} cases told right.")
    return right / total


def _records(report: Report, data: Path) -> None:
    """The record that a query names."""
    rows = list(development.rows(data, "needle_kv_json"))
    table = []
    for ratio in (0.02, 0.05, 0.1, 0.2):
        kept = 0
        for row in rows:
            text = row["documents"][0]["text"]
            result = tersely.compress(text, row["query"], ratio=ratio, strategy=Json(), counter=_COUNTER)
            kept += row["evidence"][0]["text"] in result.text and _is_valid(result.text)
        table.append({"kept": ratio, "found": kept / len(rows)})
        report.targets.append(Target(f"JSON, named record at {ratio:.0%}", 1.0, kept / len(rows), "", False))
    report.table("needle_kv_json", [Column("kept", form=".0%"), Column("found", "record kept", ".3f")], table)


def _speed(report: Report, data: Path) -> None:
    values = [row["json"] for row in development.rows(data, "json_webhooks")]
    text = "[" + ",".join(values * 16) + "]"
    size = len(text) / 1e6
    query = "codertocat hello world check run failure"
    counter = resolve_counter(None)
    runs: list[tuple[str, Any]] = [
        ("scan, outliers and ranks", lambda: _native.tree_units([text], "", False)),
        ("the same with a query", lambda: _native.tree_units([text], query, False)),
        ("one count of the whole", lambda: counter.count(text)),
        ("whole call, 2,000 tokens", lambda: tersely.compress(text, budget=2_000, strategy=Json())),
        ("whole call, 10%", lambda: tersely.compress(text, ratio=0.1, strategy=Json())),
    ]
    table = [{"what": name, "speed": size / _seconds(run)} for name, run in runs]
    report.table(f"Speed, {size:.0f} MB", [Column("what"), Column("speed", "MB/s", ".0f")], table)
    report.targets.append(Target("JSON, scan", 100, table[0]["speed"], "MB/s", False))  # type: ignore[arg-type]
    report.targets.append(Target("JSON, whole call", 100, table[3]["speed"], "MB/s", False))  # type: ignore[arg-type]


def _seconds(run: Any) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        run()
        best = min(best, time.process_time() - start)
    return best
