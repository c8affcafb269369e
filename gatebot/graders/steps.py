"""What every grader needs to know of a trial's calls, gathered in one pass."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from gatebot.graders.canonical import canonical
from gatebot.graders.wording import show_call
from gatebot.model.trajectory import ToolCall, Trajectory

Lookup = tuple[str, bytes]
NOT_REPORTED = "the agent reported no messages, so its calls are unknown: have it report its messages"


@dataclass(slots=True)
class Steps:
    """The calls in order with their names, argument keys and turns.

    `keys[i]` None means that the arguments of call i are unknown; malformed ones have a key that equals no
    arguments. `reported`: whether the agent said anything of its messages at all.
    """

    calls: tuple[ToolCall, ...]
    turn_of: list[int]
    turns: int
    reported: bool
    names: list[str]
    keys: list[bytes | None]
    by_name: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    by_key: dict[Lookup, list[int]] = field(default_factory=dict[Lookup, list[int]])
    unknown: tuple[int, ...] = ()
    _shown: dict[int, str] = field(default_factory=dict[int, str], init=False)

    def show(self, index: int) -> str:
        """The call for a sentence."""
        shown = self._shown.get(index)
        if shown is None:
            call = self.calls[index]
            shown = self._shown[index] = show_call(call.name, call.arguments, call.arguments_error)
        return shown

    def counts(self) -> Counter[str]:
        """How often each tool was called."""
        return Counter({name: len(indexes) for name, indexes in self.by_name.items()})

    def same_turn(self, one: int, other: int) -> bool:
        """Whether two calls were made in one turn, and so in parallel."""
        return self.turn_of[one] == self.turn_of[other]


def gather(trajectory: Trajectory) -> Steps:
    """The steps of a trajectory. Raises on arguments nested beyond the interpreter's limit."""
    calls: list[ToolCall] = []
    turn_of: list[int] = []
    turns = 0
    for number, message in enumerate(trajectory.messages):
        if message.role == "assistant":
            turns += 1
        if message.calls:
            calls.extend(message.calls)
            turn_of.extend([number] * len(message.calls))
    names = [call.name for call in calls]
    keys = [_key(call) if call.arguments is None else canonical(call.arguments) for call in calls]
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    by_key: dict[Lookup, list[int]] = {}
    unknown: list[int] = []
    for index, (name, key) in enumerate(zip(names, keys, strict=True)):
        by_name[name].append(index)
        if key is None:
            unknown.append(index)
        elif (same := by_key.get(lookup := (name, key))) is None:
            by_key[lookup] = [index]
        else:
            same.append(index)
    # What an agent without a trajectory is asked and answers is kept too, as a conversation of no format.
    reported = bool(calls) or (bool(trajectory.messages) and trajectory.format != "none")
    found = dict(by_name)
    return Steps(tuple(calls), turn_of, turns, reported, names, keys, found, by_key, tuple(unknown))


def _key(call: ToolCall) -> bytes | None:
    """The key of a call without readable arguments."""
    if call.arguments_error is None:
        return None
    return b"malformed:" + (call.raw_arguments or "").encode("utf-8", "surrogatepass")
