"""What may become the golden set, and the record of what a maintainer made so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gatebot.model.json_value import JsonValue

CANDIDATE_SCHEMA = "gatebot.golden-candidate/1"
ACCEPTANCE_SCHEMA = "gatebot.acceptance/2"
OVERRIDE_SCHEMA = "gatebot.override/1"

Agreement = Literal["unanimous", "majority", "split", "none"]


@dataclass(frozen=True, slots=True)
class CaseCandidate:
    """The golden a case would get: the behaviour `took` of `of` head trials showed, `path` relative to the suite.

    `golden_digest` and `grading_digest` are those of the case with this golden. `still_fails` says what the new golden
    does not cure (a forbidden tool, say); empty when the case's trials would pass.
    """

    case: str
    path: str
    golden: dict[str, JsonValue]
    golden_digest: str
    grading_digest: str
    took: int
    of: int
    still_fails: str = ""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A case that got worse and has no golden to accept, with the reason."""

    case: str
    reason: str


@dataclass(frozen=True, slots=True)
class GoldenCandidate:
    """golden-candidate/candidate.json: what accepting this evaluation would write, and nothing else."""

    suite: str
    head_sha: str
    result_digest: str
    policy_digest: str
    cases: tuple[CaseCandidate, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    metrics: tuple[str, ...] = ()
    schema: str = CANDIDATE_SCHEMA


@dataclass(frozen=True, slots=True)
class AcceptedCase:
    """One case of an acceptance: digests of its golden, and of how it is graded with it."""

    case: str
    golden_digest: str
    grading_digest: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The record of what was accepted: bound to commit, results and policy; who, when (UTC, ISO 8601), why.

    `evaluated_sha` is the head that was judged, `accepted_sha` the commit that holds the accepted golden set. It was
    accepted in one pull request: another one that carries the same commit along is not covered.
    """

    suite: str
    evaluated_sha: str
    accepted_sha: str
    result_digest: str
    policy_digest: str
    who: str
    role: str
    when: str
    why: str = ""
    cases: tuple[AcceptedCase, ...] = ()
    metrics: tuple[str, ...] = ()
    pull_request: int = 0
    schema: str = ACCEPTANCE_SCHEMA

    def covers(self, case: str, grading_digest: str) -> bool:
        """Whether the case, graded as the digest says, is what was accepted."""
        return any(one.case == case and one.grading_digest == grading_digest for one in self.cases)


@dataclass(frozen=True, slots=True)
class Override:
    """The record that one head may pass as it is: in one pull request, under one policy, and for no other commit."""

    suite: str
    head_sha: str
    result_digest: str
    policy_digest: str
    who: str
    role: str
    when: str
    pull_request: int
    schema: str = OVERRIDE_SCHEMA
