"""The suite as machines keep it beside the results, and the digests that say which evaluation results belong to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from typing import cast

from pydantic import TypeAdapter, ValidationError

from gatebot.errors import Location, ResultsError
from gatebot.model.config import AgentConfig, Config, TrajectoryDefault
from gatebot.model.json_value import JsonValue
from gatebot.model.plan import Digests
from gatebot.model.suite import SUITE_SCHEMA, Case, Suite

SNAPSHOT_NAME = "suite.json"
MAX_SNAPSHOT_BYTES = 256 * 1024 * 1024
POLICY_KEYS = ("gate", "accept", "quarantine", "budget")
RUN_KEYS = ("id", "turns", "history", "plain", "context", "timeout")
GRADING_KEYS = ("id", "expect", "references")
GRADER_VERSION = 3
"""Raise it when a grader's verdict on the same trial may change: results graded before are then another evaluation's."""


def to_json(suite: Suite) -> bytes:
    """The suite as one line of JSON: the same files give the same bytes.

    Keys keep the order of the files, so that a report made from the saved suite shows arguments as people wrote them.
    """
    text = json.dumps(_plain(suite), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def from_json(raw: bytes, name: str = SNAPSHOT_NAME) -> Suite:
    """The suite that `to_json` wrote; `name` is what errors call the file.

    Raises: ResultsError when it is too large, no suite, or of another version.
    """
    if len(raw) > MAX_SNAPSHOT_BYTES:
        raise ResultsError(
            "the saved suite is too large", "run the evaluation again", location=Location(name)
        )
    try:
        suite = _suites().validate_json(raw)
    except (ValidationError, RecursionError):
        raise ResultsError(
            "the saved suite cannot be read", "run the evaluation again", location=Location(name)
        ) from None
    if suite.schema != SUITE_SCHEMA:
        raise ResultsError(
            f"the saved suite is of the form {ascii(suite.schema)[:60]}, we read {SUITE_SCHEMA}",
            "use the version of gatebot that wrote it, or run the evaluation again",
            location=Location(name),
        )
    return suite


def digests(suite: Suite) -> Digests:
    """The digests of a whole suite, each sha256 in hex: two evaluations can be compared where these agree."""
    return Digests(
        run=_digest([case_run_digest(case) for case in suite.cases]),
        grading=_digest(
            [
                *(case_grading_digest(case, suite.config.trajectory) for case in suite.cases),
                *([] if suite.config.tools is None else [_plain(suite.config)["tools"]]),
                *([_plain(suite.config)["prices"]] if suite.config.prices else []),
            ]
        ),
        policy=policy_digest(suite.config),
        agent=agent_digest(suite.config.agent),
    )


def case_run_digest(case: Case) -> str:
    """Digest of what the agent sees of a case, and how long it may take: part of every trial's cache key.

    What the case's own graders say is kept in the trial, so they are part of it too where there are any.
    """
    seen = _pick(_plain(case), RUN_KEYS)
    answer = case.expect.answer
    if answer is not None and (answer.command is not None or answer.python is not None):
        graders = answer.model_dump(mode="json", include={"command", "python"})
        seen = {**seen, "graders": graders, "grader_files": {**case.grader_files}}
    return _digest(seen)


def case_grading_digest(case: Case, default: TrajectoryDefault, version: int = GRADER_VERSION) -> str:
    """Digest of how a case is graded: what is expected, the golden, the suite's default mode, the graders' version."""
    keys = (*GRADING_KEYS, "grader_files") if case.grader_files else GRADING_KEYS
    return _digest({**_pick(_plain(case), keys), "default": _plain(default), "graders": version})


def golden_digest(case: Case) -> str:
    """Digest of the accepted references alone: what an acceptance records."""
    return _digest(_pick(_plain(case), ("id", "references")))


def policy_digest(config: Config) -> str:
    """Digest of what closes the gate: metrics, margins and targets, quarantine, acceptance, budget, judge."""
    keys = POLICY_KEYS if config.judge is None else (*POLICY_KEYS, "judge")
    return _digest(_pick(_plain(config), keys))


def agent_digest(agent: AgentConfig) -> str:
    """Digest of how trials are run."""
    return _digest(_plain(agent))


@cache
def _suites() -> TypeAdapter[Suite]:
    return TypeAdapter(Suite)


@cache
def _adapter(kind: type) -> TypeAdapter[object]:
    return TypeAdapter(kind)


def _plain(value: Suite | Case | Config | AgentConfig | TrajectoryDefault) -> dict[str, JsonValue]:
    dumped: object = _adapter(type(value)).dump_python(value, mode="json", by_alias=True)
    return cast("dict[str, JsonValue]", dumped)


def _pick(value: dict[str, JsonValue], keys: Iterable[str]) -> dict[str, JsonValue]:
    return {key: value[key] for key in keys}


def _canonical(value: object) -> bytes:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def _digest(value: object) -> str:
    return hashlib.sha256(_canonical(value)).hexdigest()
