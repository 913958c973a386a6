"""Find and read the files of a folder that can be indexed, with a note for each that cannot."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tersely.core.files import open_found

__all__ = ["KINDS", "FileNote", "SourceFile", "decode", "find_files", "read_file"]

#: Suffix -> how the file is cut into chunks (chunking.py).
KINDS = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".txt", ".text", ""), "text"),
    ".rst": "rst",
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), "javascript"),
    **dict.fromkeys((".ts", ".mts", ".cts"), "typescript"),
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".inl"), "cpp"),
    ".cs": "csharp",
    ".kt": "kotlin",
    ".swift": "swift",
    ".php": "php",
    ".rb": "ruby",
    ".scala": "scala",
    ".lua": "lua",
    ".sh": "shell",
}
_LOOKED_AT = 8192  # bytes that tell text from binary


@dataclass(frozen=True, slots=True)
class FileNote:
    """Something to know about a file: why it is not in the index, or not quite as it is.

    Attributes:
        path: of the file, relative to the folder.
        reason: "link_outside", "not_a_file", "unreadable", "too_large", "binary", "name_not_utf8" (these are
            left out); "not_utf8" (what is no UTF-8 is shown as U+FFFD).
    """

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to index: its path relative to the folder, with "/", and its kind of KINDS."""

    path: str
    kind: str


def find_files(folder: Path, without: Path | None = None) -> Iterator[SourceFile | FileNote]:
    """List the files under a folder with a suffix of KINDS, sorted by path within each folder.

    Hidden files and folders, symbolic links (what they point to is read where it is) and the folder `without`
    are left out; a link that leads out of the folder gives a note. Nothing outside of the folder is read.
    """
    root = folder.resolve()
    apart = None if without is None else without.resolve()
    closed: list[OSError] = []
    for place, folders, names in os.walk(root, onerror=closed.append):
        here = Path(place)
        links = [name for name in folders if (here / name).is_symlink()]
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in links and (apart is None or here / name != apart)
        )
        for name in sorted([*links, *names]):
            if name.startswith("."):
                continue
            path = (here / name).relative_to(root).as_posix()
            if (here / name).is_symlink():
                if not _is_inside(here / name, root):
                    yield FileNote(_printable_path(path), "link_outside")
            elif (kind := _kind(name)) is not None:
                shown = _printable_path(path)
                yield SourceFile(path, kind) if shown == path else FileNote(shown, "name_not_utf8")
    for error in closed:
        yield FileNote(_printable_path(Path(str(error.filename)).relative_to(root).as_posix()), "unreadable")


def _kind(name: str) -> str | None:
    stem, dot, suffix = name.lower().rpartition(".")
    if dot and suffix == "txt" and stem.endswith(".rst"):  # as Sphinx publishes its sources
        return "rst"
    return KINDS.get(dot + suffix if dot else "")


def read_file(folder: Path, path: str, largest: int) -> bytes | FileNote:
    """Read a file under a folder: its bytes, or a note where it is no text file of at most `largest` bytes.

    No symbolic link is followed at its end, no device or pipe waited for.
    """
    try:
        handle = open_found(folder / path)
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                return FileNote(path, "not_a_file")
            if status.st_size > largest:
                return FileNote(path, "too_large")
            data = file.read(largest + 1)
    except OSError:
        return FileNote(path, "unreadable")
    if len(data) > largest:  # it grew
        return FileNote(path, "too_large")
    if b"\0" in data[:_LOOKED_AT]:
        return FileNote(path, "binary")
    return data


def decode(data: bytes) -> tuple[str, bool]:
    """Decode a file without its byte order mark; and say whether it is UTF-8 (what is not becomes U+FFFD)."""
    try:
        return data.decode("utf-8-sig"), True
    except UnicodeDecodeError:
        return data.decode("utf-8-sig", "replace"), False


def _is_inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root)
    except (OSError, RuntimeError):  # a circle of links
        return False


def _printable_path(path: str) -> str:
    """Return a path as it can be written down: unchanged where it is UTF-8."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")
