"""The digests that say which evaluation a plan belongs to."""

from __future__ import annotations

from gatebot.model.plan import Digests
from gatebot.model.suite import Suite
from gatebot.suite.snapshot import agent_digest, grading_digest, policy_digest, run_digest


def digests_of(suite: Suite) -> Digests:
    """Run, grading, policy and agent digests of a suite (architecture, "Digests")."""
    return Digests(
        run=run_digest(suite),
        grading=grading_digest(suite),
        policy=policy_digest(suite),
        agent=agent_digest(suite.config),
    )
