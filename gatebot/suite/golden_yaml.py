"""A golden as the YAML that people read: plain where plain is safe, and the same value always as the same lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import yaml

from gatebot.errors import ConfigError
from gatebot.model.json_value import JsonValue, is_array, is_object
from gatebot.suite.yaml_reader import read_yaml

KEY = "golden"
_NO_FOLDING = 1_000_000
_ODD_BREAKS = ("\r", "\x85", "\u2028", "\u2029", "\ufeff", "\t")


Dumped: TypeAlias = "str | int | float | bool | list[Dumped] | dict[str, Dumped] | None"


class _Dumper(yaml.SafeDumper):
    """Lists are indented below their key; no anchors, since the reader takes none."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Never indentless: an item of a list stands to the right of its key."""
        del indentless
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: object) -> bool:
        """Every value is written out."""
        del data
        return True


class _Block(dict[str, "Dumped"]):
    """A mapping that is written one key a line, however small it is."""


class _Rows(list["Dumped"]):
    """A list that is written one item a line, however small it is."""


def _represent_block(dumper: yaml.SafeDumper, value: _Block) -> yaml.MappingNode:
    return dumper.represent_mapping("tag:yaml.org,2002:map", value, flow_style=False)


def _represent_rows(dumper: yaml.SafeDumper, value: _Rows) -> yaml.SequenceNode:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", value, flow_style=False)


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=_style(value))


def _style(value: str) -> str | None:
    """Several lines as a block; in quotes what our reader would take for something else than text; else plain."""
    if any(sign in value for sign in _ODD_BREAKS):
        return '"'
    if "\n" in value:
        return '"' if value != value.strip() or " \n" in value else "|"
    return None if _stays_text(value) else '"'


def _stays_text(value: str) -> bool:
    """Whether the reader takes the plain word for text: `1e5`, `no` and dates read differently in YAML 1.1 and 1.2."""
    if not value or value[0] not in "+-.0123456789~nNtTfF":
        return True
    try:
        return read_yaml("", f"- {value}\n".encode()).value == [value]
    except (ConfigError, UnicodeEncodeError):
        return True  # the emitter quotes it by itself


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(_Block, _represent_block)
_Dumper.add_representer(_Rows, _represent_rows)


def golden_lines(golden: Mapping[str, JsonValue]) -> list[str]:
    """The block `golden:` as lines without line ends; keys are sorted, so that equal values give equal lines.

    `answer`, `state` and `calls` keep the order people write them in. Raises ConfigError for a value YAML cannot hold.
    """
    order = {"answer": 0, "state": 1, "calls": 2, "graph": 3}
    ordered = sorted(golden.items(), key=lambda item: (order.get(item[0], 9), item[0]))
    try:
        written = yaml.dump(
            _Block({KEY: _golden(ordered)}),
            Dumper=_Dumper,
            sort_keys=False,
            allow_unicode=True,
            width=_NO_FOLDING,
            default_flow_style=None,
        )
    except (yaml.YAMLError, UnicodeEncodeError, RecursionError) as error:
        message = f"this golden cannot be written as YAML: {type(error).__name__}"
        raise ConfigError(message, "write the case's golden by hand") from error
    return written.rstrip("\n").split("\n")


def _golden(items: list[tuple[str, JsonValue]]) -> Dumped:
    rows = {key: _plain(value) for key, value in items}
    blocks = {
        key: _Rows(value) if isinstance(value, list) and value else value for key, value in rows.items()
    }
    return _Block(blocks) if blocks else {}


def _plain(value: JsonValue) -> Dumped:
    """Plain lists and dictionaries with sorted keys: an order that an agent happens to choose is no behaviour."""
    if is_object(value):
        return {key: _plain(value[key]) for key in sorted(value)}
    if is_array(value):
        return [_plain(item) for item in value]
    if isinstance(value, str | int | float) or value is None:
        return value
    message = f"no JSON value: {type(value).__name__}"
    raise TypeError(message)
