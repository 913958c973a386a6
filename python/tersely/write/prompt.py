"""Ask a language model about a text: the prompt, with the text as data in it, and the text of the reply."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tersely.core.fence import Fence, fence

__all__ = ["Prompt"]

_THOUGHTS = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """An instruction for a model, with a text as data.

    Attributes:
        template: the words, with fields in braces. {content} becomes the text between two marker lines,
            {rules} what the model must know about these lines (and what was wrong with its reply before),
            {target} a number, {query} the query. Other braces are doubled (`str.format`).
        query: what the reader will ask; "": nothing in particular. Its white space becomes single spaces.
    """

    template: str
    query: str = ""

    def fill(self, content: str, target: int, refused: str = "") -> str:
        """The prompt for `content`, which cannot end its frame: the marker line occurs in no other place.

        `target`: as long as the reply should be. `refused`: what was wrong with the reply before; "": there
        was none.
        """
        around = self._fence(content)
        rules = around.rule
        rules += f" The reply before could not be used: {refused}." if refused else ""
        query = self._query()
        return self.template.format(content=around.put(content), rules=rules, target=target, query=query)

    def read(self, reply: str, content: str) -> str:
        """The text in a reply: without thoughts (<think>), marker lines and white space around it."""
        text = _THOUGHTS.sub("", reply)
        marker = self._fence(content).marker
        if marker in text:
            text = "\n".join(line for line in text.split("\n") if line.strip() != marker)
        return text.strip()

    def _fence(self, content: str) -> Fence:
        return fence(content, self._query())

    def _query(self) -> str:
        return " ".join(self.query.split())
