"""What was asked of tersely, beside what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from benchmarks.quality.bootstrap import mean_over_sets
from benchmarks.quality.evidence import SHOWN, grouped
from benchmarks.quality.run import Answer
from benchmarks.report import Target

__all__ = ["evidence_targets", "language_targets", "time_target"]

#: Mean evidence kept over the sets at 10, 20, 30 and 50%, by the name of the configuration.
_KEPT = {
    "tersely": {0.1: 0.73, 0.2: 0.82, 0.3: 0.87, 0.5: 0.925},
    "tersely, ONNX": {0.1: 0.76, 0.2: 0.84, 0.3: 0.88, 0.5: 0.935},
}
_DEFAULT = "tersely"
_ALL_KEPT = ("hotpotqa_sentences", 0.55)
_CONTRACTS = ("longdoc_contracts", 0.75)
_LANGUAGES = (0.88, 0.80)  # over all questions, in each language
_MS = 6.0  # of 10,000 tokens with a query


def evidence_targets(answers: Sequence[Answer]) -> Iterator[Target]:
    """Of each configuration that has any, and of the default for single sets."""
    for system, asked in _KEPT.items():
        for ratio, least in asked.items():
            groups = grouped(a for a in answers if a.system == system and a.task.ratio == ratio)
            if groups:
                kept = mean_over_sets([[a.scores["kept"] for a in group] for group in groups.values()])
                yield Target(f"{system}: evidence kept at {ratio:.0%}", least, kept, "", False)
    for (part, least), score, title in (
        (_ALL_KEPT, "all", "all evidence kept"),
        (_CONTRACTS, "kept", "evidence kept"),
    ):
        found = [
            answer.scores[score]
            for answer in answers
            if answer.system == _DEFAULT and answer.task.ratio == SHOWN and answer.task.set.endswith(part)
        ]
        if found:
            yield Target(f"{_DEFAULT}: {part}, {title} at {SHOWN:.0%}", least, mean(found), "", False)


def language_targets(answers: Sequence[Answer]) -> Iterator[Target]:
    """Of the default: over all questions and in the worst language."""
    mine = [answer for answer in answers if answer.system == _DEFAULT]
    if mine:
        languages = {
            language: mean(answer.scores["kept"] for answer in group)
            for language, group in grouped(mine, lambda answer: answer.task.language).items()
        }
        worst = min(languages, key=lambda language: languages[language])
        whole = mean(answer.scores["kept"] for answer in mine)
        yield Target(
            f"{_DEFAULT}: answers kept at {SHOWN:.0%}, all languages", _LANGUAGES[0], whole, "", False
        )
        yield Target(
            f"{_DEFAULT}: the same, worst language ({worst})", _LANGUAGES[1], languages[worst], "", False
        )


def time_target(system: str, milliseconds: float) -> Iterator[Target]:
    """Of the default."""
    if system == _DEFAULT:
        yield Target(f"{system}: CPU of 10K tokens with a query, warm", _MS, milliseconds, "ms", True)
