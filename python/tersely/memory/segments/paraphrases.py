"""Write shorter forms of an agent's notes by rules, without a model: where it is, what is done, wrong, next.

Paths, numbers, names, messages and clauses of a form are pieces of the note; labels ("Done:") and order are
the rules'. A form can be made shorter step by step: a clause loses its remarks first, then what only says
where and when. What has a number, a path, a name or a negation in it stays.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from operator import itemgetter

from tersely import checks
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.agreement import DENIES, term_lists
from tersely.memory.segments.clauses import (
    Clause,
    Place,
    Role,
    capitalized,
    without_alternative,
    without_filler,
)
from tersely.memory.segments.preservation import anchors
from tersely.memory.segments.reading import Reading, read, said_values, says, says_before
from tersely.memory.segments.words import pattern
from tersely.types import Level

# What can be left out of a form, in this order.
_REMARKS, _SMALL_WORDS, _LABELS, _OLDER, _CIRCUMSTANCES, _NAMED, _OTHERS = range(7)
_BRIEF = (_REMARKS, _SMALL_WORDS, _OLDER)
_TELLING = 3  # terms of work that says what was done, not only that something was ("Added a check")
_EVERY_SMALL_WORD, _EVERY_LABEL = (-1, -1), (-2, -2)  # stand where a phrase is named
Phrase = tuple[int, int]
_LISTED = (Role.DONE, Role.ACTIVE, Role.NEXT)  # what happened before goes before what comes next


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A text that rules wrote.

    Attributes:
        text: "" where the source says nothing of the kind.
        generated: (start, end) of what was written, as in `tersely.Compressed.generated`: all of it. Paths,
            numbers, names, messages and clauses in it are pieces of the source.
        strategy: which rules wrote it.
    """

    text: str
    generated: tuple[tuple[int, int], ...]
    strategy: str


class Form:
    """A shorter form of a text, in as many words as there is room for; `strategy`: one of PARAPHRASES."""

    def __init__(self, reading: Reading, strategy: str = "state") -> None:
        """Find the parts that a paraphrase can state, and those that it can omit. O(characters)."""
        self.reading, self.strategy = reading, strategy
        now = reading.now
        parts = (now.path, reading.now_function, None if now.line is None else str(now.line))
        # What a head says of the place of the work, so that nothing else has to; () without one.
        self._head = tuple([part for part in parts if part is not None]) if reading.last[Role.ACTIVE] else ()
        table = cut_up([reading.text], Level.CLAUSE)
        starts, ends = table.start.tolist(), table.end.tolist()
        self._phrases = {  # a phrase is named by the start of its clause and its number there
            clause.start: _phrases(reading.text, clause, starts, ends)
            for role in _LISTED
            for clause in reading.last[role]
        }
        self._only_places = {
            (clause.start, number)
            for clause in (reading.last[Role.ACTIVE] if self._head else ())
            for number, phrase in enumerate(self._phrases[clause.start])
            if _ONLY_PLACE.match(_without(phrase, self._head))
        }
        self._decision = _decision(reading)
        self._steps = self._removable()

    def full(self) -> str:
        """Return all that is to be said."""
        return self._text([])

    def brief(self) -> str:
        """Return the same without remarks, and without older work that has no numbers, paths and names."""
        return self._text([step for step in self._steps if step[0] in _BRIEF])

    def terse(self) -> str:
        """Return the same without all that can be left out."""
        return self._text(self._steps)

    def fitting(self, fits: Callable[[str], bool]) -> str:
        """Return the form with the least left out for which `fits` holds; the tersest where it holds for
        none. O(log(phrases)) forms."""
        low, high = 0, len(self._steps)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(self._text(self._steps[:middle])) else (middle + 1, high)
        return self._text(self._steps[:low])

    def _removable(self) -> list[tuple[int, set[Phrase]]]:
        """Return the phrases that can be left out, step by step, with ranks."""
        runs: list[tuple[int, str, set[Phrase]]] = []
        for role in _LISTED:
            clauses = self.reading.last[role]
            newest = clauses[:1] if role is Role.NEXT else clauses[-1:]
            if role is Role.DONE:
                terms = zip(clauses, term_lists([clause.message for clause in clauses]), strict=True)
                newest = [clause for clause, said in terms if len(said) >= _TELLING][-1:] or newest
            for clause in clauses:
                phrases = self._phrases[clause.start]
                found = [(_REMARKS, run) for run in _remarks(phrases)]
                if not ((clause in newest and role is Role.ACTIVE) or DENIES.search(clause.message)):
                    where = range(len(phrases) - 1, 0, -1)
                    found += [(_CIRCUMSTANCES, [one]) for one in where if _is_circumstance(phrases[one])]
                for rank, run in found:
                    text = " ".join([phrases[number] for number in run])
                    named = _NAMED if _NAMES.search(text) else rank
                    runs.append((named, text, {(clause.start, number) for number in run}))
                if clause not in newest:
                    rank, text = (
                        _OTHERS if role is Role.NEXT else _OLDER,
                        _without(clause.message, self._head),
                    )
                    runs.append((rank, text, {(clause.start, number) for number in range(len(phrases))}))
        steps = [(_SMALL_WORDS, {_EVERY_SMALL_WORD}), (_LABELS, {_EVERY_LABEL})]
        # What has numbers, paths, identifiers or quotes, or denies something, must stay.
        for (rank, text, gone), exact in zip(runs, anchors(*[text for _, text, _ in runs]), strict=True):
            if not (exact or DENIES.search(text) or _QUOTES.search(text)):
                steps.append((rank, gone))
        return sorted(steps, key=itemgetter(0))

    def _text(self, steps: Sequence[tuple[int, set[Phrase]]]) -> str:
        """Return the form without the phrases of some steps."""
        reading, place = self.reading, self.reading.error_place
        if self.strategy == "error":
            return _error(reading, place)
        if self.strategy == "decision":
            return self._decision
        gone = {phrase for _, phrases in steps for phrase in phrases}
        done, ahead = self._said(Role.DONE, gone), self._said(Role.NEXT, gone)
        if self.strategy == "progress":
            ahead = ahead or self._said(Role.ACTIVE, gone)[-1:]
            return _sentences([_label_list("Done", done), _label_list("Next", ahead)])
        current = _label_list("Current", self._said(Role.ACTIVE, gone, self._only_places))
        if self.strategy == "active_state":
            return self._add_place([*map(capitalized, done), current])
        finished, doing = [_label_list("Done", done)], ""
        if _EVERY_LABEL in gone and self._head:
            if not any(clause.label for clause in reading.last[Role.DONE]):
                finished = [*map(capitalized, done)]
            doing, current = current.replace("Current:", ";", 1), ""
            place = Place(None, place.line) if place.line and place.path == reading.now.path else place
        told = not str(place) and says(" ".join(done), reading.error or "")
        error = "" if told else _error(reading, place)
        if _EVERY_LABEL in gone and reading.error_exact:
            error = error.removeprefix("Error: ")
        parts = [*finished, error, self._decision, current]
        return self._add_place([*parts, _label_list("Next", ahead)], doing)

    def _said(self, role: Role, gone: set[Phrase], stated: Set[Phrase] = frozenset()) -> list[str]:
        """Return the text of a role's last clauses, without trailing phrases that are `stated`."""
        found = []
        for clause in self.reading.last[role]:
            phrases, at = self._phrases[clause.start], clause.start
            kept = [number for number in range(len(phrases)) if (at, number) not in gone]
            while kept and (at, kept[0]) in stated:
                kept = kept[1:]
            while kept and (at, kept[-1]) in stated:
                kept = kept[:-1]
            text = without_filler(" ".join(map(phrases.__getitem__, kept))).strip(" ,;:–—-")
            if _EVERY_SMALL_WORD in gone and not _QUOTES.search(text):
                text = _SMALL_WORD.sub("", text)
            if text:
                found.append(text)
        return found

    def _add_place(self, parts: list[str], task: str = "") -> str:
        """Put the place of the work (path, line) before the parts.

        `task`: behind the current one.
        """
        reading, head = self.reading, ""
        if self._head:
            verb = _VERB.search(" ".join(reading.said[Role.ACTIVE]))
            doing = capitalized(verb.group().lower()) if verb else "Working on"
            head = f"{doing} {_place(reading.now, reading.now_function)}{task}"
        summary, here = _sentences([head, *parts]), reading.place
        path, line, function = here.path or "", str(here.line), reading.function or ""
        stated = said_values(summary, [path, line, function])
        if path in stated and (here.line is None or line in stated):
            here = Place(None, None)
        where = _place(here, None if function in stated else reading.function)
        if head and where:
            return f"{summary} Also: {where}."  # perhaps of another file
        return f"At {where}: {summary}" if summary and where else summary


#: The rules by name: "state" is the four before it, "brief" and "terse" the same with less of each clause.
PARAPHRASES = ("active_state", "progress", "error", "decision", "state", "brief", "terse")


def paraphrase(
    text: str, strategy: str = "state", *, file_path: str | None = None, line_number: int | None = None
) -> Paraphrase:
    """Shorten an agent's note about the state of its work by rules for English.

    `strategy`: a name of `PARAPHRASES`. Where a form would be no shorter than the text, remarks and
    circumstances are left out of it until it is, if that is enough. `file_path`, `line_number`: where the
    work is, if the text does not say. Deterministic; O(characters). Raises ValueError for another strategy.
    """
    checks.one_of(strategy, "strategy", PARAPHRASES)
    reading = read(text, file_path, line_number)
    form = Form(reading, strategy)
    written = {"brief": form.brief, "terse": form.terse}.get(strategy, form.full)()
    if len(written) >= len(text) and strategy not in ("brief", "terse"):
        shorter = form.fitting(lambda made: len(made) < len(text))
        written = shorter if len(shorter) < len(text) else written
    return Paraphrase(written, ((0, len(written)),) if written else (), strategy)


# --- the parts of a form -------------------------------------------------------------------------------

_VERB = pattern("verb")
_BECAUSE = pattern("because")
_IT_IS = pattern("it_is")
_DECIDED = pattern("decided")
_REASONS = pattern("reasons")


def _error(reading: Reading, place: Place) -> str:
    """Write "Error: 'message' at path:line in function()."; the message is the source's, to the letter."""
    if reading.error is None:
        return ""
    function, path, line = reading.error_function or "", place.path or "", str(place.line)
    message = " ".join(reading.error.split())
    message = f"'{message}'" if reading.error_exact and "'" not in message else message
    stated = said_values(message, [path, line])
    if place.line is not None and line in stated:
        place = Place(place.path, None)
    if place.line is not None or path not in stated:
        message += f" at {place}"
    return f"Error: {message}." if says(message, function) else f"Error: {message} in {function}()."


def _decision(reading: Reading) -> str:
    """Write "Decision: X (reason, reason)." without the rejected choices."""
    return _sentences([f"Decision: {_chosen(clause.message)}" for clause in reading.last[Role.DECISION]])


def _chosen(text: str) -> str:
    """Write a decision with its reasons in brackets."""
    text = without_alternative(" ".join(text.split()))
    match = _DECIDED.search(text)
    what, *reasons = _BECAUSE.split(text[match.end() :] if match else text, maxsplit=1)
    if not reasons:
        return without_filler(what)
    shorter = _REASONS.sub(", ", _IT_IS.sub("", reasons[0]))
    return f"{without_filler(what).rstrip(',')} ({shorter})"


def _place(place: Place, function: str | None) -> str:
    return ", ".join(filter(None, (str(place), f"{function}()" if function else "")))


def _label_list(label: str, texts: list[str]) -> str:
    if len(texts) > 1:
        texts = [text for text, said in zip(texts, says_before(texts), strict=True) if not said]
    return f"{label}: {'; '.join(texts)}" if texts else ""


def _sentences(parts: list[str]) -> str:
    return " ".join([part if part.endswith((".", "!", "?", "...")) else f"{part}." for part in parts if part])


# --- phrases -------------------------------------------------------------------------------------------

_ONLY_PLACE = pattern("only_place")
_REASON = pattern("reason")
_REMARK = pattern("remark")
_WHEN = pattern("when")
_WITH_OR_IN = pattern("with_or_in")
_PREDICATE = pattern("predicate")
_GOES_ON = pattern("goes_on")
_NAMES = re.compile(r"\w [A-Z]|^[A-Z][a-z]*[A-Z]")  # a capital within a sentence
_QUOTES = re.compile(r"[`\"“]|\B'")
_SMALL_WORD = pattern("small_word")


def _phrases(text: str, clause: Clause, starts: list[int], ends: list[int]) -> list[str]:
    """Return the phrases of a clause, without the words that it opens with; all starts and ends are given."""
    begin, end = clause.core
    rows = range(bisect_right(ends, begin), bisect_left(starts, end))
    return [text[max(starts[row], begin) : min(ends[row], end)] for row in rows]


def _remarks(phrases: list[str]) -> list[list[int]]:
    """Return runs of phrases that only explain the text before them: each up to one that goes on."""
    runs: list[list[int]] = []
    inside = False
    for number, phrase in enumerate(phrases):
        behind_comma = number > 0 and phrases[number - 1].rstrip().endswith((",", ")", "-", "–", "—"))
        if inside and not (behind_comma and _GOES_ON.match(phrase)):
            runs[-1].append(number)
            continue
        inside = number > 0 and bool(_REASON.match(phrase) or (behind_comma and _REMARK.match(phrase)))
        if inside:
            runs.append([number])
    return runs


def _is_circumstance(phrase: str) -> bool:
    """Whether a phrase only says where or when; the verb of its sentence may follow a preposition."""
    return bool(_WHEN.match(phrase) or (_WITH_OR_IN.match(phrase) and not _PREDICATE.search(phrase)))


def _without(text: str, parts: tuple[str, ...]) -> str:
    for part in parts:
        text = text.replace(part, "")
    return text
