"""Check that a shorter text still states the fields to preserve, and put missing ones in front."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

from tersely import checks
from tersely.checks import brief
from tersely.engine.facts import facts_after
from tersely.memory.segments.agreement import (
    DENIES,
    contradictions,
    exact_words,
    has_word,
    term_lists,
    word_tokens,
)
from tersely.memory.segments.claims import (
    in_one_form,
    made_up_words,
    other_units,
    read_changes,
    turned_changes,
    turned_states,
)
from tersely.memory.segments.clauses import Role, read_clauses, without_alternative
from tersely.memory.segments.reading import (
    FORBIDS_AT_START,
    Reading,
    read_segment,
    says,
    says_line,
    start_of,
)
from tersely.memory.segments.segment import ContextSegment, metadata_values
from tersely.memory.segments.words import pattern
from tersely.types import FactKind

#: Preserved whatever a caller asks for.
PRESERVE_ALWAYS = ["file_path", "line_number", "function_name", "active_task", "last_error", "error_location",
                   "progress_state"]  # fmt: skip
#: Preserved as well where the active state is.
RECENCY_METADATA = ["current_file", "cursor_position", "recent_changes", "pending_work"]
#: Preserved as well where a caller does not say.
DEFAULT_PRESERVE_METADATA = ["file_path", "line_number", "active_state"]


def shared_terms(text: str, value: str) -> float:
    """Return the share in [0, 1] of a value's terms (folded, stemmed, no stop words) that `text` has; 1.0 for
    a value without any. O(characters)."""
    there, wanted = map(set, term_lists([text, value]))
    return _share(wanted, there)


def _share(wanted: Set[str], there: Set[str]) -> float:
    return len(wanted & there) / len(wanted) if wanted else 1.0


# --- the fields ----------------------------------------------------------------------------------------


def _join(parts: Sequence[str]) -> str | None:
    return "; ".join(parts) or None


def _progress(reading: Reading) -> str | None:
    done, ahead = _join(reading.said(Role.DONE)), _join(reading.said(Role.NEXT))
    return "; ".join([*([f"done: {done}"] if done else []), *([f"next: {ahead}"] if ahead else [])]) or None


_Reader = Callable[[ContextSegment, Reading], Any]
#: field -> (label in front of a text, how it is read). "error" is another name of last_error.
FIELDS: dict[str, tuple[str, _Reader]] = {
    "file_path": ("File", lambda segment, reading: reading.place.path),
    "line_number": ("Line", lambda segment, reading: reading.place.line),
    "active_state": ("State", lambda segment, reading: _join(reading.said(Role.ACTIVE))),
    "function_name": ("Function", lambda segment, reading: reading.place.function),
    "active_task": ("Task", lambda segment, reading: _join(reading.said(Role.ACTIVE)[-1:])),
    "last_error": ("Error", lambda segment, reading: reading.error),
    "error_location": ("Error at", lambda segment, reading: str(reading.error_place) or None),
    "progress_state": ("Progress", lambda segment, reading: _progress(reading)),
    "current_file": ("Current file", lambda segment, reading: reading.now.path),
    "cursor_position": (
        "Cursor",
        lambda segment, reading: str(reading.now) if reading.now.line is not None else None,
    ),
    "recent_changes": ("Changes", lambda segment, reading: _join(reading.said(Role.DONE))),
    "pending_work": ("Pending", lambda segment, reading: _join(reading.said(Role.NEXT))),
    "decision": ("Decision", lambda segment, reading: _join(reading.said(Role.DECISION))),
    "topic": ("Topic", lambda segment, reading: segment.metadata.topic),
    "timestamp": ("Time", lambda segment, reading: segment.metadata.timestamp.isoformat()),
}
_ALIASES = {"error": "last_error"}
_PLACES = ("cursor_position", "error_location")
_OF_THE_TEXT = ("file_path", "line_number", "function_name", "current_file", *_PLACES)
_TO_THE_LETTER = ("file_path", "line_number", "function_name", "current_file", "topic", "timestamp")


def fields_to_preserve(
    preserve_metadata: Sequence[str] | None = None, preserve_active_state: bool = True
) -> list[str]:
    """List the fields that a compression has to keep, each once.

    PRESERVE_ALWAYS; then `preserve_metadata` (None: DEFAULT_PRESERVE_METADATA; []: nothing more); then, where
    `preserve_active_state`, "active_state" and RECENCY_METADATA. Raises ValueError for an unknown field.
    """
    asked = DEFAULT_PRESERVE_METADATA if preserve_metadata is None else preserve_metadata
    names = _checked_fields(asked, "preserve_metadata")
    recent = ["active_state", *RECENCY_METADATA] if preserve_active_state else []
    return list(dict.fromkeys([*PRESERVE_ALWAYS, *names, *recent]))


def _checked_fields(names: Sequence[str], argument: str) -> list[str]:
    allowed = [*FIELDS, *_ALIASES]
    found = [checks.one_of(name, argument, allowed) for name in checks.texts(names, argument)]
    return [_ALIASES.get(name, name) for name in found]


def extract_preserved_metadata(
    segment: ContextSegment, preserve_list: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the known fields of a segment among `preserve_list` (None: `fields_to_preserve()`), by name.

    Values are read by patterns (English words for the state, any language for paths, lines and code) and are
    pieces of the text, joined with "; "; line numbers are int. If the text does not name the file or line,
    they are taken from the segment's metadata. O(characters).
    """
    reading = read_segment(segment)
    names = fields_to_preserve() if preserve_list is None else list(preserve_list)
    _checked_fields(names, "preserve_list")
    return field_values(segment, reading, names)


def field_values(segment: ContextSegment, reading: Reading, names: Sequence[str]) -> dict[str, Any]:
    """Read the fields of these names from what was read of the segment already."""
    values = {name: FIELDS[_ALIASES.get(name, name)][1](segment, reading) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def inject_preserved_metadata(compressed_text: str, metadata: Mapping[str, Any]) -> str:
    """Put "[File: X, Line: N, State: S] " in front of a text, with the fields that the text lacks.

    A value of None is left out, 0 is not. A value whose words an earlier value already has (the current file
    after the file) is not repeated. Unknown fields have their name as label. O(characters x fields).
    """
    parts: list[str] = []
    for name in dict.fromkeys([*FIELDS, *metadata]):
        value = metadata.get(name)
        if value is None or value == "" or states(compressed_text, name, value):
            continue
        if name != "line_number" and says(", ".join(parts), str(value)):
            continue
        label = FIELDS[name][0] if name in FIELDS else name
        parts.append(f"{label}: {' '.join(str(value).split())}")
    return f"[{', '.join(parts)}] {compressed_text}" if parts else compressed_text


def metadata_to_state(segment: ContextSegment, text: str, fields: Sequence[str]) -> dict[str, Any]:
    """Return what of the `fields` only the segment's metadata knows, so that it has to be put in front of a
    text: file and line that neither the original nor `text` states, topic and time that `text` does not."""
    return {
        name: value
        for name, value in metadata_values(segment).items()
        if value is not None
        and name in fields
        and not states(text, name, value)
        and (name in ("topic", "timestamp") or not states(segment.text, name, value))
    }


def states(text: str, name: str, value: Any) -> bool:
    """Say whether a text states the value of a field to the letter; a line number must be called one, and a
    place may be told as its file and its line."""
    if name == "line_number" and isinstance(value, int):
        return says_line(text, value)
    if says(text, str(value)):
        return True
    path, _, line = str(value).rpartition(":")
    return name in _PLACES and (not path or says(text, path)) and says_line(text, line)


# --- the check -----------------------------------------------------------------------------------------

_ENOUGH_WORDS = 0.25  # of a value's terms, beside all its numbers, paths and names
_ABOUT, _RULE = (
    0.5,
    0.6,
)  # share of a clause's terms that is said, where it is not left out; and of a prohibition's
_SUBJECTS = 12  # most frequent terms of a text: what it is about
_LONGEST_FRONT = 1_000  # characters
_FRONTS = tuple(f"[{label}: " for label, _ in FIELDS.values())
_FORBIDDEN, _AIM = pattern("forbidden"), pattern("aim")
_DIGIT = re.compile(r"\d")
_MOST_RULES = 100  # rules and changes may be said in other words; more of them to the letter only
_UNDERSTOOD = (Role.DONE, Role.ACTIVE, Role.NEXT, Role.DECISION)
_STATEMENTS = (FactKind.QUOTE, FactKind.NEGATION, FactKind.DECISION, FactKind.ERROR)
_SAID = {  # of what they say there may be several clauses
    "progress_state": (Role.DONE, Role.NEXT),
    "recent_changes": (Role.DONE,),
    "pending_work": (Role.NEXT,),
    "active_state": (Role.ACTIVE,),
}


@dataclass(frozen=True, slots=True)
class PreservedItem:
    """A field, and whether it was kept."""

    #: one of FIELDS; "constraint", what must not be done; or "content", the terms that the whole original
    #: uses most
    name: str
    value: Any  #: what the original says
    outcome: str  #: "kept", "lost", or "in part" (some of several clauses are lost; `dropped` lists them)
    #: the lost numbers, paths and names of the value, in small letters, or the whole value that has to stay
    #: to the letter; empty if only words are lost
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DroppedFact:
    """A thing that a short form leaves out: a number, path or name, or a statement: one that quotes, denies
    or decides, or another clause.
    """

    text: str  #: as the original has it; words in small letters
    #: "background", of a clause that tells nothing of what is done, current, next, wrong or decided; "older",
    #: of one that newer ones of its kind follow
    reason: str


@brief
@dataclass(frozen=True, slots=True)
class PreservationReport:
    """Lists the fields that a compressed text kept, lost and made up."""

    items: tuple[PreservedItem, ...]  #: each field that the original has, in the order of the fields
    #: numbers, units, dates, versions, paths, URLs, identifiers and words that the original does not have, in
    #: any form
    unsupported: tuple[str, ...]
    #: clauses of the text that contradict the original, and changes ("500 to 401") that it reverses
    contradicted: tuple[str, ...] = ()
    dropped: tuple[DroppedFact, ...] = ()  #: what the text leaves out of the original without being refused

    @property
    def kept(self) -> list[str]:
        """Fields that the text still states, all of each."""
        return [item.name for item in self.items if item.outcome == "kept"]

    @property
    def lost(self) -> list[str]:
        """Fields that it does not."""
        return [item.name for item in self.items if item.outcome == "lost"]

    @property
    def missing(self) -> list[str]:
        """The numbers, paths and names that are gone, each once."""
        return list(dict.fromkeys(text for item in self.items for text in item.missing))

    @property
    def passed(self) -> bool:
        """Whether nothing was lost, nothing made up and nothing turned round."""
        return not (self.lost or self.unsupported or self.contradicted)


def check_preserved(
    segment: ContextSegment, compressed_text: str, fields: Sequence[str] | None = None
) -> PreservationReport:
    """Check that a short text states the `fields` and decisions of a segment, and adds or changes nothing.

    - File and line are those that the segment's text names, not those of its metadata. A file, line,
      function, error message, topic or time must be in the short text literally, except for case and white
      space.
    - A clause (task, progress, ...) is kept if the short text has all its numbers, paths and identifiers, and
      a quarter of its terms.
    - "constraint": what must not be done ("Do not restart ...") is kept if a clause forbids as much.
    - "facts", if no clause of a note was understood: each number, path and name must be there.
    - "content" is kept if the short text has a quarter of the segment's most frequent terms, so that a text
      that keeps nothing does not pass.

    `unsupported` lists what the short text makes up: numbers, units, names and words that the segment has in
    no form. `contradicted` lists clauses that deny, exchange or call done what the segment does not: the line
    of the error for that of the work, a "not" too many, unfinished work under "Done".

    A missing part counts for the first field that has it: a lost path loses "file_path", not the task that
    names the file. O(characters x fields).
    """
    names = fields_to_preserve() if fields is None else list(fields)
    source = read_segment(segment)
    _checked_fields(names, "preserve_list")
    return compare(segment, source, compressed_text, names)


def compare(
    segment: ContextSegment, source: Reading, compressed_text: str, fields: Sequence[str]
) -> PreservationReport:
    """Check the same with what was read of the segment already, `source`."""
    original, short = in_one_form(segment.text, words=True), in_one_form(compressed_text)
    own_words = compressed_text[_front_end(compressed_text) :]
    items = [*_fields(segment, source, short, fields), *_constraints(source, short)]
    there = word_tokens(short)
    told = ", ".join([str(value) for value in metadata_values(segment).values() if value is not None])
    unsupported = _missing(word_tokens(f"{original}\n{told}"), short)
    dropped: list[DroppedFact] = []
    contradicted: list[str] = []
    if source.is_note:
        dropped = _dropped(source, short)
        gone = {
            one.text for one in dropped if len(_missing(there, one.text)) == len({*exact_words(one.text)})
        }
        items = [
            replace(item, outcome="in part")
            if item.outcome == "kept"
            and any(gone & {*source.said(role)} for role in _SAID.get(item.name, ()))
            else item
            for item in items
        ]
        if unread := tuple([one.text for one in dropped if not one.reason]):
            items.append(PreservedItem("facts", ", ".join(unread), "lost", unread))
        front = _front_end(short)
        form = in_one_form(f"{short[:front]}\n\n{short[front:]}", words=True)
        changes, others = read_changes(original), read_changes(form)
        rest = form  # without changes that the note tells in another way
        for words in [said for one, said in others.items() if changes.get(one, said) != said][:_MOST_RULES]:
            rest = rest.replace(words, " ")
        contradicted = contradictions(f"{original}\n\n{told}", rest)
        contradicted += turned_changes(changes, others)
        contradicted += turned_states(source, read_clauses(short[front:]))
        unsupported += other_units(original, form) + made_up_words(f"{segment.text} {told}", own_words)
    mine, theirs = term_lists([segment.text, own_words])
    about = [term for term, _ in Counter(mine).most_common(_SUBJECTS)]
    is_about = (
        _share(set(about), set(theirs)) >= _ENOUGH_WORDS if about else says(segment.text, compressed_text)
    )
    items.append(PreservedItem("content", ", ".join(about), "kept" if is_about else "lost"))
    return PreservationReport(
        tuple(items),
        tuple(dict.fromkeys(unsupported)),
        tuple(dict.fromkeys(contradicted)),
        tuple([one for one in dropped if one.reason]),
    )


def _fields(
    segment: ContextSegment, source: Reading, text: str, fields: Sequence[str]
) -> list[PreservedItem]:
    """Check the fields that the segment's text has; what several of them lack counts for the first one."""
    values = field_values(segment, source, list(dict.fromkeys([*fields, "decision"])))
    values = {  # not what only the metadata knows
        name: value
        for name, value in values.items()
        if name not in _OF_THE_TEXT or states(segment.text, name, value)
    }
    wholes = [
        _plain(without_alternative(value) if name == "decision" else str(value))
        for name, value in values.items()
    ]
    terms, there = set(term_lists([text])[0]), word_tokens(text)
    items, known = [], set[str]()  # what a field has lost already
    rows = zip(values.items(), wholes, map(set, term_lists(wholes)), strict=True)
    for (name, value), whole, words in rows:
        is_exact = name in _TO_THE_LETTER or (name == "last_error" and source.error_exact)
        by_letter = is_exact or name in _PLACES
        if by_letter:
            is_said = states(text, name, whole if isinstance(value, str) else value)
            missing = [] if is_said else [whole] if is_exact else _missing(there, whole)
        else:
            missing = _missing(there, whole)
            is_said = _share(words, terms) >= _ENOUGH_WORDS
        gone = {word.casefold() for word in missing}
        is_reported = bool(gone) and gone <= known  # for another field: the other words decide
        kept = (is_said or (by_letter and is_reported)) and (is_reported or not gone)
        items.append(PreservedItem(name, value, "kept" if kept else "lost", tuple(missing)))
        known |= gone
    return items


def _constraints(source: Reading, text: str) -> list[PreservedItem]:
    """Check what must not be done: a clause has to forbid as much."""
    rules = list(source.rules)
    for fact in source.facts if source.is_note else ():  # what the native finder sees forbidden
        forbids = fact.kind is FactKind.OBLIGATION and DENIES.search(_AIM.sub("", fact.text))
        if forbids or (fact.kind is FactKind.NEGATION and FORBIDS_AT_START.match(fact.text)):
            rules.append(fact.text)
    rules = list(dict.fromkeys(rules))
    said = [clause.text for clause in read_clauses(text)] if rules else []
    wholes = [_plain(rule) for rule in rules]
    terms = list(map(set, term_lists([*said, *wholes])))
    clauses = list(zip(said, terms, strict=False))
    items = []
    there, rows = word_tokens(text), zip(rules, wholes, terms[len(said) :], strict=True)
    for number, (rule, whole, words) in enumerate(rows):
        missing = _missing(there, whole)
        stated = says(text, whole)
        if not (stated or missing) and number < _MOST_RULES:
            about = [clause for clause, there in clauses if _share(words, there) >= _RULE]
            stated = any(map(_FORBIDDEN.search, about))
        items.append(PreservedItem("constraint", rule, "kept" if stated else "lost", tuple(missing)))
    return items


def _plain(text: str) -> str:
    return in_one_form(text) if _DIGIT.search(text) else text


def _missing(there: Collection[str], value: str) -> list[str]:
    """Return the numbers, paths and names of a value that the `word_tokens` of a text lack."""
    return [word for word in dict.fromkeys(exact_words(value)) if not has_word(there, word)]


def _dropped(source: Reading, text: str) -> list[DroppedFact]:
    """List what the note's own sentences state and a text does not: exact words; what they quote, deny or
    decide; clauses of whose terms it has less than half. The reason of exact words is "" where no clause of
    the note was understood, so that nothing is known to matter less."""
    own = [clause for clause in source.clauses if not clause.is_pasted]
    understood = any(clause.role in _UNDERSTOOD for clause in own)
    words, statements, there = dict[str, str](), dict[str, str](), word_tokens(text)
    gone: list[list[str]] = [[] for _ in own]
    for fact in facts_after([source.text], text).of("lost"):
        at = bisect_left(own, fact.start + 1, key=start_of) - 1
        if fact.kind in _STATEMENTS and at >= 0 and fact.start < own[at].end:
            gone[at].append(fact.text)
    said, *every = map(set, term_lists([text, *[one.message for one in own]]))
    for clause, terms, lost in zip(own, every, gone, strict=True):
        why = "older" if clause.role in (*_UNDERSTOOD, Role.ERROR) else "background"
        for word in exact_words(in_one_form(clause.text)):
            if not has_word(there, word):
                words.setdefault(word, why if understood else "")
        for told in (*lost, *([clause.message] if _share(terms, said) < _ABOUT else ())):
            statements.setdefault(told, why)
    return [DroppedFact(*one) for one in (*words.items(), *statements.items())]


def _front_end(text: str) -> int:
    """Return where the text begins behind the prefix of `inject_preserved_metadata`."""
    end = text.find("] ", 0, _LONGEST_FRONT)
    return end + 2 if end > 0 and text.startswith(_FRONTS) else 0
