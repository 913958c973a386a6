"""`tersely expand`, and `--store` of `tersely compress`: keep originals and print them again."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path

from tersely.cli.arguments import Commands, add_command
from tersely.core.types import Compressed

__all__ = ["add_expand", "add_store", "keep_in_store", "run_expand"]

_VARIABLE = "TERSELY_STORE"
_EXAMPLES = """examples:
  tersely compress app.log --budget 800 --store notes.sqlite
  tersely expand 5891b5b522d5df086d0ff0b110fbd9d2 --store notes.sqlite
  TERSELY_STORE=notes.sqlite tersely expand msg_123 --version 1 -o original.txt
"""


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add `--store` to `compress`."""
    parser.add_argument(
        "--store", metavar="FILE", help="keep the originals there, and print the id for `expand` on stderr"
    )


def keep_in_store(result: Compressed, path: str) -> None:
    """Keep the originals before anything of the result is shown, and say under which id."""
    from tersely.store import Store

    with Store.open(path) as store:
        id = store.keep(result)
    print(f"tersely: the original is kept: tersely expand {id} --store {shlex.quote(path)}", file=sys.stderr)


def add_expand(commands: Commands) -> None:
    """Add the subcommand `expand`."""
    text = "print the original of a compressed text, byte for byte"
    parser = add_command(commands, "expand", text, _EXAMPLES)
    parser.add_argument("id", metavar="ID", help="what `compress --store` printed, or any id in the store")
    parser.add_argument("--store", metavar="FILE", help=f"the store (the environment's {_VARIABLE})")
    parser.add_argument("--version", type=int, metavar="N", help="of the id, from 1 (the newest)")
    parser.add_argument("--document", type=int, metavar="N", help="of several files, this one, from 0")
    parser.add_argument(
        "--masked", action="store_true", help="print it even where secrets were masked on the way in"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write there instead of to stdout")


def run_expand(arguments: argparse.Namespace) -> str:
    """Return the original's text. Raises ValueError without a store, and what `Store.expand` raises."""
    from tersely.store import Store

    path = arguments.store or os.environ.get(_VARIABLE)
    if not path:
        raise ValueError(f"which store? Pass --store FILE, or set {_VARIABLE}")
    if not Path(path).is_file():
        raise ValueError(f"there is no store {path}")
    with Store.open(path, read_only=True) as store:
        try:
            return store.expand(
                arguments.id, arguments.version, document=arguments.document, masked=arguments.masked
            )
        except IndexError as error:
            raise ValueError(str(error)) from error
