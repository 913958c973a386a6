"""Find the encoding whose tokens a model reads, by the model's name."""

from __future__ import annotations

__all__ = ["ESTIMATED", "MODELS", "encoding_of", "estimated"]

#: Start of a model's name -> its encoding; the longest one holds. More may follow after "-" or ":", and
#: anything where it ends with a ".".
MODELS = {
    "gpt-5": "o200k_base",
    "gpt-5.": "o200k_base",
    "gpt-4.5": "o200k_base",
    "gpt-4.1": "o200k_base",
    "gpt-4o": "o200k_base",
    "chatgpt-4o": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
    "o4-mini": "o200k_base",
    "gpt-oss": "o200k_harmony",
    "gpt-4": "cl100k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-35": "cl100k_base",
    "davinci-002": "cl100k_base",
    "babbage-002": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
    "text-embedding-3-small": "cl100k_base",
    "text-embedding-3-large": "cl100k_base",
}
#: Starts of names of models whose tokenizer is not here: their tokens are estimated, as those of o200k_base.
ESTIMATED = ("claude", "gemini", "gemma", "llama", "mistral", "mixtral", "deepseek", "grok")


def encoding_of(model: str) -> str | None:
    """The encoding of a model, None where it is not known. "openai/ft:GPT-4o" is a "gpt-4o"."""
    name = _bare(model)
    found = [start for start in MODELS if name.startswith(start) and _may_follow(start, name[len(start) :])]
    return MODELS[max(found, key=len)] if found else None


def estimated(model: str) -> bool:
    """Whether the model is one of those whose tokens are estimated. "us.anthropic.claude-3" is a "claude"."""
    parts = _bare(model).split(".")
    return any(part.startswith(ESTIMATED) for part in parts)


def _bare(model: str) -> str:
    """The name in small letters, without who serves it."""
    return model.rpartition("/")[2].lower().removeprefix("ft:")


def _may_follow(start: str, rest: str) -> bool:
    return rest[:1] in ("", "-", ":") or start.endswith(".")
