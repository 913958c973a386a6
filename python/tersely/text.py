"""Read text that is nearly text, read JSON without loss, and write shares as percentages.

Bytes become a `str` in two steps. `decode` makes a lone surrogate of each byte that is no text, as Python
does with names of files, so that `to_bytes` gives the bytes back; `well_formed` makes a text to read of that.
Offsets in characters are the same in both.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import unicodedata
from typing import Any

#: The warning of every door that read something else than it was given.
CHARACTERS_REPLACED = "characters_replaced"

#: How errors tell of data that Python cannot follow to its end; it follows some 900 levels.
TOO_DEEP = "nested too deeply; 500 levels are allowed"

#: Marks at the beginning of a file; those of UTF-32 begin as those of UTF-16 do.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 1 << 12  # bytes that are looked at
_ONE_BYTE = ("windows-1252", "latin-1")  # encodings that are tried; Latin-1 has what the other leaves out
_SURROGATES = re.compile("[\ud800-\udfff]")
_ESCAPED = range(0xDC80, 0xDD00)  # what Python makes of bytes that are no UTF-8
_STRAY = 0.1  # share of bytes that are no UTF-8, or control characters, from which bytes are no text
_WORDS = 0.6  # share of letters, digits and blanks of ASCII that text in Western languages has
_BLANKS = "\t\n\r\f\v\x1b"  # control characters that text has, colours of terminals included
_CONTROLS = bytes(code for code in range(32) if chr(code) not in _BLANKS)
_SEEN = bytes(range(32, 127)) + _BLANKS.encode()
_PLAIN = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n"


def well_formed(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate; the same object where there is none.

    Offsets stay as they are; a pair of surrogates that are two characters are two lone ones. O(characters),
    O(1) for ASCII.
    """
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text)
    return text


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str | None]:
    """Return the text of `data`, and the encoding that was guessed; None where nothing was.

    Without `encoding` it is UTF-8, UTF-16 or UTF-32 by a mark, UTF-16 by its zeros (U+FFFD for what of these
    is no character), Windows-1252 (of which Latin-1 is a part) where no byte beyond ASCII is UTF-8 and it
    gives no control characters, else UTF-8 with a lone surrogate for each byte that is none. Raises
    UnicodeDecodeError where more than a tenth of the bytes are no text, or for what is not of `encoding`;
    LookupError for an unknown one. O(bytes).
    """
    if encoding is not None:
        return data.decode(encoding), None
    if (wide := _wide_encoding(data)) is not None:
        return _of_wide(data, wide), wide
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
        if (guess := _of_one_byte(data, text)) is not None:
            return guess
        good = data.decode("utf-8", "ignore").encode("utf-8").translate(None, _CONTROLS)
        if len(data) - len(good) > _STRAY * len(data):
            raise
        return text, None


def is_binary(head: bytes) -> bool:
    """Whether the first bytes of a file have a zero, and are neither UTF-16 nor UTF-32. O(bytes)."""
    return b"\0" in head and _wide_encoding(head) is None


def to_bytes(text: str) -> bytes:
    """Return the bytes that `decode` read as UTF-8; of any other text its UTF-8, surrogates included."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # surrogates that stand for no byte
        return text.encode("utf-8", "surrogatepass")


def encoding_name(given: str) -> str:
    """Return the name of an encoding of text. Raises ValueError for any other."""
    try:
        found = codecs.lookup(given)
        "".encode(found.name)  # bytes to bytes, such as base64, is no encoding of text
    except LookupError as error:
        raise ValueError(f"unknown encoding {given!r}; known are utf-8, utf-16, latin-1, ...") from error
    return found.name


def _wide_encoding(data: bytes) -> str | None:
    """Tell UTF-16 and UTF-32 by a mark, UTF-16 by its zeros; None for anything else."""
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    return marked or _by_zeros(data[:_HEAD])


def _of_wide(data: bytes, name: str) -> str:
    """Decode UTF-16 or UTF-32, with U+FFFD for invalid units such as lone surrogates."""
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        text = data.decode(name, "replace")
        if text.count("\N{REPLACEMENT CHARACTER}") > _STRAY * len(text):
            raise
        return text


def _by_zeros(head: bytes) -> str | None:
    """Tell UTF-16 without a mark: every other byte is 0, and most of the others are printable ASCII."""
    pairs = len(head) // 2
    first, second = head[0 : 2 * pairs : 2], head[1 : 2 * pairs : 2]
    for name, zeros, letters in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        seen = pairs - len(letters.translate(None, _SEEN))
        if pairs > 1 and min(zeros.count(0), seen) > 0.6 * pairs and letters.count(0) < 0.1 * pairs:
            return name
    return None


def _of_one_byte(data: bytes, text: str) -> tuple[str, str] | None:
    """Return the text in the first encoding of a byte a character in which it has no control characters.

    `text`: read as UTF-8, to tell whether all that is beyond ASCII is no UTF-8.
    """
    beyond = {ord(letter) for letter in set(text) if not letter.isascii()}
    if not beyond <= set(_ESCAPED) or len(data) - len(data.translate(None, _PLAIN)) <= _WORDS * len(data):
        return None
    for name in _ONE_BYTE:
        try:
            read = data.decode(name)
        except UnicodeDecodeError:
            continue
        if not {one for one in set(read) if unicodedata.category(one) == "Cc"} - set(_BLANKS):
            return read, name
    return None


def parse_json(text: str | bytes, what: str) -> Any:
    """Parse JSON; `what` is how an error names it.

    Raises ValueError for anything else, which includes what Python's parser takes and changes: NaN, numbers
    over 1e308, and objects with a key twice; and where lists and objects are nested about 900 deep.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError(f"{what}: lists and objects are {TOO_DEEP}") from None
    except ValueError as error:
        raise ValueError(f"{what} is not JSON: {error}") from None


def json_bytes(value: Any, indent: int | str | None = None) -> bytes:
    """Write JSON as UTF-8; a lone surrogate is written as its escape, so that it survives.

    Raises ValueError for NaN and infinite numbers, which JSON does not have.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"an object has the key {twice[:60]!r} twice")
    return found


def _finite(number: str) -> float:
    found = float(number)
    if not math.isfinite(found):
        raise ValueError(f"{number[:60]} is no number of JSON, which are finite and at most 1.8e308")
    return found


def clipped(text: str, width: int) -> str:
    """Cut a text to `width` characters; a longer one ends in "…"."""
    return text if len(text) <= width else f"{text[: width - 1]}…"


def percent(share: float) -> str:
    """A share as a percentage; "0%" means exactly 0 and "100%" exactly 1."""
    if share in (0, 1) or 0.01 <= share <= 0.99 or share > 1:
        return f"{share:.0%}"
    if share < 0.001:
        return "under 0.1%"
    return "over 99.9%" if share > 0.999 else f"{share:.1%}"
