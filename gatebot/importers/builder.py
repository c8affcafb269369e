"""Collecting a trajectory from a stream of texts, calls and results, whatever order a format tells them in."""

from __future__ import annotations

import dataclasses
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from gatebot.importers.arguments import Arguments
from gatebot.importers.fields import shown
from gatebot.model.trajectory import Executor, Message, Role, ToolCall, Trajectory, Usage

_MAX_WARNINGS = 50
_Place = tuple[int, int]


@dataclass(slots=True)
class _Draft:
    role: Role
    texts: list[str]
    agent: str | None
    usage: Usage | None
    calls: list[ToolCall] = field(default_factory=list[ToolCall], init=False)
    answered: bool = field(default=False, init=False)


@dataclass(slots=True)
class _OpenCalls:
    """Calls without a result, oldest first, by id, by name and by order; taking one costs the same however many wait."""

    _waiting: set[_Place] = field(default_factory=set[_Place], init=False)
    _queues: defaultdict[tuple[str, str], deque[_Place]] = field(
        default_factory=lambda: defaultdict[tuple[str, str], deque[_Place]](deque), init=False
    )

    @property
    def any(self) -> bool:
        return bool(self._waiting)

    def add(self, place: _Place, call_id: str | None, name: str) -> None:
        if call_id:
            # Some servers count ids from the start in every turn: a call of an earlier turn waits no longer.
            queue = self._queues["id", call_id]
            while queue and queue[0][0] != place[0]:
                self._waiting.discard(queue.popleft())
        self._waiting.add(place)
        self._queues["any", ""].append(place)
        self._queues["name", name].append(place)
        self._queues["id", call_id or ""].append(place)

    def take(self, call_id: str | None, name: str | None) -> _Place | None:
        """The oldest open call of that id (or with none of its own); without an id of that name; else the oldest."""
        if call_id:
            return self._take("id", call_id) or self._take("id", "")
        return self._take("name", name) if name else self._take("any", "")

    def _take(self, kind: str, key: str) -> _Place | None:
        queue = self._queues.get((kind, key))
        while queue:
            place = queue.popleft()
            if place in self._waiting:
                self._waiting.remove(place)
                return place
        return None


@dataclass(slots=True)
class TrajectoryBuilder:
    """Messages in order. `call` belongs to the last `say` of an assistant; `result` finds the call it answers."""

    format: str
    _drafts: list[_Draft] = field(default_factory=list[_Draft], init=False)
    _open: _OpenCalls = field(default_factory=_OpenCalls, init=False)
    _warnings: list[str] = field(default_factory=list[str], init=False)
    _models: dict[str, None] = field(default_factory=dict[str, None], init=False)
    _calls: int = field(default=0, init=False)

    def say(self, role: Role, text: str, *, agent: str | None = None, usage: Usage | None = None) -> None:
        """Start a message. An assistant's stays open for calls until the next one."""
        self._drafts.append(_Draft(role, [text], agent, usage))

    def add_text(self, text: str) -> None:
        """Continue the assistant's text: in the same message, or in a new one where a call was answered before."""
        draft = self._turn()
        if draft.answered:
            self.say("assistant", text, agent=draft.agent)
        else:
            draft.texts.append(text)

    def open_step(self, *, agent: str | None = None) -> None:
        """Make sure that an assistant's turn is open that awaits results: a new one after a result was given."""
        if not self.open_turn or self._drafts[-1].answered or (agent and self._drafts[-1].agent != agent):
            self.say("assistant", "", agent=agent)

    def call(
        self,
        name: str,
        arguments: Arguments,
        *,
        call_id: str | None = None,
        executor: Executor = "client",
        agent: str | None = None,
        times: tuple[float | None, float | None] = (None, None),
    ) -> None:
        """Add a call to the assistant's open message. Without an id it gets one that says its place: `call-3`."""
        draft = self._turn()
        self._calls += 1
        draft.calls.append(
            ToolCall(
                id=call_id or f"call-{self._calls}",
                name=name,
                arguments=arguments.values,
                raw_arguments=arguments.raw,
                arguments_error=arguments.error,
                executor=executor,
                agent=agent or draft.agent,
                started_at=times[0],
                ended_at=times[1],
            )
        )
        self._open.add((len(self._drafts) - 1, len(draft.calls) - 1), call_id, name)

    def result(
        self,
        text: str | None,
        *,
        call_id: str | None = None,
        name: str | None = None,
        is_error: bool | None = None,
    ) -> None:
        """Attach a result to the oldest open call of that id; without an id, of that name; else to the oldest."""
        place = self._open.take(call_id, name)
        if place is None:
            which = shown(call_id or name or "")
            self.warn(f"a tool result ({which}) answers no call and was left out")
            return
        draft = self._drafts[place[0]]
        draft.answered = True
        calls = draft.calls
        calls[place[1]] = dataclasses.replace(calls[place[1]], result=text or "", is_error=is_error)

    def warn(self, warning: str) -> None:
        """Tell the reader something once; the text must hold nothing untrusted that `shown` has not seen."""
        if warning not in self._warnings and len(self._warnings) < _MAX_WARNINGS:
            self._warnings.append(warning)

    def model(self, name: str | None) -> None:
        """Note a model that answered, once."""
        if name:
            self._models[name] = None

    def add_usage(self, usage: Usage | None) -> None:
        """Give the assistant's open message its usage, when the format tells it after the message."""
        if usage is not None and self._drafts and self._drafts[-1].role == "assistant":
            self._drafts[-1].usage = usage

    @property
    def empty(self) -> bool:
        """Whether nothing was said or called yet."""
        return not self._drafts

    @property
    def open_turn(self) -> bool:
        """Whether the last message is the assistant's."""
        return bool(self._drafts) and self._drafts[-1].role == "assistant"

    @property
    def has_open_calls(self) -> bool:
        """Whether some call awaits its result."""
        return self._open.any

    def says_last(self, text: str) -> bool:
        """Whether the last message is the assistant's and says exactly this."""
        return self.open_turn and "".join(self._drafts[-1].texts) == text

    def build(self, *, graph: Sequence[tuple[str, ...]] = ()) -> Trajectory:
        """The trajectory. Messages that say nothing and call nothing are left out."""
        messages = tuple(
            Message(draft.role, "".join(draft.texts), tuple(draft.calls), draft.agent, draft.usage)
            for draft in self._drafts
            if draft.calls or draft.usage is not None or any(draft.texts)
        )
        unanswered = sum(
            1
            for message in messages
            for call in message.calls
            if call.result is None and call.executor == "client"
        )
        if unanswered:
            self.warn(f"{unanswered} tool call{'s have' if unanswered > 1 else ' has'} no result")
        return Trajectory(messages, self.format, tuple(self._warnings), tuple(self._models), tuple(graph))

    def _turn(self) -> _Draft:
        if not self.open_turn:
            self.say("assistant", "")
        return self._drafts[-1]
