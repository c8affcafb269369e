"""GitHub's own description of its API, as far as our requests and the fake's answers are concerned.

Requests are checked in full. Answers are checked for what the fake does say: every field must exist and be of its kind;
fields it leaves out are not missed, since gatebot reads none of them.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gatebot.model.json_value import JsonObject, JsonValue, is_array, is_object

PACKAGES = ("@octokit/openapi@23.0.2", "@octokit/graphql-schema@15.26.1")
_SLASHES = frozenset({"path", "ref", "basehead", "branch"})


class NotInstalledError(Exception):
    """The descriptions cannot be had here."""


def descriptions(cache: Path) -> tuple[Path, Path]:
    """(OpenAPI, GraphQL schema) as files; installed into `cache` with npm when absent. Raises NotInstalledError."""
    folder = cache / "node_modules" / "@octokit"
    files = (folder / "openapi/generated/api.github.com.json", folder / "graphql-schema/schema.json")
    if all(file.is_file() for file in files):
        return files
    npm = shutil.which("npm")
    if npm is None:
        raise NotInstalledError("npm is not here")
    cache.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(cache), *PACKAGES]
    ended = subprocess.run(command, capture_output=True, timeout=240, check=False)
    if ended.returncode == 0 and all(file.is_file() for file in files):
        return files
    raise NotInstalledError("npm could not install GitHub's descriptions")


@dataclass(frozen=True, slots=True)
class Operation:
    """One documented operation."""

    path: str
    described: JsonObject


class Rest:
    """GitHub's OpenAPI description."""

    def __init__(self, file: Path) -> None:
        self._whole: JsonObject = json.loads(file.read_text("utf-8"))
        paths = self._object(self._whole["paths"])
        self._routes = sorted(
            ((_pattern(path), path, self._object(methods)) for path, methods in paths.items()),
            key=lambda route: (route[1].count("{"), -len(route[1])),
        )

    def faults(self, method: str, path: str, status: int, sent: JsonValue, answered: JsonValue) -> list[str]:
        """What GitHub's description does not allow in a request and its answer."""
        found = self._operation(method, path)
        if found is None:
            return [f"{method} {path} is no endpoint of GitHub's"]
        wrong: list[str] = []
        if "requestBody" in found.described and sent:
            schema = self._json(found.described["requestBody"])
            wrong += [f"request: {fault}" for fault in self._check(schema, sent, "", whole=True)]
        responses = self._object(found.described["responses"])
        if str(status) not in responses:
            return [*wrong, f"status {status} is not among {sorted(responses)}"]
        schema = self._json(responses[str(status)])
        wrong += [f"answer: {fault}" for fault in self._check(schema, answered, "", whole=False)]
        return [f"{method} {found.path}: {fault}" for fault in wrong]

    def _operation(self, method: str, path: str) -> Operation | None:
        for pattern, name, methods in self._routes:
            if pattern.fullmatch(path) and method.lower() in methods:
                return Operation(name, self._object(methods[method.lower()]))
        return None

    def _json(self, holder: JsonValue) -> JsonValue:
        content = self._object(self._resolve(holder)).get("content")
        if not is_object(content) or "application/json" not in content:
            return {}
        return self._object(content["application/json"]).get("schema", {})

    def _resolve(self, value: JsonValue) -> JsonValue:
        while is_object(value) and isinstance(value.get("$ref"), str):
            node: JsonValue = self._whole
            for key in str(value["$ref"])[2:].split("/"):
                node = self._object(node)[key.replace("~1", "/")]
            value = node
        return value

    @staticmethod
    def _object(value: JsonValue) -> JsonObject:
        assert is_object(value)
        return value

    def _merged(self, schema: JsonObject) -> JsonObject:
        """The schema with the properties of everything it is made of."""
        parts = schema.get("allOf")
        if not is_array(parts):
            return schema
        properties: dict[str, JsonValue] = {}
        for part in (schema, *(self._merged(self._object(self._resolve(part))) for part in parts)):
            known = part.get("properties")
            properties |= known if is_object(known) else {}
        return {"type": "object", "properties": properties}

    def _check(self, schema: JsonValue, value: JsonValue, at: str, *, whole: bool) -> Iterator[str]:
        schema = self._object(self._resolve(schema))
        if value is None:
            if schema and not schema.get("nullable") and "anyOf" not in schema and "oneOf" not in schema:
                yield f"{at} is null"
            return
        choices = schema.get("oneOf", schema.get("anyOf"))
        if is_array(choices):
            tried = [list(self._check(choice, value, at, whole=whole)) for choice in choices]
            if all(tried):
                yield from min(tried, key=len)
            return
        schema = self._merged(schema)
        allowed = schema.get("enum")
        if is_array(allowed) and value not in allowed:
            yield f"{at} is {value!r}, not one of {list(allowed)}"
        if not _is(schema.get("type"), value):
            yield f"{at} is no {schema.get('type')}"
        elif is_array(value):
            yield from self._check_list(schema, value, at, whole=whole)
        elif is_object(value):
            yield from self._check_object(schema, value, at, whole=whole)
        elif isinstance(value, str) and len(value) > int(str(schema.get("maxLength", 10**9))):
            yield f"{at} is longer than {schema['maxLength']}"

    def _check_list(self, schema: JsonObject, value: JsonValue, at: str, *, whole: bool) -> Iterator[str]:
        assert is_array(value)
        if len(value) > int(str(schema.get("maxItems", 10**9))):
            yield f"{at} has more than {schema['maxItems']} items"
        for index, item in enumerate(value[:50]):
            yield from self._check(schema.get("items", {}), item, f"{at}/{index}", whole=whole)

    def _check_object(self, schema: JsonObject, value: JsonObject, at: str, *, whole: bool) -> Iterator[str]:
        known = schema.get("properties")
        if not is_object(known):
            return
        required = schema.get("required", ()) if whole else ()
        if is_array(required):
            yield from (f"{at}/{name} is missing" for name in required if name not in value)
        for name, inner in value.items():
            if name in known:
                yield from self._check(known[name], inner, f"{at}/{name}", whole=whole)
            elif schema.get("additionalProperties") in (None, False):
                yield f"{at}/{name} is unknown"


def _is(kind: JsonValue, value: JsonValue) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int | float) and not isinstance(value, bool)
    kinds: dict[JsonValue, bool] = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "array": is_array(value),
        "object": is_object(value),
    }
    return kinds.get(kind, True)


def _pattern(path: str) -> re.Pattern[str]:
    def part(match: re.Match[str]) -> str:
        return "(.+)" if match.group(1) in _SLASHES else "([^/]+)"

    return re.compile(re.sub(r"\\\{(\w+)\\\}", part, re.escape(path)))


class GraphQl:
    """GitHub's GraphQL schema, by introspection: which fields and input fields a type has."""

    def __init__(self, file: Path) -> None:
        whole = json.loads(file.read_text("utf-8"))
        root = whole.get("data", whole)
        self._types: dict[str, JsonObject] = {one["name"]: one for one in root["__schema"]["types"]}

    def fields(self, name: str) -> dict[str, str]:
        """Field → the named type behind its lists and non-nulls; of an input type its input fields."""
        described = self._types[name]
        listed = described.get("fields") or described.get("inputFields") or ()
        assert is_array(listed)
        return {str(one["name"]): _named(one["type"]) for one in listed if is_object(one)}

    def required(self, name: str) -> set[str]:
        """The input fields that must be given."""
        listed = self._types[name].get("inputFields") or ()
        assert is_array(listed)
        return {
            str(one["name"])
            for one in listed
            if is_object(one) and is_object(one["type"]) and one["type"].get("kind") == "NON_NULL"
        }


def _named(kind: JsonValue) -> str:
    while is_object(kind) and kind.get("name") is None:
        kind = kind.get("ofType")
    assert is_object(kind)
    return str(kind["name"])
