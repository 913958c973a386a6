"""Tuned and reported: two halves of the questions that share no document with an answer in it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = ["BOTH", "HALVES", "REPORTED", "TUNED", "document_names", "half_of", "halves_of"]

TUNED, REPORTED, BOTH = HALVES = ("tuned", "reported", "both")
#: Mixed into the hash. This one leaves each development set with enough questions in both halves.
_SALT = b"halves"


def half_of(name: str) -> str:
    """The half of a document, from a hash of its name (or text) alone."""
    return (TUNED, REPORTED)[hashlib.blake2b(name.encode(), key=_SALT, digest_size=1).digest()[0] & 1]


def document_names(row: dict[str, Any], question: dict[str, Any]) -> list[str]:
    """What tells the documents that hold the evidence of a question from all others.

    The title, which translations and paragraphs of one article share; the text, where a row has one document.
    """
    documents = row["documents"]
    if len(documents) == 1:
        return [str(documents[0]["text"])]
    gold = dict.fromkeys(piece["doc"] for piece in question["evidence"])
    return [str(documents[index].get("title") or documents[index]["text"]) for index in gold]


def halves_of(names: Sequence[list[str]]) -> list[str]:
    """The half of each question, given the documents of each.

    Questions that share a document, directly or over other questions, are in the same half: that of the least
    of all their names. Union-find, O(names).
    """
    parent: dict[str, str] = {}
    for group in names:
        for name in group:
            parent.setdefault(name, name)
        _join(parent, group)
    least: dict[str, str] = {}
    for name in parent:
        root = _root(parent, name)
        least[root] = min(least.get(root, name), name)
    return [half_of(least[_root(parent, group[0])]) for group in names]


def _join(parent: dict[str, str], group: Iterable[str]) -> None:
    first, *others = (_root(parent, name) for name in group)
    for other in others:
        parent[_root(parent, other)] = _root(parent, first)


def _root(parent: dict[str, str], name: str) -> str:
    while parent[name] != name:
        parent[name] = parent[parent[name]]
        name = parent[name]
    return name
