"""From what a tracer saw, model calls and tool runs, to one trajectory in which every tool call counts once.

The same call shows in the model's output, as a tool's span, and in the next prompt: the first says the arguments, the
second result, error and times, the third the result where nothing else does.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import orjson

from gatebot.errors import ImportFormatError
from gatebot.importers.arguments import Arguments
from gatebot.model.json_value import JsonValue
from gatebot.model.trajectory import Executor, Message, ToolCall, Trajectory, Usage


@dataclass(frozen=True, slots=True)
class ModelStep:
    """One answer of a model: the messages it was given and those it gave. `start` None sorts last."""

    start: float | None
    prompt: tuple[Message, ...] = ()
    answer: tuple[Message, ...] = ()
    agent: str | None = None
    usage: Usage | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ToolStep:
    """One run of a tool."""

    start: float | None
    name: str
    arguments: Arguments
    end: float | None = None
    call_id: str | None = None
    result: str | None = None
    is_error: bool | None = None
    agent: str | None = None
    executor: Executor = "client"


@dataclass(slots=True)
class _Turn:
    message: Message
    calls: list[ToolCall]
    busy_until: float | None = None


@dataclass(slots=True)
class _Assembly:
    turns: list[_Turn] = field(default_factory=list[_Turn])
    asked: list[str] = field(default_factory=list[str])
    instructed: bool = False
    calls: int = 0
    unclaimed: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    queues: defaultdict[tuple[str, ...], deque[tuple[int, int]]] = field(
        default_factory=lambda: defaultdict[tuple[str, ...], deque[tuple[int, int]]](deque)
    )

    def say(self, message: Message) -> None:
        turn = _Turn(dataclasses.replace(message, calls=()), [])
        self.turns.append(turn)
        for call in message.calls:
            self.add_call(call)

    def add_call(self, call: ToolCall, *, claimed: bool = False) -> None:
        place = (len(self.turns) - 1, len(self.turns[-1].calls))
        self.turns[-1].calls.append(call)
        if not claimed:
            self.unclaimed.add(place)
            for key in (
                ("id", call.id),
                ("same", call.name, _canonical(call.arguments)),
                ("name", call.name),
            ):
                self.queues[key].append(place)

    def claim(self, step: ToolStep) -> bool:
        """Give a tool's run to the call it belongs to: by id, by name and arguments, by name in order."""
        keys: list[tuple[str, ...]] = [("id", step.call_id)] if step.call_id else []
        keys += [("same", step.name, _canonical(step.arguments.values)), ("name", step.name)]
        for key in keys:
            queue = self.queues.get(key)
            while queue:
                place = queue.popleft()
                if place in self.unclaimed:
                    self.unclaimed.remove(place)
                    calls = self.turns[place[0]].calls
                    calls[place[1]] = _merged(calls[place[1]], step)
                    return True
        return False


def assemble(
    name: str, model_steps: Sequence[ModelStep], tool_steps: Sequence[ToolStep], warnings: Iterable[str] = ()
) -> Trajectory:
    """The trajectory of a trace in order of start; `name` is the format it came in."""
    state = _Assembly()
    steps: list[ModelStep | ToolStep] = [*model_steps, *tool_steps]
    for step in sorted(steps, key=lambda s: (s.start is None, s.start or 0.0, isinstance(s, ToolStep))):
        if isinstance(step, ModelStep):
            _add_model_step(state, step)
        elif not state.claim(step):
            _add_unannounced(state, step)
    _results_from_prompts(state, model_steps)
    models = tuple(dict.fromkeys(step.model for step in model_steps if step.model))
    return _finished(state, name, models, warnings)


def enriched(trajectory: Trajectory, name: str, tool_steps: Sequence[ToolStep]) -> Trajectory:
    """The trajectory with errors, times and missing results from the runs of its tools; runs of no call are named."""
    state = _Assembly()
    for message in trajectory.messages:
        state.say(message)
    lost = sum(not state.claim(step) for step in tool_steps)
    warnings = list(trajectory.warnings)
    if lost:
        warnings.append(f"{lost} tool runs are none of the root's calls and were left out")
    return _finished(state, name, trajectory.models, warnings)


def _add_model_step(state: _Assembly, step: ModelStep) -> None:
    for message in step.prompt:
        if message.role == "system" and message.text and not state.instructed:
            state.say(Message("system", message.text))
            state.instructed = True
    asked = [message.text for message in step.prompt if message.role == "user" and message.text]
    known = len(state.asked)
    if asked[:known] == state.asked:  # else another agent's prompt, or a history that was cut
        for said in asked[known:]:
            state.say(Message("user", said))
            state.asked.append(said)
    answers = [message for message in step.answer if message.role == "assistant"]
    for number, message in enumerate(answers):
        usage = step.usage if number == len(answers) - 1 else None
        state.say(dataclasses.replace(message, agent=step.agent or message.agent, usage=usage))
    if not answers:
        state.say(Message("assistant", agent=step.agent, usage=step.usage))


def _add_unannounced(state: _Assembly, step: ToolStep) -> None:
    """A run whose call no model's output tells: in the last turn, if that made no call or its runs overlap with this."""
    last = state.turns[-1] if state.turns else None
    overlaps = (
        last is not None
        and step.start is not None
        and last.busy_until is not None
        and step.start < last.busy_until
    )
    if last is None or last.message.role != "assistant" or (last.calls and not overlaps):
        state.say(Message("assistant", agent=step.agent))
    state.calls += 1
    call = ToolCall(
        id=step.call_id or f"run-{state.calls}",
        name=step.name,
        arguments=step.arguments.values,
        raw_arguments=step.arguments.raw,
        arguments_error=step.arguments.error,
        agent=step.agent,
        executor=step.executor,
    )
    state.add_call(_merged(call, step), claimed=True)
    turn = state.turns[-1]
    turn.busy_until = max(filter(None, (turn.busy_until, step.end)), default=None)


def _merged(call: ToolCall, step: ToolStep) -> ToolCall:
    """What the model said, with what the run says; the model's arguments count, unless it did not say any."""
    silent = call.arguments is None and call.arguments_error is None
    return dataclasses.replace(
        call,
        arguments=step.arguments.values if silent else call.arguments,
        raw_arguments=step.arguments.raw if silent else call.raw_arguments,
        result=step.result if step.result is not None else call.result,
        is_error=step.is_error if step.is_error is not None else call.is_error,
        agent=call.agent or step.agent,
        executor=step.executor if step.executor != "client" else call.executor,
        started_at=step.start,
        ended_at=step.end,
    )


def _results_from_prompts(state: _Assembly, steps: Sequence[ModelStep]) -> None:
    """Results that no tool's run says, but a later prompt does: the first that names the call's id."""
    told: dict[str, ToolCall] = {}
    for step in steps:
        for message in step.prompt:
            for call in message.calls:
                if call.result is not None:
                    told.setdefault(call.id, call)
    for turn in state.turns if told else ():
        for number, call in enumerate(turn.calls):
            if call.result is None and call.id in told:
                same = told[call.id]
                error = call.is_error if call.is_error is not None else same.is_error
                turn.calls[number] = dataclasses.replace(call, result=same.result, is_error=error)


def _finished(state: _Assembly, name: str, models: tuple[str, ...], warnings: Iterable[str]) -> Trajectory:
    messages = tuple(
        dataclasses.replace(turn.message, calls=tuple(turn.calls))
        for turn in state.turns
        if turn.calls or turn.message.text or turn.message.usage is not None
    )
    return Trajectory(messages, name, tuple(dict.fromkeys(warnings)), models)


def _canonical(arguments: dict[str, JsonValue] | None) -> str:
    """Equal text for equal arguments, whatever the order of their keys."""
    try:
        return orjson.dumps(arguments, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, RecursionError) as error:  # deeper than parse_json lets through, or no JSON at all
        message = "a call's arguments cannot be written as JSON"
        raise ImportFormatError(message, "read them with parse_json first") from error
