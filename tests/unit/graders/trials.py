"""Short ways to write a case, a trial and a grade in the graders' tests."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict, Unpack

from gatebot.graders.arguments import ArgumentRule
from gatebot.graders.grade import grade_trial
from gatebot.graders.reference import ReferenceCalls, prepare
from gatebot.graders.steps import Steps, gather
from gatebot.model.case import ArgsMode, Expect
from gatebot.model.config import TrajectoryDefault
from gatebot.model.json_value import JsonValue
from gatebot.model.score import Grade
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory, Usage
from gatebot.model.trial import GraderResult, Outcome, Status, Timing, Trial

Written = dict[str, JsonValue]
Spec = tuple[str, dict[str, JsonValue] | None]
Item = str | Spec | list[tuple[str, dict[str, JsonValue]]] | ExpectedCall


class CallDetails(TypedDict, total=False):
    """What a call may carry beside name and arguments."""

    result: str | None
    is_error: bool | None
    raw_arguments: str
    arguments_error: str
    raw_name: str
    agent: str


class TrialDetails(TypedDict, total=False):
    """What a trial may carry beside its calls."""

    answer: str | None
    state: JsonValue
    outcome: Outcome
    grader_results: tuple[GraderResult, ...]
    status: Status
    reason: str
    usage: Usage
    timing: Timing


def call(
    name: str, arguments: dict[str, JsonValue] | None = None, **details: Unpack[CallDetails]
) -> ToolCall:
    """A call; without arguments it has none (`{}`)."""
    known = {} if arguments is None and "arguments_error" not in details else arguments
    return ToolCall(f"id-{name}", name, known, **details)


def unknown_call(name: str) -> ToolCall:
    """A call whose arguments were not recorded."""
    return ToolCall(f"id-{name}", name, None)


def trajectory(*turns: ToolCall | list[ToolCall], answer: str | None = None) -> Trajectory:
    """A user message, one assistant message per call (or list of parallel calls), and the answer."""
    messages = [Message("user", "please")]
    messages.extend(
        Message("assistant", calls=tuple(turn) if isinstance(turn, list) else (turn,)) for turn in turns
    )
    if answer is not None:
        messages.append(Message("assistant", answer))
    return Trajectory(tuple(messages), "openai")


def steps_of(*turns: ToolCall | list[ToolCall]) -> Steps:
    return gather(trajectory(*turns))


def trial(*turns: ToolCall | list[ToolCall], **details: Unpack[TrialDetails]) -> Trial:
    """A completed trial of the calls given, ending with the answer given."""
    made = Trial(
        "case", "head", 0, 1, "completed", trajectory=trajectory(*turns, answer=details.get("answer"))
    )
    return replace(made, **details)


def golden(*items: Item) -> tuple[ExpectedCall, ...]:
    """Golden calls: a name (arguments not compared), (name, arguments), or a list of these without order."""
    calls: list[ExpectedCall] = []
    for group, item in enumerate(items):
        if isinstance(item, ExpectedCall):
            calls.append(item)
        elif isinstance(item, str):
            calls.append(ExpectedCall(item, None, group))
        elif isinstance(item, list):
            calls.extend(ExpectedCall(name, arguments, group) for name, arguments in item)
        else:
            calls.append(ExpectedCall(item[0], item[1], group))
    return tuple(calls)


def prepared(*items: Item, args: ArgsMode = "exact") -> ReferenceCalls:
    return prepare(golden(*items), {}, ArgumentRule(args))


def case(
    expect: Written | None = None,
    calls: tuple[ExpectedCall, ...] | None = None,
    answer: str | None = None,
    state: JsonValue = None,
    variants: tuple[Reference, ...] = (),
) -> Case:
    """A case with `expect` as written in YAML, and one golden reference where anything of it is given."""
    known = Expect.model_validate(expect or {}, strict=False)
    first = Reference(calls, answer, state)
    references = (first, *variants) if first != Reference() or variants else ()
    return Case("case", "golden/case.yaml", ("please",), expect=known, references=references)


def grade(made: Case, ran: Trial, defaults: TrajectoryDefault | None = None) -> Grade:
    return grade_trial(made, ran, defaults or TrajectoryDefault())


def value(graded: Grade, metric: str) -> float | None:
    """The value of a metric that must have been looked at."""
    return graded.scores[metric].value
