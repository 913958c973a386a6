"""Key facts that survive at 3:1, by set and kind, beside the peers and the most possible; planted facts.

Examples:
    python -m benchmarks.strategies.facts --data DIR
    python -m benchmarks.strategies.facts --data DIR --texts 4 --parts planted --json facts.json
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import tersely
from tersely import Extractive
from tersely.engine.facts import facts_after
from tersely.options import CompressionOptions
from tersely.strategies import ExtractiveCompressor
from tersely.types import PRESERVABLE, FactKind, Level

from benchmarks import peers, tokens
from benchmarks.arguments import make_parser
from benchmarks.checks import check_compressed
from benchmarks.quality.halves import REPORTED, TUNED, half_of
from benchmarks.report import Column, Report, Target
from benchmarks.strategies.facts_possible import most_kept
from benchmarks.strategies.facts_text import (
    CONTENTS,
    HOSTS,
    MOST_PLANTED,
    documentation,
    plant,
    texts,
)

RATIO = 1 / 3
PLANTED_RATIO = 0.3
_ASKED = 0.9
_EVERY = ("all",)
DOCUMENTATION = "documentation"

Shares = dict[str, float]
System = Callable[[str, int, float], str]  # text, budget, ratio -> compressed text


def main() -> None:
    """The command."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--texts", type=int, default=12, help="texts a set, of up to 40,000 characters each (12)"
    )
    parser.add_argument("--parts", default="sets,planted", help="of sets, planted (both)")
    parser.add_argument(
        "--half", default=REPORTED, choices=(TUNED, REPORTED), help="of planted facts (reported)"
    )
    options = parser.parse_args()
    settings = {"texts": options.texts, "half": options.half, "ratio": RATIO, "planted ratio": PLANTED_RATIO}
    report = Report("strategies.facts", settings, ("llmslim", "headroom-ai"))
    if "sets" in options.parts:
        _sets(report, options.data, options.texts)
    if "planted" in options.parts:
        _planted(report, options.data, options.texts, options.half)
    report.finish(options.json)


def _systems() -> dict[str, System]:
    found: dict[str, System] = {
        "plain": lambda text, budget, ratio: tersely.compress(text, budget=budget).text,
        "preserve": _ours(_EVERY),
        "clauses": _ours(_EVERY, Level.CLAUSE),
    }
    for peer in (peers.llmslim(), peers.textcrusher()):
        if peer.call is not None:
            found[peer.name] = _theirs(peer)
    return found


def _theirs(peer: peers.Compressor) -> System:
    return lambda text, budget, ratio: peer.text(peer([text], None, budget, ratio))


def _ours(preserve: tuple[str, ...], level: Level = Level.SENTENCE) -> System:
    def compress(text: str, budget: int, ratio: float) -> str:
        result = tersely.compress(text, budget=budget, strategy=Extractive(preserve=preserve, level=level))
        check_compressed(result, budget)
        return result.text

    return compress


def _compressor(text: str, budget: int, ratio: float) -> str:
    options = CompressionOptions(target_ratio=ratio)
    return ExtractiveCompressor().compress(text, options).compressed


def kept_by_kind(source: str, text: str) -> dict[FactKind, tuple[int, int]]:
    """(kept, all) distinct facts of each kind of the source."""
    found: dict[FactKind, tuple[int, int]] = {}
    for fact in facts_after([source], text).facts:
        if fact.outcome != "unsupported":
            kept, every = found.get(fact.kind, (0, 0))
            found[fact.kind] = (kept + (fact.outcome == "kept"), every + 1)
    return found


def _alone(text: str, budget: int, name: str) -> tuple[int, int, float]:
    """Facts that `name` stands for: how many were kept, how many there are, the most possible share."""
    result = tersely.compress(text, budget=budget, strategy=Extractive(preserve=(name,)))
    report = tersely.check_facts(result, name)
    return len(report.of("kept")), len(report.facts), most_kept(text, budget, (name,))


def _share(counts: Iterator[tuple[int, int]]) -> float:
    pairs = list(counts)
    return sum(kept for kept, _ in pairs) / max(sum(every for _, every in pairs), 1)


def _sets(report: Report, data: Path, how_many: int) -> None:
    systems = _systems()
    rows: list[dict[str, Any]] = []
    by_kind: dict[str, dict[FactKind, list[tuple[int, int]]]] = {name: {} for name in systems}
    by_name: dict[str, list[tuple[int, int, float]]] = {name: [] for name in PRESERVABLE if name != "all"}
    used: dict[str, list[float]] = {name: [] for name in systems}
    for content, sets in CONTENTS.items():
        for name in sets:
            chosen = texts(data, name, how_many)
            row: dict[str, Any] = {"content": content, "set": name, "n": len(chosen)}
            shares: dict[str, list[float]] = {}
            for text in chosen:
                size = tokens.count(text)
                budget = int(size * RATIO)
                for system, call in systems.items():
                    answer = call(text, budget, RATIO)
                    kinds = kept_by_kind(text, answer)
                    used[system].append(tokens.count(answer) / size)
                    shares.setdefault(system, []).append(_share(iter(kinds.values())))
                    for kind, counts in kinds.items():
                        by_kind[system].setdefault(kind, []).append(counts)
                shares.setdefault("most", []).append(most_kept(text, budget))
                shares.setdefault("most clauses", []).append(most_kept(text, budget, level=Level.CLAUSE))
                shares.setdefault("facts", []).append(1000 * sum(every for _, every in kinds.values()) / size)
                for asked in by_name:
                    by_name[asked].append(_alone(text, budget, asked))
            rows.append(row | {key: mean(values) for key, values in shares.items()})
    rows.append(
        {"content": "mean", "n": sum(row["n"] for row in rows)}
        | {key: mean(row[key] for row in rows) for key in rows[0] if key not in ("content", "set", "n")}
    )
    measured = [Column(name, name, ".3f") for name in systems]
    most = [Column("most", "at most", ".3f"), Column("most clauses", "clauses at most", ".3f")]
    columns = [Column("content"), Column("set"), Column("n"), Column("facts", "facts/1K", ".0f"), *measured]
    report.table("Share of distinct facts kept at 3:1", [*columns, *most], rows)
    report.note(
        "plain, preserve: tersely without and with preserve=('all',); clauses: also with level='clause'. "
        "At most: no choice of sentences, or of clauses, keeps more (facts_possible.py); the others also "
        "count what stands verbatim in something else. Used: "
        + ", ".join(f"{name} {mean(shares):.0%}" for name, shares in used.items())
    )
    kinds_seen = sorted({kind for found in by_kind.values() for kind in found})
    kind_rows: list[dict[str, Any]] = [
        {"kind": kind.name.lower(), "n": sum(every for _, every in by_kind["plain"].get(kind, []))}
        | {name: _share(iter(found.get(kind, []))) for name, found in by_kind.items()}
        for kind in kinds_seen
    ]
    report.table("... by kind, over all sets", [Column("kind"), Column("n"), *measured], kind_rows)
    name_rows: list[dict[str, Any]] = [
        {"preserve": name, "n": sum(every for _, every, _ in found)}
        | {"kept": _share(iter((kept, every) for kept, every, _ in found))}
        | {
            "most": sum(most * every for _, every, most in found)
            / max(sum(every for _, every, _ in found), 1)
        }
        for name, found in by_name.items()
    ]
    columns = [Column("preserve"), Column("n"), Column("kept", "", ".3f"), Column("most", "at most", ".3f")]
    report.table("... where only these are to be preserved", columns, name_rows)
    report.targets.append(
        Target("facts kept at 3:1, mean, by clauses", _ASKED, rows[-1]["clauses"], "", False)
    )
    share = mean(row["kept"] / row["most"] for row in name_rows if row["most"])
    report.targets.append(
        Target("... of what is possible, kinds asked for one by one", _ASKED, share, "", False)
    )


def _planted(report: Report, data: Path, how_many: int, half: str) -> None:
    """A005, A064: sentences with made-up facts at random places of texts of one half."""
    every = _systems()
    systems = {"plain": every.pop("plain"), "compressor": _compressor} | every
    by_kind: dict[str, dict[str, list[bool]]] = {}
    by_host: dict[str, dict[str, list[bool]]] = {}
    for name in (*HOSTS, DOCUMENTATION):
        apart = name == DOCUMENTATION
        ratio = RATIO if apart else PLANTED_RATIO
        found = documentation() if apart else texts(data, name, 3 * how_many)
        chosen = [text for text in found if half_of(text) == half][
            : len(HOSTS) * how_many if apart else how_many
        ]
        for seed, text in enumerate(chosen):
            planted, facts = plant(text, seed, half, apart)
            budget = int(tokens.count(planted) * ratio)
            for system, call in systems.items():
                answer = call(planted, budget, ratio)
                for kind, fact in facts:
                    if not apart:
                        by_kind.setdefault(kind, {}).setdefault(system, []).append(fact in answer)
                    by_host.setdefault(name, {}).setdefault(system, []).append(fact in answer)
    columns = [Column("n"), *(Column(name, name, ".3f") for name in systems)]
    kinds = [_planted_row("planted", kind, found) for kind, found in by_kind.items()]
    report.table(f"Planted facts found verbatim at {PLANTED_RATIO:.0%}", [Column("planted"), *columns], kinds)
    report.note(f"Up to {MOST_PLANTED} sentences a text, of the {half} half of texts and sentences.")
    hosts = [_planted_row("set", name, found) for name, found in by_host.items()]
    prose, pages = hosts[:-1], hosts[-1]
    hosts.insert(-1, {"set": "mean of prose"} | {name: mean(row[name] for row in prose) for name in systems})
    report.table(
        f"... by what they are planted into, {DOCUMENTATION} at 3:1", [Column("set"), *columns], hosts
    )
    for row, where in ((hosts[-2], "prose at 30%"), (pages, "documentation at 3:1")):
        for system in ("plain", "compressor", "preserve"):
            report.targets.append(
                Target(f"planted facts kept, {where}: {system}", _ASKED, row[system], "", False)
            )


def _planted_row(column: str, name: str, found: dict[str, list[bool]]) -> dict[str, Any]:
    return {column: name, "n": len(found["plain"])} | {system: mean(kept) for system, kept in found.items()}


if __name__ == "__main__":
    main()
