#!/usr/bin/env bash
# Build the documentation, warnings being errors, and check that every public name is in its reference.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv-docs
PIP_NO_COMPILE=1 .venv-docs/bin/pip install -q '.[docs]' -C build-dir=build/wheel
rm -rf build/docs
.venv-docs/bin/sphinx-build -q -W --keep-going -d build/doctrees docs build/docs
.venv-docs/bin/python docs/check_reference.py build/docs
