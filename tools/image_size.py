"""What an image weighs, layer by layer, and what its largest part is made of.

Usage: python -m tools.image_size IMAGE      (needs `docker`; sizes are unpacked, as `docker images` counts them)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

LIMIT_MB = 500
SHOWN = 12
ENVIRONMENT = "/opt/gatebot"
_MEGA = 1_000_000


def docker(*words: str) -> str:
    """The output of `docker`. Raises CalledProcessError."""
    return subprocess.run(["docker", *words], capture_output=True, text=True, check=True).stdout  # noqa: S607


def layers(image: str) -> list[tuple[int, str]]:
    """(bytes, what made it) of each layer that holds something, the lowest first."""
    told = docker("history", "--no-trunc", "--human=false", "--format={{.Size}}\t{{.CreatedBy}}", image)
    rows = [line.split("\t", 1) for line in told.splitlines()]
    return [(int(size), _explained(made)) for size, made in reversed(rows) if int(size) > 0]


def _explained(made: str) -> str:
    if "apt-get" in made:
        return "tini, and no program with a set-user bit"
    if "COPY" in made:
        return f"{ENVIRONMENT}: gatebot and the packages it loads"
    return "the base image: Debian and Python" if "FROM" not in made else made[:60]


def parts(image: str) -> list[tuple[int, str]]:
    """(bytes, name) of the environment's packages, the largest first; a package and its .libs are one."""
    listing = docker(
        "run", "--rm", "--entrypoint=sh", image, "-c", f"du -sk {ENVIRONMENT}/lib/python3*/site-packages/*"
    )
    sizes: dict[str, int] = {}
    for line in listing.splitlines():
        size, place = line.split("\t", 1)
        name = re.sub(r"(\.libs|-[0-9][^/]*\.dist-info|\.py)$", "", place.rpartition("/")[2])
        sizes[name] = sizes.get(name, 0) + int(size) * 1024
    return sorted(((size, name) for name, size in sizes.items()), reverse=True)


def main() -> int:
    """Print the table; 1 when the image is larger than it may be."""
    image = sys.argv[1]
    total = int(json.loads(docker("image", "inspect", image))[0]["Size"])
    found = layers(image)
    print(f"image {image}: {total / _MEGA:.0f} MB (limit {LIMIT_MB})")
    for size, why in found:
        print(f"  {size / _MEGA:6.1f} MB  {why}")
    largest = parts(image)
    for size, name in largest[:SHOWN]:
        print(f"             {size / _MEGA:6.1f} MB  {name}")
    rest = largest[SHOWN:]
    print(f"             {sum(size for size, _ in rest) / _MEGA:6.1f} MB  {len(rest)} more packages")
    return int(total >= LIMIT_MB * _MEGA)


if __name__ == "__main__":
    sys.exit(main())
