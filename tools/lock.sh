#!/usr/bin/env bash
# Resolve pyproject.toml into the locks: requirements.lock (what gatebot runs on), requirements-dev.lock (and what its
# tests need), requirements-build.lock (what builds its wheel), and one for each of the groups image, full and e2e.
# Universal, with hashes, without addresses.
# uv comes from the registry that pip is set up for, into an environment that is thrown away.
# Usage: tools/lock.sh PYTHON [ARGUMENT OF uv pip compile]...
set -euo pipefail

python=$1
shift
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$python" -m venv "$tmp/uv"
"$tmp/uv/bin/python" -m pip --disable-pip-version-check --no-input install --quiet uv

compile() {
    "$tmp/uv/bin/uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --no-annotate --no-header "$@"
}
compile "$@" --output-file requirements.lock pyproject.toml
compile "$@" --group dev --extra semantic --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml
"$python" -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' >"$tmp/build.in"
compile "$@" --constraint requirements-dev.lock --output-file requirements-build.lock "$tmp/build.in"
for group in image full e2e; do
    compile "$@" --group "$group" --constraint requirements-dev.lock --constraint requirements-build.lock \
        --output-file "requirements-$group.lock"
done
