"""Text out of bytes: in the encoding that was named, else UTF-8, else what the bytes look like."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Sequence

__all__ = ["decode", "encoding_name"]

#: Marks at the beginning of a file; those of UTF-32 begin as those of UTF-16 do.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 1 << 12  # bytes that are looked at
_BLANKS = "\t\n\r\f\v\x1b"  # control characters that text has, colours of terminals included


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str | None]:
    """Return the text of `data`, and the encoding that was guessed; None where nothing was.

    Without `encoding` it is UTF-8, UTF-16 or UTF-32 by a mark, UTF-16 by its zeros, or Windows-1252 (of which
    Latin-1 is a part) where that gives no control characters. Raises UnicodeDecodeError where it is none of
    them, or not of `encoding`; LookupError for an encoding that Python does not know.
    """
    if encoding is not None:
        return data.decode(encoding), None
    for mark, name in _MARKS:
        if data.startswith(mark):
            return data.decode(name), name
    if (found := _by_zeros(data[:_HEAD])) is not None:
        return data.decode(found), found
    try:
        return data.decode("utf-8"), None
    except UnicodeDecodeError:
        text = _readable(data, ("windows-1252", "latin-1"))
        if text is None:
            raise
        return text


def encoding_name(given: str) -> str:
    """Return the name of an encoding of text. Raises ValueError for any other."""
    try:
        found = codecs.lookup(given)
        "".encode(found.name)  # bytes to bytes, such as base64, is no encoding of text
    except LookupError as error:
        raise ValueError(f"unknown encoding {given!r}; known are utf-8, utf-16, latin-1, ...") from error
    return found.name


def _by_zeros(head: bytes) -> str | None:
    """Tell UTF-16 without a mark: of ASCII, every other byte is 0."""
    pairs = len(head) // 2
    if pairs < 2:
        return None
    even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if odd > 0.6 * pairs and even < 0.1 * pairs:
        return "utf-16-le"
    return "utf-16-be" if even > 0.6 * pairs and odd < 0.1 * pairs else None


def _readable(data: bytes, encodings: Sequence[str]) -> tuple[str, str] | None:
    """Return the text in the first of the encodings in which it has no control characters."""
    for name in encodings:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        controls = {one for one in set(text) if unicodedata.category(one) == "Cc"} - set(_BLANKS)
        if not controls and _mostly_words(data):
            return text, name
    return None


def _mostly_words(data: bytes) -> bool:
    """Say whether most of the bytes are ASCII letters, digits and blanks, as of text in Western languages."""
    plain = sum(
        data.count(one) for one in b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 \n"
    )
    return plain > 0.6 * len(data)
