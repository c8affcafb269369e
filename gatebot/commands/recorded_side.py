"""What causes an agent's trials beside chance, as digests: trials of equal origins are samples of one thing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gatebot.commands.reuse import environment_digest
from gatebot.commands.views import Evaluation, examine_sides
from gatebot.results.base_results import RecordedOrigin, RecordedTrial, Role
from gatebot.suite.snapshot import agent_digest, case_run_digest


@dataclass(frozen=True, slots=True)
class SideOrigin:
    """One side's agent: digests of its tree, configuration and environment; `cases`: id → digest of what it is asked."""

    tree: str
    agent: str
    environment: str
    cases: Mapping[str, str]

    def of(self, case: str, slot: int) -> RecordedOrigin:
        """The origin of one trial. `case` must be one of the suite's."""
        return RecordedOrigin(self.tree, self.cases[case], self.agent, self.environment, slot)

    def matching(self, trials: Iterable[RecordedTrial], role: Role) -> dict[str, dict[int, RecordedTrial]]:
        """Case → slot → the recorded trial of exactly this agent; every case of the suite is named."""
        found: dict[str, dict[int, RecordedTrial]] = {case: {} for case in self.cases}
        for one in trials:
            case = one.trial.case
            if one.role == role and case in found and one.origin == self.of(case, one.origin.slot):
                found[case][one.origin.slot] = one
        return found


def head_origin(evaluation: Evaluation, environment: Mapping[str, str]) -> SideOrigin:
    """The origin of the head of an evaluation whose agents see what `environment` holds. Raises RepositoryError."""
    suite = evaluation.ruler.suite
    return SideOrigin(
        tree=examine_sides(evaluation)["head"].digest,
        agent=agent_digest(evaluation.sides["head"].agent),
        environment=environment_digest(suite, environment, evaluation),
        cases={case.id: case_run_digest(case) for case in suite.cases},
    )
