"""What a language model answers from the texts alone: the part `reader-model`.

Any server that speaks OpenAI's chat completions will do; its key is read from OPENAI_API_KEY. A question
counts if one of its answers, as people gave them, stands in the whole documents. The model's figure for the
whole documents stands beside the others: what it cannot answer from them, no compression can give.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from tersely.models.openai import OpenAILanguageModel
from tersely.models.recorded import Recorder
from tersely.writing.prompt import fence

from benchmarks import tokens
from benchmarks.progress import Progress
from benchmarks.quality.bootstrap import interval, mean_over_sets
from benchmarks.quality.evidence import SHOWN, grouped
from benchmarks.quality.reader import answer_f1, normal, states
from benchmarks.quality.run import Answer
from benchmarks.quality.systems import System
from benchmarks.quality.tasks import ENCODING, Task
from benchmarks.report import Column, Report, one_line

__all__ = ["ReaderModel", "asked", "table"]

_F1 = "model f1"
_UNKNOWN = "unknown"
_INSTRUCTION = (
    "Answer the question from the text alone, not from what you know. Give the shortest complete answer: a "
    f'name, a number, a date or a few words. If the text does not say it, answer "{_UNKNOWN}".'
)


@dataclass(frozen=True, slots=True)
class ReaderModel:
    """A language model that answers questions from texts; each prompt is sent once."""

    model: OpenAILanguageModel | Recorder  #: the model, or the recorder of its replies
    price: float = 0.0  #: US dollars for a million tokens of prompts; 0: no column of cost
    _said: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, url: str | None, replies: Path | None, price: float) -> ReaderModel:
        """Ask the model `name` of a server; the file of its replies makes a second run free."""
        key = os.environ.get("OPENAI_API_KEY") or ("none" if url else None)  # servers of one's own take any
        try:
            model = OpenAILanguageModel(name, base_url=url, api_key=key)
        except Exception as error:  # the openai package is not there, or has no key
            raise SystemExit(f"The model {name} cannot be asked: {one_line(error)}") from error
        return cls(model if replies is None else Recorder(model, replies), price)

    def score(self, text: str, task: Task) -> dict[str, float]:
        """The F1 of the words of the model's answer; {} for a question that does not count."""
        if not asked(task):
            return {}
        prompt = _prompt(text, task.query or "")
        if prompt not in self._said:
            try:
                self._said[prompt] = self.model.complete(prompt)
            except Exception as error:
                raise SystemExit(f"The model {self.model.name} did not answer: {one_line(error)}") from error
        said = self._said[prompt]
        unknown = normal(said) in ("", _UNKNOWN)
        return {_F1: 0.0 if unknown else answer_f1(said, task.answers), _UNKNOWN: float(unknown)}


def asked(task: Task) -> bool:
    """Whether the question counts: one of its answers stands in the documents."""
    return states("\n\n".join(task.documents), task.answers)


def _prompt(text: str, question: str) -> str:
    fenced = fence(text, question)
    return f"{_INSTRUCTION}\n{fenced.rule}\n\n{fenced.put(text)}\n\nThe question:\n{fenced.put(question)}\n"


def table(
    report: Report, reader: ReaderModel, systems: Sequence[System], answers: Sequence[Answer], sample: str
) -> None:
    """The model's F1 for each system, means over the sets with intervals, beside the whole documents."""
    counted = [answer for answer in answers if _F1 in answer.scores]
    if not counted:
        report.note("No question of these sets has an answer that stands in its documents: nothing to read.")
        return
    tasks = list({answer.task.id: answer.task for answer in counted}.values())
    sets = sorted({task.set for task in tasks})
    rows = []
    for system in systems:
        if mine := [answer for answer in counted if answer.system == system.name]:
            rows.append(_row(reader, system.name, mine, sets))
    rows.append(_row(reader, "the whole documents", _whole(reader, tasks), sets))
    columns = [
        Column("system"),
        Column(_F1, "F1", ".3f"),
        Column("interval", "95%"),
        *(Column(f"set {name}", name, ".2f") for name in sets),
        Column(_UNKNOWN, "answered unknown", ".0%"),
        Column("read", "tokens of the text", ",.0f"),
        *([Column("cost", "US$ for 1,000 questions", ".2f")] if reader.price else []),
    ]
    title = (
        f"What a language model answers, {len(tasks)} questions at {SHOWN:.0%}, mean over the sets; {sample}"
    )
    report.table(title, columns, rows)
    report.note(
        f"The model is {reader.model.name}. F1 is of the words of its answer, against the nearest of the "
        "answers that people gave. The cost is that of the text in the prompt, at the price that was given."
    )


def _whole(reader: ReaderModel, tasks: Sequence[Task]) -> list[Answer]:
    """The answers from the whole documents."""
    found = []
    with Progress("the whole documents", len(tasks)) as progress:
        for task in tasks:
            progress.step(task.set)
            text = "\n\n".join(task.documents)
            used = tokens.count(text, ENCODING)
            found.append(Answer("", task, reader.score(text, task), used, 0.0, "", kept_before=False))
    return found


def _row(reader: ReaderModel, system: str, mine: Sequence[Answer], sets: Sequence[str]) -> dict[str, Any]:
    groups = grouped(mine)
    values = [[answer.scores[_F1] for answer in group] for group in groups.values()]
    low, high = interval(values)
    read = mean(answer.used for answer in mine)
    by_set = {f"set {name}": mean(a.scores[_F1] for a in groups[name]) for name in sets if name in groups}
    return {
        "system": system,
        _F1: mean_over_sets(values),
        "interval": f"{low:.3f} to {high:.3f}",
        **by_set,
        _UNKNOWN: mean(answer.scores[_UNKNOWN] for answer in mine),
        "read": read,
        "cost": read * 1_000 * reader.price / 1e6,
    }
