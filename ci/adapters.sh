#!/usr/bin/env bash
# The adapters with the oldest and the newest versions of their frameworks that can be installed, and readers of data frames.
# New versions are looked for when the adapters change, and each night.
# inputs: python/tersely/integrations python/tersely/agents python/tersely/mcp python/tersely/scale pyproject.toml
# inputs: python/tersely/models/embedders.py python/tersely/models/language_models.py python/tersely/memory/messages.py python/tersely/retrieval/results.py
# inputs: tests/integrations tests/agents tests/scale tests/mcp/test_gateway.py tests/models/test_embedders.py
# inputs: tests/retrieval/test_results.py docs/migration examples/harnesses
# minutes: 35
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=ci/shared.sh
source ci/shared.sh
with_wheel

oldest=(langchain-core==1.0.0 langchain==1.0.0 langchain-classic==1.0.0 llama-index-core==0.13.0 haystack-ai==2.20.0
  "langgraph==1.0.0" "langgraph-checkpoint<3") # later ones do not work with langchain 1.0.0
newest=("langchain-core<2" "langchain<2" langchain-classic "llama-index-core<0.15" "haystack-ai<4"
  "openai-agents<1" "pydantic-ai-slim<3" "litellm<2" anthropic google-genai squeez pyyaml)
tools=("crewai<2" "smolagents<2" "autogen-core<1") # they pin what the others need
gateways=("litellm>=1.110,<2" fastapi "mcp>=2,<3" uvicorn) # its extra `proxy` names a package that no index has
headroom=("headroom-ai[proxy]>=0.42,<0.43") # its contract for compressors is not stable yet

# Each environment goes when its tests have ended: together they would take gigabytes.
venv=.venv-adapters
trap 'rm -rf "$venv"' EXIT
environment() { # REQUIREMENTS...
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q pytest hypothesis "$@" "$wheel"
}
run() { # NAME REQUIREMENTS...
  local started=$SECONDS
  environment scikit-learn "${@:2}"
  "$venv/bin/pip" install -q --no-deps llmlingua # its source is read, not run: it needs torch
  printf '%s, installed in %d s: ' "$1" $((SECONDS - started))
  "$venv/bin/python" -m pytest -rs tests/integrations tests/agents/test_real_classes.py \
    tests/models/test_embedders.py tests/retrieval/test_results.py tests/mcp/test_gateway.py
  "$venv/bin/python" -m pytest tests/documentation -k "migration or harnesses or (reference and (agents or integrations))"
  printf '%s in %d s\n' "$1" $((SECONDS - started))
}

run oldest "${oldest[@]}"
run newest --upgrade "${newest[@]}"
run tools "${tools[@]}"
run gateways "${gateways[@]}"
run headroom "${headroom[@]}"
run hermes "hermes-agent<1"
"$venv/bin/python" -m pytest -rs tests/agents/test_hook.py -k hermes

# What a job writes, read by those who will read it; Spark asks for the machine by a name that it may not have.
environment pyarrow pandas polars duckdb datasets pyspark
SPARK_LOCAL_HOSTNAME=localhost HF_HUB_OFFLINE=1 "$venv/bin/python" -m pytest -rs --slow tests/scale/test_readers.py tests/scale/test_table.py
