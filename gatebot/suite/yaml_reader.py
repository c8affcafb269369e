"""YAML as people write it, read safely into plain JSON values: no aliases, no tags, no surprise types, no bombs.

The parser's events are consumed one by one, so that depth and size are refused before anything is built from them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from gatebot.errors import ConfigError, Location
from gatebot.suite.wording import printable
from gatebot.suite.yaml_places import LOADER, Path, find_marks

MAX_FILE_BYTES = 256 * 1024
MAX_DEPTH = 64
MAX_VALUES = 50_000

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"

_WORDS: dict[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)", re.ASCII)
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", re.ASCII)
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", re.ASCII)
_NUMBER_START = frozenset("+-.0123456789")
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FORBIDDEN_TEXT = re.compile("[\x00\ud800-\udfff]")
_INTEGER_BITS = 64


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A file's value, and where in the file each part of it stands.

    `line`: the text is that one line of the file (JSON, which is YAML with few exceptions), 0 = the whole file.
    """

    path: str
    text: str = field(repr=False)
    value: Plain
    line: int = 0

    def locate(self, path: Path, *, key: bool = False) -> Location:
        """Where the value at `path` stands (its key, with `key`), or as deep on the way there as the file goes."""
        try:
            key_mark, value_mark = find_marks(self.text, path)
        except yaml.YAMLError:
            if not self.line:
                raise
            return Location(
                self.path, self.line
            )  # JSON that YAML does not know, such as an escaped surrogate pair
        mark = key_mark if key else value_mark
        return Location(self.path, self.line or mark[0], mark[1])


def read_yaml(path: str, raw: bytes) -> YamlDocument:
    """The one document in `raw`: UTF-8, at most 256 kB, 64 levels and 50,000 keys and values. `path` is what errors call the file.

    Scalars are typed after YAML 1.2's core schema, in its decimal forms alone: true, false, null, integers, floats.
    `no`, `1:30`, `012`, `0o17`, `2024-05-01` stay the text they are. An empty document is None.

    Raises: ConfigError, with file, line and column, for anything else than plain YAML: anchors, aliases, tags,
    merge keys, duplicate keys, keys that are no text, several documents, NaN, infinities, integers beyond 64 bits.
    """
    text = _decode(path, raw)
    builder = _Builder(path, text)
    for event in _events(path, text):
        builder.take(event)
    return YamlDocument(path, text, builder.value)


def _decode(path: str, raw: bytes) -> str:
    if len(raw) > MAX_FILE_BYTES:
        raise ConfigError(
            f"the file has {len(raw):,} bytes, more than {MAX_FILE_BYTES // 1024} kB",
            "split it, or keep long recordings elsewhere",
            location=Location(path),
        )
    try:
        text = raw.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8", "replace")
        raise ConfigError(
            "the file is not UTF-8 text", "save it as UTF-8", location=_place(path, before)
        ) from None
    if found := _UNPRINTABLE.search(text):
        raise ConfigError(
            f"a control character (U+{ord(found[0]):04X}) stands in the file",
            'remove it, or write it as an escape in double quotes: "\\x1b"',
            location=_place(path, text[: found.start()]),
        )
    return text


def _place(path: str, before: str) -> Location:
    line_start = before.rfind("\n") + 1
    return Location(path, before.count("\n") + 1, len(before) - line_start + 1)


_ADVICE = (
    ("mapping values are not allowed", "text with a colon in it needs quotes"),
    (
        "block sequence entries are not allowed",
        "begin a list on its own line, or quote text that begins with '-'",
    ),
    ("cannot start any token", "put text that begins with this character in quotes"),
    ("found unexpected ':'", "inside [ ] and { } a colon needs a space after it"),
    ("could not find expected ':'", "a key ends with a colon and a space"),
    ("found unexpected end of stream", "a quote or bracket is not closed"),
    ("did not find expected", "look at indentation, quotes and brackets just before"),
)


def _events(path: str, text: str) -> Iterator[yaml.Event]:
    try:
        yield from yaml.parse(text, Loader=LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem or error.context or "it cannot be read").split())
        hint = next((advice for sign, advice in _ADVICE if sign in problem), "check the syntax just before")
        location = Location(path, mark.line + 1, mark.column + 1) if mark else Location(path)
        if mark and _line(text, mark.line)[mark.column : mark.column + 1] == "\t":
            problem, hint = "a tab stands where the text is indented", "YAML indents with spaces"
        raise ConfigError(f"not valid YAML: {problem}", hint, location=location) from None
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise ConfigError(f"not valid YAML: {problem}", "check the file", location=Location(path)) from None


def _line(text: str, number: int) -> str:
    lines = text.split("\n", number + 1)
    return lines[number] if number < len(lines) else ""


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read; `key` is the last one read."""

    container: list[Plain] | dict[str, Plain]
    key: str = ""
    awaits_key: bool = False


class _Builder:
    """Takes the parser's events and puts the value together; refuses what is not plain."""

    def __init__(self, path: str, text: str) -> None:
        self.value: Plain = None
        self._path = path
        self._text = text
        self._stack: list[_Open] = []
        self._documents = 0
        self._values = 0

    def take(self, event: yaml.Event) -> None:
        """The next event."""
        if isinstance(event, yaml.NodeEvent):
            self._values += 1
            if self._values > MAX_VALUES:
                raise self._error(event, f"more than {MAX_VALUES:,} keys and values", "split the file")
            self._refuse_anchors_and_tags(event)
            if isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._open(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self._stack.pop()
        elif isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._error(event, "a second document begins here", "one file holds one document")

    def _refuse_anchors_and_tags(self, event: yaml.NodeEvent) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise self._error(
                event,
                f"aliases (*{event.anchor}) are not read",
                "write the value out, or quote text that begins with *",
            )
        if event.anchor is not None:
            raise self._error(
                event,
                f"anchors (&{event.anchor}) are not read",
                "write values out, or quote text that begins with &",
            )
        tag: str | None = getattr(event, "tag", None)
        if tag is not None:
            name = tag.replace("tag:yaml.org,2002:", "!!")
            raise self._error(
                event,
                f"tags ({name}) are not read",
                "write the plain value, or quote text that begins with !",
            )

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        container: list[Plain] | dict[str, Plain] = {} if isinstance(event, yaml.MappingStartEvent) else []
        if self._awaits_key():
            raise self._error(
                event, "a key must be text, here is a list or mapping", "quote text that begins with [ or {"
            )
        if len(self._stack) >= MAX_DEPTH:
            raise self._error(event, f"nested deeper than {MAX_DEPTH} levels", "flatten the value")
        self._place(container)
        self._stack.append(_Open(container, awaits_key=isinstance(container, dict)))

    def _awaits_key(self) -> bool:
        return bool(self._stack) and self._stack[-1].awaits_key

    def _place(self, value: Plain) -> None:
        if not self._stack:
            self.value = value
            return
        top = self._stack[-1]
        if isinstance(top.container, list):
            top.container.append(value)
        else:
            top.container[top.key] = value
            top.awaits_key = True

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        text = event.value
        if (not text.isascii() or "\x00" in text) and (found := _FORBIDDEN_TEXT.search(text)):
            raise self._error(
                event, f"text with the character U+{ord(found[0]):04X}", "no program takes it: leave it out"
            )
        plain = event.implicit[0]
        if self._awaits_key():
            self._key(event, text, plain=plain)
        else:
            self._place(self._resolve(event, text) if plain else text)

    def _key(self, event: yaml.ScalarEvent, text: str, *, plain: bool) -> None:
        if plain and text == "<<":
            raise self._error(event, "merge keys (<<) are not read", "write the keys out")
        if plain and not isinstance(self._resolve(event, text), str):
            raise self._error(
                event, f"a key must be text, here is {text or 'nothing'}", f'put it in quotes: "{text}"'
            )
        top = self._stack[-1]
        if text in top.container:
            path = (*(self._label(frame) for frame in self._stack[:-1]), text)
            first = find_marks(self._text, path)[0]
            raise self._error(
                event, f"duplicate key '{text}'", f"it stands in line {first[0]} already: keep one"
            )
        top.key, top.awaits_key = text, False

    @staticmethod
    def _label(frame: _Open) -> str | int:
        return len(frame.container) - 1 if isinstance(frame.container, list) else frame.key

    def _resolve(self, event: yaml.ScalarEvent, text: str) -> Plain:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMBER_START:
            return text
        if _INTEGER.fullmatch(text):
            if len(text) > 20 or not -(2 ** (_INTEGER_BITS - 1)) <= int(text) < 2 ** (_INTEGER_BITS - 1):
                raise self._error(event, "an integer beyond 64 bits", "put it in quotes to keep it as text")
            return int(text)
        if _NOT_FINITE.fullmatch(text):
            raise self._error(
                event, f"{text} is no number that can be compared", "put it in quotes if it is text"
            )
        if _FLOAT.fullmatch(text):
            number = float(text)
            if not math.isfinite(number):
                raise self._error(
                    event, "a number beyond the range of floats", "put it in quotes if it is text"
                )
            return number
        return text

    def _error(self, event: yaml.Event, message: str, hint: str) -> ConfigError:
        mark = event.start_mark
        location = Location(self._path, mark.line + 1, mark.column + 1)
        return ConfigError(printable(message), printable(hint), location=location)
