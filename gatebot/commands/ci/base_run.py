"""The default branch's agent, run alone: where it is, what its trials are caused by, and how slots of it are run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatebot.commands.ci.base_store import DefaultBranch
from gatebot.commands.ci.context import CiContext
from gatebot.commands.ci.runner import run_evaluation
from gatebot.commands.recorded_side import SideOrigin, head_origin
from gatebot.commands.remote_files import config_at
from gatebot.commands.report import report as regrade
from gatebot.commands.request import EvaluationRequest
from gatebot.commands.run import one_side
from gatebot.core.base_slots import SlotOrder
from gatebot.github_api.pull_requests import branch_tip
from gatebot.github_api.repository import default_branch
from gatebot.model.config import Config
from gatebot.model.plan import Plan
from gatebot.model.report import Report
from gatebot.process.own_child import environment_without
from gatebot.results.store import PLAN_FILE, ResultsDirectory, start_over
from gatebot.workspace.fetch import make_available


@dataclass(frozen=True, slots=True)
class BaseJob:
    """The default branch as it is now, its configuration, and what its agent's trials are caused by."""

    branch: DefaultBranch
    config: Config
    origin: SideOrigin


def default_branch_now(ci: CiContext) -> DefaultBranch:
    """The default branch and its tip, read live: an event's payload is frozen. Raises ApiError."""
    name = default_branch(ci.client)
    return DefaultBranch(name, branch_tip(ci.client, name))


def config_of(ci: CiContext, branch: DefaultBranch) -> Config | None:
    """The configuration at the tip; None when there is none. Raises ConfigError, ApiError."""
    return config_at(ci.client, branch.tip, ci.config)


def missing_secrets(ci: CiContext, config: Config) -> str:
    """A sentence that names the variables which the agent needs and this job does not have; empty when it has them all."""
    missing = [f"`{name}`" for name in config.agent.env if not ci.variables.get(name)]
    if not missing:
        return ""
    return f"The agent needs {', '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not set in this workflow."


def base_job(ci: CiContext, branch: DefaultBranch, config: Config) -> BaseJob:
    """Fetch the tip and work out what its trials are caused by. Raises GatebotError."""
    environment = ci.environment
    make_available(environment.workspace, (branch.tip,), ci.remote)
    request = EvaluationRequest(environment.workspace, ci.config, ci.out_path, ci.today)
    evaluation = one_side(request, head=branch.tip)
    return BaseJob(
        branch, config, head_origin(evaluation, environment_without(ci.variables, (ci.environment.token,)))
    )


@dataclass(frozen=True, slots=True)
class BaseRun:
    """Slots of the base that were run. `trouble`: why they show nothing of the base, in a sentence; else empty."""

    results: ResultsDirectory
    report: Report
    trouble: str


def run_slots(ci: CiContext, job: BaseJob, order: SlotOrder, out: Path) -> BaseRun:
    """Run slots of the base in a process without the token, and grade what it left behind.

    Nothing is taken from a store on this machine: what is handed on to later runs comes from here alone. Raises
    InfrastructureError when the process ended otherwise than with a conclusion, and GatebotError.
    """
    if ResultsDirectory(out).has(PLAN_FILE):  # of an earlier job, on a machine that is not cleaned
        start_over(ResultsDirectory(out))
    argv = (
        "run",
        f"--head={job.branch.tip}",
        f"--config={ci.config}",
        f"--out={out}",
        "--replace",
        "--no-store",
        f"--first-slot={order.first}",
        f"--seeds={order.count}",
        *(word for case in order.cases for word in ("--case", case)),
    )
    results = run_evaluation(ci, argv, out)
    report = regrade(out, ci.config, ci.today)
    return BaseRun(results, report, _trouble(results.read_plan(), report))


def _trouble(plan: Plan, report: Report) -> str:
    if plan.head is not None and plan.head.setup == "failed":
        return f"the base does not install: {plan.head.setup_reason}"
    if plan.stopped or not plan.finished:
        return plan.stopped or "the run did not end"
    concluded = report.would_have or report.conclusion
    return report.reason if concluded == "not_evaluated" else ""
