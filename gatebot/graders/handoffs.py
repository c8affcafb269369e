"""Control passed between agents: how often, to and fro, and work done twice."""

from __future__ import annotations

from gatebot.graders.steps import Lookup, Steps
from gatebot.graders.wording import clip
from gatebot.model.score import Score
from gatebot.model.trajectory import Trajectory

SINGLE_AGENT = Score(None, "a single agent", by_design=True)


def handoffs(trajectory: Trajectory, steps: Steps) -> Score:
    """Number of times control passed from one named agent to another; a single agent = ungraded by design.

    The reason names hand-offs to and fro (A to B and straight back) and calls made by two agents with equal arguments.
    """
    speakers = [said.agent for said in trajectory.messages if said.agent and said.role == "assistant"]
    agents = {*speakers, *[call.agent for call in steps.calls if call.agent]}
    if len(agents) < 2:
        return SINGLE_AGENT
    path = [agent for index, agent in enumerate(speakers) if index == 0 or agent != speakers[index - 1]]
    count = max(0, len(path) - 1)
    back = [index for index in range(2, len(path)) if path[index] == path[index - 2]]
    parts: list[str] = []
    if back:
        here, there = clip(path[back[0]], 40), clip(path[back[0] - 1], 40)
        parts.append(f"{len(back)} straight back, first {here} to {there} and back")
    twice = _done_twice(trajectory, steps)
    if twice is not None:
        first, second = twice
        parts.append(
            f"step {second + 1}: `{steps.show(second)}` was done by another agent in step {first + 1}"
        )
    return Score(float(count), "; ".join(parts))


def _done_twice(trajectory: Trajectory, steps: Steps) -> tuple[int, int] | None:
    made: dict[Lookup, tuple[int, str]] = {}
    doers = [call.agent or message.agent or "" for message in trajectory.messages for call in message.calls]
    for index, (name, key, doer) in enumerate(zip(steps.names, steps.keys, doers, strict=True)):
        if key is None or not doer:
            continue
        first = made.setdefault((name, key), (index, doer))
        if first[1] != doer:
            return first[0], index
    return None
