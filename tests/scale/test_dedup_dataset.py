"""A corpus is de-duplicated as `tersely.dedup` does it with all texts, whatever it is divided into."""

from __future__ import annotations

import math
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tersely
from hypothesis import given, settings, strategies as st

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from row_corpus import PLACES, bytes_of, read_out, write_lines, write_parquet  # noqa: E402
from tersely import files  # noqa: E402
from tersely.scale import compress_dataset, dedup_dataset  # noqa: E402
from tersely.scale.dataset import Report  # noqa: E402
from tersely.scale.merging import STAGES  # noqa: E402
from tersely.scale.plan import PLAN  # noqa: E402

SMALL = 5000  # bytes of a unit
FORMS = (
    "The gates of the {place} open early in the morning for {who}.",
    "The gates of the {place} open early in the morning for {who}",
    "The gates of the {place}  open early\nin the morning for {who}.",
    "Early in the morning the gates of the {place} open for {who}.",
    "The old gates of the {place} open early in the morning for all {who}.",
    "The gates of the {place} do not open early in the morning for {who}.",
    "The gates of the {place} open at 6 in the morning for {who}.",
    "The gates of the {place} open at 7 in the morning for {who}.",
    "The gates of the {place} open at 7 in the morning for the {who}.",
    "Nobody knows when {who} will close the {place} again after the storm.",
)


def make_texts(seed: int, forms: int = len(FORMS)) -> list[str]:
    """Texts of which many are alike, in a random order."""
    people = ("visitors", "workers", "children")
    texts = [
        form.format(place=place, who=who) for form in FORMS[:forms] for place in PLACES for who in people
    ]
    texts += [*texts[::7], "", "  ", "?", "!?"]
    random.Random(seed).shuffle(texts)
    return texts


def found(out: Path) -> tuple[list[int], list[float]]:
    rows = read_out(out)
    assert [row["kept"] for row in rows] == [row["cluster"] == n for n, row in enumerate(rows)]
    return [row["cluster"] for row in rows], [row["similarity"] for row in rows]


def wanted(texts: list[str], scores: list[float] | None = None, threshold: float = 0.85) -> Any:
    result = tersely.dedup(texts, threshold, scores)
    return result.representatives[result.labels].tolist(), result.similarity.tolist()


@pytest.mark.parametrize(
    ("partitions", "heavy"),
    [
        (1, None),
        (2, None),
        (7, None),
        (2, 2500),
        *(pytest.param(n, 1500, marks=pytest.mark.slow) for n in (1, 2, 7)),
    ],
)
def test_clusters_are_those_of_one_call(tmp_path: Path, partitions: int, heavy: int | None) -> None:
    texts = make_texts(partitions)
    scores = [float(random.Random(7).randrange(5)) for _ in texts]
    rows = [{"text": text, "score": score} for text, score in zip(texts, scores, strict=True)]
    source = write_parquet(tmp_path / "in.parquet", rows)
    for score in (None, "score"):
        out = tmp_path / f"out-{score}"
        report = dedup_dataset(
            source, out, score=score, workers=0, unit_bytes=SMALL, partitions=partitions, heavy_bytes=heavy
        )
        assert found(out) == wanted(texts, None if score is None else scores)
        assert report.finished and report.units > 2 and report.rows == len(texts)
        assert report.kept == sum(row["kept"] for row in read_out(out)) < len(texts)
        assert not (out / "_shuffle").exists()


LETTERS = st.lists(st.sampled_from(["gate", "harbour", "Oslo", "6", "not", "opens", "bridge"]), max_size=5)


@settings(max_examples=20, deadline=None)
@given(
    texts=st.lists(LETTERS.map(" ".join) | LETTERS.map("\n".join), max_size=24),
    data=st.data(),
    partitions=st.integers(1, 3),
    heavy=st.sampled_from([40, 10_000]),
    threshold=st.sampled_from([-1.0, 0.5, 0.85, 1.0]),
)
def test_any_texts(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[str],
    data: st.DataObject,
    partitions: int,
    heavy: int,
    threshold: float,
) -> None:
    scores = [data.draw(st.sampled_from([0.0, -0.0, 1.5, -2.0])) for _ in texts]
    folder = tmp_path_factory.mktemp("any")
    table = pa.table({"text": pa.array(texts, pa.string()), "score": pa.array(scores, pa.float64())})
    pq.write_table(table, folder / "in.parquet", row_group_size=5)
    dedup_dataset(
        folder / "in.parquet",
        folder / "out",
        threshold=threshold,
        score="score",
        workers=0,
        unit_bytes=400,
        partitions=partitions,
        heavy_bytes=heavy,
    )
    assert found(folder / "out") == wanted(texts, scores, threshold)
    shutil.rmtree(folder)


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "in.parquet", [{"text": text} for text in make_texts(2)])
    told: list[Report] = []
    options: dict[str, Any] = {"unit_bytes": SMALL, "heavy_bytes": 5000}
    dedup_dataset(source, tmp_path / "here", workers=0, progress=told.append, **options)
    dedup_dataset(source, tmp_path / "two", workers=2, **options)
    assert bytes_of(tmp_path / "here") == bytes_of(tmp_path / "two")
    stages = list(dict.fromkeys(report.stage for report in told))
    assert stages[0] == "read" and stages[-1] == "part"
    shares = [report.share for report in told]
    assert shares == sorted(shares) and shares[0] < 0.1 and shares[-1] == 1


def test_only_the_rows_that_stay_are_written_when_asked(tmp_path: Path) -> None:
    texts = make_texts(3)
    rows = [{"id": f"row-{n}", "text": text, "number": n} for n, text in enumerate(texts)]
    source = write_parquet(tmp_path / "in.parquet", rows)
    dedup_dataset(source, tmp_path / "out", kept_only=True, keep=["number"], workers=0, unit_bytes=SMALL)
    kept = tersely.dedup(texts).representatives.tolist()
    assert [(row["id"], row["text"], row["number"]) for row in read_out(tmp_path / "out")] == [
        (f"row-{n}", texts[n], n) for n in sorted(kept)
    ]


def test_rows_that_cannot_be_compared_have_an_error_and_change_no_other(tmp_path: Path) -> None:
    texts = make_texts(4)[:60]
    rows: list[Any] = [{"text": text, "score": 1} for text in texts]
    poison = [
        {"score": 1},
        {"text": ["a", "b"], "score": 1},
        {"text": 5, "score": 1},
        {"text": "no score"},
        {"text": "true", "score": True},
        {"text": "far", "score": math.inf},
    ]
    for number, row in enumerate(poison):
        rows.insert(10 * number, row)
    path = write_lines(tmp_path / "in.jsonl", rows)
    path.write_bytes(path.read_bytes() + b"{no JSON\n")
    report = dedup_dataset(path, tmp_path / "out", score="score", workers=0, unit_bytes=SMALL)
    made = read_out(tmp_path / "out")
    assert (report.rows, report.errors) == (67, 7)
    failed = [n for n, row in enumerate(made) if row["error"] is not None]
    assert failed == [0, 10, 20, 30, 40, 50, 66]
    assert all(made[n][name] is None for n in failed for name in ("cluster", "kept", "similarity"))
    sound = [n for n in range(67) if n not in failed]
    clusters, similarity = wanted(texts)
    assert [made[n]["cluster"] for n in sound] == [sound[n] for n in clusters]
    assert [made[n]["similarity"] for n in sound] == similarity
    dedup_dataset(path, tmp_path / "kept", score="score", kept_only=True, workers=0)
    assert sum(row["error"] is not None for row in read_out(tmp_path / "kept")) == 7


class Killed(BaseException):
    """The process is gone: nothing is cleaned up."""


@pytest.mark.slow
@pytest.mark.parametrize("after", [False, True])
def test_a_kill_at_each_step_of_each_commit_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    source = write_parquet(tmp_path / "in.parquet", [{"text": text} for text in make_texts(5, 4)])
    options: dict[str, Any] = {"workers": 0, "unit_bytes": 1 << 20, "partitions": 2, "heavy_bytes": 1500}
    dedup_dataset(source, tmp_path / "undisturbed", **options)
    real = files.replace_file
    commits: list[str] = []

    def replace(fresh: Path, path: Path) -> None:
        if path.name in commits:  # killed at it once
            real(fresh, path)
            return
        commits.append(path.name)
        if after:
            real(fresh, path)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(files, "replace_file", replace)
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        report = None
        while report is None:
            try:
                report = dedup_dataset(source, tmp_path / "out", **options)
            except Killed:
                assert len(commits) < 200
    assert {name.partition("-")[0] for name in commits} >= {stage.writes for stage in STAGES.values()}
    dedup_dataset(source, tmp_path / "out", **options)  # cleans up, where the last kill came before that
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "undisturbed")


def test_what_a_former_plan_left_is_not_taken_for_this_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = make_texts(9)[:40]
    source = write_parquet(tmp_path / "in.parquet", [{"text": text} for text in texts])

    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("tersely.scale.workspace.Workspace.publish_part", killed)
        with pytest.raises(Killed):
            dedup_dataset(source, tmp_path / "out", threshold=0.5, workers=0)
    assert list((tmp_path / "out" / "_shuffle").iterdir())
    (tmp_path / "out" / PLAN).unlink()
    dedup_dataset(source, tmp_path / "out", threshold=1.0, workers=0)
    assert found(tmp_path / "out") == wanted(texts, threshold=1.0)
    assert not (tmp_path / "out" / "_shuffle").exists()


def test_wrong_arguments_and_other_jobs_are_refused(tmp_path: Path) -> None:
    source = write_parquet(tmp_path / "in.parquet", [{"text": "a"}])
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"threshold": 2}, ValueError, "threshold"),
        ({"score": "quality"}, ValueError, "score must be a column of .*, one of text"),
        ({"text": "body"}, ValueError, "text must be a column of .*, one of text"),
        ({"keep": ["cluster"]}, ValueError, "keep cannot be 'cluster'"),
        ({"partitions": 0}, ValueError, "partitions"),
        ({"heavy_bytes": 0}, ValueError, "heavy_bytes"),
        ({"kept_only": "yes"}, TypeError, "kept_only"),
    ]
    for options, kind, message in wrong:
        with pytest.raises(kind, match=message):
            dedup_dataset(source, tmp_path / "out", **options)
    source = write_parquet(tmp_path / "in.parquet", [{"text": text} for text in make_texts(7)[:20]])
    dedup_dataset(source, tmp_path / "out", workers=0)
    with pytest.raises(ValueError, match=r"another job: threshold is 0\.85 there and 0\.9 here"):
        dedup_dataset(source, tmp_path / "out", threshold=0.9)
    with pytest.raises(ValueError, match="partitions is None there and 3 here"):
        dedup_dataset(source, tmp_path / "out", partitions=3)
    with pytest.raises(ValueError, match="another job: dedup there and compress here"):
        compress_dataset(source, tmp_path / "out")


def test_a_job_that_kills_its_workers_is_named(tmp_path: Path) -> None:
    from tersely.scale.options import DedupOptions
    from tersely.scale.plan import plan_job
    from tersely.scale.schedule import Stages
    from tersely.scale.workspace import Workspace

    source = write_parquet(tmp_path / "in.parquet", [{"text": "a"}])
    root, plan = plan_job(source, tmp_path, DedupOptions(), None)
    stages = Stages(Workspace(root, tmp_path, plan), [0], lambda *_: None)
    for _ in range(2):
        job = stages.next()
        assert job == {"stage": "read", "number": 0} and stages.next() is None and not stages.finished
        stages.died(job)
    job = stages.next()
    assert job is not None
    with pytest.raises(RuntimeError, match="workers die in job 0 of the stage 'read'"):
        stages.died(job)


def test_no_terms_at_all_with_every_guard_heavy(tmp_path: Path) -> None:
    texts = ["?", "!?", "? ", "...", "it is", "It is"] * 3
    source = write_parquet(tmp_path / "in.parquet", [{"text": text} for text in texts])
    dedup_dataset(source, tmp_path / "out", workers=0, heavy_bytes=1)
    clusters, similarity = wanted(texts)
    assert found(tmp_path / "out") == (clusters, similarity)
    assert np.unique(clusters).size < len(texts)


def test_a_damaged_file_of_the_shuffle_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_parquet(tmp_path / "in.parquet", [{"text": text} for text in make_texts(8)])
    dedup_dataset(source, tmp_path / "undisturbed", workers=0)
    real = files.replace_file

    def replace(fresh: Path, path: Path) -> None:
        real(fresh, path)
        if path.name in damaged:
            data = bytearray(path.read_bytes())
            at = damaged.pop(path.name)
            path.write_bytes(
                data[:at] + bytes(len(data) - at) if at < 0 else data[:at] + bytes(9) + data[at + 9 :]
            )

    damaged = {"texts-000000": 200, "census-000000": 0, "merged-000000": -20}
    monkeypatch.setattr(files, "replace_file", replace)
    while damaged:
        with pytest.raises(ValueError, match="is damaged and was removed; call again"):
            dedup_dataset(source, tmp_path / "out", workers=0)
    dedup_dataset(source, tmp_path / "out", workers=0)
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "undisturbed")
