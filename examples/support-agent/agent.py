"""A customer-support agent that speaks gatebot's command protocol: one request on standard input, one answer back."""

from __future__ import annotations

import json
import os
import sys

from support.desk import record
from support.loop import Turn, conversation


def main() -> int:
    """Read the request, take one turn, write the response. The seed comes from GATEBOT_SEED, else from the request."""
    try:
        request = record(json.load(sys.stdin))
        seed = int(os.environ.get("GATEBOT_SEED") or str(request.get("seed", 0)))
        turn = Turn(conversation(request.get("input")), record(request.get("context")), seed)
    except ValueError as error:
        sys.stderr.write(f"bad request: {error}\n")
        return 2
    json.dump(turn.run(), sys.stdout, sort_keys=True)
    sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
