#!/usr/bin/env bash
# `make e2e`: an engine, the image, and the tests of tests/e2e on them. Says what each step took.
# Usage: tools/e2e.sh PYTHON [ARGUMENT OF pytest]...      PYTHON: the environment's interpreter
#
# An engine that already answers is used as it is; else, as root, one of our own is started and is gone afterwards.
# Where there can be none, what needs it is skipped with the reason, and the rest is run. A test that fails is a failure.
# GATEBOT_E2E_FULL=1 builds and tries the full image too. GATEBOT_E2E_RELEASE=1 makes a release on loopback (docker-registry).
# GATEBOT_E2E_MOMENTS (10): how often the image's run is told to stop at a random moment.
# GATEBOT_E2E_STATE (.e2e): what a second run need not make again. The logs and comments of the last run are in logs/ there,
# or in the folder that GATEBOT_E2E_NAME names.
set -euo pipefail

python=$(realpath -s "$1")
shift
cd "$(dirname "$0")/.."
exec </dev/null
state=$(realpath -m "${GATEBOT_E2E_STATE:-.e2e}")
logs=$state/${GATEBOT_E2E_NAME:-logs}
task=e2e
export GATEBOT_E2E=1 GATEBOT_E2E_LOGS="$logs"
export GATEBOT_E2E_BASE=${GATEBOT_E2E_BASE:-python:3.11-slim-bookworm}
rm -rf "$logs" && mkdir -p "$logs"

# shellcheck source=tests/e2e/at_hand.sh
. tests/e2e/at_hand.sh

begun=$SECONDS
cleanup() {
    engine_away
    echo "e2e: $((SECONDS - begun)) s in all; logs in $logs"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

act() { # the runner of workflows, in an environment of its own
    cmp -s requirements-e2e.lock "$state/tools/requirements-e2e.lock" && return 0
    rm -rf "$state/tools"
    python3 -m venv "$state/tools"
    "$state/tools/bin/python" -m pip --disable-pip-version-check --no-input install --quiet --require-hashes -r requirements-e2e.lock
    cp requirements-e2e.lock "$state/tools/"
}

image() {
    DOCKER_BUILDKIT=0 docker build --tag gatebot:e2e --build-arg "BASE=$GATEBOT_E2E_BASE" \
        --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" .
}

full() {
    DOCKER_BUILDKIT=0 docker build --tag gatebot:e2e-full --build-arg GATEBOT=gatebot:e2e --file Dockerfile.full .
}

pictures() { # of the comments; with a browser, where one is there or can be had
    if ! command -v chromium >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive timeout 180 apt-get install -y -qq --no-install-recommends \
            chromium fonts-dejavu-core fonts-noto-color-emoji || true
    fi
    timeout 120 "$python" -m tools.comment_pictures "$logs"
}

if engine_at_hand; then
    step base base
    step act act
    step image image
    export GATEBOT_E2E_IMAGE=gatebot:e2e GATEBOT_E2E_TOOLS="$state/tools"
    if [ -n "${GATEBOT_E2E_FULL:-}" ]; then
        step full full
        export GATEBOT_E2E_FULL_IMAGE=gatebot:e2e-full
    fi
    "$python" -m tools.image_size gatebot:e2e | tee "$logs/image-size.txt"
else
    export GATEBOT_E2E_SKIP="no container engine: $no_engine_because"
    printf 'e2e: SKIPPED what needs a container engine: %s\n' "$no_engine_because"
fi
code=0
"$python" -m pytest tests/e2e -p no:cacheprovider --timeout=900 --durations=0 --durations-min=1 "$@" || code=$?
if ls "$logs/"*.comment.md >/dev/null 2>&1; then
    step pictures pictures || true # they are for people; no verdict hangs on them
    tail -n 1 "$logs/pictures.log"
fi
exit "$code"
