#!/usr/bin/env bash
# Format, lint, types, and a build with warnings as errors.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv-lint
.venv-lint/bin/pip install -q '.[lint]' -C build-dir=build/lint -C cmake.define.TERSELY_WERROR=ON

failed=0
check() { .venv-lint/bin/"$@" || failed=1; }

check ruff check python tests benchmarks tools ci docs examples noxfile.py
check ruff format --check python tests benchmarks tools ci docs examples noxfile.py
mapfile -t sources < <(find csrc tests/fuzz tests/sanitizers tests/cross benchmarks -name '*.[ch]pp' -o -name '*.inl')
check clang-format --dry-run -Werror "${sources[@]}"
check mypy python/tersely
check mypy tests/codebase/public_types.py examples/*.py
check basedpyright --pythonpath .venv-lint/bin/python
if [ -n "$(find benchmarks -name '*.py' -print -quit)" ]; then
  # Peers come without types: what is imported from them is Any.
  check mypy --ignore-missing-imports --explicit-package-bases --allow-subclassing-any \
    --allow-untyped-calls --allow-untyped-decorators benchmarks
fi
check stubtest tersely._native
exit "$failed"
