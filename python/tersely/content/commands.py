"""What the output of a command is, by the command line that wrote it."""

from __future__ import annotations

import re
from itertools import pairwise

from tersely.core.detection import Detection
from tersely.core.names import DetectedName

__all__ = ["kind_of_output"]

_KINDS: dict[DetectedName, str] = {
    "tool_output": "pytest py.test tox nox unittest mypy pyright ruff flake8 pylint black isort bandit pip "
    "poetry uv "
    "conda npm yarn pnpm bun jest vitest mocha karma playwright cypress tsc eslint stylelint prettier "
    "webpack vite rollup make gmake cmake ctest ninja meson bazel buck scons gcc g++ cc c++ clang "
    "clang++ clang-tidy cppcheck ld cargo rustc clippy-driver gotestsum golangci-lint staticcheck "
    "javac mvn mvnw gradle gradlew ant sbt scalac kotlinc ktlint detekt dotnet msbuild nunit swift "
    "swiftc swiftlint xcodebuild xcpretty rspec rubocop bundle gem rake phpunit phpstan psalm "
    "composer perlcritic prove luacheck busted shellcheck hadolint yamllint ansible ansible-playbook "
    "ansible-lint terraform terragrunt tofu pulumi helm packer vagrant apt apt-get yum dnf apk brew "
    "snap rpm dpkg valgrind trivy grype semgrep codeql infer flutter dart mix stack cabal nix-build "
    "pre-commit",
    "table": "ps df du ls ss netstat lsof free vmstat iostat mpstat sar route arp findmnt lsblk mount who w "
    "last lsmod systemctl iptables ifstat",
    "log": "journalctl dmesg logread",
    "diff": "diff colordiff interdiff",
}
_KIND_OF: dict[str, DetectedName] = {name: kind for kind, names in _KINDS.items() for name in names.split()}
# Commands whose next word says what they write.
_SECOND: dict[tuple[str, str], DetectedName] = {
    ("git", "diff"): "diff",
    ("git", "show"): "diff",
    ("git", "format-patch"): "diff",
    ("git", "log"): "log",
    ("go", "test"): "tool_output",
    ("go", "build"): "tool_output",
    ("go", "vet"): "tool_output",
    ("docker", "build"): "tool_output",
    ("docker", "ps"): "table",
    ("docker", "images"): "table",
    ("docker", "logs"): "log",
    ("kubectl", "get"): "table",
    ("kubectl", "top"): "table",
    ("kubectl", "logs"): "log",
    ("podman", "ps"): "table",
    ("podman", "logs"): "log",
    ("helm", "list"): "table",
    ("pip", "list"): "table",
}
_XML, _YAML = Detection("html", "xml", 1.0), Detection("code", "yaml", 1.0)
# What an option asks for ("-o yaml", "--format=json", "--json"), or a command that renders settings writes.
_FORMATS: dict[str, Detection] = {
    **{name: Detection("json", None, 1.0) for name in ("json", "sarif", "geojson")},
    **{name: Detection("jsonl", None, 1.0) for name in ("jsonl", "ndjson", "json-lines")},
    **{name: Detection("table", None, 1.0) for name in ("csv", "tsv", "table", "wide")},
    **dict.fromkeys(("xml", "junit", "junitxml", "checkstyle"), _XML),
    **dict.fromkeys(("yaml", "yml"), _YAML),
}
_RENDERS = frozenset({("helm", "template"), ("kubectl", "kustomize"), ("kustomize", "build")})
# What git lists beside a change instead of it.
_LISTS = frozenset({"--stat", "--numstat", "--shortstat", "--name-only", "--name-status", "--raw"})
_READS = frozenset({"cat", "bat", "less", "more", "head", "tail", "type", "nl"})  # write what a file holds
_ASKS = re.compile(r"-[ofr]|--(?=\S*(?:out|format|reporter))\S*")  # options whose value is a format
_BEFORE = frozenset(
    {"sudo", "time", "env", "nice", "nohup", "npx", "bunx", "xvfb-run", "stdbuf", "command", "exec"}
)
_BETWEEN = re.compile(r"&&|\|\||;|\n")  # commands
_PYTHON = re.compile(r"python[\d.]*")
_ASSIGNS = re.compile(r"\w+=")


def kind_of_output(command: str) -> tuple[Detection | None, str]:
    """(kind, file): what a command writes, None where it does not tell; a file that it shows, "" for none.

    A format that an option asks for goes before what the command writes otherwise. Of several commands the
    last one counts, of a pipe its first part; where what comes after a pipe makes something else of it,
    nothing is told. O(characters).
    """
    parts = _BETWEEN.split(command.strip().removeprefix("$ "))
    line = next((part.strip() for part in reversed(parts) if part.strip()), "")
    first, *after = line.split("|")
    if any(
        part.split()[:1] not in ([name] for name in ("grep", "tee", "head", "tail", "sort", "cat"))
        for part in after
    ):
        return None, ""
    words = first.split()
    while words and (words[0] in _BEFORE or _ASSIGNS.match(words[0])):
        words = words[1:]
    if len(words) > 2 and _PYTHON.fullmatch(words[0]) and words[1] == "-m":
        words = words[2:]
    if not words:
        return None, ""
    name = words[0].lower().replace("\\", "/").rpartition("/")[2].removesuffix(".exe")
    if name in _READS:
        files = [word for word in words[1:] if not word.startswith("-")]
        return None, files[-1] if files else ""
    second = next((word for word in words[1:] if not word.startswith("-")), "")
    if (name, second) == ("git", "show") and (shown := words[-1].partition(":")[2]):
        return None, shown  # a file of a commit
    if (name, second) in _RENDERS:
        return _YAML, ""
    for before, word in pairwise(words):
        asked = _FORMATS.get(word.lstrip("-").rpartition("=")[2].removeprefix("o"))
        if asked is not None and (word[0] == "-" or _ASKS.fullmatch(before)):
            return asked, ""
    kind = _SECOND.get((name, second), _KIND_OF.get(name))
    if kind == "diff" and not _LISTS.isdisjoint(words):
        return None, ""
    return (Detection(kind, None, 1.0) if kind else None), ""
