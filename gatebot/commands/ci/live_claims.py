"""What counts of a live run: started by somebody who may, with the plan that base, head and policy of now call for."""

from __future__ import annotations

from dataclasses import replace

from gatebot.commands.ci.context import CiContext
from gatebot.commands.ci.live_run import require_role
from gatebot.commands.ci.reported import ReportJob, Sides
from gatebot.errors import ResultsError
from gatebot.model.plan import Plan, SideInfo
from gatebot.results.store import differences_between

MAX_KEYS = 100_000
_REASON_LIMIT = 300
_AGAIN = "start the live run again"


def started_by(ci: CiContext, job: ReportJob) -> str:
    """A sentence on who started the live run, both its first attempt and this one. Raises UsageError for who may not."""
    run = job.ended.run
    roles = {login: require_role(ci.client, login, job.policy) for login in (run.actor, run.by)}
    told = " and ".join(f"`{login}` ({role})" for login, role in roles.items())
    return f"A live run, started by {told}."


def live_plan(sides: Sides, found: Plan) -> Plan:
    """The plan of a live run with its rounds: everything else is worked out anew from base, head and policy of now.

    Raises ResultsError when the run was of something else, or has not ended.
    """
    expected = sides.plan(sides.evaluation)
    differences = differences_between(expected, found)
    if differences:
        message = f"the live run was of another evaluation than the one of now ({', '.join(differences)})"
        raise ResultsError(message, _AGAIN)
    keys = found.keys()
    cases = {case.id for case in sides.suite.cases}
    if len(keys) > MAX_KEYS or len(set(keys)) != len(keys) or any(key.case not in cases for key in keys):
        raise ResultsError("the live run's plan is not one that gatebot makes", _AGAIN)
    stopped = found.stopped[:_REASON_LIMIT] or ("" if found.finished else "the live run did not end")
    return replace(
        expected,
        base=_set_up(expected.base, found.base),
        head=_set_up(expected.head, found.head),
        rounds=found.rounds,
        base_recorded=found.base_recorded,
        recorded_since=found.recorded_since,
        isolation=found.isolation[:_REASON_LIMIT],
        env_names=tuple(name for name in found.env_names if name in sides.suite.config.agent.env),
        notes=tuple(dict.fromkeys((*expected.notes, *(note[:_REASON_LIMIT] for note in found.notes[:20])))),
        stopped=stopped,
        finished=not stopped,
    )


def _set_up(expected: SideInfo | None, found: SideInfo | None) -> SideInfo | None:
    if expected is None or found is None:
        return expected
    return replace(expected, setup=found.setup, setup_reason=found.setup_reason[:_REASON_LIMIT])
