#!/usr/bin/env bash
# `make e2e`: an engine, the image, and the tests of tests/e2e on them. Says what each step took.
# Usage: tools/e2e.sh PYTHON [ARGUMENT OF pytest]...      PYTHON: the environment's interpreter
#
# An engine that already answers is used as it is; else, as root, one of our own is started and is gone afterwards.
# Where there can be none, what needs it is skipped with the reason, and the rest is run. A test that fails is a failure.
# GATEBOT_E2E_FULL=1 builds and tries the full image too.
# GATEBOT_E2E_STATE (.e2e): what a second run need not make again. The logs and comments of the last run are in logs/ there.
set -euo pipefail

python=$(realpath -s "$1")
shift
cd "$(dirname "$0")/.."
exec </dev/null
state=$(realpath -m "${GATEBOT_E2E_STATE:-.e2e}")
mkdir -p "$state"
export GATEBOT_E2E=1 GATEBOT_E2E_LOGS="$state/logs"
export GATEBOT_E2E_BASE=${GATEBOT_E2E_BASE:-python:3.11-slim-bookworm}
rm -rf "$state/logs" && mkdir -p "$state/logs"

exec 9>"${TMPDIR:-/tmp}/gatebot-e2e.lock" # two engines of ours on one machine would take each other's rules away
flock -w 3600 9

run=
begun=$SECONDS
cleanup() {
    if [ -n "$run" ]; then
        tests/e2e/engine.sh stop "$run" || true
        rm -rf "$run" || true
    fi
    echo "e2e: $((SECONDS - begun)) s in all; logs in $state/logs"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

step() { # NAME COMMAND...: what it printed is kept, and shown when it fails
    local name=$1 since=$SECONDS code=0
    shift
    "$@" >"$state/logs/$name.log" 2>&1 || code=$?
    printf 'e2e: %-12s %4s s%s\n' "$name" $((SECONDS - since)) "$([ "$code" = 0 ] || echo '  failed')"
    [ "$code" = 0 ] || tail -n 15 "$state/logs/$name.log" >&2
    return "$code"
}

no_engine() { # REASON
    export GATEBOT_E2E_SKIP="no container engine: $1"
    printf 'e2e: SKIPPED what needs a container engine: %s\n' "$1"
}

packages() { # Debian's packages that are not there yet
    local wanted=() one
    for one in dockerd:docker.io mmdebstrap:mmdebstrap iptables:iptables ip:iproute2 pgrep:procps; do
        command -v "${one%%:*}" >/dev/null || wanted+=("${one#*:}")
    done
    [ ${#wanted[@]} -gt 0 ] || return 0
    apt-get update -qq || true # an old index may still do
    # Installing must not start a service of the system's: ours has its own place.
    RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${wanted[@]}"
}

own_engine() {
    run=$(mktemp -d /tmp/gbe.XXXXXX) # short: sockets have a longest path
    export DOCKER_HOST="unix://$run/docker.sock" DOCKER_CONFIG="$run"
    step engine tests/e2e/engine.sh start "$state" "$run"
}

engine() {
    if docker version >/dev/null 2>&1; then
        export DOCKER_HOST=${DOCKER_HOST:-unix:///var/run/docker.sock}
        return 0
    fi
    [ "$(id -u)" = 0 ] || { no_engine "none answers, and only root can start one"; return 1; }
    command -v apt-get >/dev/null || command -v dockerd >/dev/null || { no_engine "none is installed"; return 1; }
    step packages packages || { no_engine "its packages could not be installed"; return 1; }
    own_engine || { no_engine "it did not start: $(tail -n 1 "$run/dockerd.log" 2>/dev/null | tail -c 200)"; return 1; }
}

base() { # the official image where it can be had, else a stand-in
    docker image inspect "$GATEBOT_E2E_BASE" && return 0
    timeout 60 docker pull --quiet "$GATEBOT_E2E_BASE" && return 0
    tests/e2e/base_image.sh "$GATEBOT_E2E_BASE" "$state"
}

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
    timeout 120 "$python" -m tools.comment_pictures "$state/logs"
}

if engine; then
    step base base
    step act act
    step image image
    export GATEBOT_E2E_IMAGE=gatebot:e2e GATEBOT_E2E_TOOLS="$state/tools"
    if [ -n "${GATEBOT_E2E_FULL:-}" ]; then
        step full full
        export GATEBOT_E2E_FULL_IMAGE=gatebot:e2e-full
    fi
    "$python" -m tools.image_size gatebot:e2e | tee "$state/logs/image-size.txt"
fi
code=0
"$python" -m pytest tests/e2e -p no:cacheprovider --timeout=900 --durations=0 --durations-min=1 "$@" || code=$?
if ls "$state/logs/"*.comment.md >/dev/null 2>&1; then
    step pictures pictures || true # they are for people; no verdict hangs on them
    tail -n 1 "$state/logs/pictures.log"
fi
exit "$code"
