"""Arguments that several subcommands take."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import Any, NoReturn, TypeAlias

from tersely import checks
from tersely.cli.terminal import in_a_line
from tersely.errors import MissingExtraError
from tersely.text import encoding_name

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    """Parse arguments; an error is short, and for an unknown choice or option suggests the nearest one."""

    commands: Mapping[str, Parser]  # of the parser of all

    @property
    def options(self) -> list[str]:
        """The names of its options."""
        return list(self._option_string_actions)

    def flag(self, words: str, text: str, into: Any = None, **how: Any) -> None:
        """Add an argument by its names and what it takes, such as "-b --budget N", and its help.

        N is a whole number, R and the like a number, FILE... may be repeated; without such a word it is a
        switch, or how argparse is told: `how`. `into`: a group of the parser's arguments.
        """
        *names, takes = words.split()
        more: dict[str, Any] = {}
        if takes.startswith("-") or not names:
            names.append(takes)
            if takes.startswith("-") and not how.keys() & {"action", "choices"}:
                more = {"action": "store_true"}
        else:
            more = {"metavar": takes.removesuffix("..."), "type": _TYPES.get(takes.removesuffix("..."))}
            if takes.endswith("..."):
                more |= {"action": "append", "default": []}
        (into or self).add_argument(*names, help=text, **(more | how))

    def error(self, message: str) -> NoReturn:
        """Print what is wrong and where help is, in two lines instead of a screen of usage."""
        self.exit(2, f"usage: see {self.prog} --help\n{self.prog}: error: {in_a_line(message)}\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """As argparse, but what cannot be written raises OSError."""
        (file or sys.stderr).write(message)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse, but a subcommand refuses what it does not know itself, with its own words.

        Names of files may also stand after options. `flags` says which flag set which option.
        """
        known, unknown = super().parse_known_args(args, namespace)
        names = [one for one in self._actions if not one.option_strings and one.nargs in ("*", "+")]
        if names and not any(one.startswith("-") for one in unknown):
            getattr(known, names[0].dest).extend(unknown)
            unknown = []
        if not hasattr(known, "flags"):
            known.flags = {}
            for one in self._actions:
                fits = isinstance(getattr(known, one.dest, 0), str) == (one.type not in (int, float))
                if one.option_strings and (fits or one.dest not in known.flags):
                    known.flags[one.dest] = one.option_strings[-1]
        if unknown:
            option = unknown[0].partition("=")[0]
            meant = checks.meant(option, self.options) if option.startswith("-") else ""
            self.error(f"unknown arguments: {' '.join(unknown)}{meant}")
        return known, unknown

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        """As argparse, but an error says in the words of the type what is wrong."""
        try:
            return self._registry_get("type", action.type, action.type)(arg_string)
        except (ValueError, MissingExtraError, argparse.ArgumentTypeError) as error:
            kinds: dict[Any, str] = {int: f"must be a whole number, not {arg_string!r}"}
            kinds[float] = f"must be a number, not {arg_string!r}"
            raise argparse.ArgumentError(action, kinds.get(action.type, str(error))) from error

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += checks.meant(value, action.choices or ())
            raise


def add_command(commands: Commands, name: str, text: str, examples: str) -> Parser:
    """Add a subcommand, whose help ends with examples as they are written; returns its parser."""
    form = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=text, description=text, epilog=examples, formatter_class=form)


def add_options(parser: Parser, kind: type[Any]) -> None:
    """Add the flags of a dataclass of options (`tersely.scale.options.option`)."""
    from dataclasses import fields  # which takes long to load

    for entry in fields(kind):
        flags = entry.metadata.get("flags", ())
        group = parser.add_mutually_exclusive_group() if len(flags) > 1 else None
        for words, text in flags:
            parser.flag(words, text, group, dest=entry.name, default=argparse.SUPPRESS)


def given_options(arguments: argparse.Namespace, kind: type[Any]) -> dict[str, Any]:
    """The options that flags gave, by the names of their fields."""
    from dataclasses import fields

    return {one.name: getattr(arguments, one.name) for one in fields(kind) if hasattr(arguments, one.name)}


def add_counter(parser: Parser) -> None:
    """Add `--counter`: which tokenizer counts."""
    words = "tokenizer: an encoding or a model, such as cl100k_base or gpt-4o (o200k_base)"
    parser.flag("-c --counter NAME", words, type=_counter_name, default="o200k_base")


def _counter_name(argument: str) -> str:
    from tersely.models.counters import resolve_counter

    resolve_counter(argument)
    return argument


def add_encoding(parser: Parser) -> None:
    """Add `--encoding`: how the bytes of the files are read."""
    parser.flag("--encoding NAME", "encoding of the files (UTF-8, otherwise detected)", type=encoding_name)


def add_level(parser: Parser) -> None:
    """Add `--level`: how finely text is cut into segments."""
    from tersely.types import Level

    levels = [level.name.lower() for level in Level]
    parser.flag("--level", "how finely text is cut (sentence)", choices=levels, default="sentence")


#: Flags of several subcommands.
FILES = ("files FILE", "text, .ipynb, .docx, .pdf; folders and patterns; - or nothing: standard input")
OUTPUT = ("-o --output FILE", "write there instead of to stdout")
PAGE = ("--report FILE", "write a page of HTML there; - for standard output")
QUIET = ("--quiet", "print no summary on stderr")
STORE = ("--store FILE", "where whole results are kept (TERSELY_STORE, or the user's)")


def utf8_text(argument: str) -> str:
    """Return the text of an argument, whose bytes are UTF-8 whatever the locale says they are."""
    try:
        argument.encode("utf-8")
    except UnicodeEncodeError:  # bytes that the locale could not read
        try:
            return os.fsencode(argument).decode("utf-8")
        except UnicodeDecodeError as error:
            raise argparse.ArgumentTypeError(
                f"not UTF-8 text: byte 0x{error.object[error.start]:02x} at {error.start}"
            ) from error
    return argument


# Of what follows a flag; all else is a text as it came, as names of files are.
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("N", "TOKENS"), int),
    **dict.fromkeys(("R", "S", "T", "MB", "SECONDS"), float),
    **dict.fromkeys(("NAME", "QUERY", "SEPARATOR", "TEXT"), utf8_text),
}
