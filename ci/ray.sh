#!/usr/bin/env bash
# A corpus on a Ray cluster of two nodes on this machine, of which one dies; kills at many moments.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv-ray
.venv-ray/bin/pip install -q '.[test,ray]' polars duckdb pandas pyspark -C build-dir=build/wheel
.venv-ray/bin/pytest --slow -rs tests/scale
