"""Tasks of contributors: `nox` runs lint and test, `nox -l` lists all."""

from __future__ import annotations

import nox

nox.options.sessions = ["lint", "test"]


@nox.session
def test(session: nox.Session) -> None:
    """Run the default suite, or what is asked for: nox -s test -- tests/content --slow."""
    session.install(".[test]")
    session.run("pytest", *session.posargs)


@nox.session(python=False)
@nox.parametrize("script", ["docs", "slow", "growth", "sanitize", "fuzz"])
def ci(session: nox.Session, script: str) -> None:
    """Run a script of ci/, as CI does."""
    session.run(f"ci/{script}.sh", external=True)


@nox.session(python=False)
def lint(session: nox.Session) -> None:
    """Check format, lint and types."""
    session.run("ci/lint.sh", external=True)
