"""The tool that compresses a text of the caller's."""

from __future__ import annotations

from functools import partial
from typing import Any

from tersely import checks
from tersely.documents import to_documents
from tersely.engine.api import compress_in
from tersely.errors import BudgetExceededError
from tersely.mcp.answers import count_tokens, fenced_reply
from tersely.mcp.tools import Tool, ToolError, ToolReply, argument, object_schema
from tersely.types import Frame

__all__ = ["text_tools"]


def text_tools(*, fenced: bool = True) -> list[Tool]:
    """Return the tool `compress_text`. `fenced`: the lines around the text of its reply count, too."""
    return [
        Tool(
            "compress_text",
            "Shorten a text to a token budget by leaving out what matters least. What stays is verbatim; "
            "numbers and names are never rewritten.",
            object_schema(
                ["text"],
                text=argument("string", "The text: prose, Markdown, a log, code, JSON, a diff..."),
                query=argument("string", "What you want to know; omit for the gist"),
                budget=argument(
                    "integer", "Tokens allowed (o200k_base); omit to keep a share of the text", minimum=1
                ),
                ratio=argument(
                    "number",
                    f"Share of the tokens to keep, instead of a budget (default: {checks.SHARE})",
                    minimum=0.01,
                    maximum=1.0,
                ),
            ),
            partial(_compress_text, fenced=fenced),
        )
    ]


def _compress_text(arguments: dict[str, Any], fenced: bool) -> ToolReply:
    budget = arguments.get("budget")
    documents, query = to_documents(arguments["text"]), checks.text(arguments.get("query", ""), "query")
    fenced = fenced and budget is not None and count_tokens(fenced_reply(documents[0].text)) > budget
    frame = Frame(write=lambda parts: [fenced_reply(parts[0])]) if fenced else Frame()
    try:
        result = compress_in(frame, documents, query or None, budget=budget, ratio=arguments.get("ratio"))
    except BudgetExceededError as error:
        raise ToolError.of_budget(error.budget, error.required) from None
    data = {
        "text": result.text,
        "tokens": count_tokens(result.text),
        "original_tokens": result.original_tokens,
        "kept": [[span.start, span.end] for span in result.kept],
        "generated": [list(place) for place in result.generated],  # notes on what was left out
        "content_types": list(result.receipt.content_types),
        "warnings": list(result.receipt.warnings),
    }
    return ToolReply(fenced_reply(result.text), data)
