"""From a case as written to a case ready to run and grade: one form for every way of saying the same."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from gatebot.errors import ConfigError, GatebotError
from gatebot.model.case import AlternativeCall, AnyOf, CaseFile, DetailedCall, Golden, GoldenReference
from gatebot.model.golden import Alternative, Arguments, CallItem
from gatebot.model.json_value import JsonValue
from gatebot.model.suite import Case, ExpectedCall, Reference, Turn
from gatebot.model.trajectory import Trajectory
from gatebot.suite.yaml_places import Path
from gatebot.suite.yaml_reader import YamlDocument


def to_case(written: CaseFile, case_id: str, document: YamlDocument) -> Case:
    """The case in normal form. `case_id` is the id it goes by, `document` the file it was read from.

    Raises: ConfigError, located, for an input that ends in no user turn and for golden messages no importer reads.
    """
    history, turns = _script(written, document)
    return Case(
        id=case_id,
        path=document.path,
        turns=turns,
        history=history,
        plain=isinstance(written.input, str),
        context=cast("dict[str, JsonValue]", written.context),
        tags=written.tags,
        timeout=written.timeout,
        expect=written.expect,
        references=_references(written.golden, document),
    )


def _script(written: CaseFile, document: YamlDocument) -> tuple[tuple[Turn, ...], tuple[str, ...]]:
    """History and user turns. The turns are the user messages after the last assistant message."""
    if isinstance(written.input, str):
        return (), (written.input,)
    turns: list[str] = []
    history: list[Turn] = []
    spoken = [
        i for i, item in enumerate(written.input) if not isinstance(item, str) and item.role == "assistant"
    ]
    last_reply = spoken[-1] if spoken else -1
    for index, item in enumerate(written.input):
        if isinstance(item, str):
            turns.append(item)
        elif index > last_reply and item.role == "user":
            turns.append(item.content)
        else:
            history.append(Turn(item.role, item.content))
    if not turns:
        raise ConfigError(
            "the input ends without a user message: there is nothing to ask the agent",
            "end it with {role: user, content: …}",
            location=document.locate(("input",), key=True),
        )
    return tuple(history), tuple(turns)


def _references(golden: Golden | None, document: YamlDocument) -> tuple[Reference, ...]:
    if golden is None:
        return ()
    first = _reference(golden, ("golden",), document)
    return first, *(
        _reference(variant, ("golden", "variants", number), document)
        for number, variant in enumerate(golden.variants)
    )


def _reference(written: GoldenReference, path: Path, document: YamlDocument) -> Reference:
    calls = None if written.calls is None else expected_calls(written.calls)
    answer = written.answer
    if written.messages is not None:
        trajectory = _recorded(cast("JsonValue", written.messages), (*path, "messages"), document)
        calls = _recorded_calls(trajectory, (*path, "messages"), document)
        answer = trajectory.final_text() if answer is None else answer
        if trajectory.graph:
            # Such sources tell nodes and no calls: an empty list of calls would say that none may be made.
            recorded = Reference(calls or None, answer, cast("JsonValue", written.state), trajectory.graph)
            return recorded if written.graph is None else replace(recorded, graph=node_path(written.graph))
    return Reference(calls, answer, cast("JsonValue", written.state), node_path(written.graph))


def node_path(items: tuple[str | tuple[str, ...], ...] | None) -> tuple[tuple[str, ...], ...] | None:
    """A golden's node path in normal form, one tuple a turn: a list of names is the path of one turn."""
    if items is None:
        return None
    nodes = tuple(item for item in items if isinstance(item, str))
    return (nodes,) if nodes else tuple(item for item in items if isinstance(item, tuple))


def expected_calls(items: tuple[CallItem | tuple[CallItem, ...], ...]) -> tuple[ExpectedCall, ...]:
    """Golden calls in normal form: each item of the list is one group, whose calls may run in any order."""
    return tuple(
        _expected_call(call, group)
        for group, item in enumerate(items)
        for call in (item if isinstance(item, tuple) else (item,))
    )


def _expected_call(item: CallItem, group: int) -> ExpectedCall:
    if isinstance(item, AnyOf):
        (name, arguments), *others = (_name_and_arguments(alternative) for alternative in item.any_of)
        return ExpectedCall(name, arguments, group, item.id, item.after, item.optional, tuple(others))
    name, arguments = _name_and_arguments(item)
    if isinstance(item, DetailedCall):
        return ExpectedCall(name, arguments, group, item.id, item.after, item.optional)
    return ExpectedCall(name, arguments, group)


def _name_and_arguments(item: Alternative) -> tuple[str, dict[str, JsonValue] | None]:
    """`tool` alone and the long form without `args` leave arguments open; `tool:` with nothing after it means none."""
    if isinstance(item, str):
        return item, None
    if isinstance(item, AlternativeCall):
        return item.call, _arguments(item.args)
    (name, arguments) = next(iter(item.items()))
    return name, _arguments(arguments or {})


def _arguments(arguments: Arguments | None) -> dict[str, JsonValue] | None:
    return cast("dict[str, JsonValue] | None", arguments)


def _recorded(messages: JsonValue, path: Path, document: YamlDocument) -> Trajectory:
    from gatebot.importers.detect import load as load_trajectory

    try:
        return load_trajectory(messages)
    except GatebotError as error:
        raise ConfigError(
            f"golden.messages: {error.message}",
            error.hint or "write golden.calls instead",
            location=document.locate(path, key=True),
        ) from error


def _recorded_calls(trajectory: Trajectory, path: Path, document: YamlDocument) -> tuple[ExpectedCall, ...]:
    calls: list[ExpectedCall] = []
    acting = [message for message in trajectory.messages if message.calls]
    for group, message in enumerate(acting):
        for call in message.calls:
            if call.arguments_error is not None:
                raise ConfigError(
                    f"the arguments of {call.name} in the golden messages cannot be read: {call.arguments_error}",
                    "a golden holds what the agent should do: correct it",
                    location=document.locate(path, key=True),
                )
            calls.append(ExpectedCall(call.name, call.arguments, group))
    return tuple(calls)
