"""The prompt that asks a model to shorten a segment of an agent's context."""

from __future__ import annotations

from collections.abc import Sequence

from tersely.write.prompt import Prompt

__all__ = ["segment_prompt"]

_RULES = """2. Preserve ALL of the following:
   - File paths and line numbers
   - Active state (what's currently being worked on)
   - Recent errors and their locations
   - Progress information (what's done, what's next)
   - Critical decisions and rationale
3. Remove:
   - Verbose explanations that don't add critical info
   - Redundant details
   - Historical details not needed for current state
4. Maintain recency bias: Always preserve "where we are" and "what we're doing\""""


def segment_prompt(tokens: int, preserve_metadata: Sequence[str], preserve_active_state: bool) -> Prompt:
    """Ask for a segment of so many tokens in about {target}.

    `preserve_metadata`: names of fields (preserved.py), checked by the caller.
    """
    return Prompt(
        "Compress the following context segment while preserving critical information.\n{rules}\n\n"
        f"Original Context ({tokens} tokens):\n{{content}}\n\n"
        f"Compression Requirements:\n1. Reduce to approximately {{target}} tokens\n{_RULES}\n\n"
        f"Preserve these specific metadata fields:\n{', '.join(preserve_metadata)}\n\n"
        f"Active State Preservation: {preserve_active_state}\n\n"
        "Generate a compressed version that maintains all critical information while being more concise. "
        "Focus on preserving recency and active state.\nReply with the compressed version alone."
    )
