"""Write shorter forms of an agent's notes by rules, without a model: where it is, what is done, wrong, next.

Paths, numbers, names, messages and clauses of a form are pieces of the note; labels ("Done:") and order are
the rules'. What a form has no room for, an extract by the engine has (shortening.py).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from tersely import checks
from tersely.engine.reading import segment as cut_up
from tersely.memory.segments.agreement import DENIES, exact_words, term_lists
from tersely.memory.segments.clauses import Role, capitalized, without_alternative, without_filler
from tersely.memory.segments.reading import Place, Reading, read, said_values, says
from tersely.memory.segments.words import pattern
from tersely.types import Level


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """A text that rules wrote."""

    text: str  #: "" where the source says nothing of the kind
    #: (start, end) of what was written, as in `tersely.Compressed.generated`: all of it
    generated: tuple[tuple[int, int], ...]
    strategy: str  #: which rules wrote it


#: The rules by name: "state" is the four before it.
PARAPHRASES = ("active_state", "progress", "error", "decision", "state")
# How much is left out, each with what is left out before it: remarks and small words; labels; older work;
# what only says where and when; later steps.
_NOTHING, _REMARKS, _LABELS, _OLDER, _CIRCUMSTANCES, _LATER = LEVELS = range(6)
_TELLING = 3  # terms of work that says what was done, not only that something was ("Added a check")


def paraphrase(
    text: str, strategy: str = "state", *, file_path: str | None = None, line_number: int | None = None
) -> Paraphrase:
    """Shorten an agent's note about the state of its work by rules for English.

    `strategy`: a name of `PARAPHRASES`. If the result would not be shorter than the text, remarks and
    circumstances are left out, too. `file_path` and `line_number` are used if the text names no file.
    Deterministic; O(characters). Raises ValueError for another strategy.
    """
    checks.one_of(strategy, "strategy", PARAPHRASES)
    reading = read(text, file_path, line_number)
    forms = (Form(reading, level).text(strategy) for level in LEVELS)
    shorter = next((form for form in forms if len(form) < len(text)), None)
    written = Form(reading).text(strategy) if shorter is None else shorter
    return Paraphrase(written, ((0, len(written)),) if written else (), strategy)


_VERB, _ONLY_PLACE, _SMALL_WORD = pattern("verb"), pattern("only_place"), pattern("small_word")
_DECIDED, _BECAUSE, _IT_IS = pattern("decided"), pattern("because"), pattern("it_is")
_REASONS = pattern("reasons")
_REASON, _REMARK, _GOES_ON = pattern("reason"), pattern("remark"), pattern("goes_on")
_CIRCUMSTANCE = pattern("circumstance")
_QUOTES = re.compile(r"[`\"“]|\B'")
_BEHIND = re.compile(r"[,)–—-]\s*$")
_NAMES = re.compile(r"\w [A-Z]|^[A-Z][a-z]*[A-Z]")  # a capital within a sentence


@dataclass(frozen=True)
class Form:
    """A shorter form of a note, without what a level of LEVELS leaves out: never a number, path or "not"."""

    reading: Reading
    level: int = _NOTHING

    def text(self, strategy: str = "state") -> str:
        """Write the form by one of the PARAPHRASES. O(characters)."""
        reading, done, ahead, doing = self.reading, *map(self._said, (Role.DONE, Role.NEXT, Role.ACTIVE))
        if strategy == "error":
            return _error(reading, reading.error_place)
        decided = _sentences([f"Decision: {_chosen(one.message)}" for one in reading.last[Role.DECISION]])
        if strategy == "decision":
            return decided
        if strategy == "progress":
            return _sentences([_list("Done", done), _list("Next", ahead or doing[-1:])])
        if strategy == "active_state":
            return self._with_place([*map(capitalized, done), _list("Current", doing)])
        place = reading.error_place
        told = not str(place) and says(" ".join(done), reading.error or "")
        finished, error, task = [_list("Done", done)], "" if told else _error(reading, place), ""
        if self.level >= _LABELS and self._head:
            if not any(clause.label for clause in reading.last[Role.DONE]):
                finished = [*map(capitalized, done)]
            if place.line and place.path == reading.now.path and not told:
                error = _error(reading, Place(None, place.line))
            task, doing = _list("", doing), []
            error = error.removeprefix("Error: ") if reading.error_exact else error
        parts = [*finished, error, decided, _list("Current", doing), _list("Next", ahead)]
        return self._with_place(parts, task)

    @cached_property
    def _head(self) -> list[str]:
        """Path, function and line of the work, where the note says that it is there."""
        here = (self.reading.now.path, self.reading.now.function, self.reading.now.line)
        return [str(part) for part in here if part is not None] if self.reading.last[Role.ACTIVE] else []

    def _said(self, role: Role) -> list[str]:
        """Return what the last clauses of a role say, without what the level leaves out."""
        clauses = self.reading.last[role]
        newest = clauses[:1] if role is Role.NEXT else clauses[-1:]
        if role is Role.DONE:
            terms = zip(clauses, term_lists([clause.message for clause in clauses]), strict=True)
            newest = [clause for clause, said in terms if len(said) >= _TELLING][-1:] or newest
        found, older = [], _LATER if role is Role.NEXT else _OLDER
        for clause in clauses:
            stays = (clause in newest and role is Role.ACTIVE) or DENIES.search(clause.message)
            here = self._head if role is Role.ACTIVE else []
            text = without_filler(self._shortened(clause.message, not stays, here)).strip(" ,;:–—-")
            if self.level >= older and clause not in newest and _says_little(_without(text, here)):
                continue
            if self.level >= _REMARKS and not _QUOTES.search(text):
                text = _SMALL_WORD.sub("", text)
            found += [text] if text else []
        return found

    def _shortened(self, text: str, circumstances: bool, here: list[str]) -> str:
        """Return a clause without its remarks, and without `circumstances`, where the level leaves them out,
        nor what only says that it is `here`."""
        table = cut_up([text], Level.CLAUSE)
        phrases = [
            text[start:end] for start, end in zip(table.start.tolist(), table.end.tolist(), strict=True)
        ]
        kept, inside = [], False
        for before, phrase in pairwise(["", *phrases]):
            if here and _ONLY_PLACE.match(_without(phrase, here)):
                continue
            comma = bool(_BEHIND.search(before))
            inside = inside and not (comma and _GOES_ON.match(phrase))
            inside = inside or bool((before and _REASON.match(phrase)) or (comma and _REMARK.match(phrase)))
            gone = (self.level >= _REMARKS and inside) or (
                self.level >= _CIRCUMSTANCES and circumstances and _CIRCUMSTANCE.match(phrase)
            )
            if not (before and gone and _says_little(phrase) and not _NAMES.search(phrase)):
                kept.append(phrase)
        return " ".join(kept)

    def _with_place(self, parts: list[str], task: str = "") -> str:
        """Put the place of the work, with the task there, before the parts."""
        reading, head = self.reading, ""
        if self._head:
            verb = _VERB.search(" ".join(reading.said(Role.ACTIVE)))
            doing = capitalized(verb.group().lower()) if verb else "Working on"
            head = f"{doing} {_place(reading.now, reading.now.function)}{task and ';'}{task[1:]}"
        summary, here = _sentences([head, *parts]), reading.place
        path, line, function = here.path or "", str(here.line), reading.place.function or ""
        stated = said_values(summary, [path, line, function])
        if path in stated and (here.line is None or line in stated):
            here = Place(None, None)
        where = _place(here, None if function in stated else reading.place.function)
        if head and where:
            return f"{summary} Also: {where}."  # perhaps of another file
        return f"At {where}: {summary}" if summary and where else summary


# --- the parts of a form -------------------------------------------------------------------------------


def _says_little(text: str) -> bool:
    """Say whether a text has no number, path, identifier or quotation, and denies nothing."""
    return not (exact_words(text) or DENIES.search(text) or _QUOTES.search(text))


def _error(reading: Reading, place: Place) -> str:
    """Write "Error: 'message' at path:line in function()."; the message is the source's, to the letter."""
    if reading.error is None:
        return ""
    function, path, line = reading.error_place.function or "", place.path or "", str(place.line)
    message = " ".join(reading.error.split())
    message = f"'{message}'" if reading.error_exact and "'" not in message else message
    stated = said_values(message, [path, line])
    if place.line is not None and line in stated:
        place = Place(place.path, None)
    if place.line is not None or path not in stated:
        message += f" at {place}"
    return f"Error: {message}." if says(message, function) else f"Error: {message} in {function}()."


def _chosen(text: str) -> str:
    """Write a decision with its reasons in brackets, without the rejected choice."""
    text = without_alternative(" ".join(text.split()))
    match = _DECIDED.search(text)
    what, *reasons = _BECAUSE.split(text[match.end() :] if match else text, maxsplit=1)
    if not reasons:
        return without_filler(what)
    shorter = _REASONS.sub(", ", _IT_IS.sub("", reasons[0]))
    return f"{without_filler(what).rstrip(',')} ({shorter})"


def _place(place: Place, function: str | None) -> str:
    return ", ".join(filter(None, (str(place), f"{function}()" if function else "")))


def _list(label: str, texts: list[str]) -> str:
    texts = [text for at, text in enumerate(texts) if not any(says(one, text) for one in texts[:at])]
    return f"{label}: {'; '.join(texts)}" if texts else ""


def _without(text: str, parts: list[str]) -> str:
    for part in parts:
        text = text.replace(part, "")
    return text


def _sentences(parts: list[str]) -> str:
    return " ".join([part if part.endswith((".", "!", "?", "...")) else f"{part}." for part in parts if part])
