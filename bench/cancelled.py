"""Tells the image's run to stop at a hundred random moments, on a container engine: tests/e2e/test_cancelled.py, for longer.

Usage: python bench/cancelled.py [MOMENTS]. Prints what was found; where no engine can be had, that and nothing else.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOMENTS = 100
TEST = "test_told_to_stop_at_random_moments"


def main(moments: int) -> int:
    """Run the test by way of `make e2e`'s script; its exit code."""
    environment = {**os.environ, "GATEBOT_E2E_MOMENTS": str(moments), "GATEBOT_E2E_NAME": "cancelled"}
    command = [str(ROOT / "tools" / "e2e.sh"), sys.executable, "-rs", "-q", "-k", TEST]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else MOMENTS))
