"""Readers of what Debian packages: each turns the unpacked files of a package into (file name, text)."""

from __future__ import annotations

import gettext
import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

Texts = Iterator[tuple[str, str]]  # file name to write, its text


def read(path: Path) -> str:
    data = path.read_bytes()
    if path.suffix in (".gz", ".dz"):
        data = gzip.decompress(data)
    return data.decode("utf-8", "replace")


def pages(root: Path) -> Texts:
    """Web pages and plain text; sources that the pages were made of, and change logs, are left out."""
    for path in sorted(root.rglob("*")):
        left_out = "changelog" in path.name.lower() or "_sources" in path.parts
        if left_out or not path.is_file() or path.is_symlink():
            continue
        if re.search(r"\.(html|page|utf8)(\.en)?$", path.name):
            yield f"{path.relative_to(root)}.html", read(path)
        elif re.search(r"\.(txt|md)(\.gz)?$|/usr/share/state/", str(path)):
            yield f"{path.relative_to(root)}.txt", read(path)


def manual_pages(root: Path) -> Texts:
    """roff without its requests: the words of .B, .I and the like stay."""
    for path in sorted(root.rglob("man[0-9]/*.gz")):
        lines = []
        for line in read(path).splitlines():
            if re.match(r"\.(SH|SS|PP|P|TP|LP|IP|HP|sp|br|RS|RE)\b", line):
                lines.append("")
                if line[1:3] in ("SH", "SS"):
                    lines += [line[3:].strip().strip('"'), ""]
            elif re.match(r"\.(B|I|BR|IR|RB|RI|BI|IB|SM|SB)\s", line):
                lines.append(" ".join(re.findall(r'"[^"]*"|\S+', line)[1:]).replace('"', ""))
            elif not line.startswith((".", "'")):
                lines.append(line)
        text = re.sub(r"\\f(\[\w*\]|\w)|\\s[+-]?\d|\\[&/,|^%]", "", "\n".join(lines))
        text = re.sub(r"\\\((?:aq|cq|oq)", "'", text.replace("\\-", "-").replace("\\e", "\\"))
        text = re.sub(r"\\\([lr]q|\\\[[lr]q\]", '"', text)
        yield str(path.relative_to(root)) + ".txt", text


def wordnet(root: Path) -> Texts:
    """Words with their gloss, a folder for each lexicographer's field (persons, plants, motion, ...), and the
    example sentences of each part of speech."""
    for path in sorted(root.rglob("wordnet/data.*")):
        meanings: dict[str, list[str]] = {}
        examples = []
        for line in read(path).splitlines():
            if line.startswith("  ") or " | " not in line:
                continue
            fields, gloss = line.split(" | ", 1)
            parts = fields.split()
            words = parts[4 : 4 + 2 * int(parts[3], 16) : 2]
            names = ", ".join(re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in words[:3])
            meaning = re.sub(r'[;:]?\s*"[^"]*"?', "", gloss).strip(" ;")
            meanings.setdefault(parts[1], []).append(f"{names}: {meaning}.")
            examples += [example.strip() for example in re.findall(r'"([^"]+)"', gloss)]
        for field, entries in sorted(meanings.items()):
            yield f"wordnet-{field}/meanings.txt", "\n\n".join(entries)
        yield f"wordnet-{path.suffix[1:]}/examples.txt", "\n\n".join(examples)


def dictionary(root: Path) -> Texts:
    """dictd: entries are parted by blank lines; marks of cross-reference and etymologies go."""
    for path in sorted(root.rglob("*.dict.dz")):
        text = re.sub(r"\[(1913 Webster|PJC|WordNet[^\]]*|L\.[^\]]*|Webster[^\]]*)\]|[{}\\]", "", read(path))
        yield path.stem + ".txt", re.sub(r"(?m)^ +", "", text)


def pod(root: Path) -> Texts:
    for path in sorted(root.rglob("*.pod")):
        prose = [line for line in read(path).splitlines() if not line.startswith((" ", "\t"))]
        text = re.sub(r"(?m)^=\w+\s*", "", "\n".join(prose))
        yield path.stem + ".txt", re.sub(r"[A-Z]<+\s?([^<>]*?)\s?>+", r"\1", text)


def messages(root: Path) -> Texts:
    """The originals of a program's or game's messages, which stand beside their translations."""
    originals: dict[str, None] = {}
    for path in sorted(root.rglob("*.mo")):
        try:
            with path.open("rb") as file:
                catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
        except ValueError:  # not in the encoding that it says, or a damaged header
            continue
        originals.update(
            dict.fromkeys(key.split("\x04")[-1].split("^")[-1] for key in catalogue if isinstance(key, str))
        )
    yield "originals.txt", plain("\n\n".join(originals))


def plain(text: str) -> str:
    """Without markup, underscores that mark keys and place holders."""
    return re.sub(r"<[^<>\n]*>|\$\|?\w+\|?|%[-\d.]*\w|[*_]", "", text)


def novels(root: Path) -> Texts:
    """Strings of an R database: zlib streams of R's own serialization, one string a line of a book."""
    for path in sorted(root.rglob("data/*.rdb")):
        data, number = path.read_bytes(), 0
        for start in (found.start() for found in re.finditer(rb"x\x9c", data)):
            try:
                values = zlib.decompressobj().decompress(data[start:])
            except zlib.error:
                continue
            strings = []
            for found in re.finditer(rb"\x00\x04\x00\x09(....)", values, re.DOTALL):
                end = found.end() + int.from_bytes(found[1])
                strings.append(values[found.end() : end].decode("utf-8", "replace"))
            number += 1
            yield f"{path.stem}-{number}.txt", "\n".join(strings)


FORMATS: dict[str, Callable[[Path], Texts]] = {
    "pages": pages,
    "man": manual_pages,
    "wordnet": wordnet,
    "dict": dictionary,
    "pod": pod,
    "messages": messages,
    "novels": novels,
}
