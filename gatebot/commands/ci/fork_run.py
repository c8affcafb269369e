"""RUN of a head from another repository: the head alone, by the base's ruler, without a secret and beside no token that can
write. What it records is uploaded by the workflow, and judged elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable

from gatebot.commands.ci.context import CiContext, CiOutcome
from gatebot.commands.ci.job import job_of, nothing_relevant
from gatebot.commands.ci.runner import GateOrder, run_gate
from gatebot.commands.remote_files import config_at
from gatebot.errors import UsageError
from gatebot.github_api.artifacts import artifact_name
from gatebot.github_api.checks import CheckSpec, finish_check, start_check
from gatebot.github_api.errors import ApiError
from gatebot.github_api.pull_requests import branch_tip
from gatebot.github_api.workflow_commands import annotation_line, write_outputs, write_summary
from gatebot.model.config import Config
from gatebot.model.event import PullRequestEvent
from gatebot.model.publication import Annotation, CheckOutput
from gatebot.model.report import Conclusion, Report
from gatebot.process.withheld import called_secret, secret_values
from gatebot.render.check import check_name, external_id
from gatebot.render.markdown import prose, stack
from gatebot.render.summary_page import visible_page
from gatebot.results.store import COMMENT_FILE, ResultsDirectory
from gatebot.workspace.fetch import make_available

WRITER = (
    "This job's token can write, and code of another repository is never run beside one: nothing was run."
)
RECORDED = (
    "This is the recording of a head from another repository, by its own run. The check on the pull request says what "
    "comes of it."
)


def fork_run(ci: CiContext, event: PullRequestEvent) -> CiOutcome:
    """Run the head alone and leave its results for the workflow to upload.

    Only what `forks` allows can end in a pass. Raises GatebotError.
    """
    pull = event.pull_request
    tip = branch_tip(ci.client, pull.base_ref)
    policy = config_at(ci.client, tip, ci.config)
    if policy is None:
        return _left(
            ci, "The base branch has no configuration: a head from another repository is not run by its own."
        )
    if token_can_write(ci, policy.suite, pull.head_sha):
        return _left(ci, WRITER)
    job = job_of(ci, pull, tip, policy, policy)
    make_available(ci.environment.workspace, (tip, job.fork, pull.head_sha), ci.remote)
    irrelevant = nothing_relevant(ci, job)
    if irrelevant is not None:
        return _left(ci, f"{irrelevant.why} {irrelevant.todo}", irrelevant.conclusion)
    names = (*ci.variables, *policy.agent.env)
    secrets = frozenset(name for name in names if called_secret(name) or secret_values(ci.variables, (name,)))
    lacking = missing_names(ci, policy, secrets)
    if lacking:
        return _left(ci, f"The agent needs {lacking}, which a fork's run does not get: nothing was run.")
    results = run_gate(ci, GateOrder(tip, job.fork, pull.head_sha, ci.out_path, alone=True, withheld=secrets))
    report = results.read_report()
    conclusion = _conclusion(report, policy)
    hand_on(ci, policy.suite, conclusion)
    _summarise(ci, results)
    return CiOutcome(conclusion, report.mode == "observe", ("summary",))


def missing_names(ci: CiContext, policy: Config, withheld: Iterable[str] = ()) -> str:
    """The variables that the agent needs and would not get, as a list in words; empty when it gets them all."""
    away = frozenset(withheld)
    return ", ".join(f"`{name}`" for name in policy.agent.env if name in away or not ci.variables.get(name))


def token_can_write(ci: CiContext, suite: str, sha: str) -> bool:
    """Whether this job's token can write checks, found out by trying; what a writer has begun is completed, in red.

    Raises ApiError when that cannot be found out, UsageError when a newer run has the check.
    """
    environment = ci.environment
    own = external_id(environment.run_id, environment.attempt)
    try:
        check = start_check(ci.client, CheckSpec(check_name(suite), sha, own, environment.run_url, ci.app))
    except ApiError as error:
        if error.kind == "permission":
            return False
        raise
    if check is None:
        raise UsageError("a newer run has the check of this head already", "look at what it says")
    finish_check(ci.client, check, "failure", CheckOutput("not evaluated: a token that can write", WRITER))
    return True


def hand_on(ci: CiContext, suite: str, conclusion: Conclusion) -> None:
    """The step's outputs: what the workflow uploads, and as what."""
    name = artifact_name(suite, ci.environment.attempt)
    outputs = (("conclusion", conclusion), ("artifact-name", name), ("results", ci.out))
    write_outputs(ci.environment.output_file, outputs, ci.random_word)


def _conclusion(report: Report, policy: Config) -> Conclusion:
    if report.conclusion == "fail" or policy.forks == "recorded" or report.mode == "observe":
        return report.conclusion
    return "not_evaluated"


def _summarise(ci: CiContext, results: ResultsDirectory) -> None:
    page = visible_page((results.path / COMMENT_FILE).read_text("utf-8"))
    write_summary(ci.environment.summary_file, f"{prose(RECORDED)}\n\n{page}")


def _left(ci: CiContext, why: str, conclusion: Conclusion = "not_evaluated") -> CiOutcome:
    """Nothing was run: say why."""
    ci.say(annotation_line(Annotation("", why, "gatebot", level="warning")))
    write_summary(ci.environment.summary_file, stack(prose(why)))
    write_outputs(ci.environment.output_file, (("conclusion", conclusion),), ci.random_word)
    return CiOutcome(conclusion)
