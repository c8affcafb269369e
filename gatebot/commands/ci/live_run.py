"""RUN that a maintainer starts by hand: base and head of one pull request, bound to one commit, beside no token that can
write. What it finds is told by the report of its end.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gatebot.commands.ci.context import CiContext, CiOutcome
from gatebot.commands.ci.fork_run import hand_on, missing_names, token_can_write
from gatebot.commands.ci.job import job_of
from gatebot.commands.ci.runner import GateOrder, run_gate
from gatebot.commands.remote_files import config_at
from gatebot.errors import ConfigError, UsageError
from gatebot.github_api.client import Client
from gatebot.github_api.labels import role_of
from gatebot.github_api.pull_requests import branch_tip, pull_request
from gatebot.model.config import Config
from gatebot.model.event import DispatchEvent
from gatebot.workspace.fetch import make_available

_SHA = re.compile(r"[0-9a-f]{40}")
_TITLE = re.compile(r"gatebot live: #([1-9][0-9]{0,8}) at ([0-9a-f]{40})")


@dataclass(frozen=True, slots=True)
class Asked:
    """Which head a live run is asked for."""

    number: int
    sha: str


def asked_by_title(title: str) -> Asked | None:
    """What a live run was asked for, from its name, which the workflow of the default branch makes of its inputs."""
    found = _TITLE.fullmatch(title)
    return None if found is None else Asked(int(found.group(1)), found.group(2))


def live_run(ci: CiContext, event: DispatchEvent) -> CiOutcome:
    """Run base and head of the pull request at exactly the commit that was asked for. Raises GatebotError."""
    asked = _asked(event)
    live = pull_request(ci.client, asked.number)
    if not live.open:
        raise UsageError(f"the pull request {asked.number} is closed", "reopen it first")
    if live.head_sha != asked.sha:
        hint = "read what was pushed since, and start the run for that commit"
        raise UsageError(
            f"the head of {asked.number} is {live.head_sha[:12]} now, not {asked.sha[:12]}", hint
        )
    tip = branch_tip(ci.client, live.base_ref)
    policy = config_at(ci.client, tip, ci.config)
    if policy is None:
        raise ConfigError(f"there is no {ci.config} on the base branch", "a live run needs the base's policy")
    require_role(ci.client, event.sender, policy)
    if token_can_write(ci, policy.suite, asked.sha):
        raise UsageError(
            "this job's token can write, and a live run starts code of the pull request",
            "give the job `contents: read` and `pull-requests: read` alone, as examples/workflows has it",
        )
    lacking = missing_names(ci, policy)
    if lacking:
        ci.say(f"the agent needs {lacking}: not set in this workflow, nothing was run")
        return CiOutcome("not_evaluated")
    fork = job_of(ci, live, tip, policy, policy).fork
    make_available(ci.environment.workspace, (tip, fork, asked.sha), ci.remote)
    report = run_gate(ci, GateOrder(tip, fork, asked.sha, ci.out_path)).read_report()
    hand_on(ci, policy.suite, report.conclusion)
    return CiOutcome(report.conclusion, report.mode == "observe")


def require_role(client: Client, login: str, policy: Config) -> str:
    """The person's role, when it is one of `accept.roles`. Raises UsageError otherwise, ApiError."""
    if login.lower().endswith("[bot]"):
        raise UsageError(
            f"{login[:100]!a} is a bot: a person must start a live run", "it is people who read changes"
        )
    role = role_of(client, login) if login else "none"
    if role not in policy.accept.roles:
        roles = ", ".join(policy.accept.roles)
        raise UsageError(
            f"{login[:100]!a} has the role {role[:100]!a} here and may not start a live run",
            f"one of {roles} may",
        )
    return role


def _asked(event: DispatchEvent) -> Asked:
    number, sha = event.inputs.get("pull-request", ""), event.inputs.get("head-sha", "")
    if not number.isascii() or not number.isdecimal() or len(number) > 9 or number.startswith("0"):
        raise UsageError(f"the input pull-request {number[:40]!a} is no number")
    if not _SHA.fullmatch(sha):
        raise UsageError(f"the input head-sha {sha[:60]!a} is no commit", "give all 40 digits of the head")
    return Asked(int(number), sha)
