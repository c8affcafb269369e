"""What a trial has come to so far, turn by turn, and the trial it becomes."""

from __future__ import annotations

from dataclasses import dataclass, field

from gatebot.agents.conversation import Conversation
from gatebot.agents.ending import CANCELLED, Ending, stderr_text
from gatebot.agents.reply import Reply
from gatebot.agents.reported_usage import usage_of_turns
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Usage
from gatebot.model.trial import Timing, Trial
from gatebot.ports import TrialTask
from gatebot.process.program import Ended


@dataclass(slots=True)
class Course:
    """`walls` and `cpus`: seconds per turn. `ending` None: nothing has gone wrong."""

    conversation: Conversation
    ending: Ending | None = None
    last: Reply = field(default_factory=Reply)
    state: JsonValue = None
    trace_url: str | None = None
    stderr: str = ""
    usages: list[Usage] = field(default_factory=list[Usage])
    walls: list[float] = field(default_factory=list[float])
    cpus: list[float | None] = field(default_factory=list[float | None])

    def take_end(self, ended: Ended) -> None:
        """A program of the trial has ended."""
        self.walls.append(ended.wall_s)
        self.cpus.append(ended.cpu_s)
        self.stderr = stderr_text(ended)

    def take_reply(self, reply: Reply) -> None:
        """The agent has answered in its turn."""
        self.last = reply
        self.conversation = self.conversation.answered(reply)
        self.usages.append(reply.usage)
        self.state = reply.state if reply.state is not None else self.state
        self.trace_url = reply.trace_url or self.trace_url

    def trial(self, task: TrialTask) -> Trial:
        """The trial, with the answer when it is complete."""
        completed = self.ending is None
        cpus = [cpu for cpu in self.cpus if cpu is not None]
        return Trial(
            case=task.key.case,
            side=task.key.side,
            slot=task.key.slot,
            seed=task.seed,
            round=task.round,
            status="completed" if self.ending is None else self.ending.status,
            reason="" if self.ending is None else self.ending.reason,
            trajectory=self.conversation.trajectory(),
            answer=self.last.answer if completed else None,
            state=self.state,
            usage=usage_of_turns(self.usages),
            timing=Timing(
                wall_s=sum(self.walls) if self.walls else None,
                cpu_s=sum(cpus) if cpus and len(cpus) == len(self.cpus) else None,
                turns_s=tuple(self.walls),
            ),
            trace_url=self.trace_url,
            stderr_tail=self.stderr,
        )


def in_turn(ending: Ending, number: int, turns: int) -> Ending:
    """The ending, naming the turn when there are several."""
    if turns == 1 or ending.reason == CANCELLED:
        return ending
    return ending._replace(reason=f"turn {number} of {turns}: {ending.reason}")
