# shellcheck shell=bash
# Sourced: a container engine at hand, and the base image in it. The caller has set:
#   state  a folder that is kept    logs  the folder of this run's logs    task  its name, in what is said
# An engine that already answers is used as it is; else, as root, one of our own is started; `engine_away` ends it.

run= # the folder of our own engine, while there is one
no_engine_because=

step() { # NAME COMMAND...: what it printed is kept, and shown when it fails
    local name=$1 since=$SECONDS code=0
    shift
    "$@" >"$logs/$name.log" 2>&1 || code=$?
    printf '%s: %-12s %4s s%s\n' "$task" "$name" $((SECONDS - since)) "$([ "$code" = 0 ] || echo '  failed')"
    [ "$code" = 0 ] || tail -n 15 "$logs/$name.log" >&2
    return "$code"
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

engine_at_hand() { # where there is none, no_engine_because says why
    exec 9>"${TMPDIR:-/tmp}/gatebot-e2e.lock" # two engines of ours on one machine would take each other's rules away
    flock -w 3600 9 || { no_engine_because="another run has held the engine for an hour"; return 1; }
    if docker version >/dev/null 2>&1; then
        export DOCKER_HOST=${DOCKER_HOST:-unix:///var/run/docker.sock}
        return 0
    fi
    [ "$(id -u)" = 0 ] || { no_engine_because="none answers, and only root can start one"; return 1; }
    command -v apt-get >/dev/null || command -v dockerd >/dev/null || { no_engine_because="none is installed"; return 1; }
    step packages packages || { no_engine_because="its packages could not be installed"; return 1; }
    own_engine || { no_engine_because="it did not start: $(tail -n 1 "$run/dockerd.log" 2>/dev/null | tail -c 200)"; return 1; }
}

engine_away() {
    [ -n "$run" ] || return 0
    tests/e2e/engine.sh stop "$run" || true
    rm -rf "$run" || true
}

base() { # the official image where it can be had, else a stand-in
    docker image inspect "$GATEBOT_E2E_BASE" && return 0
    timeout 60 docker pull --quiet "$GATEBOT_E2E_BASE" && return 0
    tests/e2e/base_image.sh "$GATEBOT_E2E_BASE" "$state"
}
