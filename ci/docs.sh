#!/usr/bin/env bash
# Build the documentation, warnings being errors, and check that every public name is in its reference.
# minutes: 8
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_wheel
alone tools install_wheel .venv-tools docs
rm -rf build/docs
.venv-tools/bin/sphinx-build -q -W --keep-going -d build/doctrees docs build/docs
.venv-tools/bin/python docs/check_reference.py build/docs
