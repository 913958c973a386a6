"""`tersely hook`: answer an agent's hook events, and add the hook to its settings or take it out again."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tersely.agents.hook import AGENTS, HookProtocol, answer_call, read_call, rewrite_command
from tersely.cli.arguments import STORE, Commands, add_command
from tersely.cli.loading import load_numpy
from tersely.cli.store import result_compressor, result_fits, state_folder, store_path
from tersely.cli.terminal import InputError, in_a_line, say, write
from tersely.files import make_folder, private, renamed
from tersely.text import decode, parse_json

if TYPE_CHECKING:
    from tersely.agents.tool_results import ToolResultReport

BUDGET = 2000  # tokens of a result
_MOST = 1 << 24  # bytes of an event: reading takes up to some 35 times as much memory
_BLOCK = 1 << 16
_ACTIONS = ("install", "uninstall", "doctor")
_IN_PLUGIN = re.compile(r"^(?:const )?COMMAND = (\".*\");?$", re.MULTILINE)
_EMPTY = "{}"  # an event that says nothing, and the answer to it

_EXAMPLES = """examples:
  tersely hook install claude-code            # shows what it would change, and asks
  tersely hook install claude-code --project --yes
  tersely hook install codex --budget 3000
  tersely hook install claude-code --failures # what failing commands write becomes shorter, too
  tersely hook uninstall claude-code
  tersely hook doctor                         # installed hooks, their events, and tokens saved
  tersely hook --agent claude-code < event.json

Results over the budget are stored whole before they are shortened; `tersely expand ID` prints them.
Results of tools that read files for editing stay unchanged. If anything fails, the result is unchanged.
Claude Code does not let a hook replace the output of a failing command: --failures rewrites commands
before they run to `tersely run -- bash -c ...`, which keeps the exit code; permission rules then see the
rewritten command.
"""


def is_event(given: Sequence[str]) -> bool:
    """Whether a command line answers an event: nothing may fail then, agents take exit codes for answers."""
    return given[:1] == ["hook"] and not {*_ACTIONS, "-h", "--help"} & set(given)


def add_hook(commands: Commands) -> None:
    """Add the subcommand `hook`."""
    parser = add_command(
        commands, "hook", "shorten the results of an agent's tools, as a hook of the agent", _EXAMPLES
    )
    parser.flag("action", "without: answer the event on standard input", nargs="?", choices=_ACTIONS)
    parser.flag("name AGENT", f"one of {', '.join(AGENTS)}", nargs="?", choices=list(AGENTS))
    parser.flag("--agent", "the agent that sends the event (claude-code)", choices=list(AGENTS))
    parser.flag("-b --budget N", f"tokens of a result ({BUDGET})", default=BUDGET)
    parser.flag(*STORE)
    parser.flag("--keep TOOL...", "never shorten the results of this tool (repeatable)")
    parser.flag("--files", "also shorten the results of tools that read files")
    parser.flag("--no-references", "shorten also what came before in the session, instead of referring to it")
    parser.flag("--failures", "rewrite commands, so that the output of failing ones is shortened, too")
    parser.flag("--project", "the settings of this folder, not the user's")
    parser.flag("--yes", "change the settings without asking")


def run_hook(arguments: argparse.Namespace) -> int | None:
    """Answer an event on standard output, or change an agent's settings."""
    if arguments.action is None:
        _answer(arguments)
        return None
    if arguments.action == "doctor":
        return _diagnose(arguments.store)
    agent = arguments.name or arguments.agent
    if agent is None:
        raise ValueError(f"which agent? One of {', '.join(AGENTS)}")
    _change(agent, arguments)
    return None


def _answer(arguments: argparse.Namespace) -> None:
    answer = {}
    agent = arguments.agent or "claude-code"
    if sys.stdin.isatty():
        raise InputError("an agent's event is read from standard input; to install the hook: see --help")
    try:
        given = sys.stdin.buffer.read(_MOST + 1)
        if len(given) > _MOST:
            _note(f"the event has more than {_MOST >> 20} MB")
            while sys.stdin.buffer.read(_BLOCK):  # an agent that is still writing would fail
                pass
        if len(given) > len(_EMPTY):
            _note_arrival(agent, arguments.failures)
        if len(given) > _MOST:
            pass
        elif arguments.failures:
            answer = rewrite_command(parse_json(decode(given)[0], "the event"), _run_line(arguments))
        elif len(given) > arguments.budget:  # no text has more tokens than bytes
            call = read_call(agent, parse_json(decode(given)[0], "the event"))
            options: dict[str, Any] = {"keep_tools": arguments.keep, "keep_files": not arguments.files}
            if call is not None and not result_fits(call.result, arguments.budget):
                options["session"] = "" if arguments.no_references else call.session
                with result_compressor(arguments, report=_report, **options) as compressor:
                    answer = answer_call(agent, call, compressor)
    except Exception as error:  # the agent goes on with the result as it is
        _note(f"{type(error).__name__}: {error}")
    write(json.dumps(answer) + "\n")


def _report(told: ToolResultReport) -> None:
    if told.problem:
        _note(told.problem)


def _note(text: str) -> None:
    say(f"the result stays as it is: {text}", "tersely hook")


def _change(agent: str, arguments: argparse.Namespace) -> None:
    """Show what would change in the settings or the plugin's files, ask, and write them."""
    from difflib import unified_diff

    protocol = AGENTS[agent]
    install = arguments.action == "install"
    if arguments.failures and not protocol.before:
        raise ValueError(f"--failures is for agents whose commands can be rewritten, not for {agent}")
    place = Path.cwd() if arguments.project else Path.home()
    path = place / _settings(protocol, arguments.project)
    if protocol.files:
        command = _command(f"hook --agent {agent}", arguments)
        changes = [
            (
                file,
                before := _read(file),
                _plugin_text(file, before, text, protocol, command) if install else "",
            )
            for name, text in protocol.files.items()
            for file in [path.parent / name]
        ]
    else:
        before = _read(path)
        changes = [(path, before, _changed(path, before, agent, arguments))]
    changes = [change for change in changes if change[1] != change[2]]
    there = "there" if install else "not there"
    if not changes:
        write(f"{in_a_line(str(path))}: nothing to do, the hook is {there}\n")
        return
    for file, before, after in changes:
        lines = [text.splitlines(keepends=True) for text in (before, after)]
        name = in_a_line(str(file))
        for line in unified_diff(lines[0], lines[1], name, name, n=2):
            write(line if line.endswith("\n") else f"{line}\n\\ no line end\n")
    if not arguments.yes and not _agreed():
        write("nothing was changed\n")
        return
    for file, _, after in changes:
        _save(file, after)
    if not install and path.parent.name == "tersely":
        compiled = path.parent / "__pycache__"
        for file in compiled.glob(f"{path.stem}.*.pyc"):  # what Python made of it when it was loaded
            file.unlink(missing_ok=True)
        for folder in (compiled, path.parent):
            with suppress(OSError):  # not there, or not empty: there is something of somebody else's
                folder.rmdir()
    then = f"; now: {protocol.then}" if install and protocol.then else ""
    write(f"{in_a_line(str(path))}: the hook is {there} now{then}\n")


def _settings(protocol: HookProtocol, project: bool) -> str:
    return protocol.project or protocol.settings if project else protocol.settings


def _changed(path: Path, text: str, agent: str, arguments: argparse.Namespace) -> str:
    """The settings with the hook, or without it."""
    from tersely.agents.settings import add_hook as add_to, hook_commands, remove_hook

    protocol = AGENTS[agent]
    marker = f"hook --agent {agent}"
    try:
        if arguments.action == "uninstall":
            for event in (protocol.before, protocol.event):  # the last first: so that nothing is left
                text = remove_hook(text, event, marker, protocol.head) if event else text
            return text
        for event, matcher, failures in (
            (protocol.event, protocol.matcher, False),
            (protocol.before, "Bash", True),
        ):
            if (
                arguments.failures
                or not failures
                or (event and any(marker in command for command in hook_commands(text, event)))
            ):
                command = _command(marker, arguments, failures)
                entry = protocol.entry(matcher, command, protocol.timeout)
                text = add_to(text, event, entry, marker, protocol.head)
        return text
    except ValueError as error:
        raise InputError(f"{path} stays as it is: {error}") from error


def _plugin_text(path: Path, before: str, text: str, protocol: HookProtocol, command: str) -> str:
    """A file of the plugin. Raises InputError where there is one that does not ask tersely."""
    if before and "tersely" not in before:
        raise InputError(f"{path} stays as it is: it is somebody else's")
    return text.replace("@COMMAND@", json.dumps(command)).replace("@EVENT@", protocol.event)


def _command(marker: str, arguments: argparse.Namespace, failures: bool = False) -> str:
    """The command line of the hook, for the shell that agents run it in."""
    options = [*_options(arguments), *(word for tool in arguments.keep for word in ("--keep", tool))]
    given = {"--files": arguments.files, "--no-references": arguments.no_references, "--failures": failures}
    options += [flag for flag, is_set in given.items() if is_set]
    return f"{_program(arguments.project)} {marker}" + (f" {shlex.join(options)}" if options else "")


def _run_line(arguments: argparse.Namespace) -> str:
    """The command line that runs another one, with the hook's options."""
    return " ".join([_program(False), "run", *map(shlex.quote, _options(arguments))])


def _program(project: bool) -> str:
    found = project or shutil.which("tersely")
    return shlex.join(["tersely"] if found else [sys.executable, "-m", "tersely"])


def _options(arguments: argparse.Namespace) -> list[str]:
    options = [] if arguments.budget == BUDGET else ["--budget", str(arguments.budget)]
    return options + ([] if arguments.store is None else ["--store", str(Path(arguments.store).absolute())])


def _note_arrival(agent: str, failures: bool) -> None:
    with suppress(OSError):
        make_folder(state_folder() / "hooks")
        _arrival(agent, failures).touch()


def _arrival(agent: str, failures: bool) -> Path:
    """The file whose time is that of the last event."""
    return state_folder() / "hooks" / f"{agent}{'-failures' if failures else ''}"


def _diagnose(store: str | None) -> int:
    """Report for each installed hook: does its command start, do events arrive, tokens saved."""
    code, missing = 0, []
    for agent, protocol in AGENTS.items():
        places = {Path.home() / protocol.settings, Path.cwd() / _settings(protocol, True)}
        found = [(path, command) for path in sorted(places) for command in _installed(path, agent)]
        if not found:
            missing.append(agent)
        for path, command in found:
            failures = command.endswith(" --failures")
            starts = _starts(command, path == Path.home() / protocol.settings)
            code = code if starts else 1
            what = "rewrites commands, so that failing ones write little" if failures else "shortens results"
            write(f"{agent}: {in_a_line(str(path))}\n  {what}: {in_a_line(command)}\n  ")
            write("the command starts; " if starts else "the command does not start or answer; ")
            write(_last_event(agent, failures) + "\n")
        if protocol.before and found and not any(command.endswith(" --failures") for _, command in found):
            write(f"  long output of failing commands stays: tersely hook install {agent} --failures\n")
    write(f"not installed: {', '.join(missing)}\n" if missing else "")
    if len(missing) == len(AGENTS):
        write(f"there is no hook yet, of the user's or this folder's: tersely hook install {missing[0]}\n")
    if (path := store_path(store)).is_file():
        load_numpy()
        from tersely.store import Store
        from tersely.store.versions import sum_savings

        with Store.open(path) as opened:  # to write: an older one is brought up to date
            write(f"saved: {sum_savings(opened.uses())}\n")
    return code


def _installed(path: Path, agent: str) -> list[str]:
    """The command lines of our hooks in a file of settings, or in a plugin's file."""
    from tersely.agents.settings import hook_commands

    protocol, marker = AGENTS[agent], f"hook --agent {agent}"
    text = _read(path)
    if protocol.files:
        written = _IN_PLUGIN.search(text)
        return [json.loads(written[1])] if written else []
    try:
        return [
            command
            for event in (protocol.event, protocol.before)
            if event
            for command in hook_commands(text, event)
            if marker in command
        ]
    except ValueError as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _starts(command: str, is_the_users: bool) -> bool:
    """Whether a hook's command answers. No shell runs it, and of a project's file no other program either:
    that may be a stranger's."""
    import subprocess

    try:
        words = shlex.split(command)
        if not is_the_users and words[:1] != ["tersely"]:
            return False
        done = subprocess.run(words, input=_EMPTY.encode(), capture_output=True, timeout=30, check=False)
    except (ValueError, OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0 and done.stdout.strip() == _EMPTY.encode()


def _last_event(agent: str, failures: bool) -> str:
    try:
        then = datetime.fromtimestamp(_arrival(agent, failures).stat().st_mtime)
    except OSError:
        return "no event has arrived yet: start the agent anew, and let it use a tool"
    return f"the last event arrived at {then:%Y-%m-%d %H:%M:%S}"


def _read(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():  # a pipe is never read to its end
            raise InputError(f"cannot read {path}: it is no file")
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path}: {error}") from error


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
        with renamed(target) as fresh:
            with open(fresh, "xb", opener=private) as file:
                file.write(text.encode("utf-8"))
            fresh.chmod(mode)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
