"""Turns what the validator says into one sentence for the person who wrote the file, with the place and a hint."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from gatebot.errors import ConfigError
from gatebot.model.written import (
    ENV_NAME_PATTERN,
    FILE_OR_FUNCTION_PATTERN,
    FUNCTION_PATTERN,
    MISTAKE,
    SLUG_PATTERN,
    UNKNOWN_KEY,
    WRONG_SHAPE,
)
from gatebot.suite.finding import MOST_TOLD, joined
from gatebot.suite.key_words import likely_parent, meaning
from gatebot.suite.wording import printable
from gatebot.suite.yaml_places import Path
from gatebot.suite.yaml_reader import YamlDocument

_LONGEST_QUOTE = 60


@dataclass(frozen=True, slots=True)
class _Mistake:
    """One thing that is wrong: where (`key`: the key is to blame, not its value), what, and what to do.

    `count`: how many mistakes it stands for.
    """

    path: Path
    message: str
    hint: str = ""
    key: bool = False
    count: int = 1


def explain(error: ValidationError, document: YamlDocument, model: type[BaseModel]) -> ConfigError:
    """The mistakes by their place in the file, as one error (see `joined`). `model` is what was validated."""
    mistakes = [
        mistake
        for details in error.errors(include_url=False)
        if not _is_aftermath(details)
        for mistake in _mistakes(details, document, model)
    ]
    placed = [(document.locate(m.path, key=m.key), m) for m in mistakes]
    placed.sort(key=lambda item: (item[0].line, item[0].column))
    told = [ConfigError(printable(m.message), printable(m.hint), location=place) for place, m in placed]
    return joined(told, uncounted=sum(m.count - 1 for m in mistakes))


def _is_aftermath(details: ErrorDetails) -> bool:
    """A list counts as too short too when its items are there but wrong: they have errors of their own."""
    given = details["input"]
    least = details.get("ctx", {}).get("min_length", 0)
    return (
        details["type"] == "too_short"
        and isinstance(given, list)
        and len(cast("list[object]", given)) >= least
    )


def _mistakes(details: ErrorDetails, document: YamlDocument, model: type[BaseModel]) -> list[_Mistake]:
    """What one error of the validator tells: a mapping's unknown keys are one error, and a mistake each."""
    if details["type"] != UNKNOWN_KEY:
        return [_mistake(details, document, model)]
    path = _path_in_file(details["loc"], document)
    return _unknown_keys(path, details.get("ctx", {}), model)


def _mistake(details: ErrorDetails, document: YamlDocument, model: type[BaseModel]) -> _Mistake:
    path = _path_in_file(details["loc"], document)
    context: Mapping[str, object] = details.get("ctx", {})
    kind = details["type"]
    if kind == MISTAKE:
        inner = cast("tuple[str | int, ...]", context["key"])
        return _Mistake((*path, *inner), str(context["message"]), str(context["hint"]), key=bool(inner))
    if kind == "missing":
        name = str(details["loc"][-1])
        whole = (*path, name)
        return _Mistake(
            path, f"missing key '{_dotted(whole)}'", _EXAMPLES.get(whole) or meaning(model, whole)
        )
    message, hint = _wrong_value(kind, details["input"], context, details["msg"])
    hint = _hint_for(path, kind, details["input"]) or hint
    subject = f"'{_dotted(path)}'" if path else "the file"
    return _Mistake(path, f"{subject} {message}", hint)


def _path_in_file(loc: Sequence[str | int], document: YamlDocument) -> Path:
    """The validator's path without what is not in the file: tags of unions, keys that are missing."""
    path: list[str | int] = []
    value: object = document.value
    for part in loc:
        if isinstance(value, dict) and part in value:
            value = cast("dict[str | int, object]", value)[part]
        elif isinstance(value, list) and isinstance(part, int) and part < len(cast("list[object]", value)):
            value = cast("list[object]", value)[part]
        else:
            continue
        path.append(part)
    return tuple(path)


def _dotted(path: Path) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _unknown_keys(path: Path, context: Mapping[str, object], model: type[BaseModel]) -> list[_Mistake]:
    """A mistake for each key of one mapping, at most `MOST_TOLD`; the last one stands for those beyond."""
    keys, known = cast("list[str]", context["keys"]), cast("list[str]", context["known"])
    found = [_unknown_key(path, key, known, model) for key in keys[:MOST_TOLD]]
    return [*found[:-1], replace(found[-1], count=1 + len(keys) - len(found))]


def _unknown_key(path: Path, key: str, known: list[str], model: type[BaseModel]) -> _Mistake:
    near = nearest(key, known)
    if near:
        hint = f"did you mean '{near}'?"
    elif parent := likely_parent(model, key):
        hint = f"'{key}' belongs under '{parent}'" if path == () else f"'{key}' is a key of '{parent}'"
    else:
        hint = f"known keys: {', '.join(known)}"
    return _Mistake((*path, key), f"unknown key '{key}'", hint, key=True)


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The word of `known` a person most likely meant, or None."""
    folded = {name.casefold().replace("-", "_"): name for name in known}
    close = difflib.get_close_matches(word.casefold().replace("-", "_"), folded, n=3, cutoff=0.6)
    same_start = [name for name in close if name[:1] == word[:1].casefold()]
    return folded[(same_start or close)[0]] if close else None


_EXAMPLES: Mapping[Path, str] = {
    ("agent",): "say how it is run: `agent: {command: [python3, agent.py]}`",
    ("input",): "write `input: What the user asks`",
}
"""What to write for the keys that every file must have."""
_PERCENT = re.compile(r"\s*(\d{1,3}(?:\.\d{1,6})?)\s?%\s*")
_PLAIN = re.compile(r"(?!(?:true|false|null)$)(?=.*[A-Za-z*])[\w./-][\w./*+=@-]*")
_TOOL_KEYS = ("name", "tool", "function")
"""What other formats call the tool of a call."""
_PATTERNS = {
    SLUG_PATTERN: "may hold letters, digits, '.', '_' and '-' (100 at most), and begins with a letter or digit",
    ENV_NAME_PATTERN: "must be the name of an environment variable: letters, digits and '_'",
    FUNCTION_PATTERN: "must be package.module:function",
    FILE_OR_FUNCTION_PATTERN: "must be file.py:function or package.module:function",
}
_BOUNDS = {
    "greater_than": ("must be above {gt}", "gt"),
    "greater_than_equal": ("must be at least {ge}", "ge"),
    "less_than": ("must be below {lt}", "lt"),
    "less_than_equal": ("must be at most {le}", "le"),
}
_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "keys with values",
    "model_type": "keys with values",
    "model_attributes_type": "keys with values",
}


def _wrong_value(kind: str, value: object, context: Mapping[str, object], message: str) -> tuple[str, str]:
    """(what is wrong with the value, hint)."""
    if kind in _TYPES:
        return f"must be {_TYPES[kind]}, found {_found(value)}", _type_hint(kind, value)
    if kind == "literal_error":
        return _not_among(value, str(context["expected"]))
    if kind in _BOUNDS:
        words, name = _BOUNDS[kind]
        return f"{words.format(**{name: _number(context[name])})}, found {_found(value)}", ""
    if kind == "string_pattern_mismatch":
        words = _PATTERNS.get(str(context["pattern"]), "must begin with http:// or https://")
        return f"{words}; found {_found(value)}", ""
    if kind == "too_long" and isinstance(value, dict):
        return "must be one call, `tool: {arguments}`", "give each call an item of its own"
    if kind in ("string_too_short", "too_short"):
        return _too_short(value, context)
    if kind in ("string_too_long", "too_long"):
        unit = "characters" if kind.startswith("string") else "items"
        return f"must have at most {context['max_length']} {unit}", ""
    if kind == WRONG_SHAPE:
        return f"{message}, found {_found(value)}", ""
    return message.removeprefix("Value error, ").replace("Input should", "should"), ""


def _found(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        shown = value if len(value) <= _LONGEST_QUOTE else value[: _LONGEST_QUOTE - 1] + "…"
        return f"the text {shown!r}" if value else "an empty text"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list | tuple) else "keys with values"


def _hint_for(path: Path, kind: str, value: object) -> str:
    """What to write where the key says what was meant; "" where it does not."""
    if not isinstance(value, str):
        return ""
    if kind == "tuple_type" and path[-1:] == ("command",):
        try:
            return f"write [{', '.join(map(_in_list, shlex.split(value)))}]"
        except ValueError:
            return ""
    percent = _PERCENT.fullmatch(value)
    if kind in ("float_type", "int_type") and percent:
        return f"write {float(percent[1]) / 100:.2f}" if "." not in percent[1] else "write it as a share of 1"
    if "calls" in path and path[-1] in _TOOL_KEYS:
        return f"write `- {_in_list(value)}: {{…}}`, its arguments in the brackets"
    return ""


def _in_list(word: str) -> str:
    """The word as an item of a list in YAML: in quotes where it would read as something else."""
    return word if _PLAIN.fullmatch(word) else json.dumps(word, ensure_ascii=False)


def _type_hint(kind: str, value: object) -> str:
    if kind == "string_type" and isinstance(value, bool | int | float):
        written = str(value).lower() if isinstance(value, bool) else str(value)
        return f'put it in quotes: "{written}"'
    if (
        kind == "bool_type"
        and isinstance(value, str)
        and value.casefold() in ("yes", "on", "y", "no", "off", "n")
    ):
        return f"write {'true' if value.casefold() in ('yes', 'on', 'y') else 'false'}"
    if kind in ("tuple_type", "list_type") and isinstance(value, str | int | float):
        return f"write [{value}]" if len(str(value)) <= 60 else "begin the item with '- '"
    return ""


def _not_among(value: object, expected: str) -> tuple[str, str]:
    choices = [part.strip("'") for part in expected.replace(" or ", ", ").split(", ")]
    if choices == ["True"]:
        return f"can only be true, found {_found(value)}", "leave the key out where it is not wanted"
    if isinstance(value, str) and value in choices and f"'{value}'" not in expected:
        return f"must be {expected}, found {_found(value)}", f"write {value} without quotes"
    near = nearest(value, choices) if isinstance(value, str) else None
    words = f"must be {choices[0]}" if len(choices) == 1 else f"must be one of {', '.join(choices)}"
    return f"{words}; found {_found(value)}", f"did you mean '{near}'?" if near else ""


def _too_short(value: object, context: Mapping[str, object]) -> tuple[str, str]:
    least = context["min_length"]
    if least == 1:
        return "must not be empty", ""
    unit = "characters" if isinstance(value, str) else "items"
    return f"must have at least {least} {unit}", ""


def _number(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
