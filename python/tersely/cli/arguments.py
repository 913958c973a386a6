"""Arguments that several subcommands take."""

from __future__ import annotations

import argparse
import os
from typing import TypeAlias

from tersely.core.tables import Level
from tersely.providers.counters import COUNTERS

__all__ = ["Commands", "add_command", "add_counter", "add_level", "utf8_text"]

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(commands: Commands, name: str, text: str, examples: str) -> argparse.ArgumentParser:
    """Add a subcommand, whose help ends with examples as they are written; returns its parser."""
    form = argparse.RawDescriptionHelpFormatter
    return commands.add_parser(name, help=text, description=text, epilog=examples, formatter_class=form)


def add_counter(parser: argparse.ArgumentParser) -> None:
    """Add `--counter`: which tokenizer counts."""
    parser.add_argument(
        "-c", "--counter", choices=list(COUNTERS), default="o200k_base", help="tokenizer (o200k_base)"
    )


def add_level(parser: argparse.ArgumentParser) -> None:
    """Add `--level`: how finely text is cut into segments."""
    levels = [level.name.lower() for level in Level]
    parser.add_argument(
        "--level", choices=levels, default="sentence", help="how finely text is cut (sentence)"
    )


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
