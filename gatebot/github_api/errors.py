"""What GitHub can answer instead of what was asked for, by kind: callers act on the kind, people read the sentence."""

from __future__ import annotations

from typing import Literal

from gatebot.errors import InfrastructureError

Kind = Literal[
    "unreachable",
    "unauthorized",
    "permission",
    "rate_limited",
    "not_found",
    "invalid",
    "conflict",
    "locked",
    "malformed",
    "server",
]


class ApiError(InfrastructureError):
    """GitHub refused, or cannot be reached. `kind` says how to go on; no header, token or body is kept."""

    def __init__(self, kind: Kind, message: str, hint: str = "") -> None:
        self.kind: Kind = kind
        super().__init__(message, hint)


PERMISSIONS = {
    "comment": "pull-requests: write",
    "check": "checks: write",
    "status": "statuses: write",
    "commit": "contents: write",
    "label": "pull-requests: write",
    "artifact": "actions: read",
    "read": "contents: read and pull-requests: read",
    "issue": "issues: write",
}
"""What each kind of call needs in a workflow's `permissions:`."""
