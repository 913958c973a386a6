"""The report of a job, finished or not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """How far a job is, and what it came to so far.

    Attributes:
        out: the folder of the output.
        job: "compress" or "dedup": what is done there.
        units: how many parts it will have.
        done: parts that are there.
        skipped: of these, parts that were there before this run.
        rows, errors: rows that are done, and how many of them have an error.
        kept: of these rows, those that stay: compressed, or no duplicate of another.
        original_tokens, tokens: of these rows, before and after; 0 of `dedup_dataset`, which counts none.
        share: of the work that is done, 0 to 1: of the source's bytes, or of the stages of `dedup_dataset`.
        seconds: that this run has taken.
        stage: what `dedup_dataset` is at, in a word.
        digest: of everything, once it is finished; anybody who runs the same plan gets the same.
    """

    out: str
    job: str
    units: int
    done: int
    skipped: int
    rows: int
    errors: int
    kept: int
    original_tokens: int
    tokens: int
    share: float
    seconds: float
    stage: str | None = None
    digest: str | None = None

    @property
    def finished(self) -> bool:
        """Whether the job is done: every part is written, and its digest is."""
        return self.digest is not None
