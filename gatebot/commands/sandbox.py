"""Whether agents may be started here at all: what the sandbox must hold, where it is not whole and a token is in reach."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from gatebot.commands.request import EvaluationRequest
from gatebot.errors import InfrastructureError
from gatebot.model.config import AgentConfig, Config
from gatebot.process.isolation import IsolationReport, closed_to_others
from gatebot.process.launch import Launchers

UNSAFE: Final = "--unsafe-no-sandbox"
_TOKEN_HOLDERS: Final = ("ACTIONS_", "GH_", "GITHUB_", "INPUT_")
BESIDE_A_TOKEN: Final = "GATEBOT_BESIDE_A_TOKEN"  # noqa: S105 - a name
"""Tells a gatebot that holds no token of its own that the one that started it does."""
_CONFIG_SIZE: Final = 1_000_000
_SERVED: Final = "the network is open: gatebot must reach the server of an `http` agent"
_TOKEN: Final = "TOKEN"  # noqa: S105 - part of a name


def starts_programs(agent: AgentConfig) -> bool:
    """Whether code of a side is run on this machine, by its agent or by its setup."""
    started = agent.http is not None and agent.http.start is not None
    return bool(agent.command or agent.python or agent.setup or started)


def serves(agent: AgentConfig) -> bool:
    """Whether the agent is a server of ours: gatebot must be able to reach it, so it shares gatebot's loopback."""
    return agent.http is not None and agent.http.start is not None


def tokens_in(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Names of the variables that hold a token of GitHub's, or tell of one, sorted; an empty one holds none."""
    return tuple(
        sorted(
            name
            for name, value in environment.items()
            if value
            and (
                name == BESIDE_A_TOKEN or (name.upper().startswith(_TOKEN_HOLDERS) and _TOKEN in name.upper())
            )
        )
    )


def credentials_left(repo: Path, runner_temp: str) -> tuple[str, ...]:
    """Names of the files in which a checkout step left its token, as actions/checkout does unless told otherwise."""
    found = [repo / ".git" / "config"] if _holds_a_header(repo / ".git" / "config") else []
    if runner_temp:
        found += sorted(Path(runner_temp).glob("git-credentials-*.config"))
    return tuple(path.name for path in found)


def _holds_a_header(config: Path) -> bool:
    try:
        with config.open("rb") as stream:
            return b"extraheader" in stream.read(_CONFIG_SIZE).lower()
    except OSError:
        return False


def examine_sandbox(
    launchers: Launchers, config: Config, request: EvaluationRequest, *, served: bool = False
) -> IsolationReport:
    """Try the sandbox before any code of a side runs. Raises InfrastructureError where it must not run.

    That is: `isolation: required` and something is missing; the sandbox is degraded and gatebot holds a token, or is
    root, or has no Landlock either, unless the request says that this is wanted. `served`: a side's agent `serves`.
    """
    left = credentials_left(request.repo, request.environment.get("RUNNER_TEMP", ""))
    if left:
        request.tell(
            f"the checkout left its token in {', '.join(left)}: agents cannot read it, but what other steps run can; "
            "set `persist-credentials: false`"
        )
    report = launchers.isolation(network=config.network)
    if served and report.loopback:
        report = replace(report, loopback=False, missing=(*report.missing, _SERVED))
    if config.isolation == "required" and not report.complete:
        raise InfrastructureError(
            f"isolation is required and not complete: {report}",
            "run gatebot as root in its container, or set `isolation: auto` on the base branch",
        )
    if not report.degraded:
        return report
    tokens = tokens_in(request.environment)
    reason = f"{', '.join(tokens)} is set" if tokens else _reach_of_agents(report)
    if reason and not request.unsafe:
        raise InfrastructureError(
            f"no agent is started: the sandbox is degraded and {reason} ({report})",
            f"{_way_out(tokens)}; {UNSAFE} runs agents all the same, and lets them reach what gatebot holds",
        )
    request.tell(f"isolation: {report}")
    return report


def _reach_of_agents(report: IsolationReport) -> str:
    """What agents without a user of their own would reach that no evaluation is worth; "" when walls stand before it."""
    if report.own_user:
        return ""
    if os.geteuid() == 0:
        return "gatebot is root, and so would its agents be"
    return "" if report.walled else "nothing stands between agents and the files of gatebot's user"


def check_entry(report: IsolationReport, needed: Iterable[PurePath]) -> None:
    """See that trials' users can enter what they need. Raises InfrastructureError that names what they cannot.

    Running a trial without its user, or with another interpreter, would be a silent fall-back.
    """
    closed = closed_to_others(needed) if report.own_user else ""
    if closed:
        raise InfrastructureError(
            f"trials cannot run under users of their own: {closed}",
            "make environments from a Python for the whole system (below /usr), and keep them where all may enter",
        )


def alert(report: IsolationReport) -> tuple[str, ...]:
    """What the report of an evaluation must say about a degraded sandbox."""
    return (f"The sandbox is not whole: {report}.",) if report.degraded else ()


def _way_out(tokens: tuple[str, ...]) -> str:
    if BESIDE_A_TOKEN in tokens:
        return "run the action's container, or the job as root on a kernel with Landlock"
    if tokens:
        return f"start gatebot without them (env {' '.join(f'-u {name}' for name in tokens)} gatebot …)"
    if os.geteuid() != 0:
        return "use a kernel with Landlock (Linux 5.13 or newer), or gatebot's container"
    return "set TMPDIR and --cache to directories that every user may enter"
