#!/usr/bin/env bash
# Leave out of an environment what gatebot never loads. tools/warm.py then proves that all it does load is there.
# Usage: tools/slim.sh ENVIRONMENT      (runs while the image is built; needs pip and strip)
#
# - Packages that agentevals and openevals ask for and gatebot's part of them never imports: the model clients of
#   LangChain and OpenAI, and LangGraph (its traces are read from files).
# - The tests of numpy and scipy.
# - Symbols of compiled modules, which only a debugger reads.
set -euo pipefail

environment=$1
packages=$("$environment/bin/python" -I -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
size() { du -sm "$environment" | cut -f 1; }
say() { printf 'slim: %-34s %4s MB\n' "$1" "$(size)"; }

say "as installed"
python -m pip --python "$environment/bin/python" uninstall --quiet --yes \
    langchain-openai openai tiktoken langgraph langgraph-checkpoint langgraph-prebuilt langgraph-sdk ormsgpack
say "without clients nobody calls"
find "$packages/numpy" "$packages/scipy" -depth -type d -name tests -exec rm -rf {} +
say "without tests of numpy and scipy"
find "$packages" -path '*.libs' -prune -o -type f -name '*.so' -exec strip --strip-unneeded {} +
say "without symbols"
