"""Two agents that ship for proof: `oracle` plays the golden and must pass, `nop` does nothing and must fail."""

from __future__ import annotations

import itertools

from gatebot.agents.conversation import Conversation
from gatebot.agents.reply import canonical_text
from gatebot.model.answer import AllAny, AnswerExpectation, NumberExpectation, SimilarExpectation
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Trial
from gatebot.ports import SideEnvironment, TrialTask


class OracleAgent:
    """Does what the golden says, first alternative first, without optional calls. Implements ports.Agent."""

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """The golden of the case as a completed trial; tools answer nothing, tokens and time are unknown."""
        del environment
        case = task.case
        reference = case.references[0] if case.references else Reference()
        answer = _golden_answer(case, reference)
        messages = (*_asked(case).messages, *_played(case, reference))
        if answer:
            messages = (*messages, Message("assistant", answer))
        return _completed(
            task, Trajectory(messages, format="oracle", graph=reference.graph or ()), answer, reference
        )


class NopAgent:
    """Hears everything, says and does nothing. Implements ports.Agent."""

    def run(self, task: TrialTask, environment: SideEnvironment) -> Trial:
        """A completed trial with an empty answer and no call."""
        del environment
        return _completed(task, Trajectory(_asked(task.case).messages, format="nop"), "", Reference())


def _completed(task: TrialTask, trajectory: Trajectory, answer: str, reference: Reference) -> Trial:
    key = task.key
    return Trial(
        case=key.case,
        side=key.side,
        slot=key.slot,
        seed=task.seed,
        round=task.round,
        status="completed",
        trajectory=trajectory,
        answer=answer,
        state=reference.state,
    )


def _asked(case: Case) -> Conversation:
    """The conversation with every user turn asked."""
    conversation = Conversation.before(case)
    for turn in case.turns:
        conversation = conversation.ask(turn)
    return conversation


def _played(case: Case, reference: Reference) -> list[Message]:
    """One assistant message per group of golden calls, then the required tools that the golden does not call."""
    calls = [call for call in reference.calls or () if not call.optional]
    numbers = itertools.count(1)
    turns = [
        Message("assistant", calls=tuple(_play(call, next(numbers)) for call in group))
        for _, group in itertools.groupby(calls, key=lambda call: call.group)
    ]
    called = {call.name for call in calls}
    for name in dict.fromkeys(case.expect.require):
        if name not in called:
            played = _play(ExpectedCall(name, {}, group=0), next(numbers))
            turns.append(Message("assistant", calls=(played,)))
    return turns


def _play(call: ExpectedCall, number: int) -> ToolCall:
    return ToolCall(f"call_{number}", call.name, dict(call.arguments or {}), result="", is_error=False)


def _golden_answer(case: Case, reference: Reference) -> str:
    """The golden answer; where the golden has none, a text made to satisfy what is expected of the answer."""
    if reference.answer is not None:
        return reference.answer
    expected = case.expect.answer
    return "" if expected is None else "\n".join(_satisfying(expected))


def _satisfying(expected: AnswerExpectation) -> list[str]:
    """Lines that satisfy the textual checks, as far as a text can be made from them (a regex is not solved)."""
    if isinstance(expected.exact, str):
        return [expected.exact]
    if expected.json_ is not None:
        return [canonical_text(expected.json_.value)]
    lines: list[str] = []
    match expected.contains:
        case None:
            pass
        case str() as text:
            lines.append(text)
        case AllAny() as parts:
            lines.extend((*parts.all, *parts.any[:1]))
        case texts:
            lines.extend(texts)
    if isinstance(expected.number, NumberExpectation):
        lines.append(f"{_plain(expected.number.value)} {expected.number.unit or ''}".strip())
    elif expected.number is not None:
        lines.append(_plain(expected.number))
    if isinstance(expected.similar, SimilarExpectation):
        lines.extend((expected.similar.text or "", *expected.similar.entities))
    return [line for line in lines if line]


def _plain(number: float) -> str:
    """A number as people write it: whole ones without a point, none in scientific notation."""
    return f"{number:.15f}".rstrip("0").rstrip(".") if abs(number) < 1e15 else str(int(number))
