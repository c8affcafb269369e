#!/usr/bin/env bash
# A stand-in for the official slim Python image, for machines that reach package registries and no image registry:
# Debian by mmdebstrap, and the places of the official image. For tests only, never published: this machine's
# certificates and its way to the registries are part of it.
# It differs: Debian's own build of CPython 3.11, about 65 MB more, site-packages is a link to dist-packages.
# Usage: base_image.sh TAG WORK      needs root and DOCKER_HOST
set -euo pipefail
tag=$1
root=$2/rootfs
log=$2/base-image.log

mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -v security | head -n 1) # whatever this machine uses
rm -rf "$root"
mkdir -p "$root"
mmdebstrap --mode=root --variant=minbase \
    --include=python3,python3-venv,python3-pip,ca-certificates,netbase,tzdata \
    --dpkgopt=force-unsafe-io --aptopt='Acquire::Languages "none"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' \
    bookworm "$root" "$mirror" >"$log" 2>&1 </dev/null || { tail -n 5 "$log" >&2; exit 1; }

for name in python python3 python3.11; do ln -sf /usr/bin/python3.11 "$root/usr/local/bin/$name"; done
for name in pip pip3; do ln -sf /usr/bin/pip3 "$root/usr/local/bin/$name"; done
rm -f "$root/usr/lib/python3.11/EXTERNALLY-MANAGED" # the official image has none
mkdir -p "$root/usr/local/lib/python3.11/dist-packages"
ln -sfn dist-packages "$root/usr/local/lib/python3.11/site-packages"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
mkdir -p "$root/usr/local/share/ca-certificates" # from which installing ca-certificates makes the bundle anew
cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
printf '[global]\ncert = /etc/ssl/certs/ca-certificates.crt\ndisable-pip-version-check = 1\ntimeout = 120\n' >"$root/etc/pip.conf"
printf 'Acquire::Check-Valid-Until "false";\n' >"$root/etc/apt/apt.conf.d/99-end-to-end"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*

tar -C "$root" -c . | docker import \
    -c 'CMD ["python3"]' -c 'ENV LANG=C.UTF-8' -c 'LABEL gatebot.stand-in=yes' \
    -c 'ENV PATH=/usr/local/bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin' - "$tag" >/dev/null
rm -rf "$root"
