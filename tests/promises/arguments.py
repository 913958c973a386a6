"""Random arguments of the doors: queries, places, options, readers, models, strategies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import tersely
from tersely.content.registry import CONTENT_TYPES
from tersely.engine.strategies import STRATEGIES, Auto
from tersely.strategies import (
    Abstractive,
    CompressionMethod,
    ExtractiveCompressor,
    Hierarchical,
    HierarchicalCompressor,
    Hybrid,
    Incremental,
)
from tersely.types import PRESERVABLE

from promises.counters import function_of
from promises.documents import words

LEVELS = ["character", "word", "clause", "sentence", "paragraph", "section"]
SEPARATORS = ["\n\n", "\n\n", "\n", "", " ", "\n---\n", "é…", "[...]", "separator " * 5]


def query(random: Random, texts: Sequence[str]) -> str | None:
    """A question: none, of words that may be there, a piece of a text, or nonsense."""
    text = random.choice(texts) if texts else ""
    at = random.randint(0, len(text))
    return random.choice([None, None, words(random, 5), text[at : at + 30], "", " ", "xyzzy", "the"])


_BORDERS = "<>\"':,|&=/{}[]-#\n\r\t "


def span(random: Random, texts: Sequence[str]) -> Any:
    """A place in a text, or what stands there: anywhere, or from and to borders of syntax."""
    index = random.choice([index for index, text in enumerate(texts) if text])
    text = texts[index]
    start = random.randrange(len(text))
    while random.random() < 0.95 and start and text[start - 1] not in _BORDERS:
        start -= 1
    end = min(start + random.choice([1, 5, 12, 60, 600]), len(text))
    while random.random() < 0.95 and end < len(text) and text[end] not in _BORDERS:
        end += 1
    return random.choice([(index, start, end), (index, start, end), text[start:end]])


def spans(random: Random, texts: Sequence[str], share: float) -> list[Any]:
    """Mostly none."""
    if random.random() >= share or not any(texts):
        return []
    return [span(random, texts) for _ in range(random.choice([1, 1, 2, 4, 80]))]


def extractive(random: Random) -> tersely.Extractive:
    """Options for text."""
    if random.random() < 0.3:
        return tersely.Extractive()
    preserve = random.sample(list(PRESERVABLE), random.choice([0, 0, 1, 2, 4]))
    return tersely.Extractive(
        level=random.choice(LEVELS),  # type: ignore[arg-type]
        scoring=random.choice(["auto", "relevance", "lexical", "centrality", "lead"]),
        redundancy=random.choice([None, 0.0, 0.3, 1.0]),
        context=random.choice([0, 0, 1, 3]),
        preserve_structure=random.random() < 0.3,
        preserve=tuple(preserve),
        strict_preserve=bool(preserve) and random.random() < getattr(random, "strict", 0.5),
        window=random.choice([1, 7, 30, 200]),
        position_floor=random.choice([None, 0.1]),
    )


def reader(random: Random) -> Any:
    """A reader of a content type, with options."""
    from tersely.content.code import Code
    from tersely.content.conversation import Conversation
    from tersely.content.diff import Diff
    from tersely.content.html import Html
    from tersely.content.json import Json
    from tersely.content.logs import Logs
    from tersely.content.stack_trace import StackTrace
    from tersely.content.tables import Table
    from tersely.content.tool_output import ToolOutput

    yes = random.random() < 0.5
    number = random.randrange(4)
    return random.choice(
        [
            lambda: Code(language=random.choice([None, "python", "go", "c"]), show_lines=yes),
            lambda: Conversation(recent=number, with_query=yes),
            lambda: Diff(applies=yes),
            Html,
            lambda: Json(minify=yes, tables=random.random() < 0.5),
            lambda: Logs(context=number, notes=yes),
            lambda: StackTrace(own=random.choice([(), ("app",), ("com.acme",)])),
            lambda: Table(delimiter=random.choice(["", ",", "|"]), header=yes),
            lambda: ToolOutput(context=number),
        ]
    )()


def model(random: Random) -> Callable[[str], str]:
    """A language model: says again what it read, nothing, too much, or fails."""
    kind = random.choice(["echo", "short", "nothing", "long", "raises", "made up"])

    def complete(prompt: str) -> str:
        if kind == "raises":
            raise RuntimeError("the model is away")
        kept = prompt.split()
        return {
            "echo": " ".join(kept[30:80]),
            "short": " ".join(kept[40:44]) or "a",
            "nothing": "",
            "long": prompt * 3,
            "made up": "Gate 99 was moved to Atlantis on 2031-01-01. `x = 1`",
        }[kind]

    return complete


def strategy(random: Random) -> Callable[[], Any]:
    """What makes a strategy, anew for each call: some have a memory."""
    options, texts = extractive(random), model(random)
    preserve = tuple(random.sample(["code", "quotes", "numbers"], random.randrange(4)))
    strict = random.random() < getattr(random, "strict", 0.3)
    written: dict[str, Any] = {
        "preserve": preserve,
        "strict_preserve": strict,
        "min_confidence": random.choice([0.0, 0.7]),
        "fallback": True,
        "max_prompt_tokens": random.choice([None, 2000]),
    }
    number, made = random.randint(1, 5), reader(random)
    name = random.choice([*STRATEGIES, *CONTENT_TYPES])
    as_type = random.choice([None, None, *CONTENT_TYPES])
    threshold = random.choice([10, 2000])
    makers: list[Callable[[], Any]] = [
        lambda: None,
        lambda: name,
        lambda: options,
        lambda: made,
        lambda: Auto(as_type=as_type, text=options),
        lambda: Auto(as_type=made, text=options),
        lambda: Hierarchical(number, options),
        lambda: Incremental(options),
        lambda: Abstractive(texts, extractive=options, **written),
        lambda: Hybrid(texts, extractive=options, threshold=threshold, **written),
        lambda: ExtractiveCompressor(level=options.level),
        lambda: HierarchicalCompressor(number),
    ]
    return random.choice([makers[0], makers[0], *makers])


def fills(strategy: Any) -> bool:
    """Whether a strategy uses a budget as far as it can: not one of levels, shares or a model's words."""
    return strategy in (None, "auto", "extractive", "lead", *CONTENT_TYPES) or isinstance(
        strategy, (tersely.Extractive, Auto)
    )


def given(random: Random, texts: Sequence[str]) -> Any:
    """Texts as documents, in some form; what is known of them, too."""
    if len(texts) == 1 and random.random() < 0.3:
        return texts[0]
    if random.random() < 0.5:
        return list(texts)
    return [
        {
            "text": text,
            "id": random.choice([None, f"id {index}"]),
            "title": random.choice([None, words(random, 3)]),
            "score": random.choice([None, 0.0, 0.5, 2.0]),
            "name": random.choice([None, "a.py", "b.log", "c.json", "d.md", "notes"]),
            "metadata": random.choice([{}, {"content_type": random.choice([*CONTENT_TYPES, "text/html"])}]),
        }
        for index, text in enumerate(texts)
    ]


def options(random: Random, texts: Sequence[str]) -> dict[str, Any]:
    return {
        "min_tokens": random.choice([0, 100]),
        "preferred_method": random.choice(list(CompressionMethod)),
        "allow_hybrid": random.random() < 0.8,
        "preserve_code": random.random() < 0.5,
        "preserve_quotes": random.random() < 0.5,
        "preserve_numbers": random.random() < 0.5,
        "query_context": query(random, texts) or "",
        "min_confidence": random.choice([0.0, 0.7]),
        "strict_preserve": random.random() < getattr(random, "strict", 0.2),
    }


def tokens_of(texts: Sequence[str], separator: str, counter: str) -> int:
    return function_of(counter)(separator.join(texts))
