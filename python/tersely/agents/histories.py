"""Shorten the results of tools in a history that is sent to a model, the same way on every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tersely.agents.tool_results import ToolResultCompressor
from tersely.core.cache import BoundedCache, digest_of
from tersely.history.hints import called_arguments, called_tools
from tersely.history.messages import MessageReader, Path, is_list, plain, read_messages, to_json
from tersely.history.writing import with_texts

__all__ = ["ResultShortener"]

_CACHE_BYTES = 16 * 2**20  # a history comes again on every turn


class ResultShortener:
    """Shortens what tools gave in histories; what was sent on earlier turns stays the same bytes.

    A result is read with regard to the question that the user had asked last before it, so it does not matter
    what comes after it. Thread-safe; one may serve many conversations.
    """

    def __init__(self, compressor: ToolResultCompressor) -> None:
        """`compressor` says how long a result may be."""
        self._compressor = compressor
        self._made: BoundedCache[Any] = BoundedCache(_CACHE_BYTES)

    def shorten(self, messages: Sequence[Any]) -> list[Any]:
        """Return the messages with shorter tool results; all other messages are the same objects.

        Each result may have the whole budget, and is read as what its call says it is, also where one message
        has several.
        A history that cannot be read is given as it came. O(characters), for results that were not seen yet.
        """
        try:
            entries = read_messages(messages)
        except (TypeError, ValueError):
            return list(messages)
        names: dict[str, str] = {}
        arguments: dict[str, str] = {}
        question, sent = "", []
        for message, entry in zip(messages, entries, strict=True):
            names |= called_tools([entry])
            arguments |= called_arguments([entry])
            calls = [*entry.answers, *(piece.call for piece in entry.pieces if piece.kind == "result")]
            blocks = _result_blocks(message)
            if blocks:  # each is of a call of its own
                made = {
                    path: self._shorten_block(message, path, question, names.get(call), arguments.get(call))
                    for path, call in blocks.items()
                }
                sent.append(with_texts(message, {path: block for path, block in made.items() if block}))
            elif calls:
                name = names.get(calls[0]) or entry.name
                sent.append(self.shorten_one(message, question, name, arguments.get(calls[0])))
            else:
                sent.append(message)
            if entry.role == "user":
                asked = "\n".join(piece.text for piece in entry.pieces if piece.kind == "text")
                question = asked if asked or not calls else question
        return sent

    def _shorten_block(
        self, message: Any, path: Path, question: str, name: str | None, arguments: str | None
    ) -> Any:
        """One block of a message made shorter, as if it stood there alone; None where it stays."""
        key, number = path
        alone = with_texts(message, {(key,): [_field(message, key)[number]]})
        short = self.shorten_one(alone, question, name or "", arguments)
        return None if short is alone else _field(short, key)[0]

    def shorten_one(self, result: Any, question: str, name: str, arguments: Any = None) -> Any:
        """A message, or another result, made shorter; the same for the same question, name and arguments."""
        written = to_json(result)
        key = digest_of([question, name, to_json(arguments), written])
        made = self._made.get(key)
        if made is None:
            made = self._compressor.compress_or_leave(result, question or None, name or None, arguments)
            self._made.put(key, made, 4 * len(written))
        return made


def _result_blocks(message: Any) -> dict[Path, str]:
    """The blocks of a message that are results of tools: where they stand, and the calls' ids."""
    found: dict[Path, str] = {}
    for key in ("content", "parts"):
        blocks = _field(message, key)
        for number, block in enumerate(blocks if is_list(blocks) else ()):
            shaped = plain(block)
            if isinstance(shaped, Mapping):
                reader = MessageReader()
                reader.block(shaped, ())
                results = (piece.call for piece in reader.pieces if piece.kind == "result")
                if calls := [*reader.answers, *results]:
                    found[key, number] = calls[0]
    return found


def _field(message: Any, key: Any) -> Any:
    return message.get(key) if isinstance(message, Mapping) else getattr(message, key, None)
