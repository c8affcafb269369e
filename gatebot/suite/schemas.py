"""JSON Schemas of everything that is written to disk, made from the models: for editors, and for who reads results."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import cast

from pydantic import TypeAdapter

from gatebot.model.case import CASE_SCHEMA_NAME, CaseFile
from gatebot.model.config import BUILTIN_AGENTS, CONFIG_SCHEMA_NAME, Config
from gatebot.model.metric import METRICS, USER_JUDGE_PREFIX
from gatebot.model.plan import Plan
from gatebot.model.report import MEASURED_REPORT_FIELDS, Report
from gatebot.model.trial import MEASURED_FIELDS, Trial
from gatebot.suite.yaml_reader import Plain

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MEASURED = "x-measured"
_ITEM_OF = re.compile(r"(?P<list>\w+)\[(?P<item>\w+)\]")

Schema = dict[str, Plain]


def schemas() -> dict[str, Schema]:
    """File name → JSON Schema (draft 2020-12). The same models give the same schemas."""
    return {
        CONFIG_SCHEMA_NAME: _written(_config()),
        CASE_SCHEMA_NAME: _written(_case()),
        "plan.v1.json": _kept(Plan, ()),
        "report.v1.json": _kept(Report, MEASURED_REPORT_FIELDS),
        "trial.v1.json": _kept(Trial, MEASURED_FIELDS),
    }


def schema_files() -> dict[str, bytes]:
    """File name → the schema's text, as it lies in schema/."""
    return {
        name: (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode()
        for name, schema in schemas().items()
    }


def write_schemas(folder: Path) -> list[Path]:
    """Write every schema into `folder`, which is made if it is not there; the paths written, sorted."""
    folder.mkdir(parents=True, exist_ok=True)
    written: list[Path] = []
    for name, text in sorted(schema_files().items()):
        target = folder / name
        target.write_bytes(text)
        written.append(target)
    return written


def _config() -> Schema:
    """The configuration, with the short forms that its validators take."""
    schema = _of(Config, "validation")
    agent = _properties(schema)["agent"]
    short: Schema = {"enum": list(BUILTIN_AGENTS), "description": "Short for `builtin:`."}
    _properties(schema)["agent"] = _either(agent, short)
    metrics = _properties(_definition(schema, "Gate"))["metrics"]
    names: list[Plain] = [*sorted(METRICS)]
    metrics["propertyNames"] = {"anyOf": [{"enum": names}, {"pattern": f"^{USER_JUDGE_PREFIX}."}]}
    gate: Schema = {"$ref": "#/$defs/MetricGate"}
    metrics["additionalProperties"] = {"anyOf": [gate, {"type": "null"}]}
    return schema


def _case() -> Schema:
    """A case, with the short forms that its validators take."""
    schema = _of(CaseFile, "validation")
    expect = _properties(_definition(schema, "Expect"))
    expect["state"] = _either(expect["state"], {"const": True})
    return schema


def _either(field: Schema, short: Schema) -> Schema:
    described = {key: field[key] for key in ("description", "default") if key in field}
    full = {key: value for key, value in field.items() if key not in described}
    options = cast("list[Plain]", full["anyOf"]) if set(full) == {"anyOf"} else [full]
    return {**described, "anyOf": [*options, short]}


def _written(schema: Schema) -> Schema:
    return {"$schema": DIALECT, **schema}


def _kept(model: type, measured: tuple[str, ...]) -> Schema:
    """The schema of a machine file; unknown keys are allowed, and what is measured is marked.

    `x-measured` is true on a measured field, and on a list names the items of which the values are measured;
    `x-measured-fields` lists all of them. Two files are equal when they are equal without these.
    """
    schema = _of(model, "serialization")
    for name in measured:
        _mark(schema, name)
    return {"$schema": DIALECT, **({"x-measured-fields": list(measured)} if measured else {}), **schema}


def _mark(schema: Schema, name: str) -> None:
    if item := _ITEM_OF.fullmatch(name):
        field = _properties(schema).get(item["list"])
        if field is not None:
            field[MEASURED] = [*cast("list[Plain]", field.get(MEASURED, [])), item["item"]]
        return
    owner, _, rest = name.partition(".")
    field = _properties(schema).get(owner)
    if field is None:
        return  # a later version's field: `x-measured-fields` names it already
    if rest:
        reference = str(field["$ref"]).rpartition("/")[2]
        _properties(_definition(schema, reference))[rest][MEASURED] = True
    else:
        field[MEASURED] = True


def _of(model: type, mode: str) -> Schema:
    made: object = TypeAdapter(model).json_schema(
        mode="validation" if mode == "validation" else "serialization"
    )
    return cast("Schema", _without_titles(cast("Plain", made), is_map=False))


def _without_titles(node: Plain, *, is_map: bool) -> Plain:
    """Drop the titles pydantic makes from field names; in a map of names (`is_map`) a `title` is somebody's key."""
    if isinstance(node, list):
        return [_without_titles(item, is_map=False) for item in node]
    if isinstance(node, dict):
        return {
            key: _without_titles(value, is_map=not is_map and key in ("properties", "$defs"))
            for key, value in node.items()
            if is_map or key != "title"
        }
    return node


def _properties(schema: Schema) -> dict[str, Schema]:
    return cast("dict[str, Schema]", schema["properties"])


def _definition(schema: Schema, name: str) -> Schema:
    return cast("dict[str, Schema]", schema["$defs"])[name]
