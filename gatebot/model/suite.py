"""A loaded suite: the configuration, its cases, and the golden calls in one normal form."""

from __future__ import annotations

from dataclasses import dataclass, field

from gatebot.model.case import Expect
from gatebot.model.config import Config
from gatebot.model.json_value import JsonValue

SUITE_SCHEMA = "gatebot.suite/1"


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """One golden call. `arguments` None = not compared. Calls of equal `group` may run in any order.

    `alternatives`: further (name, arguments) that will do. `after`: ids of calls that must come before.
    """

    name: str
    arguments: dict[str, JsonValue] | None
    group: int
    id: str | None = None
    after: tuple[str, ...] = ()
    optional: bool = False
    alternatives: tuple[tuple[str, dict[str, JsonValue] | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """One accepted reference in normal form. `calls` None = no golden calls at all (an empty tuple is "none").

    `graph`: the node path, a tuple per turn; None = none.
    """

    calls: tuple[ExpectedCall, ...] | None = None
    answer: str | None = None
    state: JsonValue = None
    graph: tuple[tuple[str, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a scripted conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class SuiteFile:
    """A file of the suite that a grader is made of; `path` is relative to the suite's directory."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Case:
    """A case ready to run and grade. `history` precedes the first turn; `turns` are asked one by one.

    `plain` marks a single-string input, which the agent then receives as a string. `references` holds the golden
    first, then its variants; empty when the case has no golden. `path` is relative to the suite's directory.
    `grader_files`: path, relative to it too, of each file that the case's own graders are made of → its sha256 (hex).
    """

    id: str
    path: str
    turns: tuple[str, ...]
    history: tuple[Turn, ...] = ()
    plain: bool = True
    context: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    tags: tuple[str, ...] = ()
    timeout: float | None = None
    expect: Expect = field(default_factory=Expect)
    references: tuple[Reference, ...] = ()
    grader_files: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Suite:
    """Configuration and cases (sorted by id). `schema` names the machine form kept beside the results."""

    config: Config
    cases: tuple[Case, ...]
    schema: str = SUITE_SCHEMA
