"""Replaces exactly the `golden:` block of a case file; every other byte stays as it was.

The file is cut by the YAML scanner's own marks, never by looks. What comes out is read again before it is handed
back: the new golden must be there, and everything else must read as before.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import yaml

from gatebot.errors import ConfigError, Location
from gatebot.model.json_value import JsonValue
from gatebot.suite.golden_yaml import KEY, golden_lines
from gatebot.suite.yaml_places import LOADER
from gatebot.suite.yaml_reader import Plain, read_yaml

_BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\n|\r")
_BREAKS_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_OPENS = (
    yaml.BlockMappingStartToken,
    yaml.BlockSequenceStartToken,
    yaml.FlowMappingStartToken,
    yaml.FlowSequenceStartToken,
)
_FLOW_ENDS = (yaml.FlowMappingEndToken, yaml.FlowSequenceEndToken)
_NO_CONTENT = (
    yaml.StreamStartToken,
    yaml.StreamEndToken,
    yaml.BlockEndToken,
    yaml.DocumentStartToken,
    yaml.DocumentEndToken,
    yaml.DirectiveToken,
)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the golden stands, as offsets into the text; `start` -1 = nowhere.

    `indent` = column of the top-level keys. `flow`: the whole document is one `{…}`, `close` its last brace, and
    `value` where the golden's value begins in it. `comma`: a comma stands before that brace. `end` of the content.
    """

    start: int = -1
    value: int = -1
    end: int = -1
    indent: int = 0
    flow: bool = False
    close: int = -1
    comma: bool = False
    document_end: int = -1


def splice_golden(path: str, raw: bytes, golden: Mapping[str, JsonValue]) -> bytes:
    """The case file `raw` with `golden` as its golden; unchanged bytes when it has that golden already.

    `path` is what errors call the file. Line ends, comments, byte order mark and the absence of a last newline stay.
    Raises ConfigError when the file is no case, or when the golden cannot be written so that it reads back equal.
    """
    before = _mapping(path, raw)
    if before.get(KEY) == golden:
        return raw
    text = raw.decode("utf-8")
    mark = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(_BOM)
    layout = _layout(text)
    spliced = _in_flow(text, layout, golden) if layout.flow else _in_block(text, layout, golden)
    result = (mark + spliced).encode("utf-8")
    _check(path, before, result, golden)
    return result


def _mapping(path: str, raw: bytes) -> dict[str, Plain]:
    value = read_yaml(path, raw).value
    if not isinstance(value, dict):
        raise ConfigError(
            "the case is not a mapping of keys", "write at least `input:`", location=Location(path)
        )
    return value


def _check(path: str, before: dict[str, Plain], result: bytes, golden: Mapping[str, JsonValue]) -> None:
    after = _mapping(path, result)
    rest = {key: value for key, value in before.items() if key != KEY}
    if after.get(KEY) != golden or {key: value for key, value in after.items() if key != KEY} != rest:
        raise ConfigError(
            "the golden cannot be spliced into this file without changing the rest",
            "write the case's golden by hand",
            location=Location(path),
        )


def _layout(text: str) -> _Layout:
    """Find the golden among the scanner's tokens."""
    found = _Scan()
    for token in cast("list[yaml.Token]", list(yaml.scan(text, Loader=LOADER))):
        found.take(token)
    return found.layout()


class _Scan:
    """Takes tokens one by one and remembers what a splice needs."""

    def __init__(self) -> None:
        self._depth = 0
        self._layout = _Layout()
        self._start = self._value = self._end = self._close = self._document_end = -1
        self._indent = 0
        self._flow = self._comma = self._after_comma = self._inside = False
        self._key = -1
        self._awaits_name = False

    def take(self, token: yaml.Token) -> None:
        """The next token."""
        at, after = token.start_mark.index, token.end_mark.index
        if isinstance(token, _OPENS):
            if self._depth == 0:
                self._flow = isinstance(token, yaml.FlowMappingStartToken)
                self._indent = token.start_mark.column
            self._depth += 1
        elif isinstance(token, (yaml.BlockEndToken, *_FLOW_ENDS)):
            self._depth -= 1
            if self._depth == 0 and isinstance(token, _FLOW_ENDS):
                self._close, self._inside = at, False
                self._comma = self._after_comma
        elif isinstance(token, yaml.DocumentEndToken):
            self._document_end = at
        elif self._depth == 1:
            self._top_level(token, at)
        if self._inside and not isinstance(token, _NO_CONTENT):
            self._end = after
        self._after_comma = isinstance(token, yaml.FlowEntryToken)

    def _top_level(self, token: yaml.Token, at: int) -> None:
        if isinstance(token, yaml.KeyToken):
            self._key, self._awaits_name, self._inside = at, True, False
        elif isinstance(token, yaml.FlowEntryToken):
            self._inside = False
        elif isinstance(token, yaml.ScalarToken) and self._awaits_name:
            self._awaits_name = False
            if token.value == KEY:
                self._inside, self._start = True, self._key
        elif isinstance(token, yaml.ValueToken) and self._inside and self._value < 0:
            self._value = token.end_mark.index

    def layout(self) -> _Layout:
        """What was found."""
        return _Layout(
            self._start,
            self._value,
            self._end,
            self._indent,
            self._flow,
            self._close,
            self._comma,
            self._document_end,
        )


def _in_block(text: str, layout: _Layout, golden: Mapping[str, JsonValue]) -> str:
    """Whole lines are replaced: from the golden's key to the line of its last word."""
    line_end = _line_end_of(text)
    block = line_end.join(" " * layout.indent + line if line else line for line in golden_lines(golden))
    if layout.start < 0:
        return _appended(text, layout, block, line_end)
    start = layout.start - layout.indent
    content = text[: layout.end].rstrip(" \t\r\n")
    following = _LINE_END.search(text, len(content))
    if following is None:
        return text[:start] + block
    return text[:start] + block + text[following.start() :]


def _appended(text: str, layout: _Layout, block: str, line_end: str) -> str:
    """At the end of the document: after everything, comments too, but before a line `...` that ends it."""
    head, tail = (
        (text, "") if layout.document_end < 0 else (text[: layout.document_end], text[layout.document_end :])
    )
    if _LINE_END.search(head[-1:]) is not None or not head:
        return head + block + line_end + tail
    return head + line_end + block + tail


def _in_flow(text: str, layout: _Layout, golden: Mapping[str, JsonValue]) -> str:
    """A document that is one `{…}` keeps its form: the golden is written as JSON, which YAML reads."""
    value = _BREAKS_YAML.sub(
        lambda found: f"\\u{ord(found[0]):04x}",
        json.dumps(golden, ensure_ascii=False, sort_keys=True, allow_nan=False),
    )
    if layout.start < 0:
        comma = " " if layout.comma else ", "
        return f"{text[: layout.close]}{comma}{KEY}: {value}{text[layout.close :]}"
    return f"{text[: layout.value]} {value}{text[layout.end :]}"


def _line_end_of(text: str) -> str:
    found = _LINE_END.search(text)
    return found.group(0) if found else "\n"
