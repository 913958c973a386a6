"""Tools to manage the segments of an agent's context: store, list, compress, expand, plan, apply, search."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from tersely.mcp.tools import TOP_N, Tool, ToolError, ToolReply, argument, tool, tools_of
from tersely.memory import CompressionResult, ContextState, SegmentMemory, SegmentType
from tersely.memory.segments.memory import PLACES
from tersely.memory.segments.policy import ContextPlan
from tersely.memory.segments.segment import CompressedSegment
from tersely.writing.prompt import fence, shown_name

__all__ = ["MemoryTools"]

_TARGET = argument(
    "number", "Target size (0.6 = 60% of original)", default=0.6, exclusiveMinimum=0, maximum=1
)
_COMPRESSION: dict[str, Any] = {  # the arguments of a compression, beside the segments
    "preserve_metadata": {
        "anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}],
        "description": "Specific metadata fields to preserve (default: file_path, line_number, active_state)",
        "default": None,
    },
    "target_compression_ratio": _TARGET,
    "preserve_active_state": argument("boolean", "Whether to preserve active state info", default=True),
}


def _names(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description, **more}


_STATE: dict[str, Any] = {
    "task": argument("string", "What you are doing; segments about something else are irrelevant"),
    "active_ids": _names("Segments being worked on: kept", default=[]),
    "active_files": _names("Files being worked on: segments about them are kept", default=[]),
    "protected_ids": _names("Segments that must stay as they are", default=[]),
    "completed_ids": _names("Segments that are finished", default=[]),
    "completed_topics": _names("Topics that are finished", default=[]),
    "needed_ids": _names("Segments needed soon", default=[]),
    "target_compression_ratio": _TARGET,
}


@dataclass(frozen=True, slots=True)
class MemoryTools:
    """The tools of a server that manage the notes of an agent in one memory."""

    memory: SegmentMemory

    def tools(self) -> list[Tool]:
        """Return the tools."""
        return tools_of(self)

    @tool(
        "Store a segment of your context. Nothing stored is ever lost; under an id that is known, "
        "the new text takes the place of the old one.",
        ["text"],
        read_only=False,
        text=argument("string", "The segment"),
        segment_id=argument("string", "Your name for it; omit to have one made"),
        type=argument(
            "string",
            "What it is (default: conversation_message)",
            default="conversation_message",
            enum=[str(kind) for kind in SegmentType],
        ),
        file_path=argument("string", "The file it is about"),
        line_number=argument("integer", "The line there", minimum=0),
        topic=argument("string", "What it is about"),
        timestamp=argument("string", "ISO 8601 with a zone; omit for now"),
    )
    def store_context_segment(self, arguments: dict[str, Any]) -> ToolReply:
        """Store a segment; the reply has its id."""
        known = {name: value for name, value in arguments.items() if name != "text"}
        if "timestamp" in known:
            known["timestamp"] = _time(known["timestamp"])
        store, id, text = self.memory.store, known.get("segment_id"), arguments["text"]
        replaced = id is not None and id in store and store.get(id).text != text
        segment = self.memory.store_context_segment(text, **known)
        name = shown_name(segment.segment_id)
        data = {"segment_id": segment.segment_id, "tokens": segment.tokens, "replaced": replaced}
        told = " It takes the place of the text that had this id, which stays stored." if replaced else ""
        return ToolReply(f"Stored {name}: {segment.tokens} tokens.{told}", data)

    @tool(
        "List segments: ids, types, tokens, whether compressed. Not their texts.",
        place=argument("string", "Where they are (default: context)", default="context", enum=list(PLACES)),
    )
    def list_context_segments(self, arguments: dict[str, Any]) -> ToolReply:
        """List the segments of a place, without their texts."""
        segments = self.memory.list_context_segments(arguments["place"])
        rows = [
            {
                "segment_id": one.segment_id,
                "type": str(one.type),
                "tokens": one.tokens,
                "is_compressed": one.compression_state.is_compressed,
                "compression_ratio": one.compression_state.compression_ratio,
                "file_path": one.metadata.file_path,
                "line_number": one.metadata.line_number,
                "timestamp": one.metadata.timestamp.isoformat(),
                "topic": one.metadata.topic,
            }
            for one in segments
        ]
        lines = [f"{len(rows)} segments, {sum(one.tokens for one in segments)} tokens"]
        lines += [
            f"{shown_name(one.segment_id)}: {one.type}, {one.tokens} tokens"
            + (", compressed" if one.compression_state.is_compressed else "")
            for one in segments
        ]
        return ToolReply("\n".join(lines), {"segments": rows})

    @tool(
        "Compress context segments by paraphrasing while preserving key information: file paths, "
        "line numbers, active state, errors, progress. What would lose some of it is refused, and "
        "the segment stays as it is.",
        ["segment_ids"],
        read_only=False,
        segment_ids=_names("List of segment IDs to compress", minItems=1),
        **_COMPRESSION,
    )
    def compress_context_segment(self, arguments: dict[str, Any]) -> ToolReply:
        """Compress segments; the reply has each one's savings, or why it stays."""
        result = self.memory.compress_context_segment(**arguments)
        return ToolReply("\n".join(_compression_lines(result)), _plain(result))

    @tool(
        "Compress a context segment as compress_context_segment does, and stash its original: "
        "search_stash finds it from then on.",
        ["segment_id"],
        read_only=False,
        segment_id=argument("string", "The segment"),
        **_COMPRESSION,
    )
    def compress_and_stash(self, arguments: dict[str, Any]) -> ToolReply:
        """Compress a segment and stash its original."""
        result = self.memory.compress_and_stash(**arguments)
        if result.compressed_segment is None:
            error = result.error
            told = f"{shown_name(error.segment_id)}: {error.error} ({error.code})" if error else ""
            return ToolReply(f"Unchanged, and not stashed. {told}", _plain(result))
        return ToolReply(f"Compressed and stashed. {_saved(result.compressed_segment)}", _plain(result))

    @tool(
        "Expand a compressed segment back to its original version, or bring back one that was "
        "stashed or removed.",
        ["segment_id"],
        read_only=False,
        segment_id=argument("string", "A segment's id, or a compressed id"),
    )
    def expand_compressed_context(self, arguments: dict[str, Any]) -> ToolReply:
        """Bring an original back; the reply has its text."""
        result = self.memory.expand_compressed_context(arguments["segment_id"])
        if result.original_text is None:
            raise ToolError(result.error or "")
        return ToolReply(_fenced([(result.segment_id, result.original_text)]), _plain(result))

    @tool(
        "Plan what to do with each segment: keep, compress, stash or remove, with the reason and the "
        "tokens. Changes nothing.",
        **_STATE,
    )
    def plan_context(self, arguments: dict[str, Any]) -> ToolReply:
        """Plan for each segment; nothing changes."""
        plan = self._plan(arguments)
        lines = [f"{plan.tokens} tokens now, at most {plan.tokens_after} after it"]
        lines += [
            f"{shown_name(one.segment_id)}: {one.action} ({one.reason}), {one.tokens} to {one.tokens_after}"
            for one in plan.decisions
        ]
        data = {**_plain(plan), "tokens": plan.tokens, "tokens_after": plan.tokens_after}
        return ToolReply("\n".join(lines), data)

    @tool(
        "Do what plan_context says for the same arguments. What leaves the context stays stored.",
        read_only=False,
        **_STATE,
    )
    def apply_context_plan(self, arguments: dict[str, Any]) -> ToolReply:
        """Make the same plan as `plan_context`, and apply it."""
        done = self.memory.apply(self._plan(arguments))
        lines = [f"The context has {done.tokens} tokens now"]
        for what in ("kept", "stashed", "removed"):
            ids = getattr(done, what)
            lines.append(f"{what}: {', '.join(map(shown_name, ids)) or 'none'}")
        lines += _compression_lines(done.compression)
        lines += [f"{shown_name(one.segment_id)}: {one.error}" for one in done.errors]
        return ToolReply("\n".join(lines), _plain(done))

    @tool(
        "Search the segments that were stashed, by words and meaning. Returns their original texts.",
        ["query"],
        query=argument("string", "What you are looking for"),
        top_n=TOP_N,
    )
    def search_stash(self, arguments: dict[str, Any]) -> ToolReply:
        """Search the stashed originals; the reply has their texts."""
        hits = self.memory.search_stash(arguments["query"], arguments["top_n"])
        text = _fenced([(one.segment_id, one.text) for one in hits]) if hits else "Nothing found."
        return ToolReply(text, {"results": [asdict(one) for one in hits]})

    def _plan(self, arguments: dict[str, Any]) -> ContextPlan:
        state = {name: value for name, value in arguments.items() if name != "target_compression_ratio"}
        ratio = arguments["target_compression_ratio"]
        return self.memory.plan_context(ContextState(**state), target_compression_ratio=ratio)


def _plain(result: Any) -> dict[str, Any]:
    """Return a result as plain JSON types, times as ISO 8601."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(result), default=datetime.isoformat))
    return plain


def _compression_lines(result: CompressionResult) -> list[str]:
    done, kept = len(result.compressed_segments), len(result.errors)
    lines = [f"{done} compressed, {kept} unchanged, {result.total_tokens_saved} tokens saved"]
    lines += map(_saved, result.compressed_segments)
    lines += [f"{shown_name(one.segment_id)}: {one.error} ({one.code})" for one in result.errors]
    return lines


def _saved(one: CompressedSegment) -> str:
    return (
        f"{shown_name(one.segment_id)}: {one.original_tokens} to {one.compressed_tokens} tokens "
        f"(ratio {one.compression_ratio:.2f}, by {one.method})"
    )


def _fenced(texts: list[tuple[str, str]]) -> str:
    """Texts of segments, each under its id, fenced."""
    around = fence(*(part for pair in texts for part in pair))
    return "\n".join([around.rule, *(f"{shown_name(name)}:\n{around.put(text)}" for name, text in texts)])


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ToolError(f"timestamp must be ISO 8601 with a zone, not {text[:60]!r}") from None
