"""What the output of a command is, by the command line that wrote it."""

from __future__ import annotations

import re

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
_READS = frozenset({"cat", "bat", "less", "more", "head", "tail", "type", "nl"})  # write what a file holds
_BEFORE = frozenset(
    {"sudo", "time", "env", "nice", "nohup", "npx", "bunx", "xvfb-run", "stdbuf", "command", "exec"}
)
_BETWEEN = re.compile(r"&&|\|\||;|\n")  # commands
_PYTHON = re.compile(r"python[\d.]*")
_ASSIGNS = re.compile(r"\w+=")


def kind_of_output(command: str) -> tuple[DetectedName | None, str]:
    """(kind, file): what a command writes, None where it does not tell; a file that it shows, "" for none.

    Of several commands the last one counts, of a pipe its first part; where what comes after a pipe makes
    something else of it, nothing is told. O(characters).
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
    return _SECOND.get((name, second), _KIND_OF.get(name)), ""
