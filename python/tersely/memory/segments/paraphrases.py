"""Shorter forms of an agent's notes by rules, without a model: where it is, what is done, wrong, decided."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tersely.memory.segments.clauses import Role, capitalized, stripped
from tersely.memory.segments.presence import anchors, says
from tersely.memory.segments.reading import Reading, read

__all__ = ["PARAPHRASES", "Paraphrase", "paraphrase"]

_VERB = re.compile(
    r"\b(editing|debugging|writing|testing|reviewing|refactoring|investigating|implementing)\b", re.IGNORECASE
)
_BECAUSE = re.compile(r",?\s+(?:because|since|as|due to the fact that|for the reason that)\s+", re.IGNORECASE)
_IT_IS = re.compile(
    r"^(?:it['’]s|it is|it was|it will be|it has|they are|they['’]re|this is|that is)\s+(?:also\s+)?",
    re.IGNORECASE,
)
_DECIDED = re.compile(
    r"^.*?\b(?:decided(?: that| on)?(?: we should| to)?|decision(?: is| was)?(?: to)?:?"
    r"|agreed (?:to|on)|chose|opted for|settled on|going with|we['’]ll go with)\s+",
    re.IGNORECASE | re.DOTALL,
)
_REASONS = re.compile(r"(?:,\s+(?:and\s+)?|\s+and\s+)(?:it['’]s\s+|is\s+|also\s+)*", re.IGNORECASE)
_ONLY_PLACE = re.compile(
    r"^(?:edit\w*|work\w*|at|in|on|reached|file|line|the|function|method|of|is|now|currently|where|defined|\W)*$",
    re.IGNORECASE,
)


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


def active_state(reading: Reading) -> str:
    """ "Editing src/auth.py:45, authenticate_user(). Fixed X. Current: Y." """
    done = [capitalized(_short(text)) for text in reading.done]
    return _sentences([_head(reading), *done, _current(reading, brief=True)])


def progress(reading: Reading) -> str:
    """ "Done: X. Next: Y." """
    done, ahead = map(_short, reading.done), [_short(text) for text in reading.next]
    if not ahead and reading.active:
        ahead = [_short(reading.active[-1])]
    return _sentences([_listed("Done", list(done)), _listed("Next", ahead)])


def error(reading: Reading) -> str:
    """ "Error: 'message' at path:line in function()." The message is the source's, to the letter."""
    if reading.error is None:
        return ""
    place = reading.error_place
    message = " ".join(reading.error.split())
    message = f"'{message}'" if reading.error_exact and "'" not in message else message
    function = reading.error_function
    where = f" at {place}" if str(place) else ""
    return f"Error: {message}{where}{f' in {function}()' if function else ''}."


def decision(reading: Reading) -> str:
    """ "Decision: X (reason, reason)." What was not chosen is left out."""
    decided = [clause.text for clause in reading.clauses if clause.role is Role.DECISION]
    return _sentences([f"Decision: {_chosen(text)}" for text in decided[-3:]])


def _state(reading: Reading, brief: bool = False) -> str:
    """All four, nothing said twice. `brief`: of what was done, only what no other part says the facts of."""
    head, current, ahead = _head(reading), _current(reading, brief), [_short(text) for text in reading.next]
    done = [_short(text) for text in reading.done]
    if brief:
        done = _telling(done)
    wrong = error(reading)
    if reading.error is not None and not str(reading.error_place) and says(" ".join(done), reading.error):
        wrong = ""
    parts = [head, _listed("Done", done), wrong, decision(reading), current, _listed("Next", ahead)]
    return _sentences(parts)


def _brief(reading: Reading) -> str:
    return _state(reading, brief=True)


def _telling(texts: list[str]) -> list[str]:
    """The texts with numbers, paths and names that those before them lack; the last where none has any."""
    told: set[str] = set()
    found = []
    for text in texts:
        if new := set(anchors(text)) - told:
            told |= new
            found.append(text)
    return found or texts[-1:]


#: The rules by name; "state" is all four, "brief" the same with less of what was done.
PARAPHRASES: dict[str, Callable[[Reading], str]] = {
    "active_state": active_state,
    "progress": progress,
    "error": error,
    "decision": decision,
    "state": _state,
    "brief": _brief,
}


def paraphrase(
    text: str, strategy: str = "state", *, file_path: str | None = None, line_number: int | None = None
) -> Paraphrase:
    """Say what an agent's note says about the state of its work, in fewer words, by rules for English.

    `strategy`: a name of `PARAPHRASES`. `file_path`, `line_number`: where the work is, if the text does not
    say. Deterministic; O(characters). Raises ValueError for an unknown strategy.
    """
    if strategy not in PARAPHRASES:
        raise ValueError(f"strategy must be one of {', '.join(PARAPHRASES)}, not {strategy!r}")
    written = PARAPHRASES[strategy](read(text, file_path, line_number))
    return Paraphrase(written, ((0, len(written)),) if written else (), strategy)


def _head(reading: Reading) -> str:
    """ "Editing src/auth.py:45, authenticate_user()"; "" where nothing is said to be current."""
    if not reading.active or not (str(reading.now) or reading.now_function):
        return ""
    verb = _VERB.search(" ".join(reading.active))
    function = f"{reading.now_function}()" if reading.now_function else ""
    place = ", ".join(part for part in (str(reading.now), function) if part)
    return f"{capitalized(verb.group().lower()) if verb else 'Working on'} {place}"


def _current(reading: Reading, brief: bool) -> str:
    """What is current, and more than a place; `brief`: only the last of it, unless others have facts."""
    known = [
        str(part) for part in (reading.now.path, reading.now_function, reading.now.line) if part is not None
    ]
    tasks = []
    for task in reading.active:
        rest = task
        for part in known:
            rest = rest.replace(part, "")
        if not _ONLY_PLACE.match(rest):
            tasks.append(task)
    if brief:
        told = {*known, *(anchor for task in tasks[-1:] for anchor in anchors(task))}
        tasks = [task for task in tasks[:-1] if set(anchors(task)) - told] + tasks[-1:]
    return _listed("Current", [_short(task) for task in tasks])


def _chosen(text: str) -> str:
    """A decision with its reasons in brackets."""
    what, *reasons = _BECAUSE.split(_DECIDED.sub("", stripped(text)), maxsplit=1)
    if not reasons:
        return _short(what)
    shorter = _REASONS.sub(", ", _IT_IS.sub("", " ".join(reasons[0].split())))
    return f"{_short(what)} ({shorter})"


def _short(text: str) -> str:
    return " ".join(stripped(text, inner=True).split())


def _listed(label: str, texts: list[str]) -> str:
    once: list[str] = []
    for text in texts:
        if text and not any(says(other, text) for other in once):
            once.append(text)
    return f"{label}: {'; '.join(once)}" if once else ""


def _sentences(parts: list[str]) -> str:
    return " ".join(part if part.endswith((".", "!", "?", "...")) else f"{part}." for part in parts if part)
