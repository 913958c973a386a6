"""Folders to index, and what an index holds."""

from __future__ import annotations

from pathlib import Path

from tersely.retrieval.index import Index

WORDS = {
    "anchor": "The anchor is weighed before the pilot comes aboard, and the chain is washed as it comes up.",
    "pilot": "A pilot knows the sandbanks; she boards from the east and leaves the ship at the outer buoy.",
    "tide": "High water is at six. Ships of more than nine metres enter the harbour an hour before it.",
    "crane": "The crane lifts forty tonnes. It stops when the wind is above sixty kilometres an hour.",
    "lamp": "The lamp of the lighthouse turns once in twelve seconds and is seen from twenty miles away.",
}


def write_folder(folder: Path, words: tuple[str, ...] = tuple(WORDS), version: int = 1) -> None:
    """One Markdown file a word, of several chunks; `version` changes the text of each."""
    folder.mkdir(exist_ok=True)
    for word in words:
        sections = "".join(
            f"## The {word}, part {part}\n\n{WORDS[word] * 4} Version {version}.\n\n" for part in range(3)
        )
        (folder / f"{word}.md").write_text(f"# {word}\n\n{sections}", encoding="utf-8")


def contents(index: Index) -> dict[str, str]:
    """Every chunk by its id."""
    found = {}
    for path in index.files():
        number = 0
        while True:
            try:
                found[f"{path}#{number}"] = index.chunk(f"{path}#{number}").content
            except KeyError:
                break
            number += 1
    assert len(found) == len(index)
    return found


def as_written(place: Path) -> dict[str, bytes]:
    """What the files of an index hold that searches read."""
    return {path.name: path.read_bytes() for path in place.iterdir() if path.suffix in (".sqlite", ".npy")}
