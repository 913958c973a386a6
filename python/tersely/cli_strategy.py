"""The strategy that the command line names."""

from __future__ import annotations

import argparse
from dataclasses import replace

from tersely.content.auto import Auto
from tersely.content.routing import CONTENT_TYPES
from tersely.protocols import Strategy
from tersely.stages.facts import PRESERVABLE
from tersely.strategies import STRATEGIES
from tersely.strategies.extractive import Extractive
from tersely.tables import Level

__all__ = ["add_level", "add_strategy", "chosen_strategy"]


def add_strategy(parser: argparse.ArgumentParser) -> None:
    """The arguments that say how to compress."""
    parser.add_argument(
        "--strategy",
        choices=["auto", *STRATEGIES],
        default="auto",
        help="how to compress (auto: each file as what it is)",
    )
    parser.add_argument(
        "--as",
        choices=list(CONTENT_TYPES),
        dest="as_type",
        metavar="TYPE",
        help=f"take each file for this, whatever it looks like: {', '.join(CONTENT_TYPES)}",
    )
    add_level(parser)
    parser.add_argument(
        "--context", type=int, default=0, metavar="N", help="neighbours kept beside each selected segment"
    )
    parser.add_argument("--headings", action="store_true", help="keep the headings above what is kept")
    parser.add_argument(
        "--preserve", default="", metavar="NAMES", help=f"facts to keep first: {','.join(PRESERVABLE)}"
    )


def add_level(parser: argparse.ArgumentParser) -> None:
    """The argument that says how finely text is cut."""
    levels = [level.name.lower() for level in Level]
    parser.add_argument(
        "--level", choices=levels, default="sentence", help="how finely text is cut (sentence)"
    )


def chosen_strategy(arguments: argparse.Namespace) -> tuple[Strategy, Extractive]:
    """The strategy, and the extractive one with the options that were given.

    Raises ValueError for --as beside a named strategy.
    """
    auto = arguments.strategy == "auto"
    if arguments.as_type is not None and not auto:
        raise ValueError(f"--as goes with --strategy auto, not with {arguments.strategy}")
    strategy = Extractive() if auto else STRATEGIES[arguments.strategy]()
    extractive = replace(
        strategy if isinstance(strategy, Extractive) else Extractive(),
        level=Level[arguments.level.upper()],
        context=arguments.context,
        preserve_structure=arguments.headings,
        preserve=tuple(name for name in arguments.preserve.split(",") if name),
    )
    if auto:
        return Auto(as_type=arguments.as_type, text=extractive), extractive
    return extractive if isinstance(strategy, Extractive) else strategy, extractive
