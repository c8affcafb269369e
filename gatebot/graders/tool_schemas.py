"""Arguments against the JSON Schema of their tool."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, cast

from gatebot.graders.patterns import compile_pattern
from gatebot.graders.steps import NOT_REPORTED, Steps
from gatebot.graders.wording import clip, listed, show_value
from gatebot.model.grading import Tools
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.model.score import FULL, Score

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

REMEMBERED = 20_000
FAULTS_LOOKED_AT = 20
NO_SCHEMAS = "the suite has no tool schemas"


class ToolSchemas:
    """The schemas of a suite's tools, compiled when first used. What was said of equal arguments is remembered.

    `tools`: name → JSON Schema, as a loaded suite has them; a file's name that was not read holds none. References to
    other documents are not followed.
    """

    def __init__(self, tools: Tools | None = None) -> None:
        self._tools = {} if tools is None or isinstance(tools, str) else tools
        self._validators: dict[str, Validator] = {}
        self._said: dict[tuple[str, bytes], str | None] = {}

    @property
    def given(self) -> bool:
        """Whether there is any schema."""
        return bool(self._tools)

    def faults(self, steps: Steps) -> Iterator[tuple[int, str]]:
        """The calls that do not satisfy their schema, and why; those with unknown arguments are left out."""
        said, unsaid = self._said, ""
        for lookup, indexes in steps.by_key.items():
            fault = said.get(lookup, unsaid)
            if fault == unsaid:
                fault = self.fault(steps, indexes[0])
            if fault is not None:
                yield from ((index, fault) for index in indexes)

    def fault(self, steps: Steps, index: int) -> str | None:
        """What is wrong with a call whose arguments are known or malformed, as a clause; None when nothing is.

        Raises on references that lead nowhere, and TimeoutError when a pattern takes more than a second.
        """
        name, call, key = steps.names[index], steps.calls[index], steps.keys[index]
        if name not in self._tools and call.raw_name is not None:
            name = call.raw_name  # what the source calls it, where the suite has a name of its own
        if name not in self._tools:
            known = listed(sorted(self._tools))
            return f"unknown tool {clip(name, 60)}, expected one of {known}"
        if call.arguments is None:
            return "malformed_args: the arguments could not be parsed, expected an object"
        lookup = (name, key or b"")
        if lookup not in self._said:
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            self._said[lookup] = self._find(name, call.arguments)
        return self._said[lookup]

    def _find(self, name: str, arguments: Mapping[str, JsonValue]) -> str | None:
        found = islice(self._validator(name).iter_errors(arguments), FAULTS_LOOKED_AT)
        clauses = sorted((list(map(str, error.absolute_path)), _clause(error, arguments)) for error in found)
        return clauses[0][1] if clauses else None

    def _validator(self, name: str) -> Validator:
        known = self._validators.get(name)
        if known is None:
            from jsonschema.validators import Draft202012Validator, validator_for
            from referencing import Registry

            schema = self._tools[name]
            kind = _bounded(validator_for(schema, default=Draft202012Validator))
            known = self._validators[name] = kind(schema, registry=Registry())
        return known


def schema_valid(schemas: ToolSchemas, steps: Steps) -> Score:
    """Share of calls whose arguments satisfy the schema of their tool, in [0, 1]; a call of an unknown tool does not.

    Edges: no schemas, or no call whose arguments are known = ungraded; malformed arguments do not satisfy.
    """
    if not schemas.given:
        return Score(None, NO_SCHEMAS, by_design=True)
    if not steps.reported:
        return Score(None, NOT_REPORTED)
    if not steps.calls:
        return Score(None, "no tool was called", by_design=True)
    compared = len(steps.calls) - len(steps.unknown)
    if not compared:
        return Score(None, f"the arguments of step 1 ({steps.show(0)}) were not recorded")
    faults = sorted(schemas.faults(steps))
    if not faults:
        return FULL
    index, fault = faults[0]
    more = f" (and {len(faults) - 1} more calls)" if len(faults) > 1 else ""
    reason = f"step {index + 1}: `{steps.show(index)}`: {fault}{more}"
    return Score(1.0 - len(faults) / compared, reason)


def _clause(error: ValidationError, arguments: Mapping[str, JsonValue]) -> str:
    """Key, expected and got of one violation."""
    path = [str(part) for part in error.absolute_path]
    value, rule = cast("JsonValue", error.instance), cast("JsonValue", error.validator_value)
    where = clip(".".join(path), 80) or "the arguments"
    keyword = str(error.validator)
    if keyword == "required" and is_object(value):
        missing = next((key for key in _names(rule) if key not in value), "")
        return f"{clip('.'.join([*path, missing]), 80)} is missing, got {listed(value) or 'no arguments'}"
    if keyword == "additionalProperties" and rule is False and is_object(value):
        known = _properties(error)
        extra = next((key for key in value if key not in known), "")
        got = show_value(value.get(extra))
        return f"{clip('.'.join([*path, extra]), 80)}={got} was not expected, expected {listed(known) or 'no key'}"
    wanted = {"type": "type ", "enum": "one of ", "const": ""}.get(keyword, f"{clip(keyword, 40)} ")
    expected = " or ".join(_names(rule)) if keyword == "type" else show_value(rule)
    shown = show_value(value if path else cast("JsonValue", dict(arguments)))
    return f"{where} is {shown}, expected {wanted}{expected}"


def _names(rule: JsonValue) -> list[str]:
    return [name for name in (rule if is_array(rule) else [rule]) if isinstance(name, str)]


def _properties(error: ValidationError) -> list[str]:
    schema = cast("JsonValue", error.schema)
    properties = schema.get("properties") if is_object(schema) else None
    return sorted(properties) if is_object(properties) else []


@cache
def _bounded(kind: type[Validator]) -> type[Validator]:
    """The validator with patterns that give up after a second, so that no agent's text can hang them."""
    from jsonschema import validators
    from jsonschema.exceptions import ValidationError

    def pattern(_: Validator, source: str, value: JsonValue, __: JsonValue) -> Iterable[ValidationError]:
        return _pattern_errors(source, value)

    def _pattern_errors(source: str, value: JsonValue) -> Iterator[ValidationError]:
        if isinstance(value, str) and not compile_pattern(source).found_in(value):
            yield ValidationError(f"no match of {source}")

    # The library does not type this function.
    return cast("type[Validator]", validators.extend(kind, {"pattern": pattern}))
