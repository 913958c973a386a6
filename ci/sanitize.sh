#!/usr/bin/env bash
# The ordinary suite over an extension built with AddressSanitizer and UndefinedBehaviorSanitizer.
# Python itself leaks at exit, so leaks are looked for by the fuzz targets (ci/fuzz.sh), which are C++ only.
set -euo pipefail
cd "$(dirname "$0")/.."

python3 -m venv .venv-sanitize
.venv-sanitize/bin/pip install -q '.[test]' -C build-dir=build/sanitize \
  -C cmake.build-type=RelWithDebInfo -C install.strip=false -C cmake.define.TERSELY_SANITIZE=ON

# The runtimes must be loaded first, and libstdc++ with them, or ASan misses its exceptions. PYTHONMALLOC
# lets ASan see where a Python string ends. Capturing no more than sys.stderr leaves reports to be seen.
# tests/codebase reads sources and measures the import, tests/store kills processes, tests/mcp and tests/integrations
# speak to other libraries; tests/cli, tests/agents, tests/documentation, tests/report, tests/metrics and tests/scale call
# from outside what the rest calls: none of them brings a kernel other input than the rest does. Tests that fork beside
# threads are passed over (tests/support/other_threads.py).
runtimes=$(for name in asan ubsan stdc++; do g++ -print-file-name="lib$name.so"; done)
env LD_PRELOAD="${runtimes//$'\n'/ }" PYTHONMALLOC=malloc \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
  .venv-sanitize/bin/pytest -n 2 -m 'not seconds' -p no:cacheprovider --capture=sys \
  --ignore=tests/{codebase,store,mcp,integrations,cli,agents,documentation,report,metrics,scale}
