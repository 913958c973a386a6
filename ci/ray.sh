#!/usr/bin/env bash
# A corpus on a Ray cluster of three nodes on this machine, of which one dies.
# inputs: python/tersely/scale tests/scale
# minutes: 8
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_tests
.venv/bin/pip install -q --upgrade --target build/ray 'ray==2.48.*'
PYTHONPATH=$PWD/build/ray .venv/bin/pytest --slow -rs tests/scale/test_ray.py
