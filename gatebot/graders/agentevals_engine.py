"""The one door to agentevals and openevals: our trajectory rendered cleanly, their verdict taken as it is.

The libraries mutate what they are given, crash on malformed arguments, and would upload runs where LangSmith's
environment is set: they get fresh message lists, only readable arguments, and tracing is off.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, cast

from gatebot.errors import GatebotError
from gatebot.model.case import ArgsMode, MatchMode
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import ExpectedCall
from gatebot.model.trajectory import Trajectory

Family = Literal["agentevals", "openevals"]
Message = dict[str, JsonValue]
Calls = Iterable[tuple[str, Mapping[str, JsonValue]]]


class EngineError(GatebotError):
    """The library cannot judge this trajectory, or failed while it tried."""

    exit_code = 3


def messages_of(trajectory: Trajectory) -> list[Message]:
    """The tool path of a trajectory as OpenAI messages: turns with calls, each with one tool message per call.

    Raises EngineError when a call's arguments are unknown or malformed: the libraries cannot say "no verdict".
    """
    turns: list[list[tuple[str, Mapping[str, JsonValue]]]] = []
    for message in trajectory.messages:
        for call in message.calls:
            if call.arguments is None:
                raise EngineError(
                    f"{call.name} has no readable arguments",
                    "use gatebot's own matcher, which grades such calls",
                )
        if message.calls:
            turns.append([(call.name, call.arguments or {}) for call in message.calls])
    return render(turns)


def golden_messages(calls: Iterable[ExpectedCall]) -> list[Message]:
    """Golden calls as OpenAI messages, one assistant message per group."""
    groups: dict[int, list[tuple[str, Mapping[str, JsonValue]]]] = {}
    for call in calls:
        groups.setdefault(call.group, []).append((call.name, call.arguments or {}))
    return render(groups.values())


def render(turns: Iterable[Calls]) -> list[Message]:
    """Turns of (name, arguments) as fresh OpenAI message dictionaries with ids of their own."""
    messages: list[Message] = []
    number = 0
    for turn in turns:
        calls: list[JsonValue] = []
        results: list[Message] = []
        for name, arguments in turn:
            number += 1
            function: JsonValue = {"name": name, "arguments": json.dumps(arguments)}
            calls.append({"id": f"call_{number}", "type": "function", "function": function})
            results.append({"role": "tool", "tool_call_id": f"call_{number}", "content": ""})
        messages.append({"role": "assistant", "content": "", "tool_calls": calls})
        messages.extend(results)
    return messages


class Engine:
    """One library's trajectory matcher in one mode. Making one imports the library, which takes about a second."""

    def __init__(
        self,
        family: Family,
        match: MatchMode,
        args: ArgsMode,
        overrides: Mapping[str, ArgsMode] | None = None,
    ) -> None:
        self._evaluate = _evaluator(family, match, args, overrides or {})

    def verdict(self, golden: list[Message], messages: list[Message]) -> bool:
        """What the library says; both lists are copied first. Raises EngineError when it raises."""
        import langsmith

        outputs, reference = json.loads(json.dumps(messages)), json.loads(json.dumps(golden))
        try:
            with langsmith.tracing_context(enabled=False):
                result = self._evaluate(outputs=outputs, reference_outputs=reference)
        except Exception as error:
            raise EngineError(
                f"the library failed: {type(error).__name__}", "use gatebot's own matcher"
            ) from error
        return bool(result["score"])


def _evaluator(
    family: Family, match: MatchMode, args: ArgsMode, overrides: Mapping[str, ArgsMode]
) -> Callable[..., Mapping[str, object]]:
    # The libraries' own types are partly unknown; what is used of them is stated here.
    if family == "agentevals":
        from agentevals.trajectory import match as library
    else:
        from openevals.trajectory import match as library
    make = cast(
        "Callable[..., Callable[..., Mapping[str, object]]]", library.create_trajectory_match_evaluator
    )
    return make(
        trajectory_match_mode=match,
        tool_args_match_mode=args,
        tool_args_match_overrides=dict(overrides) or None,
    )


def graph_verdict(golden: Iterable[Iterable[str]], path: Iterable[Iterable[str]]) -> bool:
    """What agentevals says of two node paths, both per turn. It knows the mode strict alone."""
    import langsmith
    from agentevals.graph_trajectory import strict as library

    match = cast("Callable[..., Mapping[str, object]]", library.graph_trajectory_strict_match)
    outputs, reference = ({"steps": [list(turn) for turn in one], "results": []} for one in (path, golden))
    with langsmith.tracing_context(enabled=False):
        return bool(match(outputs=outputs, reference_outputs=reference)["score"])
