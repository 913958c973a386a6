"""Read the result of a tool, bare or in a message of any interface: texts, records, the rest.

Read are all messages and items that messages.py reads, lists of content blocks, MCP's `CallToolResult`,
dataclasses and models with `model_dump` (pydantic-ai, the Agents SDK), and plain data. `with_texts`
(writing.py) puts shorter texts, and shorter records, back in their places.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tersely.history.messages import (
    LANGCHAIN_TYPES,
    PICTURES,
    RESULTS,
    SPEAKERS,
    TEXTS,
    Entry,
    MessageReader,
    Path,
    Piece,
    as_mapping,
    is_list,
    kind_of,
    plain,
    to_json,
)

__all__ = ["read_result"]

_LONG = 200  # characters from which a string in data is a text by itself
_ROWS = 3  # blocks, from which such with a JSON object each are rows of one list
_ENCODED = re.compile(r"(?:data:[\w/+.;=-]*,)?[\w/+=-]*", re.ASCII)  # Base64, a data URL, an id
_SCALARS = (str, int, float, bool, type(None))
# One of these keys stands in a block of a picture or file, and in no record that only has such a type.
_PAYLOADS = {"source", "image_url", "data", "file", "file_id", "file_data", "input_audio", "mimeType",
             "media_type", "mime_type", *PICTURES}  # fmt: skip
_SAME_AS_DATA = ("structuredContent", "structured_content")  # what MCP's content blocks say, once more
_OTHER_BLOCKS = {"resource", "resource_link", "search_result"}


def read_result(result: Any) -> Entry:
    """Read the result of a tool as an entry.

    Pieces of kind "result" are its texts, "records" are data that may become shorter data of the same shape,
    and "rows" blocks of data of which some may go, each with its path;
    "data" is the rest, as JSON. `unknown`: it holds something of no known shape.
    Lone surrogates stand in pieces as they came. Raises ValueError for what is nested too deeply. O(size).
    """
    reader = _ResultReader(role="tool")
    try:
        if _is_message(result):
            given = as_mapping(result)
            entry = _ResultReader().read({} if given is None else given)
        elif hasattr(result, "raw_item"):  # of OpenAI's Agents SDK: what is sent
            reader.bare(result.raw_item, ("raw_item",))
            entry = reader.entry()
        else:
            reader.bare(result, ())
            entry = reader.entry()
    except RecursionError:
        raise ValueError("the result is nested too deeply") from None
    pieces = tuple([piece for piece in entry.pieces if piece.kind != "picture"])
    return replace(entry, role="tool", pieces=pieces)


def _is_message(value: Any) -> bool:
    """Whether what a tool gave is a message of a history, not a block or data."""
    if not isinstance(value, Mapping):
        named = getattr(value, "type", None) in LANGCHAIN_TYPES and hasattr(value, "content")
        return (named or isinstance(getattr(value, "role", None), str)) and as_mapping(value) is not None
    what, role = value.get("type"), value.get("role")
    if role in SPEAKERS or what == "message" or what in LANGCHAIN_TYPES:
        return not value.keys().isdisjoint(("content", "parts", "data"))
    return what == "constructor" and isinstance(value.get("kwargs"), Mapping)


class _ResultReader(MessageReader):
    """Reads data that a tool gave as texts and records, in which any part may become shorter."""

    def bare(self, value: Any, path: Path) -> None:
        """An item or a block of a result without its message, or what such a one holds."""
        shaped = plain(value)
        if isinstance(shaped, Mapping):
            what, fields, inner = kind_of(shaped, path)
            if what in RESULTS or what.endswith("_output"):
                self.tool(fields, inner, what, call=False, result=True)
                return
            blocks = shaped.get("content")
            if _are_blocks(blocks):  # MCP's CallToolResult
                self.output(blocks, (*path, "content"), "")
                same = [key for key in _SAME_AS_DATA if isinstance(shaped.get(key), Mapping)]
                for key in same:
                    self.given(shaped[key], (*path, key), "")
                self.rest(shaped, path, {"content", *same})
                return
        self.output(value, path, "")

    def output(self, value: Any, path: Path, call: str) -> None:
        """Texts and blocks, or data of any shape."""
        if _are_blocks(value):
            if rows := ",\n".join(_json_texts(value)):
                self.pieces.append(Piece(f"[{rows}]", "rows", path, call))
                return
            for number, block in enumerate(value):
                self.output(block, (*path, number), call)
        elif isinstance(value, str):
            self.pieces.append(Piece(value, "result", path, call))
        elif _is_block(value) and plain(value).get("type") != "resource":
            super().output(value, path, call)
        else:
            self.given(value, path, call)

    def given(self, value: Any, path: Path, call: str) -> None:
        """Data: as records, or where most of it is in long strings, each of these as a text, and each long
        list without any as records."""
        shaped = plain(value)
        if not isinstance(shaped, Mapping) and not is_list(shaped):
            self.unknown |= not isinstance(shaped, _SCALARS)
            self.pieces.append(Piece(to_json(shaped), "data", (), call))
            return
        first, unknown = len(self.pieces), self.unknown
        rest = to_json(self._without_texts(value, path, call))
        if sum(len(piece.text) for piece in self.pieces[first:]) < len(rest) and _is_json(value):
            self.unknown = unknown
            self.pieces[first:] = [Piece(to_json(value), "records", path, call)]
        elif len(self.pieces) > first and len(rest) >= _LONG:
            self.pieces[first:], self.unknown = [], unknown
            self.pieces.append(Piece(to_json(self._without_texts(value, path, call, True)), "data", (), call))
        else:
            self.pieces.append(Piece(rest, "data", (), call))

    def _without_texts(self, value: Any, path: Path, call: str, lists: bool = False) -> Any:
        """Data without its long strings, each of which becomes a piece, and so may long lists without any."""
        shaped = plain(value)
        if lists and isinstance(value, list) and _is_json(value):
            first = len(self.pieces)
            inner = self._without_texts(value, path, call)
            if len(self.pieces) == first and len(written := to_json(inner)) >= _LONG:
                self.pieces.append(Piece(written, "records", path, call))
                return []
            del self.pieces[first:]
        if isinstance(shaped, Mapping):
            return {
                key: self._without_texts(inner, (*path, key), call, lists) for key, inner in shaped.items()
            }
        if is_list(shaped):
            return [
                self._without_texts(inner, (*path, number), call, lists)
                for number, inner in enumerate(shaped)
            ]
        if isinstance(shaped, str) and len(shaped) >= _LONG and not _ENCODED.fullmatch(shaped):
            self.pieces.append(Piece(shaped, "result", path, call))
            return ""
        self.unknown |= not isinstance(shaped, _SCALARS)
        return shaped


def _are_blocks(value: Any) -> bool:
    """Whether this is a list of content blocks, and of texts between them."""
    if not is_list(value):
        return False
    blocks = [block for block in value if not isinstance(block, str)]
    return bool(blocks) and all(map(_is_block, blocks))


def _is_block(value: Any) -> bool:
    """Whether this is a block of content: a text, a picture or a resource, not a record with such a type."""
    value = plain(value)
    if not isinstance(value, Mapping):
        return False
    what, fields, inner = kind_of(value, ())
    if what in TEXTS:
        return isinstance(fields.get("text"), str) and ("type" in value or len(value) <= 2)
    if what in PICTURES:
        return bool(inner) or not _PAYLOADS.isdisjoint(fields)
    return what in _OTHER_BLOCKS or what in RESULTS


def _json_texts(blocks: Sequence[Any]) -> list[str]:
    """The texts of blocks that are a JSON object each, as MCP servers write lists; [] of others."""
    texts = []
    for block in blocks if len(blocks) >= _ROWS else ():
        shaped = plain(block)
        text = shaped.get("text") if isinstance(shaped, Mapping) else None
        if not isinstance(text, str) or not shaped.keys() <= {"type", "text"} or text[:1] != "{":
            return []
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return []
        texts.append(text)
    return texts


def _is_json(value: Any) -> bool:
    """Whether this is what JSON gives when it is read: so it comes back as the same types."""
    if type(value) is dict:
        return all(type(key) is str and _is_json(inner) for key, inner in value.items())
    if type(value) is list:
        return all(map(_is_json, value))
    return type(value) in _SCALARS and value == value and value not in (float("inf"), float("-inf"))
