"""The checks of a case against each of its accepted references, made ready once."""

from __future__ import annotations

from gatebot.errors import ConfigError
from gatebot.graders.arguments import compile_rules
from gatebot.graders.assessment import ReferenceGrader
from gatebot.graders.drift import GoldenDrift
from gatebot.graders.goal import goal_checks, located
from gatebot.graders.library_match import library_match
from gatebot.graders.reference import prepare
from gatebot.model.config import TrajectoryDefault
from gatebot.model.suite import Case, Reference


def reference_graders(case: Case, defaults: TrajectoryDefault) -> tuple[ReferenceGrader, ...]:
    """One per accepted reference; a variant says what differs, and what it leaves out is as in the golden.

    Raises ConfigError, with the case's path, on an expectation that cannot be graded.
    """
    try:
        first = case.references[0] if case.references else Reference()
        return tuple(
            _grader(case, _completed(reference, first), defaults) for reference in case.references or (first,)
        )
    except ConfigError as error:
        raise located(error, case) from error


def _completed(reference: Reference, first: Reference) -> Reference:
    return Reference(
        reference.calls if reference.calls is not None else first.calls,
        reference.answer if reference.answer is not None else first.answer,
        reference.state if reference.state is not None else first.state,
        reference.graph if reference.graph is not None else first.graph,
    )


def _grader(case: Case, reference: Reference, defaults: TrajectoryDefault) -> ReferenceGrader:
    expected = case.expect.trajectory
    mode = (expected.match if expected is not None else None) or defaults.match
    named, other = compile_rules((expected.args if expected is not None else None) or {}, defaults.args)
    calls = reference.calls
    by_library = calls is not None and defaults.engine == "agentevals"
    prepared = None if calls is None else prepare(calls, named, other)
    return ReferenceGrader(
        goal_checks(case, reference.answer, reference.state),
        prepared,
        mode,
        expected is None or expected.required,
        reference.graph,
        library_match(calls, mode, named, other) if calls is not None and by_library else None,
        GoldenDrift(prepared, reference.answer),
    )
