#!/usr/bin/env bash
# Make the environment DIR with the interpreter PYTHON from the locked, hashed requirements.
# Usage: tools/venv.sh PYTHON DIR
set -euo pipefail

python=$1
dir=$2
cd "$(dirname "$0")/.."

die() {
    printf 'error: %s\n\nhint: %s\n' "$1" "$2" >&2
    exit 2
}

apt_install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null || true # an old index may still do
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null
}

if ! command -v "$python" >/dev/null && [ "$python" = python3 ]; then
    apt_install python3 python3-venv || true
fi
command -v "$python" >/dev/null || die "there is no interpreter '$python'" "name one: make PYTHON=/path/to/python3.11"

version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    die "gatebot needs Python 3.11 or newer, and '$python' is $version" "name another: make PYTHON=/path/to/python3.11"

# Debian ships venv without ensurepip unless the python3-venv package is there.
if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    apt_install "python$version-venv" || apt_install python3-venv ||
        die "'$python' has no venv module" "install it: apt-get install python$version-venv"
fi

echo "installing into $dir, a minute or two"
"$python" -m venv "$dir"
pip=("$dir/bin/python" -m pip --disable-pip-version-check --no-input)
"${pip[@]}" install --quiet --require-hashes -r requirements-dev.lock
"${pip[@]}" install --quiet --no-deps --no-build-isolation -e .
