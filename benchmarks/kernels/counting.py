"""Counting tokens: MB/s beside toktok and tiktoken on the same texts, and what opening a table costs.

Example:
    python -m benchmarks.kernels.counting --data DIR
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from unittest import mock

import tiktoken
import tiktoken_ext.openai_public as openai
import toktok
from tersely.models.counters import BytePairCounter

from benchmarks import data
from benchmarks.arguments import make_parser
from benchmarks.report import Column, Report

_ROUNDS = 9
_OPENED = """
import time
from tersely.models.counters import TOKEN_TABLES
started = time.process_time()
TOKEN_TABLES["{name}"]
opened = time.process_time()
TOKEN_TABLES["{name}"].count(["hello world"])
print(opened - started, time.process_time() - opened)
"""


def main() -> None:
    """The command."""
    options = make_parser(__doc__).parse_args()
    documents = data.english_documents(options.data)
    long = "\n\n".join(documents)
    texts = {
        "all English documents": long,
        "10,000 tokens": data.exact_texts(data.endless(documents), 10_000, 1)[0],
        "100 tokens": data.exact_texts(data.endless(documents), 100, 1)[0],
    }
    result = Report("kernels/counting", {"rounds": _ROUNDS}, ("toktok-rs", "tiktoken"))
    columns = [Column("text"), Column("mb", "MB", ".4f"), Column("tokens", form=",")]
    columns += [Column(name, f"{name} MB/s", ".1f") for name in ("tersely", "toktok", "tiktoken")]
    for name in ("o200k_base", "cl100k_base"):
        rows = [_row(text, words, _counters(name)) for text, words in texts.items()]
        result.table(f"{name}: MB per second of CPU, best of {_ROUNDS} rounds in turn", columns, rows)
        opened, first = min(_open(name) for _ in range(_ROUNDS))
        result.note(f"{name}: opening {opened * 1e3:.2f} ms of CPU, first count {first * 1e3:.2f} ms.")
    result.finish(options.json)


def _counters(name: str) -> dict[str, Callable[[str], int]]:
    ranks = {_token(name, rank): rank for rank in range(_size(name))}
    with mock.patch.object(openai, "load_tiktoken_bpe", lambda *_, **__: ranks):
        encoding = tiktoken.Encoding(**openai.ENCODING_CONSTRUCTORS[name]())
    return {
        "tersely": BytePairCounter(name, name).count,
        "toktok": lambda text: int(toktok.truncate(text, 2**60, name)[1]),
        "tiktoken": lambda text: len(encoding.encode_ordinary(text)),
    }


def _size(name: str) -> int:
    return {"o200k_base": 199_998, "cl100k_base": 100_256}[name]


def _token(name: str, rank: int) -> bytes:
    return bytes(toktok._encoding(name).decode_single_token_bytes(rank))


def _row(title: str, text: str, counters: dict[str, Callable[[str], int]]) -> dict[str, object]:
    size = len(text.encode()) / 1e6
    calls = max(1, int(0.2 / size))
    best = dict.fromkeys(counters, float("inf"))
    counts: dict[str, int] = {}
    for _ in range(_ROUNDS):
        for name, count in counters.items():
            started = time.process_time()
            for _ in range(calls):
                counts[name] = count(text)
            best[name] = min(best[name], (time.process_time() - started) / calls)
    if len({counts["tersely"], counts["tiktoken"]}) > 1:
        raise AssertionError(f"the counts differ: {counts}")
    speeds = {name: size / seconds for name, seconds in best.items()}
    return {"text": title, "mb": size, "tokens": counts["tersely"], **speeds}


def _open(name: str) -> tuple[float, float]:
    program = [sys.executable, "-c", _OPENED.format(name=name)]
    done = subprocess.run(program, check=True, capture_output=True, text=True)
    opened, first = map(float, done.stdout.split())
    return opened, first


if __name__ == "__main__":
    main()
