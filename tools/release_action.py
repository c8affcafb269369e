"""Write action.yml as a release has it: the image by its digest in place of the Dockerfile.

Usage: python -m tools.release_action IMAGE@sha256:… > action.yml
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ACTION = Path(__file__).parents[1] / "action.yml"
_BUILT = "  image: Dockerfile\n"
_PINNED = re.compile(r"[a-z0-9./:_-]+@sha256:[0-9a-f]{64}")


def released(action: str, image: str) -> str:
    """The text of action.yml with `image` in place of the Dockerfile. Raises ValueError when there is no such place."""
    if action.count(_BUILT) != 1:
        raise ValueError("action.yml does not say `image: Dockerfile` exactly once")
    return action.replace(_BUILT, f"  image: docker://{image}\n")


def main() -> int:
    """Print the released action; 2 when the image is not named by digest."""
    if len(sys.argv) != 2 or not _PINNED.fullmatch(sys.argv[1]):
        sys.stderr.write("error: name the image by its digest\n\nhint: NAME@sha256:<64 hex digits>\n")
        return 2
    sys.stdout.write(released(ACTION.read_text(encoding="utf-8"), sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
