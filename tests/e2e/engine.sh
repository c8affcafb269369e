#!/usr/bin/env bash
# A container engine of our own: started for the end-to-end tests, gone after them, nobody else's touched.
# Usage: engine.sh start STATE RUN | engine.sh stop RUN
#   STATE  a folder that is kept: the images' layers.   RUN  a short-lived folder with a short path: sockets and logs.
# A real bridge with address translation, because act builds images without saying which network: they need a way out.
set -euo pipefail

bridge_of() { printf 'gbe%s' "$(basename "$1" | tr -dc '[:alnum:]' | tail -c 10)"; }

start() {
    local state=$1 run=$2 bridge subnet taken
    bridge=$(bridge_of "$run")
    taken=$(ip -4 addr)
    for subnet in $(seq 201 254); do # a network nobody on this machine is in
        case $taken in *"172.30.$subnet."*) ;; *) break ;; esac
    done
    ip link add "$bridge" type bridge
    ip addr add "172.30.$subnet.1/24" dev "$bridge"
    ip link set "$bridge" up
    nohup dockerd --data-root "$state/docker" --exec-root "$run/exec" --pidfile "$run/dockerd.pid" \
        --host "unix://$run/docker.sock" --storage-driver overlay2 --bridge "$bridge" \
        --iptables=true --ip6tables=false --ip-masq=true --userland-proxy=false >"$run/dockerd.log" 2>&1 </dev/null &
    local pid=$!
    for _ in $(seq 300); do
        DOCKER_HOST="unix://$run/docker.sock" docker version >/dev/null 2>&1 && return 0
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 3 "$run/dockerd.log" >&2
    return 1
}

stop() {
    local run=$1 bridge pid=
    bridge=$(bridge_of "$run")
    [ ! -f "$run/dockerd.pid" ] || pid=$(cat "$run/dockerd.pid")
    if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then
        for _ in $(seq 150); do kill -0 "$pid" 2>/dev/null || break; sleep 0.2; done
        kill -9 "$pid" 2>/dev/null || true
    fi
    ip link del "$bridge" 2>/dev/null || true
    { grep -F " $run/" /proc/mounts || true; } | cut -d ' ' -f 2 | while read -r mount; do umount -l "$mount" || true; done
    # The engine leaves its rules behind. They go, unless another engine of this machine uses the same chains.
    if command -v iptables-save >/dev/null && ! pgrep -x dockerd >/dev/null; then
        iptables-save | grep -v -e DOCKER -e "$bridge" | iptables-restore || true
    fi
}

"$@"
