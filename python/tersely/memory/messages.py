"""Read chat messages of any interface, and the results of tools in them, as entries.

Read are OpenAI's chat messages and items of its Responses API, messages of Anthropic, Bedrock, Gemini,
Vercel's AI SDK and pydantic-ai, as mappings or as objects with `model_dump`, and LangChain's, as objects or
as any of its dumps; of results besides, lists of content blocks, MCP's `CallToolResult`, dataclasses, models,
and plain data. Whatever else a message holds counts as well, and may be folded. `with_texts` (writing.py)
puts shorter texts, and shorter records, back in their places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from itertools import compress
from math import isfinite
from typing import Any, Literal, NamedTuple, TypeGuard

from tersely.text import CHARACTERS_REPLACED, TOO_DEEP, well_formed

Path = tuple[str | int, ...]
MAPPING = (dict, Mapping)  # a dict is known as one without a call
Kind = Literal["text", "result", "records", "rows", "call", "data", "excerpts", "picture"]

#: How a message of excerpts begins, by which it is known when it comes back.
HEADER = "[Earlier messages in excerpts"

_ROLES = {"developer": "system", "function": "tool", "model": "assistant",
          "request": "user", "response": "assistant"}  # fmt: skip
_LANGCHAIN_ROLES = {"human": "user", "ai": "assistant", "function": "tool", "chat": "user"}
SPEAKERS = {*_ROLES, "system", "user", "assistant", "tool"}
LANGCHAIN_TYPES = {*_LANGCHAIN_ROLES, "system", "tool"}

# What a block of a message is: by its type, or by the key that it is under.
TEXTS = {"text", "input_text", "output_text", "refusal", "user-prompt", "system-prompt"}
_SAYS = ("content", "refusal", "text")  # fields of such a block
_THOUGHTS = {"thinking", "redacted_thinking", "reasoning", "reasoningContent"}
PICTURES = {"image", "image_url", "input_image", "input_audio", "audio", "video", "file", "input_file",
             "document", "media", "computer_screenshot", "image_generation_call", "image-url", "audio-url",
             "video-url", "document-url", "binary", "inlineData", "inline_data", "fileData",
             "file_data"}  # fmt: skip
_CALLS = {"tool_use", "server_tool_use", "tool_call", "tool-call", "functionCall", "function_call",
          "custom_tool_call", "toolUse"}  # fmt: skip
RESULTS = {"tool_result", "tool-result", "tool-return", "retry-prompt", "functionResponse",
            "function_response", "function_call_output", "custom_tool_call_output", "toolResult"}  # fmt: skip
_KINDS = TEXTS | _THOUGHTS | PICTURES | _CALLS | RESULTS

# The fields of a call and its result, by any of their names.
_IDENTITIES = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "call_id", "id")
_NAMES = ("name", "toolName", "tool_name")
_ARGUMENTS = ("input", "args", "arguments")
_OUTPUTS = ("content", "output", "result", "response", "return_value", "error", "errorText",
            "parts")  # fmt: skip

# What such a field, its kind or its state says of a call that failed.
_FAILED = {"error", "failed", "failure", "output-error", "output-denied", "error-text", "error-json",
           "retry-prompt"}  # fmt: skip

_EXIT_CODES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
_STATES = ("status", "state", "outcome", "type", "part_kind")
_OUTCOMES = {*_EXIT_CODES, *_STATES, "is_error", "isError", "success", "error", "errorText"}
# Keys of JSON that say how a call ended; it is looked for in so many of its characters.
_ENDED = re.compile(
    r'"(?:exit_?(?:code|status)|return_?code|metadata|is_?error|error|status|success|stdout|stderr)"\s{0,9}:',
    re.I,
)
_LONGEST_JSON = 1_000_000

# What a picture is, and where it can be had again.
_MEDIA = re.compile(r"(?:data:)?((?:image|audio|video|application|text)/[\w.+-]{1,60})", re.ASCII)
_ADDRESS = re.compile(r"[a-z][a-z0-9]{1,9}://[^\s\[\]]{1,200}|file[-_]\w{1,80}", re.ASCII)
_NOUNS = {"audio": "sound", "video": "video", "application": "file", "text": "file"}

# Fields that frame a message, and are not what it says: a short value is part of the frame that is counted.
_FRAME = {*_IDENTITIES, "role", "type", "kind", "part_kind", "status", "state", "index", "is_error",
          "isError", "object", "created_at", "createdAt", "timestamp", "model", "stop_reason",
          "finish_reason", "lc", "outcome", "resultType", "result_type", *_NAMES, "cache_control",
          "cachePoint"}  # fmt: skip
_FRAME_CHARACTERS = 64
_CACHE_MARKERS = {"cache_control", "cachePoint"}
# Fields that are counted, and tell later steps nothing.
_SEALED = {"signature", "thoughtSignature", "thought_signature", "encrypted_content", "reasoning_content",
           "usage", "usage_metadata", "response_metadata", "logprobs", "provider_details", "providerOptions",
           "providerMetadata", "callProviderMetadata"}  # fmt: skip
# Items that stand for a history, readable to the provider alone.
_COMPACTED = {"compaction", "compaction_summary"}


class JsonStyle(NamedTuple):
    """How JSON is written in a string, so that it can be written again to the letter."""

    comma: str
    colon: str
    ascii: bool

    def write(self, value: Any) -> str:
        """A value as JSON in this style."""
        return json.dumps(value, ensure_ascii=self.ascii, separators=self[:2])

    def escaped(self, text: str) -> str:
        """Escape a text for a place between quotes."""
        return json.dumps(text, ensure_ascii=self.ascii)[1:-1]


_STYLES = [JsonStyle(*marks, ascii) for marks in ((", ", ": "), (",", ":")) for ascii in (True, False)]


def parse_json_text(text: str) -> tuple[dict[str, Any], JsonStyle] | None:
    """The object that a string is the JSON of, and its style; None where writing it again would change it."""
    try:
        value = json.loads(text) if text[:1] == "{" and text[-1:] == "}" else None
        style = next((style for style in _STYLES if value and style.write(value) == text), None)
    except (ValueError, RecursionError):
        return None
    return None if value is None or style is None else (value, style)


class Piece(NamedTuple):
    """A text of a message."""

    text: str  # what it says
    # "text"; "result": what a tool gave; "call": name and arguments of a call; "data": what else a message
    # holds, as JSON where it is no text; "excerpts": of messages that were folded before (excerpts.py);
    # "records": data that a tool gave, as JSON, "rows": blocks with a JSON object each, as a list of these;
    # "picture": what stands in the place of an image, a sound or a file that is left out. Calls and data are
    # not changed in place
    kind: Kind
    path: Path  # the keys that lead to it in the message; () for what cannot be changed in place
    call: str = ""  # id of the call that it makes or is the result of, "" where that is not said
    failed: bool = False  # it is of a result whose message says that the call failed
    within: JsonStyle | None = None  # how the JSON is written in whose string it stands, escaped
    # of a quote in a message of excerpts: who says it ("user", "tool grep"), and its number there
    speaker: str = ""
    part: int = 0

    @property
    def sent(self) -> str:
        """The text as it is sent, and so counted."""
        return self.text if self.within is None else self.within.escaped(self.text)


class Entry(NamedTuple):
    """A message that was read."""

    role: str  # "system", "user", "assistant" or "tool"
    pieces: tuple[Piece, ...] = ()  # its texts, in order
    # ids of the tool calls that it makes, and of those whose results it holds; a call that stands beside its
    # result in one message is in neither
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    name: str = ""  # name of the speaker or the tool, "" without
    opaque: str = ""  # text that is sent but neither read nor changed (thinking, signatures)
    # why it has to stay as it is ("system", "cache_marker", "sealed", "unknown", "picture": no tool gave it),
    # else ""
    held: str = ""
    leads: bool = False  # it may not be parted from the next message (a reasoning item)
    unknown: bool = False  # something of it has no shape that is known here
    replaced: bool = False  # U+FFFD stands in its texts for lone surrogates of the message


_PLAIN_PIECE = Piece("", "text", ("content",))[1:]
_PLAIN_ENTRY = Entry("")[2:]


def read_messages(messages: Sequence[Any], first: int = 0) -> list[Entry]:
    """One entry a message; `first`: the number of the first message, for errors.

    Lone surrogates are replaced in the entries. Raises TypeError for what is no list of messages, ValueError
    for a message that is nested too deeply.
    """
    check_list(messages)
    entries: list[Entry] = []
    texts: list[str] = []
    for index, message in enumerate(messages, first):
        if type(message) is dict and len(message) == 2:  # most are
            role, content = message.get("role"), message.get("content")
            if type(content) is str and role in ("user", "assistant") and not content.startswith(HEADER):
                piece = tuple.__new__(Piece, (content, *_PLAIN_PIECE))  # as Piece(...), without a Python call
                entries.append(tuple.__new__(Entry, (role, (piece,), *_PLAIN_ENTRY)))
                texts.append(content)
                continue
        entry = _read(message, index)
        entries.append(entry)
        texts += (entry.name, entry.opaque, *[piece.text for piece in entry.pieces])
    whole = "".join(texts)  # all at once: almost none has a lone surrogate
    return entries if well_formed(whole) is whole else list(map(_well_formed, entries))


def _well_formed(entry: Entry) -> Entry:
    """The entry with U+FFFD for lone surrogates."""
    pieces = tuple(piece._replace(text=well_formed(piece.text)) for piece in entry.pieces)
    made = entry._replace(pieces=pieces, name=well_formed(entry.name), opaque=well_formed(entry.opaque))
    return entry if made == entry else made._replace(replaced=True)


def warnings_of(entries: Sequence[Entry]) -> list[str]:
    """Reason codes of how entries were read, in order, each once."""
    codes = (("unknown_shape", "unknown"), (CHARACTERS_REPLACED, "replaced"))
    flawed = [entry for entry in entries if entry.unknown or entry.replaced]
    return list(dict.fromkeys(code for entry in flawed for code, name in codes if getattr(entry, name)))


def check_list(messages: Any) -> None:
    """Raise TypeError for what is no list of messages."""
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Sequence):
        holds = isinstance(messages, Mapping) and "messages" in messages
        held = '; pass the list that is its "messages"' if holds else ""
        raise TypeError(f"messages must be a list of messages, not {type(messages).__name__}{held}")


def calls_of(entries: Sequence[Entry]) -> dict[str, str]:
    """Name and arguments (JSON) of each call, by its id; the name alone where one message has an id twice."""
    found: dict[str, str] = {}
    for entry in entries:
        own: dict[str, str] = {}
        for piece in entry.pieces:
            if piece.kind == "call":
                own[piece.call] = piece.text.partition(" ")[0] if piece.call in own else piece.text
        found |= own
    return found


def _read(message: Any, index: int) -> Entry:
    given = as_mapping(message)
    if given is None:
        keys = f"a mapping of {sorted(map(str, message))}" if isinstance(message, MAPPING) else ""
        wanted = "a mapping with a role, a type or parts, or an object with content"
        raise TypeError(f"messages[{index}] must be {wanted}, not {keys or type(message).__name__}")
    try:
        return MessageReader().read(given)
    except RecursionError:
        raise ValueError(f"messages[{index}] is {TOO_DEEP}") from None


def as_mapping(message: Any) -> Mapping[str, Any] | None:
    """The message as a mapping of its fields; None for anything else."""
    if isinstance(message, MAPPING):
        named = message.get("role", message.get("type", message.get("kind")))
        parts = isinstance(message.get("parts"), list) and "role" not in message
        return message if isinstance(named, str) or parts else None
    if isinstance(message, tuple) and len(message) == 2 and all(isinstance(one, str) for one in message):
        return {"role": _langchain_role(message[0]), "content": message[1]}  # ("human", "Hello")
    kind = getattr(message, "type", None)
    content = getattr(message, "content", None)
    if isinstance(kind, str) and isinstance(content, (str, list)) and not hasattr(message, "role"):
        fields = ("name", "tool_call_id", "tool_calls", "invalid_tool_calls", "status")
        more = getattr(message, "additional_kwargs", None) or {}
        return {
            "role": _langchain_role(kind),
            "content": content,
            **{name: getattr(message, name, None) for name in fields},
            "additional_kwargs": {key: value for key, value in more.items() if value},
        }
    if isinstance(getattr(message, "role", kind), str) and hasattr(message, "model_dump"):
        dumped = plain(message)
        return dumped if isinstance(dumped, MAPPING) else None
    return None


def plain(value: Any) -> Any:
    """Convert an object of an SDK to its mapping; return anything else as it is."""
    if type(value) in _CONTAINERS or type(value) is str:
        return value
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_none=True)
    if is_dataclass(value) and not isinstance(value, type):
        return {entry.name: getattr(value, entry.name) for entry in fields(value)}
    return value


def _langchain_role(name: Any) -> str:
    """The role of a message of LangChain, by its type ("human") or its class ("HumanMessageChunk")."""
    kind = str(name[-1] if isinstance(name, list) and name else name)
    kind = kind.removesuffix("Chunk").removesuffix("Message").lower()
    return _LANGCHAIN_ROLES.get(kind, kind)


@dataclass(slots=True)
class MessageReader:
    """Reads one message: each string becomes a piece, opaque data, or part of the frame."""

    role: str = "user"
    name: str = ""
    call: str = ""  # id of the call that the message as a whole is the result of
    pieces: list[Piece] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    shown: bool = False  # it has a picture that is no result of a tool
    opaque: list[str] = field(default_factory=list)
    held: str = ""
    leads: bool = False
    unknown: bool = False

    def read(self, given: Mapping[str, Any]) -> Entry:
        """The entry of a message."""
        what = given.get("type")
        if "role" in given or what == "message" or not isinstance(what, str):
            self.message(given, (), given.get("role", given.get("kind", "user")))
        elif what == "constructor" and isinstance(given.get("kwargs"), MAPPING):
            self.message(given["kwargs"], ("kwargs",), _langchain_role(given.get("id")))
            self.rest(given, (), {"kwargs", "id"})
        elif what in LANGCHAIN_TYPES and isinstance(given.get("data"), MAPPING):
            self.message(given["data"], ("data",), _langchain_role(what))
            self.rest(given, (), {"data"})
        elif what in LANGCHAIN_TYPES and "content" in given:
            self.message(given, (), _langchain_role(what))
        else:
            self.item(given, what)
        if self.role == "system":
            self.held = "system"
        elif self.shown and (not self.answers or any(piece.kind == "text" for piece in self.pieces)):
            self.held = self.held or "picture"
        return self.entry()

    def entry(self) -> Entry:
        """Return the entry read so far."""
        return Entry(
            self.role, tuple(self.pieces), tuple(self.calls), tuple(self.answers), self.name,
            "".join(self.opaque), self.held, self.leads, self.unknown,
        )  # fmt: skip

    def message(self, given: Mapping[str, Any], path: Path, role: Any) -> None:
        """A message that somebody says."""
        self.role = _ROLES.get(role, role) if isinstance(role, str) else "user"
        self.name = str(given.get("name") or "")
        read = {"content", "parts", "tool_calls", "function_call", "name"}
        if self.role == "tool":
            self.call = str(given.get("tool_call_id") or (self.name if role == "function" else ""))
            self.answers += [self.call] if self.call else []
            read.update(_OUTPUTS)
        for key, value in given.items():
            if key in ("content", "parts"):
                self.content(value, (*path, key))
            elif key in ("tool_calls", "function_call"):
                self.made_calls(value, (*path, key))
            elif key in read and key != "name":
                self.output(value, (*path, key), self.call)
        if self.role == "tool" and _tells_failure(given):
            self.pieces = [piece._replace(failed=True) for piece in self.pieces]
        self.rest(given, path, read)

    def item(self, given: Mapping[str, Any], what: str) -> None:
        """An item of the Responses API that is no message."""
        self.role = "tool" if what.endswith("_output") else "assistant"
        if what == "reasoning":
            self.leads = True
            self.opaque.append(to_json(given))
        elif what in _COMPACTED:  # encrypted: it stands for all before it
            self.held = "sealed"
            self.opaque.append(to_json(given))
        elif what in PICTURES:
            self.shown = True
            self.picture(given, (), ())
        elif what.endswith(("_call", "_output")):
            call = what.endswith("_call")
            self.tool(given, (), what, call, not call or "call_id" not in given)
        else:  # whatever it is for, a part of it is not
            self.unknown, self.held = True, "unknown"
            self.opaque.append(to_json(given))

    def content(self, content: Any, path: Path) -> None:
        """Texts and blocks."""
        content = content if type(content) is str else plain(content)
        if content is None:
            return
        if isinstance(content, str):
            if self.role == "tool":
                self.gave(content, path, self.call)
            else:
                self.pieces.append(Piece(content, "excerpts" if content.startswith(HEADER) else "text", path))
        elif isinstance(content, MAPPING):
            self.block(content, path)
        elif is_list(content):
            for number, block in enumerate(content):
                self.content(block, (*path, number))
        else:
            self.unknown = True
            self.data(content, path)

    def block(self, block: Mapping[str, Any], path: Path) -> None:
        """Read a block by its type."""
        what, fields, inner = kind_of(block, path)
        if inner != path:
            self.rest(block, path, inner[-1:])
        if what in TEXTS:
            texts = [key for key in _SAYS if isinstance(fields.get(key), (str, list))]
            self.role = "system" if what == "system-prompt" else self.role
            for key in texts:
                self.content(fields[key], (*inner, key))
            self.rest(fields, inner, texts)
        elif what in PICTURES:
            self.shown |= self.role != "tool"
            self.picture(fields, inner, path, self.call)
        elif what in _THOUGHTS:
            self.opaque.append(to_json(fields))
        elif any(sides := _sides(what)):
            self.tool(fields, inner, what.removeprefix("tool-"), *sides)
        elif fields.keys() <= _FRAME:  # {"type": "step-start"}, {"cachePoint": ...}
            self.rest(fields, inner)
        else:
            self.unknown = True
            self.data(fields, inner)

    def picture(self, block: Mapping[str, Any], path: Path, place: Path, call: str = "") -> None:
        """A block at `place` that is no text; a document may be text, and its title and the like are."""
        self.mark(block)
        source = block.get("source")
        texts = source if isinstance(source, MAPPING) and source.get("type") in ("text", "content") else {}
        for key in ("data", "content"):
            if key in texts:
                self.content(texts[key], (*path, "source", key))
                self.rest(block, path, {"source"})
                self.rest(texts, (*path, "source"), {key})
                return
        listed = bool(place) and isinstance(place[-1], int)  # else it is all that its place can hold
        self.pieces.append(Piece(_left_out(block), "picture", place if listed else (), call))
        self.opaque += [text for text in _leaves(block, (str,)) if not _is_encoded(text)]

    def tool(self, given: Mapping[str, Any], path: Path, what: str, call: bool, result: bool) -> None:
        """A call of a tool, its result, or both in one."""
        name = _first(given, _NAMES) or (what if call and result else "")
        identity = _first(given, _IDENTITIES) or name
        read: set[str] = set()
        if call:
            read = {key for key in (*_NAMES, *_ARGUMENTS) if key in given}
            words = [name, *(_shown(given[key]) for key in _ARGUMENTS if key in given)]
            self.pieces.append(Piece(" ".join(words).strip(), "call", (), identity))
        if result:
            first = len(self.pieces)
            for key in _OUTPUTS:
                if given.get(key) is not None:
                    read.add(key)
                    self.output(given[key], (*path, key), identity)
            if _tells_failure(given):
                self.pieces[first:] = [piece._replace(failed=True) for piece in self.pieces[first:]]
        if call is not result and identity:
            (self.calls if call else self.answers).append(identity)
        self.rest(given, path, read)

    def made_calls(self, made: Any, path: Path) -> None:
        """Return the calls beside a message's content, without those that the content has as well."""
        if is_list(made):
            for number, call in enumerate(made):
                self.made_calls(call, (*path, number))
            return
        made = plain(made)
        if isinstance(made, MAPPING):
            known, first, calls = set(self.pieces), len(self.pieces), len(self.calls)
            inner = next((key for key in ("function", "custom") if isinstance(made.get(key), MAPPING)), "")
            fields = {**made[inner], "id": made.get("id")} if inner else made
            self.tool(fields, (*path, inner) if inner else path, "", True, False)
            if self.pieces[first] in known:
                del self.pieces[first], self.calls[calls:]
            if inner:
                self.rest(made, path, {inner})
        elif made is not None:
            self.unknown = True
            self.data(made, path)

    def output(self, value: Any, path: Path, call: str) -> None:
        """Read a tool's result: texts and blocks, or data of any shape."""
        given, value = value, value if type(value) is str else plain(value)
        if isinstance(value, MAPPING):
            what, fields, inner = kind_of(value, path)
            if what in TEXTS and isinstance(fields.get("text"), str):
                self.gave(fields["text"], (*inner, "text"), call)
                self.rest(fields, inner, {"text"})
            elif what in PICTURES:
                self.picture(fields, inner, path, call)
            elif what == "content" and is_list(value.get("value")):
                self.output(value["value"], (*path, "value"), call)
                self.rest(value, path, {"value"})
            else:
                self.given(given, path, call)
        elif is_list(value):
            for number, block in enumerate(value):
                self.output(block, (*path, number), call)
        else:
            self.given(given, path, call)

    def gave(self, text: str, path: Path, call: str) -> None:
        """Read a text that a tool returned; if it is JSON with an outcome, read the texts in it."""
        found = parse_json_text(text) if _ENDED.search(text, 0, _LONGEST_JSON) else None
        if found is None:
            self.pieces.append(Piece(text, "result", path, call))
            return
        value, style = found
        failed = _tells_failure({"output": value}) or _says_failed(value.get("metadata"))
        texts = {key: one for key, one in value.items() if isinstance(one, str) and "\n" in one}
        if 2 * sum(map(len, texts.values())) < len(text):
            self.pieces.append(Piece(text, "result", path, call, failed))
            return
        for key, one in texts.items():
            self.pieces.append(Piece(one, "result", (*path, key), call, failed, style))
        self.pieces.append(
            Piece(style.write({**value, **dict.fromkeys(texts, "")}), "data", (), call, failed)
        )

    def given(self, value: Any, path: Path, call: str) -> None:
        """Read a tool's result that is no block."""
        self.data(plain(value), path, "result", call)

    def data(self, value: Any, path: Path, kind: Kind = "data", call: str = "") -> None:
        """Read data of any shape: its own strings, each as a piece, and the rest as JSON."""
        if self.role == "tool" and kind == "data":
            kind, call = "result", self.call
        if isinstance(value, str) and kind == "result":
            self.gave(value, path, call)
            return
        if isinstance(value, MAPPING):
            self.mark(value)
            texts = {key: text for key, text in value.items() if isinstance(text, str) and key not in _FRAME}
            for key, text in texts.items():
                self.pieces.append(Piece(text, kind, (*path, key) if kind == "result" else (), call))
            value = {**value, **dict.fromkeys(texts, "")}
        self.pieces.append(Piece(_shown(value), "data", (), call))

    def rest(self, given: Mapping[str, Any], path: Path, read: Collection[str | int] = ()) -> None:
        """Sort the fields that were not `read`: empty ones, sealed ones, and others."""
        self.mark(given)
        for key, value in given.items():
            if key in read or value is None or value is False or value in ("", [], {}):
                continue
            if key in _SEALED:
                self.opaque.append(_shown(value))
            elif key not in _FRAME or len(str(value)) > _FRAME_CHARACTERS:
                self.unknown = True
                self.data({key: value}, path)

    def mark(self, given: Mapping[str, Any]) -> None:
        """Note whether a provider's cache ends here."""
        if not _CACHE_MARKERS.isdisjoint(given):
            self.held = "cache_marker"


def kind_of(block: Mapping[str, Any], path: Path) -> tuple[str, Mapping[str, Any], Path]:
    """Return a block's type, its fields, and the path to them: {"functionCall": {...}} has them inside."""
    what = next((block[key] for key in ("type", "part_kind") if isinstance(block.get(key), str)), "")
    inside = "toolInvocation" if what == "tool-invocation" else ""
    if not what:
        what = inside = next((key for key in block if key in _KINDS), "")
    if isinstance(block.get(inside), MAPPING):
        return what, block[inside], (*path, inside)
    return what or str(block.get("kind", "")), block, path


def _sides(what: str) -> tuple[bool, bool]:
    """Whether a block of this type makes a call, and whether it holds the result of one."""
    if what in _CALLS or what in RESULTS:
        return what in _CALLS, what in RESULTS
    both = what.startswith("tool-") or what == "dynamic-tool"  # of the AI SDK
    return both, both or what.endswith("_tool_result")  # of a tool that the provider runs


def _first(given: Mapping[str, Any], keys: Sequence[str]) -> str:
    found = [given[key] for key in keys if given.get(key)]
    return str(found[0]) if found else ""


def _tells_failure(given: Mapping[str, Any]) -> bool:
    """Whether a field of a tool result, or of the JSON in it, says that the call failed."""
    inner = [plain(given[key]) for key in _OUTPUTS if given.get(key)]
    return any(_says_failed(value) for value in (given, *inner) if isinstance(value, MAPPING))


def _says_failed(given: Any) -> bool:
    if not isinstance(given, MAPPING) or _OUTCOMES.isdisjoint(given):
        return False
    states = [given.get(key) for key in _STATES]
    told = [state for state in states if isinstance(state, str)]
    return (
        any(given.get(key) is True for key in ("is_error", "isError"))
        or given.get("success") is False
        or any(type(given.get(key)) is int and given[key] != 0 for key in _EXIT_CODES)
        or any(given.get(key) for key in ("error", "errorText"))
        or any(state.lower() in _FAILED or state.endswith("_error") for state in told)
    )


def _left_out(block: Mapping[str, Any]) -> str:
    """Write the note in the place of a picture: "[picture left out: image/png, 12 kB]"."""
    values = list(_leaves(block, (str, bytes)))
    texts = [text for text in values if isinstance(text, str)]
    media = next((match[1] for match in map(_MEDIA.match, texts) if match), "")
    address = next((text for text in texts if _ADDRESS.fullmatch(text)), "")
    data = max(values, key=len, default="")
    size = len(data) if isinstance(data, bytes) else len(data.partition(";base64,")[2] or data) * 3 // 4
    known = [media, address or (f"{size} bytes" if size < 1000 else f"{size / 1000:.0f} kB")]
    return f"[{_NOUNS.get(media.partition('/')[0], 'picture')} left out: {', '.join(filter(None, known))}]"


def _leaves(value: Any, kinds: tuple[type, ...]) -> Iterator[Any]:
    """Every value of these kinds within a value, but for keys."""
    if isinstance(value, kinds):
        yield value
    elif isinstance(value, MAPPING):
        for inner in value.values():
            yield from _leaves(inner, kinds)
    elif is_list(value):
        for inner in value:
            yield from _leaves(inner, kinds)


def _is_encoded(text: str) -> bool:
    """Whether a string is data in letters: Base64, a URL, an id. Words have spaces."""
    return text.isascii() and " " not in text


def is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """Whether this is a list or tuple, not a text."""
    if isinstance(value, (list, tuple, dict, str, bytes, bytearray)):  # most are
        return isinstance(value, (list, tuple))
    return isinstance(value, Sequence)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else to_json(value)


_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def to_json(value: Any) -> str:
    """A value as compact JSON, unknown types as their `str`. Raises ValueError for one nested too deeply."""
    try:
        try:
            return _WRITER.encode(value)
        except (TypeError, ValueError):  # keys that are no strings, or a value within itself
            return str(value)
    except RecursionError:
        raise ValueError(f"data of type {type(value).__name__} is {TOO_DEEP}") from None


_LONG = 200  # characters from which a string in data is a text by itself
_ROWS = 3  # blocks, from which such with a JSON object each are rows of one list
_ENCODED = re.compile(r"(?:data:[\w/+.;=-]*,)?[\w/+=-]*", re.ASCII)  # Base64, a data URL, an id
_SCALARS = (str, int, float, bool, type(None))
_CONTAINERS = {dict, list}
_BARE = {int, float, bool, type(None)}
# One of these keys stands in a block of a picture or file, and in no record that only has such a type.
_PAYLOADS = {"source", "image_url", "data", "file", "file_id", "file_data", "input_audio", "mimeType",
             "media_type", "mime_type", *PICTURES}  # fmt: skip
_SAME_AS_DATA = ("structuredContent", "structured_content")  # what MCP's content blocks say, once more
_TEXT_BLOCK = {"type", "text"}
_OTHER_BLOCKS = {"resource", "resource_link", "search_result"}


def read_result(result: Any) -> Entry:
    """Read the result of a tool as an entry.

    Pieces of kind "result" are its texts, "records" are data that may become shorter data of the same shape,
    and "rows" blocks of data of which some may go, each with its path;
    "data" is the rest, as JSON. `unknown`: it holds something of no known shape.
    Lone surrogates stand in pieces as they came. Raises ValueError for what is nested too deeply. O(size).
    """
    try:
        if (message := _message_of(result)) is not None:
            entry = _ResultReader().read(message)
        else:
            reader = _ResultReader(role="tool")
            raw = hasattr(result, "raw_item")  # of OpenAI's Agents SDK: what is sent
            reader.bare(*(result.raw_item, ("raw_item",)) if raw else (result, ()))
            entry = reader.entry()
    except RecursionError:
        raise ValueError(f"the result is {TOO_DEEP}") from None
    pieces = tuple([piece for piece in entry.pieces if piece.kind != "picture"])
    return entry._replace(role="tool", pieces=pieces)


def _is_one(value: Any, names: Collection[str]) -> bool:
    return isinstance(value, str) and value in names


def _message_of(value: Any) -> Mapping[str, Any] | None:
    """A tool result that is a message of a history, as a mapping; None for a block or data."""
    if isinstance(value, MAPPING):
        what, role = value.get("type"), value.get("role")
        if _is_one(role, SPEAKERS) or what == "message" or _is_one(what, LANGCHAIN_TYPES):
            known = not value.keys().isdisjoint(("content", "parts", "data"))
        else:
            known = what == "constructor" and isinstance(value.get("kwargs"), MAPPING)
    else:
        known = _is_one(getattr(value, "type", None), LANGCHAIN_TYPES) and hasattr(value, "content")
        known = known or isinstance(getattr(value, "role", None), str)
    return as_mapping(value) if known else None


class _ResultReader(MessageReader):
    """Reads data that a tool gave as texts and records, in which any part may become shorter."""

    def gave(self, text: str, path: Path, call: str) -> None:
        """A text, as it came: whoever shortens it reads JSON as JSON."""
        self.pieces.append(Piece(text, "result", path, call))

    def bare(self, value: Any, path: Path) -> None:
        """An item or a block of a result without its message, or what such a one holds."""
        shaped = plain(value)
        if isinstance(shaped, MAPPING):
            what, fields, inner = kind_of(shaped, path)
            if what in RESULTS or what.endswith("_output"):
                self.tool(fields, inner, what, False, True)
                return
            blocks = shaped.get("content")
            if _block_texts(blocks) is not None:  # MCP's CallToolResult
                self.output(blocks, (*path, "content"), "")
                same = [key for key in _SAME_AS_DATA if isinstance(shaped.get(key), MAPPING)]
                for key in same:
                    self.given(shaped[key], (*path, key), "")
                self.rest(shaped, path, {"content", *same})
                return
        self.output(value, path, "")

    def output(self, value: Any, path: Path, call: str) -> None:
        """Texts and blocks, or data of any shape."""
        if (texts := _block_texts(value)) is not None:
            if rows := ",\n".join(_json_texts(value, texts)):
                self.pieces.append(Piece(f"[{rows}]", "rows", path, call))
                return
            for number, (block, text) in enumerate(zip(value, texts, strict=True)):
                if text is None:
                    self.output(block, (*path, number), call)
                else:
                    self.gave(text, (*path, number, "text"), call)
        elif isinstance(value, str):
            self.gave(value, path, call)
        elif _is_block(value) and plain(value).get("type") != "resource":
            super().output(value, path, call)
        else:
            self.given(value, path, call)

    def given(self, value: Any, path: Path, call: str) -> None:
        """Data: as records, or where most of it is in long strings, each of these as a text, and each long
        list without any as records."""
        shaped = plain(value)
        if not isinstance(shaped, MAPPING) and not is_list(shaped):
            self.unknown |= not isinstance(shaped, _SCALARS)
            self.pieces.append(Piece(to_json(shaped), "data", (), call))
            return
        first, unknown = len(self.pieces), self.unknown
        written, has_texts = _written_json(value)
        if written and not has_texts:
            self.pieces.append(Piece(written, "records", path, call))
            return
        rest = to_json(self._without_texts(value, path, call))
        if written and sum(len(piece.text) for piece in self.pieces[first:]) < len(rest):
            self.unknown = unknown
            self.pieces[first:] = [Piece(written, "records", path, call)]
        elif len(self.pieces) > first and len(rest) >= _LONG:
            self.pieces[first:], self.unknown = [], unknown
            self.pieces.append(Piece(to_json(self._without_texts(value, path, call, True)), "data", (), call))
        else:
            self.pieces.append(Piece(rest, "data", (), call))

    def _without_texts(self, value: Any, path: Path, call: str, lists: bool = False) -> Any:
        """Return data without its long strings, which become pieces, as may long lists without any."""
        shaped = plain(value)
        if lists and isinstance(value, list):
            written, has_texts = _written_json(value)
            if not has_texts and len(written) >= _LONG:
                self.pieces.append(Piece(written, "records", path, call))
                return []
        if isinstance(shaped, MAPPING) or is_list(shaped):
            pairs = shaped.items() if isinstance(shaped, MAPPING) else enumerate(shaped)
            rest = {
                key: inner
                if type(inner) in _BARE or (type(inner) is str and len(inner) < _LONG)
                else self._without_texts(inner, (*path, key), call, lists)
                for key, inner in pairs
            }
            return rest if isinstance(shaped, MAPPING) else list(rest.values())
        if isinstance(shaped, str) and _is_text(shaped):
            self.pieces.append(Piece(shaped, "result", path, call))
            return ""
        self.unknown |= not isinstance(shaped, _SCALARS)
        return shaped


def _block_texts(value: Any) -> list[str | None] | None:
    """The text of each content block that has nothing else, as most have, None of others and of bare texts.

    None where this is no list of content blocks, and of texts between them.
    """
    if not is_list(value):
        return None
    texts = [
        one["text"] if type(one) is dict and one.keys() == _TEXT_BLOCK and one["type"] == "text" else None
        for one in value
    ]
    pairs = zip(value, texts, strict=True)
    others = [one for one, text in pairs if type(text) is not str and not isinstance(one, str)]
    known = others or texts.count(None) < len(texts)
    return texts if known and all(map(_is_block, others)) else None


def _is_block(value: Any) -> bool:
    """Whether this is a block of content: a text, a picture or a resource, not a record with such a type."""
    value = plain(value)
    if not isinstance(value, MAPPING):
        return False
    what, fields, inner = kind_of(value, ())
    if what in TEXTS:
        return isinstance(fields.get("text"), str) and ("type" in value or len(value) <= 2)
    if what in PICTURES:
        return bool(inner) or not _PAYLOADS.isdisjoint(fields)
    return what in _OTHER_BLOCKS or what in RESULTS


def _json_texts(blocks: Sequence[Any], known: Sequence[str | None]) -> list[str]:
    """The texts of blocks that are a JSON object each, as MCP servers write lists; [] of others.

    `known`: as `_block_texts` gives them.
    """
    texts: list[str] = []
    for block, said in zip(blocks, known, strict=True) if len(blocks) >= _ROWS else ():
        shaped = plain(block) if said is None else {"text": said}
        text = shaped.get("text") if isinstance(shaped, MAPPING) and shaped.keys() <= _TEXT_BLOCK else None
        if not isinstance(text, str) or text[:1] != "{":
            return []
        texts.append(text)
    try:
        for text in texts:
            json.loads(text)
    except (ValueError, RecursionError):
        return []
    return texts


def _is_text(value: str) -> bool:
    """Whether a string in data is a text by itself."""
    return len(value) >= _LONG and not _ENCODED.fullmatch(value)


def _written_json(value: Any) -> tuple[str, bool]:
    """Data as JSON, and whether it has a text in it; "" where it would be read as other types than it has.

    No call for each value: lists have thousands of rows. O(size).
    """
    try:
        written = _WRITER.encode(value) if type(value) in _CONTAINERS else ""
    except (TypeError, ValueError):  # keys that are no strings, or a value within itself
        written = ""
    values: list[Any] = []
    containers = [value] if written else []
    while containers:
        inner = containers.pop()
        if type(inner) is dict:
            values += {*map(type, inner)} - {str}  # keys of other types: a type is no value of JSON
            inner = list(inner.values())
        values += inner
        containers += compress(inner, map(_CONTAINERS.__contains__, map(type, inner)))
    if not _CONTAINERS.union(_SCALARS).issuperset(map(type, values)):
        return "", False
    if not all(map(isfinite, [one for one in values if type(one) is float])):
        return "", False
    return written, any(map(_is_text, [one for one in values if type(one) is str and len(one) >= _LONG]))
