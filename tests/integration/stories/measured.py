"""Takes out of reports and trials exactly what the models list as measured; what is left must be equal."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import orjson

from gatebot.model.report import MEASURED_REPORT_FIELDS
from gatebot.model.trial import MEASURED_FIELDS, Trial
from tests.integration.stories.command_line import JsonObject

_METRIC = re.compile(r"metrics\[(\w+)\]")


def without_measured(report: JsonObject) -> JsonObject:
    """A copy of the report without its measured fields; `metrics[x]` is metric x of the suite and of every case."""
    left: JsonObject = json.loads(json.dumps(report))
    for name in MEASURED_REPORT_FIELDS:
        metric = _METRIC.fullmatch(name)
        if metric is None:
            _drop(left, name.split("."))
            continue
        rows, cases = left["metrics"], left["cases"]
        assert isinstance(rows, list)
        assert isinstance(cases, list)
        left["metrics"] = [row for row in rows if not (isinstance(row, dict) and row["name"] == metric[1])]
        for case in cases:
            assert isinstance(case, dict)
            metrics = case["metrics"]
            assert isinstance(metrics, dict)
            metrics.pop(metric[1], None)
    return left


def caused(trials: Sequence[Trial]) -> list[JsonObject]:
    """What case, seed and agent caused of each trial, in the order of the trials' keys."""
    found: list[JsonObject] = []
    for trial in sorted(trials, key=lambda trial: trial.key):
        left: JsonObject = orjson.loads(orjson.dumps(trial))
        for name in MEASURED_FIELDS:
            _drop(left, name.split("."))
        found.append(left)
    return found


def _drop(holder: JsonObject, path: Sequence[str]) -> None:
    """Remove a field; a mapping of sides on the way is gone through whole."""
    first, *rest = path
    assert first in holder, f"{first} is listed as measured and is not there"
    if not rest:
        del holder[first]
        return
    inner = holder[first]
    assert isinstance(inner, dict)
    _drop(inner, rest)
