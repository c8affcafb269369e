"""Makes docs/reference/*.md from the models: a table per section, around worked examples that the tests load."""

from collections.abc import Iterator
from typing import cast

from pydantic import BaseModel

from gatebot.model.case import CaseFile
from gatebot.model.config import Config
from gatebot.suite.key_words import models_in
from gatebot.suite.schemas import MEASURED, Schema, schemas
from gatebot.suite.yaml_reader import Plain
from tools.reference_examples import CASE_EXAMPLES, CONFIG_EXAMPLES, REPORT_EXAMPLE

GENERATED = "<!-- Made from the models by `python -m tools.schemas`: change them, not this file. -->"
# Types that the schema would spell out at length.
_WORDS = {
    ("Golden", "calls"): "list of calls",
    ("GoldenReference", "calls"): "list of calls",
    ("AnyOf", "any_of"): "list of calls",
    ("TrajectoryExpectation", "args"): "a mode, or per tool a mode or rules per argument",
}
_PLAIN = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "null": "nothing",
}


def reference_files() -> dict[str, str]:
    """File name → the page's text, as it lies in docs/reference/."""
    made = schemas()
    return {
        "config.md": _page(
            "gatebot.yaml", CONFIG_INTRO, CONFIG_EXAMPLES, _written(Config, made["config.v1.json"])
        ),
        "case.md": _page(
            "A case: golden/*.yaml", CASE_INTRO, CASE_EXAMPLES, _written(CaseFile, made["case.v1.json"])
        ),
        "report.md": _page(
            "report.json", REPORT_INTRO, REPORT_EXAMPLE, _kept("Report", made["report.v1.json"])
        ),
    }


CONFIG_INTRO = """The configuration says how the agent is run, which cases it runs, and what closes the gate. Keys that are not
listed here are errors, with the place and the nearest valid key. In a pull request the configuration of the base
branch counts; of the head's only how its agent is started.

YAML is read plainly: `true`, `false`, `null` and decimal numbers are typed, all else is text (`no`, `on`, `1:30`,
`2024-05-01`, `012`). Anchors, aliases, tags, merge keys, duplicate keys and a second document are errors, and so is a
file of more than 256 kB, 64 levels or 50,000 values.

Editors check the file with the schema: `# yaml-language-server: $schema=…/schema/config.v1.json` as its first line."""

CASE_INTRO = """One case is one file: what the user says, what is expected, and the accepted reference (`golden`). The file's stem is
the case's id unless `id` says otherwise. `golden` is the last key of the file: accepting new behaviour rewrites
exactly that block.

A check that is absent is not made. Golden calls are graded even without `expect.trajectory`, in the suite's default
mode (`trajectory` in gatebot.yaml; `superset` with exact arguments unless it says otherwise). `gatebot validate` refuses
cases that could never fail: those that check nothing, and an empty list of golden calls in mode `superset`.

A golden call has four forms: `tool: {arguments}` (`tool:` alone means no arguments), the bare name of a tool (its
arguments are not compared), the long form `{call: tool, args: {…}, id: …, after: […], optional: true}`, and
`{any_of: [call, call]}`, of which one will do. An item of the list that is itself a list holds calls that may run in
parallel: their order is not compared.

Editors check the file with the schema: `# yaml-language-server: $schema=…/schema/case.v1.json` as its first line."""

REPORT_INTRO = """What others script against. The file has the schema `gatebot.report/1`; new keys may be added under that name, none is
removed or given another meaning. Numbers are JSON numbers or null, never NaN. Two reports of the same evaluation are
equal when they are equal without the fields marked *measured* (clocks, prices, the machine)."""


def _page(title: str, intro: str, examples: dict[str, str], sections: Iterator[str]) -> str:
    parts = [f"# {title}", GENERATED, intro]
    for caption, example in examples.items():
        language = "json" if example.startswith("{") else "yaml"
        parts += [f"## Example: {caption}", f"```{language}\n{example.strip()}\n```"]
    return "\n\n".join([*parts, *sections]) + "\n"


def _written(root: type[BaseModel], schema: Schema) -> Iterator[str]:
    """The sections of a file people write: the file's own keys first, then each model in the order it is met."""
    for model in _met(root):
        definition = schema if model is root else _definitions(schema)[model.__name__]
        head = f"## {'Keys' if model is root else model.__name__}"
        rows = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
        required = cast("list[str]", definition.get("required", []))
        for name, field in cast("dict[str, Schema]", definition["properties"]).items():
            default = "**required**" if name in required else _default(model, name)
            info = next(f for n, f in model.model_fields.items() if (f.alias or n) == name)
            meaning = _cell((info.description or "") + _bounds(field))
            words = _WORDS.get((model.__name__, name)) or _type(field)
            rows.append(f"| `{name}` | {words} | {default} | {meaning} |")
        yield f"{head}\n\n{_cell(model.__doc__ or '')}\n\n" + "\n".join(rows)


def _met(root: type[BaseModel]) -> list[type[BaseModel]]:
    found: list[type[BaseModel]] = [root]
    for model in found:  # grows while it is walked
        for field in model.model_fields.values():
            found.extend(one for one in dict.fromkeys(models_in(field.annotation)) if one not in found)
    return found


def _kept(root: str, schema: Schema) -> Iterator[str]:
    """The sections of a file machines write."""
    for name, definition in {root: schema, **_definitions(schema)}.items():
        fields = cast("dict[str, Schema]", definition.get("properties", {}))
        if not fields:
            continue
        rows = ["| key | type | measured |", "| --- | --- | --- |"]
        for key, field in fields.items():
            mark = field.get(MEASURED, False)
            measured = (
                ", ".join(f"`{item}`" for item in mark) if isinstance(mark, list) else "yes" if mark else ""
            )
            null = " or null" if {"type": "null"} in cast("list[Schema]", field.get("anyOf", [])) else ""
            rows.append(f"| `{key}` | {_type(field)}{null} | {measured} |")
        head = f"## {'Keys' if name == root else name}"
        yield f"{head}\n\n{_paragraphs(str(definition.get('description', '')))}\n\n" + "\n".join(rows)


def _definitions(schema: Schema) -> dict[str, Schema]:
    return cast("dict[str, Schema]", schema.get("$defs", {}))


def _type(field: Schema) -> str:
    """A field's type in words, with links to the sections of other models."""
    for key in ("anyOf", "oneOf"):
        if key in field:
            options = [option for option in cast("list[Schema]", field[key]) if option.get("type") != "null"]
            return " or ".join(dict.fromkeys(_type(option) for option in options))
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return "any value" if name == "JsonValue" else f"[{name}](#{name.lower()})"
    if "enum" in field:
        return " · ".join(f"`{choice}`" for choice in cast("list[str]", field["enum"]))
    if "const" in field:
        return f"`{_yaml(field['const'])}`"
    if field.get("type") == "array":
        if "prefixItems" in field:
            return "pair of numbers"
        return f"list of {_type(cast('Schema', field['items']))}"
    if field.get("type") == "object":
        inner = field.get("additionalProperties")
        return f"keys with {_type(cast('Schema', inner))}" if isinstance(inner, dict) else "keys with values"
    if field.get("format") == "date":
        return "date"
    return _PLAIN[str(field["type"])] if "type" in field else "any value"


def _bounds(field: Schema) -> str:
    """The limits of a number or a list, in brackets."""
    candidates = [field, *cast("list[Schema]", field.get("anyOf", []))]
    signs = {
        "exclusiveMinimum": "above {}",
        "minimum": "at least {}",
        "exclusiveMaximum": "below {}",
        "maximum": "at most {}",
    }
    found = [
        words.format(f"{bound:g}" if isinstance(bound, float) else bound)
        for key, words in signs.items()
        for one in candidates
        if isinstance(bound := one.get(key), int | float)
    ]
    return f" ({', '.join(found)})" if found else ""


def _default(model: type[BaseModel], name: str) -> str:
    field = next(f for n, f in model.model_fields.items() if (f.alias or n) == name)
    value: object = field.get_default(call_default_factory=True, validated_data={})
    if isinstance(value, BaseModel):
        given = value.model_dump(mode="json", by_alias=True, exclude_none=True)
        changed = {
            k: v
            for k, v in given.items()
            if k not in type(value).model_fields or type(value).model_fields[k].default != v
        }
        return f"`{_yaml(changed)}`" if changed and len(str(changed)) < 40 else "see there"
    if isinstance(value, dict) and value:
        return f"`{{{', '.join(f'{k}: {{}}' for k in cast('dict[str, object]', value))}}}`"
    return (
        "–"
        if value is None or value in ((), {})
        else f"`{_yaml(cast('Plain', list(value) if isinstance(value, tuple) else value))}`"
    )


def _yaml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(_yaml(item) for item in cast('list[object]', value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{k}: {_yaml(v)}' for k, v in cast('dict[str, object]', value).items())}}}"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return f'"{text}"' if isinstance(value, str) and set(text) & set("*:&!") else text


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _paragraphs(text: str) -> str:
    return "\n\n".join(_cell(part) for part in text.split("\n\n"))
