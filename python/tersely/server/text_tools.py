"""The tool that compresses a text of the caller's."""

from __future__ import annotations

from typing import Any

import tersely
from tersely.server.replies import fenced_reply, fit_reply
from tersely.server.tools import Tool, ToolReply

__all__ = ["text_tools"]


def text_tools() -> list[Tool]:
    """Return the tool `compress_text`."""
    return [
        Tool(
            "compress_text",
            "Shorten a text to a token budget by leaving out what matters least. What stays is verbatim; "
            "numbers and names are never rewritten.",
            {
                "type": "object",
                "properties": {
                    "text": {
                        "type": "string",
                        "description": "The text: prose, Markdown, a log, code, JSON, a diff...",
                    },
                    "query": {"type": "string", "description": "What you want to know; omit for the gist"},
                    "budget": {
                        "type": "integer",
                        "description": "Tokens allowed (o200k_base); omit to keep `ratio` of the text",
                        "minimum": 1,
                    },
                    "ratio": {
                        "type": "number",
                        "description": "Share of the tokens to keep where there is no budget (default: 0.3)",
                        "default": 0.3,
                        "minimum": 0.01,
                        "maximum": 1.0,
                    },
                },
                "required": ["text"],
            },
            _compress_text,
        )
    ]


def _compress_text(arguments: dict[str, Any]) -> ToolReply:
    budget = arguments.get("budget")

    def compress(room: int | None) -> tersely.Compressed:
        query, ratio = arguments.get("query") or None, arguments["ratio"]
        return tersely.compress(arguments["text"], query, budget=room, ratio=ratio, strategy="auto")

    if budget is None:
        result = compress(None)
        text = fenced_reply(result.text)
    else:
        result, text = fit_reply(compress, lambda made: fenced_reply(made.text), budget)
    data = {
        "text": result.text,
        "tokens": result.tokens,
        "original_tokens": result.original_tokens,
        "kept": [[span.start, span.end] for span in result.kept],
        "generated": [list(place) for place in result.generated],  # notes on what was left out
        "content_types": list(result.receipt.content_types),
        "warnings": list(result.receipt.warnings),
    }
    return ToolReply(text, data)
