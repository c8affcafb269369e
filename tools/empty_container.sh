#!/usr/bin/env bash
# `make empty-container`: the last commit, cloned in a container that holds Python, git and make and nothing else;
# there `make demo`, then `make test`, each timed. What they said is in $GATEBOT_E2E_STATE/empty-container (.e2e).
# Usage: tools/empty_container.sh [TASK OF make]...     (demo test)
set -euo pipefail

cd "$(dirname "$0")/.."
exec </dev/null
[ $# -gt 0 ] || set -- demo test
state=$(realpath -m "${GATEBOT_E2E_STATE:-.e2e}")
logs=$state/empty-container
task=empty-container
export GATEBOT_E2E_BASE=${GATEBOT_E2E_BASE:-python:3.11-slim-bookworm}
rm -rf "$logs" && mkdir -p "$logs/in" "$logs/out"
# shellcheck source=tests/e2e/at_hand.sh
. tests/e2e/at_hand.sh

container=gatebot-empty-container
cleanup() {
    docker rm --force "$container" >/dev/null 2>&1 || true
    engine_away
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

git bundle create --quiet "$logs/in/gatebot.bundle" HEAD # a file of its own: whoever owns the repository, it can be cloned
cat >"$logs/in/tasks.sh" <<'EOT'
set -u
apt-get update -qq >/out/packages.log 2>&1 || true
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends git make >>/out/packages.log 2>&1 || exit
git -c advice.detachedHead=false clone --quiet /in/gatebot.bundle /gatebot && cd /gatebot || exit
failed=0
for task in "$@"; do
    begun=$(date +%s) code=0
    make "$task" >"/out/make-$task.log" 2>&1 || code=$? failed=1
    took=$(($(date +%s) - begun))
    printf 'make %s: %d min %02d s, exit %s\n' "$task" $((took / 60)) $((took % 60)) "$code"
    [ "$code" = 0 ] || tail -n 60 "/out/make-$task.log"
    grep -E '^(SKIPPED|=+ .* in [0-9.]+s.*=+$)' "/out/make-$task.log" || true
done
exit "$failed"
EOT

engine_at_hand || { printf 'error: no container engine: %s\n' "$no_engine_because" >&2; exit 1; }
step base base
printf '%s: %s of %s, on %s processors\n' "$task" "$(git rev-parse --short HEAD)" "$GATEBOT_E2E_BASE" "$(nproc)"
docker run --rm --init --name "$container" --volume "$logs/in:/in:ro" --volume "$logs/out:/out" \
    "$GATEBOT_E2E_BASE" bash /in/tasks.sh "$@"
