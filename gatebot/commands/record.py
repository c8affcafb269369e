"""`gatebot record`: goldens from a known-good run of the tree as it lies."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path, PurePosixPath

from gatebot.commands.accept.local import LocalAcceptance, apply_candidate
from gatebot.commands.candidate import agreements, candidate_of
from gatebot.commands.graded_trials import ReaderSource
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.run import run
from gatebot.commands.sides import WORKTREE, opened
from gatebot.core.consensus import Consensus
from gatebot.errors import UsageError
from gatebot.model.acceptance import CaseCandidate, GoldenCandidate, Undecided
from gatebot.results.store import ResultsDirectory
from gatebot.runner.progress import ProgressView


def record(
    request: EvaluationRequest, watch: ProgressView, *, most_frequent: bool, write: bool
) -> tuple[LocalAcceptance, dict[str, Consensus]]:
    """Run the suite on the tree as it lies and write what its trials agree on as the cases' goldens.

    `most_frequent`: take the most frequent behaviour of cases whose trials disagree. Hands back what was written and
    each case's consensus. Raises UsageError when no case has a golden to write, GatebotError of every other kind.
    """
    run(request, head=WORKTREE, watch=watch)
    results = ResultsDirectory(request.out)
    suite = results.read_suite()
    agreed = agreements(suite, ReaderSource(results.trials).some, {case.id for case in suite.cases})
    outcomes = [
        candidate_of(case, suite, *agreed[case.id], despite_split=most_frequent) for case in suite.cases
    ]
    candidate = GoldenCandidate(
        suite=suite.config.suite,
        head_sha="",
        result_digest="",
        policy_digest="",
        cases=tuple(one for one in outcomes if isinstance(one, CaseCandidate)),
        undecided=tuple(one for one in outcomes if isinstance(one, Undecided)),
    )
    place = opened(request)
    root = place.repository.root
    if root is None:
        raise UsageError("a bare repository has no case files to write", "clone it")
    folder = Path(root, str(PurePosixPath(place.config_path).parent))
    accepted = apply_candidate(candidate, folder, _known(request.cases, candidate), write=write)
    return accepted, {name: one for name, (one, _) in agreed.items()}


def _known(only: Collection[str], candidate: GoldenCandidate) -> Collection[str]:
    """The cases asked for that have a candidate: of the others the result says why they have none."""
    undecided = {case.case for case in candidate.undecided}
    return [name for name in only if name not in undecided]
