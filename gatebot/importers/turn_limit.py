"""How a source says that the agent was stopped by a limit of its turns: frameworks have many words for it."""

from __future__ import annotations

import dataclasses
import re

from gatebot.model.trajectory import Trajectory

_READ, _KEPT = 2_000, 200
_TURN_LIMIT = re.compile(
    r"(?<![a-z])max(?:imum)?[ _-]?(?:number of )?(?:(?:tool|llm)[ _-]?)?"
    r"(?:turns?|iterations?|steps?|rounds?|calls?|messages)(?:\b|[A-Z_])"
    r"|\b(?:turn|recursion|iteration|step|round|message|tool[ _-]call)s?[ _-]limit\b|\bGraphRecursionError\b"
    # Pydantic AI counts requests to the model; a "request limit" is otherwise that of a provider.
    r"|\bexceed the request_limit\b",
    re.IGNORECASE,
)
_OF_A_PROVIDER = re.compile(r"\brate[ _-]?limit|\bper[ _-]?(?:second|minute|hour|day|month)\b", re.IGNORECASE)
"""So many calls in so much time: the provider's patience, not the agent's."""


def tells_turn_limit(reason: str) -> bool:
    """Whether the words on how a run ended, of which 2,000 characters are read, tell of a limit of turns."""
    told = reason[:_READ]
    return _TURN_LIMIT.search(told) is not None and _OF_A_PROVIDER.search(told) is None


def limited(trajectory: Trajectory, *ends: str | None) -> Trajectory:
    """The trajectory with the first of the source's own words on how the run ended that tell of a limit of turns."""
    told = next((end for end in ends if end is not None and tells_turn_limit(end)), None)
    if told is None:
        return trajectory
    return dataclasses.replace(trajectory, turn_limit=" ".join(told[:_READ].split())[:_KEPT])
