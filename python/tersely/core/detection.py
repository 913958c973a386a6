"""The vocabulary of content types: what a text can be, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

from tersely.core.names import DetectedName

__all__ = ["KINDS", "LANGUAGES", "Detection"]

#: What a text can be, in the order of csrc/kernels/detect/detect.hpp.
KINDS: tuple[DetectedName, ...] = get_args(DetectedName)

#: Languages that are told apart, in the order of csrc/kernels/detect/languages.hpp; None: none, or another.
LANGUAGES = (
    None,
    "python",
    "javascript",
    "typescript",
    "go",
    "rust",
    "java",
    "c",
    "cpp",
    "csharp",
    "kotlin",
    "swift",
    "php",
    "ruby",
    "perl",
    "lua",
    "shell",
    "sql",
    "css",
    "yaml",
    "toml",
    "rst",
    "html",
    "xml",
    "cmake",
    "makefile",
    "dockerfile",
    "fortran",
    "hcl",
    "ini",
    "powershell",
    "batch",
    "scala",
    "r",
    "dart",
    "elixir",
    "haskell",
    "objectivec",
    "protobuf",
    "graphql",
    "pascal",
    "verilog",
    "vhdl",
    "assembly",
    "tcl",
    "nim",
    "ocaml",
    "zig",
    "julia",
    "erlang",
    "clojure",
    "commonlisp",
    "elisp",
    "latex",
    "starlark",
)


@dataclass(frozen=True, slots=True)
class Detection:
    """What a text is.

    Attributes:
        kind: one of `tersely.core.detection.KINDS`: "prose", "markdown" (and reStructuredText),
            "conversation", "code" (and configuration), "log" (lines with time stamps), "tool_output" (of
            builds, linters, tests, package managers), "stack_trace", "json", "jsonl" (a value a line),
            "table" (CSV and its kin), "diff", "html" (and XML) or "mixed" (no one kind makes up most of it).
        language: of code ("python", "yaml", ...), Markdown ("rst") and HTML ("html", "xml"), one of
            `tersely.core.detection.LANGUAGES`; None where there is none or it is not known.
        confidence: in [0, 1], the share of texts that look so and are of that kind (measured); 1.0 where a
            name says it, 0.0 for a blank text.
    """

    kind: DetectedName
    language: str | None
    confidence: float
