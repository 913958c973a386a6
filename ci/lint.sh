#!/usr/bin/env bash
# Format, lint and types; C++ warnings are errors of ci/wheel.sh.
# minutes: 12
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_wheel
alone tools install_wheel .venv-tools lint

failed=0
check() { .venv-tools/bin/"$@" || failed=1; }

check ruff check python tests benchmarks tools ci docs examples noxfile.py
check ruff format --check python tests benchmarks tools ci docs examples noxfile.py
mapfile -t sources < <(find csrc tests/fuzz tests/sanitizers tests/cross benchmarks -name '*.[ch]pp' -o -name '*.inl')
check clang-format --dry-run -Werror "${sources[@]}"
check mypy python/tersely
check mypy tests/codebase/public_types.py examples/*.py
check basedpyright --pythonpath .venv-tools/bin/python
if [ -n "$(find benchmarks -name '*.py' -print -quit)" ]; then
  # Peers come without types: what is imported from them is Any.
  check mypy --ignore-missing-imports --explicit-package-bases --allow-subclassing-any \
    --allow-untyped-calls --allow-untyped-decorators benchmarks
fi
check stubtest tersely._native
exit "$failed"
