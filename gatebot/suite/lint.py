"""Checks that no schema can make: cases that could never fail, references to what does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gatebot.errors import Location
from gatebot.model.config import Config
from gatebot.suite.explain import nearest
from gatebot.suite.finding import Finding, raise_errors
from gatebot.suite.lint_calls import call_for_a_name
from gatebot.suite.lint_case import CaseLint, lint_case
from gatebot.suite.loaded import ConfigFile, LoadedCase
from gatebot.suite.wording import printable

__all__ = ["Finding", "lint_suite", "raise_errors"]

LEAST_TO_GENERALIZE = 10
NEEDS_CALLS = (
    "trajectory_match",
    "trajectory_credit",
    "tool_iou",
    "tool_iou_set",
    "tool_precision",
    "tool_recall",
    "tool_selection",
    "order",
    "in_order",
    "param_accuracy",
)


def lint_suite(
    config: ConfigFile, cases: Sequence[LoadedCase], *, same_source: bool = True
) -> tuple[Finding, ...]:
    """Everything there is to say about a loaded suite: errors first, then by file and place.

    `same_source` False: the cases are another commit's than the configuration, so that a case the configuration
    names may be missing for good reason; that is a warning then.
    """
    findings = [*_lint_config(config, cases, same_source=same_source)]
    for item in cases:
        findings.extend(lint_case(CaseLint(item.case, item.document, config.config.trajectory.match)))
    shown = (replace(one, message=printable(one.message), hint=printable(one.hint)) for one in findings)
    return tuple(sorted(shown, key=_order))


def _order(finding: Finding) -> tuple[bool, str, int, int, str]:
    place = finding.location
    return finding.level != "error", place.path, place.line, place.column, finding.message


def _lint_config(file: ConfigFile, cases: Sequence[LoadedCase], *, same_source: bool) -> Iterator[Finding]:
    config = file.config
    yield from _quarantine(file, [item.case.id for item in cases], same_source=same_source)
    if same_source and config.gate.scope == "generalize" and len(cases) < LEAST_TO_GENERALIZE:
        yield Finding(
            "error",
            file.document.locate(("gate", "scope")),
            f"scope generalize needs {LEAST_TO_GENERALIZE} cases or more, the suite has {len(cases)}",
            "write more cases, or say `scope: suite`",
        )
    if config.accept.label == config.accept.override_label:
        yield Finding(
            "error",
            file.document.locate(("accept",), key=True),
            "one label cannot both accept and override",
            "give accept.label and accept.override_label different names",
        )
    yield from _pure(file)
    for name in _without_evidence(config, cases):
        yield Finding(
            "warning",
            file.document.locate(("gate", "metrics", name), key=True),
            f"{name} gates, but no case has what it is measured by",
            "the gate will say not_evaluated: write goldens, or let the metric inform",
        )


def _pure(file: ConfigFile) -> Iterator[Finding]:
    """Names in `trajectory.pure` that no call can have."""
    config = file.config
    schemas = config.tools if isinstance(config.tools, dict) else {}
    aliases = config.trajectory.aliases
    known = sorted({*schemas, *aliases, *(other for others in aliases.values() for other in others)})
    for number, tool in enumerate(config.trajectory.pure):
        place = file.document.locate(("trajectory", "pure", number))
        if fault := call_for_a_name(tool):
            yield Finding("error", place, fault[0], "name the tool alone")
        elif "*" in tool:
            hint = f"give the tools one name: `trajectory: {{aliases: {{calculator: ['{tool}']}}}}`"
            yield Finding("error", place, f"'{tool}' is a pattern, and pure tools are named", hint)
        elif schemas and tool not in known:
            near = nearest(tool, known)
            hint = f"did you mean '{near}'?" if near else "name a tool of `tools`, or take it out"
            yield Finding(
                "warning", place, f"trajectory.pure names '{tool}', which is none of the tools", hint
            )


def _without_evidence(config: Config, cases: Sequence[LoadedCase]) -> Iterator[str]:
    calls = any(ref.calls is not None for item in cases for ref in item.case.references)
    states = any(item.case.expect.state is not None for item in cases)
    graphs = any(ref.graph is not None for item in cases for ref in item.case.references)
    for name in config.gate.metrics:
        missing = {"state_match": not states, "graph_match": not graphs, "schema_valid": not config.tools}
        if (name in NEEDS_CALLS and not calls) or missing.get(name):
            yield name


def _quarantine(file: ConfigFile, ids: Sequence[str], *, same_source: bool) -> Iterator[Finding]:
    known = frozenset(ids)
    seen: set[str] = set()
    for number, entry in enumerate(file.config.quarantine):
        place: Location = file.document.locate(("quarantine", number, "case"))
        if entry.case in seen:
            yield Finding("error", place, f"case '{entry.case}' is quarantined twice", "keep one entry")
        seen.add(entry.case)
        if entry.case not in known:
            near = nearest(entry.case, ids)
            yield Finding(
                "error" if same_source else "warning",
                place,
                f"quarantine names the case '{entry.case}', which does not exist",
                f"did you mean '{near}'?" if near else "remove the entry",
            )
    if known and known <= seen:
        yield Finding(
            "warning",
            file.document.locate(("quarantine",), key=True),
            "every case is quarantined: nothing can close the gate",
            "take a case out of quarantine",
        )
