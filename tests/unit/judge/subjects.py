"""Cases, trials and answers for tests of the judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from gatebot.judge.rubric import TOOL_NAME
from gatebot.model.case import Expect
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference
from gatebot.model.trajectory import Message, ToolCall, Trajectory
from gatebot.model.trial import Side, Trial

RIGHT_ANSWER = "Refunds are possible for 30 days."
WRONG_ANSWER = "Refunds are not possible."


def case(name: str = "refund", *, forbid: tuple[str, ...] = (), golden: bool = True) -> Case:
    reference = Reference(
        calls=(ExpectedCall("search_docs", {"query": "refund"}, 0),), answer=RIGHT_ANSWER, state={"open": 1}
    )
    return Case(
        id=name,
        path=f"golden/{name}.yaml",
        turns=("How long can I get a refund?",),
        expect=Expect(forbid=forbid),
        references=(reference,) if golden else (),
    )


def call(
    name: str = "search_docs", result: str | None = "Refunds: 30 days", **arguments: JsonValue
) -> ToolCall:
    return ToolCall(f"c-{name}", name, arguments or {"query": "refund"}, result=result, is_error=False)


def trial(
    answer: str | None = RIGHT_ANSWER,
    calls: Sequence[ToolCall] | None = None,
    *,
    name: str = "refund",
    side: Side = "head",
    slot: int = 1,
) -> Trial:
    made = tuple(calls) if calls is not None else (call(),)
    messages = [Message("user", "How long can I get a refund?")]
    if made:
        messages.append(Message("assistant", "Let me look.", made))
    if answer is not None:
        messages.append(Message("assistant", answer))
    trajectory = Trajectory(tuple(messages), models=("claude-haiku-4-5",))
    return Trial(name, side, slot, 7, "completed", trajectory=trajectory, answer=answer)


def given(score: JsonValue = 0.8, **changes: JsonValue) -> dict[str, JsonValue]:
    """What a good judge puts into the tool's input."""
    low = isinstance(score, int | float) and score < 0.5
    made: dict[str, JsonValue] = {
        "explanation": "The search in step 1 was apt." if not low else "Step 1 was misread.",
        "steps": [1],
        "strengths": [] if low else ["apt search"],
        "weaknesses": ["misread"] if low else [],
        "failure_category": "reasoning" if low else "none",
        "score": score,
    }
    made.update(changes)
    return made


def message(
    tool_input: Mapping[str, JsonValue] | None,
    *,
    stop: str = "tool_use",
    model: str = "claude-sonnet-4-6",
    content: JsonValue = None,
    name: str = TOOL_NAME,
) -> dict[str, JsonValue]:
    """A Messages API answer."""
    block: JsonValue = {"type": "tool_use", "id": "toolu_1", "name": name, "input": tool_input}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [block] if content is None else content,
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1000,
            "output_tokens": 100,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    }


def raw(tool_input: Mapping[str, JsonValue] | None, **more: str) -> bytes:
    return orjson.dumps(message(tool_input, **more))
