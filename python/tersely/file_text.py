"""The text of files that hold more than text: notebooks, Word documents and PDF."""

from __future__ import annotations

import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tersely.errors import MissingExtraError, needs
from tersely.text import decode
from tersely.types import Document

#: Metadata of a document with such a text, whose name says something else.
READ_AS = {"content_type": "markdown"}
_MOST_BYTES = 1 << 29  # that a Word document may unpack to
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_FENCE = re.compile(r"^`{3,}", re.MULTILINE)
_HEADING = re.compile(r"heading ([1-6])$|title$")


def read_path(path: str | os.PathLike[str]) -> Document:
    """Read a file as a document named by its path: text in any encoding, or one of `READABLE`.

    Raises OSError, ValueError if it holds no text, MissingExtraError for PDF and Word without the extra.
    """
    name = os.fspath(path)
    data = Path(name).read_bytes()
    text = file_text(name, data)
    if text is None:
        return Document(decode(data)[0], name, name=name)
    return Document(text, name, metadata=READ_AS)


def file_text(name: str, data: bytes) -> str | None:
    """Return the text of a notebook, a Word document or a PDF; None for a file of any other name.

    A notebook becomes Markdown, with its code, output and errors in fences, and without ids and pictures. A
    Word document becomes Markdown with headings, items and tables. O(bytes). Raises ValueError for a file
    that is damaged or holds no text, MissingExtraError if the extra `documents` is not installed. None
    also for a file that is named like a notebook but is none: it is read as plain text.
    """
    read = READABLE.get(name[name.rfind(".") :].lower())
    if read is None:
        return None
    try:
        text = "\n\n".join(part for one in read(data) if (part := one.strip("\n")))
    except MissingExtraError:
        raise
    except Exception as error:  # of readers that are not ours, for what is damaged
        if read is _notebook:
            return None
        raise ValueError(f"{name} cannot be read: {type(error).__name__}: {error}") from error
    if not text.strip():
        raise ValueError(f"{name} holds no text (pictures of pages need OCR first)")
    return text


def _notebook(data: bytes) -> Iterator[str]:
    notebook = json.loads(data)
    language = notebook.get("metadata", {}).get("kernelspec", {}).get("language", "python")
    for cell in notebook["cells"]:
        source = _joined(cell["source"])
        yield _fenced(source, language) if cell["cell_type"] == "code" else source
        for output in cell.get("outputs", ()):
            if "traceback" in output:
                said = "\n".join(output["traceback"])
            elif "text" in output:
                said = _joined(output["text"])
            else:
                shown = output.get("data", {})
                said = _joined(shown.get("text/plain", shown.get("text/markdown", "")))
            yield _fenced(_COLOURS.sub("", said), "")


def _joined(lines: Any) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _fenced(text: str, language: str) -> str:
    """The text between fences longer than any within it; "" if the text is blank."""
    fence = "`" * (1 + max((len(found) for found in _FENCE.findall(text)), default=2))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}" if text.strip() else ""


def _word(data: bytes) -> Iterator[str]:
    with needs("python-docx", "documents"):
        from docx import Document as WordDocument
        from docx.table import Table
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        if sum(one.file_size for one in packed.infolist()) > _MOST_BYTES:
            raise ValueError(f"it unpacks to more than {_MOST_BYTES:,} bytes")
    document = WordDocument(io.BytesIO(data))
    for part in document.part.package.iter_parts():
        root = getattr(part, "element", None)
        if root is not None and root.getroottree().docinfo.internalDTD is not None:
            raise ValueError("it has a document type of its own, which Word never writes")  # text may be lost
    for block in document.iter_inner_content():
        if isinstance(block, Table):
            rows = [[" ".join(cell.text.split()) for cell in row.cells] for row in block.rows]
            rows[1:1] = [["---"] * len(rows[0])] if rows else []
            yield "\n".join(f"| {' | '.join(row)} |" for row in rows)
            continue
        style = str(block.style.name or "").lower() if block.style is not None else ""
        heading = _HEADING.match(style)
        marks = "#" * int(heading[1] or 1) + " " if heading else "- " if style.startswith("list") else ""
        yield marks + block.text if block.text.strip() else ""


def _pdf(data: bytes) -> Iterator[str]:
    with needs("pypdf", "documents"):
        from pypdf import PdfReader
    for page in PdfReader(io.BytesIO(data)).pages:
        yield page.extract_text()


#: Suffix -> what reads the bytes of such a file.
READABLE = {".ipynb": _notebook, ".docx": _word, ".pdf": _pdf}
