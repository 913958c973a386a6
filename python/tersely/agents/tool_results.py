"""Compress the result of a tool to a token budget, by a call, a decorator or in a history.

The same types come back.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Awaitable, Callable, Collection, Container, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, compress
from typing import TYPE_CHECKING, Any, TypeVar, overload

from tersely import checks
from tersely.cache import BoundedCache, digest_of
from tersely.checks import brief
from tersely.documents import value_of
from tersely.engine.api import compress_in
from tersely.engine.reading import count, count_batch, found_in
from tersely.engine.strategies import with_required
from tersely.errors import BudgetExceededError
from tersely.memory.excerpts import hints_of
from tersely.memory.messages import (
    MessageReader,
    Path,
    Piece,
    calls_of,
    is_list,
    plain,
    read_messages,
    read_result,
    to_json,
)
from tersely.memory.writing import REMOVED, Rows, with_texts
from tersely.models.counters import resolve_counter
from tersely.text import TOO_DEEP, decode, well_formed
from tersely.types import Compressed, Document, Frame

if TYPE_CHECKING:
    from tersely.store import Store

T = TypeVar("T")

BUDGET = 2000  # tokens of a result

#: Tools that read files, which may be edited next: of Claude Code, Gemini CLI, Codex, Cursor, Cline,
#: opencode, pi, OpenClaw, Hermes, Anthropic's text editor, LangChain, MCP's file system. A prefix
#: "mcp__server__" is passed over.
FILE_READERS = frozenset(
    {"Read", "NotebookRead", "NotebookEdit", "ReadFile", "read", "read_file", "read_many_files",
     "read_text_file", "read_multiple_files", "view", "view_file", "open_file", "str_replace_editor",
     "str_replace_based_edit_tool", "text_editor"}
)  # fmt: skip
_MAY_SHRINK = ("result", "records", "rows")  # kinds of pieces
_ID_DIGITS = 16  # of an original: hexadecimal digits of its digest
_EXPANDS = re.compile(r"(?:^|[;&|]\s*)tersely expand ")  # a command whose output is wanted whole
_LONG = 200  # characters: shorter texts are touched only where that does not do
_PROBLEMS = {
    "not_text": "it is no text",
    "unknown_shape": "it has no shape that is known",
    "not_taken": "a shorter one would not be taken in its place",
    "failed": "",
}
_GONE = "…"  # stands where nothing of a text is left: models refuse empty blocks


@brief
@dataclass(frozen=True, slots=True)
class ToolResultReport:
    """Report on the compression of a tool's result."""

    #: "compressed"; "repeated" (a reference stands for the result); or, if the result is unchanged: "fits",
    #: "kept" (the caller named the tool, or it reads files, or expands what was stored), "unknown_shape",
    #: "not_text" (bytes that are no text, data nested too deeply), "failed" (an error that must not stop the
    #: agent), "not_taken" (the agent accepts no shorter result here)
    status: str
    tokens: int  #: with `original_tokens`: tokens of its texts and data; 0 if unknown
    original_tokens: int
    budget: int  #: tokens allowed
    name: str = ""  #: the tool's name; "" if unknown
    id: str = ""  #: the id of the whole in the store; "" without a store
    #: reason codes of the receipt, or what failed; "unknown_shape": the format of a part is unknown;
    #: "pins_not_found": a pinned text is not in this result
    warnings: tuple[str, ...] = ()

    @property
    def problem(self) -> str:
        """Why a long result stays as it is, in words; "" where it does not, or the caller named the tool."""
        if self.status not in _PROBLEMS:
            return ""
        return ": ".join(filter(None, (_PROBLEMS[self.status], *self.warnings)))


def compress_tool_result(
    result: T,
    *,
    budget: int = BUDGET,
    query: str | None = None,
    store: Store | None = None,
    name: str | None = None,
    arguments: Any = None,
    counter: Any = None,
    strategy: Any = None,
    pinned: Sequence[str] = (),
    keep_tools: Collection[str] = (),
    keep_files: bool = True,
    expand_with: str = "tersely expand {id}",
    report: Callable[[ToolResultReport], object] | None = None,
    session: str = "",
) -> T:
    """Compress a tool result before a model first sees it; the result has the type of the input.

    A result within the budget, or of an unknown format, is returned unchanged, and `report` receives the
    status. Markers show where text was left out.

    Args:
        result: a str, bytes of text (those of UTF-8 come back), content blocks, messages and items of OpenAI,
            Anthropic, Gemini, Bedrock, LangChain, MCP, pydantic-ai or the Agents SDK, or any data of dicts,
            lists and scalars.
        budget: tokens allowed for its texts and data; pictures and encrypted parts stay and are not counted.
        query: what the agent wants to know.
        store: stores the whole first; the last line of the short text then says how to get it.
        name: the tool's name.
        arguments: of the call, a mapping or its JSON: a path or a command line in it says what the result is.
        counter, strategy: as in `tersely.compress`.
        pinned: texts; every segment that contains one stays. In data, pin the text of a value, or JSON.
        keep_tools: names of tools whose results are never shortened.
        keep_files: also never shorten results of tools that read files, which the agent may edit next
            (FILE_READERS).
        expand_with: the command in the last line that returns the whole, with "{id}" for its id.
        report: called with a `ToolResultReport`.
        session: an id of the conversation. A long text that came before in it, unchanged and for the same
            query, is replaced by a line that says so and how to get it from the store; "": none is.

    Raises:
        BudgetExceededError: what must stay does not fit; `required` is enough.
        StoreError: the whole could not be stored.
        ValueError, TypeError: a wrong argument.

    O(characters + segments log segments).
    """
    compressor = ToolResultCompressor(
        budget, store, counter, strategy, pinned, keep_tools, keep_files, expand_with, report, session
    )
    shortened: T = compressor.compress(result, query, name, arguments)
    return shortened


@dataclass(frozen=True, slots=True)
class ToolResultCompressor:
    """Compresses many tool results with the same options, those of `compress_tool_result`."""

    budget: int = BUDGET
    store: Store | None = None
    counter: Any = None
    strategy: Any = None
    pinned: Sequence[str] = ()
    keep_tools: Collection[str] = ()
    keep_files: bool = True
    expand_with: str = "tersely expand {id}"
    report: Callable[[ToolResultReport], object] | None = None
    session: str = ""

    def __post_init__(self) -> None:
        checks.whole_number(self.budget, "budget", least=1)
        object.__setattr__(self, "counter", resolve_counter(self.counter))
        for name in ("pinned", "keep_tools"):
            checks.texts(getattr(self, name), name)
        checks.flag(self.keep_files, "keep_files")
        object.__setattr__(self, "expand_with", checks.text(self.expand_with, "expand_with"))
        object.__setattr__(self, "session", checks.text(self.session, "session"))
        checks.callable_or_none(self.report, "report")
        if self.store is not None and not hasattr(self.store, "keep"):
            raise TypeError(f"store must be a tersely.store.Store, not {type(self.store).__name__}")

    def compress(
        self,
        result: Any,
        query: str | None = None,
        name: str | None = None,
        arguments: Any = None,
        *,
        whole: Callable[[], bytes] | None = None,
    ) -> Any:
        """Compress a result; raises the errors of `compress_tool_result`.

        `whole`: gives what the store keeps, if `result` are bytes that were taken from it.
        """
        try:
            made, told = self._compress(result, query, name or "", arguments, whole=whole)
        except RecursionError:  # it could be read, but not written
            made, told = result, self._as_it_came("not_text", f"the result is {TOO_DEEP}", name)
        return self._reported(made, told)

    def compress_or_leave(
        self,
        result: Any,
        query: str | None = None,
        name: str | None = None,
        arguments: Any = None,
        *,
        is_taken: Callable[[Any], bool] | None = None,
    ) -> Any:
        """Compress a result; if that fails or it would not be accepted, return it as it is; call `report`."""
        try:
            made, told = self._compress(result, query, name or "", arguments, is_taken)
        except Exception as error:  # an agent must not lose a result to what was to save tokens
            made, told = result, self._as_it_came("failed", f"{type(error).__name__}: {error}", name)
        return self._reported(made, told)

    def _reported(self, made: Any, told: ToolResultReport) -> Any:
        if self.report is not None:
            self.report(told)
        return made

    def _as_it_came(self, status: str, warning: str, name: str | None) -> ToolResultReport:
        return ToolResultReport(status, 0, 0, self.budget, name or "", "", (warning,))

    def _compress(
        self,
        result: Any,
        query: str | None,
        name: str,
        arguments: Any,
        is_taken: Callable[[Any], bool] | None = None,
        whole: Callable[[], bytes] | None = None,
    ) -> tuple[Any, ToolResultReport]:
        if query is not None:
            query = checks.text(query, "query")
        encoded = isinstance(result, (bytes, bytearray))
        text, given = result, None
        try:
            if encoded:
                text, guess = decode(bytes(result))
                given = None if guess is None else bytes(result).decode("utf-8", "surrogateescape")
            entry = read_result(text)
        except ValueError as error:  # no text, nested too deeply
            return result, self._as_it_came("not_text", str(error), name)
        pieces = [piece for piece in entry.pieces if piece.kind in _MAY_SHRINK and piece.text]
        rest = [one.text for one in entry.pieces if one.kind not in _MAY_SHRINK or not one.text]
        fixed = self._count(rest)
        original = fixed + self._count([piece.text for piece in pieces])
        unknown = ("unknown_shape",) if entry.unknown else ()
        status = "fits" if original <= self.budget else ""
        if not pieces and (entry.unknown or not status):
            status = "unknown_shape"
        hints = hints_of(arguments)
        reads = self.keep_files and name.rpartition("__")[2] in FILE_READERS
        if name in self.keep_tools or reads or (hints[1] and _EXPANDS.search(hints[1])):
            status = "kept"
        if status:
            return result, ToolResultReport(status, original, original, self.budget, name, "", unknown)

        pins = _Pins(self.pinned, entry.pieces)
        call = _Call(text, pieces, fixed, original, query, *hints, _id_of(pieces, given), pins, given)

        session = digest_of([self.session, query or ""]).hex()[:_ID_DIGITS] if self.session else ""
        key = _call_key(name, hints[1] or arguments)
        again = self._reference(call) if session else None
        if again is not None and (is_taken is None or is_taken(again[0])):
            assert self.store is not None
            tokens = (original, again[1])
            if self.store.note_repetition(call.id, session, tool=name, tokens=tokens, call=key):
                report = ToolResultReport("repeated", again[1], original, self.budget, name, call.id, unknown)
                return type(result)(again[0].encode("utf-8")) if encoded else again[0], report

        def attempt(allowed: int) -> _Shortened | None:
            return None if allowed >= original else self._shorten(call, allowed)

        made = with_required(attempt, self.budget, original)
        assert made is not None
        pins.check(made.result)
        if is_taken is not None and not is_taken(made.result):
            return result, ToolResultReport("not_taken", original, original, self.budget, name, "", unknown)
        if self.store is not None:
            kept = None if whole is None else whole().decode("utf-8", "surrogateescape")
            self.store.keep(
                made.compressed,
                id=call.id,
                tool=name,
                tokens=(original, made.tokens),
                whole=kept,
                call=key,
                session=session,
            )
        told = (*unknown, *made.compressed.receipt.warnings, *pins.warnings)
        id = call.id if self.store is not None else ""
        return (
            type(result)(made.result.encode("utf-8")) if encoded else made.result,
            ToolResultReport("compressed", made.tokens, original, self.budget, name, id, told),
        )

    def _reference(self, call: _Call) -> tuple[Any, int] | None:
        """The result with a line in the place of its texts, and its tokens; None where that cannot be."""
        if self.store is None or call.pins or any(piece.kind != "result" for piece in call.pieces):
            return None
        way = self.expand_with.replace("{id}", call.id)
        many = call.original - call.fixed
        note = f"[tersely: the same {many} tokens, to the letter, as an earlier result; all of it: {way}]"
        made = with_texts(call.result, _values(call.pieces, [""] * len(call.pieces), note))
        tokens = self._count(_texts_of(made))
        return (made, tokens) if tokens <= self.budget else None

    def _shorten(self, call: _Call, allowed: int) -> _Shortened:
        """Shorten the long texts of a result, or where that does not do, all of them."""
        long = [piece for piece in call.pieces if len(piece.text) >= _LONG]
        if 0 < len(long) < len(call.pieces):
            short = self._count([piece.text for piece in call.pieces if len(piece.text) < _LONG])
            try:
                return self._fit(replace(call, pieces=long, fixed=call.fixed + short), allowed)
            except BudgetExceededError:
                pass
        return self._fit(call, allowed)

    def _fit(self, call: _Call, allowed: int) -> _Shortened:
        """Fit texts and records, with the note about them, beside the fixed parts."""
        around = call.fixed + count(self.counter, self._note(call, 0))
        if around >= allowed:
            raise BudgetExceededError(
                "what is fixed of the result, and the line on what was left out, do not fit",
                required=around + 1,
                budget=allowed,
            )

        tried: dict[tuple[str, ...], tuple[Any, list[str]]] = {}  # results, and the texts in them

        bare = isinstance(call.result, str) and [piece.kind for piece in call.pieces] == ["result"]

        def write(parts: Sequence[str]) -> list[str]:
            note = self._note(call, count(self.counter, "\n\n".join(filter(None, parts))))
            if bare:  # most are: no call for each step
                made: Any = f"{(parts[0] or _GONE).rstrip()}\n{note}"
                texts = [made]
            else:
                made = with_texts(call.result, _values(call.pieces, parts, note))
                texts = _texts_of(made)
            tried[tuple(parts)] = made, texts
            return texts

        try:
            result = compress_in(
                Frame(write=write, paid=around),
                [call.document(piece) for piece in call.pieces],
                call.query,
                budget=allowed - around,
                counter=self.counter,
                strategy=self.strategy,
                pinned=call.pins.of(call.pieces),
            )
        except BudgetExceededError as error:
            raise BudgetExceededError(
                error.reason, required=error.required + around, budget=allowed
            ) from None
        sent, texts = tried[result.parts]
        return _Shortened(sent, self._count(texts), result)

    def _note(self, call: _Call, kept: int) -> str:
        """The line at the end: how much was left out, and with a store how to get it."""
        left = call.original - call.fixed - kept
        way = "" if self.store is None else f"; all of it: {self.expand_with.replace('{id}', call.id)}"
        return f"[tersely: {left} of {call.original} tokens of this result were left out{way}]"

    def _count(self, texts: Sequence[str]) -> int:
        return sum(count_batch(self.counter, texts).tolist()) if texts else 0


@dataclass(frozen=True, slots=True)
class _Call:
    """A result over the budget, and what is known of its call."""

    result: Any
    pieces: list[Piece]  # what may become shorter
    fixed: int  # tokens of all else
    original: int  # tokens of all
    query: str | None
    file: str | None
    command: str | None
    id: str  # of the whole, in a store
    pins: _Pins
    given: str | None  # the bytes of a result that was read in another encoding than UTF-8

    def document(self, piece: Piece) -> Document:
        """A text or data, as the engine takes it."""
        if piece.kind != "result":
            return Document(piece.text, metadata={"content_type": "application/json"})
        return Document(piece.text, name=self.file, command=self.command, given=self.given)


class _Pins:
    """Strings that must stay, as the texts of a result spell them: as they are, or in JSON."""

    def __init__(self, pinned: Sequence[str], pieces: Sequence[Piece]) -> None:
        spelled = {pin: _spellings(pin) for pin in pinned}
        there = _forms_in(pieces, spelled)
        self._found = {pin: some for pin, forms in spelled.items() if (some := there.intersection(forms))}
        self.warnings = ("pins_not_found",) if len(self._found) < len(spelled) else ()

    def __bool__(self) -> bool:
        """Whether any pinned text is in the result."""
        return bool(self._found)

    def of(self, pieces: Sequence[Piece]) -> list[str]:
        """List the spellings of pins that the pieces contain."""
        return sorted(_forms_in(pieces, self._found))

    def check(self, result: Any) -> None:
        """Raise ValueError where the shortened result lacks one of them."""
        if not self._found:
            return
        there = _forms_in(read_result(result).pieces, self._found)
        for pin, forms in self._found.items():
            if there.isdisjoint(forms):
                problem = "does not stand in the shortened data as it does in the whole"
                raise ValueError(f"pinned: {checks.shown(pin)} {problem}: give the text of one value or key")


def _forms_in(pieces: Sequence[Piece], spelled: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the spellings of pins that some pieces contain."""
    forms = list(chain.from_iterable(spelled.values()))
    return found_in([piece.text for piece in pieces], forms).intersection(forms) if forms else set()


def _spellings(pin: str) -> list[str]:
    """A string as texts may have it: as it is, in a string of JSON, as JSON with and without blanks."""
    escaped, pin = json.dumps(pin)[1:-1], well_formed(pin)
    forms = [pin, json.dumps(pin, ensure_ascii=False)[1:-1], escaped]
    for left, right in ("{}", "[]"):  # members, values
        with suppress(ValueError, RecursionError):
            value = json.loads(f"{left}{pin}{right}")
            forms += [to_json(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]]
    return list(dict.fromkeys(forms))


@dataclass(frozen=True, slots=True)
class _Shortened:
    """A result within its budget."""

    result: Any
    tokens: int
    compressed: Compressed


def _call_key(name: str, arguments: Any) -> str:
    """A digest of a call's command, or of its arguments; "" if those are unknown."""
    return digest_of([name, to_json(arguments)]).hex()[:_ID_DIGITS] if arguments else ""


def _id_of(pieces: Sequence[Piece], given: str | None) -> str:
    """Return the id of a result: equal results have equal ids."""
    return digest_of([piece.text for piece in pieces] if given is None else [given]).hex()[:_ID_DIGITS]


def _values(pieces: Sequence[Piece], parts: Sequence[str], note: str) -> dict[Path, Any]:
    """Return the new values of the pieces that changed; the note ends the last of them.

    Blocks of which nothing is left are removed behind another such one: one mark stands for all.
    Raises BudgetExceededError where data did not stay data.
    """
    changed = [(piece, part) for piece, part in zip(pieces, parts, strict=True) if part != piece.text]
    values: dict[Path, Any] = {}
    last = pieces[-1].path
    gap: Path = ()
    for piece, part in changed or [(pieces[-1], parts[-1])]:
        if piece.kind != "result":
            data = read_records(part, piece.text)
            if piece.kind == "rows":
                data = Rows(tuple(row if isinstance(row, str) else to_json(row) for row in data))
            values[piece.path] = data
            continue
        block = piece.path[:-1] if not part and piece.path[-1:] == ("text",) else ()
        if block and gap and _follows(gap, block):
            values[block] = REMOVED
        else:
            values[piece.path] = part or _GONE
            last = piece.path
        gap = block
    path = last if last in values else next(reversed(values))
    value = values[path]
    values[path] = f"{value.rstrip()}\n{note}" if isinstance(value, str) else with_note(value, note)
    return values


def _texts_of(made: Any) -> list[str]:
    """The texts and data of a result, which are counted; a str is one text."""
    return [made] if isinstance(made, str) else [piece.text for piece in read_result(made).pieces]


def _follows(before: Path, block: Path) -> bool:
    """Whether a block comes right after another one, in one list."""
    first, second = before[-1], block[-1]
    return before[:-1] == block[:-1] and isinstance(first, int) and second == first + 1


_MARK = "…"  # what stands where values were left out, as content/json.py writes it


def read_records(text: str, original: str) -> Any:
    """The data of a shortened JSON text: in a list of objects, "… 7 more" is an object, too.

    Raises BudgetExceededError where the text is no JSON any more, or no object or list as `original` is:
    there was no room for its shape, or a strategy for text cut it.
    """
    try:
        if text.lstrip()[:1] == original.lstrip()[:1]:
            return _mark_objects(json.loads(text))
    except ValueError:
        pass
    raise BudgetExceededError("data of its shape does not fit", required=1, budget=0)


def _mark_objects(data: Any) -> Any:
    """The data, in whose lists of objects marks have become objects; no call for each value."""
    containers = [data]
    while containers:
        inner = containers.pop()
        if type(inner) is dict:
            inner = list(inner.values())
        elif dict in map(type, inner):
            for place, value in enumerate(inner):
                if type(value) is str and value.startswith(_MARK):
                    inner[place] = {_MARK: value.removeprefix(_MARK).strip()}
        containers += compress(inner, map({dict, list}.__contains__, map(type, inner)))
    return data


def with_note(value: Any, note: str) -> Any:
    """Data with a note at the end of its largest list; of data without one, under the key "…"."""
    if isinstance(value, Rows):
        return Rows((*value.texts, note))
    if isinstance(value, list):
        objects = {*map(type, value)} == {dict}
        return [*value, {_MARK: note} if objects else note]
    lists = {key: len(to_json(inner)) for key, inner in value.items() if isinstance(inner, list)}
    if lists:
        largest = max(lists, key=lists.__getitem__)
        return {**value, largest: with_note(value[largest], note)}
    return {**value, _MARK: f"{value[_MARK]}; {note}" if _MARK in value else note}


F = TypeVar("F", bound=Callable[..., Any])

_ANY = inspect.signature(lambda *args, **kwargs: None)


@overload
def compress_tool(function: F, *, budget: int = ..., **options: Any) -> F: ...
@overload
def compress_tool(*, budget: int = ..., **options: Any) -> Callable[[F], F]: ...
def compress_tool(
    function: Callable[..., Any] | None = None, *, budget: int = BUDGET, **options: Any
) -> Callable[..., Any]:
    """Decorate a tool's function so that its results fit a budget; name, signature and docstring stay.

    Put it under a framework's own decorator, or around a function that is handed over. A result that cannot
    be compressed is returned unchanged; errors of the function are raised.

    >>> from tersely.agents import compress_tool
    >>> @compress_tool(budget=50)
    ... def list_rows(count: int) -> list[int]:
    ...     "Rows of the table."
    ...     return list(range(count))
    >>> len(list_rows(3)), len(list_rows(1000)) < 50, list_rows.__name__
    (3, True, 'list_rows')

    Args:
        function: the tool, a function, a coroutine function or a method.
        budget, options: as in `compress_tool_result`, but for name and arguments, which are the call's.

    Raises TypeError for a generator, and for anything that is not a function.
    """
    query = options.pop("query", None)
    if query is not None:
        query = checks.text(query, "query")
    compressor = ToolResultCompressor(budget, **options)
    if function is None:
        return lambda function: _wrap(function, compressor, query)
    return _wrap(function, compressor, query)


def _wrap(
    function: Callable[..., Any], compressor: ToolResultCompressor, query: str | None
) -> Callable[..., Any]:
    streams = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    if not callable(function) or isinstance(function, type) or streams:
        raise TypeError(f"compress_tool takes a function that returns its result, not {function!r}")
    try:
        signature = inspect.signature(function)
    except ValueError:  # of something built in
        signature = _ANY
    name = getattr(function, "__name__", type(function).__name__)

    def shorter(result: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            arguments = signature.bind(*args, **kwargs).arguments
        except TypeError:  # of a function that is wrapped, and called otherwise than it says
            arguments = kwargs
        return compressor.compress_or_leave(result, query, name, arguments)

    async def shorter_later(result: Awaitable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from asyncio import to_thread

        return await to_thread(shorter, await result, args, kwargs)

    @functools.wraps(function)
    async def later(*args: Any, **kwargs: Any) -> Any:
        return await shorter_later(function(*args, **kwargs), args, kwargs)

    @functools.wraps(function)
    def now(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        if inspect.isawaitable(result):  # a function that calls one that is async
            return shorter_later(result, args, kwargs)
        return shorter(result, args, kwargs)

    called = getattr(function, "__call__", None)  # noqa: B004  of an object
    return later if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(called) else now


#: How a model gets a whole result behind a gateway: LiteLLM offers it a tool of this name, and headroom's
#: proxy does where it reads "Retrieve original: hash=".
RETRIEVE_WITH = "headroom_retrieve (Retrieve original: hash={id})"
_CACHE_BYTES = 16 * 2**20  # a history comes again on every turn


class ResultShortener:
    """Shortens tool results in histories; those of earlier turns stay the same bytes.

    A result is read with regard to the question that the user had asked last before it, so it does not matter
    what comes after it. Thread-safe; one may serve many conversations.
    """

    def __init__(self, compressor: ToolResultCompressor) -> None:
        """`compressor` says how long a result may be."""
        self._compressor = compressor
        self._made: BoundedCache[Any] = BoundedCache(_CACHE_BYTES)

    def shorten(
        self,
        messages: Sequence[Any],
        *,
        among: Container[int] | None = None,
        told: list[ToolResultReport] | None = None,
    ) -> list[Any]:
        """Return the messages with shorter tool results; all other messages are the same objects.

        Each result may have the whole budget, and is read as what its call says it is, also where one message
        has several.
        A history that cannot be read is given as it came. O(characters), for results that were not seen yet.

        Args:
            messages: a history.
            among: numbers of the messages that may change; None: all.
            told: gets the report on each result, also of one that was made shorter on an earlier turn.
        """
        told = [] if told is None else told
        try:
            entries = read_messages(messages)
        except (TypeError, ValueError):
            return list(messages)
        called: dict[str, str] = {}
        question, sent = "", []
        for number, (message, entry) in enumerate(zip(messages, entries, strict=True)):
            called |= calls_of([entry])
            calls = [*entry.answers, *(piece.call for piece in entry.pieces if piece.kind == "result")]
            if among is not None and number not in among:
                sent.append(message)
            elif blocks := _result_blocks(message):  # each is of a call of its own
                made = {
                    path: self._shorten_block(message, path, question, called.get(call, ""), told)
                    for path, call in blocks.items()
                }
                sent.append(with_texts(message, {path: block for path, block in made.items() if block}))
            elif calls:
                name, _, arguments = called.get(calls[0], "").partition(" ")
                sent.append(self.shorten_one(message, question, name or entry.name, arguments or None, told))
            else:
                sent.append(message)
            if entry.role == "user":
                asked = "\n".join(piece.text for piece in entry.pieces if piece.kind == "text")
                question = asked if asked or not calls else question
        return sent

    def _shorten_block(
        self,
        message: Any,
        path: Path,
        question: str,
        call: str,
        told: list[ToolResultReport],
    ) -> Any:
        """One block of a message made shorter, as if it stood there alone; None where it stays.

        `call`: name and arguments of its call.
        """
        key, number = path
        name, _, arguments = call.partition(" ")
        alone = with_texts(message, {(key,): [value_of(message, key)[number]]})
        short = self.shorten_one(alone, question, name, arguments or None, told)
        return None if short is alone else value_of(short, key)[0]

    def shorten_one(
        self,
        result: Any,
        question: str,
        name: str,
        arguments: Any = None,
        told: list[ToolResultReport] | None = None,
    ) -> Any:
        """A message, or another result, made shorter; the same for the same question, name and arguments."""
        written = to_json(result)
        key = digest_of([question, name, to_json(arguments), written])
        made = self._made.get(key)
        if made is None:
            reports: list[ToolResultReport] = []
            compressor = replace(self._compressor, report=reports.append, session="")
            short = compressor.compress_or_leave(result, question or None, name or None, arguments)
            made = short, reports[0]
            self._made.put(key, made, 4 * len(written))
            if self._compressor.report is not None:
                self._compressor.report(reports[0])
        if told is not None:
            told.append(made[1])
        return made[0]


def _result_blocks(message: Any) -> dict[Path, str]:
    """Return the blocks of a message that are results of tools, with places and ids of calls."""
    found: dict[Path, str] = {}
    for key in ("content", "parts"):
        blocks = value_of(message, key)
        for number, block in enumerate(blocks if is_list(blocks) else ()):
            shaped = plain(block)
            if isinstance(shaped, Mapping):
                reader = MessageReader()
                reader.block(shaped, ())
                results = (piece.call for piece in reader.pieces if piece.kind == "result")
                if calls := [*reader.answers, *results]:
                    found[key, number] = calls[0]
    return found
