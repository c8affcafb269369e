"""What was said in a trial so far: grows turn by turn, feeds the next request, becomes the trajectory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from gatebot.agents.reply import Reply
from gatebot.importers.openai_render import render_openai_chat
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case
from gatebot.model.trajectory import Message, Role, Trajectory
from gatebot.ports import REQUEST_SCHEMA, TrialTask

_ROLES: dict[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order; `told` is how the agent's own reports add up (format, warnings, models, graph, tools)."""

    messages: tuple[Message, ...] = ()
    told: Trajectory = field(default_factory=Trajectory)

    @classmethod
    def before(cls, case: Case) -> Self:
        """The conversation as the case scripts it before the first turn."""
        return cls(tuple(Message(_ROLES.get(turn.role, "user"), turn.content) for turn in case.history))

    def ask(self, text: str) -> Self:
        """The conversation with the user's next turn at its end."""
        return replace(self, messages=(*self.messages, Message("user", text)))

    def answered(self, reply: Reply) -> Self:
        """The conversation with what the agent said in its turn.

        A reply without messages is one assistant message. A reply that repeats what was sent, or just the user's
        turn, adds only what is new.
        """
        said = reply.trajectory
        if said is None:
            return replace(self, messages=(*self.messages, Message("assistant", reply.answer or "")))
        told = Trajectory(
            format=said.format if said.format != "none" else self.told.format,
            warnings=_joined(self.told.warnings, said.warnings),
            turn_limit=self.told.turn_limit or said.turn_limit,
            models=_joined(self.told.models, said.models),
            graph=self.told.graph + said.graph,
            tools={**self.told.tools, **said.tools},
        )
        leading, fresh = _without_repetition(said.messages, self.messages)
        return replace(self, messages=(*_placed(leading, self.messages), *fresh), told=told)

    def trajectory(self) -> Trajectory:
        """Everything said, as the trial keeps it; format `none` when the agent never reported messages."""
        return replace(self.told, messages=self.messages)


def request_line(task: TrialTask, conversation: Conversation) -> bytes:
    """One line of JSON that asks for the next turn; nothing in it tells base from head.

    `input` is the text itself for a case that is one plain string, else the messages so far as OpenAI chat
    messages, the user's turn last.
    """
    case = task.case
    asked: JsonValue = case.turns[0] if case.plain else render_openai_chat(conversation.messages)
    request = {
        "schema": REQUEST_SCHEMA,
        "case": case.id,
        "input": asked,
        "seed": task.seed,
        "context": case.context,
    }
    return json.dumps(request, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def _joined(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(first + second))


def _without_repetition(
    said: tuple[Message, ...], sent: tuple[Message, ...]
) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """(system messages the agent leads with, what is new after the part that repeats `sent` or its last turn)."""
    leading = _leading_system(said)
    rest = said[len(leading) :]
    known = sent[len(_leading_system(sent)) :]
    for repeated in (known, sent[-1:]):
        if repeated and len(rest) >= len(repeated) and all(map(_same, rest, repeated)):
            return leading, rest[len(repeated) :]
    return leading, rest


def _placed(leading: tuple[Message, ...], sent: tuple[Message, ...]) -> tuple[Message, ...]:
    """What was sent, with the system messages that were not yet known at its front."""
    known = _leading_system(sent)
    fresh = tuple(message for message in leading if not any(_same(message, other) for other in known))
    return (*known, *fresh, *sent[len(known) :])


def _leading_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    count = next((i for i, message in enumerate(messages) if message.role != "system"), len(messages))
    return tuple(messages[:count])


def _same(one: Message, other: Message) -> bool:
    """Whether two messages say the same, whatever ids and times they carry."""
    return (
        one.role == other.role
        and one.text.strip() == other.text.strip()
        and [(call.name, call.arguments) for call in one.calls]
        == [(call.name, call.arguments) for call in other.calls]
    )
