"""`tersely expand`, and `--store` of `tersely compress`: keep originals and print them again."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.cli.arguments import OUTPUT, Commands, add_command
from tersely.cli.loading import load_numpy
from tersely.cli.terminal import say, write
from tersely.errors import StoreError
from tersely.files import make_folder
from tersely.text import decode, well_formed

if TYPE_CHECKING:
    from tersely.agents.tool_results import ToolResultCompressor
    from tersely.store import Store
    from tersely.types import Compressed

_VARIABLE = "TERSELY_STORE"
_LETTERS = 16  # of a token, on average: more than texts have
_EXAMPLES = """examples:
  tersely compress app.log --budget 800 --store notes.sqlite
  tersely expand 5891b5b522d5df086d0ff0b110fbd9d2 --store notes.sqlite
  TERSELY_STORE=notes.sqlite tersely expand msg_123 --version 1 -o original.txt
"""


def store_path(given: str | None) -> Path:
    """The store of whole results: as given, in the environment, or the user's own (XDG_STATE_HOME)."""
    named = given or os.environ.get(_VARIABLE)
    if named:
        return Path(named)
    return state_folder() / "results.sqlite"


def state_folder() -> Path:
    """The folder for state of the user's commands (XDG_STATE_HOME)."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "tersely"


def result_store(given: str | None) -> Store:
    """Open the store of whole results, or make it."""
    from tersely.store import Store

    path = store_path(given)
    make_folder(path.parent)
    return Store.open(path)


def result_fits(result: Any, budget: int) -> bool:
    """Whether a result fits, as `ToolResultCompressor` counts; without numpy, which would take longer.

    False where only the compressor can say: of long results, and of those whose shape is not known.
    """
    from tersely.memory.messages import read_result
    from tersely.models.counters import TOKEN_TABLES

    try:
        entry = read_result(decode(result)[0] if isinstance(result, bytes) else result)
    except ValueError:  # no text, nested too deeply
        return False
    texts = [well_formed(piece.text) for piece in entry.pieces]
    if entry.unknown or sum(map(len, texts)) > budget * _LETTERS:
        return False
    return sum(map(TOKEN_TABLES["o200k_base"].count_one, texts)) <= budget


@contextmanager
def result_compressor(arguments: argparse.Namespace, **options: Any) -> Iterator[ToolResultCompressor]:
    """Open a compressor of results for a `--budget`, with the store of whole ones; their notes name it."""
    load_numpy()
    from tersely.agents.tool_results import ToolResultCompressor

    way, path = "tersely expand {id}", arguments.store
    way += f" --store {shlex.quote(str(Path(path).absolute()))}" if path else ""
    with result_store(path) as store:
        yield ToolResultCompressor(arguments.budget, store, expand_with=way, **options)


def keep_in_store(result: Compressed, path: str) -> str:
    """Keep the originals before anything of the result is shown; say under which id, and return it."""
    from tersely.store import Store

    with Store.open(path) as store:
        id = store.keep(result)
    say(f"the original is kept: tersely expand {id} --store {shlex.quote(path)}")
    return id


def add_expand(commands: Commands) -> None:
    """Add the subcommand `expand`."""
    text = "print the original of a compressed text, byte for byte"
    parser = add_command(commands, "expand", text, _EXAMPLES)
    parser.flag("id ID", "what `compress --store` printed, or any id in the store")
    parser.flag("--store FILE", f"the store ({_VARIABLE}, or the user's)")
    parser.flag("--version N", "version of the id, from 1 (the newest)")
    parser.flag("--document N", "number of the file, from 0, if there are several")
    parser.flag("--masked", "print it even if secrets were masked when it was stored")
    parser.flag(*OUTPUT)


def run_expand(arguments: argparse.Namespace) -> None:
    """Write the original's text. Raises ValueError without a store, and what `Store.expand` raises."""
    from tersely.store import Store

    path = store_path(arguments.store)
    if not path.is_file():
        if not arguments.store and not os.environ.get(_VARIABLE):
            raise ValueError(f"which store? Pass --store FILE, or set {_VARIABLE} (there is no {path})")
        raise ValueError(f"there is no store {path}")
    try:
        opened = Store.open(path)
    except StoreError:  # a file or folder that cannot be written
        opened = Store.open(path, read_only=True)
    with opened as store:
        try:
            text = store.expand(
                arguments.id, arguments.version, document=arguments.document, masked=arguments.masked
            )
        except IndexError as error:
            raise ValueError(str(error)) from error
        with suppress(StoreError):
            store.note_expansion(arguments.id)
    write(text, arguments.output)
