"""A folder of small made sets, in the shapes that the benchmarks read."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_THINGS = ["harbour", "ferry", "lamp", "keeper", "ledger", "winch", "gull", "crane", "barrel", "anchor"]
_DOES = ["carries", "weighs", "repairs", "watches", "lifts", "counts", "paints", "lowers", "records"]


def sentence(chance: random.Random) -> str:
    """A plain sentence."""
    first, second = chance.sample(_THINGS, 2)
    place = f"src/{first}/{second}_{chance.randrange(90)}.py"
    return chance.choice(
        [
            f"The {first} {chance.choice(_DOES)} the {second} on day {chance.randrange(1, 900)}.",
            f"We decided to use the {first}, not the {second}, as it costs {chance.randrange(9, 99)} euros.",
            f"Please just open {place}, which does not hold the {second} any more.",
            f"Let me create version 1.{chance.randrange(9)}.2 of {place}; we need to test it.",
        ]
    )


def text(chance: random.Random, sentences: int) -> str:
    """Paragraphs of three sentences."""
    made = [sentence(chance) for _ in range(sentences)]
    return "\n\n".join(" ".join(made[at : at + 3]) for at in range(0, sentences, 3))


def _question(
    name: str, number: int, chance: random.Random, documents: int, sentences: int
) -> dict[str, Any]:
    fact = f"The fee of gate {number} is {chance.randrange(100, 999)} euros."
    texts = [text(chance, sentences) for _ in range(documents)]
    gold = chance.randrange(documents)
    texts[gold] = f"{texts[gold]} {fact} {text(chance, 3)}"
    start = texts[gold].index(fact)
    evidence = {
        "doc": gold,
        "start": start,
        "end": start + len(fact),
        "text": fact,
        "kind": "supporting_sentence",
    }
    return {
        "id": f"{name}{number}",
        "query": f"What is the fee of gate {number}?",
        "documents": [{"id": str(at), "title": f"Page {at}", "text": one} for at, one in enumerate(texts)],
        "evidence": [evidence],
        "answers": [fact.split(" is ")[1].split()[0]],
        "meta": {"lang": "en", "gold_doc": gold},
    }


def _sets(chance: random.Random) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name in (
        "hotpotqa_paragraphs",
        "hotpotqa_sentences",
        "musique_paragraphs",
        "nq_20docs",
        "nq_sentence",
    ):
        yield f"qa_{name}", [_question(name, number, chance, 4, 9) for number in range(6)]
    languages = [_question("xquad", number, chance, 2, 6) for number in range(11)]
    for row, start in zip(languages, range(0, 22, 2), strict=True):
        row["meta"]["lang"] = "ardeeleneshiruthtrvizh"[start : start + 2]
    yield "qa_xquad_multilingual", languages
    for name in ("needle_abstracts", "needle_kv_json"):
        yield name, [_question(name, number, chance, 1, 60) for number in range(4)]
    for name in ("longdoc_chunk_eval", "longdoc_contracts", "longdoc_covidqa"):
        asked = [_question(name, number, chance, 1, 300) for number in range(4)]
        yield name, [{"id": one["id"], "documents": one.pop("documents"), "queries": [one]} for one in asked]
    for name in ("sum_gov_report", "sum_news", "sum_dialogsum"):
        rows = [
            {"id": f"{name}{n}", "text": text(chance, 30), "references": [text(chance, 3)]} for n in range(6)
        ]
        yield name, rows
    parts = [[sentence(chance) for _ in range(4)] for _ in range(6)]
    yield (
        "sum_scitldr",
        [{"id": str(n), "sentences": one, "references": [one[0]]} for n, one in enumerate(parts)],
    )
    turns = [[{"speaker": f"S{n % 3}", "text": sentence(chance)} for n in range(200)] for _ in range(4)]
    asked = [{"id": "q", "query": "Which fee?", "answer": "none", "relevant_turns": [[3, 9]]}]
    yield (
        "conv_qmsum",
        [{"id": str(n), "entries": one, "queries": asked, "general": asked} for n, one in enumerate(turns)],
    )
    yield (
        "pairs_stsb",
        [
            {"id": f"en-{n}", "lang": "en", "a": sentence(chance), "b": sentence(chance), "score": n % 6.0}
            for n in range(20)
        ],
    )
    pages = [
        (f"v3.{version}|page{n}|Gates", version, text(chance, 4)) for n in range(24) for version in (4, 5)
    ]
    chunks = [
        {
            "id": name,
            "version": f"v3.{version}",
            "page": name,
            "heading": f"Gates of {name[5:10]}",
            "text": one,
        }
        for name, version, one in pages
    ]
    kinds = ["exact", "near", "edited", "different_section"]
    apart = {"ratio": 0.2, "only_in_a": ["a"], "only_in_b": ["b"]}
    pairs = [
        {"a": f"v3.4|page{n}|Gates", "b": f"v3.5|page{n}|Gates", "relation": kinds[n % 4], **apart}
        for n in range(24)
    ]
    yield "neardup_docs_etcd_chunks", chunks
    yield "neardup_docs_etcd_pairs", pairs
    yield "sentences_ud", [_cut(f"{n}", chance) for n in range(8)]
    golden = {"lang": "english", "text": "One is. Two are.", "sentences": ["One is.", "Two are."]}
    yield "sentences_golden_rules", [{"id": f"{n}", **golden} for n in range(4)]
    yield "agent_traces", [_trace(f"swe/trace{n}", chance, 45 if n % 4 else 110) for n in range(8)]
    yield "agent_long_chat", [_trace("long", chance, 200)]
    lines = [f"2026-05-01 10:{n % 60:02}:00 INFO {sentence(chance)}" for n in range(300)]
    kinds = ["E1" if n % 2 else "E2" for n in range(300)]
    levels = {"levels": ["info"] * 300, "event_ids": kinds, "templates": {"E1": "<*>", "E2": "<*>"}}
    yield "logs_loghub", [{"id": f"Log{n}", "lines": lines, **levels} for n in range(3)]
    tree = {"items": [{"id": n, "name": sentence(chance), "tags": ["a", "b"]} for n in range(30)]}
    yield "json_webhooks", [{"id": f"hook{n}", "event": "push", "json": json.dumps(tree)} for n in range(4)]
    yield "json_mcp_tool_schemas", [{"id": "list", "json": json.dumps(tree)}]
    code = "".join(
        f'def gate_{n}(fee: int) -> int:\n    """Open gate {n}."""\n    return fee + {n}\n\n\n'
        for n in range(40)
    )
    found = [
        {"name": f"gate_{n}", "kind": "function", "line": 5 * n + 1, "end_line": 5 * n + 3, "doc": True}
        for n in range(40)
    ]
    file = {"language": "python", "licence": "PSF-2.0", "text": code, "definitions": found}
    yield "code_files", [{"id": f"gates{n}.py", **file} for n in range(3)]
    wrong = "ERROR gate 7 did not open"
    output = "\n".join([*lines, wrong, *lines])
    mark = {"start": output.index(wrong), "end": output.index(wrong) + len(wrong), "text": wrong}
    told = {"source": "made", "text": output, "anchors": [mark], "error_lines": [mark]}
    yield "tool_output", [{"id": f"out{n}.log", **told} for n in range(3)]


def _cut(name: str, chance: random.Random) -> dict[str, Any]:
    sentences = [sentence(chance) for _ in range(5)]
    whole, places, at = " ".join(sentences), [], 0
    for one in sentences:
        places.append([at, at + len(one)])
        at += len(one) + 1
    return {"id": name, "lang": "en", "text": whole, "sentences": places}


def _trace(name: str, chance: random.Random, turns: int = 24) -> dict[str, Any]:
    entries = [{"role": "system", "kind": "instruction", "text": text(chance, 3), "pinned": True}]
    for turn in range(turns):
        said = f"src/gates/part_{turn}.py:{turn + 7} {sentence(chance)}"
        kind = "action" if turn % 12 else "thought"
        entries.append(
            {"role": "assistant", "kind": kind, "text": f"I will open part_{turn}. {text(chance, 4)}"}
        )
        entries.append({"role": "user", "kind": "observation", "text": f"{said}\n{text(chance, 9)}"})
    path = "src/gates/part_2.py"
    needs = [{"text": path, "type": "path", "first_entry": 6, "last_entry": 60, "used_entry": 90}]
    facts = [{"entry": 60, "start": 0, "end": len(path) + 2, "type": "path_line", "text": f"{path}:9"}]
    return {
        "id": name, "source": "made", "entries": entries, "later_needed": [{"cut": 80, "needs": needs}],
        "facts": facts, "meta": {},
    }  # fmt: skip


def make_sets(folder: Path) -> Path:
    """Write all sets into a folder, the same ones each time; returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in _sets(random.Random(7)):
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return folder


def make_manual(folder: Path) -> Path:
    """Write pages as Sphinx makes them, with terms, questions as headings, and names; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    terms = [
        f'<dt id="term-g{n}">gate {n}</dt><dd><p>Gate {n} opens for the ferry.</p></dd>' for n in range(9)
    ]
    heading = '<h3><a class="toc-backref" href="#i">When does winch {n} turn?</a></h3>'
    asked = [f"{heading.format(n=n)}<p>{f'Winch {n} turns. ' * 30}</p>" for n in range(9)]
    named = '<dl><dt class="sig sig-object py" id="gates.open_{n}">gates.open_{n}()</dt><dd>Opens.</dd></dl>'
    names = [named.format(n=n) for n in range(60)]
    module = (
        '<a href="gates.html#module-gates"><code class="xref">gates</code></a><em>Open and close gates</em>'
    )
    pages = {"glossary": terms, "faq": asked, "gates": names, "py-modindex": [module]}
    for name, parts in pages.items():
        body = f"<html><body><div role='main'><h1>{name}</h1>{''.join(parts)}</div></body></html>"
        (folder / f"{name}.html").write_text(body, encoding="utf-8")
    return folder
