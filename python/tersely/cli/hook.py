"""`tersely hook`: answer an agent's hook events, and add the hook to its settings or take it out again."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.agents.hook import AGENTS, answer_event
from tersely.cli.arguments import Commands, add_command
from tersely.cli.files import InputError, say, write
from tersely.cli.store import expand_with, result_store
from tersely.text import decode

if TYPE_CHECKING:
    from tersely.agents.tool_results import ToolResultReport

__all__ = ["add_hook", "is_event", "run_hook"]

BUDGET = 2000  # tokens of a result
_MOST = 1 << 24  # bytes of an event: reading takes up to some 35 times as much memory
_BLOCK = 1 << 16

_EXAMPLES = """examples:
  tersely hook install claude-code            # shows what it would change, and asks
  tersely hook install claude-code --project --yes
  tersely hook install codex --budget 3000
  tersely hook uninstall claude-code
  tersely hook --agent claude-code < event.json

Results over the budget are kept whole in a store before they are made shorter; `tersely expand ID` gives
them back. Results of tools that read files for editing stay as they are. Whatever fails, the result is as it
was.
"""


def is_event(given: Sequence[str]) -> bool:
    """Whether a command line answers an event: nothing may fail then, agents take exit codes for answers."""
    return given[:1] == ["hook"] and not {"install", "uninstall", "-h", "--help"} & set(given)


def add_hook(commands: Commands) -> None:
    """Add the subcommand `hook`."""
    parser = add_command(
        commands, "hook", "make what an agent's tools give shorter, as a hook of it", _EXAMPLES
    )
    parser.add_argument(
        "action",
        nargs="?",
        choices=["install", "uninstall"],
        help="without: answer the event on standard input",
    )
    parser.add_argument(
        "name", nargs="?", choices=list(AGENTS), metavar="AGENT", help=f"one of {', '.join(AGENTS)}"
    )
    parser.add_argument("--agent", choices=list(AGENTS), help="whose event it is (claude-code)")
    parser.add_argument(
        "-b", "--budget", type=int, default=BUDGET, metavar="N", help=f"tokens of a result ({BUDGET})"
    )
    parser.add_argument(
        "--store", metavar="FILE", help="where whole results are kept (TERSELY_STORE, or the user's)"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="TOOL", help="never shorten what it gives (repeatable)"
    )
    parser.add_argument("--files", action="store_true", help="also shorten what tools give that read files")
    parser.add_argument("--project", action="store_true", help="the settings of this folder, not the user's")
    parser.add_argument("--yes", action="store_true", help="change the settings without asking")


def run_hook(arguments: argparse.Namespace) -> None:
    """Answer an event on standard output, or change an agent's settings."""
    if arguments.action is None:
        _answer(arguments)
        return
    agent = arguments.name or arguments.agent
    if agent is None:
        raise ValueError(f"which agent? One of {', '.join(AGENTS)}")
    _change(agent, arguments)


def _answer(arguments: argparse.Namespace) -> None:
    answer = {}
    try:
        given = sys.stdin.buffer.read(_MOST + 1)
        if len(given) > _MOST:
            _note(f"the event has more than {_MOST >> 20} MB")
            while sys.stdin.buffer.read(_BLOCK):  # an agent that is still writing would fail
                pass
        elif len(given) > arguments.budget:  # no text has more tokens than bytes
            from tersely.agents.tool_results import ToolResultCompressor

            event = json.loads(decode(given)[0])
            with result_store(arguments.store) as store:
                compressor = ToolResultCompressor(
                    arguments.budget,
                    store,
                    keep_tools=arguments.keep,
                    keep_files=not arguments.files,
                    expand_with=expand_with(arguments.store),
                    report=_report,
                )
                answer = answer_event(arguments.agent or "claude-code", event, compressor)
    except Exception as error:  # the agent goes on with the result as it is
        _note(f"{type(error).__name__}: {error}")
    write(json.dumps(answer) + "\n")


def _report(told: ToolResultReport) -> None:
    if told.problem:
        _note(told.problem)


def _note(text: str) -> None:
    say(f"the result stays as it is: {text}", "tersely hook")


def _change(agent: str, arguments: argparse.Namespace) -> None:
    """Show what would change in the settings, ask, and write them."""
    from tersely.agents.settings import add_hook as add_to, remove_hook

    protocol = AGENTS[agent]
    project = protocol.project or protocol.settings
    path = Path.cwd() / project if arguments.project else Path.home() / protocol.settings
    marker = f"hook --agent {agent}"
    before = _read(path)
    if arguments.action == "install":
        entry = protocol.entry(protocol.matcher, _command(marker, arguments), protocol.timeout)
        after = _changed(path, add_to, before, protocol.event, entry, marker, protocol.head)
    else:
        after = _changed(path, remove_hook, before, protocol.event, marker, protocol.head)
    there = "there" if arguments.action == "install" else "not there"
    if after == before:
        write(f"{path}: nothing to do, the hook is {there}\n")
        return
    lines = [text.splitlines(keepends=True) for text in (before, after)]
    for line in difflib.unified_diff(lines[0], lines[1], str(path), str(path), n=2):
        write(line if line.endswith("\n") else f"{line}\n\\ no line end\n")
    if not arguments.yes and not _agreed():
        write("nothing was changed\n")
        return
    _save(path, after)
    write(f"{path}: the hook is {there} now\n")


def _command(marker: str, arguments: argparse.Namespace) -> str:
    """The command line of the hook, for the shell that agents run it in."""
    program = (
        ["tersely"] if arguments.project or shutil.which("tersely") else [sys.executable, "-m", "tersely"]
    )
    options = []
    if arguments.budget != BUDGET:
        options += ["--budget", str(arguments.budget)]
    if arguments.store is not None:
        options += ["--store", str(Path(arguments.store).absolute())]
    for tool in arguments.keep:
        options += ["--keep", tool]
    if arguments.files:
        options.append("--files")
    return f"{shlex.join(program)} {marker}" + (f" {shlex.join(options)}" if options else "")


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _changed(path: Path, change: Callable[..., str], *given: Any) -> str:
    try:
        return change(*given)
    except ValueError as error:
        raise InputError(f"{path} stays as it is: {error}") from error


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise InputError("nothing was changed: pass --yes where nobody can be asked")
    print("Write this? [y/N] ", end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _save(path: Path, text: str) -> None:
    """Put the text in the file's place in one step; "" takes the file away."""
    target = path.resolve()  # a link stays one
    try:
        if not text:
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=target.name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(text.encode("utf-8"))
            os.chmod(name, mode)  # noqa: PTH101
            os.replace(name, target)  # noqa: PTH105
        except OSError:
            os.unlink(name)  # noqa: PTH108
            raise
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
