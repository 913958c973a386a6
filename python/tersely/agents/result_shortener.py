"""Shorten a history's tool results, the same way on every turn: for gateways and integrations."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tersely.agents.tool_results import ToolResultCompressor, ToolResultReport
from tersely.cache import BoundedCache, digest_of
from tersely.documents import value_of
from tersely.memory.messages import MessageReader, Path, calls_of, is_list, plain, read_messages, to_json
from tersely.memory.writing import with_texts

#: How a model gets a whole result behind a gateway: LiteLLM offers it a tool of this name, and headroom's
#: proxy does where it reads "Retrieve original: hash=".
RETRIEVE_WITH = "headroom_retrieve (Retrieve original: hash={id})"
_CACHE_BYTES = 16 * 2**20  # a history comes again on every turn


class ResultShortener:
    """Shortens tool results in histories; those of earlier turns stay the same bytes.

    A result is read with regard to the question that the user had asked last before it, so it does not matter
    what comes after it. Thread-safe; one may serve many conversations.
    """

    def __init__(self, compressor: ToolResultCompressor) -> None:
        """`compressor` says how long a result may be."""
        self._compressor = compressor
        self._made: BoundedCache[Any] = BoundedCache(_CACHE_BYTES)

    def shorten(
        self,
        messages: Sequence[Any],
        *,
        among: Container[int] | None = None,
        told: list[ToolResultReport] | None = None,
    ) -> list[Any]:
        """Return the messages with shorter tool results; all other messages are the same objects.

        Each result may have the whole budget, and is read as what its call says it is, also where one message
        has several.
        A history that cannot be read is given as it came. O(characters), for results that were not seen yet.

        Args:
            messages: a history.
            among: numbers of the messages that may change; None: all.
            told: gets the report on each result, also of one that was made shorter on an earlier turn.
        """
        told = [] if told is None else told
        try:
            entries = read_messages(messages)
        except (TypeError, ValueError):
            return list(messages)
        called: dict[str, str] = {}
        question, sent = "", []
        for number, (message, entry) in enumerate(zip(messages, entries, strict=True)):
            called |= calls_of([entry])
            calls = [*entry.answers, *(piece.call for piece in entry.pieces if piece.kind == "result")]
            if among is not None and number not in among:
                sent.append(message)
            elif blocks := _result_blocks(message):  # each is of a call of its own
                made = {
                    path: self._shorten_block(message, path, question, called.get(call, ""), told)
                    for path, call in blocks.items()
                }
                sent.append(with_texts(message, {path: block for path, block in made.items() if block}))
            elif calls:
                name, _, arguments = called.get(calls[0], "").partition(" ")
                sent.append(self.shorten_one(message, question, name or entry.name, arguments or None, told))
            else:
                sent.append(message)
            if entry.role == "user":
                asked = "\n".join(piece.text for piece in entry.pieces if piece.kind == "text")
                question = asked if asked or not calls else question
        return sent

    def _shorten_block(
        self,
        message: Any,
        path: Path,
        question: str,
        call: str,
        told: list[ToolResultReport],
    ) -> Any:
        """One block of a message made shorter, as if it stood there alone; None where it stays.

        `call`: name and arguments of its call.
        """
        key, number = path
        name, _, arguments = call.partition(" ")
        alone = with_texts(message, {(key,): [value_of(message, key)[number]]})
        short = self.shorten_one(alone, question, name, arguments or None, told)
        return None if short is alone else value_of(short, key)[0]

    def shorten_one(
        self,
        result: Any,
        question: str,
        name: str,
        arguments: Any = None,
        told: list[ToolResultReport] | None = None,
    ) -> Any:
        """A message, or another result, made shorter; the same for the same question, name and arguments."""
        written = to_json(result)
        key = digest_of([question, name, to_json(arguments), written])
        made = self._made.get(key)
        if made is None:
            reports: list[ToolResultReport] = []
            compressor = replace(self._compressor, report=reports.append, session="")
            short = compressor.compress_or_leave(result, question or None, name or None, arguments)
            made = short, reports[0]
            self._made.put(key, made, 4 * len(written))
            if self._compressor.report is not None:
                self._compressor.report(reports[0])
        if told is not None:
            told.append(made[1])
        return made[0]


def _result_blocks(message: Any) -> dict[Path, str]:
    """Return the blocks of a message that are results of tools, with places and ids of calls."""
    found: dict[Path, str] = {}
    for key in ("content", "parts"):
        blocks = value_of(message, key)
        for number, block in enumerate(blocks if is_list(blocks) else ()):
            shaped = plain(block)
            if isinstance(shaped, Mapping):
                reader = MessageReader()
                reader.block(shaped, ())
                results = (piece.call for piece in reader.pieces if piece.kind == "result")
                if calls := [*reader.answers, *results]:
                    found[key, number] = calls[0]
    return found
