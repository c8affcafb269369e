"""Checks of one case: does it check anything, does it have what its checks need, do its golden calls hold together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from gatebot.model.case import FieldMatcher, MatchMode, SimilarExpectation
from gatebot.model.suite import Case, Reference
from gatebot.suite.explain import nearest
from gatebot.suite.finding import Finding
from gatebot.suite.lint_calls import call_for_a_name, lint_calls
from gatebot.suite.patterns import pattern_fault
from gatebot.suite.yaml_places import Path
from gatebot.suite.yaml_reader import YamlDocument


@dataclass(frozen=True, slots=True)
class CaseLint:
    """A case under inspection, and the mode its golden calls are matched in where it does not say."""

    case: Case
    document: YamlDocument
    default_match: MatchMode

    @property
    def match(self) -> MatchMode:
        """The mode in force."""
        trajectory = self.case.expect.trajectory
        return (trajectory.match if trajectory else None) or self.default_match

    @property
    def calls_required(self) -> bool:
        """Whether a trial fails when its calls do not match."""
        trajectory = self.case.expect.trajectory
        return self.has_calls and (trajectory is None or trajectory.required)

    @property
    def has_calls(self) -> bool:
        """Whether some reference has golden calls, be it an empty list."""
        return any(reference.calls is not None for reference in self.case.references)

    @property
    def graph_required(self) -> bool:
        """Whether a trial fails when its node path does not match."""
        trajectory = self.case.expect.trajectory
        return self.has_graph and (trajectory is None or trajectory.required)

    @property
    def has_graph(self) -> bool:
        """Whether some reference has a node path."""
        return any(reference.graph is not None for reference in self.case.references)

    @property
    def has_goal(self) -> bool:
        """Whether the case has a goal check."""
        expect = self.case.expect
        return expect.answer is not None or expect.state is not None or expect.outcome is not None

    def error(self, path: Path, message: str, hint: str, *, key: bool = True) -> Finding:
        """An error at `path`."""
        return Finding("error", self.document.locate(path, key=key), message, hint)

    def warning(self, path: Path, message: str, hint: str, *, key: bool = True) -> Finding:
        """A warning at `path`."""
        return Finding("warning", self.document.locate(path, key=key), message, hint)


def lint_case(subject: CaseLint) -> Iterator[Finding]:
    """What is wrong or doubtful in one case."""
    yield from _checks_something(subject)
    yield from _empty_golden(subject)
    yield from _needs_golden(subject)
    yield from _state(subject)
    yield from _patterns(subject)
    yield from _tools(subject)
    for path, reference in _references(subject.case):
        yield from lint_calls(subject.document, path, reference.calls or ())


def _references(case: Case) -> Iterator[tuple[Path, Reference]]:
    for number, reference in enumerate(case.references):
        yield ("golden",) if number == 0 else ("golden", "variants", number - 1), reference


def _checks_something(subject: CaseLint) -> Iterator[Finding]:
    expect = subject.case.expect
    if subject.has_goal or subject.calls_required or subject.graph_required or expect.require:
        if subject.has_goal or subject.graph_required or expect.require:
            return
        can_be_idle = all(not call.optional for r in subject.case.references for call in r.calls or ())
        idle = any(r.calls is not None and all(c.optional for c in r.calls) for r in subject.case.references)
        if idle and can_be_idle and subject.match != "superset":
            yield subject.warning(
                ("golden", "calls"),
                "an agent that does nothing passes this case",
                "add expect.answer, expect.state or expect.require",
            )
    elif expect.forbid:
        yield subject.warning(
            ("expect", "forbid"),
            "only forbidden tools are checked: an agent that does nothing passes this case",
            "add expect.answer, expect.state, expect.require or golden.calls",
        )
    elif not subject.has_calls and not subject.has_graph and expect.trajectory is not None:
        return  # told by _needs_golden
    else:
        yield subject.error(
            ("expect",),
            "the case checks nothing: every trial would pass",
            "add expect.answer, expect.state, expect.require or golden.calls",
        )


def _empty_golden(subject: CaseLint) -> Iterator[Finding]:
    for path, reference in _references(subject.case):
        if reference.calls is None or any(not call.optional for call in reference.calls):
            continue
        if subject.match == "superset":
            what = "all golden calls are optional" if reference.calls else "the list of golden calls is empty"
            level: Literal["error", "warning"] = "error" if subject.calls_required else "warning"
            yield Finding(
                level,
                subject.document.locate((*path, "calls"), key=True),
                f"{what} and the mode is superset: whatever the agent calls would match",
                "say `expect.trajectory: {match: strict}` if no tool may be called, or leave `calls` out",
            )
    if subject.match == "subset" and subject.calls_required and not subject.case.expect.require:
        yield subject.warning(
            ("expect", "trajectory"),
            "in mode subset an agent that calls no tool has no wrong call",
            "name the tools that must be called in expect.require",
        )


def _needs_golden(subject: CaseLint) -> Iterator[Finding]:
    expect, references = subject.case.expect, subject.case.references
    if expect.trajectory is not None and not subject.has_calls and not subject.has_graph:
        yield subject.error(
            ("expect", "trajectory"),
            "expect.trajectory has no golden calls to compare with",
            "write golden.calls (or golden.messages), or remove expect.trajectory",
        )
    answer = expect.answer
    if answer is None or any(reference.answer for reference in references):
        return
    similar = answer.similar
    if answer.exact is True:
        yield subject.error(
            ("expect", "answer", "exact"),
            "exact: true compares with golden.answer, and there is none",
            "write golden.answer, or the text itself after `exact:`",
        )
    if similar is True or (isinstance(similar, SimilarExpectation) and similar.text is None):
        yield subject.error(
            ("expect", "answer", "similar"),
            "similar compares with golden.answer, and there is none",
            "write golden.answer, or the text itself in `similar: {text: …}`",
        )


def _state(subject: CaseLint) -> Iterator[Finding]:
    state = subject.case.expect.state
    golden = [path for path, reference in _references(subject.case) if reference.state is not None]
    if state is None:
        if golden:
            yield subject.warning(
                (*golden[0], "state"),
                "golden.state is not compared with anything",
                "add `expect: {state: true}`",
            )
        return
    if not golden and not state.assertions:
        yield subject.error(
            ("expect", "state"),
            "expect.state has nothing to compare with",
            "write golden.state, or facts under expect.state.assert",
        )
    for number, assertion in enumerate(state.assertions):
        if assertion.value is None and assertion.op in ("<", "<=", ">", ">=", "contains"):
            yield subject.error(
                ("expect", "state", "assert", number),
                f"the assertion '{assertion.path} {assertion.op}' has no value",
                "add `value:`",
                key=False,
            )


def _patterns(subject: CaseLint) -> Iterator[Finding]:
    """Patterns must compile. How long one takes is bounded where it meets an agent's text: graders give it a second."""
    found: list[tuple[Path, str]] = []
    expect = subject.case.expect
    if expect.answer is not None and expect.answer.regex is not None:
        found.append((("expect", "answer", "regex"), expect.answer.regex))
    if expect.trajectory is not None and isinstance(expect.trajectory.args, dict):
        for tool, rules in expect.trajectory.args.items():
            for name, rule in rules.items() if isinstance(rules, dict) else ():
                if isinstance(rule, FieldMatcher) and rule.regex is not None:
                    found.append((("expect", "trajectory", "args", tool, name, "regex"), rule.regex))
    for path, pattern in found:
        if (fault := pattern_fault(pattern)) is not None:
            yield subject.error(path, fault, "write it in Python's dialect, simply", key=False)


def _tools(subject: CaseLint) -> Iterator[Finding]:
    expect, case = subject.case.expect, subject.case
    for key in ("require", "forbid", "poll"):
        listed: tuple[str, ...] = getattr(expect, key)
        for number, tool in enumerate(listed):
            if fault := call_for_a_name(tool):
                yield subject.error(("expect", key, number), fault[0], "name the tool alone")
    for number, tool in enumerate(expect.require):
        if tool in expect.forbid:
            yield subject.error(
                ("expect", "require", number), f"'{tool}' is both required and forbidden", "keep one of them"
            )
    for reference_path, reference in _references(case):
        for call in reference.calls or ():
            names = {call.name, *(name for name, _ in call.alternatives)}
            if not call.optional and names <= set(expect.forbid):
                yield subject.error(
                    ("expect", "forbid", expect.forbid.index(call.name)),
                    f"'{call.name}' is forbidden and in the golden calls",
                    f"take it out of expect.forbid or of {'.'.join(map(str, reference_path))}.calls",
                )
    yield from _names_outside_the_golden(subject)


def _names_outside_the_golden(subject: CaseLint) -> Iterator[Finding]:
    expect = subject.case.expect
    calls = [call for reference in subject.case.references for call in reference.calls or ()]
    if not calls:
        return
    known = sorted({name for call in calls for name in (call.name, *(n for n, _ in call.alternatives))})
    places: list[tuple[Path, str]] = [
        (("expect", "require", number), tool) for number, tool in enumerate(expect.require)
    ]
    if expect.trajectory is not None and isinstance(expect.trajectory.args, dict):
        places += [
            (("expect", "trajectory", "args", tool), tool) for tool in expect.trajectory.args if tool != "*"
        ]
    for path, tool in places:
        if tool not in known:
            near = nearest(tool, known)
            section = "expect.require" if path[1] == "require" else "expect.trajectory.args"
            yield subject.warning(
                path,
                f"{section} names '{tool}', which no golden call uses",
                f"did you mean '{near}'?" if near else f"the golden calls {', '.join(known)}",
            )
