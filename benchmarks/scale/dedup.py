"""Duplicates of a corpus: CPU of dedup_dataset beside one tersely.dedup, and wrong merges beside MinHash.

examples:
  python -m benchmarks.scale.dedup --data DIR
  python -m benchmarks.scale.dedup --data DIR --texts 1000000 --json dedup.json
  python -m benchmarks.scale.dedup --data DIR --ray     # also on a Ray cluster of two nodes on this machine
  python -m benchmarks.scale.dedup --data DIR --more /usr/lib/python3   # to get to a million
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
import tersely
from tersely.scale import dedup_dataset
from tersely.scale.dataset import Report as Progress

from benchmarks.arguments import make_parser
from benchmarks.data import english_documents, names, rows
from benchmarks.report import MISSING, Column, Report, Target
from benchmarks.scale.cost import cost, cost_with

_CPU = 1.3  # times one call of tersely.dedup, asked for
_TEXT_FILES = (".txt", ".md", ".rst", ".py")
_GROUP = 4096  # rows of a row group
_NUMBER = re.compile(r"\d+")
_TWINS = 5_000  # texts of a kind that get a copy with another number
_RAY_WORKER = b"ray::"  # what processes that do tasks of Ray are called
_HEAVY = 16  # of the bytes of all texts, what a guard may have where all heavy ones are to be divided


def _documents(data: Path, more: Path | None) -> list[str]:
    """Real documents: those of the data, also those that train, and the text files of another folder."""
    files = () if more is None else sorted(path for path in more.rglob("*") if path.suffix in _TEXT_FILES)
    read = [path.read_text(encoding="utf-8", errors="replace") for path in files if path.is_file()]
    return english_documents(data, _sets(data)) + read


def _texts(documents: list[str], level: str, most: int) -> list[str]:
    """Their sentences or paragraphs, repeats among them, in a fixed random order."""
    table = tersely.segment(documents, level)  # type: ignore[arg-type]
    spans = zip(table.document.tolist(), table.start.tolist(), table.end.tolist(), strict=True)
    found = [text for d, start, end in spans if (text := documents[d][start:end].strip())]
    random.Random(3).shuffle(found)
    return found[:most]


def _sets(data: Path) -> tuple[str, ...]:
    """Data sets whose rows are documents or texts."""
    some = []
    for name in names(data):
        first = next(iter(islice(rows(data, name), 1)), {})
        if "documents" in first or "text" in first:
            some.append(name)
    return tuple(some)


def _write(path: Path, texts: Sequence[str]) -> Path:
    pq.write_table(pa.table({"text": list(texts)}), path, row_group_size=_GROUP)
    return path


def _found(out: Path) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    parts = [pq.read_table(part) for part in sorted(out.glob("part-*.parquet"))]
    table = pa.concat_tables(parts)
    return table["cluster"].to_numpy(), table["similarity"].to_numpy()


def _costs(report: Report, folder: Path, what: str, texts: list[str], cluster: str | None) -> None:
    """One call, then the corpus in this process, with two workers, and with heavy guards divided."""
    source = _write(folder / f"{what}.parquet", texts)
    size = sum(len(text.encode()) for text in texts)
    tersely.dedup(texts[:100])
    results: list[Any] = []
    table: list[dict[str, Any]] = [
        {"system": "tersely.dedup", **cost(lambda: results.append(tersely.dedup(texts, threads=1)))}
    ]
    wanted = results[0].representatives[results[0].labels]
    runs: dict[str, dict[str, Any]] = {
        "in this process": {"workers": 0},
        "two workers": {"workers": 2},
        "heavy guards divided": {"workers": 0, "heavy_bytes": size // _HEAVY},
    }
    if cluster is not None:
        runs["two Ray nodes"] = {"on": cluster}
    for number, (name, options) in enumerate(runs.items()):
        out = folder / f"{what}-{number}"
        shuffled: list[int] = [0]
        run = partial(dedup_dataset, source, out, progress=partial(_look, out, shuffled), **options)
        measured = cost_with(run, _RAY_WORKER) if "on" in options else cost(run)
        row: dict[str, Any] = {"system": name, **measured}
        clusters, similarity = _found(out)
        if not np.array_equal(clusters, wanted) or not np.array_equal(similarity, results[0].similarity):
            raise AssertionError(f"{name}: other clusters or similarities than tersely.dedup")
        table.append(row | {"shuffled": max(shuffled) / size})
    for row in table:
        row["times"] = row["cpu"] / table[0]["cpu"]
        row["each"] = row["cpu"] / len(texts) * 1e6
    report.table(
        f"{len(texts):,} {what}, {size / 1e6:.1f} MB; {len(np.unique(wanted)):,} stay; equal everywhere",
        (
            Column("system"),
            Column("cpu", "CPU s", ".2f"),
            Column("times", "times", ".2f"),
            Column("each", "µs a text", ".1f"),
            Column("wall", "wall s", ".2f"),
            Column("shuffled", "bytes passed on, of the text's", ".2f"),
        ),
        table,
    )
    report.targets.append(Target(f"{what}: CPU beside tersely.dedup", _CPU, table[1]["times"], "times", True))
    report.targets.append(
        Target(f"{what}: CPU with two workers beside tersely.dedup", _CPU, table[2]["times"], "times", True)
    )
    if cluster is not None:
        report.targets.append(
            Target(
                f"{what}: CPU on two Ray nodes beside tersely.dedup", _CPU, table[4]["times"], "times", True
            )
        )


def _look(out: Path, sizes: list[int], progress: Progress) -> None:
    """Note what the files that texts are passed on in take, when all are there."""
    if progress.stage == "part":
        sizes.append(sum(file.stat().st_size for file in (out / "_shuffle").glob("*/*-*")))


def _with_twins(texts: list[str]) -> list[str]:
    """Texts with a number, then each with one digit of one of its numbers changed."""
    originals = list(dict.fromkeys(text for text in texts if _NUMBER.search(text)))[:_TWINS]
    chance = random.Random(4)
    twins = []
    for text in originals:
        at = chance.choice(list(_NUMBER.finditer(text))).end() - 1
        twins.append(f"{text[:at]}{(int(text[at]) + chance.randrange(1, 10)) % 10}{text[at + 1 :]}")
    return originals + twins


def _wrong(report: Report, folder: Path, kinds: dict[str, list[str]]) -> None:
    """How many texts are merged with their twin, which says another number."""

    def ours(texts: list[str], kind: str) -> list[Any]:
        out = folder / f"twins-{kind}"
        dedup_dataset(_write(folder / f"twins-{kind}.parquet", texts), out, workers=0)
        return list(_found(out)[0].tolist())

    systems: dict[str, Callable[[list[str], str], list[Any]]] = {
        "dedup_dataset": ours,
        "datatrove's MinHash": lambda texts, _: _minhash(texts),
    }
    table = []
    for name, clusters in systems.items():
        row: dict[str, Any] = {"system": name}
        for kind, texts in kinds.items():
            try:
                found = clusters(texts, kind)
            except ImportError:
                row[kind] = MISSING
                continue
            half = len(texts) // 2
            row[kind] = sum(found[n] == found[half + n] for n in range(half))
        table.append(row)
    columns = [Column(kind, f"of {len(texts) // 2:,} {kind}") for kind, texts in kinds.items()]
    report.table("Texts merged with one that says another number", (Column("system"), *columns), table)
    wrong = sum(table[0][kind] for kind in kinds)
    report.targets.append(Target("texts merged with one that says another number", 0, wrong, "", True))


def _minhash(texts: list[str]) -> list[int]:
    """Clusters of datatrove's signatures, as its steps make them: an equal bucket connects texts."""
    from datatrove.pipeline.dedup import MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig
    from datatrove.utils.word_tokenizers import WordTokenizer

    class Words(WordTokenizer):
        def word_tokenize(self, text: str) -> list[str]:
            return text.split()

        def sent_tokenize(self, text: str) -> list[str]:
            return [text]

        def span_tokenize(self, text: str) -> list[tuple[int, int]]:
            return [(0, len(text))]

    parent = list(range(len(texts)))

    def root(of: int) -> int:
        while parent[of] != of:
            of = parent[of]
        return of

    with TemporaryDirectory() as folder:
        step = MinhashDedupSignature(folder, MinhashConfig(), language=Words())
        buckets: dict[Any, int] = defaultdict(int)
        for number, text in enumerate(texts):
            shingles = step.get_shingles(text)
            if not len(shingles):
                continue
            for bucket, signature in enumerate(step.get_signature(shingles)):
                first = buckets.setdefault((bucket, tuple(signature)), number)
                low, high = sorted((root(first), root(number)))
                parent[high] = low
    return [root(number) for number in range(len(texts))]


@contextmanager
def _cluster() -> Iterator[str]:
    """The address of two Ray nodes of one CPU on this machine."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        made.add_node(num_cpus=1)
        made.wait_for_nodes()
        yield made.address
    finally:
        made.shutdown()


def main() -> None:
    """Measure."""
    parser = make_parser(__doc__)
    parser.add_argument(
        "--texts", type=int, default=1_000_000, metavar="N", help="of a kind, at most (1000000)"
    )
    parser.add_argument("--more", type=Path, metavar="FOLDER", help="also its files of text and of Python")
    parser.add_argument("--ray", action="store_true", help="also on a Ray cluster of two nodes, started here")
    arguments = parser.parse_args()
    settings = {
        "data": str(arguments.data),
        "more": str(arguments.more),
        "texts": arguments.texts,
        "ray": arguments.ray,
    }
    report = Report("scale/dedup", settings, ("pyarrow", "datatrove"))
    with TemporaryDirectory() as name, _cluster() if arguments.ray else nullcontext() as cluster:
        folder = Path(name)
        documents = _documents(arguments.data, arguments.more)
        kinds = {
            "sentences": _texts(documents, "sentence", arguments.texts),
            "paragraphs": _texts(documents, "paragraph", arguments.texts),
        }
        for kind, texts in kinds.items():
            _costs(report, folder, kind, texts, cluster)
        _wrong(report, folder, {kind: _with_twins(texts) for kind, texts in kinds.items()})
    report.note(
        "CPU counts the start of each worker. MinHash with datatrove's defaults: 5 words, 14 buckets of 8."
    )
    report.finish(arguments.json)


if __name__ == "__main__":
    main()
